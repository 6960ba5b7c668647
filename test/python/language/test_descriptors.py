"""Products of blocks that host descriptors bring: through pointers, and on GPUs that have one by TMA."""

import pytest
import torch
import triton
import triton.language as tl
from triton import knobs
from triton.tools.tensor_descriptor import TensorDescriptor


@pytest.fixture(params=[False, True], ids=["pointers", "maps"])
def maps(request):
    with knobs.nvidia.scope():
        knobs.nvidia.tensor_maps = request.param
        for kernel in [value for value in globals().values() if isinstance(value, triton.JITFunction)]:
            kernel.device_caches.clear()  # compiled the other way
        yield request.param


def check_engine(kernel, maps, expected=True):
    """Where descriptors can be left to TMA, they are."""
    ptx = getattr(kernel, "asm", {}).get("ptx") if kernel is not None else None
    if ptx is not None and ".target sm_9" in ptx:
        assert ("cp.async.bulk.tensor" in ptx) == (maps and expected)


@triton.jit
def matmul_kernel(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, TRANSPOSED: tl.constexpr):
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    accumulator = tl.zeros((BM, BN), dtype=c.dtype if c.dtype == tl.int32 else tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        x = a.load([m, k * BK])
        if TRANSPOSED:
            y = b.load([n, k * BK]).T
        else:
            y = b.load([k * BK, n])
        accumulator = tl.dot(x, y, accumulator, out_dtype=accumulator.dtype)
    c.store([m, n], accumulator.to(c.dtype))


def make(shape, dtype):
    generator = torch.Generator().manual_seed(7)
    if dtype.is_floating_point:
        return torch.randn(shape, generator=generator).to(dtype)
    return torch.randint(-8, 8, shape, generator=generator, dtype=dtype)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.int8])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("block", [(128, 128, 64), (64, 64, 32), (32, 32, 32)], ids=str)
def test_matmul(maps, dtype, transposed, block):
    M, N, K = 200, 144, 176
    BM, BN, BK = block
    a, b = make((M, K), dtype), make((N, K) if transposed else (K, N), dtype)
    out = torch.int32 if dtype == torch.int8 else torch.float32
    c = torch.full((M, N), -1, dtype=out)
    kernel = matmul_kernel[(triton.cdiv(M, BM), triton.cdiv(N, BN))](
        TensorDescriptor.from_tensor(a, [BM, BK]),
        TensorDescriptor.from_tensor(b, [BN, BK] if transposed else [BK, BN]),
        TensorDescriptor.from_tensor(c, [BM, BN]),
        K, BM, BN, BK, transposed,
    )  # fmt: skip
    check_engine(kernel, maps)
    wide = torch.int32 if dtype == torch.int8 else torch.float32
    expected = a.to(wide) @ (b.T if transposed else b).to(wide)
    torch.testing.assert_close(c, expected, rtol=0, atol=0.2 if dtype.is_floating_point else 0)


@triton.jit
def attention_kernel(q, k, v, out, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    m = tl.program_id(0) * BM
    query = q.load([m, 0])
    accumulator = tl.zeros((BM, D), dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    highest = tl.full((BM,), float("-inf"), dtype=tl.float32)
    for n in range(0, N, BN):
        scores = tl.dot(query, k.load([n, 0]).T)
        above = tl.maximum(highest, tl.max(scores, 1))
        weights = tl.exp(scores - above[:, None])
        scale = tl.exp(highest - above)
        total = total * scale + tl.sum(weights, 1)
        accumulator = tl.dot(weights.to(tl.float16), v.load([n, 0]), accumulator * scale[:, None])
        highest = above
    out.store([m, 0], (accumulator / total[:, None]).to(tl.float16))


@pytest.mark.parametrize("D", [64, 128])
def test_attention(maps, D):
    M, N, BM, BN = 128, 192, 64, 64
    q, k, v = make((M, D), torch.float16) * D**-0.5, make((N, D), torch.float16), make((N, D), torch.float16)
    out = torch.zeros((M, D), dtype=torch.float16)
    descriptors = [TensorDescriptor.from_tensor(x, [b, D]) for x, b in [(q, BM), (k, BN), (v, BN), (out, BM)]]
    check_engine(attention_kernel[(M // BM,)](*descriptors, N, BM, BN, D), maps)
    expected = torch.softmax(q.float() @ k.float().T, 1) @ v.float()
    torch.testing.assert_close(out.float(), expected, rtol=0, atol=2e-2)


@triton.jit
def shifted_kernel(a, b, c, shift, K, B: tl.constexpr):
    accumulator = tl.zeros((B, B), dtype=tl.float32)
    for k in range(0, K, B):
        accumulator = tl.dot(a.load([0, k + shift]), b.load([k + shift, 0]), accumulator)
    c.store([0, 0], accumulator)


@pytest.mark.parametrize("shift", [3, -5])
def test_unaligned_coordinates(maps, shift):
    """TMA starts at multiples of 16 bytes: what is not known to does without it, as does `a` here."""
    a, b, c = make((64, 128), torch.float16), make((128, 64), torch.float16), torch.zeros((64, 64))
    descriptors = [TensorDescriptor.from_tensor(x, [64, 64]) for x in (a, b, c)]
    check_engine(shifted_kernel[(1,)](*descriptors, shift, 128, 64), maps)
    rows = slice(max(shift, 0), min(128 + shift, 128))
    torch.testing.assert_close(c, a[:, rows].float() @ b[rows].float(), rtol=0, atol=0.1)
