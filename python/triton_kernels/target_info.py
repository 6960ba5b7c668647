"""What kernels run on: compile-time questions for kernels, which also answer on the host, and a few for the host alone."""

import triton
from triton.language.target_info import cuda_capability_geq, is_cuda, is_hip, is_hip_cdna3, is_hip_cdna4
from triton.runtime import driver

__all__ = [
    "cuda_capability_geq",
    "get_cdna_version",
    "get_rdna_version",
    "has_native_mxfp",
    "has_tma_gather",
    "is_cuda",
    "is_hip",
    "is_hip_cdna3",
    "is_hip_cdna4",
    "num_sms",
]


@triton.constexpr_function
def get_cdna_version():
    """3 or 4 on AMD's GPUs of these families, otherwise -1."""
    if is_hip_cdna3():
        return 3
    return 4 if is_hip_cdna4() else -1


@triton.constexpr_function
def get_rdna_version():
    """Of AMD's GPUs for graphics; -1: the device is none."""
    return -1


@triton.constexpr_function
def has_tma_gather():
    """Whether descriptors can gather and scatter rows."""
    return cuda_capability_geq(10, 0)


@triton.constexpr_function
def has_native_mxfp():
    """Whether matrix units take MX operands with their scales."""
    return cuda_capability_geq(10, 0)


def num_sms():
    """How many programs run at once: multiprocessors of the GPU, cores of the processor."""
    active = driver.active
    return active.utils.get_device_properties(active.get_current_device())["multiprocessor_count"]
