"""What the viewer can show of a node: metrics of the file, and those that are derived from them.

Each is a function of a node's sums (its own and those of all nodes below it) and of the devices it ran on. nan: the node has no such thing.
"""

from __future__ import annotations

import math
import re

TIME_UNITS = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}
PREFIXES = {"": 1.0, "g": 1e9, "t": 1e12}
FLOPS = re.compile(r"flops(\d*)$")

# Products of dense matrices by the tensor cores of data centre GPUs: floating point operations of 16 bits that a multiprocessor does in a cycle, by
# compute capability. With 8 bits they do twice, with 32 bits (TF32) half as many.
OPERATIONS_PER_CYCLE = {"80": 2048, "90": 4096, "100": 8192, "103": 8192}
RATE_OF_WIDTH = {"8": 2.0, "16": 1.0, "": 1.0, "32": 0.5}

_TIME = re.compile(r"(?:(avg_)|(cpu_))?time/(s|ms|us|ns|%)$")
_FLOP_RATE = re.compile(r"([gt]?)flop(8|16|32|64)?/s$")
_BYTE_RATE = re.compile(r"([gt]?)byte/s$")
_SUFFIX = re.compile(r" \((inc|exc)\)$")


def divide(value, by):
    return value / by if by else math.nan


def least_time(sums, device):
    """Nanoseconds that a device needs at least for what was computed and moved, None if it is not known."""
    per_cycle = OPERATIONS_PER_CYCLE.get(str(device.get("arch")))
    per_nanosecond = per_cycle and per_cycle * device.get("num_sms", 0) * device.get("clock_rate", 0) * 1e-6
    bytes_per_nanosecond = 2 * device.get("memory_clock_rate", 0) * 1e-6 * device.get("bus_width", 0) / 8
    if not per_nanosecond or not bytes_per_nanosecond:
        return None
    widths = {match[1]: value for name, value in sums.items() if (match := FLOPS.match(name))}
    if not RATE_OF_WIDTH.keys() >= widths.keys():
        return None
    computing = sum(value / (per_nanosecond * RATE_OF_WIDTH[width]) for width, value in widths.items())
    return max(computing, sums.get("bytes", 0) / bytes_per_nanosecond)


def utilisation(sums, total, devices):
    """How close to the device's limits: least time over time. Of nodes that ran on devices of one kind."""
    times = [least_time(sums, device) for device in devices]
    if not times or None in times:
        return math.nan
    return divide(min(times), sums.get("time (ns)")) or math.nan


def _time(match):
    average, cpu, unit = match.groups()
    column = "cpu_time (ns)" if cpu else "time (ns)"

    def value(sums, total, devices):
        if column not in sums:
            return math.nan
        time = sums[column]
        if unit == "%":
            return 100 * divide(time, total.get(column))
        if average:
            time = divide(time, sums.get("count"))
        return time / TIME_UNITS[unit]

    return value


def _rate(amount, prefix):
    def value(sums, total, devices):
        found = amount(sums)
        return math.nan if found is None else divide(found, sums.get("time (ns)")) * 1e9 / PREFIXES[prefix]

    return value


def _flops(width):
    """Without a width: of all widths together."""

    def amount(sums):
        found = [value for name, value in sums.items() if (match := FLOPS.match(name)) and width in (None, match[1])]
        return sum(found) if found else None

    return amount


def find(name, known):
    """(function, whether it looks at the node alone) of a metric; `known` are the names of the file's own."""
    suffix = _SUFFIX.search(name)
    is_exclusive = bool(suffix) and suffix[1] == "exc"
    if name not in known:
        name = _SUFFIX.sub("", name)
    if name in known:
        return (lambda sums, total, devices: sums.get(name, math.nan)), is_exclusive or name.endswith("(exc)")
    if match := _TIME.match(name):
        return _time(match), is_exclusive
    if match := _FLOP_RATE.match(name):
        return _rate(_flops(match[2]), match[1]), is_exclusive
    if match := _BYTE_RATE.match(name):
        return _rate(lambda sums: sums.get("bytes"), match[1]), is_exclusive
    if name == "util":
        return utilisation, is_exclusive
    raise ValueError(f"metric {name!r} is not available; this profile has: {', '.join(available(known))}")


def available(known):
    """Names of all metrics that a file with the metrics `known` can show."""
    names = []
    for column, prefix in (("time (ns)", ""), ("cpu_time (ns)", "cpu_")):
        if column in known:
            names += [f"{prefix}time/{unit}" for unit in (*TIME_UNITS, "%")]
    if "time (ns)" in known:
        names += [f"avg_time/{unit}" for unit in TIME_UNITS]
    widths = sorted({match[1] for name in known if (match := FLOPS.match(name))}, key=lambda width: int(width or 0))
    if "time (ns)" in known:
        names += [
            f"{prefix}flop{width}/s" for width in dict.fromkeys(["", *widths] if widths else []) for prefix in PREFIXES
        ]
        if "bytes" in known:
            names += [f"{prefix}byte/s" for prefix in PREFIXES]
        if widths or "bytes" in known:
            names.append("util")
    return names + sorted(known)
