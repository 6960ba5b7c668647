"""Sessions: from `start` to the file that `finalize` writes."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from dataclasses import dataclass
from typing import Optional, Union

from .. import knobs
from .._C.libtriton import profiler as native
from ..runtime.driver import driver
from .flags import flags
from .hooks import Hook, HookManager, InstrumentationHook, LaunchHook
from .hooks.hook import check_chains
from .mode import BaseMode, InstrumentationMode, interpret_mode

DEFAULT_PROFILE_NAME = "proton"
# By the kind of data: the formats it can be written in, the usual one first. They are the files' suffixes, too.
_FORMATS = {"tree": ("hatchet", "hatchet_msgpack"), "trace": ("chrome_trace",)}
_BACKENDS = {"cuda": "cupti", "cpu": "cpu"}  # by the target of the active driver

native.hide_folder(os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep)


@dataclass
class _Session:
    name: str
    data: str
    is_periodic: bool = False  # each phase is written when it ends
    format: Optional[str] = None  # in which; None: the usual one
    phase: int = 0

    def path(self, format: str) -> str:
        part = f".part_{self.phase}" if self.is_periodic else ""
        return f"{self.name}{part}.{format}"

    def choose_format(self, given: Optional[str]) -> str:
        known = _FORMATS[self.data]
        if given and given not in known:
            raise ValueError(
                f"format {given!r} is not available; data={self.data!r} is written as {' or '.join(map(repr, known))}"
            )
        return given or self.format or known[0]


_sessions: dict[int, _Session] = {}
_of_command_line: Optional[int] = (
    None  # the session of the program `proton`, under which a script neither starts nor ends one
)


def _cupti_libraries() -> list[str]:
    """Where CUPTI may be: first the place the user names, then NVIDIA's Python packages and an installed toolkit."""
    names = ("libcupti.so.13", "libcupti.so.12", "libcupti.so")
    folders = [knobs.proton.cupti_lib_dir]
    for root in sys.path:
        folders += [os.path.join(root, "nvidia", package, "lib") for package in ("cu13", "cuda_cupti")]
    for root in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        if root:
            folders += [os.path.join(root, "extras", "CUPTI", "lib64"), os.path.join(root, "lib64")]
    found = [path for folder in folders for name in names if os.path.isfile(path := os.path.join(folder, name))]
    # The first of the list is taken before a library that is loaded already: only if the user asked for it.
    is_asked_for = found and os.path.dirname(found[0]) == folders[0]
    return found if is_asked_for else ["", *found]


_NVTX = "NVTX_INJECTION64_PATH"  # the library that hears of NVTX's ranges; read when a program first marks one
_has_set_nvtx = False


def _follow_nvtx() -> None:
    """Ranges of NVTX (torch.cuda.nvtx.range) become scopes."""
    global _has_set_nvtx
    if _NVTX not in os.environ:
        os.environ[_NVTX] = native.cupti_library()
        _has_set_nvtx = True


def _leave_nvtx() -> None:
    """Processes started later have nothing to do with our sessions."""
    global _has_set_nvtx
    if _has_set_nvtx and not _sessions:
        os.environ.pop(_NVTX, None)
        _has_set_nvtx = False


def _select_backend() -> str:
    """Who measures kernels of the active driver: "cupti" or "cpu", which runs those of simulated GPUs, too."""
    if knobs.runtime.simulate:
        return "cpu"
    target = driver.active.get_current_target().backend
    if target not in _BACKENDS:
        raise ValueError(f"the profiler measures kernels on NVIDIA GPUs and on the CPU, not on {target!r}")
    return _BACKENDS[target]


def _check_backend(backend: str) -> None:
    if backend not in (*_BACKENDS.values(), "instrumentation"):
        raise ValueError(
            f"backend {backend!r} is not available; expected 'cupti' (NVIDIA GPUs), 'cpu' or 'instrumentation'"
        )


def _get_mode_str(backend: str, mode: Union[str, BaseMode, None]) -> str:
    """A mode as a text: its name, and its options behind colons."""
    if backend == "instrumentation":
        return str(interpret_mode(mode))
    text = str(mode) if mode else ""
    name, *options = text.split(":")
    given = dict(option.partition("=")[::2] for option in options)
    known = {"": (), "periodic_flushing": ("format",)}
    if name not in known:
        raise ValueError(f"mode {name!r} is not available: {backend} measures whole kernels")
    for option in given:
        if option not in known[name]:
            raise ValueError(f"mode {name!r} has no option {option!r}")
    return text


def _hook_of(hook: Union[str, Hook, None]) -> Optional[Hook]:
    if hook is None or isinstance(hook, Hook):
        return hook
    if hook not in ("", "triton"):
        raise ValueError(f"hook {hook!r} is not available; expected 'triton' or None")
    return LaunchHook() if hook else None


def start(
    name: Optional[str] = None,
    *,
    context: Optional[str] = "shadow",
    data: Optional[str] = "tree",
    backend: Optional[str] = None,
    mode: Union[str, BaseMode, None] = None,
    hook: Union[str, Hook, None] = None,
) -> Optional[int]:
    """Starts a session and gives its number; None if TRITON_PROTON_DISABLE is set.

    name: of the file that `finalize` writes, without its suffix ("proton")
    context: what kernels are sorted by: "shadow", the scopes of the program, or "python", its functions and their lines as well
    data: "tree", sums by context, or "trace", a time line of every kernel
    backend: who measures: "cupti" for all kernels on NVIDIA GPUs, "cpu" for Triton kernels on the CPU, "instrumentation" for the scopes inside
        kernels (`triton.profiler.language`); None: as the active driver
    mode: how: "periodic_flushing[:format=…]" to write each phase when it ends; of "instrumentation" see `triton.profiler.mode`
    hook: "triton" shows launches with the names and metrics of their `launch_metadata`; or a Hook

    Starting a session again that is there activates it.
    """
    if knobs.proton.disable:
        return None
    if _of_command_line is not None:
        activate(_of_command_line)
        return _of_command_line
    name = DEFAULT_PROFILE_NAME if name is None else str(name)
    context, data = context or "shadow", data or "tree"
    if context not in ("shadow", "python"):
        raise ValueError(f"context {context!r} is not available; expected 'shadow' or 'python'")
    if data not in _FORMATS:
        raise ValueError(f"data {data!r} is not available; expected 'tree' or 'trace'")
    launch_hook = _hook_of(hook)
    backend = backend or _select_backend()
    _check_backend(backend)
    mode_text = _get_mode_str(backend, mode)
    hooks = [launch_hook] if launch_hook else []
    if backend == "instrumentation":
        hooks.append(InstrumentationHook(mode if isinstance(mode, InstrumentationMode) else mode_text))
    if hooks:
        check_chains()
    is_cupti = backend == "cupti"
    libraries = _cupti_libraries() if is_cupti else []
    has_operations = isinstance(launch_hook, LaunchHook)
    session = native.start(name, backend, mode_text, context == "python", has_operations, data == "trace", libraries)
    if session not in _sessions:
        is_periodic, _, format = mode_text.partition(":format=")
        _sessions[session] = _Session(name, data, is_periodic == "periodic_flushing", format or None)
    flags.profiling_on = True
    if is_cupti and knobs.proton.enable_nvtx:
        _follow_nvtx()
    known = HookManager.session_hooks.get(session)
    for wanted in hooks if known is None else []:
        HookManager.register(wanted, session)
    HookManager.activate(session)
    return session


def activate(session: Optional[int] = None) -> None:
    """Measures again, after `deactivate`. Without a session: all of them."""
    for number in native.sessions() if session is None else [session]:
        native.set_active(number, True)
        HookManager.activate(number)


def deactivate(session: Optional[int] = None, flushing: bool = False) -> None:
    """What is launched from now on is not measured. Without a session: in none of them. `flushing` waits for what was launched before."""
    for number in native.sessions() if session is None else [session]:
        HookManager.deactivate(number)
        native.set_active(number, False)
        if flushing:
            native.flush(number)


def finalize(session: Optional[int] = None, output_format: Optional[str] = "") -> None:
    """Waits for the kernels that were launched, writes the file and ends the session. Without a session: all of them.

    output_format: "hatchet" or "hatchet_msgpack" for a tree, "chrome_trace" for a trace
    """
    if _of_command_line is None:
        _finish(session, output_format)


def _finish(session: Optional[int], output_format: Optional[str] = "") -> None:
    for number in list(_sessions) if session is None else [session]:
        if number not in _sessions:
            native.set_active(number, False)  # says so where there is none
            raise ValueError(f"session {number} was not started by `start`")
        known = _sessions[number]
        format = known.choose_format(output_format)
        HookManager.unregister(number)
        del _sessions[number]
        flags.profiling_on = bool(_sessions)
        _leave_nvtx()
        native.finish(number, known.path(format), format)


@contextlib.contextmanager
def _session_of_command_line(name: str, **options):
    """A session around a whole program, which neither starts nor ends others."""
    global _of_command_line
    number = start(name, **options)
    _of_command_line, flags.command_line = number, True
    try:
        yield
    finally:
        _of_command_line, flags.command_line = None, False
        if number is not None:
            _finish(number)


def _advance_phase(session: int) -> int:
    known = _sessions.get(session)
    if known and known.is_periodic:
        format = known.choose_format(None)
        native.advance_phase(session)
        native.flush(session)
        with open(known.path(format), "wb") as file:
            file.write(native.data(session, known.phase, format))
        native.clear(session, known.phase, False)
        known.phase += 1
        return known.phase
    return native.advance_phase(session)


def profile(func=None, *, name=None, context="shadow", data="tree", backend=None, mode=None, hook=None):
    """A decorator: a session, with the options of `start`, measures while the function runs. `finalize` writes its file."""
    if func is None:
        return functools.partial(profile, name=name, context=context, data=data, backend=backend, mode=mode, hook=hook)

    @functools.wraps(func)
    def within(*args, **kwargs):
        session = start(name, context=context, data=data, backend=backend, mode=mode, hook=hook)
        try:
            return func(*args, **kwargs)
        finally:
            if session is not None:
                deactivate(session)

    return within
