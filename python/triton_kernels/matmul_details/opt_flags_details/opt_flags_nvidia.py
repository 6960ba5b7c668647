"""Tiles on NVIDIA's GPUs, and on the processor, whose cores stand for multiprocessors."""

import inspect

from triton import next_power_of_2
from triton.runtime import driver

from ...target_info import cuda_capability_geq, has_native_mxfp, num_sms
from ...tensor import FP4, RaggedTensorMetadata, Tensor, bitwidth, get_layout
from .problem import mx_scale

CONSTRAINTS = (
    "block_m", "block_n", "block_k", "split_k", "is_persistent", "epilogue_subtile", "num_stages", "num_warps", "idle_sms",
    "max_allowable_mn", "occupancy_target",
)  # fmt: skip


def _clamp(value, low, high):
    return max(low, min(value, high))


def _scale_layout(precision_config):
    """The layout of the scales of w; None without any, or where they are as they are."""
    scale = mx_scale(precision_config, "b_mx_scale")
    layout = get_layout(scale) if isinstance(scale, Tensor) else None
    return layout if getattr(layout, "name", None) is not None else None


def compute_block_m(problem, constraints):
    if constraints.get("block_m") is not None:
        return constraints["block_m"]
    if problem.precision_config.enforce_bitwise_invariance:
        return 128
    tokens = problem.tokens_per_expert()
    if problem.is_ragged and tokens <= 64:
        if problem.bits == (16, 4) and tokens >= 16 and cuda_capability_geq(10, 0):
            return _clamp(next_power_of_2(8 * tokens), 16, 128)
        return _clamp(next_power_of_2(2 * tokens), 16, 64)
    return _clamp(next_power_of_2(tokens), 16, 128)


def compute_block_n(n, arch, precision_config):
    """(columns of a tile, those where operands are read through descriptors)"""
    layout = _scale_layout(precision_config)
    if getattr(layout, "name", None) == "HOPPER_SCALE":
        return 32 * layout.num_warps, 32 * layout.num_warps
    if n > 128 and precision_config.max_num_imprecise_acc is None:
        return 256, 256
    smallest = {"BLACKWELL_SCALE": 128, "CDNA4_SCALE": 32}.get(getattr(layout, "name", None), 8)
    return tuple(_clamp(next_power_of_2(n), max(smallest, least), 128) for least in (8, 16))


def compute_grid_size(routing_data, batch_size, m, n, block_m, block_n):
    """How many tiles there are at most; `routing_data` is RaggedTensorMetadata of the rows, or None."""
    is_ragged = routing_data is not None and batch_size == 1
    rows = RaggedTensorMetadata.n_blocks(routing_data.n_slices, m, block_m) if is_ragged else -(-m // block_m)
    return batch_size * rows * -(-n // block_n)


def compute_block_k(m, k, is_persistent, lhs_dtype, rhs_dtype, precision_config, has_y_acc_in):
    x_bits, w_bits = bitwidth(lhs_dtype), bitwidth(rhs_dtype)
    has_mx_weights, native = mx_scale(precision_config, "b_mx_scale") is not None, bool(has_native_mxfp())
    block_k = 1024 // min(x_bits, w_bits)
    if rhs_dtype == FP4 and not native:
        block_k = 128
    if has_mx_weights and native and is_persistent:
        block_k = min(block_k, 128)
    if has_y_acc_in and x_bits == 16 and not cuda_capability_geq(10, 0):
        block_k = min(block_k, 32)
    smallest = 16 if x_bits == 16 and not is_persistent and not has_mx_weights else 32
    needed = {"HOPPER_SCALE": 64, "BLACKWELL_SCALE": 128, "CDNA4_SCALE": 256}
    block_k = _clamp(block_k, smallest, max(smallest, next_power_of_2(k)))
    return max(block_k, needed.get(getattr(_scale_layout(precision_config), "name", None), 1))


def compute_split_k(block_k, k, estimated_actual_grid_size):
    """In how many parts a sum is computed, so that all multiprocessors have something to do."""
    return _clamp(num_sms() // max(1, estimated_actual_grid_size), 1, max(1, -(-k // block_k) // 4))


def compute_num_warps(block_m, block_n, is_persistent, precision_config, constraints=None):
    if constraints and constraints.get("num_warps") is not None:
        return constraints["num_warps"]
    layout = _scale_layout(precision_config)
    if getattr(layout, "name", None) == "HOPPER_SCALE":
        return layout.num_warps
    return max(block_m * block_n // 4096, 4 if is_persistent else 1)


def compute_num_stages(
    precision_config, is_persistent, block_m, block_n, block_k, out_dtype, lhs_dtype, rhs_dtype, epilogue_subtile,
    epilogue_effective_itemsize,
):  # fmt: skip
    """How many tiles of operands fit into shared memory beside a tile of results."""
    has_mx_weights = mx_scale(precision_config, "b_mx_scale") is not None
    x_bits, w_bits = bitwidth(lhs_dtype), bitwidth(rhs_dtype)
    if has_mx_weights and not has_native_mxfp():
        w_bits = max(w_bits, 8)
    stage = (block_m * block_k * x_bits + block_n * block_k * w_bits) // 8
    stage += block_n * block_k // 32 if has_mx_weights else 0
    capacity = driver.active.utils.get_device_properties(driver.active.get_current_device())["max_shared_mem"]
    if is_persistent:
        itemsize = epilogue_effective_itemsize or bitwidth(out_dtype) / 8
        capacity -= int(block_m * block_n * itemsize) // (epilogue_subtile or 1)
    most = 3 if precision_config.max_num_imprecise_acc is not None else 4
    return _clamp(capacity // stage, 1, most)


def _is_persistent(problem, constraints, block_m, block_n):
    if constraints.get("is_persistent") is not None:
        return constraints["is_persistent"]
    if not problem.can_use_tma:
        return False
    if has_native_mxfp() and _scale_layout(problem.precision_config) is not None:
        return True  # the other kernel does not take such scales
    is_large = problem.m * problem.n * problem.k * problem.batch_size >= 131072
    tiles = compute_grid_size(problem.ragged, problem.batch_size, problem.m, problem.n, block_m, block_n)
    return (
        problem.precision_config.max_num_imprecise_acc is None
        and (tiles / num_sms() >= 2 or bitwidth(problem.lhs_dtype) == 8)
        and bitwidth(problem.out_dtype) < 32
        and is_large
        and (not problem.has_mx_weights or bool(has_native_mxfp()))
    )


def _block_n(problem, constraints):
    if constraints.get("block_n") is not None:
        return constraints["block_n"]
    plain, of_descriptors = compute_block_n(problem.n, None, problem.precision_config)
    is_swizzled = getattr(problem.weight_layout, "name", None) == "HOPPER_VALUE"
    block_n = of_descriptors if problem.can_use_tma or is_swizzled else plain
    if mx_scale(problem.precision_config, "c_mx_scale") is not None:
        block_n = max(block_n, 32 * problem.reduction_n)  # whole groups of scales
    return block_n


def _block_k(problem, constraints, is_persistent):
    if problem.inner_block_k is not None:
        return problem.inner_block_k
    if constraints.get("block_k") is not None:
        return constraints["block_k"]
    block_k = compute_block_k(
        problem.m, problem.k, is_persistent, problem.lhs_dtype, problem.rhs_dtype, problem.precision_config,
        problem.has_y_acc_in,
    )  # fmt: skip
    return max(block_k, 64) if getattr(problem.weight_layout, "name", None) == "HOPPER_VALUE" else block_k


def choose(problem, constraints):
    config = problem.precision_config
    block_m, block_n = compute_block_m(problem, constraints), _block_n(problem, constraints)
    is_persistent = _is_persistent(problem, constraints, block_m, block_n)
    block_k = _block_k(problem, constraints, is_persistent)
    if (
        problem.rhs_dtype == FP4 and has_native_mxfp() and is_persistent and block_n == 256 and block_k == 128
        and problem.k >= 4 * problem.n and problem.has_mx_weights
    ):  # fmt: skip
        block_n, block_k = block_k, block_n
    if constraints.get("split_k") is not None:
        split_k = constraints["split_k"]
    elif problem.can_use_split_k and not config.enforce_bitwise_invariance and not is_persistent:
        tiles = compute_grid_size(problem.ragged, problem.batch_size, problem.m, problem.n, block_m, block_n)
        split_k = compute_split_k(block_k, problem.k, tiles)
    else:
        split_k = 1
    subtiles = [constraints["epilogue_subtile"]] if constraints.get("epilogue_subtile") is not None else [1, 2, 4]
    found = [
        (
            compute_num_stages(
                config, is_persistent, block_m, block_n, block_k, problem.out_dtype, problem.lhs_dtype, problem.rhs_dtype,
                each, problem.epilogue_effective_itemsize,
            ),
            each,
        )
        for each in (subtiles if is_persistent else subtiles[:1])
    ]  # fmt: skip
    num_stages = max(stages for stages, _ in found)
    epilogue_subtile = next(each for stages, each in found if stages == num_stages)
    if constraints.get("num_stages") is not None:
        num_stages = constraints["num_stages"]
    given_warps = (block_m, block_n, is_persistent, config, constraints)
    if len(inspect.signature(compute_num_warps).parameters) == 4:  # a client has put its own in place, as of Triton 3.6
        given_warps = given_warps[:4]
    return {
        "block_m": block_m,
        "block_n": block_n,
        "block_k": block_k,
        "num_warps": compute_num_warps(*given_warps),
        "num_stages": num_stages,
        "group_m": 8,
        "xcd_swizzle": 1,
        "w_cache_modifier": "",
        "split_k": split_k,
        "is_persistent": is_persistent,
        "idle_sms": constraints.get("idle_sms") or 0,
        "epilogue_subtile": epilogue_subtile,
        "arch": None,
        "occupancy_target": constraints.get("occupancy_target") or 1,
        "target_kernel_kwargs": {},
    }
