"""The cases of test_hip_simulated.py about buffer instructions, and about loops that copy to LDS without registers."""

import os
import re

import numpy as np
import pytest
import triton
import triton.language as tl
from triton import knobs

ARCH = os.environ["TRITON_SIMULATE"]
WIDE = ARCH == "gfx950"


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M, N, K, a_row, b_row, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n, k = tl.arange(0, BN), tl.arange(0, BK)
    a_ptrs = a_ptr + m[:, None] * a_row + k[None, :]
    b_ptrs = b_ptr + k[:, None] * b_row + n[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for i in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=k[None, :] < K - i * BK, other=0.0)
        b = tl.load(b_ptrs, mask=k[:, None] < K - i * BK, other=0.0)
        total = tl.dot(a, b, total)
        a_ptrs += BK
        b_ptrs += BK * b_row
    tl.store(c_ptr + m[:, None] * N + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N))


def operands(M, N, K):
    generator = np.random.default_rng(0)
    a, b = (generator.integers(-4, 5, shape).astype(np.float16) for shape in ((M, K), (K, N)))
    return a, b, np.zeros((M, N), np.float32)


def multiply(a, b, c, stages, blocks=(64, 64, 64), **options):
    (M, K), N = a.shape, b.shape[1]
    return product[(triton.cdiv(M, blocks[0]),)](a, b, c, M, N, K, K, N, *blocks, num_stages=stages, **options)


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
@pytest.mark.parametrize("K", [48, 64, 128, 200, 512])
def test_products(K, stages):
    """Fewer iterations than stages, and a last one that is cut off."""
    a, b, c = operands(64, 64, K)
    kernel = multiply(a, b, c, stages)
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
    copies = len(re.findall(r"call void @llvm.amdgcn.raw.ptr.buffer.load.lds\(", kernel.asm["llir"]))
    assert (copies > 0) == (WIDE and stages > 1 and K % 16 == 0), "16 bytes at once, or through registers"
    if copies:
        assert set(re.findall(r"load\.lds\(ptr addrspace\(8\)[^,]*, [^,]*, i32 (\d+),", kernel.asm["llir"])) == {"16"}


@pytest.mark.parametrize("blocks", [(128, 64, 32), (32, 32, 128), (64, 128, 32)])
@pytest.mark.parametrize("warps", [1, 4, 8])
def test_tiles(blocks, warps):
    a, b, c = operands(128, blocks[1], 256)
    multiply(a, b, c, 3, blocks, num_warps=warps)
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.parametrize("launches", [1, 3])
def test_the_knob(launches):
    """The same call goes by what the knob is now, also once launches are warm."""
    a, b, c = operands(64, 64, 256)
    with knobs.amd.scope():
        for wanted in (None, False, True, None, False):
            knobs.amd.use_async_copy = wanted
            for _ in range(launches):
                c[:] = 0
                kernel = multiply(a, b, c, 3, (64, 64, 32))
                assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
                assert ("buffer.load.lds" in kernel.asm["llir"]) == (WIDE if wanted is None else wanted)


@pytest.mark.parametrize("wanted", [None, True])
def test_narrow_pieces_only_where_the_knob_asks(wanted):
    """Rows of 200 floats: no more than 4 bytes are known to be neighbours."""
    a, b, c = (each.astype(np.float32) for each in operands(64, 64, 200))
    with knobs.amd.scope():
        knobs.amd.use_async_copy = wanted
        kernel = multiply(a, b, c, 2, (64, 64, 32 if wanted else 64))
    assert np.array_equal(c, a @ b)
    sizes = set(re.findall(r"load\.lds\(ptr addrspace\(8\)[^,]*, [^,]*, i32 (\d+),", kernel.asm["llir"]))
    assert sizes == ({"4", "16"} if WIDE else {"4"}) if wanted else not sizes


@triton.jit
def decoded(code_ptr, table_ptr, out_ptr, K, BM: tl.constexpr, BK: tl.constexpr):
    m, k = tl.arange(0, BM), tl.arange(0, BK)
    total = tl.zeros((BM, BM), tl.float32)
    for i in tl.range(0, K, BK, num_stages=3):
        code = tl.load(code_ptr + m[:, None] * K + i + k[None, :])
        w = tl.load(table_ptr + code)
        total = tl.dot(w, tl.trans(w), total)
    tl.store(out_ptr + m[:, None] * BM + m[None, :], total)


@triton.jit
def gathered(row_ptr, table_ptr, out_ptr, K, BN: tl.constexpr, BK: tl.constexpr):
    n, k = tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BN, BN), tl.float32)
    for i in tl.range(0, K, BK, num_stages=3):
        row = tl.load(row_ptr + i + k)
        w = tl.load(table_ptr + row[:, None] * BN + n[None, :])
        total = tl.dot(tl.trans(w), w, total)
    tl.store(out_ptr + n[:, None] * BN + n[None, :], total)


@pytest.mark.parametrize("wanted", [None, True])
def test_loads_that_addresses_need(wanted):
    """They run ahead of those that they are for, in registers."""
    generator = np.random.default_rng(0)
    with knobs.amd.scope():
        knobs.amd.use_async_copy = wanted
        table, out = generator.integers(-4, 5, 100).astype(np.float32), np.zeros((32, 32), np.float32)
        code = generator.integers(0, 100, (32, 256)).astype(np.int32)
        kernel = decoded[(1,)](code, table, out, 256, 32, 32 if wanted else 64)
        assert np.array_equal(out, table[code] @ table[code].T)
        assert ("buffer.load.lds" in kernel.asm["llir"]) == bool(wanted)
        rows = generator.integers(0, 50, 1024).astype(np.int32)
        table = generator.integers(-4, 5, (50, 32)).astype(np.float16)
        kernel = gathered[(1,)](rows, table, out, 1024, 32, 256 if wanted else 512, num_warps=1)
        assert np.array_equal(out, table[rows].astype(np.float32).T @ table[rows].astype(np.float32))
        assert ("buffer.load.lds" in kernel.asm["llir"]) == (WIDE or bool(wanted))


@triton.jit
def uncached(a_ptr, out_ptr, K, BM: tl.constexpr, BK: tl.constexpr):
    m, k = tl.arange(0, BM), tl.arange(0, BK)
    total = tl.zeros((BM, BM), tl.float32)
    for i in range(0, K, BK):
        a = tl.load(a_ptr + m[:, None] * K + i + k[None, :], cache_modifier=".cv")
        total = tl.dot(a, tl.trans(a), total)
    tl.store(out_ptr + m[:, None] * BM + m[None, :], total)


def test_loads_that_read_anew_are_of_global_memory():
    """LLVM takes what buffer instructions read for what stays there."""
    a, _, c = operands(64, 64, 256)
    kernel = uncached[(1,)](a, c, 256, 64, 64, num_stages=3)
    assert np.array_equal(c, a.astype(np.float32) @ a.astype(np.float32).T)
    assert not re.search(r"raw\.ptr\.buffer\.load", kernel.asm["llir"])


def said(kernel, launch, change):
    """What is found when the kernel's code is changed."""
    original = kernel.kernel
    kernel.kernel = change(kernel.asm["llir"]).encode()
    try:
        launch()
    except RuntimeError as error:
        return str(error)
    finally:
        kernel.close()
        kernel.kernel = original
    return ""


@pytest.mark.skipif(not WIDE, reason="loads go through registers")
def test_planted_mistakes_are_found(monkeypatch):
    """Waits that wait for one copy too few, or for none, and missing barriers."""
    monkeypatch.setenv("TRITON_SANITIZE", "race")
    monkeypatch.setenv("TRITON_SIMULATE_SEED", "3")
    a, b, c = operands(64, 64, 512)

    def launch():
        return multiply(a, b, c, 3)

    kernel = launch()
    assert said(kernel, launch, lambda text: text) == ""
    wait = r"call void @llvm.amdgcn.s.waitcnt\(i32 (\d+)\)"
    counts = [int(count) for count in re.findall(wait, kernel.asm["llir"])]
    assert any(count & 15 for count in counts), "some copies stay under way"

    def later(match):
        return match[0].replace(match[1], str(int(match[1]) + 1))

    for change in (lambda text: re.sub(wait, later, text), lambda text: re.sub(r".*" + wait + ".*", "", text)):
        assert "of shared memory are not ordered" in said(kernel, launch, change)
    assert "of shared memory are not ordered" in said(kernel, launch, lambda text: re.sub(r".*call void @llvm.amdgcn.s.barrier\(\).*", "", text))  # fmt: skip


@triton.jit
def shift(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i + 1, i + 1 < n, -1.0), i < n)


def test_buffer_instructions_reach_2_gib():
    def instructions(x, **variables):
        out = np.zeros(1000, np.float32)
        kernel = shift[(1,)](x, out, 1000, 1024)
        assert np.array_equal(out, np.append(x[1:1000], -1).astype(np.float32))
        return "raw.ptr.buffer.load" in kernel.asm["llir"], "raw.ptr.buffer.store" in kernel.asm["llir"]

    x = np.arange(1000, dtype=np.float32)
    assert instructions(x) == (True, True)
    large = np.zeros(2**29, np.float32)[:1000]  # of memory that nobody touches
    assert instructions(large) == (False, True)
    assert instructions(np.arange(1001, dtype=np.float32)[1:]) == (False, True), "kernels may look at what comes before"
    with knobs.amd.scope():
        for wanted in (False, True, False):
            knobs.amd.use_buffer_ops = wanted
            for _ in range(3):
                assert instructions(x) == (wanted, wanted)
    for _ in range(3):
        assert instructions(x) == (True, True)


@triton.jit
def backwards(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    end = x_ptr + n
    tl.store(out_ptr + i, tl.load(end - 1 - i, i < n, 0.0), i < n)


def test_offsets_below_a_moved_base():
    """Offsets are those from the argument: a base in the middle has elements on both sides."""
    x, out = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    kernel = backwards[(1,)](x, out, 100, 128)
    assert "raw.ptr.buffer.load" in kernel.asm["llir"]
    assert np.array_equal(out, x[::-1])
