"""What caches are asked to keep of an access."""

from __future__ import annotations

from dataclasses import dataclass

from ....language.composite_types import constexpr_type

_PRIORITIES = ("evict_normal", "evict_unchanged", "evict_first", "evict_last")


def _check(value, allowed, what):
    if value not in allowed:
        raise ValueError(f"Unsupported {what} {value!r}")


class _Policy:
    """A value of the host that kernels are given as a constant."""

    @property
    def type(self):
        return constexpr_type(self)


@dataclass(frozen=True)
class CachePolicy(_Policy):
    """A cache operator and a priority, in the words of every GPU."""

    cache_modifier: str = "none"
    eviction_policy: str = "evict_normal"

    def __post_init__(self):
        object.__setattr__(self, "cache_modifier", self.cache_modifier.removeprefix("."))
        _check(self.cache_modifier, ("none", "ca", "cg", "wb", "cs", "wt", "cv"), "cache modifier")
        _check(self.eviction_policy, ("evict_normal", "evict_first", "evict_last"), "eviction policy")

    def mangle(self):
        return f"CP_{self.cache_modifier}_{self.eviction_policy}_CP"


@dataclass(frozen=True)
class FractionalEvictionPolicy(_Policy):
    """In the second cache: the priority of a share of the lines, and that of the others."""

    primary: str
    fraction: float
    secondary: str = "evict_unchanged"

    def __post_init__(self):
        _check(self.primary, _PRIORITIES, "L2 primary eviction priority")
        _check(self.secondary, ("evict_unchanged", "evict_first"), "L2 secondary eviction priority")
        if not 0 < self.fraction <= 1:
            raise ValueError("L2 eviction fraction must be in (0, 1]")
        object.__setattr__(self, "fraction", float(self.fraction))

    def mangle(self):
        share = self.fraction.hex().translate(str.maketrans({".": "d", "+": "p", "-": "m"}))
        return f"FEP_{self.primary}_{share}_{self.secondary}_FEP"


@dataclass(frozen=True)
class NvidiaCachePolicy(_Policy):
    """What each cache of an NVIDIA GPU is asked to do; copies by TMA ask the second one alone."""

    cache_modifier: str | None = None
    l1: str | None = None
    l2: FractionalEvictionPolicy | None = None
    l2_prefetch_size: int | None = None

    def __post_init__(self):
        if all(part is None for part in (self.cache_modifier, self.l1, self.l2, self.l2_prefetch_size)):
            raise ValueError("CachePolicy requires a cache modifier, L1 policy, L2 policy, or L2 prefetch size")
        if self.cache_modifier is not None:
            object.__setattr__(self, "cache_modifier", self.cache_modifier.removeprefix("."))
            _check(self.cache_modifier, ("ca", "cg", "wb", "cs", "wt", "cv"), "cache modifier")
        if self.l1 is not None:
            _check(self.l1, (*_PRIORITIES, "no_allocate"), "L1 eviction priority")
        if self.l2_prefetch_size not in (None, 64, 128, 256):
            raise ValueError("L2 prefetch size must be 64, 128, or 256")

    def mangle(self):
        parts = [self.cache_modifier, self.l1, self.l2 and self.l2.mangle(), self.l2_prefetch_size]
        return "_".join(["CP", *("none" if part is None else str(part) for part in parts), "CP"])


NvidiaCachePolicy.__name__ = NvidiaCachePolicy.__qualname__ = "CachePolicy"
