"""What a matrix product of experts is told besides its operands."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Callable

import torch

from ..numerics import InFlexData, OutFlexData
from ..specialize import FnSpecs


@dataclass(frozen=True)
class FlexCtx:
    lhs_data: InFlexData = field(default_factory=InFlexData)
    rhs_data: InFlexData = field(default_factory=InFlexData)
    out_data: OutFlexData = field(default_factory=OutFlexData)
    acc_data: InFlexData = field(default_factory=InFlexData)


@dataclass
class PrecisionConfig:
    """Number formats. `a_mx_scale`, `b_mx_scale` and `c_mx_scale` are the scales of MX operands and result, one for each microblock along the sum,
    or along the result's columns: codes of exponents (uint8, 32 elements), or float8_e4m3fn (NVFP4, 16 elements, beside a scale of the tensor).
    """

    max_num_imprecise_acc: int | None = None
    allow_tf32: bool = True
    flex_ctx: FlexCtx = field(default_factory=FlexCtx)
    acc_scale: float = 1.0
    flexpoint_saturate_inf: bool = False
    report_quantization_err_fn: Callable | None = None
    a_mx_scale: Any = None
    b_mx_scale: Any = None
    c_mx_scale: Any = None
    out_dtype: Any = None
    enforce_bitwise_invariance: bool = False
    a_mx_tensor_scale: Any = None
    a_microblock_size: int | None = None
    b_mx_tensor_scale: Any = None
    b_microblock_size: int | None = None
    c_microblock_size: int | None = None
    c_value_pack_factor: int = 1
    intermediate_out_dtype: Any = None  # of the parts of a split sum


class FnName(Enum):
    """Device functions that the product knows by name."""

    QUANTIZE_MXFP8 = auto()


@dataclass(frozen=True)
class FusedActivation:
    """A function of the product's tiles, in float32, before weights are applied."""

    specs: FnSpecs = field(default_factory=FnSpecs.default)
    fn_args: tuple[object, ...] = ()


@dataclass(frozen=True)
class Epilogue:
    """A function of what will be stored: with some arguments behind the product, with others behind a reduction that follows it."""

    specs: FnSpecs = field(default_factory=FnSpecs.default)
    fn_arg_values_matmul: tuple[object, ...] = ()
    fn_arg_values_finalize: tuple[object, ...] = ()
    effective_itemsize: float | None = None


@dataclass(frozen=True)
class Closure:
    """A device function and the values that it has besides its arguments."""

    fn: Any
    captured: tuple = ()


@dataclass
class FusedComm:
    """Results go to other ranks: row m to row m * n_reduce_shards + reduce_rank of the ranks of shard `scatter_shard_indx[m]`, or of all ranks.

    `out_handles`: the result tensor of every rank, or an int64 tensor of their addresses.
    `map_dst_coord` and `all_writes_issued`, closures that kernels of Triton 3.7 call, are not supported: giving one is an error.
    """

    out_handles: Any
    scatter_shard_indx: torch.Tensor | None = None
    reduce_rank: int = 0
    n_reduce_shards: int = 1
    map_dst_coord: Closure | None = None
    all_writes_issued: Closure | None = None

    def __post_init__(self):
        for name in ("map_dst_coord", "all_writes_issued"):
            if getattr(self, name) is not None:
                raise ValueError(f"FusedComm does not support {name}: results go where scatter_shard_indx says")

    def addresses(self, device):
        if isinstance(self.out_handles, torch.Tensor) and self.out_handles.dtype == torch.int64:
            return self.out_handles
        return torch.tensor([each.data_ptr() for each in self.out_handles], dtype=torch.int64, device=device)


@dataclass
class Scatter:
    """Where slots go, -1: nowhere; and, for each row of the result (or part of it), which slot comes there, -1: none."""

    dst_indx: torch.Tensor
    src_indx: torch.Tensor


@dataclass
class RaggedSum:
    """Slices are consecutive along the summed dimension. At least one operand is padded with zeros to a multiple of `block_k` for each slice.

    sizes, offsets: of slices, without padding; block_offsets: with padding, in blocks.
    """

    sizes: torch.Tensor
    offsets: torch.Tensor
    block_offsets: torch.Tensor
    block_k: int
    x_is_padded: bool = False
    w_is_padded: bool = False

    @property
    def n_slices(self):
        return self.sizes.shape[0]
