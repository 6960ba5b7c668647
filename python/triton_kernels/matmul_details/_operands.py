"""The operands of a product: checked, described, and as kernels take them."""

from __future__ import annotations

import torch
import triton.language as tl
from triton.runtime import driver

from ..target_info import cuda_capability_geq, is_cuda
from ..tensor import (
    FP4,
    RaggedTensorMetadata,
    Storage,
    Tensor,
    bitwidth,
    convert_layout,
    wrap_torch_tensor,
)
from ..tensor_details.layout import StridedLayout
from ._arguments import KernelArguments
from .opt_flags_details.problem import Problem


def _as_tensor(tensor, dtype=None):
    """Three dimensions, the first one experts or batches."""
    if isinstance(tensor, torch.Tensor):
        tensor = wrap_torch_tensor(tensor, dtype)
    if tensor.ndim == 2 and tensor.storage.data.ndim == 2:
        storage = Storage(tensor.storage.data.unsqueeze(0), tensor.storage.layout)
        tensor = Tensor(storage, tensor.dtype, [1, *tensor.shape])
    return tensor


def _without_shuffle(w):
    """Weights in a layout that the kernels do not read are put back."""
    return convert_layout(w, StridedLayout()) if w.storage.layout.name == "BLACKWELL_VALUE_SHUFFLED" else w


def _plain_scales(scales):
    """The scales of x with rows and groups as they are counted."""
    if not isinstance(scales, Tensor):
        return scales
    return convert_layout(scales, StridedLayout()).data


def _extent(tensor):
    """The largest offset in it, in elements."""
    return sum((size - 1) * abs(stride) for size, stride in zip(tensor.shape, tensor.stride()))


class Operands:
    """`M` slots per batch, `N` columns before the activation, `K` the sum, `batch` products side by side."""

    def __init__(
        self, *, x, w, bias, ragged, n_act, gather, scatter, config, betas, gammas, out_alpha, comm, activation, epilogue,
        y_acc_in, inner, y,
    ):  # fmt: skip
        """`ragged`: RaggedTensorMetadata of the rows, or None; `n_act`: slots of each row of the result, and rows of x by so much fewer than
        `gather` counts."""
        self.config, self.inner, self.comm, self.bias = config, inner, comm, bias
        self.ragged, self.n_act = ragged, n_act
        self.gather, self.scatter = gather, scatter
        self.betas, self.gammas, self.out_alpha, self.y_acc_in = betas, gammas, out_alpha, y_acc_in
        self.activation, self.epilogue = activation, epilogue
        self.x = x.storage.data if isinstance(x, Tensor) else x
        self.w = _as_tensor(w, FP4 if isinstance(w, torch.Tensor) and w.dtype == torch.uint8 else None)
        self.w = _without_shuffle(self.w)
        self.w_scale = None if config.b_mx_scale is None else _as_tensor(config.b_mx_scale)
        self.x_scale = _plain_scales(config.a_mx_scale)
        self.is_ragged = ragged is not None
        assert self.x.ndim in (2, 3), f"x has 2 or 3 dimensions, not {self.x.ndim}"
        assert self.w.ndim == 3, f"w has 2 or 3 dimensions, not {self.w.ndim}"
        self._measure()
        self._check()
        self._describe(epilogue, y)

    def _measure(self):
        w_shape = self.w.shape
        self.N = w_shape[-1]
        self.K = self.x.shape[-1]
        self.is_batched = self.x.ndim == 3 and self.inner is None
        self.M = self.x.shape[-2] if self.gather is None else self.gather.shape[0]
        self.batch = self.x.shape[0] if self.is_batched else 1
        if self.inner is not None:
            self.batch = self.inner.n_slices

    def _check(self):
        x, w, config = self.x, self.w, self.config
        assert x.device == w.device, f"x is on {x.device}, w on {w.device}"
        for name, operand in (("x", x), ("w", w)):  # bytes may hold narrow floats
            assert operand.dtype not in (torch.bool, torch.int16, torch.int32, torch.int64), (
                f"{name} holds {operand.dtype}, products take floats"
            )
        if self.inner is None:
            assert w.shape[-2] == self.K, f"x has {self.K} columns, w {w.shape[-2]} rows"
        if self.is_batched:
            others = (self.ragged, self.gather, self.scatter, self.comm)
            assert all(each is None for each in others), (
                "batched products have no routing, gather, scatter or communication"
            )
            assert w.shape[0] == x.shape[0], f"x has {x.shape[0]} batches, w {w.shape[0]}"
        elif self.is_ragged:
            # Of slices that were remapped, those that are left out stand behind the others.
            assert w.shape[0] <= self.ragged.n_slices, f"w has {w.shape[0]} experts, not {self.ragged.n_slices}"
        else:
            assert w.shape[0] == 1, f"w has {w.shape[0]} experts, but no rows are assigned to them"
        if self.inner is not None:
            assert self.inner.x_is_padded or self.inner.w_is_padded, "at least one operand must be padded to block_k"
            assert self.gather is None and self.scatter is None, "a ragged sum goes without gather and scatter"
        if self.bias is not None:
            assert self.bias.stride(-1) == 1 or self.bias.shape[-1] == 1, "bias must be contiguous along its columns"
            assert self.bias.shape[-1] == self.N, f"bias has {self.bias.shape[-1]} columns, w {self.N}"
            n_experts = self.w.shape[0] if self.inner is None else self.batch
            assert self.bias.ndim == 1 or self.bias.shape[0] == n_experts, (
                f"bias has {self.bias.shape[0]} rows for {n_experts} experts"
            )
        for name, factors in (("betas", self.betas), ("gammas", self.gammas)):
            assert factors is None or factors.numel() >= self.M, (
                f"{name} has {factors.numel()} entries for {self.M} rows"
            )
        if self.comm is not None and self.scatter is not None and self.n_act > 1:
            raise NotImplementedError("results that are reduced over experts cannot be sent to other ranks")
        self._check_formats(x, w, config)

    def _check_formats(self, x, w, config):
        is_column_major = w.storage.data.stride(-2) == 1
        data = w.storage.data
        is_swizzled = w.storage.layout.name is not None
        has_native = bool(cuda_capability_geq(10, 0))
        if self.w_scale is not None:
            assert data.dtype in (torch.uint8, torch.float8_e4m3fn, torch.float8_e5m2), f"{data.dtype} has no MX scales"
            if is_swizzled or not has_native:
                assert is_column_major or data.shape[-2] == 1, "w with MX scales must be column-major"
            if self.w.dtype == FP4 and not is_column_major:
                raise NotImplementedError(
                    "pairs of e2m1 along the columns of w; pack them along the sum (column-major)"
                )
            assert self.inner is None or self.inner.w_is_padded, "w with MX scales and a ragged sum must be padded"
        else:
            assert data.dtype != torch.uint8 or config.flex_ctx.rhs_data.dtype is not None, (
                "w of uint8 is e2m1: it needs its MX scales (b_mx_scale)"
            )
            if bitwidth(w.dtype) == 8 and not has_native:
                assert is_column_major or data.shape[-2] == 1, (
                    "w with 8 bits must be column-major below capability 10.0"
                )
        if self.x_scale is not None:
            assert self.w_scale is not None, "x with MX scales is multiplied with w with MX scales"
            assert x.stride(-1) == 1, "x with MX scales must be row-major"
            assert self.inner is None or self.inner.x_is_padded, "x with MX scales and a ragged sum must be padded"

    def _describe(self, epilogue, y):
        config, activation = self.config, self.activation
        flex = config.flex_ctx
        self.out_dtype = y.dtype if y is not None else config.out_dtype or self.x.dtype
        acts_late = activation.specs.fn is not None and (self.gammas is not None or self.y_acc_in is not None)
        has_mx = self.w_scale is not None or self.x_scale is not None or config.c_mx_scale is not None
        can_split = not (
            (self.scatter is not None and self.n_act > 1) or has_mx or self.inner is not None or self.comm is not None
        )
        can_split = can_split and not (acts_late or flex.out_data.is_per_batch or self.is_split_forbidden(flex))
        can_use_tma, can_emulate = self._can_use_tma(y)
        self.problem = Problem(
            out_dtype=self.out_dtype,
            lhs_dtype=self.x.dtype,
            rhs_dtype=self.w.dtype,
            precision_config=config,
            batch_size=self.batch,
            m=self.M,
            n=self.N,
            k=self.K,
            ragged=self.ragged,
            n_slices=self.w.shape[0],
            inner_block_k=None if self.inner is None else self.inner.block_k,
            can_use_tma=can_use_tma,
            can_emulate_tma=can_emulate,
            can_use_split_k=can_split,
            has_y_acc_in=self.y_acc_in is not None,
            epilogue_effective_itemsize=epilogue.effective_itemsize,
            reduction_n=activation.specs.reduction_n,
            weight_scale_layout=None if self.w_scale is None else self.w_scale.storage.layout,
            weight_layout=self.w.storage.layout,
        )

    @staticmethod
    def is_split_forbidden(flex):
        return flex.out_data.checksum_scale is not None

    def _can_use_tma(self, y):
        """(whether TMA can read the operands, whether descriptors could without it)"""
        storages = [Storage(self.x), self.w.storage]
        scale = self.w_scale
        if scale is not None and scale.storage.layout.name is not None:
            storages.append(scale.storage)
        is_inner = self.inner is not None
        shapes = (
            all(storage.data.numel() > 0 for storage in storages)
            and (not self.is_ragged or self.x.stride(-1) == 1)
            and (y is None or y.stride(-1) == 1)
            and (self.y_acc_in is None or self.y_acc_in is y)
            and (not is_inner or self.inner.w_is_padded or self.w.storage.data.stride(-1) == 1)
            and not (scale is not None and scale.storage.layout.name is None and scale.storage.data.stride(-1) != 1)
            and self.w.storage.layout.name != "HOPPER_VALUE"
            and not (is_cuda() and not cuda_capability_geq(10, 0) and self.w.dtype == FP4)
        )
        is_compliant = shapes and all(storage.is_tma_compliant() for storage in storages)
        on_processor = driver.active.get_current_target().backend == "cpu"
        return is_compliant, shapes and on_processor and all(storage.has_tma_geometry() for storage in storages)

    def check_kernel(self, flags):
        """What the chosen kernel cannot do."""
        has_native = bool(cuda_capability_geq(10, 0))
        is_mx = self.w_scale is not None
        if flags.is_persistent and is_mx and not has_native:
            raise NotImplementedError("the persistent kernel takes MX operands from capability 10.0 on")
        if flags.is_persistent and self.w.storage.layout.name == "HOPPER_VALUE":
            raise NotImplementedError("the persistent kernel does not take weights in HopperMXValueLayout")
        if is_mx and has_native and self.w_scale.storage.layout.name is not None and not flags.is_persistent:
            raise NotImplementedError("swizzled MX scales need the persistent kernel on capability 10.0 and later")
        if self.is_ragged:
            heights = RaggedTensorMetadata.block_sizes()
            assert flags.block_m in heights, f"block_m is {flags.block_m}, but tiles of experts are {heights} rows high"
        if self.inner is not None:
            assert flags.block_k == self.inner.block_k, f"block_k is {flags.block_k}, not {self.inner.block_k}"

    def make_result(self, y):
        """The tensor that is returned."""
        rows = self.M
        if self.scatter is not None:
            rows = self.scatter.src_indx.shape[0] // self.n_act
        if self.comm is not None:
            rows *= self.comm.n_reduce_shards
        shape = (rows, self.N // self.activation.specs.reduction_n)
        if self.is_batched or self.inner is not None:
            shape = (self.batch, *shape)
        before = self.y_acc_in
        assert before is None or self.comm is not None or tuple(before.shape[-len(shape) :]) == shape, (
            f"y_acc_in has shape {tuple(before.shape)}, not {shape}"
        )
        if y is None:
            return torch.empty(shape, dtype=self.out_dtype, device=self.x.device)
        assert tuple(y.shape[-len(shape) :]) == shape, f"y has shape {tuple(y.shape)}, not {shape}"
        return y

    @staticmethod
    def as_blocks(tensor):
        """[parts of the sum, batches, rows, columns]"""
        return None if tensor is None else tensor[(None,) * (4 - tensor.ndim)]

    def real_acc_in(self):
        """What the result is added to, with its scales, in float32."""
        flex = self.config.flex_ctx.acc_data
        before = flex.reinterpret(self.y_acc_in).float() * self.config.acc_scale
        return before if flex.scale is None else before * flex.scale

    def kernel_arguments(self, flags, *, y, y_mx, y_flex, grid_m, grid_n, adds_acc_in):
        """The arguments of either kernel, up to the functions."""
        flex = self.config.flex_ctx
        x = self.x if self.x.ndim == 3 else self.x[None]
        ragged, n_tiles = self._ragged(flags)
        return KernelArguments(
            Y=y_flex.reinterpret(y),
            y_strides=tuple(y.stride()),
            y_mx=(None, 0, 0, 0, 0) if y_mx is None else (y_mx, *y_mx.stride()),
            y_flex=tuple(y_flex),
            X=flex.lhs_data.reinterpret(x),
            x_strides=tuple(x.stride()),
            x_mx=self._x_mx(),
            x_flex=flex.lhs_data.scale,
            W=flex.rhs_data.reinterpret(self.w.storage.data),
            w_strides=tuple(self.w.storage.data.stride()),
            w_mx=self._w_mx(),
            w_flex=flex.rhs_data.scale,
            acc_in=self._acc_in() if adds_acc_in and self.y_acc_in is not None else (None, 0, 0, 0, 0.0, None),
            bias=(None, 0) if self.bias is None else (self.bias, self.bias.stride(0) if self.bias.ndim == 2 else 0),
            row_scales=(self.betas, self.gammas),
            out_alpha=self.out_alpha,
            M=self.M,
            N=self.N,
            K=self.K,
            N_OUT=y.shape[-1],
            gather=self.gather,
            scatter=None if self.scatter is None or flags.split_k > 1 else self.scatter.dst_indx,
            ragged=ragged,
            n_tiles_m=n_tiles,
            inner=self._inner(),
            batch=self.batch,
            grid_m=grid_m,
            grid_n=grid_n,
            comm=self._comm(),
        )

    def _ragged(self, flags):
        """(rows, first rows and tiles of experts), and how many tiles there are."""
        if not self.is_ragged:
            return (None, None, None), None
        meta = self.ragged
        n_tiles = meta.block_offs(flags.block_m)[self.w.shape[0] :]
        return (meta.slice_sizes, meta.slice_offs, meta.block_schedule(flags.block_m)), n_tiles

    def _inner(self):
        """Sizes, beginnings and blocks of experts along a ragged sum."""
        if self.inner is None:
            return (None, None, None)
        return (self.inner.sizes, self.inner.offsets, self.inner.block_offsets)

    def _acc_in(self):
        """What is added, its strides, the factor of the user's, and its scale."""
        before, acc_data = self.as_blocks(self.y_acc_in), self.config.flex_ctx.acc_data
        return (acc_data.reinterpret(before), *before.stride()[1:], self.config.acc_scale, acc_data.scale)

    def _comm(self):
        """Addresses of the results of all ranks and how many, shards of rows, this rank in a reduction and how many take part."""
        if self.comm is None:
            return (None, 0, None, 0, 1)
        table = self.comm.addresses(self.x.device)
        comm = self.comm
        return (table, table.numel(), comm.scatter_shard_indx, comm.reduce_rank, comm.n_reduce_shards)

    def _x_mx(self):
        """Scales of x with the strides of batches, rows and sum."""
        if self.x_scale is None:
            return (None, 0, 0, 0)
        scale = self.x_scale if self.x_scale.ndim == 3 else self.x_scale[None]
        return (scale, *scale.stride())

    def _w_mx(self):
        """Scales of w with the strides of experts, sum and columns."""
        if self.w_scale is None:
            return (None, 0, 0, 0)
        storage = self.w_scale.storage
        if storage.layout.name == "BLACKWELL_SCALE":
            of_tile = storage.data.stride(1)
            return (storage.data, of_tile * storage.layout.N_pad // 128, storage.data.stride(2), of_tile)
        return (storage.data, *storage.data.stride())

    def kernel_constants(self, flags, shrink, y):
        flex, config = self.config.flex_ctx, self.config
        scale_layout = None if self.w_scale is None else self.w_scale.storage.layout
        largest = max(_extent(self.x), _extent(self.w.storage.data), _extent(y))
        is_even = self.K % flags.block_k == 0 and self.inner is None
        return {
            "N_EXPTS_ACT": self.n_act,
            "SHRINK": shrink,
            "PER_BATCH": (flex.lhs_data.is_per_batch, flex.rhs_data.is_per_batch, flex.out_data.is_per_batch),
            "X_PADDED": self.inner is not None and self.inner.x_is_padded,
            "W_PADDED": self.inner is not None and self.inner.w_is_padded,
            "W_LAYOUT": self.w.storage.layout.name,
            "W_SCALE_LAYOUT": None if scale_layout is None else scale_layout.name,
            "W_SCALE_WARPS": getattr(scale_layout, "num_warps", 1),
            "SATURATE": config.flexpoint_saturate_inf,
            "ALLOW_TF32": config.allow_tf32,
            "MAX_IMPRECISE": config.max_num_imprecise_acc,
            "EVEN_K": is_even,
            "W_CACHE_MODIFIER": flags.w_cache_modifier,
            "BLOCK_M": flags.block_m,
            "BLOCK_N": flags.block_n,
            "BLOCK_K": flags.block_k,
            "SPLIT_K": flags.split_k,
            "GROUP_M": flags.group_m,
            "XCD": flags.xcd_swizzle,
            "INDEX": tl.int64 if largest >= 2**31 or flags.is_persistent else tl.int32,
        }
