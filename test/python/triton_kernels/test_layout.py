"""Layouts of MX operands in global memory: round trips on the host, inverses in kernels, and single entries by hand."""

import pytest
import torch
import triton
import triton.language as tl
from triton_kernels.tensor import FP4, convert_layout, wrap_torch_tensor
from triton_kernels.tensor_details.layout import (
    BlackwellMXScaleLayout,
    BlackwellMXValueLayout,
    CDNA4MXScaleLayout,
    HopperMXScaleLayout,
    HopperMXValueLayout,
    StridedLayout,
    make_default_matmul_mxfp4_w_layout,
    make_default_matmul_mxfp4_w_scale_layout,
    mxfp4_to_bf16_triton,
    unswizzle_mx_scale_bw,
    unswizzle_mx_scale_cdna4,
    unswizzle_mxfp4_scale_hopper,
)
from triton_kernels.tensor_details.layout_details.base import Layout


def random_bytes(*shape, device="cpu"):
    return torch.randint(0, 256, shape, dtype=torch.uint8, device=device)


ROUND_TRIPS = [
    (StridedLayout, {}, (3, 5)),
    (BlackwellMXValueLayout, {}, (2, 130, 7)),
    (BlackwellMXScaleLayout, {}, (3, 9, 130)),
    (BlackwellMXScaleLayout, {}, (8, 128)),
    *((HopperMXScaleLayout, {"mx_axis": axis, "num_warps": warps}, (2, 70, 130)) for axis in (1, 2) for warps in (4, 8)),
    *((HopperMXValueLayout, {"mx_axis": axis, "mma_version": version}, (2, 70, 130)) for axis in (-1, -2) for version in (2, 3)),
]  # fmt: skip


@pytest.mark.parametrize("layout, kwargs, shape", ROUND_TRIPS)
def test_round_trip(layout, kwargs, shape):
    data = random_bytes(*shape)
    made = layout(data.shape, **kwargs)
    assert isinstance(made, Layout)
    assert torch.equal(made.unswizzle_data(made.swizzle_data(data)), data)


def test_conversion_between_layouts():
    packed = wrap_torch_tensor(random_bytes(3, 96, 64).mT.contiguous().mT, FP4)
    hopper = convert_layout(packed, HopperMXValueLayout, mx_axis=-2)
    assert hopper.shape == packed.shape and hopper.storage.data.shape == (3, 128 * 4, 64 // 4)
    blackwell = convert_layout(hopper, BlackwellMXValueLayout)
    assert torch.equal(convert_layout(blackwell, StridedLayout).storage.data, packed.storage.data)


def test_shapes_of_blocks():
    assert BlackwellMXScaleLayout((8, 256)).swizzle_block_shape([256, 8]) == [1, 2, 2, 2, 256]
    with pytest.raises(AssertionError):
        BlackwellMXScaleLayout((8, 256)).swizzle_block_shape([64, 8])
    data = random_bytes(16, 64)
    layout = CDNA4MXScaleLayout(data.shape)
    assert torch.equal(layout.unswizzle_data(layout.swizzle_data(data)), data)


def test_bits_of_words():
    """Value number 3 (of the first of each pair) is all ones, the others zero."""
    data = torch.zeros(64, 64, dtype=torch.uint8)
    layout = HopperMXValueLayout(data.shape, mx_axis=1)
    data[8, 4] = 0x0F  # warp tile (1, 1) of the first thread
    words = layout.swizzle_data(data).view(torch.int32)
    assert words[0, 0] == 1 << 14 | 1 << 13 | 3 << 10 and words.count_nonzero() == 1


@pytest.mark.cpu_only
def test_defaults_without_a_gpu():
    assert make_default_matmul_mxfp4_w_layout(1) == (StridedLayout, {})
    assert make_default_matmul_mxfp4_w_scale_layout(1) == (StridedLayout, {})


@triton.jit
def restore_kernel(
    In, Out, SHAPE: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr, KIND: tl.constexpr, AXIS: tl.constexpr
):
    size: tl.constexpr = ROWS * COLS
    block = tl.reshape(tl.load(In + tl.arange(0, size)), SHAPE)
    if KIND == "blackwell":
        block = unswizzle_mx_scale_bw(block)
    elif KIND == "cdna4":
        block = unswizzle_mx_scale_cdna4(block, ROWS, COLS)
    else:
        block = unswizzle_mxfp4_scale_hopper(block, AXIS, num_warps=4)
    tl.store(Out + tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :], block)


@pytest.mark.parametrize("kind, axis", [("blackwell", 1), ("cdna4", 1), ("hopper", 1), ("hopper", 0)])
def test_scales_in_kernels(kind, axis, device):
    rows, cols = (8, 256) if axis == 0 else (256, 8)
    scales = random_bytes(rows, cols, device=device)
    if kind == "hopper":
        swizzled = HopperMXScaleLayout(scales.shape, mx_axis=axis, num_warps=4).swizzle_data(scales)
        shape = tuple(swizzled.shape)
    else:
        layout = (BlackwellMXScaleLayout if kind == "blackwell" else CDNA4MXScaleLayout)((cols, rows))
        swizzled = layout.swizzle_data(scales.T)
        swizzled = swizzled.T if kind == "cdna4" else swizzled
        shape = tuple(swizzled.shape)
    out = torch.empty_like(scales)
    restore_kernel[(1,)](swizzled.contiguous(), out, shape, rows, cols, kind, axis)
    assert torch.equal(out, scales)


@triton.jit
def decode_kernel(X, Scale, Out, M: tl.constexpr, K: tl.constexpr, AXIS: tl.constexpr):
    bytes_: tl.constexpr = M * K // 2
    x = tl.load(X + tl.arange(0, bytes_))
    scale = tl.load(Scale + tl.arange(0, M * K // 32))
    if AXIS == 0:
        out = mxfp4_to_bf16_triton(tl.reshape(x, (K * 2, M // 4)), tl.reshape(scale, (K // 32, M)), 0)
    else:
        out = mxfp4_to_bf16_triton(tl.reshape(x, (M // 4, K * 2)), tl.reshape(scale, (M, K // 32)), 1)
    tl.store(Out + tl.reshape(tl.arange(0, M * K), out.shape), out)


@pytest.mark.parametrize("axis", [0, 1])
def test_values_in_kernels(axis, device):
    M, K = 64, 128
    data = random_bytes(K // 2, M, device=device) if axis == 0 else random_bytes(M, K // 2, device=device)
    scale = torch.randint(120, 134, (K // 32, M) if axis == 0 else (M, K // 32), dtype=torch.uint8, device=device)
    swizzled = HopperMXValueLayout(data.shape, mx_axis=axis).swizzle_data(data).contiguous()
    out = torch.empty((K, M) if axis == 0 else (M, K), dtype=torch.bfloat16, device=device)
    decode_kernel[(1,)](swizzled, scale, out, M, K, axis)
    table = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6], device=device)
    table = torch.cat([table, -table])
    values = torch.stack([table[(data & 15).long()], table[(data >> 4).long()]], dim=axis + 1).reshape(out.shape)
    factors = torch.exp2(scale.float() - 127).repeat_interleave(32, dim=axis)
    assert torch.equal(out, (values * factors).to(torch.bfloat16))
