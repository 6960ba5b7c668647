"""A configuration of a kernel, its timings in a file, and which of several to choose."""

from __future__ import annotations

import json

from .._C.libtriton import cache as native
from .._C.libtriton import plain_constant, tuning
from .._utils import type_canonicalisation_dict
from .cache import find_damage, parse_object, seal
from .driver import driver

TOLERANCE = 0.05  # configurations this much slower than the fastest count as equal in a deterministic choice


class Config:
    """One way to run a kernel: meta-parameters and launch options."""

    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None, ir_override=None):
        self.kwargs = kwargs
        self.num_warps = num_warps
        self.num_ctas = num_ctas
        self.num_stages = num_stages
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook
        self.ir_override = ir_override

    def __setstate__(self, state):
        Config.__init__(self, {})  # what an older release did not write
        self.__dict__.update(state)

    def all_kwargs(self):
        """Everything a launch is given."""
        options = ("num_warps", "num_ctas", "num_stages", "maxnreg", "ir_override")
        given = {name: getattr(self, name) for name in options}
        return {**self.kwargs, **{name: value for name, value in given.items() if value is not None}}

    def __str__(self):
        parts = [f"{name}: {value}" for name, value in self.kwargs.items()]
        parts += [f"{name}: {getattr(self, name)}" for name in ("num_warps", "num_ctas", "num_stages", "maxnreg")]
        if self.ir_override is not None:
            parts.append(f"ir_override: {self.ir_override}")
        return ", ".join(parts)

    def __hash__(self):
        return hash((*self.all_kwargs().items(), self.pre_hook))

    def __eq__(self, other):
        if not isinstance(other, Config):
            return NotImplemented
        return (tuple(self.all_kwargs().items()), self.pre_hook) == (tuple(other.all_kwargs().items()), other.pre_hook)


def _plain(value):
    """A value of a key or of a configuration as JSON has it."""
    number = plain_constant(value)
    return str(value) if number is value else number


def question(fn, tuning_key, configs):
    """Which of these configurations is the fastest here, in JSON: what results are kept under (`libtriton.tuning`)."""
    backend, device = driver.active.get_current_target().backend, driver.active.get_current_device()
    try:
        model = tuning.device_model(backend, device) if backend in ("cpu", "cuda", "hip") else None
    except RuntimeError:
        model = None  # the driver is of another package, and has no GPU of this machine
    asked = {
        "kernel": fn.__name__,
        "source": fn.src,
        "backend": backend,
        "device": model or str(sorted(driver.active.utils.get_device_properties(device).items())),
        "key": [
            type_canonicalisation_dict.get(part.split(".")[-1], part) if isinstance(part, str) else part
            for part in tuning_key
        ],
        "configs": [config.__dict__ for config in configs],
    }
    return json.dumps(asked, default=_plain)


def seal_timings(tuning_key, timings, code="", asked=None):
    """The text of a file that `read_timings` reads; `timings` are pairs of a Config and what was measured."""
    asked = asked or json.dumps(
        {"key": tuning_key, "configs": [config.__dict__ for config, _ in timings]}, default=_plain
    )
    numbers = [[timing] if isinstance(timing, (int, float)) else list(timing) for _, timing in timings]
    return seal(tuning.describe(asked, numbers, code))


def read_kept(path):
    """(Config -> timings, digest of the code of the fastest) from a file of an earlier process; None if there is none, or it is not as it was stored."""
    content = native.read_plain_file(path) if path is not None else None
    if content is None or find_damage(content):
        return None
    kept = tuning.read(content.decode("utf-8", "replace"))
    if kept is None:
        return None
    try:
        timings = {
            Config(**parse_object(config)): timing[0] if len(timing) == 1 else timing for config, timing in kept[0]
        }
    except (ValueError, TypeError):
        return None
    return timings, kept[1]


def read_timings(path):
    """Config -> timings alone."""
    kept = read_kept(path)
    return kept and kept[0]


def _median(timing):
    return timing if isinstance(timing, (int, float)) else timing[0]


def choose(timings, rank=None):
    """The configuration with the least time. With `rank`, noise does not decide: of those about as fast as the fastest, the one of the least rank."""
    if rank is None:
        return min(timings, key=timings.get)
    fastest = min(map(_median, timings.values()))
    equals = [config for config, timing in timings.items() if _median(timing) <= fastest * (1 + TOLERANCE)]
    return min(equals, key=rank)


def undecided(timings):
    """The fastest configurations, and those that a little noise would bring among or out of them: worth another look."""
    fastest = min(map(_median, timings.values()))
    if fastest <= 0 or fastest == float("inf"):
        return []
    slowdowns = {config: _median(timing) / fastest - 1 for config, timing in timings.items()}
    edge = [config for config, slowdown in slowdowns.items() if TOLERANCE / 2 < slowdown < TOLERANCE * 2]
    return edge and [config for config, slowdown in slowdowns.items() if slowdown < TOLERANCE / 2] + edge


def quicker(first, second):
    """Of two timings of one configuration the undisturbed parts: noise only ever adds."""
    if isinstance(first, (int, float)):
        return min(first, second)
    return [min(pair) for pair in zip(first, second)]
