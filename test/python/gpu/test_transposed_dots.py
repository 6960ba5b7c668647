"""Products of f32 by tf32 whose right operand lies along N: wgmma reads such operands from shared memory along K only, so the product is computed
transposed, with that operand in registers.

Results are compared on the device that the tests run on; what code comes out is looked at for sm_90a."""

import re

import pytest
import torch
import triton
import triton.language as tl
from gpu_code import compile


@triton.jit
def product(
    a, b, c, M, N, K, stride_bk, stride_bn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, X3: tl.constexpr
):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for at in range(0, K, BK):
        ks = at + tl.arange(0, BK)
        left = tl.load(a + rows[:, None] * K + ks[None, :], mask=(rows[:, None] < M) & (ks[None, :] < K), other=0.0)
        right = tl.load(
            b + ks[:, None] * stride_bk + columns[None, :] * stride_bn,
            mask=(ks[:, None] < K) & (columns[None, :] < N),
            other=0.0,
        )
        total = tl.dot(left, right, total, input_precision="tf32x3" if X3 else "tf32")
    tl.store(c + rows[:, None] * N + columns[None, :], total, (rows[:, None] < M) & (columns[None, :] < N))


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("x3, tolerance", [(False, 2e-3), (True, 1e-5)])
@pytest.mark.parametrize(
    "M, N, K, block, warps",
    [(256, 512, 128, (128, 256, 32), 8), (200, 264, 100, (64, 128, 32), 4), (64, 64, 16, (64, 64, 16), 4)],
)
def test_product(device, M, N, K, block, warps, x3, tolerance, transposed):
    torch.manual_seed(0)
    a, b = torch.randn(M, K), torch.randn(K, N)
    right = b.to(device)
    if transposed:
        right = right.T.contiguous().T
    out = torch.empty(M, N, device=device)
    grid = (triton.cdiv(M, block[0]), triton.cdiv(N, block[1]))
    product[grid](a.to(device), right, out, M, N, K, *right.stride(), *block, x3, num_warps=warps)
    expected = a.double() @ b.double()
    assert (out.cpu().double() - expected).norm() / expected.norm() < tolerance


def test_long_sums(device):
    """Three terms of tf32 are as good as f32 also where K is long: tensor cores add up single blocks only."""
    torch.manual_seed(0)
    M, N, K = 64, 64, 2048
    a, b = torch.randn(M, K), torch.randn(K, N)
    out = torch.empty(M, N, device=device)
    right = b.to(device)
    product[(1, 1)](a.to(device), right, out, M, N, K, *right.stride(), 64, 64, 32, True)
    expected = a.double() @ b.double()
    assert (out.cpu().double() - expected).norm() / expected.norm() < 2e-6


@triton.jit
def sums(a, b, c, n, S: tl.constexpr):
    """The sum is used in the loop too, and a product is added to something else."""
    rows = tl.arange(0, S)
    at = rows[:, None] * S + rows[None, :]
    total = tl.zeros((S, S), tl.float32)
    other = tl.zeros((S, S), tl.float32)
    for i in range(n):
        left = tl.load(a + i * S * S + at)
        right = tl.load(b + i * S * S + at)
        total = tl.dot(left, right, total, input_precision="tf32")
        other += total * 0.5 + tl.dot(left, right, input_precision="tf32")
    tl.store(c + at, other)


def test_sums(device):
    torch.manual_seed(0)
    n, S = 3, 64
    a, b = torch.randn(n, S, S), torch.randn(n, S, S)
    out = torch.empty(S, S, device=device)
    sums[(1,)](a.to(device), b.to(device), out, n, S)
    products = a.double() @ b.double()
    expected = (products.cumsum(0) * 0.5 + products).sum(0)
    assert (out.cpu().double() - expected).norm() / expected.norm() < 2e-3


def test_code():
    """Of each operand a thread copies its part of a block; operand A is read from there, and nothing is stored to shared memory a second time."""
    sizes = {"M": "i32", "N": "i32", "K": "i32", "stride_bk": "i32", "stride_bn": 1}
    blocks = {"BM": 128, "BN": 256, "BK": 32, "X3": False}
    kernel = compile(product, {"a": "*fp32", "b": "*fp32", "c": "*fp32", **sizes, **blocks}, num_warps=8)
    loop = re.search(r"(?<=\n)\$L__BB\d+_\d+:(?:(?!\n\$L__BB).)*?wgmma\.mma_async.*?bra", kernel.asm["ptx"], re.DOTALL)[
        0
    ]
    assert re.search(r"m64n128k8\.f32\.tf32\.tf32 \{[^}]*\}, \{%", loop)
    assert len(re.findall(r"ld\.shared", loop)) == 256 * 32 // 256
    assert "st.shared" not in loop
