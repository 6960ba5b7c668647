"""Sessions and scopes by numbers: what `triton.profiler` is made of, for programs that call it themselves."""

from __future__ import annotations

import ctypes
import itertools
import json

from ...profiler.profile import _cupti_libraries
from ..libtriton import profiler as _native

metric_type_int64_index, metric_type_double_index = 0, 1

_numbers = itertools.count(1 << 40)  # those of `triton.profiler` are smaller
_names: dict[int, str] = {}
_paths: dict[int, str] = {}
_marks: list[str] = []


def start(path: str, contextSourceName: str, dataName: str, profilerName: str, mode: str = "") -> int:
    """Starts a session, which writes `path` with the suffix of the format; gives its number."""
    libraries = _cupti_libraries() if profilerName == "cupti" else []
    is_python, is_trace = contextSourceName == "python", dataName == "trace"
    session = _native.start(path, profilerName, mode, is_python, True, is_trace, libraries)
    _paths[session] = path
    return session


def activate(session: int) -> None:
    _native.set_active(session, True)


def activate_all() -> None:
    for session in _native.sessions():
        activate(session)


def deactivate(session: int, flushing: bool = False) -> None:
    _native.set_active(session, False)
    if flushing:
        _native.flush(session)


def deactivate_all(flushing: bool = False) -> None:
    for session in _native.sessions():
        deactivate(session, flushing)


def finalize(session: int, outputFormat: str) -> None:
    """Writes the session's file and ends it."""
    path = _paths.pop(session, f"session{session}")
    _native.finish(session, f"{path}.{outputFormat}", outputFormat)


def finalize_all(outputFormat: str) -> None:
    for session in list(_paths):
        finalize(session, outputFormat)


def record_scope() -> int:
    """A number for a scope or an operation."""
    return next(_numbers)


def enter_scope(scopeId: int, name: str) -> None:
    _native.enter(name, None, False, scopeId)


def exit_scope(scopeId: int, name: str) -> None:
    _native.leave(name, None)


def enter_op(scopeId: int, name: str) -> None:
    _native.enter_operation(name, None, scopeId)


def exit_op(scopeId: int, name: str) -> None:
    _native.leave_operation()


def init_function_metadata(functionId: int, functionName: str, scopeIdNames, scopeIdParents, metadataPath: str) -> None:
    """Names the scopes that a kernel notes: pairs of numbers and names."""
    _functions[functionId] = (functionName, dict(scopeIdNames), dict(scopeIdParents), metadataPath)


_functions: dict[int, tuple] = {}


def destroy_function_metadata(functionId: int) -> None:
    _functions.pop(functionId, None)


def enter_instrumented_op(streamId: int, functionId: int, buffer: int, size: int) -> None:
    """A launch of a kernel that notes its scopes begins: `buffer` is memory of the host, of zeros."""
    _noting[streamId] = functionId


_noting: dict[int, int] = {}


def exit_instrumented_op(streamId: int, functionId: int, buffer: int, size: int) -> None:
    """The launch is over, and what the kernel noted lies in the buffer; where there is none, it noted nothing."""
    _noting.pop(streamId, None)
    name, scopes, _, path = _functions.get(functionId, ("", {}, {}, ""))
    if not buffer or not size or not path:
        return
    with open(path) as file:
        kernel = json.load(file)
    names = [scopes[number] for number in sorted(scopes)] or kernel["record_scopes"]
    _native.add_records(
        name, names, kernel["profile_scratch_size"], kernel["record_warps"], kernel["record_clock32"], 1.0, buffer, size
    )


def enter_state(name: str) -> None:
    _marks.append(_native.set_mark(name))


def exit_state() -> None:
    _native.set_mark(_marks.pop() if _marks else "")


def add_metrics(scopeId: int, metrics, tensorMetrics=None) -> None:
    """To a scope that this thread is in. Those of `tensorMetrics`, {name: TensorMetric}, are read now."""
    read = {name: metric._read() for name, metric in (tensorMetrics or {}).items()}
    _native.add_metrics(scopeId, {**metrics, **read})


def get_context_depth(session: int) -> int:
    return _native.depth(session)


def get_data(session: int, phase: int = 0) -> str:
    return _native.data(session, phase, "hatchet").decode()


def get_data_msgpack(session: int, phase: int = 0) -> bytes:
    return _native.data(session, phase, "hatchet_msgpack")


def advance_data_phase(session: int) -> int:
    return _native.advance_phase(session)


def is_data_phase_complete(session: int, phase: int) -> bool:
    return _native.is_phase_complete(session, phase)


def clear_data(session: int, phase: int = 0, clearUpToPhase: bool = False) -> None:
    _native.clear(session, phase, clearUpToPhase)


class TensorMetric:
    """A metric in memory of the host or a GPU: its address, its type, and how many numbers there are."""

    def __init__(self, ptr: int, index: int, size: int = 1):
        if index not in _metric_types:
            raise ValueError(f"the type of a metric is {' or '.join(map(str, _metric_types))}, not {index}")
        if size < 1:
            raise ValueError(f"a metric has at least one number, not {size}")
        self.ptr, self.index, self.size = ptr, index, size

    def _read(self):
        numbers = _metric_types[self.index] * self.size
        numbers = numbers.from_buffer_copy(_native.read_memory(self.ptr, ctypes.sizeof(numbers)))
        return numbers[0] if self.size == 1 else list(numbers)


_metric_types = {metric_type_int64_index: ctypes.c_int64, metric_type_double_index: ctypes.c_double}


def set_metric_kernels(
    tensorMetricKernel: int,
    scalarMetricKernel: int,
    stream: int,
    tensorMetricKernelNumThreads: int = 1,
    tensorMetricKernelSharedMemBytes: int = 0,
    scalarMetricKernelNumThreads: int = 1,
    scalarMetricKernelSharedMemBytes: int = 0,
) -> None:
    """Kernels that would copy metrics on the device. Here metrics are read when they are given, so that none are needed."""
