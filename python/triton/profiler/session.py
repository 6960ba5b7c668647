"""Sessions: from `start` to the file that `finalize` writes."""

from __future__ import annotations

import functools
import os
import sys
from typing import Optional

from .. import knobs
from .._C.libtriton import profiler as native
from ..runtime.driver import driver
from . import hook as launch_hook

DEFAULT_PROFILE_NAME = "proton"
_FORMATS = {"tree": "hatchet", "trace": "chrome_trace"}  # by the kind of data: the suffix of the file
_BACKENDS = {"cuda": "cupti", "cpu": "cpu"}  # by the target of the active driver

native.hide_folder(os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep)


class _Session:
    def __init__(self, name: str, data: str, has_hook: bool):
        self.path = f"{name}.{_FORMATS[data]}"
        self.data = data
        self.has_hook = has_hook


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


def _choose_backend(backend: Optional[str], mode: Optional[str]) -> str:
    if backend is None:
        target = driver.active.get_current_target().backend
        if target not in _BACKENDS:
            raise ValueError(f"the profiler measures kernels on NVIDIA GPUs and on the CPU, not on {target!r}")
        backend = _BACKENDS[target]
    if backend not in _BACKENDS.values():
        raise ValueError(f"backend {backend!r} is not available; expected 'cupti' (NVIDIA GPUs) or 'cpu'")
    if mode:
        raise ValueError(f"mode {mode!r} is not available: {backend} measures whole kernels")
    return backend


def start(
    name: Optional[str] = None,
    *,
    context: Optional[str] = "shadow",
    data: Optional[str] = "tree",
    backend: Optional[str] = None,
    mode: Optional[str] = None,
    hook: Optional[str] = None,
) -> Optional[int]:
    """Starts a session and gives its number; None if TRITON_PROTON_DISABLE is set.

    name: of the file that `finalize` writes, without its suffix ("proton")
    context: what kernels are sorted by: "shadow", the scopes of the program, or "python", its functions and their lines as well
    data: "tree", sums by context, or "trace", a time line of every kernel and scope
    backend: who measures: "cupti" for all kernels on NVIDIA GPUs, "cpu" for Triton kernels on the CPU; None: as the active driver
    hook: "triton" shows launches with the names and metrics of their `launch_metadata`

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
    if hook not in (None, "", "triton"):
        raise ValueError(f"hook {hook!r} is not available; expected 'triton' or None")
    if hook:
        launch_hook.check()
    is_cupti = _choose_backend(backend, mode) == "cupti"
    libraries = _cupti_libraries() if is_cupti else []
    session = native.start(name, is_cupti, context == "python", bool(hook), data == "trace", libraries)
    _sessions[session] = _Session(name, data, bool(hook))
    if is_cupti and knobs.proton.enable_nvtx:
        _follow_nvtx()
    if hook:
        launch_hook.follow(session, True)
    return session


def _set_active(session: Optional[int], is_active: bool) -> None:
    for number in native.sessions() if session is None else [session]:
        native.set_active(number, is_active)
        if _sessions[number].has_hook:
            launch_hook.follow(number, is_active)


def activate(session: Optional[int] = None) -> None:
    """Measures again, after `deactivate`. Without a session: all of them."""
    _set_active(session, True)


def deactivate(session: Optional[int] = None) -> None:
    """What is launched from now on is not measured. Without a session: in none of them."""
    _set_active(session, False)


def finalize(session: Optional[int] = None, output_format: Optional[str] = None) -> None:
    """Waits for the kernels that were launched, writes the file and ends the session. Without a session: all of them.

    output_format: "hatchet" for a tree, "chrome_trace" for a trace, which are the defaults.
    """
    if _of_command_line is None:
        _finish(session, output_format)


def _finish(session: Optional[int], output_format: Optional[str] = None) -> None:
    for number in native.sessions() if session is None else [session]:
        if number not in _sessions:
            raise ValueError(f"there is no session {number}: it was never started, or is finalized")
        known = _sessions[number]
        if output_format and output_format != _FORMATS[known.data]:
            raise ValueError(
                f"format {output_format!r} is not available; data={known.data!r} is written as {_FORMATS[known.data]!r}"
            )
        del _sessions[number]
        if known.has_hook:
            launch_hook.follow(number, False)
        _leave_nvtx()
        native.finish(number, known.path)


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
