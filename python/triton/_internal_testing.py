"""What tests of kernels share: lists of dtypes, random inputs, conversions between numpy and torch, questions about the device."""

import os
import re

import numpy as np
import pytest
import torch

import triton
import triton.language as tl
from triton import knobs
from triton.runtime.jit import TensorWrapper, reinterpret, type_canonicalisation_dict

int_dtypes = ["int8", "int16", "int32", "int64"]
uint_dtypes = ["uint8", "uint16", "uint32", "uint64"]
integral_dtypes = int_dtypes + uint_dtypes
float_dtypes = ["float16", "float32", "float64"]
float_dtypes_with_bfloat16 = float_dtypes + ["bfloat16"]
dtypes = integral_dtypes + float_dtypes
dtypes_with_bfloat16 = dtypes + ["bfloat16"]
torch_float8_dtypes = ["float8_e4m3fn", "float8_e5m2"]
torch_dtypes = ["bool"] + int_dtypes + ["uint8"] + float_dtypes + ["bfloat16"]
tma_dtypes = sorted(set(dtypes_with_bfloat16) - {"int64", "uint64", "float64"})


def is_interpreter():
    return os.environ.get("TRITON_INTERPRET", "0") == "1"


def get_current_target():
    return None if is_interpreter() else triton.runtime.driver.active.get_current_target()


def _backend():
    target = get_current_target()
    return None if target is None else target.backend


def is_cuda():
    return _backend() == "cuda"


def is_cpu():
    return _backend() == "cpu"


def is_hip():
    return _backend() == "hip"


def is_xpu():
    return _backend() == "xpu"


def _capability():
    return torch.cuda.get_device_capability()[0] if is_cuda() else 0


def is_ampere_or_newer():
    return _capability() >= 8


def is_hopper_or_newer():
    return _capability() >= 9


def is_hopper():
    return _capability() == 9


def is_blackwell():
    return _capability() == 10


def is_blackwell_ultra():
    return is_cuda() and torch.cuda.get_device_capability() == (10, 3)


def is_sm12x():
    return _capability() == 12


def _hip_arch():
    return str(get_current_target().arch) if is_hip() else ""


def is_hip_cdna2():
    return _hip_arch() == "gfx90a"


def is_hip_cdna3():
    return _hip_arch() == "gfx942"


def is_hip_cdna4():
    return _hip_arch() == "gfx950"


def is_hip_cdna():
    return is_hip_cdna2() or is_hip_cdna3() or is_hip_cdna4()


def is_hip_cdna3_or_newer():
    return is_hip_cdna3() or is_hip_cdna4()


def is_hip_gfx11():
    return _hip_arch().startswith("gfx11")


def is_hip_gfx12():
    return _hip_arch().startswith("gfx12")


def is_hip_gfx1250():
    return _hip_arch() == "gfx1250"


def is_hip_rdna3():
    return is_hip_gfx11()


def is_hip_rdna4():
    return is_hip_gfx12() and not is_hip_gfx1250()


def is_hip_rdna():
    return is_hip_rdna3() or is_hip_rdna4()


def get_hip_lds_size():
    return 163840 if is_hip_cdna4() else 65536


def get_arch():
    target = get_current_target()
    return "" if target is None else str(target.arch)


def numpy_random(shape, dtype_str, rs=None, low=None, high=None):
    """Random values of a dtype: integers are never 0, bfloat16 is float32 with its low bits cleared, float8 is codes that are small numbers."""
    shape = (shape,) if isinstance(shape, int) else shape
    rs = np.random.RandomState(seed=17) if rs is None else rs
    if dtype_str in int_dtypes + uint_dtypes:
        info = np.iinfo(dtype_str)
        low = info.min if low is None else max(low, info.min)
        high = info.max if high is None else min(high, info.max)
        x = rs.randint(low, high, shape, dtype=dtype_str)
        x[x == 0] = 1
        return x
    if dtype_str and "float8" in dtype_str:
        return rs.randint(20, 40, shape, dtype=np.int8)
    if dtype_str in float_dtypes:
        return rs.normal(0, 1, shape).astype(dtype_str)
    if dtype_str == "bfloat16":
        bits = rs.normal(0, 1, shape).astype("float32").view("uint32") & np.uint32(0xFFFF0000)
        return bits.view("float32")
    if dtype_str in ("bool", "int1", "bool_"):
        return rs.normal(0, 1, shape) > 0.0
    raise RuntimeError(f"no random values of dtype {dtype_str}")


def to_triton(x, device, dst_type=None):
    """A numpy array as an argument of kernels: dtypes that torch lacks are seen through `reinterpret`."""
    name = x.dtype.name
    if name in uint_dtypes:
        signed = name.lstrip("u")
        return reinterpret(torch.tensor(x.astype(signed), device=device), getattr(tl, name))
    if dst_type and "float8" in dst_type:
        return reinterpret(torch.tensor(x, device=device), getattr(tl, dst_type))
    if name == "float32" and dst_type == "bfloat16":
        return torch.tensor(x, device=device).bfloat16()
    return torch.tensor(x, device=device)


def str_to_triton_dtype(x):
    return tl.str_to_ty(type_canonicalisation_dict[x], None)


def torch_dtype_name(dtype):
    """`float32` of a torch dtype or a dtype of the language."""
    if isinstance(dtype, triton.language.dtype):
        return dtype.name
    if isinstance(dtype, torch.dtype):
        return re.match(r"^torch\.(\w+)$", str(dtype)).group(1)
    raise TypeError(f"{dtype!r} is not a dtype")


def to_numpy(x):
    if isinstance(x, TensorWrapper):
        return x.base.cpu().numpy().astype(getattr(np, torch_dtype_name(x.dtype)))
    if isinstance(x, torch.Tensor):
        return x.cpu().float().numpy() if x.dtype is torch.bfloat16 else x.cpu().numpy()
    raise ValueError(f"{x!r} is neither a tensor nor a wrapped one")


def unwrap_tensor(t):
    return t.base if isinstance(t, TensorWrapper) else t


def supports_tma(byval_only=False):
    if is_interpreter():
        return True
    if not is_hopper_or_newer():
        return False
    version = tuple(int(part) for part in knobs.nvidia.ptxas.version.split("."))
    return version >= ((12, 0) if byval_only else (12, 3))


def supports_ws():
    return is_hopper_or_newer() and not is_sm12x()


def tma_skip_msg(byval_only=False):
    return f"Requires __grid_constant__ TMA support (NVIDIA Hopper or newer, CUDA {'12.0' if byval_only else '12.3'} or newer)"


def requires_tma(test):
    """Skips a test where there is no TMA."""
    return pytest.mark.skipif(not supports_tma(), reason=tma_skip_msg())(test)


def default_alloc_fn(size: int, align: int, _):
    return torch.empty(size, dtype=torch.int8, device="cuda")


def _fresh_knobs_impl(skipped_attr=None):
    """(fresh, reset): `fresh()` gives the knobs as they are without any setting, `reset()` brings the old ones back."""
    skipped = set() if skipped_attr is None else set(skipped_attr)
    groups = {
        name: group
        for name, group in vars(knobs).items()
        if isinstance(group, knobs.base_knobs) and name not in skipped
    }
    saved, propagates = {}, knobs.propagate_env

    def fresh_function():
        knobs.propagate_env = True
        for group_name, group in groups.items():
            setattr(knobs, group_name, group.copy().reset())
            for descriptor in group.knob_descriptors.values():
                saved.setdefault(descriptor.key, os.environ.pop(descriptor.key, None))
        return knobs

    def reset_function():
        knobs.propagate_env = propagates
        for group_name, group in groups.items():
            setattr(knobs, group_name, group)
        for key, value in saved.items():
            if value is None:
                os.environ.pop(key, None)
            else:
                os.environ[key] = value

    return fresh_function, reset_function
