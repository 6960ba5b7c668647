"""How a session measures: sampling of instructions, or kernels that note their own scopes."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import List

METRIC_TYPE = Enum("METRIC_TYPE", {"CYCLE": 0})
SAMPLING_STRATEGY = Enum("SAMPLING_STRATEGY", {"NONE": 0, "SELECTIVE": 1})
GRANULARITY = Enum(
    "GRANULARITY",
    {
        "WARP": 1, "WARP_2": 2, "WARP_4": 3, "WARP_8": 4, "CTA": 5,
        "WARP_GROUP": 6, "WARP_GROUP_2": 7, "WARP_GROUP_4": 8, "WARP_GROUP_8": 9,
    },
)  # fmt: skip
BUFFER_STRATEGY = Enum("BUFFER_STRATEGY", {"CIRCULAR": 0, "FLUSH": 1})
BUFFER_TYPE = Enum("BUFFER_TYPE", {"SHARED": 1, "GLOBAL": 2})


class Optimize(Enum):
    TIMESHIFT = "time_shift"
    SCHED_STORES = "sched_stores"
    SCHED_BARRIERS = "sched_barriers"
    CLOCK32 = "clock32"

    def __str__(self):
        return self.value


def _by_name(values) -> dict:
    return {value.name.lower(): value for value in values}


metric_types = _by_name(METRIC_TYPE)
sampling_strategies = _by_name(SAMPLING_STRATEGY)
granularities = _by_name(GRANULARITY)
buffer_strategies = _by_name(BUFFER_STRATEGY)
buffer_types = _by_name(BUFFER_TYPE)
optimizations = {value.value: value for value in Optimize}


def _read(what: str, value, known: dict):
    if not isinstance(value, str):
        return value
    if value not in known:
        raise ValueError(f"{what} {value!r} is not available; expected one of {', '.join(known)}")
    return known[value]


@dataclass(frozen=True)
class BaseMode:
    name: str

    def __str__(self):
        return self.name


@dataclass(frozen=True)
class PCSampling(BaseMode):
    """Which instructions the multiprocessors are at, looked at every `interval` cycles. No backend here does it: `start` says so."""

    name: str = field(default="pcsampling", init=False)
    interval: int = 1000

    def __post_init__(self):
        if self.interval <= 0:
            raise ValueError(f"Interval must be a positive integer, got {self.interval}")

    def __str__(self):
        return f"{self.name}:interval={self.interval}"


@dataclass(frozen=True)
class InstrumentationMode(BaseMode):
    """Kernels note when they enter and leave their scopes (`triton.profiler.language`). All options may be given as texts.

    sampling_strategy: "none", every unit notes; "selective", the warps whose numbers `sampling_options` lists: "0,2"
    granularity: who notes: each warp, the first of several warps, or of the CTA
    buffer_size: bytes for the records of a CTA; 0: enough for 128 records of each unit. The newest take the place of the oldest
    optimizations: "clock32" takes half of the cycles' bits, for scopes shorter than 2^32 cycles. The others are accepted: records go to global
        memory without waiting, whichever `buffer_type` is asked for
    """

    metric_type: METRIC_TYPE = METRIC_TYPE.CYCLE
    sampling_strategy: SAMPLING_STRATEGY = SAMPLING_STRATEGY.NONE
    sampling_options: str = ""
    granularity: GRANULARITY = GRANULARITY.WARP
    buffer_strategy: BUFFER_STRATEGY = BUFFER_STRATEGY.CIRCULAR
    buffer_type: BUFFER_TYPE = BUFFER_TYPE.SHARED
    buffer_size: int = 0
    optimizations: List[Optimize] = field(default_factory=list)

    def __post_init__(self):
        for name, known in _FIELDS.items():
            object.__setattr__(self, name, _read(name, getattr(self, name), known))
        given = self.optimizations
        names = [part.strip() for part in given.split(",") if part.strip()] if isinstance(given, str) else given
        object.__setattr__(self, "optimizations", [_read("optimization", name, optimizations) for name in names])
        object.__setattr__(self, "buffer_size", int(self.buffer_size))
        if any(not part.strip().isdigit() for part in self.sampling_options.split(",") if part):
            raise ValueError(f"sampling_options lists numbers of warps, such as '0,2', not {self.sampling_options!r}")

    def __str__(self):
        values = [f"{name}={getattr(self, name).name.lower()}" for name in _FIELDS]
        values += [f"sampling_options={self.sampling_options}", f"buffer_size={self.buffer_size}"]
        return ":".join([self.name, *values, f"optimizations={','.join(map(str, self.optimizations))}"])


_FIELDS = {
    "metric_type": metric_types, "sampling_strategy": sampling_strategies, "granularity": granularities,
    "buffer_strategy": buffer_strategies, "buffer_type": buffer_types,
}  # fmt: skip


@dataclass(frozen=True)
class Default(InstrumentationMode):
    """All scopes that kernels have."""

    name: str = field(default="default", init=False)


@dataclass(frozen=True)
class MMA(InstrumentationMode):
    """The same; for kernels that mark their products."""

    name: str = field(default="mma", init=False)


def interpret_mode(mode) -> InstrumentationMode:
    """A mode from its text: "default:buffer_size=4096:granularity=cta"; "" and None are the default."""
    if isinstance(mode, InstrumentationMode):
        return mode
    name, *options = (mode or "default").split(":")
    kinds = {"default": Default, "mma": MMA}
    given = dict(option.partition("=")[::2] for option in options)
    unknown = sorted(given.keys() - {*_FIELDS, "sampling_options", "buffer_size", "optimizations"})
    if name not in kinds:
        raise ValueError(f"mode {name!r} is not available; expected one of {', '.join(kinds)}")
    if unknown:
        raise ValueError(f"mode {name!r} has no option {unknown[0]!r}")
    return kinds[name](**given)
