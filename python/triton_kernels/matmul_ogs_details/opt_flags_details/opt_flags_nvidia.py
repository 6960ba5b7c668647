"""Tiles on NVIDIA's GPUs, and on the processor, whose cores stand for multiprocessors."""

from triton import next_power_of_2
from triton.runtime import driver

from ...target_info import cuda_capability_geq, has_native_mxfp, num_sms
from ...tensor import FP4, bitwidth

CONSTRAINTS = (
    "block_m", "block_k", "split_k", "is_persistent", "epilogue_subtile", "num_stages", "idle_sms", "max_allowable_mn",
)  # fmt: skip


def _clamp(value, low, high):
    return max(low, min(value, high))


def _block_m(problem, constraints):
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


def _block_n(problem):
    layout = problem.weight_scale_layout
    name = getattr(layout, "name", None)
    if name == "HOPPER_SCALE":
        return 32 * layout.num_warps
    is_limited = problem.precision_config.max_num_imprecise_acc is not None
    if problem.n > 128 and not is_limited:
        return 256
    smallest = {"BLACKWELL_SCALE": 128, "CDNA4_SCALE": 32}.get(name, 8)
    if problem.can_use_tma or getattr(problem.weight_layout, "name", None) == "HOPPER_VALUE":
        smallest = max(smallest, 16)
    if problem.precision_config.out_scale is not None:
        smallest = max(smallest, 32 * problem.reduction_n)  # whole groups of scales
    return _clamp(next_power_of_2(problem.n), smallest, 128)


def _is_persistent(problem, constraints, block_m, block_n):
    if constraints.get("is_persistent") is not None:
        return constraints["is_persistent"]
    if has_native_mxfp() and getattr(problem.weight_scale_layout, "name", None) is not None:
        return problem.can_use_tma  # the other kernel does not take such scales
    is_large = problem.m * problem.n * problem.k * problem.batch_size >= 131072
    tiles_per_sm = problem.n_tiles(block_m, block_n) / num_sms()
    return (
        problem.can_use_tma
        and problem.precision_config.max_num_imprecise_acc is None
        and (tiles_per_sm >= 2 or bitwidth(problem.lhs_dtype) == 8)
        and bitwidth(problem.out_dtype) < 32
        and is_large
        and (not problem.has_mx_weights or bool(has_native_mxfp()))
    )


def _block_k(problem, constraints, is_persistent):
    if problem.inner_block_k is not None:
        return problem.inner_block_k
    if constraints.get("block_k") is not None:
        return constraints["block_k"]
    x_bits, w_bits = problem.bits
    native = bool(has_native_mxfp())
    block_k = 1024 // min(x_bits, w_bits)
    if problem.rhs_dtype == FP4 and not native:
        block_k = 128
    if problem.has_mx_weights and native and is_persistent:
        block_k = min(block_k, 128)
    if problem.has_y_acc_in and x_bits == 16 and not cuda_capability_geq(10, 0):
        block_k = min(block_k, 32)
    smallest = 16 if x_bits == 16 and not is_persistent and not problem.has_mx_weights else 32
    names = {"HOPPER_SCALE": 64, "BLACKWELL_SCALE": 128, "CDNA4_SCALE": 256}
    needed = names.get(getattr(problem.weight_scale_layout, "name", None), 1)
    if getattr(problem.weight_layout, "name", None) == "HOPPER_VALUE":
        needed = max(needed, 64)
    return max(_clamp(block_k, smallest, max(smallest, next_power_of_2(problem.k))), needed)


def _stage_bytes(problem, block_m, block_n, block_k):
    x_bits, w_bits = problem.bits
    scales = (block_n * block_k // 32) if problem.has_mx_weights else 0
    if problem.has_mx_weights and not has_native_mxfp():
        w_bits = max(w_bits, 8)
    return (block_m * block_k * x_bits + block_n * block_k * w_bits) // 8 + scales


def _stages(problem, block_m, block_n, block_k, is_persistent, epilogue_subtile):
    """How many tiles of operands fit into shared memory beside a tile of results."""
    capacity = driver.active.utils.get_device_properties(driver.active.get_current_device())["max_shared_mem"]
    if is_persistent:
        itemsize = problem.epilogue_effective_itemsize or bitwidth(problem.out_dtype) / 8
        capacity -= int(block_m * block_n * itemsize) // (epilogue_subtile or 1)
    most = 3 if problem.precision_config.max_num_imprecise_acc is not None else 4
    return _clamp(capacity // _stage_bytes(problem, block_m, block_n, block_k), 1, most)


def choose(problem, constraints):
    block_m, block_n = _block_m(problem, constraints), _block_n(problem)
    is_persistent = _is_persistent(problem, constraints, block_m, block_n)
    block_k = _block_k(problem, constraints, is_persistent)
    if (
        problem.rhs_dtype == FP4 and has_native_mxfp() and is_persistent and block_n == 256 and block_k == 128
        and problem.k >= 4 * problem.n and problem.weight_scale_layout is not None
    ):  # fmt: skip
        block_n, block_k = block_k, block_n
    if constraints.get("split_k") is not None:
        split_k = constraints["split_k"]
    elif problem.can_use_split_k and not problem.precision_config.enforce_bitwise_invariance and not is_persistent:
        tiles = max(1, problem.n_tiles(block_m, block_n))
        split_k = _clamp(num_sms() // tiles, 1, max(1, -(-problem.k // block_k) // 4))
    else:
        split_k = 1
    subtiles = [constraints["epilogue_subtile"]] if constraints.get("epilogue_subtile") is not None else [1, 2, 4]
    if not is_persistent:
        subtiles = subtiles[:1]
    found = [(_stages(problem, block_m, block_n, block_k, is_persistent, each), each) for each in subtiles]
    num_stages = max(stages for stages, _ in found)
    epilogue_subtile = next(each for stages, each in found if stages == num_stages)
    if constraints.get("num_stages") is not None:
        num_stages = constraints["num_stages"]
    layout = problem.weight_scale_layout
    if getattr(layout, "name", None) == "HOPPER_SCALE":
        num_warps = layout.num_warps
    else:
        num_warps = max(block_m * block_n // 4096, 4 if is_persistent else 1)
    return {
        "block_m": block_m,
        "block_n": block_n,
        "block_k": block_k,
        "num_warps": num_warps,
        "num_stages": num_stages,
        "group_m": 8,
        "xcd_swizzle": 1,
        "w_cache_modifier": "",
        "split_k": split_k,
        "is_persistent": is_persistent,
        "idle_sms": constraints.get("idle_sms") or 0,
        "epilogue_subtile": epilogue_subtile,
        "arch": None,
        "target_kernel_kwargs": {},
    }
