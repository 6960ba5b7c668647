"""`triton.jit`: Python functions that are compiled and launched as kernels."""

from __future__ import annotations

import sys
import weakref
from dataclasses import dataclass
from functools import partial
from typing import Callable, Generic, Iterable, Optional, TypeVar, Union

from .. import compiler, knobs
from .._C.libtriton import KernelBase, native_specialize_impl, plain_constant, read_grid
from .._utils import did_you_mean, find_paths_if, get_iterable_path, type_canonicalisation_dict  # noqa: F401
from ..backends import BaseBackend
from ..language.callables import (  # noqa: F401  (clients take all of these from here)
    BoundConstexprFunction,
    ConstexprFunction,
    JITCallable,
    _hash_lock,
    constexpr_function,
    get_full_name,
    get_jit_fn_file_line,
)
from ..language.dependencies import DependenciesFinder  # noqa: F401
from . import _async_compile, recompiles
from .cache import get_cache_key  # noqa: F401
from .driver import driver
from .kernel_caches import DeviceCaches, KernelCache, compute_cache_key
from .kernel_caches import _replace_objects as _replace_jit_callables  # noqa: F401  (clients take it from here)
from .mock import MockTensor, TensorWrapper, reinterpret  # noqa: F401
from .parameters import KernelParam, _normalize_ty, create_function_from_signature, make_parameters  # noqa: F401
from .specialization_data import read_specialization_data, serialize_specialization_data

TRITON_MODULE = "triton.language"
GLUON_MODULE = "triton.experimental.gluon.language"

T = TypeVar("T")


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

    __iter__ = __contains__ = None  # every grid is an index: going through them would never end


@dataclass
class JitFunctionInfo:
    """What hooks are told about a function."""

    module: str
    name: str
    jit_function: JITFunction


# Stages that a hook changes make other kernels: launches do not go on with those they have seen.
# By identity: the hash of a function is that of its source, and what that mentions may not be there yet.
_functions: weakref.WeakValueDictionary = weakref.WeakValueDictionary()
knobs.pipeline_watchers.append(lambda: [function._forget_launches() for function in list(_functions.values())])


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
        self.params = make_parameters(
            fn, self.signature, do_not_specialize=do_not_specialize, do_not_specialize_on_alignment=do_not_specialize_on_alignment
        )  # fmt: skip
        self.device_caches = DeviceCaches(self)
        self.kernel = None
        self.debug = debug
        self.noinline = noinline
        self.arg_names = [param.name for param in self.params]
        self.constexprs = [param.num for param in self.params if param.is_constexpr]
        self.pre_run_hooks: list[Callable] = []
        _functions[id(self)] = self

    def repr(self, spec):
        """The name of the kernel for one specialisation; may be replaced on the instance."""
        return self._fn_name if self._repr is None else self._repr(spec)

    def create_binder(self):
        """The tables of one device: compiled kernels, their keys, the target, its backend, the binder."""
        target = driver.active.get_current_target()
        backend = compiler.make_backend(target)
        self.CompiledKernel = compiler.CompiledKernel
        self.compile = compiler.compile
        self.ASTSource = compiler.ASTSource
        binder = create_function_from_signature(self.signature, self.params, backend, self.__name__)
        return KernelCache(self), {}, target, backend, binder

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
                suggestion = did_you_mean(name, [*options.__dict__, *names])
                raise KeyError(f"Keyword argument {name} was specified but unrecognised{suggestion}")
        values = list(bound_args.values())
        paths = find_paths_if(types, lambda _, ty: ty == "constexpr")
        constexprs = {path: plain_constant(get_iterable_path(values, path)) for path in paths}
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
        kwargs["debug"] = kwargs.get("debug", self.debug) or knobs.runtime.debug
        kwargs["instrumentation_mode"] = knobs.compilation.instrumentation_mode
        device = driver.active.get_current_device()
        stream = driver.active.get_current_stream(device)
        for hook in self.pre_run_hooks:
            hook(*args, **kwargs)
        kernel_cache, kernel_key_cache, target, backend, binder = self.device_caches[device]
        bound_args, specialization, options = binder(*args, **kwargs)
        key = compute_cache_key(kernel_key_cache, specialization, options) + compiler.compiler.pipeline_key()[0]
        for group, name in backend.code_knobs:
            key += f"-{name}={getattr(group, name)}"
        kernel = self._still_right(kernel_cache.get(key))
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

    def _still_right(self, kernel):
        """The kernel, or None if the program would now answer otherwise than when it was compiled. Variables that have changed are an error."""
        answers = getattr(kernel, "answers", None)
        change = answers.find_change(kernel.src.all_constants()) if answers is not None else None
        if change is None:
            return kernel
        expression, before, now, is_variable = change
        if is_variable:
            raise RuntimeError(
                f"Global variable {expression} has changed since we compiled this kernel, from {before} to {now}"
            )
        return None

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
        if callable(grid):
            grid = grid(dict(bound_args))
        extents = read_grid(grid)
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
        described = key, signature, target, device, constexprs, options, [attrs], warmup
        if self._call_hook(knobs.runtime.jit_cache_hook, *described):
            return None
        src = self.ASTSource(self, signature, constexprs, attrs)
        if recompiles.is_asked():
            recompiles.tell(self, kernel_cache, key, src, options)

        def finalize(kernel):
            kernel_cache[key] = kernel
            self._call_hook(knobs.runtime.jit_post_compile_hook, *described)

        mode = _async_compile.active_mode.get()
        if mode is not None:
            variables = compiler.compiler.get_cache_invalidating_env_vars()
            disk_key = get_cache_key(src, backend, options, variables)
            compile_it = partial(self.compile, src, target=target, options=options.__dict__, _env_vars=variables)
            return mode.submit(disk_key, compile_it, finalize, lambda: kernel_cache.pop(key, None))
        kernel = self.compile(src, target=target, options=options.__dict__)
        finalize(kernel)
        return kernel

    # Hooks and preloading.

    def _call_hook(self, hook, key, signature, target, device, constants, options, configs, is_warmup):
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
                get_full_name(self.fn), signature, constants, configs[0], options, key, target
            ),
            "is_warmup": is_warmup,
        }
        return hook(
            key=key, repr=text, fn=info, compile=compile_info, is_manual_warmup=is_warmup, already_compiled=False
        )

    def preload(self, specialization_data):
        """Compiles what `specialization_data` (from a hook) describes, so that the launch it came from finds it."""
        device = driver.active.get_current_device()
        data = read_specialization_data(specialization_data, self._fn_name, self.device_caches[device][3])
        key, signature, constexprs, options, attrs = data
        return self._do_compile(key, signature, device, constexprs, options, attrs, warmup=True)

    # Python's protocols.

    def __call__(self, *args, **kwargs):
        raise RuntimeError("Cannot call @triton.jit'd outside of the scope of a kernel")

    def __getstate__(self):
        return {
            name: value
            for name, value in self.__dict__.items()
            if name not in ("device_caches", "compile", "ASTSource", "CompiledKernel", "_hash_lock")
        }

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._hash_lock = _hash_lock
        self.device_caches = DeviceCaches(self)

    def __copy__(self):
        made = type(self).__new__(type(self))
        made.__setstate__(self.__getstate__())
        return made

    def __deepcopy__(self, memo):
        return self.__copy__()

    def __reduce_ex__(self, protocol):
        """Pickled by its name, as functions are, where that leads here."""
        found = sys.modules.get(self.__module__)
        for name in self.__qualname__.split("."):
            found = getattr(found, name, None)
        return self.__qualname__ if found is self else super().__reduce_ex__(protocol)

    def __repr__(self):
        return f"JITFunction({self.module}:{self.__qualname__})"


def jit_decorator(kind, name, documentation, module):
    """The decorator that is called `name`, usable bare or with arguments: it makes objects of the class that `kind()` says."""

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
        def decorator(function):
            return kind()(
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

    jit.__qualname__, jit.__module__, jit.__doc__ = "jit", module, documentation
    return jit


def _kind_of_function():
    if knobs.runtime.interpret:
        from .interpreter import InterpretedFunction

        return InterpretedFunction
    if knobs.runtime.sanitize:
        from .sanitizer import SanitizedFunction

        return SanitizedFunction
    return JITFunction


jit = jit_decorator(
    _kind_of_function,
    "triton.jit",
    """Decorator: compiles a function with Triton. Usable bare or with arguments.

    Arguments with `data_ptr()` and `dtype`, numpy arrays and DLPack producers become pointers. The function may use Python's basics, what
    `triton.language` offers, its arguments, and other jitted functions.
    """,
    __name__,
)


def convert_to_tuple_if_list(item):
    """A list as a tuple, and lists inside it likewise: what keys can hold."""
    return tuple(convert_to_tuple_if_list(each) for each in item) if isinstance(item, list) else item
