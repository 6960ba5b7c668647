"""Matrix products of experts: rows gathered from x, multiplied with the weights of their expert, scattered to y ("ogs": outer gather scatter)."""

from __future__ import annotations

import torch
import triton

from . import specialize
from .matmul_ogs_details._common import zero_rows_kernel
from .matmul_ogs_details._matmul_ogs import _matmul_ogs
from .matmul_ogs_details._operands import Operands
from .matmul_ogs_details._p_matmul_ogs import _p_matmul_ogs, install_allocator, make_descriptors
from .matmul_ogs_details._records import (
    Epilogue,
    FlexCtx,
    FnName,
    FusedActivation,
    FusedComm,
    GatherIndx,
    InnerRoutingData,
    PrecisionConfig,
    RoutingData,
    ScatterIndx,
)
from .matmul_ogs_details._reference import matmul_ogs_torch, post_matmul_comm_torch
from .matmul_ogs_details._scratch import MatmulAllocation, apply_allocation, init_allocation
from .matmul_ogs_details.opt_flags import (
    InapplicableConstraint,
    OptFlags,
    make_opt_flags,
    reset_opt_flags,
    reset_opt_flags_constraints,
    set_opt_flags,
    update_opt_flags_constraints,
)
from .numerics import InFlexData, OutFlexData
from .numerics_details.mxfp import quantize_mxfp8_fn
from .reduce import PostprocessFn, reduce
from .specialize import ClosureArg, FnSpecs
from .target_info import num_sms

__all__ = [
    "Epilogue",
    "FlexCtx",
    "FnName",
    "FnSpecs",
    "FusedActivation",
    "FusedComm",
    "GatherIndx",
    "InapplicableConstraint",
    "InnerRoutingData",
    "MatmulAllocation",
    "OptFlags",
    "PrecisionConfig",
    "RoutingData",
    "ScatterIndx",
    "apply_allocation",
    "init_allocation",
    "matmul_ogs",
    "matmul_ogs_set_idle_sms",
    "matmul_ogs_torch",
    "post_matmul_comm_torch",
    "reset_opt_flags",
    "reset_opt_flags_constraints",
    "set_opt_flags",
    "update_opt_flags_constraints",
]

specializations = specialize.SpecializationModule(
    "matmul_ogs",
    kernels=[("_matmul_ogs", _matmul_ogs), ("_p_matmul_ogs", _p_matmul_ogs)],
    closure_args={
        "activation": ClosureArg("ACTIVATION_FN", "activation_fn_args"),
        "epilogue": ClosureArg("EPILOGUE_FN", "epilogue_fn_args"),
    },
)


def matmul_ogs_set_idle_sms(num_idle_sms):
    """Leaves so many multiprocessors to others."""
    update_opt_flags_constraints({"idle_sms": num_idle_sms})


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
        kernels._matmul_ogs[(n_tiles,)](*arguments, *functions, **constants, **options)
        return
    n_programs = max(1, min(num_sms() - flags.idle_sms, n_tiles))
    if y.is_cuda:
        install_allocator(y.device)
    x, w, w_scale, modes = make_descriptors(operands, flags)
    arguments = arguments._replace(X=x, W=w)
    kernels._p_matmul_ogs[(n_programs,)](
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


def _finish_scatter(operands, scratch, scratch_mx, y, epilogue, out_flex, scatter_indx):
    """Adds up what the experts of each token gave."""
    n_act, config = operands.n_act, operands.config
    slots = scratch.view(-1, n_act, scratch.shape[-1])
    is_there = (scatter_indx.src_indx != -1).view(-1, n_act, 1)
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
        config.out_scale = out_mx


def matmul_ogs(
    x,
    w,
    bias,
    routing_data=None,
    gather_indx=None,
    scatter_indx=None,
    precision_config=None,
    betas=None,
    gammas=None,
    out_alpha=None,
    y=None,
    fused_comm=None,
    fused_activation=None,
    epilogue=None,
    y_acc_in=None,
    inner_routing_data=None,
):
    """For each expert: y[its rows] = x[its rows] @ w[expert], in float32, then in this order:

    scales, + bias * betas, * out_alpha, activation, * gammas, + y_acc_in, conversion to the type of y, epilogue.
    """
    config = PrecisionConfig() if precision_config is None else precision_config
    activation = FusedActivation() if fused_activation is None else fused_activation
    epilogue = Epilogue() if epilogue is None else epilogue
    if config.out_scale is not None and epilogue.specs.fn is None:
        epilogue = Epilogue(FnSpecs(FnName.QUANTIZE_MXFP8.name, quantize_mxfp8_fn, ()))
    operands = Operands(
        x=x, w=w, bias=bias, routing_data=routing_data, gather_indx=gather_indx, scatter_indx=scatter_indx, config=config,
        betas=betas, gammas=gammas, out_alpha=out_alpha, comm=fused_comm, activation=activation, epilogue=epilogue,
        y_acc_in=y_acc_in, inner=inner_routing_data, y=y,
    )  # fmt: skip
    y = operands.make_result(y)
    if y.numel() == 0:
        return y
    if operands.M == 0:
        return y.zero_()
    flags = make_opt_flags(operands.problem)
    operands.check_kernel(flags)
    allocation = init_allocation(operands, flags, y)
    scratch, scratch_mx = apply_allocation(allocation, y.device)
    out_flex = config.flex_ctx.out_data
    none = OutFlexData(out_flex.dtype)
    if flags.split_k > 1:
        _launch(operands, flags, scratch, None, none, FusedActivation(), Epilogue())
        _finish_split(operands, scratch, y, activation, epilogue, out_flex)
    elif scratch is not None:
        is_added_late = y_acc_in is not None
        assert not (is_added_late and scratch_mx is not None), (
            "MX results of several experts cannot be added to y_acc_in"
        )
        is_plain = is_added_late or scratch_mx is not None
        inner_flex = none if is_plain else OutFlexData(out_flex.dtype, out_flex.expected_scale)
        _launch(operands, flags, scratch, scratch_mx, inner_flex, activation, epilogue, adds_acc_in=False)
        _finish_scatter(operands, scratch, scratch_mx, y, epilogue, out_flex, scatter_indx)
    else:
        out_mx = config.out_scale
        out_mx = getattr(out_mx, "data", out_mx) if not isinstance(out_mx, torch.Tensor) else out_mx
        _launch(operands, flags, operands.as_blocks(y), operands.as_blocks(out_mx), out_flex, activation, epilogue)
        if scatter_indx is not None and fused_comm is None:
            rows = y.view(torch.uint8) if y.dtype.itemsize == 1 else y
            zero_rows_kernel[(y.shape[-2],)](
                rows, y.stride(-2), y.stride(-1), scatter_indx.src_indx, y.shape[-1], BLOCK=512
            )
    return y
