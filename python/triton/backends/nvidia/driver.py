"""The CUDA driver: loads cubins through NVIDIA's driver library and launches them on PyTorch's current stream."""

from __future__ import annotations

import functools
import glob
import os
import sys

from ... import knobs
from ..._C import libtriton
from ..._utils import C_TYPES, is_floating
from ..compiler import GPUTarget
from ..driver import decompose_descriptor, expand_signature, wrap_handle_tensordesc_impl  # noqa: F401
from ..gpu import (  # noqa: F401
    DeviceDriver,
    DeviceUtils,
    KernelLauncher,
    device_capability,
    has_device_file,
    library_sees_gpu,
    simulated,
    torch_sees,
)
from ..launch import (  # noqa: F401  (clients take all of these from here)
    ARG_CONSTEXPR,
    ARG_KERNEL,
    ARG_TUPLE,
    PyKernelArg,
    annotate_arguments,
    build_signature_metadata,
    expand_launcher,
    launch,
    make_kernel_signature,
)

dirname = os.path.dirname(os.path.realpath(__file__))
libdevice_dir = os.path.join(dirname, "lib")
libraries = ["libcuda.so.1"]

PyCUtensorMap = libtriton.PyCUtensorMap

# Element types of tensor maps as kernels count them -> as the driver does.
TMA_DTYPE_DEVICE_TO_HOST = {kind: libtriton.cuda.element_type(kind) for kind in range(16)}


def _include_dirs():
    """Folders with cuda.h, for C programs around kernels: a toolkit's, or that of a wheel."""
    roots = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    folders = [os.path.join(root, "include") for root in roots if root]
    has_header = lambda folder: os.path.exists(os.path.join(folder, "cuda.h"))  # noqa: E731
    found = [folder for folder in dict.fromkeys(folders) if has_header(folder)]
    if folders[-1] in found:  # where our cuda.h finds that of the toolkit even if no other folder is named
        found.insert(0, os.path.join(dirname, "include"))
    if not found:
        wheels = [glob.glob(os.path.join(glob.escape(folder), "nvidia", "*", "include")) for folder in sys.path]
        found = [folder for each in wheels for folder in sorted(each) if has_header(folder)]
    return found or folders[:1]


include_dirs = _include_dirs()


@functools.lru_cache
def libcuda_dirs():
    """Folders with libcuda.so.1."""
    if knobs.nvidia.libcuda_path:
        return [knobs.nvidia.libcuda_path]
    import subprocess

    try:
        text = subprocess.check_output(["/sbin/ldconfig", "-p"]).decode(errors="ignore")
    except (OSError, subprocess.CalledProcessError):
        text = ""
    found = [os.path.dirname(line.split()[-1]) for line in text.splitlines() if "libcuda.so.1" in line]
    return found or [
        folder
        for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":")
        if os.path.exists(os.path.join(folder, "libcuda.so.1"))
    ]


@functools.lru_cache
def library_dirs():
    return [libdevice_dir, *libcuda_dirs()]


class CudaUtils(DeviceUtils):
    """What kernels need of NVIDIA's library."""

    def __init__(self):
        super().__init__()
        if simulated("cuda"):
            libtriton.cuda.set_library(f"simulator:{simulated('cuda')}")
        elif knobs.nvidia.libcuda_path:
            libtriton.cuda.set_library(knobs.nvidia.libcuda_path)
        self.cuOccupancyMaxActiveClusters = libtriton.cuda.cuOccupancyMaxActiveClusters
        self.fill_tma_descriptor = self.fill_tma_descriptor_tiled = libtriton.cuda.fill_tma_descriptor
        self.launch, self.build_signature_metadata = launch, build_signature_metadata


def ty_to_cpp(ty):
    """The C type of an argument of the launcher."""
    if ty.startswith("*"):
        return "CUdeviceptr"
    if ty.startswith(("tensordesc", "nvTmaDesc")):
        return "CUtensorMap"
    return "double" if is_floating(ty) else C_TYPES[ty]


def make_tensordesc_arg(arg, metadata, base_args=()):
    """A tensor descriptor as the arguments of the code: a tensor map, shape and strides; or, where `metadata` is None, its parts for pointers. The launch's other
    arguments decide nothing."""
    if metadata is None:
        return decompose_descriptor(arg)
    shape, strides = [int(extent) for extent in arg.shape], [int(stride) for stride in arg.strides]
    host_shape = list(shape)
    if metadata["fp4_padded"]:
        host_shape[-1] *= 2
    tensor_map = libtriton.cuda.fill_tma_descriptor(
        arg.base.data_ptr(),
        metadata["swizzle"],
        metadata["elem_size"],
        libtriton.tensor_map_element_type(
            TMA_DTYPE_DEVICE_TO_HOST[metadata["elem_type"]], bool(getattr(arg, "round_f32_to_tf32", False))
        ),
        metadata["block_size"],
        host_shape,
        strides,
        int(arg.padding == "nan"),
    )
    return [tensor_map, *shape, *strides]


def wrap_handle_tensordesc(launcher, signature, tensordesc_meta):
    """For clients with a launcher of their own that takes the code's arguments: it, with every tensor descriptor spelled out first; itself if there is none."""
    return wrap_handle_tensordesc_impl(launcher, signature, tensordesc_meta, make_tensordesc_arg)


class CudaLauncher(KernelLauncher):
    """Launches one kernel on a stream of NVIDIA's."""

    @staticmethod
    def uses_graphs() -> bool:
        return knobs.nvidia.launch_graphs


_LAUNCHER = """\
#include <cuda.h>
#include <stdint.h>

/* Queues a kernel on a stream. */
CUresult launch(CUfunction function, CUstream stream, const unsigned grid[3], unsigned num_warps, unsigned num_ctas,
                unsigned shared, CUdeviceptr global_scratch, CUdeviceptr profile_scratch{parameters}) {{
  void *arguments[] = {{{arguments}&global_scratch, &profile_scratch}};
  CUlaunchAttribute attributes[2];
  CUlaunchConfig config = {{grid[0] * num_ctas, grid[1], grid[2], 32 * num_warps, 1, 1, shared, stream, attributes, 0}};
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return CUDA_SUCCESS;
  if (num_ctas != 1) {{
    attributes[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attributes[0].value.clusterDim.x = num_ctas;
    attributes[0].value.clusterDim.y = attributes[0].value.clusterDim.z = 1;
    attributes[1].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE;
    attributes[1].value.clusterSchedulingPolicyPreference = CU_CLUSTER_SCHEDULING_POLICY_SPREAD;
    config.numAttrs = 2;
  }}
  return cuLaunchKernelEx(&config, function, arguments, 0);
}}
"""


def make_launcher(constants, signature, tensordesc_meta):
    """C source of a function that launches kernels of this signature, for programs that do without Python. `CudaLauncher` is what this package launches with."""
    return expand_launcher(_LAUNCHER, constants, signature, tensordesc_meta, ty_to_cpp)


class CudaDriver(DeviceDriver):
    """Active where there is a GPU of NVIDIA, or `knobs.runtime.simulate` names one to simulate: its memory is the host's."""

    vendor = "cuda"
    launcher_cls = CudaLauncher

    def __init__(self):
        super().__init__(CudaUtils())

    @classmethod
    def is_active(cls):
        if knobs.runtime.simulate:
            return simulated("cuda") is not None
        sees_gpu = torch_sees("cuda")
        if sees_gpu is not None:
            return sees_gpu
        return has_device_file("/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg", "/dev/nvgpu") and library_sees_gpu()

    def map_python_to_cpp_type(self, ty: str) -> str:
        return ty_to_cpp(ty)

    def get_current_target(self):
        major, minor = self.get_device_capability(self.get_current_device())
        return GPUTarget("cuda", major * 10 + minor, 32)
