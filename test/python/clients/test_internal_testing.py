"""The helpers that tests written for Triton import."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton import _internal_testing as testing


@pytest.mark.parametrize("name", testing.dtypes_with_bfloat16 + ["bool", "float8e4nv"])
def test_random_values_make_the_round_trip(name):
    x = testing.numpy_random((4, 8), name)
    again = testing.numpy_random((4, 8), name)
    np.testing.assert_array_equal(x, again)
    tensor = testing.to_triton(x, "cpu", dst_type=name if name in ("bfloat16", "float8e4nv") else None)
    if name != "float8e4nv":
        np.testing.assert_array_equal(testing.to_numpy(tensor), x)
    if name in testing.integral_dtypes:
        assert x.dtype.name == name and (x != 0).all()


def test_limits_and_names():
    assert testing.numpy_random(1000, "int32", low=5, high=7).min() >= 5
    assert testing.torch_dtype_name(torch.bfloat16) == "bfloat16"
    assert testing.torch_dtype_name(tl.float16) == "fp16"
    assert testing.str_to_triton_dtype("uint8") == tl.uint8
    assert testing.unwrap_tensor(triton.reinterpret(torch.zeros(1, dtype=torch.int8), tl.uint8)).dtype == torch.int8


def test_questions_about_the_device(device):
    assert testing.is_cuda() == (device == "cuda") and not testing.is_hip() and testing.is_cpu() == (device == "cpu")
    assert testing.get_current_target().backend == device and not testing.is_interpreter()
    assert testing.supports_tma() == (device == "cuda" and torch.cuda.get_device_capability()[0] >= 9)


def test_fresh_knobs(monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", "/somewhere")
    fresh, reset = testing._fresh_knobs_impl()
    knobs = fresh()
    assert knobs.cache.dir != "/somewhere"
    reset()
    assert triton.knobs.cache.dir


def test_import_paths_of_extras():
    from triton.language.extra.cuda import libdevice
    from triton.language.extra.libdevice import tanh

    assert libdevice.tanh.__name__ == tanh.__name__ == "tanh"
    assert tl.extra.cuda.num_warps.__doc__ and tl.extra.libdevice.asin.__doc__
