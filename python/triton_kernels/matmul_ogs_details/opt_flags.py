"""Which tiles a product is computed in: what suits the device, unless the user says otherwise."""

from __future__ import annotations

from dataclasses import dataclass, field

from .._errors import InvalidArgumentError
from ..target_info import is_hip
from .opt_flags_details import opt_flags_amd, opt_flags_nvidia
from .opt_flags_details.problem import InapplicableConstraint, Problem

__all__ = [
    "InapplicableConstraint",
    "OptFlags",
    "Problem",
    "make_opt_flags",
    "reset_opt_flags",
    "reset_opt_flags_constraints",
    "set_opt_flags",
    "update_opt_flags_constraints",
]


@dataclass
class OptFlags:
    block_m: int
    block_n: int
    block_k: int
    num_warps: int
    num_stages: int
    group_m: int
    xcd_swizzle: int
    w_cache_modifier: str
    split_k: int
    is_persistent: bool
    idle_sms: int
    epilogue_subtile: int | None
    arch: str | None
    target_kernel_kwargs: dict = field(default_factory=dict)

    def __post_init__(self):
        if self.num_stages < 1:
            raise InvalidArgumentError(f"num_stages is at least 1, not {self.num_stages}")


_constraints: dict = {}
_flags: OptFlags | None = None


def _known_keys():
    return opt_flags_amd.CONSTRAINTS if is_hip() else opt_flags_nvidia.CONSTRAINTS


def update_opt_flags_constraints(constraints):
    """Fixes some flags of all products to come."""
    if _flags is not None:
        raise InvalidArgumentError("flags are set as a whole: call reset_opt_flags before you set constraints")
    for key in constraints:
        if key not in _known_keys():
            raise InvalidArgumentError(f"{key} is no constraint; there are {', '.join(sorted(_known_keys()))}")
    _constraints.update(constraints)


def reset_opt_flags_constraints():
    _constraints.clear()


def set_opt_flags(flags):
    """Fixes all flags of all products to come."""
    global _flags
    if _constraints:
        raise InvalidArgumentError("there are constraints: call reset_opt_flags_constraints before you set flags")
    if _flags is not None:
        raise InvalidArgumentError("flags are set already: call reset_opt_flags first")
    _flags = flags


def reset_opt_flags():
    global _flags
    _flags = None


def get_constraints():
    return dict(_constraints)


def _limited_by_size(constraints, problem):
    """`max_allowable_mn`: products with more elements than this are not split."""
    constraints = dict(constraints)
    limit = constraints.pop("max_allowable_mn", None)
    if limit is None:
        return constraints
    if constraints.get("split_k") is None:
        raise InapplicableConstraint("max_allowable_mn limits split_k, which is not constrained")
    if problem.m * problem.n >= limit:
        constraints["split_k"] = 1
    return constraints


def make_opt_flags(problem):
    """The flags for one product."""
    if _flags is not None:
        if _flags.is_persistent and not (problem.can_use_tma or problem.can_emulate_tma):
            raise InapplicableConstraint("the flags are persistent, but operands cannot be read through descriptors")
        if _flags.split_k > 1 and not problem.can_use_split_k:
            raise InapplicableConstraint(f"the flags have split_k={_flags.split_k}, but this product cannot be split")
        return _flags
    constraints = _limited_by_size(_constraints, problem)
    if constraints.get("is_persistent") and not problem.can_use_tma:
        raise InapplicableConstraint("is_persistent is demanded, but operands cannot be read by the copy engine")
    if (constraints.get("split_k") or 1) > 1 and not problem.can_use_split_k:
        raise InapplicableConstraint(f"split_k={constraints['split_k']} is demanded, but this product cannot be split")
    choose = opt_flags_amd.choose if is_hip() else opt_flags_nvidia.choose
    return OptFlags(**choose(problem, constraints))
