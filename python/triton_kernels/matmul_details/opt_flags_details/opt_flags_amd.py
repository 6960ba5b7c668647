"""Tiles on AMD's GPUs."""

from triton import next_power_of_2

from ...target_info import get_cdna_version, num_sms
from ...tensor import FP4, bitwidth
from .problem import mx_scale

CONSTRAINTS = ("block_m", "block_n", "block_k", "split_k", "is_persistent", "epilogue_subtile", "max_allowable_mn")


def _clamp(value, low, high):
    return max(low, min(value, high))


def _block_m(problem, is_cdna4):
    tokens = problem.tokens_per_expert()
    if (tokens >= 512 and problem.n >= 2048) or problem.precision_config.enforce_bitwise_invariance:
        return 256 if is_cdna4 else 128
    if is_cdna4 and problem.m >= 512:
        return 128
    return _clamp(next_power_of_2(tokens), 32, 64)


def compute_block_nk(n, block_m, grid_m, num_xcds, lhs_dtype, rhs_dtype, precision_config):
    """(columns of a tile, how much of the sum at once)"""
    is_cdna4 = get_cdna_version() == 4
    if n <= 128 and n & (n - 1) == 0:
        block_n = n
    else:
        largest = 512 if is_cdna4 and block_m == 128 else 256
        block_n = _clamp(next_power_of_2(grid_m * n * 8 // num_sms()), 32, largest)
    block_k = 1024 // min(bitwidth(lhs_dtype), bitwidth(rhs_dtype))
    if mx_scale(precision_config, "b_mx_scale") is not None and not is_cdna4:
        block_k = 128
    return block_n, block_k


def choose(problem, constraints, cdna_version=None):
    is_cdna4 = (get_cdna_version() if cdna_version is None else cdna_version) == 4
    given = lambda key, value: value if constraints.get(key) is None else constraints[key]
    block_m = given("block_m", None) or _block_m(problem, is_cdna4)
    block_n, block_k = compute_block_nk(
        problem.n, block_m, problem.grid_m(block_m), 8, problem.lhs_dtype, problem.rhs_dtype, problem.precision_config
    )
    num_warps = 2 if problem.m <= 16 else 8
    waves = 0
    if is_cdna4 and problem.bits[0] == 16 and problem.rhs_dtype == FP4:
        if problem.m <= 1024:
            block_n, block_k, num_warps, waves = 128, 256, 4, 3
        else:
            block_m, block_n, block_k, num_warps = 64, 512, 256, 8
        block_m = given("block_m", block_m)
    block_n, block_k = given("block_n", block_n), given("block_k", block_k)
    block_k = problem.inner_block_k or block_k
    split_k = given("split_k", 1)
    if (
        constraints.get("split_k") is None
        and problem.can_use_split_k
        and not problem.precision_config.enforce_bitwise_invariance
    ):
        split_k = max(1, num_sms() // max(1, problem.n_tiles(block_m, block_n)))
    return {
        "block_m": block_m,
        "block_n": block_n,
        "block_k": block_k,
        "num_warps": num_warps,
        "num_stages": 2,
        "group_m": 4,
        "xcd_swizzle": 8,
        "w_cache_modifier": ".cg" if block_m <= 32 else "",
        "split_k": split_k,
        "is_persistent": bool(constraints.get("is_persistent")),
        "idle_sms": 0,
        "epilogue_subtile": given("epilogue_subtile", 1),
        "arch": None,
        "occupancy_target": 1,
        "target_kernel_kwargs": {"waves_per_eu": waves, "matrix_instr_nonkdim": 16, "kpack": 1},
    }
