"""Matrix products of experts: rows gathered from a, multiplied with the weights of their slice, scattered to c."""

from __future__ import annotations

import dataclasses

import torch
import triton

from . import specialize
from .matmul_details._common import zero_rows_kernel
from .matmul_details._matmul import _matmul
from .matmul_details._operands import Operands
from .matmul_details._p_matmul import _p_matmul, install_allocator, make_descriptors
from .matmul_details._records import (
    Closure,
    Epilogue,
    FlexCtx,
    FnName,
    FusedActivation,
    FusedComm,
    PrecisionConfig,
    RaggedSum,
    Scatter,
)
from .matmul_details._reference import matmul_torch, post_matmul_comm_torch
from .matmul_details._scratch import MatmulAllocation, apply_allocation, init_allocation
from .matmul_details.opt_flags import (
    InapplicableConstraint,
    OptFlags,
    make_opt_flags,
    reset_opt_flags,
    reset_opt_flags_constraints,
    scoped_opt_flags,
    scoped_opt_flags_constraints,
    set_idle_sms,
    set_opt_flags,
    update_opt_flags_constraints,
)
from .numerics import InFlexData, OutFlexData
from .numerics_details.mxfp import quantize_mxfp8_fn, upcast_from_mxfp
from .reduce import PostprocessFn, reduce
from .specialize import ClosureArg, FnSpecs
from .target_info import num_sms
from .tensor import Tensor, convert_layout, dtype_to_torch_dtype
from .tensor_details.layout import StridedLayout

__all__ = [
    "Closure", "Epilogue", "FlexCtx", "FnName", "FnSpecs", "FusedActivation", "FusedComm", "InapplicableConstraint", "MatmulAllocation",
    "OptFlags", "PrecisionConfig", "apply_allocation", "init_allocation", "make_opt_flags", "matmul", "matmul_set_idle_sms", "matmul_torch",
    "post_matmul_comm_torch", "reset_opt_flags", "reset_opt_flags_constraints", "scoped_opt_flags", "scoped_opt_flags_constraints",
    "set_opt_flags", "update_opt_flags_constraints",
]  # fmt: skip

specializations = specialize.SpecializationModule(
    "matmul",
    kernels=[("_matmul", _matmul), ("_p_matmul", _p_matmul)],
    closure_args={
        "activation": ClosureArg("ACTIVATION_FN", "activation_fn_args"),
        "epilogue": ClosureArg("EPILOGUE_FN", "epilogue_fn_args"),
    },
)


def matmul_set_idle_sms(num_idle_sms):
    """Leaves so many multiprocessors to others."""
    set_idle_sms(num_idle_sms)


def _launch(operands, flags, y, y_mx, y_flex, activation, epilogue, adds_acc_in=True):
    """One kernel: from operands to `y` [parts of the sum, batches, rows, columns]."""
    kernels = specializations.get(activation=activation.specs, epilogue=epilogue.specs)
    grid_m = operands.problem.grid_m(flags.block_m)
    grid_n = triton.cdiv(operands.N, flags.block_n)
    n_tiles = operands.batch * grid_m * grid_n * flags.split_k
    arguments = operands.kernel_arguments(
        flags, y=y, y_mx=y_mx, y_flex=y_flex, grid_m=grid_m, grid_n=grid_n, adds_acc_in=adds_acc_in
    )
    constants = operands.kernel_constants(flags, activation.specs.reduction_n, y)
    options = {"num_warps": flags.num_warps, "num_stages": flags.num_stages, **flags.target_kernel_kwargs}
    functions = (*activation.fn_args, *epilogue.fn_arg_values_matmul)
    if not flags.is_persistent:
        kernels._matmul[(n_tiles,)](*arguments, *functions, **constants, **options)
        return
    n_programs = max(1, min(num_sms() - flags.idle_sms, n_tiles))
    if y.is_cuda:
        install_allocator(y.device)
    x, w, w_scale, modes = make_descriptors(operands, flags)
    arguments = arguments._replace(X=x, W=w)
    kernels._p_matmul[(n_programs,)](
        *arguments, w_scale, *functions, **constants, **modes, NUM_PROGRAMS=n_programs,
        SUBTILE=flags.epilogue_subtile or 1, **options,
    )  # fmt: skip


def _rows(y):
    """The result as one matrix, if it can be seen so."""
    return y.view(-1, y.shape[-1]) if y.is_contiguous() else None


def _keep(out, y):
    """A matrix that could not be computed in place to its place."""
    if out.data_ptr() != y.data_ptr():
        y.copy_(out.view(y.shape))


def _finish_split(operands, scratch, y, activation, epilogue, out_flex):
    """Adds the parts of the sum up, and does what had to wait for it."""
    parts = scratch.view(scratch.shape[0], -1, scratch.shape[-1])
    fn1 = PostprocessFn(activation.specs, activation.fn_args)
    fn2 = PostprocessFn(epilogue.specs, epilogue.fn_arg_values_finalize)
    out, _ = reduce(
        parts, dim=0, y_flex=out_flex, y_flex_saturate_inf=operands.config.flexpoint_saturate_inf, y_dtype=y.dtype,
        y_has_mx=False, y=_rows(y), postprocess_fn1=fn1, postprocess_fn2=fn2,
    )  # fmt: skip
    _keep(out, y)


def _finish_scatter(operands, scratch, scratch_mx, y, epilogue, out_flex):
    """Adds up what the experts of each token gave."""
    n_act, config = operands.n_act, operands.config
    slots = scratch.view(-1, n_act, scratch.shape[-1])
    is_there = (operands.scatter.src_indx != -1).view(-1, n_act, 1)
    is_mx = scratch_mx is not None
    fn2 = None if is_mx else PostprocessFn(epilogue.specs, epilogue.fn_arg_values_finalize)
    in_flex = InFlexData(out_flex.dtype, None if is_mx else out_flex.expected_scale)
    if operands.y_acc_in is not None:
        # One more slot for each token, always there; all are float32 then, and have no scale.
        before = operands.real_acc_in().reshape(-1, 1, slots.shape[-1])
        slots, in_flex = torch.cat([slots, before], dim=1), InFlexData()
        is_there = torch.cat([is_there, torch.ones_like(is_there[:, :1])], dim=1)
    out, out_mx = reduce(
        slots, dim=1, mask=is_there, x_mxscale=scratch_mx.view(-1, n_act, scratch_mx.shape[-1]) if is_mx else None,
        x_flex=in_flex, y_flex=out_flex, y_flex_saturate_inf=config.flexpoint_saturate_inf, y_dtype=y.dtype,
        y=_rows(y), postprocess_fn2=fn2,
    )  # fmt: skip
    _keep(out, y)
    if is_mx:
        config.c_mx_scale = out_mx


def multiply(operands, y=None):
    """The product that `operands` describe, into `y` if it is given."""
    config, activation, epilogue = operands.config, operands.activation, operands.epilogue
    y = operands.make_result(y)
    if y.numel() == 0:
        return y
    if operands.M == 0:
        return y.zero_()
    flags = make_opt_flags(operands.problem)
    operands.check_kernel(flags)
    allocation = init_allocation(operands, flags, y)
    scratch, scratch_mx = apply_allocation(allocation, y.device)
    out_flex, scatter = config.flex_ctx.out_data, operands.scatter
    none = OutFlexData(out_flex.dtype)
    if flags.split_k > 1:
        _launch(operands, flags, scratch, None, none, FusedActivation(), Epilogue())
        slots = y if scatter is None else torch.empty((operands.M, y.shape[-1]), dtype=y.dtype, device=y.device)
        _finish_split(operands, scratch, slots, activation, epilogue, out_flex)
        if scatter is not None:
            is_there = (scatter.src_indx >= 0)[:, None]
            y.copy_(torch.where(is_there, slots[scatter.src_indx.long().clamp(min=0)], torch.zeros_like(slots[:1])))
    elif scratch is not None:
        is_added_late = operands.y_acc_in is not None
        assert not (is_added_late and scratch_mx is not None), (
            "MX results of several experts cannot be added to what is accumulated"
        )
        is_plain = is_added_late or scratch_mx is not None
        inner_flex = none if is_plain else OutFlexData(out_flex.dtype, out_flex.expected_scale)
        _launch(operands, flags, scratch, scratch_mx, inner_flex, activation, epilogue, adds_acc_in=False)
        _finish_scatter(operands, scratch, scratch_mx, y, epilogue, out_flex)
    else:
        out_mx = config.c_mx_scale
        out_mx = getattr(out_mx, "data", out_mx) if not isinstance(out_mx, torch.Tensor) else out_mx
        _launch(operands, flags, operands.as_blocks(y), operands.as_blocks(out_mx), out_flex, activation, epilogue)
        if scatter is not None and operands.comm is None:
            rows = y.view(torch.uint8) if y.dtype.itemsize == 1 else y
            zero_rows_kernel[(y.shape[-2],)](rows, y.stride(-2), y.stride(-1), scatter.src_indx, y.shape[-1], BLOCK=512)
    return y


def defaults(config, activation, epilogue):
    """What is meant where nothing is said; MX results have an epilogue that makes them."""
    config = PrecisionConfig() if config is None else config
    activation = FusedActivation() if activation is None else activation
    epilogue = Epilogue() if epilogue is None else epilogue
    if config.c_mx_scale is not None and epilogue.specs.fn is None:
        epilogue = Epilogue(FnSpecs(FnName.QUANTIZE_MXFP8.name, quantize_mxfp8_fn, ()))
    return config, activation, epilogue


def _scatter_of(scatter_indx, n_rows):
    """With the slot that comes to each of `n_rows` rows."""
    if scatter_indx is None:
        return None
    slots = torch.arange(scatter_indx.shape[0], dtype=torch.int32, device=scatter_indx.device)
    sources = torch.full((n_rows + 1,), -1, dtype=torch.int32, device=scatter_indx.device)
    target = scatter_indx.long()
    sources[torch.where(target < 0, n_rows, target)] = slots
    return Scatter(scatter_indx, sources[:n_rows])


def _ragged_sum(a_metadata, b_metadata):
    """Which operand is padded is the one whose slices are multiples of something."""
    a_step, b_step = a_metadata.slice_sizes_divisibility, b_metadata.slice_sizes_divisibility
    assert a_step is not None or b_step is not None, (
        "of a ragged sum at least one operand is padded: its metadata have slice_sizes_divisibility"
    )
    assert a_step is None or b_step is None or a_step == b_step, f"slices are padded to {a_step} and to {b_step}"
    padded, plain = (a_metadata, b_metadata) if a_step is not None else (b_metadata, a_metadata)
    block_k = a_step or b_step
    sizes = torch.minimum(a_metadata.slice_sizes, b_metadata.slice_sizes)
    return RaggedSum(
        sizes, plain.slice_offs, padded.block_offs(block_k), block_k, a_step is not None, b_step is not None
    )


def _is_nvfp4(scale):
    data = scale.data if isinstance(scale, Tensor) else scale
    return data is not None and data.dtype == torch.float8_e4m3fn


def _upcast(operand, scale, tensor_scale, axis):
    """An operand in NVFP4 as bfloat16."""

    def plain(tensor):
        return convert_layout(tensor, StridedLayout()).data if isinstance(tensor, Tensor) else tensor

    values = upcast_from_mxfp(plain(operand), plain(scale), torch.float32, axis, tensor_scale=tensor_scale)
    return values.to(torch.bfloat16)


def _without_nvfp4(a, b, config):
    """Products take scales of exponents; others are applied to the operands before."""
    if _is_nvfp4(config.a_mx_scale):
        a = _upcast(a, config.a_mx_scale, config.a_mx_tensor_scale, -1)
        config = dataclasses.replace(
            config, a_mx_scale=None, a_mx_tensor_scale=None, out_dtype=config.out_dtype or a.dtype
        )
    if _is_nvfp4(config.b_mx_scale):
        b = _upcast(b, config.b_mx_scale, config.b_mx_tensor_scale, -2)
        config = dataclasses.replace(config, b_mx_scale=None, b_mx_tensor_scale=None)
    return a, b, config


def matmul(
    a,
    b,
    bias,
    a_ragged_metadata=None,
    b_ragged_metadata=None,
    gather_indx=None,
    scatter_indx=None,
    precision_config=None,
    betas=None,
    gammas=None,
    out_alpha=None,
    c=None,
    fused_comm=None,
    fused_activation=None,
    epilogue=None,
    c_acc_in=None,
):
    """c = a @ b, in float32, then in this order: scales, + bias * betas, * out_alpha, activation, * gammas, + c_acc_in, conversion, epilogue.

    - a and b of two dimensions, or of three with equal batches: products as they are.
    - a_ragged_metadata: rows of a are divided into slices, and those of slice e are multiplied with b[e].
    - b_ragged_metadata as well: columns of a and rows of b are divided into slices; c[e] is the product of slice e.

    Row i of the product takes row gather_indx[i] of a, and goes to row scatter_indx[i] of c; -1: it goes nowhere. Where c is given with fewer rows than
    that, several may go to one row, and are added.
    """
    given, (config, activation, epilogue) = precision_config, defaults(precision_config, fused_activation, epilogue)
    a, b, config = _without_nvfp4(a, b, config)
    if config.out_dtype is not None:
        config = dataclasses.replace(config, out_dtype=dtype_to_torch_dtype(config.out_dtype))
    is_inner = b_ragged_metadata is not None
    n_slots = None if scatter_indx is None else scatter_indx.shape[0]
    is_summed = c is not None and n_slots is not None and c.shape[-2] < n_slots
    operands = Operands(
        x=a, w=b, bias=bias, ragged=None if is_inner else a_ragged_metadata, n_act=1, gather=gather_indx,
        scatter=None if is_summed else _scatter_of(scatter_indx, n_slots), config=config, betas=betas, gammas=gammas,
        out_alpha=out_alpha, comm=fused_comm, activation=activation, epilogue=epilogue, y_acc_in=c_acc_in,
        inner=_ragged_sum(a_ragged_metadata, b_ragged_metadata) if is_inner else None, y=None if is_summed else c,
    )  # fmt: skip
    if is_summed:
        slots = multiply(operands)
        keeps = (scatter_indx >= 0)[:, None]
        total = torch.zeros(c.shape, dtype=torch.float32, device=c.device)
        total.index_add_(0, scatter_indx.long().clamp(min=0), torch.where(keeps, slots.float(), 0.0))
        return c.copy_(total)
    out = multiply(operands, c)
    if given is not None and config is not given:
        given.c_mx_scale = config.c_mx_scale
    return out
