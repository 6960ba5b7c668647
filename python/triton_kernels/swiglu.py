"""SwiGLU on columns that alternate between gates (even) and linear parts (odd), with clamping and flexpoint."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
import triton
import triton.language as tl

from .numerics import InFlexData, OutFlexData
from .numerics_details.flexpoint import float_to_flex, load_scale
from .target_info import num_sms


@dataclass(frozen=True)
class FlexCtx:
    out_data: OutFlexData = field(default_factory=OutFlexData)
    inp_data: InFlexData = field(default_factory=InFlexData)
    saturate_inf: bool = False


@dataclass(frozen=True)
class PrecisionConfig:
    """`limit`: gates are at most this, linear parts at most this in magnitude; None: no limit."""

    limit: float | None
    flex_ctx: FlexCtx = field(default_factory=FlexCtx)


@triton.jit
def _gated(gate, linear, alpha, limit):
    if limit is not None:
        gate = tl.minimum(gate, limit)
        linear = tl.clamp(linear, -limit, limit)
    s = gate / (1 + tl.exp(-alpha * gate))
    return tl.fma(s, linear, s)


@triton.jit
def swiglu_fn(input, alpha, limit):
    """Of a block [M, 2 N] the block [M, N]; for use behind a matrix product."""
    gate, linear = tl.split(tl.reshape(input, (input.shape[0], input.shape[1] // 2, 2)))
    return _gated(gate.to(tl.float32), linear.to(tl.float32), alpha, limit)


@triton.jit
def _swiglu(
    Out, stride_out: tl.int64, OutExpected, OutActual, OutChecksum, A, stride_a: tl.int64, AScale, alpha, limit,
    M, N, Rows, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, SATURATE: tl.constexpr
):  # fmt: skip
    if Rows is not None:
        used = tl.load(Rows)
        M = tl.where(used >= 0, tl.minimum(used, M), M)
    a_scale = load_scale(AScale)
    n_tiles_n = tl.cdiv(N, BLOCK_N)
    for tile in range(tl.program_id(0), tl.cdiv(M, BLOCK_M) * n_tiles_n, tl.num_programs(0)):
        rows = (tile // n_tiles_n) * BLOCK_M + tl.arange(0, BLOCK_M)
        cols = (tile % n_tiles_n) * BLOCK_N + tl.arange(0, BLOCK_N)
        pairs = (tile % n_tiles_n) * BLOCK_N * 2 + tl.arange(0, BLOCK_N * 2)
        a = tl.load(
            A + rows[:, None] * stride_a + pairs[None, :],
            mask=(rows[:, None] < M) & (pairs[None, :] < 2 * N),
            other=0.0,
        )
        out = swiglu_fn(a.to(tl.float32) * a_scale, alpha, limit)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        out = float_to_flex(out, OutExpected, OutActual, OutChecksum, mask, Out, SATURATE)
        tl.store(Out + rows[:, None] * stride_out + cols[None, :], out.to(Out.dtype.element_ty), mask=mask)


def _check(a):
    assert a.shape[-1] % 2 == 0, f"the last dimension holds pairs: its size must be even, not {a.shape[-1]}"
    assert a.stride(-1) == 1 or a.shape[-1] == 1, "the last dimension must be contiguous"


class SwiGLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, alpha, precision_config, routing_data):
        _check(a)
        flex = precision_config.flex_ctx
        N = a.shape[-1] // 2
        out = torch.empty((*a.shape[:-1], N), dtype=a.dtype, device=a.device)
        if out.numel() == 0:
            return out
        rows = a.reshape(-1, a.shape[-1])
        M = rows.shape[0]
        used = None
        if routing_data is not None and routing_data.expt_data is not None:
            used = routing_data.expt_data.slice_offs[-1:]
        block_m, block_n = 32, 128
        grid = min(4 * num_sms(), triton.cdiv(M, block_m) * triton.cdiv(N, block_n))
        _swiglu[(grid,)](
            flex.out_data.reinterpret(out), N, *flex.out_data, flex.inp_data.reinterpret(rows), rows.stride(0),
            flex.inp_data.scale, alpha, precision_config.limit, M, N, used,
            BLOCK_M=block_m, BLOCK_N=block_n, SATURATE=flex.saturate_inf,
        )  # fmt: skip
        return out

    @staticmethod
    def backward(ctx, d_out):
        raise NotImplementedError("swiglu has no gradient")


def swiglu(a, alpha, precision_config, routing_data=None):
    """s * (linear + 1) with s = gate * sigmoid(alpha * gate); rows behind the last that `routing_data` uses are left alone."""
    return SwiGLU.apply(a, alpha, precision_config, routing_data)


def swiglu_torch(a, alpha, precision_config, routing_data=None):
    _check(a)
    flex, limit = precision_config.flex_ctx, precision_config.limit
    values = flex.inp_data.reinterpret(a).float()
    if flex.inp_data.scale is not None:
        values = values * flex.inp_data.scale
    gate, linear = values[..., ::2], values[..., 1::2]
    if limit is not None:
        gate, linear = gate.clamp(max=limit), linear.clamp(-limit, limit)
    s = gate * torch.sigmoid(alpha * gate)
    out = s * (linear + 1)
    if flex.out_data.expected_scale is not None:
        out = out / flex.out_data.expected_scale
    return out.to(flex.out_data.reinterpret(a).dtype).view(a.dtype)
