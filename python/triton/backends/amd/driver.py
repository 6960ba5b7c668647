"""The HIP driver: loads code objects through AMD's HIP library and launches them on PyTorch's current stream. No AMD GPU has run it yet: docs/how-to/compile-for-amd.md says what is
checked instead."""

from __future__ import annotations

import functools
import os
import sys

from ... import knobs
from ..._C import libtriton
from ..._utils import C_TYPES, is_floating
from ..compiler import GPUTarget
from ..driver import decompose_descriptor, wrap_handle_tensordesc_impl
from ..gpu import DeviceDriver, DeviceUtils, KernelLauncher, has_device_file, library_sees_gpu, simulated, torch_sees
from ..launch import (  # noqa: F401  (clients take all of these from here)
    annotate_arguments,
    build_signature_metadata,
    expand_launcher,
    launch_code,
    make_kernel_signature,
)

dirname = os.path.dirname(os.path.realpath(__file__))
include_dirs = [os.path.join(root, "include") for root in (os.environ.get("ROCM_PATH"), "/opt/rocm") if root][:1]

_LIBRARY = "libamdhip64.so"


@functools.lru_cache
def _library_of_packages():
    """The library that came with PyTorch, or with packages of ROCm; empty where there is none: the native runtime takes the one that is open already, or the system's."""
    torch = sys.modules.get("torch")
    folders = [os.path.join(os.path.dirname(torch.__file__), "lib")] if getattr(torch, "__file__", None) else []
    folders += [os.path.join(root, "lib") for root in (os.environ.get("HIP_PATH"), os.environ.get("ROCM_PATH")) if root]
    return next((path for folder in folders if os.path.exists(path := os.path.join(folder, _LIBRARY))), "")


def _get_path_to_hip_runtime_dylib():
    """The path of the library, as far as it is known before it is opened: its name where it is looked for as every library is."""
    return knobs.amd.libhip_path or _library_of_packages() or _LIBRARY


class HIPUtils(DeviceUtils):
    """What kernels need of AMD's library."""

    def __init__(self):
        super().__init__()
        if simulated("hip"):
            libtriton.cuda.set_library(f"simulator:{simulated('hip')}")
        else:
            libtriton.cuda.set_library(f"hip:{knobs.amd.libhip_path or _library_of_packages()}")
        self.launch, self.build_signature_metadata = launch, build_signature_metadata
        libtriton.look_at_sizes()  # buffer instructions reach 2^31 bytes


def launch(
    cooperative, gridX, gridY, gridZ, stream, function, global_scratch, profile_scratch, packed_metadata, launch_metadata,
    enter_hook, exit_hook, warp_size, arg_annotations, signature_bytes, kernel_args,
):  # fmt: skip
    """Queues `function` on a stream; `packed_metadata` is (num_warps, num_ctas, shared)."""
    hooks = (launch_metadata, enter_hook, exit_hook)
    launch_code((gridX, gridY, gridZ), stream, function, cooperative, False, warp_size, packed_metadata, hooks,
                (global_scratch, profile_scratch), arg_annotations, signature_bytes, kernel_args)  # fmt: skip


def ty_to_cpp(ty):
    """The C type of an argument of the launcher."""
    if ty.startswith("*"):
        return "hipDeviceptr_t"
    return "double" if is_floating(ty) else C_TYPES[ty]


def make_tensordesc_arg(arg, kernel_metadata=None, tensordesc_metadata=None):
    """A tensor descriptor as the arguments of the code: its parts, for pointers."""
    return decompose_descriptor(arg)


def wrap_handle_tensordesc(launcher, signature, tensordesc_metadata=None):
    """For clients with a launcher of their own that takes the code's arguments: it, with every tensor descriptor spelled out first; itself if there is none."""
    return wrap_handle_tensordesc_impl(launcher, signature, None, make_tensordesc_arg)


class HIPLauncher(KernelLauncher):
    """Launches one kernel on a stream of AMD's."""

    @staticmethod
    def uses_graphs() -> bool:
        return knobs.amd.launch_graphs


_LAUNCHER = """\
#include <hip/hip_runtime.h>
#include <stdint.h>

/* Queues a kernel on a stream. */
hipError_t launch(hipFunction_t function, hipStream_t stream, const unsigned grid[3], unsigned num_warps, unsigned shared,
                  hipDeviceptr_t global_scratch, hipDeviceptr_t profile_scratch{parameters}) {{
  void *arguments[] = {{{arguments}&global_scratch, &profile_scratch}};
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return hipSuccess;
  return hipModuleLaunchKernel(function, grid[0], grid[1], grid[2], {warp_size} * num_warps, 1, 1, shared, stream, arguments, 0);
}}
"""


def make_launcher(constants, signature, warp_size, tensordesc_meta=None):
    """C source of a function that launches kernels of this signature, for programs that do without Python. `HIPLauncher` is what this package launches with."""
    return expand_launcher(_LAUNCHER, constants, signature, None, ty_to_cpp, warp_size=warp_size)


class HIPDriver(DeviceDriver):
    """Active where there is a GPU of AMD: with PyTorch for ROCm, or by `/dev/kfd`; or where `knobs.runtime.simulate` names one to simulate, whose memory is the host's."""

    vendor = "hip"
    launcher_cls = HIPLauncher

    def __init__(self):
        super().__init__(HIPUtils())

    @classmethod
    def is_active(cls):
        if knobs.runtime.simulate:
            return simulated("hip") is not None
        sees_gpu = torch_sees("hip")
        if sees_gpu is not None:
            return sees_gpu
        if not has_device_file("/dev/kfd") or has_device_file("/dev/nvidiactl"):
            return False
        HIPUtils()
        return library_sees_gpu()

    def map_python_to_cpp_type(self, ty: str) -> str:
        return ty_to_cpp(ty)

    def get_current_target(self):
        device = self.get_current_device()
        return GPUTarget("hip", libtriton.cuda.architecture(device), libtriton.cuda.warp_size(device))
