"""`backend="instrumentation"`: kernels note when they enter and leave their scopes, and the profiler reads it behind each launch."""

from __future__ import annotations

import json
from typing import Any, Dict, Optional, Union

from ... import knobs
from ..._C.libtriton import profiler as native
from ...compiler import LazyDict
from ...runtime._allocation import set_profile_allocator
from ...runtime.driver import driver
from ..flags import flags
from ..mode import GRANULARITY, SAMPLING_STRATEGY, InstrumentationMode, Optimize, interpret_mode
from .hook import Hook

VERSION = 1  # of what `host_buffer` begins with

_WARPS_PER_UNIT = {
    GRANULARITY.WARP: 1, GRANULARITY.WARP_2: 2, GRANULARITY.WARP_4: 4, GRANULARITY.WARP_8: 8, GRANULARITY.CTA: 128,
    GRANULARITY.WARP_GROUP: 4, GRANULARITY.WARP_GROUP_2: 8, GRANULARITY.WARP_GROUP_4: 16, GRANULARITY.WARP_GROUP_8: 32,
}  # fmt: skip


def _compiler_mode(mode: InstrumentationMode) -> str:
    """The mode as the compiler takes it."""
    options = [f"buffer_size={mode.buffer_size}", f"warps_per_unit={_WARPS_PER_UNIT[mode.granularity]}"]
    if mode.sampling_strategy is SAMPLING_STRATEGY.SELECTIVE and mode.sampling_options:
        options.append("warps=" + "+".join(part.strip() for part in mode.sampling_options.split(",")))
    if Optimize.CLOCK32 in mode.optimizations:
        options.append("clock32=1")
    return ":".join(["proton", *options])


class Instrumentation:
    """Passes that a backend is to run besides its own, as its `instrumentation`: functions of a pass manager, by the point they run at."""

    def __init__(self, ir_map: Dict[str, Any]):
        self.manager = dict(ir_map)

    def register(self, ir: str, func):
        if ir in self.manager:
            raise RuntimeError(f"the point '{ir}' has its passes already")
        self.manager[ir] = func

    def patch(self, ir: str, pm, context):
        if ir in self.manager:
            self.manager[ir](pm)

    def load_dialects(self, ctx):
        """Every context has the dialects of the native compiler."""


class _Kernel:
    """What a loaded kernel notes."""

    def __init__(self, description: dict):
        self.slice_bytes = description.get("profile_scratch_size", 0)
        self.scopes = description.get("record_scopes", [])
        self.warps = description.get("record_warps", [])
        self.is_32_bit = description.get("record_clock32", False)
        self.name = description["name"]


class CudaAllocator:
    """Gives launches the buffer that their kernel's notes go to: all zeros, on the device."""

    def __init__(self, instrumentation_hook):
        self.instrumentation_hook = instrumentation_hook

    def __call__(self, size: int, alignment: int, stream: Optional[int]):
        import torch

        size = -(-size // alignment) * alignment
        buffer = torch.zeros((size,), dtype=torch.uint8, device="cuda")
        self.instrumentation_hook.buffer = buffer
        return buffer


class InstrumentationHook(Hook):
    """One mode at a time. `host_buffer` is what the last launch noted, for those who want to look at it, if `enable_host_buffer` is set."""

    priority: int = 0
    active_count: int = 0
    enable_host_buffer: bool = False
    host_buffer: Optional[Any] = None
    profile_buffer_size: int = 1
    profile_buffer_alignment: int = 128
    _kernels: Dict[Any, _Kernel] = {}  # by the handle of their code

    def __init__(self, mode_obj: Union[None, str, InstrumentationMode]):
        self.mode = interpret_mode(mode_obj)
        self.buffer = None
        self._mode_before = ""

    # Sessions of one mode share what their launches note.
    def __eq__(self, other):
        return isinstance(other, InstrumentationHook) and str(self.mode) == str(other.mode)

    def __hash__(self):
        return hash(str(self.mode))

    def activate(self):
        if InstrumentationHook.active_count > 0:
            raise RuntimeError("Only one instance of the instrumentation hook can be active at a time.")
        InstrumentationHook.active_count += 1
        flags.instrumentation_on = True
        self._mode_before = knobs.compilation.instrumentation_mode
        modes = [mode for mode in (self._mode_before, _compiler_mode(self.mode)) if mode]
        knobs.compilation.instrumentation_mode = ",".join(modes)
        set_profile_allocator(CudaAllocator(self))

    def deactivate(self):
        if InstrumentationHook.active_count == 0:
            return
        InstrumentationHook.active_count -= 1
        flags.instrumentation_on = False
        knobs.compilation.instrumentation_mode = self._mode_before
        set_profile_allocator(None)
        self.buffer = None
        if not InstrumentationHook.enable_host_buffer:
            InstrumentationHook.host_buffer = None

    def init_handle(self, module: Any, function: Any, name: str, metadata_group: Dict[str, str], hash: str) -> None:
        path = next((path for path in metadata_group.values() if str(path).endswith(".json")), None)
        if function is None or path is None:
            return
        with open(path) as file:
            kernel = _Kernel(json.load(file))
        if kernel.slice_bytes:
            self._kernels[function] = kernel

    def destroy_handle(self, module: Any, function: Any, name: str, metadata_group: Dict[str, str], hash: str) -> None:
        self._kernels.pop(function, None)

    def _data_ptr(self) -> int:
        return 0 if self.buffer is None else self.buffer.data_ptr()

    def enter(self, metadata: LazyDict) -> None:
        self.buffer = None

    def exit(self, metadata: LazyDict) -> None:
        kernel = self._kernels.get(metadata.data["function"])
        if kernel is None or self.buffer is None:
            return
        noted = self.buffer.cpu()  # waits for the kernel
        self.buffer = None
        noted = noted[: noted.numel() // kernel.slice_bytes * kernel.slice_bytes]
        if InstrumentationHook.enable_host_buffer:
            InstrumentationHook.host_buffer = _with_header(kernel, noted)
        native.add_records(
            kernel.name, kernel.scopes, kernel.slice_bytes, kernel.warps, kernel.is_32_bit, _nanoseconds_per_cycle(),
            noted.data_ptr(), noted.numel(),
        )  # fmt: skip


def _nanoseconds_per_cycle() -> float:
    properties = driver.active.utils.get_device_properties(driver.active.get_current_device())
    return 1e6 / (properties.get("sm_clock_rate") or 1e6)


def _with_header(kernel: _Kernel, noted):
    """A copy with what one needs to read it in front: ten numbers of four bytes, the units' numbers, and the notes at the fourth number's place."""
    import torch

    units = len(kernel.warps)
    payload = 40 + 4 * units
    count = noted.numel() // kernel.slice_bytes
    fields = [VERSION, 0, payload, payload, noted.numel(), kernel.slice_bytes, count, 0, len(kernel.scopes), units]
    header = torch.tensor([*fields, *kernel.warps], dtype=torch.int64).to(torch.int32).view(torch.uint8)
    return torch.cat([header, noted])
