"""Normalisation, losses and activations in the style of training libraries."""

import pytest
import torch
import triton
import triton.language as tl

torch.manual_seed(1)


@triton.jit
def rms_norm_kernel(y_ptr, x_ptr, w_ptr, rstd_ptr, stride, n, eps, offset: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    mask = columns < n
    x = tl.load(x_ptr + row * stride + columns, mask=mask, other=0)
    dtype = x.dtype
    x = x.to(tl.float32)
    rstd = tl.rsqrt(tl.sum(x * x, axis=0) / n + eps)
    tl.store(rstd_ptr + row, rstd)
    w = tl.load(w_ptr + columns, mask=mask, other=0)
    tl.store(y_ptr + row * stride + columns, ((x * rstd).to(dtype) * (offset + w)).to(dtype), mask=mask)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("n", [64, 1000])
def test_rms_norm(dtype, n):
    x, w = torch.randn(13, n).to(dtype), torch.randn(n).to(dtype)
    y, rstd = torch.empty_like(x), torch.empty(13)
    rms_norm_kernel[(13,)](y, x, w, rstd, n, n, 1e-6, 0.0, triton.next_power_of_2(n))
    reference = (x.float().pow(2).mean(-1) + 1e-6).rsqrt()
    torch.testing.assert_close(rstd, reference, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(
        y.float(), ((x.float() * reference[:, None]).to(dtype) * w).float(), rtol=1e-2, atol=1e-2
    )


@triton.jit
def cross_entropy_kernel(
    logits_ptr,
    target_ptr,
    loss_ptr,
    stride,
    n_classes,
    ignore_index,
    label_smoothing: tl.constexpr,
    softcap,
    HAS_SOFTCAP: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Loss and gradient in one go, the gradient written over the logits, the row in several blocks."""
    row = tl.program_id(0).to(tl.int64)
    logits_ptr += row * stride
    target = tl.load(target_ptr + row)
    if target == ignore_index:
        for i in range(0, n_classes, BLOCK):
            columns = i + tl.arange(0, BLOCK)
            tl.store(logits_ptr + columns, 0.0, mask=columns < n_classes)
        return
    m = float("-inf")
    d = 0.0
    x_target = tl.load(logits_ptr + target).to(tl.float32)
    if HAS_SOFTCAP:
        e = tl.exp(2 * x_target / softcap)
        x_target = softcap * (e - 1) / (e + 1)
    total = 0.0
    for i in range(0, n_classes, BLOCK):
        columns = i + tl.arange(0, BLOCK)
        x = tl.load(logits_ptr + columns, mask=columns < n_classes, other=float("-inf")).to(tl.float32)
        if HAS_SOFTCAP:
            powers = tl.exp(2 * x / softcap)
            x = tl.where(columns < n_classes, softcap * (powers - 1) / (powers + 1), float("-inf"))
        if label_smoothing > 0:
            total += tl.sum(tl.where(columns < n_classes, x, 0.0))
        block_max = tl.max(x)
        m_new = tl.maximum(m, block_max)
        d = d * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new))
        m = m_new
    lse = m + tl.log(d)
    loss = lse - x_target
    if label_smoothing > 0:
        loss = (1 - label_smoothing) * loss + label_smoothing * (lse - total / n_classes)
    tl.store(loss_ptr + row, loss)
    if not HAS_SOFTCAP:
        for i in range(0, n_classes, BLOCK):
            columns = i + tl.arange(0, BLOCK)
            x = tl.load(logits_ptr + columns, mask=columns < n_classes, other=float("-inf")).to(tl.float32)
            gradient = tl.exp(x - lse) - label_smoothing / n_classes
            gradient = tl.where(columns == target, gradient - (1 - label_smoothing), gradient)
            tl.store(logits_ptr + columns, gradient, mask=columns < n_classes)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("classes, block", [(1000, 1024), (1000, 256)])
def test_cross_entropy(smoothing, classes, block):
    logits = torch.randn(9, classes, requires_grad=True)
    target = torch.randint(0, classes, (9,))
    target[4] = -100
    expected = torch.nn.functional.cross_entropy(
        logits, target, reduction="none", label_smoothing=smoothing, ignore_index=-100
    )
    expected.sum().backward()
    ours, loss = logits.detach().clone(), torch.zeros(9)
    cross_entropy_kernel[(9,)](ours, target, loss, classes, classes, -100, smoothing, 1.0, False, block)
    torch.testing.assert_close(loss, expected.detach(), rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(ours, logits.grad, rtol=1e-4, atol=1e-6)


def test_cross_entropy_with_softcap():
    logits, target = torch.randn(4, 300) * 20, torch.randint(0, 300, (4,))
    expected = torch.nn.functional.cross_entropy(30 * torch.tanh(logits / 30), target, reduction="none")
    loss = torch.zeros(4)
    cross_entropy_kernel[(4,)](logits, target, loss, 300, 300, -100, 0.0, 30.0, True, 512)
    torch.testing.assert_close(loss, expected, rtol=1e-4, atol=1e-4)


@triton.jit
def silu(x):
    return x * tl.sigmoid(x)


@triton.jit
def gelu_tanh(x):
    inner = 0.7978845608028654 * (x + 0.044715 * x * x * x)
    return 0.5 * x * (1 + (1 - 2 / (tl.exp(2 * inner) + 1)))


@triton.jit
def gated_kernel(gate_ptr, up_ptr, out_ptr, n, ACTIVATION: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    gate = tl.load(gate_ptr + offsets, mask=mask, other=0).to(tl.float32)
    up = tl.load(up_ptr + offsets, mask=mask, other=0)
    tl.store(out_ptr + offsets, ACTIVATION(gate).to(up.dtype) * up, mask=mask)


@pytest.mark.parametrize(
    "activation, reference",
    [(silu, torch.nn.functional.silu), (gelu_tanh, lambda x: torch.nn.functional.gelu(x, approximate="tanh"))],
)
def test_gated_activation(activation, reference):
    gate, up = torch.randn(5000).half(), torch.randn(5000).half()
    out = torch.empty_like(gate)
    gated_kernel[(triton.cdiv(5000, 512),)](gate, up, out, 5000, activation, 512)
    torch.testing.assert_close(out, reference(gate.float()).half() * up, rtol=1e-2, atol=1e-3)


@triton.jit
def dropout_kernel(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    keep = tl.rand(seed, offsets) > p
    tl.store(out_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=mask)


def test_seeded_dropout():
    x = torch.ones(100_000)
    first, second, third = (torch.empty_like(x) for _ in range(3))
    dropout_kernel[(98,)](x, first, 100_000, 0.25, 123, 1024)
    dropout_kernel[(98,)](x, second, 100_000, 0.25, 123, 1024)
    dropout_kernel[(98,)](x, third, 100_000, 0.25, 124, 1024)
    assert torch.equal(first, second) and not torch.equal(first, third)
    assert abs((first == 0).float().mean() - 0.25) < 0.01
    torch.testing.assert_close(first[first != 0], torch.full_like(first[first != 0], 1 / 0.75))


@triton.jit
def segment_combine(value1, flag1, value2, flag2):
    return tl.where(flag2 != 0, value2, value1 + value2), flag1 | flag2


@triton.jit
def segmented_sum_kernel(values_ptr, segments_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Running sums that begin anew with each segment, then one atomic add per segment end."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    value = tl.load(values_ptr + offsets, mask=mask, other=0.0)
    segment = tl.load(segments_ptr + offsets, mask=mask, other=-1)
    previous = tl.load(segments_ptr + offsets - 1, mask=mask & (offsets % BLOCK != 0), other=-2)
    following = tl.load(segments_ptr + offsets + 1, mask=(offsets + 1 < n) & (offsets % BLOCK != BLOCK - 1), other=-2)
    sums, _ = tl.associative_scan((value, (segment != previous).to(tl.int32)), 0, segment_combine)
    tl.atomic_add(out_ptr + segment, sums, mask=mask & (segment != following))


def test_segmented_sum():
    n, segments = 5000, 40
    ids = torch.sort(torch.randint(0, segments, (n,))).values.to(torch.int32)
    values = torch.randn(n)
    out = torch.zeros(segments)
    segmented_sum_kernel[(triton.cdiv(n, 256),)](values, ids, out, n, 256)
    torch.testing.assert_close(out, torch.zeros(segments).index_add(0, ids.long(), values), rtol=1e-4, atol=1e-4)
