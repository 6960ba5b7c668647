"""Memory between a product and the reduction behind it."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
import triton

from ..numerics_details.mxfp_device import MXFP_BLOCK_SIZE
from ..target_info import is_hip
from ..tensor import dtype_to_torch_dtype


@dataclass
class MatmulAllocation:
    """Shapes and types of what has to be allocated; None: nothing."""

    device: torch.device
    output: tuple | None = None
    scratchpads: dict[str, tuple] = field(default_factory=dict)


def init_allocation(operands, flags, y):
    """[parts of the sum, batches, rows, columns] if a reduction follows: over parts, or over the experts of a token."""
    allocation = MatmulAllocation(y.device, (tuple(y.shape), y.dtype))
    is_split = flags.split_k > 1
    is_scattered = operands.scatter is not None and (operands.n_act > 1 or bool(is_hip()))
    if not (is_split or is_scattered):
        return allocation
    rows = operands.scatter.src_indx.shape[0] if is_scattered else operands.M
    # The activation waits until the sum is complete.
    columns = operands.N if is_split else y.shape[-1]
    # What is added to the sum over experts is added before the result is rounded.
    of_parts = dtype_to_torch_dtype(operands.config.intermediate_out_dtype or torch.float32)
    dtype = of_parts if is_split else torch.float32 if operands.y_acc_in is not None else y.dtype
    allocation.scratchpads["matmul"] = ((flags.split_k, operands.batch, rows, columns), dtype)
    if operands.config.c_mx_scale is not None:
        groups = triton.cdiv(columns, MXFP_BLOCK_SIZE.value)
        allocation.scratchpads["mx_out_scale"] = ((flags.split_k, operands.batch, rows, groups), torch.uint8)
    return allocation


def apply_allocation(allocation, device):
    """(scratch, its MX scales); each may be None."""
    made = {
        name: torch.empty(shape, dtype=dtype, device=device) for name, (shape, dtype) in allocation.scratchpads.items()
    }
    return made.get("matmul"), made.get("mx_out_scale")
