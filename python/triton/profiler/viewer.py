"""Shows profiles: `parse` reads a file, `print_tree` prints what it found; `proton-viewer` does both from a shell."""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
from dataclasses import dataclass, field
from typing import Iterator, Optional

from . import _metrics
from .state import COMPUTE_METADATA_SCOPE_NAME

FORMATS = ("full", "file_function_line", "function_line", "file_function")
_PROPERTIES = ("device_id", "device_type")


@dataclass
class Node:
    """A scope, function or kernel. `own` is what was measured in it, `sums` that with all nodes below it, `values` the metrics asked for."""

    name: str
    own: dict = field(default_factory=dict)
    device: Optional[tuple[str, str]] = None  # ("CUDA", "0")
    children: list["Node"] = field(default_factory=list)
    sums: dict[str, float] = field(default_factory=dict)
    devices: set = field(default_factory=set)
    values: dict[str, float] = field(default_factory=dict)

    def walk(self) -> Iterator["Node"]:
        yield self
        for child in self.children:
            yield from child.walk()

    def add_up(self, inclusive: set[str]) -> None:
        self.sums, self.devices = dict(self.own), {self.device} - {None}
        for child in self.children:
            child.add_up(inclusive)
            self.devices |= child.devices
            for name in inclusive & child.sums.keys():
                self.sums[name] = self.sums.get(name, 0) + child.sums[name]


@dataclass
class Tree:
    """A profile. `dataframe` shows it to pandas, a row for each node."""

    root: Node
    device_info: dict  # {"CUDA": {"0": {"arch": "90", …}}}
    inclusive: set[str] = field(default_factory=set)  # metrics that add up
    inc_metrics: list[str] = field(default_factory=list)
    exc_metrics: list[str] = field(default_factory=list)

    def __post_init__(self):
        # The root has those that add up, at zero. In files of other programs it has none: then all do.
        given = [name for name, value in self.root.own.items() if isinstance(value, (int, float))]
        numbers = {name for node in self.root.walk() for name, value in node.own.items() if not isinstance(value, str)}
        known = given or sorted(name for name in numbers if not name.endswith("(exc)"))
        self.inclusive = set(known)
        self.inc_metrics = [f"{name} (inc)" for name in known]
        self.exc_metrics = list(known)
        self._derived: list[str] = []
        self._is_at_zero = bool(given)

    @property
    def metrics(self) -> set[str]:
        """Names of what the file holds."""
        return {name for node in self.root.walk() for name in node.own}

    def evaluate(self, metrics: list[str]) -> list[str]:
        """Works metrics out for every node; gives the names of their columns."""
        self.root.add_up(self.inclusive)
        if self._is_at_zero and not any(self.root.own.get(name) for name in self.inclusive):
            for name in self.inclusive:  # what the root has is a mark, no measurement
                if not any(name in child.sums for child in self.root.children):
                    self.root.sums.pop(name, None)
        names = []
        for name in metrics:
            function, is_exclusive = _metrics.find(name, self.metrics)
            column = _metrics.shown_name(name, self.metrics, self.inclusive)
            names.append(column)
            for node in self.root.walk():
                devices = [
                    (kind, self.device_info.get(kind, {}).get(index, {})) for kind, index in sorted(node.devices)
                ]
                value = function(node.own if is_exclusive else node.sums, self.root.sums, devices)
                node.values[name] = node.values[column] = value
        self._derived += [name for name in names if name not in self._derived]
        self.inc_metrics += [name for name in names if name.endswith("(inc)")]
        self.exc_metrics += [name for name in names if not name.endswith("(inc)")]
        return names

    @property
    def dataframe(self):
        """Names, what was measured in each node, sums with " (inc)" behind their names, and metrics that were worked out."""
        import pandas

        self.root.add_up(self.inclusive)
        nodes = list(self.root.walk())
        columns: dict = {"name": [node.name for node in nodes]}
        for name in sorted(self.metrics):
            columns[name] = [node.own.get(name, math.nan) for node in nodes]
        for number, name in enumerate(_PROPERTIES):
            columns[name] = [node.device[1 - number] if node.device else math.nan for node in nodes]
        for name in sorted(self.inclusive):
            columns[f"{name} (inc)"] = [node.sums.get(name, math.nan) for node in nodes]
        for name in self._derived:
            columns[name] = [node.values.get(name, math.nan) for node in nodes]
        return pandas.DataFrame(columns, index=pandas.Index([node.name for node in nodes], name="node"))

    def filter(self, query, squash: bool = True):
        """What hatchet, which must be installed, finds by a query in its language."""
        import hatchet

        return hatchet.GraphFrame.from_literal([_as_literal(self.root)]).filter(query, squash=squash)


def _as_literal(node: Node) -> dict:
    device = dict(zip(reversed(_PROPERTIES), node.device)) if node.device else {}
    return {
        "frame": {"name": node.name, "type": "function"},
        "metrics": {**node.own, **device},
        "children": [_as_literal(child) for child in node.children],
    }


def _read_node(entry: dict) -> Node:
    numbers = {name: value for name, value in entry["metrics"].items() if name not in _PROPERTIES and value is not None}
    device = (
        tuple(str(entry["metrics"][name]) for name in reversed(_PROPERTIES))
        if "device_id" in entry["metrics"]
        else None
    )
    return Node(entry["frame"]["name"], numbers, device, [_read_node(child) for child in entry["children"]])


def _load(file) -> list:
    """The entries of a profile: those of a file or its name, JSON or msgpack, or as `proton.data.get` gives them."""
    if isinstance(file, list):
        return file
    if hasattr(file, "read"):
        return json.load(file)
    with open(file, "rb") as opened:
        content = opened.read()
    if not content.lstrip()[:1] == b"[":
        try:
            import msgpack

            return msgpack.loads(content, raw=False, strict_map_key=False)
        except (ImportError, ValueError):
            return []
    try:
        return json.loads(content)
    except ValueError:
        return []


def remove_frames(database: list) -> list:
    """Without what `launch_metadata` functions launched."""
    if not database:
        return database
    kept = []
    for entry in database:
        if "frame" in entry and entry["frame"]["name"] == COMPUTE_METADATA_SCOPE_NAME:
            continue
        kept.append({**entry, "children": remove_frames(entry["children"])} if "children" in entry else entry)
    return kept


def _read_tree(file) -> Tree:
    try:
        entries = remove_frames(_load(file))
        roots = [_read_node(entry) for entry in entries if "frame" in entry]
    except (KeyError, TypeError, AttributeError):
        roots = []
    if not roots:
        raise ValueError(f"'{file}' is no profile of data=\"tree\"")
    info = next((entry for entry in entries if "frame" not in entry), {})
    return Tree(roots[0] if len(roots) == 1 else Node("ROOT", children=roots), info)


def get_raw_metrics(file) -> tuple[Tree, list[str], list[str], dict]:
    """The tree of a profile, the names of metrics that add up, those of the others, and what is known about the devices."""
    tree = _read_tree(file)
    inclusive = [name for name in tree.exc_metrics if name in tree.inclusive]
    others = ["name", *sorted(tree.metrics - tree.inclusive), *_PROPERTIES]
    return tree, inclusive, others, tree.device_info


def read(filename) -> tuple[Tree, list[str], list[str], dict]:
    """The same of a file. What `launch_metadata` functions launched is left out."""
    return get_raw_metrics(filename)


def match_available_metrics(metrics, inclusive_metrics, exclusive_metrics) -> list[str]:
    """Names of the file's own metrics, by their names or the part before a unit; all that add up, if none is given."""
    known = [*inclusive_metrics, *exclusive_metrics]
    wanted = metrics or [known[0]]
    found = []
    for metric in [wanted] if isinstance(wanted, str) else wanted:
        matches = [name for name in known if name == metric or name.lower().split(" ")[0] == metric.lower()]
        if not matches:
            raise ValueError(f"Metric {metric} is not found. Use the --list flag to list available metrics")
        found += [f"{name} (inc)" if name in inclusive_metrics else name for name in matches[:1]]
    return found


def derive_metrics(gf: Tree, metrics, inclusive_metrics, exclusive_metrics, device_info) -> list[str]:
    """Works metrics out for every node of a tree; gives the names of their columns."""
    return gf.evaluate(list(metrics))


def _least_times(df, device_info, of):
    import pandas

    result = pandas.DataFrame(0.0, index=df.index, columns=["min_time"])
    for kind, devices in device_info.items():
        for index, device in devices.items():
            rows = (df["device_id"] == index) & (df["device_type"] == kind)
            result.loc[rows, "min_time"] = of(df[rows], kind, device)
    return result


def get_min_time_flops(df, device_info):
    """Seconds that each node's device needs at least for its operations."""

    def of(rows, kind, device):
        total = 0.0
        for name in rows.columns:
            if (match := _metrics.FLOPS.match(name)) and match[1]:
                rate = _metrics.specs.max_flops(
                    kind, device["arch"], int(match[1]), device["num_sms"], device["clock_rate"]
                )
                total = total + rows[name].fillna(0) / rate
        return total

    return _least_times(df, device_info, of)


def get_min_time_bytes(df, device_info):
    """Seconds that each node's device needs at least for the bytes it moves."""

    def of(rows, kind, device):
        rate = _metrics.specs.max_bps(kind, device["arch"], device["bus_width"], device["memory_clock_rate"])
        return rows["bytes"] / rate

    return _least_times(df, device_info, of)


def _without(node: Node, is_unwanted) -> Node:
    node.children = [_without(child, is_unwanted) for child in node.children if not is_unwanted(child)]
    return node


def _keep_matching(node: Node, expression) -> bool:
    """Keeps nodes that match, what is below them and what leads to them."""
    if expression.search(node.name):
        return True
    node.children = [child for child in node.children if _keep_matching(child, expression)]
    return bool(node.children)


def _keep_large(node: Node, metric: str, threshold: float) -> bool:
    node.children = [child for child in node.children if _keep_large(child, metric, threshold)]
    return bool(node.children) or node.values[metric] >= threshold


def filter_frames(gf: Tree, include=None, exclude=None, threshold=None, metric=None) -> Tree:
    """The tree without nodes whose names do not match `include`, or match `exclude`, or whose `metric` is below a threshold."""
    if exclude:
        expression = re.compile(exclude)
        _without(gf.root, lambda node: expression.search(node.name))
    if include and not _keep_matching(gf.root, re.compile(include)):
        gf.root.children.clear()
        gf.root.own.clear()
    if threshold is not None and metric:
        _keep_large(gf.root, metric, threshold)
    return gf


def emit_warnings(gf: Tree, metrics: list[str]) -> None:
    """Says what a reader of the tree should know: counts that are far apart make averages mean little."""
    if any(name.startswith("time/") for name in metrics):
        empty = [node.name for node in gf.root.walk() if node.device and not node.own.get("time (ns)")]
        if empty:
            print(f"Warning: {len(empty)} kernels have no time, such as {empty[0]}", file=sys.stderr)


def parse(
    metrics: list[str],
    filename,
    include: Optional[str] = None,
    exclude: Optional[str] = None,
    threshold: Optional[float] = None,
) -> tuple[Tree, list[str]]:
    """Reads a profile and works out the metrics: `time/ms`, `avg_time/us`, `tflop16/s`, `gbyte/s`, `util`, `count`, or the program's own. Gives the
    tree, and the names of its columns, which have " (inc)" behind them where they count what is below a node as well.

    A node's value is that of all kernels below it; with ` (exc)` behind its name, of the node alone.
    include, exclude: regular expressions of names; nodes below one that matches stay, or go, with it
    threshold: nodes go whose value of the first metric is less
    """
    tree = filter_frames(_read_tree(filename), include, exclude)
    names = tree.evaluate(metrics)
    return filter_frames(tree, threshold=threshold, metric=names[0] if names else None), names


def apply_diff_profile(gf: Tree, derived_metrics, diff_file, metrics, include, exclude, threshold) -> Tree:
    """How much the values of a tree differ from those of another file."""
    other, _ = parse(metrics, diff_file, include, exclude, threshold)
    subtract(gf, other, [*derived_metrics, *(name for name in metrics if name not in derived_metrics)])
    return gf


def subtract(tree: Tree, other: Tree, metrics: list[str]) -> None:
    """Leaves in `tree` how much its values differ from those of `other`; nodes that only one of them has differ from nothing."""

    def go(node: Node, match: Optional[Node]) -> None:
        for name in metrics:
            other = match.values.get(name, math.nan) if match else math.nan
            node.values[name] -= 0 if math.isnan(other) else other
        rest = {child.name: child for child in match.children} if match else {}
        for child in node.children:
            go(child, rest.pop(child.name, None))
        for missing in rest.values():
            for below in missing.walk():
                below.values = {name: -value for name, value in below.values.items()}
            node.children.append(missing)

    go(tree.root, other.root)


_FRAME = re.compile(r"(?P<file>.+):(?P<line>\d+)@(?P<function>[^@]+)$")


def _shown_name(name: str, format: Optional[str]) -> str:
    """Functions of the program are "file:line@function" in files."""
    frame = _FRAME.match(name)
    if not frame or format in (None, "full"):
        return name
    file, function, line = os.path.basename(frame["file"]), frame["function"], frame["line"]
    return {
        "file_function_line": f"{file}:{line}@{function}",
        "function_line": f"{line}@{function}",
        "file_function": f"{file}@{function}",
    }[format]


def format_frames(gf: Tree, format: Optional[str]) -> Tree:
    """Names the functions of the program as one of FORMATS says."""
    for node in gf.root.walk():
        node.name = _shown_name(node.name, format)
    return gf


def _shown_value(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def _colour(text: str, value: float, largest: float) -> str:
    """Red for the largest values, over yellow and green to plain for small ones."""
    share = value / largest if largest > 0 and not math.isnan(value) else 0
    code = next((code for least, code in ((0.9, 31), (0.7, 33), (0.5, 32), (0.3, 36)) if share >= least), None)
    return f"\033[{code}m{text}\033[0m" if code else text


def render(
    tree: Tree, metrics: list[str], depth: int = 100, format=None, print_sorted: bool = False, colour=False
) -> str:
    """The tree as text; a line for each node, its values first."""
    name = metrics[0] if metrics else None
    largest = {
        name: max((node.values[name] for node in tree.root.walk() if not math.isnan(node.values[name])), default=0)
        for name in metrics
    }
    lines = [" ".join(name.removesuffix(" (inc)") for name in metrics)] if metrics else []

    def go(node: Node, head: str, below: str, level: int) -> None:
        values = [_shown_value(node.values[name]) for name in metrics]
        if colour:
            values = [_colour(text, node.values[name], largest[name]) for text, name in zip(values, metrics)]
        lines.append(head + " ".join([*values, _shown_name(node.name, format)]))
        if level >= depth:
            return
        children = node.children
        if print_sorted and name:
            children = sorted(
                children,
                key=lambda child: -math.inf if math.isnan(child.values[name]) else child.values[name],
                reverse=True,
            )
        for child in children:
            is_last = child is children[-1]
            go(child, below + ("└─ " if is_last else "├─ "), below + ("   " if is_last else "│  "), level + 1)

    go(tree.root, "", "", 0)
    return "\n".join(lines)


def print_tree(
    tree: Tree, metrics: list[str], depth: int = 100, format: Optional[str] = None, print_sorted: bool = False
) -> None:
    """Prints the tree, in colours on a terminal. `format` says how functions of the program appear: one of FORMATS."""
    if format not in (None, *FORMATS):
        raise ValueError(f"format {format!r} is not available; expected one of {', '.join(FORMATS)}")
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    print(render(tree, metrics, depth, format, print_sorted, colour))


def show_metrics(file_name) -> None:
    """Prints the names of the metrics that a file can show."""
    print("\n".join(_metrics.available(_read_tree(file_name).metrics)))


def main(arguments: Optional[list[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="proton-viewer", description="Shows a profile that triton.profiler wrote.")
    parser.add_argument("target", help="the file, NAME.hatchet")
    parser.add_argument("-l", "--list", action="store_true", help="list the metrics that can be shown")
    parser.add_argument(
        "-m", "--metrics", default="time/ms", help="separated by commas, such as time/ms,tflop16/s (default: time/ms)"
    )
    parser.add_argument(
        "-i", "--include", help="regular expression: only nodes that match, with what is below them and leads to them"
    )
    parser.add_argument("-e", "--exclude", help="regular expression: without nodes that match, and what is below them")
    parser.add_argument("-t", "--threshold", type=float, help="only nodes whose first metric is at least that")
    parser.add_argument("-d", "--depth", type=int, default=100, help="levels to show")
    parser.add_argument(
        "-f", "--format", choices=FORMATS, default="full", help="how functions of the program are written"
    )
    parser.add_argument("--print-sorted", action="store_true", help="largest values of the first metric first")
    parser.add_argument("-diff", "--diff-profile", help="another file, whose values are subtracted")
    given = parser.parse_args(arguments)
    try:
        if given.list:
            show_metrics(given.target)
            return 0
        filters = given.include, given.exclude, given.threshold
        wanted = [name.strip() for name in given.metrics.split(",")]
        tree, metrics = parse(wanted, given.target, *filters)
        emit_warnings(tree, wanted)
        if given.diff_profile:
            apply_diff_profile(tree, metrics, given.diff_profile, wanted, *filters)
        print_tree(tree, metrics, given.depth, given.format, given.print_sorted)
    except (OSError, ValueError, re.error) as error:
        print(f"proton-viewer: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
