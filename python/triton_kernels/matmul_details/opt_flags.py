"""Which tiles a product is computed in: what suits the device, unless the user says otherwise."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field

import torch
from triton.runtime import driver

from .._errors import InvalidArgumentError
from ..target_info import get_cdna_version, get_rdna_version
from .opt_flags_details import opt_flags_amd, opt_flags_nvidia
from .opt_flags_details.problem import InapplicableConstraint, Problem

__all__ = [
    "InapplicableConstraint", "OptFlags", "Problem", "choose_opt_flags", "get_cdna_version", "get_rdna_version", "make_default_opt_flags_amd",
    "make_default_opt_flags_nvidia", "make_opt_flags", "opt_flags_amd", "opt_flags_nvidia", "reset_opt_flags", "reset_opt_flags_constraints",
    "scoped_opt_flags", "scoped_opt_flags_constraints", "set_idle_sms", "set_opt_flags", "torch", "update_opt_flags_constraints",
]  # fmt: skip


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
    occupancy_target: int = 1
    target_kernel_kwargs: dict = field(default_factory=dict)

    def __post_init__(self):
        if self.num_stages < 1:
            raise InvalidArgumentError(f"num_stages is at least 1, not {self.num_stages}")
        if isinstance(self.occupancy_target, dict):  # the order before 3.7
            self.occupancy_target, self.target_kernel_kwargs = 1, self.occupancy_target


_opt_flags_constraints: dict = {}
_opt_flags: OptFlags | None = None


def _vendor():
    return opt_flags_amd if driver.active.get_current_target().backend == "hip" else opt_flags_nvidia


def update_opt_flags_constraints(constraints):
    """Fixes some flags of all products to come."""
    if _opt_flags is not None:
        raise InvalidArgumentError("flags are set as a whole: call reset_opt_flags before you set constraints")
    known = _vendor().CONSTRAINTS
    for key in constraints:
        if key not in known:
            raise InvalidArgumentError(f"{key} is no constraint; there are {', '.join(sorted(known))}")
    _opt_flags_constraints.update(constraints)


def reset_opt_flags_constraints():
    _opt_flags_constraints.clear()


@contextlib.contextmanager
def scoped_opt_flags_constraints(constraints):
    """Fixes some flags of the products inside."""
    before = dict(_opt_flags_constraints)
    update_opt_flags_constraints(constraints)
    try:
        yield
    finally:
        _opt_flags_constraints.clear()
        _opt_flags_constraints.update(before)


def set_opt_flags(flags):
    """Fixes all flags of all products to come."""
    global _opt_flags
    if _opt_flags_constraints:
        raise InvalidArgumentError("there are constraints: call reset_opt_flags_constraints before you set flags")
    if _opt_flags is not None:
        raise InvalidArgumentError("flags are set already: call reset_opt_flags first")
    _opt_flags = flags


def reset_opt_flags():
    global _opt_flags
    _opt_flags = None


@contextlib.contextmanager
def scoped_opt_flags(flags):
    """Fixes all flags of the products inside."""
    set_opt_flags(flags)
    try:
        yield
    finally:
        reset_opt_flags()


def set_idle_sms(num_idle_sms):
    """Leaves so many multiprocessors to others."""
    update_opt_flags_constraints({"idle_sms": num_idle_sms})


def get_constraints():
    return dict(_opt_flags_constraints)


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


def _choose_amd(problem, constraints):
    return opt_flags_amd.choose(problem, constraints, get_cdna_version())


def choose_opt_flags(problem):
    """The flags for one product."""
    flags = _opt_flags
    if flags is not None:
        if flags.is_persistent and not (problem.can_use_tma or problem.can_emulate_tma):
            raise InapplicableConstraint("the flags are persistent, but operands cannot be read through descriptors")
        if flags.split_k > 1 and not problem.can_use_split_k:
            raise InapplicableConstraint(f"the flags have split_k={flags.split_k}, but this product cannot be split")
        return flags
    constraints = _limited_by_size(_opt_flags_constraints, problem)
    if constraints.get("is_persistent") and not problem.can_use_tma:
        raise InapplicableConstraint("is_persistent is demanded, but operands cannot be read by TMA")
    if (constraints.get("split_k") or 1) > 1 and not problem.can_use_split_k:
        raise InapplicableConstraint(f"split_k={constraints['split_k']} is demanded, but this product cannot be split")
    choose = _choose_amd if _vendor() is opt_flags_amd else opt_flags_nvidia.choose
    return OptFlags(**choose(problem, constraints))


def make_opt_flags(
    out_dtype,
    lhs_dtype=None,
    rhs_dtype=None,
    precision_config=None,
    batch_size=1,
    m=None,
    n=None,
    k=None,
    a_ragged_metadata=None,
    can_use_persistent_tma=False,
    can_use_split_k=True,
    epilogue_effective_itemsize=None,
    x_transpose=False,
    has_y_acc_in=False,
    block_k=None,
):
    """The flags for a product of these types and sizes; or of one that a Problem describes."""
    if isinstance(out_dtype, Problem):
        return choose_opt_flags(out_dtype)
    return choose_opt_flags(
        Problem(
            out_dtype,
            lhs_dtype,
            rhs_dtype,
            precision_config,
            batch_size,
            m,
            n,
            k,
            a_ragged_metadata,
            inner_block_k=block_k,
            can_use_tma=bool(can_use_persistent_tma),
            can_use_split_k=bool(can_use_split_k),
            has_y_acc_in=bool(has_y_acc_in),
            epilogue_effective_itemsize=epilogue_effective_itemsize or None,
        )  # fmt: skip
    )


def _make_default(choose):
    def make(
        out_dtype, lhs_dtype, rhs_dtype, precision_config, batch_size, m, n, k, a_ragged_metadata, can_use_persistent_tma,
        can_use_split_k, enforce_bitwise_invariance, epilogue_effective_itemsize, x_transpose, has_y_acc_in, constraints,
    ):  # fmt: skip
        if enforce_bitwise_invariance:
            precision_config.enforce_bitwise_invariance = True
        problem = Problem(
            out_dtype, lhs_dtype, rhs_dtype, precision_config, batch_size, m, n, k, a_ragged_metadata,
            can_use_tma=bool(can_use_persistent_tma), can_use_split_k=bool(can_use_split_k), has_y_acc_in=bool(has_y_acc_in),
            epilogue_effective_itemsize=epilogue_effective_itemsize or None,
        )  # fmt: skip
        return OptFlags(**choose(problem, constraints))

    return make


make_default_opt_flags_nvidia = _make_default(lambda *given: opt_flags_nvidia.choose(*given))
make_default_opt_flags_amd = _make_default(_choose_amd)
