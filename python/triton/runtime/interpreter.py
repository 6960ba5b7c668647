"""Interpreter mode (`TRITON_INTERPRET=1`): kernels run as ordinary Python, one program after the other.

`print`, `breakpoint()` and any Python work inside a kernel. Operations on tensors are done by the compiler's reference semantics as they are reached, so that they
mean what they mean in compiled kernels and fail where those do not compile.
"""

import functools
import inspect
import struct
import warnings

from .. import knobs
from .._C import libtriton
from ..backends.compiler import BaseBackend
from ..language import core
from ..language.interpreted import data_of, device_print, stored_data_of  # noqa: F401  (part of this module's interface)
from ..language.interpreted import state as _state
from ..language.interpreted_numbers import InterpretedFloat, scalar_range
from . import sanitizer
from .errors import InterpreterError
from .interpreter_builder import (  # noqa: F401  (part of this module's interface)
    InterpreterBuilder,
    InterpreterOptions,
    InterpreterSemantic,
    _patch_lang,
    interpreter_builder,
    interpreter_semantic,
)
from .jit import JITFunction, KernelInterface
from .parameters import about_argument, make_parameters
from .rewriter import KernelRewriter, rewrite

# The name by which debuggers of kernels know what `x.handle` is.
TensorHandle = libtriton.ValueHandle


def _assign(value, names=None, kept=()):
    """What a plain assignment binds: numbers as typed scalars. `names` are those of the variables, for reports about accesses; those in `kept` are constants."""
    if type(value) is tuple:
        each = names if type(names) is tuple and len(names) == len(value) else (None,) * len(value)
        return tuple(_assign(part, name, kept) for part, name in zip(value, each))
    if names in kept:
        return value
    is_number = isinstance(value.value if isinstance(value, core.constexpr) else value, (bool, int, float))
    value = libtriton.emission.to_tensor(value) if is_number else value
    if isinstance(names, str) and getattr(_state, "watched", None) is not None and isinstance(value, core.tensor):
        _state.session.set_name(value, names)
    return value


def _range(*bounds, **hints):
    """Python's range over scalars of the type that a kernel's loop variable has. Hints for loops change nothing here."""
    for name in hints.keys() - inspect.signature(core.range).parameters.keys():
        warnings.warn(f"range() ignores the keyword argument '{name}'", stacklevel=2)
    return scalar_range(*((0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]))


def _not(value):
    return libtriton.emission.unary("not", value) if isinstance(value, core.tensor) else not value


def _chain(left, *steps):
    """`a < b < c`: as `and` of the comparisons, of which a false one that is no tensor is the last."""
    whole = None
    for compare, right in steps:
        right = right()
        result = compare(left, right)
        left = right
        if not isinstance(result, core.tensor):
            if not result:
                return result
            continue
        whole = result if whole is None else whole.logical_and(result)
    return True if whole is None else whole


def _extremum(python_function, name):
    """Python's `min` or `max`, which in kernel code is a function of the language where it is given scalars or tensors."""

    def function(*args, **kwargs):
        if len(args) < 2 or not all(isinstance(arg, (bool, int, float, core.constexpr, core.tensor)) for arg in args):
            return python_function(*args, **kwargs)
        found = getattr(core, f"builtin_{name}")(*args, **kwargs)
        return found.value if isinstance(found, core.constexpr) else found

    return function


_BUILTINS = {"min": _extremum(min, "min"), "max": _extremum(max, "max")}


class _Memory:
    """Host copies of what lives on a device, each storage copied once; copied back at the end."""

    def __init__(self):
        self.copies = {}

    def to_host(self, tensor):
        device = getattr(tensor, "device", None)
        if device is None or getattr(device, "type", "cpu") == "cpu":
            return tensor
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in self.copies:
            self.copies[storage.data_ptr()] = (storage, storage.cpu())
        host = self.copies[storage.data_ptr()][1]
        return tensor.new_empty(0, device="cpu").set_(host, tensor.storage_offset(), tensor.size(), tensor.stride())

    def copy_back(self):
        for storage, host in self.copies.values():
            storage.copy_(host)


def _arrays_in(value, name):
    """(array, name) of the memory that an argument leads to."""
    if isinstance(value, tuple):
        for field, part in zip(getattr(value, "_fields", range(len(value))), value):
            yield from _arrays_in(part, f"{name}.{field}")
    elif hasattr(value, "block_shape"):
        yield from _arrays_in(value.base, name)
    elif hasattr(value, "untyped_storage") or hasattr(value, "__array_interface__"):
        yield value, name


def _extent(array):
    """The address of an array's first byte, the one behind its last, and whether the array is read-only."""
    if hasattr(array, "untyped_storage"):
        storage = array.untyped_storage()
        return storage.data_ptr(), storage.data_ptr() + storage.nbytes(), False
    import numpy as np

    view = np.asarray(array)
    address, is_read_only = array.__array_interface__["data"]
    reach = [(extent - 1) * stride for extent, stride in zip(view.shape, view.strides)] if view.size else []
    first, last = address + sum(min(0, part) for part in reach), address + sum(max(0, part) for part in reach)
    return first, last + (view.itemsize if view.size else 0), is_read_only


def _protect(arguments, session):
    """Keeps the kernel from storing to read-only arrays, but for what another argument has too and may be written."""
    arrays = [(*_extent(array), label) for name, value in arguments.items() for array, label in _arrays_in(value, name)]
    for first, end, is_read_only, name in arrays:
        is_shared = any(begin < end and first < behind and not fixed for begin, behind, fixed, _ in arrays)
        if is_read_only and not is_shared:
            session.protect_memory(first, end - first, name)


def _address_of(argument):
    if hasattr(argument, "data_ptr"):
        return argument.data_ptr()
    interface = getattr(argument, "__array_interface__", None)
    if interface is not None:
        return interface["data"][0]
    import numpy as np

    return np.from_dlpack(argument).__array_interface__["data"][0]


class GridExecutor:
    """Runs one kernel over a grid."""

    def __init__(self, fn, arg_names, grid, pre_run_hooks=(), params=None):
        self.fn = fn
        self.arg_names = arg_names
        self.params = parameters_of(fn) if params is None else params
        self.grid = grid
        self.pre_run_hooks = pre_run_hooks

    def __call__(self, *args, **kwargs):
        kwargs = {name: value for name, value in kwargs.items() if name in self.arg_names}
        memory = _Memory()
        args = [self._to_host(argument, memory) for argument in args]
        kwargs = {name: self._to_host(value, memory) for name, value in kwargs.items()}
        for hook in self.pre_run_hooks:
            hook(*args, **kwargs)
        bound = inspect.signature(self.fn).bind(*args, **kwargs)
        bound.apply_defaults()
        grid = self.grid(dict(bound.arguments)) if callable(self.grid) else self.grid
        extents = libtriton.read_grid(grid)
        patches = _patch_lang(self.fn)
        try:
            self._run(bound.arguments, extents)
        finally:
            patches.restore()
            memory.copy_back()

    def _to_host(self, argument, memory):
        if isinstance(argument, tuple):
            parts = [self._to_host(part, memory) for part in argument]
            return type(argument)(*parts) if hasattr(argument, "_fields") else tuple(parts)
        base = getattr(argument, "base", None)
        if hasattr(argument, "block_shape"):
            import copy

            argument = copy.copy(argument)
            argument.base = memory.to_host(base)
            return argument
        if base is not None and type(argument).__name__ == "TensorWrapper":
            return type(argument)(memory.to_host(base), argument.dtype)
        return memory.to_host(argument) if hasattr(argument, "untyped_storage") else argument

    def _run(self, arguments, grid):
        builder = interpreter_builder
        outer = getattr(_state, "session", None), getattr(_state, "watched", None), builder.grid_dim, builder.grid_idx
        with libtriton.interpreter.Session() as session:
            session.trust_memory()
            _protect(arguments, session)
            _state.watched = self._watch(arguments, session) if knobs.runtime.sanitize else None
            _state.session = builder.session = session
            builder.set_grid_dim(*grid)
            try:
                for x in range(grid[0]):
                    for y in range(grid[1]):
                        for z in range(grid[2]):
                            builder.set_grid_idx(x, y, z)
                            _state.program = (x, y, z)
                            self._call(self._wrap_all(arguments, session))
            except Exception as error:
                if knobs.compilation.front_end_debugging or isinstance(error, InterpreterError):
                    raise
                raise InterpreterError(repr(error)) from error
            finally:
                _state.session, _state.watched, builder.grid_dim, builder.grid_idx = outer
                builder.session = _state.session

    def _watch(self, arguments, session):
        watched = sanitizer.watch(arguments)
        session.watch(watched, sanitizer.place)
        return watched

    def _call(self, arguments):
        rest = next((name for name in arguments if self.params[name].is_variadic), None)
        if rest is None:
            return self.fn(**arguments)
        names = list(arguments)
        before = [arguments.pop(name) for name in names[: names.index(rest)]]
        return self.fn(*before, *arguments.pop(rest), **arguments)

    def _wrap_all(self, arguments, session):
        return {
            name: value if self.params[name].is_constexpr else self._wrap(value, session, self.params[name], name)
            for name, value in arguments.items()
        }

    def _wrap(self, value, session, param=None, name=""):
        """A kernel argument as kernel code sees it: memory as pointers, numbers as scalars of the type that compiled code gives them."""
        value = libtriton.plain_constant(value)
        if (
            value is None
            or isinstance(value, (str, core.dtype, InterpretedFunction))
            or callable(value)
            and not hasattr(value, "data_ptr")
        ):
            return value
        if isinstance(value, core.constexpr):
            return value.value
        annotated = param.annotation_type if param else ""
        if isinstance(value, (bool, int, float)) and annotated and not annotated.startswith("*"):
            return self._wrap_number(value, session, annotated)
        if isinstance(value, float):
            return InterpretedFloat.of(value, self._wrap_number(value, session, "fp32"))
        if isinstance(value, int):
            specializes = not (param and param.do_not_specialize)
            ty, _ = libtriton.native_specialize_impl(BaseBackend, value, False, specializes, False)
            return value if ty == "constexpr" else session.scalar(ty, int(value))
        if isinstance(value, tuple):
            fields = getattr(value, "_fields", range(len(value)))
            parts = [self._wrap(part, session, name=f"{name}.{field}") for field, part in zip(fields, value)]
            return type(value)(*parts) if hasattr(value, "_fields") else core.tuple(parts)
        if hasattr(value, "block_shape"):
            shape = [self._wrap(int(extent), session) for extent in value.shape]
            strides = [self._wrap(int(stride), session) for stride in value.strides[:-1]] + [1]
            pointer = self._wrap(value.base, session, name=name)
            rounds = getattr(value, "round_f32_to_tf32", False)
            make = core._make_rounding_descriptor if rounds else core.make_tensor_descriptor
            return make(pointer, shape, strides, list(value.block_shape), padding_option=value.padding)
        is_const = param is not None and param.is_const
        with about_argument(name):
            ty, _ = libtriton.native_specialize_impl(BaseBackend, value, is_const, False, False)
        return session.scalar(annotated if annotated.startswith("*") else ty, _address_of(value), name)

    def _wrap_number(self, value, session, annotated):
        if annotated[:2] not in ("fp", "bf"):
            return session.scalar(annotated, int(value != 0 if annotated == "u1" else value))
        if annotated == "fp32":
            return session.scalar("fp32", struct.unpack("<I", struct.pack("<f", value))[0])
        exact = session.scalar("fp64", struct.unpack("<Q", struct.pack("<d", value))[0])
        return exact if annotated == "fp64" else exact.to(core.dtype(annotated))


def _implicit_cvt(arg):
    """An argument as kernel code sees it, while a kernel runs."""
    session = getattr(_state, "session", None)
    if session is None:
        raise RuntimeError("arguments become values of kernels while a kernel runs")
    return GridExecutor(None, [], (1,), params={})._wrap(arg, session)


def parameters_of(fn, do_not_specialize=None):
    """What the annotations of a kernel's parameters say, by name."""

    made = make_parameters(fn, inspect.signature(fn), do_not_specialize=do_not_specialize, do_not_specialize_on_alignment=None)  # fmt: skip
    return {param.name: param for param in made}


class InterpretedFunction(KernelInterface):
    """A jitted function in interpreter mode: ordinary Python that works on tensors."""

    __triton_interpreted__ = True
    rewritten_fn = {}

    def __init__(self, fn, **kwargs):
        self.fn = fn
        self.kwargs = kwargs
        self.rewriter = KernelRewriter()
        self.pre_run_hooks = []
        self.arg_names = [parameter.name for parameter in inspect.signature(fn).parameters.values()]
        self.__doc__ = fn.__doc__
        self.__module__ = fn.__module__
        self.__qualname__ = fn.__qualname__

    @property
    def __name__(self):
        return self.fn.__name__

    @functools.cached_property
    def _params(self):
        return parameters_of(self.fn, self.kwargs.get("do_not_specialize"))

    @functools.cached_property
    def compiled(self):
        """The same function for the compiler: what regions of reductions and scans are made of."""
        return JITFunction(self.fn, **self.kwargs)

    def add_pre_run_hook(self, hook):
        """`hook(*args, **kwargs)` runs before each launch."""
        assert callable(hook)
        self.pre_run_hooks.append(hook)

    def rewrite(self):
        """The function that runs, with its globals and closure as they are now."""
        if self.fn not in self.rewritten_fn:
            self.rewritten_fn[self.fn] = rewrite(self.fn)
        bind = self.rewritten_fn[self.fn]
        if bind is None:
            return self.fn
        names = {
            "__triton_assign__": _assign,
            "__triton_range__": _range,
            "__triton_not__": _not,
            "__triton_chain__": _chain,
        }
        rewritten = bind({**_BUILTINS, **self.fn.__globals__, **inspect.getclosurevars(self.fn).nonlocals, **names})
        rewritten.__annotations__ = self.fn.__annotations__
        return rewritten

    def run(self, *args, grid, warmup, **kwargs):
        if not warmup:
            GridExecutor(self.rewrite(), self.arg_names, grid, self.pre_run_hooks, self._params)(*args, **kwargs)

    def __call__(self, *args, **kwargs):
        if not libtriton.interpreter.is_active():
            raise RuntimeError(f"Cannot call @triton.jit'd {self.__name__} outside of the scope of a kernel")
        return self.rewrite()(*args, **kwargs)

    def __repr__(self):
        return f"InterpretedFunction({self.__module__}:{self.__qualname__})"
