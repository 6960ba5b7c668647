"""What the viewer can show of a node: metrics of the file, and those that are derived from them.

Each is a function of a node's sums (its own and those of all nodes below it) and of the devices it ran on. nan: the node has no such thing.
"""

from __future__ import annotations

import math
import re

from . import specs

TIME_UNITS = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}
PREFIXES = {"": 1.0, "g": 1e9, "t": 1e12}
FLOPS = re.compile(r"flops(\d*)$")

_TIME = re.compile(r"(avg_)?(cpu_)?time/(s|ms|us|ns|%)$")
_FLOP_RATE = re.compile(r"([gt]?)flop(8|16|32|64)?/s$")
_BYTE_RATE = re.compile(r"([gt]?)byte/s$")
_SUFFIX = re.compile(r" \((inc|exc)\)$")


def divide(value, by):
    return value / by if by else math.nan


def least_time(sums, device, kind="CUDA"):
    """Seconds that a device needs at least for what was computed and moved, None if it is not known."""
    widths = {match[1] for name in sums if (match := FLOPS.match(name))}
    try:
        rates = {
            width: specs.max_flops(kind, device["arch"], int(width or 16), device["num_sms"], device["clock_rate"])
            for width in widths
        }
        bandwidth = specs.max_bps(kind, device["arch"], device["bus_width"], device["memory_clock_rate"])
    except (KeyError, ValueError):
        return None
    computing = sum(value / rates[match[1]] for name, value in sums.items() if (match := FLOPS.match(name)))
    return max(computing, sums.get("bytes", 0) / bandwidth)


def utilisation(sums, total, devices):
    """How close to the device's limits: least time over time. Of nodes that ran on one device."""
    if len(devices) != 1:
        return math.nan
    ((kind, device),) = devices
    least = least_time(sums, device, kind)
    return math.nan if least is None else divide(least, sums.get("time (ns)", 0) * 1e-9) or math.nan


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


def shown_name(name, known, inclusive):
    """What a metric's column is called: " (inc)" behind those that count what is below a node as well."""
    if name == "util" or _SUFFIX.search(name) or (name in known and name not in inclusive):
        return name
    return f"{name} (inc)"


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
