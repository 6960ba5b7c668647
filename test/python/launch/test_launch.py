"""How kernels are launched: grids, meta-parameters, and every kind of argument."""

import threading
from typing import NamedTuple

import numpy as np
import pytest
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


@triton.jit
def scalar_kernel(out_ptr, value):
    tl.store(out_ptr, value)


@triton.jit
def grid_kernel(out_ptr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    index = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
    tl.store(out_ptr + index, 100 * z + 10 * y + x)


def make(kind, data):
    return torch.from_numpy(data.copy()) if kind == "torch" else data.copy()


@pytest.mark.parametrize("kind", ["numpy", "torch"])
@pytest.mark.parametrize("n", [1, 17, 1000, 4096])
def test_add(kind, n):
    data = np.random.default_rng(0).standard_normal((2, n)).astype(np.float32)
    x, y, out = make(kind, data[0]), make(kind, data[1]), make(kind, np.zeros(n, np.float32))
    kernel = add_kernel[(triton.cdiv(n, 256),)](x, y, out, n, BLOCK=256)
    np.testing.assert_array_equal(np.asarray(out), data[0] + data[1])
    assert kernel.metadata.name == "add_kernel"


def test_callable_grid_sees_all_parameters():
    seen = {}

    def grid(meta):
        seen.update(meta)
        return (triton.cdiv(meta["n"], meta["BLOCK"]),)

    x = np.ones(100, np.float32)
    out = np.zeros_like(x)
    for _ in range(2):  # cold, then warm
        seen.clear()
        add_kernel[grid](x, x, out, 100, BLOCK=64)
        assert list(seen) == ["x_ptr", "y_ptr", "out_ptr", "n", "BLOCK"] and seen["BLOCK"] == 64
    np.testing.assert_array_equal(out, 2 * x)


@pytest.mark.parametrize("grid", [(2,), (2, 3), (2, 3, 2), [2, 3, 2]])
def test_grid_forms(grid):
    full = (*grid, 1, 1)[:3]
    out = np.full(full[2] * full[1] * full[0], -1, np.int32)
    grid_kernel[grid](out)
    expected = [100 * z + 10 * y + x for z in range(full[2]) for y in range(full[1]) for x in range(full[0])]
    assert out.tolist() == expected


def test_empty_grid_launches_nothing():
    out = np.full(4, 7, np.int32)
    grid_kernel[(0,)](out)
    grid_kernel[(1, 0)](out)
    assert out.tolist() == [7] * 4


def test_bad_grids():
    out = np.zeros(4, np.int32)
    grid_kernel[(1,)](out)
    for bad, error in (((-1,), ValueError), (5, TypeError), (("a",), TypeError)):
        with pytest.raises(error):
            grid_kernel[bad](out)


@pytest.mark.cpu_only  # drivers of GPUs have limits of their own
def test_a_grid_of_more_programs_than_can_be_counted():
    out = np.full(4, 7, np.int32)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="has more programs than 64 bits can count"):
            grid_kernel[(2**31 - 1,) * 3](out)
    assert out.tolist() == [7] * 4


@pytest.mark.parametrize(
    "value, dtype",
    [
        (5, np.int32),
        (-(2**31), np.int32),
        (2**40 + 1, np.int64),
        (2**64 - 1, np.uint64),
        (True, np.int8),
        (2.5, np.float32),
        (1, np.int32),
    ],
)
def test_scalar_values(value, dtype):
    out = np.zeros(1, dtype)
    for _ in range(2):
        scalar_kernel[(1,)](out, value)
        assert out[0] == dtype(value)
        out[0] = 0


def test_keyword_arguments_in_any_order():
    x = np.arange(8, dtype=np.float32)
    out = np.zeros_like(x)
    for _ in range(2):
        add_kernel[(1,)](BLOCK=8, n=8, out_ptr=out, y_ptr=x, x_ptr=x)
        np.testing.assert_array_equal(out, 2 * x)
        out[:] = 0


@triton.jit
def default_kernel(out_ptr, a=3, B: tl.constexpr = 4):
    tl.store(out_ptr, a * 10 + B)


def test_defaults():
    out = np.zeros(1, np.int32)
    for arguments, expected in (((), 34), ((5,), 54), ((5, 6), 56)):
        for _ in range(2):
            default_kernel[(1,)](out, *arguments)
            assert out[0] == expected


class Pair(NamedTuple):
    left: object
    right: object


@triton.jit
def tuple_kernel(pair, out_ptr):
    tl.store(out_ptr, tl.load(pair[0]) + pair[1])


@triton.jit
def named_tuple_kernel(pair, out_ptr):
    tl.store(out_ptr, tl.load(pair.left) + pair.right)


def test_tuples():
    x, out = np.array([40], np.int32), np.zeros(1, np.int32)
    for kernel, pair in ((tuple_kernel, (x, 2)), (named_tuple_kernel, Pair(x, 2))):
        for _ in range(2):
            out[0] = 0
            kernel[(1,)](pair, out)
            assert out[0] == 42


@triton.jit
def optional_kernel(x_ptr, out_ptr):
    if x_ptr is None:
        tl.store(out_ptr, 1)
    else:
        tl.store(out_ptr, tl.load(x_ptr))


def test_none():
    out = np.zeros(1, np.int32)
    optional_kernel[(1,)](None, out)
    assert out[0] == 1
    optional_kernel[(1,)](np.array([9], np.int32), out)
    assert out[0] == 9


class Dlpack:
    """Only DLPack, nothing else."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self):
        return self.array.__dlpack__()


class Interface:
    """Only the array interface."""

    def __init__(self, array):
        self.__array_interface__ = array.__array_interface__


class Pointer:
    """Only data_ptr() and dtype."""

    def __init__(self, tensor):
        self.tensor = tensor
        self.dtype = tensor.dtype

    def data_ptr(self):
        return self.tensor.data_ptr()


@pytest.mark.cpu_only
@pytest.mark.parametrize("wrap", [Dlpack, Interface, lambda array: Pointer(torch.from_numpy(array))])
def test_protocols(wrap):
    x = np.arange(16, dtype=np.float32)
    out = np.zeros_like(x)
    for _ in range(2):
        add_kernel[(1,)](wrap(x), wrap(x), wrap(out), 16, BLOCK=16)
        np.testing.assert_array_equal(out, 2 * x)
        out[:] = 0


def test_reinterpret():
    data = torch.arange(4, dtype=torch.int8)
    wrapped = triton.reinterpret(data, tl.uint8)
    assert triton.reinterpret(wrapped, torch.int8) is data
    out = np.zeros(1, np.int32)
    kernel = optional_kernel[(1,)](wrapped, out)
    assert kernel.src.signature["x_ptr"] == "*u8"
    with pytest.raises(TypeError, match="Cannot reinterpret"):
        triton.reinterpret(3, tl.int8)


@pytest.mark.parametrize(
    "bad, error, match",
    [
        ("text", TypeError, "failed to specialize argument of type"),
        ([1, 2], TypeError, "failed to specialize argument of type"),
        (np.complex64(3), TypeError, "failed to specialize argument of type: numpy.complex64 .argument 'value'"),
        (2**64, OverflowError, "64 bits"),
        (-(2**63) - 1, OverflowError, "64 bits"),
        (np.zeros(1, np.complex64), TypeError, "complex64"),
    ],
)
def test_bad_arguments(bad, error, match):
    with pytest.raises(error, match=match):
        scalar_kernel[(1,)](np.zeros(1, np.int64), bad)


@triton.jit
def flag_kernel(out_ptr, flag: tl.int1):
    tl.store(out_ptr, tl.where(flag, 7, 8))


def test_integers_for_booleans():
    """A boolean argument is passed as a byte: any integer that fits in one will do, and is true unless it is 0."""
    out = np.zeros(1, np.int32)
    for _ in range(5):
        for value in (True, 6, 0, 1, 255, False):
            flag_kernel[(1,)](out, value)
            assert out[0] == (7 if value else 8)
    for value in (256, -1):
        with pytest.raises(OverflowError, match=f"the integer {value} does not fit in an argument of type u1"):
            flag_kernel[(1,)](out, value)
    compiled = scalar_kernel[(1,)](out, True)  # not annotated: the type is that of the value
    assert compiled.src.signature["value"] == "u1"
    compiled[(1, 1, 1)](out, 6)
    assert out[0] == 1
    scalar_kernel[(1,)](out, 6)
    assert out[0] == 6


def test_binding_errors():
    x = np.zeros(8, np.float32)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'BLOCK'"):
        add_kernel[(1,)](x, x, x, 8)
    with pytest.raises(TypeError, match="takes 5 positional arguments but 6 were given"):
        add_kernel[(1,)](x, x, x, 8, 8, 8)
    with pytest.raises(TypeError, match="multiple values for argument 'n'"):
        add_kernel[(1,)](x, x, x, 8, n=8, BLOCK=8)
    with pytest.raises(KeyError, match="Keyword argument nonsense was specified but unrecognised"):
        add_kernel[(1,)](x, x, x, 8, BLOCK=8, nonsense=1)
    with pytest.raises(KeyError, match="num_warp was specified but unrecognised; did you mean 'num_warps'?"):
        add_kernel[(1,)](x, x, x, 8, BLOCK=8, num_warp=4)
    with pytest.raises(TypeError, match="argument: 'BLOCK'; 'BLOK' is no parameter; did you mean 'BLOCK'?"):
        add_kernel[(1,)](x, x, x, 8, BLOK=8)
    with pytest.raises(AssertionError, match="num_warps must be a power of 2 from 1 to 1024, got 3"):
        add_kernel[(1,)](x, x, x, 8, BLOCK=8, num_warps=3)
    with pytest.raises(AssertionError, match="deprecated"):
        add_kernel[(1,)](x, x, x, 8, BLOCK=8, stream=0)


def test_direct_call_is_an_error():
    with pytest.raises(RuntimeError, match="outside of the scope of a kernel"):
        add_kernel(1, 2, 3, 4, 5)


def test_threads():
    failures = []

    def work(seed):
        data = np.random.default_rng(seed).standard_normal(1000).astype(np.float32)
        for _ in range(20):
            out = np.zeros_like(data)
            add_kernel[(4,)](data, data, out, 1000, BLOCK=256)
            if not np.array_equal(out, 2 * data):
                failures.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_run_and_subclasses():
    from triton.runtime.jit import JITFunction

    calls = []

    class Noted(JITFunction):
        def run(self, *args, grid, warmup, **kwargs):
            calls.append((grid, warmup))
            return super().run(*args, grid=grid, warmup=warmup, **kwargs)

    noted, out = Noted(scalar_kernel.fn), np.zeros(1, np.int32)
    for value in (3, 4, 5):
        noted[(1,)](out, value)
        assert out[0] == value
    noted.warmup(out, 3, grid=(1,))
    assert calls == [((1,), False)] * 3 + [((1,), True)]
    scalar_kernel.run(out, 9, grid=(1,), warmup=False)
    assert out[0] == 9


def test_interface_needs_only_run():
    class Doubling(triton.KernelInterface):
        def run(self, *args, grid, warmup, **kwargs):
            return grid, args, warmup

    assert Doubling()[(2,)](7) == ((2,), (7,), False)
    assert Doubling().warmup(7, grid=(1,)) == ((1,), (7,), True)


@triton.jit
def named_in_messages_kernel(x, n, BLOCK: tl.constexpr):
    pass


def test_messages_name_the_kernel_and_the_grid():
    x = np.zeros(1, np.float32)
    with pytest.raises(
        TypeError, match=r"named_in_messages_kernel\(\) missing 1 required positional argument: 'BLOCK'"
    ):
        named_in_messages_kernel[(1,)](x, 1)
    with pytest.raises(TypeError, match="a grid is a tuple of one to three integers, .* not 3"):
        named_in_messages_kernel[3](x, 1, 16)
