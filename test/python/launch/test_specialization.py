"""Which launches share a compiled kernel, and what each kernel knows about its arguments."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton._C.libtriton import native_specialize_impl
from triton.backends.compiler import BaseBackend


def compiles(kernel):
    return len(kernel.device_caches[0][0])


def define(**options):
    @triton.jit(**options)
    def kernel(out_ptr, i):
        tl.store(out_ptr, i)

    return kernel


@pytest.mark.parametrize(
    "options, expected",
    [
        ({}, 3),
        ({"do_not_specialize": ["i"]}, 1),
        ({"do_not_specialize": [1]}, 1),
        ({"do_not_specialize_on_alignment": ["i"]}, 2),
    ],
)
def test_number_of_variants(options, expected):
    kernel = define(**options)
    out = np.zeros(1, np.int32)
    for _ in range(2):
        for value in (1, 2, 4, 8, 16, 32):
            kernel[(1,)](out, value)
            assert out[0] == value
    assert compiles(kernel) == expected


def test_annotated_integer_is_not_folded():
    @triton.jit
    def kernel(out_ptr, i: tl.int32):
        tl.store(out_ptr, i)

    out = np.zeros(1, np.int32)
    for value in (1, 8, 16, 17):
        compiled = kernel[(1,)](out, value)
        assert out[0] == value and compiled.src.signature["i"] == "i32"
    assert compiles(kernel) == 3


@pytest.mark.parametrize(
    "value, specialize, expected",
    [
        (None, True, ("constexpr", None)),
        (True, True, ("u1", None)),
        (1, True, ("constexpr", 1)),
        (1, False, ("i32", None)),
        (2, True, ("i32", "")),
        (16, True, ("i32", "D")),
        (-(2**31), True, ("i32", "D")),
        (2**31, True, ("i64", "D")),
        (-(2**31) - 1, True, ("i64", "")),
        (2**63, True, ("u64", "D")),
        (2**64 - 1, True, ("u64", "")),
        (0.5, True, ("fp32", None)),
        (np.float64(0.5), True, ("fp32", None)),
        ((), True, ((), ())),
        ((1, 16, None), True, (("constexpr", "i32", "constexpr"), (1, "D", None))),
    ],
)
def test_rules(value, specialize, expected):
    assert native_specialize_impl(BaseBackend, value, False, specialize, True) == expected


@pytest.mark.parametrize(
    "dtype, name",
    [
        ("bool", "u1"),
        ("int8", "i8"),
        ("uint16", "u16"),
        ("int32", "i32"),
        ("uint64", "u64"),
        ("float16", "fp16"),
        ("float64", "fp64"),
    ],
)
def test_pointer_types(dtype, name):
    numpy, tensor = np.zeros(4, dtype), torch.zeros(4, dtype=getattr(torch, dtype))
    for array in (numpy, tensor):
        assert native_specialize_impl(BaseBackend, array, False, True, True)[0] == "*" + name
        assert native_specialize_impl(BaseBackend, array, True, True, True)[0] == "*k" + name
    assert native_specialize_impl(BaseBackend, torch.zeros(1, dtype=torch.bfloat16), False, True, True)[0] == "*bf16"
    assert (
        native_specialize_impl(BaseBackend, torch.zeros(1, dtype=torch.float8_e5m2), False, True, True)[0] == "*fp8e5"
    )


def test_alignment():
    base = torch.zeros(64, dtype=torch.float32)
    keys = [native_specialize_impl(BaseBackend, base[index:], False, True, True)[1] for index in (0, 1, 4)]
    assert keys == ["D", "", "D"]
    assert native_specialize_impl(BaseBackend, base, False, True, False)[1] == ""
    assert native_specialize_impl(BaseBackend, base, False, False, True)[1] is None


def test_divisibility_is_in_the_ir():
    kernel = define()
    out = np.zeros(1, np.int32)
    assert "tt.divisibility = 16" in kernel[(1,)](out, 32).asm["ttir"].split("i: i32", 1)[-1].split("\n")[0]
    assert "%i: i32 {tt.divisibility" not in kernel[(1,)](out, 33).asm["ttir"]


def test_warmup_shares_the_kernel_with_launches():
    kernel = define()
    warm = kernel.warmup(torch.int32, 32, grid=(1,))
    launched = kernel[(1,)](torch.zeros(64, dtype=torch.int32), 32)
    assert launched is warm and compiles(kernel) == 1


def test_constexpr_by_value_and_type():
    @triton.jit
    def kernel(out_ptr, V: tl.constexpr):
        tl.store(out_ptr, V)

    out = np.zeros(1, np.float32)
    for value in (1, 1.0, True, 2, 0.0, -0.0):
        for _ in range(2):
            kernel[(1,)](out, value)
            assert out[0] == float(value)
    assert compiles(kernel) == 6


def test_functions_as_constexpr():
    @triton.jit
    def twice(x):
        return x * 2

    @triton.jit
    def thrice(x):
        return x * 3

    @triton.jit
    def kernel(out_ptr, F: tl.constexpr):
        tl.store(out_ptr, F(7))

    out = np.zeros(1, np.int32)
    for _ in range(2):
        for function, expected in ((twice, 14), (thrice, 21)):
            kernel[(1,)](out, function)
            assert out[0] == expected
    assert compiles(kernel) == 2


def test_option_given_explicitly_is_another_entry_but_the_same_kernel(fresh_triton_cache):
    kernel = define()
    out = np.zeros(1, np.int32)
    default, explicit = kernel[(1,)](out, 5), kernel[(1,)](out, 5, num_warps=4)
    other = kernel[(1,)](out, 5, num_warps=8)
    assert compiles(kernel) == 3 and default.hash == explicit.hash != other.hash
    assert other.metadata.num_warps == 8


def test_parameter_named_like_an_option():
    @triton.jit
    def kernel(out_ptr, num_warps: tl.constexpr):
        tl.store(out_ptr, num_warps)

    out = np.zeros(1, np.int32)
    compiled = kernel[(1,)](out, num_warps=2)
    assert out[0] == 2 and compiled.metadata.num_warps == 2


def test_const_pointer():
    @triton.jit
    def kernel(x_ptr: tl.const, out_ptr):
        tl.store(out_ptr, tl.load(x_ptr))

    compiled = kernel[(1,)](np.zeros(1, np.float32), np.zeros(1, np.float32))
    assert compiled.src.signature["x_ptr"] == "*kfp32"


def test_clearing_the_caches_takes_effect():
    kernel = define()
    out = np.zeros(1, np.int32)
    first = kernel[(1,)](out, 5)
    assert kernel[(1,)](out, 5) is first
    kernel.device_caches.clear()
    assert kernel[(1,)](out, 5) is not first
    kernel.device_caches[0][0].clear()
    assert compiles(kernel) == 0
    kernel[(1,)](out, 5)
    assert compiles(kernel) == 1


def test_constexpr_in_do_not_specialize_is_an_error():
    @triton.jit(do_not_specialize=["N"])
    def kernel(out_ptr, N: tl.constexpr):
        tl.store(out_ptr, N)

    with pytest.raises(triton.CompilationError, match="marked as constexpr and listed in do_not_specialize"):
        kernel[(1,)](np.zeros(1, np.int32), 3)
