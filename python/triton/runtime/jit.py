"""`triton.jit`: Python functions that are compiled and launched as kernels."""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
import re
import textwrap
import threading
from dataclasses import dataclass
from functools import partial
from typing import Callable, Generic, Iterable, Optional, TypeVar, Union

from .. import knobs
from .._C.libtriton import KernelBase, native_specialize_impl
from .._utils import find_paths_if, get_iterable_path, is_namedtuple, type_canonicalisation_dict  # noqa: F401
from ..backends import BaseBackend
from . import _async_compile
from .dependencies import ClosureScope, DependenciesFinder
from .mock import MockTensor, TensorWrapper, reinterpret  # noqa: F401
from .parameters import KernelParam, _normalize_ty, create_function_from_signature  # noqa: F401

TRITON_MODULE = "triton.language"
GLUON_MODULE = "triton.experimental.gluon.language"

T = TypeVar("T")


def get_full_name(fn):
    return f"{fn.__module__}.{fn.__qualname__}"


def mangle_type(arg, specialize=False):
    """The type string of an argument."""
    return native_specialize_impl(BaseBackend, arg, False, specialize, specialize)[0]


class KernelInterface(Generic[T]):
    """Anything that can be launched: `kernel[grid](...)`. Subclasses implement `run`."""

    run: T

    def warmup(self, *args, grid, **kwargs):
        """Compiles for these arguments without launching; dtypes may stand for tensors."""
        return self.run(*map(MockTensor.wrap_dtype, args), grid=grid, warmup=True, **kwargs)

    def run(self, *args, grid, warmup, **kwargs):
        raise NotImplementedError("run not implemented")

    def __getitem__(self, grid) -> T:
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)


class JITCallable:
    """A Python function whose source kernels are compiled from."""

    def __init__(self, fn):
        self.fn = fn
        self.signature = inspect.signature(fn)
        self._fn_name = get_full_name(fn)
        self._hash_lock = threading.RLock()
        self.hash = None
        self.used_global_vals: dict[tuple[str, int], tuple[object, object]] = {}
        self.__doc__ = fn.__doc__
        self.__name__ = fn.__name__
        self.__qualname__ = fn.__qualname__
        self.__globals__ = fn.__globals__
        self.__module__ = fn.__module__

    def _read_source(self):
        """Finds the function's text, from the first line that begins with its `def`."""
        fn = self.fn
        try:
            self.raw_src, self.starting_line_number = inspect.getsourcelines(fn)
        except (OSError, TypeError) as error:
            raise ValueError("@jit functions should be defined in a Python file") from error
        dedented = textwrap.dedent("".join(self.raw_src))
        code = getattr(fn, "__code__", None)
        name = re.escape(code.co_name if code is not None else fn.__name__)
        starts = [found.start() for found in re.finditer(rf"^def\s+{name}\s*[(\[]", dedented, re.MULTILINE)]
        if not starts:
            raise ValueError("@jit functions should be defined in a Python file, with `def`")
        if len(starts) > 1:  # the argument of a decorator may hold such a line too
            line = ast.parse(dedented).body[0].lineno
            starts = [start for start in starts if dedented.count("\n", 0, start) + 1 == line]
        self._src = dedented[starts[0] :]
        self._lines_before_def = dedented.count("\n", 0, starts[0])

    @property
    def src(self):
        """The function's text, from `def`."""
        return self._src

    def _unsafe_update_src(self, new_src):
        """Replaces the source. The keys of functions that call this one must be reset by whoever does it."""
        self.hash = None
        self._src = new_src

    @property
    def _source_place(self):
        """(file, line of `def`, columns that dedenting cut)"""
        line = self.raw_src[self._lines_before_def] if self._lines_before_def < len(self.raw_src) else ""
        return (
            self.fn.__code__.co_filename,
            self.starting_line_number + self._lines_before_def,
            len(line) - len(line.lstrip()),
        )

    @property
    def _must_use_result_message(self):
        """What to tell a kernel that drops this function's result; None if it may."""
        value = self.__dict__.get("_must_use_result", getattr(self.fn, "_must_use_result", None))
        return "" if value is True else value

    def parse(self):
        """The AST of the current source: a module with one function."""
        tree = ast.parse(self._src)
        assert isinstance(tree, ast.Module) and len(tree.body) == 1 and isinstance(tree.body[0], ast.FunctionDef)
        return tree

    def get_capture_scope(self):
        """Globals, with the captured variables of enclosing functions on top."""
        closure = ClosureScope(self.fn)
        return self.__globals__ | {name: closure.get(name) for name in closure.cells}

    @property
    def cache_key(self) -> str:
        """Changes with the function's source, its callees', its place in the file, and the constexpr globals it reads."""
        with self._hash_lock:
            if self.hash is not None:
                return self.hash
            self.hash = f"recursion:{self._fn_name}"  # what a recursive call sees
            try:
                finder = DependenciesFinder(self._fn_name, self.__globals__, ClosureScope(self.fn), self._src)
                finder.visit(self.parse())
            except BaseException:
                self.hash = None
                raise
            from ..language.core import constexpr

            self.used_global_vals = dict(sorted(finder.used_global_vals.items(), key=lambda item: item[0]))
            constants = [
                (name, value) for (name, _), (value, _) in self.used_global_vals.items() if isinstance(value, constexpr)
            ]
            text = finder.ret + str(self.starting_line_number) + str(constants)
            self.hash = hashlib.sha256(text.encode("utf-8")).hexdigest()
            return self.hash

    @property
    def type(self):
        from ..language.core import constexpr_type

        return constexpr_type(self)

    def __hash__(self):
        return hash(self.cache_key)

    def __eq__(self, other):
        return self is other


@dataclass
class JitFunctionInfo:
    """What hooks are told about a function."""

    module: str
    name: str
    jit_function: JITFunction


def _replace_callables(value):
    """Jitted functions by their keys, all the way down."""
    if isinstance(value, list):
        return [_replace_callables(element) for element in value]
    if is_namedtuple(type(value)):
        return type(value)(*map(_replace_callables, value))
    if isinstance(value, tuple):
        return tuple(map(_replace_callables, value))
    return value.cache_key if isinstance(value, JITCallable) else value


def compute_cache_key(kernel_key_cache, specialization, options):
    """The in-memory key of a launch. `kernel_key_cache` is not used: 1, True and 1.0 are equal as keys of a dict, and warm launches do not come here."""
    return str(_replace_callables(specialization)) + str(options)


def convert_to_tuple_if_list(item):
    """Lists as tuples, all the way down: JSON has no tuples."""
    return tuple(map(convert_to_tuple_if_list, item)) if isinstance(item, list) else item


def _telling(method):
    def wrapped(self, *args, **kwargs):
        self.owner._forget_launches()
        return method(self, *args, **kwargs)

    return wrapped


class _ObservedDict(dict):
    """A dict that tells its kernel when something is taken out, so that launches do not go on using it."""

    def __init__(self, owner):
        super().__init__()
        self.owner = owner

    __delitem__ = _telling(dict.__delitem__)
    clear = _telling(dict.clear)
    pop = _telling(dict.pop)
    popitem = _telling(dict.popitem)


class DeviceCaches(_ObservedDict):
    """device index -> (kernel_cache, kernel_key_cache, target, backend, binder), made on first use."""

    def __missing__(self, device):
        self[device] = self.owner.create_binder()
        return self[device]


class JITFunction(KernelBase, JITCallable, KernelInterface[T]):
    """A jitted function: launched as `kernel[grid](...)`, or called from other jitted functions."""

    def is_gluon(self):
        return False

    def __init__(
        self,
        fn,
        version=None,
        do_not_specialize=None,
        do_not_specialize_on_alignment=None,
        debug=None,
        noinline=None,
        repr=None,
        launch_metadata=None,
    ):
        do_not_specialize = do_not_specialize or []
        do_not_specialize_on_alignment = do_not_specialize_on_alignment or []
        JITCallable.__init__(self, fn)
        self._read_source()
        self.module = fn.__module__
        self.version = version
        self.do_not_specialize = do_not_specialize
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment
        self._repr = repr
        self.launch_metadata = launch_metadata
        self.params = [
            KernelParam(
                index,
                param,
                index in do_not_specialize or param.name in do_not_specialize,
                index in do_not_specialize_on_alignment or param.name in do_not_specialize_on_alignment,
            )
            for index, param in enumerate(self.signature.parameters.values())
        ]
        self.device_caches = DeviceCaches(self)
        self.kernel = None
        self.debug = debug
        self.noinline = noinline
        self.arg_names = [param.name for param in self.params]
        self.constexprs = [param.num for param in self.params if param.is_constexpr]
        self.pre_run_hooks: list[Callable] = []

    def repr(self, spec):
        """The name of the kernel for one specialisation; may be replaced on the instance."""
        return self._fn_name if self._repr is None else self._repr(spec)

    def create_binder(self):
        """The tables of one device: compiled kernels, their keys, the target, its backend, the binder."""
        from ..compiler import ASTSource, CompiledKernel, compile, make_backend
        from . import driver

        target = driver.active.get_current_target()
        backend = make_backend(target)
        self.CompiledKernel = CompiledKernel
        self.compile = compile
        self.ASTSource = ASTSource
        binder = create_function_from_signature(self.signature, self.params, backend, self.__name__)
        return _ObservedDict(self), {}, target, backend, binder

    def add_pre_run_hook(self, hook):
        """Adds `hook(*args, **kwargs)`, called before every launch and warmup."""
        assert callable(hook)
        self.pre_run_hooks.append(hook)

    def _pack_args(self, backend, kwargs, bound_args, specialization, options):
        """The options object, the signature, the constants and the attributes that a compile needs."""
        options = backend.parse_options(kwargs)
        names = [param.name for param in self.params]
        types = [ty for ty, _ in specialization]
        signature = dict(zip(names, types))
        for name in ("device_type", "device", "stream"):
            assert name not in kwargs, f"{name} option is deprecated; current device and stream are used"
        for name in kwargs:
            if name not in options.__dict__ and name not in names:
                raise KeyError(f"Keyword argument {name} was specified but unrecognised")
        values = list(bound_args.values())
        paths = find_paths_if(types, lambda _, ty: ty == "constexpr")
        constexprs = {path: get_iterable_path(values, path) for path in paths}
        keys = [None if ty == "constexpr" else key for ty, key in specialization]
        attrs = {
            path: backend.parse_attr(get_iterable_path(keys, path))
            for path in find_paths_if(keys, lambda path, key: isinstance(key, str) and path not in constexprs)
        }
        return options, signature, constexprs, attrs

    def run(self, *args, grid, warmup, **kwargs):
        """Launches (or only compiles, with `warmup`) for these arguments; gives the compiled kernel."""
        if warmup:
            return self._run_generally(*args, grid=grid, warmup=True, **kwargs)
        return self._launch(grid, *args, **kwargs)

    def _run_generally(self, *args, grid, warmup, **kwargs):
        """The whole path of a launch: binding, specialisation, lookup, compile, hooks."""
        from . import driver

        kwargs["debug"] = kwargs.get("debug", self.debug) or knobs.runtime.debug
        kwargs["instrumentation_mode"] = knobs.compilation.instrumentation_mode
        device = driver.active.get_current_device()
        stream = driver.active.get_current_stream(device)
        for hook in self.pre_run_hooks:
            hook(*args, **kwargs)
        kernel_cache, kernel_key_cache, target, backend, binder = self.device_caches[device]
        bound_args, specialization, options = binder(*args, **kwargs)
        key = compute_cache_key(kernel_key_cache, specialization, options)
        kernel = kernel_cache.get(key)
        if kernel is None:
            options, signature, constexprs, attrs = self._pack_args(
                backend, kwargs, bound_args, specialization, options
            )
            kernel = self._do_compile(key, signature, device, constexprs, options, attrs, warmup)
            if kernel is None:
                return None
        self._check_globals()
        if not warmup:
            self._launch_kernel(kernel, grid, stream, bound_args)
        return kernel.result() if hasattr(kernel, "result") and not warmup else kernel

    def _check_globals(self):
        absent = object()
        for (name, _), (value, scope) in self.used_global_vals.items():
            current = scope.get(name, absent)
            if current is not value and (current is absent or current != value):
                shown = "<deleted>" if current is absent else current
                raise RuntimeError(
                    f"Global variable {name} has changed since we compiled this kernel, from {value} to {shown}"
                )

    def _launch_kernel(self, kernel, grid, stream, bound_args):
        assert grid is not None, "a launch needs a grid"
        if callable(grid):
            grid = grid(bound_args)
        if not hasattr(grid, "__len__"):
            raise TypeError(f"a grid is a tuple of one to three integers, or a function that gives one, not {grid!r}")
        extents = [grid[index] if index < len(grid) else 1 for index in range(3)]
        if hasattr(kernel, "result"):
            kernel = kernel.result()
        launch_metadata = kernel.launch_metadata(grid, stream, *bound_args.values())
        kernel.run(
            *extents,
            stream,
            kernel.function,
            kernel.packed_metadata,
            launch_metadata,
            knobs.runtime.launch_enter_hook,
            knobs.runtime.launch_exit_hook,
            *bound_args.values(),
        )

    def _do_compile(self, key, signature, device, constexprs, options, attrs, warmup):
        kernel_cache, _, target, backend, _ = self.device_caches[device]
        if self._call_hook(knobs.runtime.jit_cache_hook, key, signature, device, constexprs, options, [attrs], warmup):
            return None
        src = self.ASTSource(self, signature, constexprs, attrs)

        def finalize(kernel):
            kernel_cache[key] = kernel
            self._call_hook(
                knobs.runtime.jit_post_compile_hook, key, signature, device, constexprs, options, [attrs], warmup
            )

        mode = _async_compile.active_mode.get()
        if mode is not None:
            from ..compiler.compiler import get_cache_invalidating_env_vars
            from .cache import get_cache_key

            variables = get_cache_invalidating_env_vars()
            disk_key = get_cache_key(src, backend, options, variables)
            compile_it = partial(self.compile, src, target=target, options=options.__dict__, _env_vars=variables)
            return mode.submit(disk_key, compile_it, finalize)
        kernel = self.compile(src, target=target, options=options.__dict__)
        finalize(kernel)
        return kernel

    # Hooks and preloading.

    def _call_hook(self, hook, key, signature, device, constants, options, configs, is_warmup):
        if not hook:
            return None
        info = JitFunctionInfo(self.fn.__module__, self.fn.__qualname__, self)
        arguments = ", ".join(f"{name}: {ty}" for name, ty in signature.items())
        shown = ("num_warps", "num_ctas", "num_stages", "enable_fp_fusion", "launch_cooperative_grid")
        text = f"{self.fn.__qualname__}[{', '.join(f'{name}={getattr(options, name, None)}' for name in shown)}]({arguments})"
        compile_info = {
            "key": key,
            "signature": signature,
            "device": device,
            "constants": constants,
            **{name: getattr(options, name, None) for name in (*shown, "extern_libs")},
            "configs": configs,
            "specialization_data": serialize_specialization_data(
                get_full_name(self.fn), signature, constants, configs[0], options, key
            ),
            "is_warmup": is_warmup,
        }
        return hook(
            key=key, repr=text, fn=info, compile=compile_info, is_manual_warmup=is_warmup, already_compiled=False
        )

    def preload(self, specialization_data):
        """Compiles what `specialization_data` (from a hook) describes, so that the launch it came from finds it."""
        from ..language import core as tl
        from . import driver

        data = json.loads(specialization_data)
        if data["name"] != self._fn_name:
            raise RuntimeError(f"Specialization data is for {data['name']} but trying to preload for {self._fn_name}")

        def restore(value):
            if isinstance(value, dict) and set(value) == {"constexpr"}:
                return tl.constexpr(restore(value["constexpr"]))
            if isinstance(value, str) and tl.dtype.is_dtype(value):
                return tl.dtype(value)
            return convert_to_tuple_if_list(value)

        keys = map(convert_to_tuple_if_list, data["constant_keys"])
        constexprs = dict(zip(keys, map(restore, data["constant_vals"])))
        attrs = dict(zip(map(convert_to_tuple_if_list, data["attrs_keys"]), data["attrs_vals"]))
        signature = {name: convert_to_tuple_if_list(ty) for name, ty in data["signature"].items()}
        device = driver.active.get_current_device()
        backend = self.device_caches[device][3]
        options = backend.parse_options(
            {name: convert_to_tuple_if_list(value) for name, value in data["options"].items()}
        )
        return self._do_compile(data["key"], signature, device, constexprs, options, attrs, warmup=True)

    # Python's protocols.

    def __call__(self, *args, **kwargs):
        raise RuntimeError("Cannot call @triton.jit'd outside of the scope of a kernel")

    def __getstate__(self):
        return {
            name: value
            for name, value in self.__dict__.items()
            if name not in ("device_caches", "compile", "ASTSource", "CompiledKernel")
        }

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.device_caches = DeviceCaches(self)

    def __repr__(self):
        return f"JITFunction({self.module}:{self.__qualname__})"


def serialize_specialization_data(name, signature, constants, attrs, options, key):
    """One specialisation as JSON text, for `JITFunction.preload`."""
    from ..language import core as tl

    def plain(value):
        if isinstance(value, tl.constexpr):
            return {"constexpr": plain(value.value)}
        return str(value) if isinstance(value, tl.dtype) else value

    data = {
        "name": name,
        "signature": signature,
        "constant_keys": list(map(list, constants.keys())),
        "constant_vals": [plain(value) for value in constants.values()],
        "attrs_keys": list(map(list, attrs.keys())),
        "attrs_vals": list(attrs.values()),
        "options": options.__dict__,
        "key": key,
    }
    return json.dumps(data, default=str)


def jit(
    fn: Optional[T] = None,
    *,
    version=None,
    repr: Optional[Callable] = None,
    launch_metadata: Optional[Callable] = None,
    do_not_specialize: Optional[Iterable[Union[int, str]]] = None,
    do_not_specialize_on_alignment: Optional[Iterable[Union[int, str]]] = None,
    debug: Optional[bool] = None,
    noinline: Optional[bool] = None,
):
    """Decorator: compiles a function with Triton. Usable bare or with arguments.

    Arguments with `data_ptr()` and `dtype`, numpy arrays and DLPack producers become pointers. The function may use Python's basics, what
    `triton.language` offers, its arguments, and other jitted functions.
    """

    def decorator(function):
        assert callable(function), f"triton.jit decorates functions, not {function!r}"
        kind = JITFunction
        if knobs.runtime.interpret:
            from .interpreter import InterpretedFunction as kind
        elif knobs.runtime.sanitize:
            from .sanitizer import SanitizedFunction as kind
        return kind(
            function,
            version=version,
            do_not_specialize=do_not_specialize,
            do_not_specialize_on_alignment=do_not_specialize_on_alignment,
            debug=debug,
            noinline=noinline,
            repr=repr,
            launch_metadata=launch_metadata,
        )

    return decorator(fn) if fn is not None else decorator


class ConstexprFunction(JITCallable):
    """A Python function of compile-time values, for kernels and for Python."""

    def __getattr__(self, name):
        # The source is only needed for keys.
        if name in ("raw_src", "starting_line_number", "_src", "_lines_before_def"):
            self._read_source()
            return self.__dict__[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __get__(self, instance, owner):
        return self if instance is None else BoundConstexprFunction(instance, self)

    def __call__(self, *args, _semantic=None, **kwargs):
        from ..language.core import _unwrap_if_constexpr, constexpr

        args = [_unwrap_if_constexpr(value) for value in args]
        kwargs = {name: _unwrap_if_constexpr(value) for name, value in kwargs.items()}
        result = self.fn(*args, **kwargs)
        return result if _semantic is None else constexpr(result)


class BoundConstexprFunction:
    """A constexpr function as a method."""

    def __init__(self, instance, fn):
        self.__self__ = instance
        self.__func__ = fn

    def __call__(self, *args, **kwargs):
        return self.__func__(self.__self__, *args, **kwargs)


def constexpr_function(fn):
    """Decorator: makes a Python function callable in kernels, on compile-time values."""
    return ConstexprFunction(fn)


def get_jit_fn_file_line(fn):
    """(file, line of `def`) of a jitted function, decorators around it taken off."""
    while not isinstance(fn, JITCallable):
        fn = fn.fn
    file, line, _ = fn._source_place
    return file, line
