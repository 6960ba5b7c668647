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
from .hook import METADATA_STATE

FORMATS = ("full", "file_function_line", "function_line", "file_function")
_PROPERTIES = ("device_id", "device_type")


@dataclass
class Node:
    """A scope, function or kernel. `own` is what was measured in it, `sums` that with all nodes below it, `values` the metrics asked for."""

    name: str
    own: dict[str, float] = field(default_factory=dict)
    device: Optional[tuple[str, str]] = None  # ("CUDA", "0")
    children: list["Node"] = field(default_factory=list)
    sums: dict[str, float] = field(default_factory=dict)
    devices: set = field(default_factory=set)
    values: dict[str, float] = field(default_factory=dict)

    def walk(self) -> Iterator["Node"]:
        yield self
        for child in self.children:
            yield from child.walk()

    def add_up(self) -> None:
        self.sums, self.devices = dict(self.own), {self.device} - {None}
        for child in self.children:
            child.add_up()
            self.devices |= child.devices
            for name, value in child.sums.items():
                if not name.endswith("(exc)"):
                    self.sums[name] = self.sums.get(name, 0) + value


@dataclass
class Tree:
    root: Node
    device_info: dict  # {"CUDA": {"0": {"arch": "90", …}}}

    @property
    def metrics(self) -> set[str]:
        """Names of what the file holds."""
        return {name for node in self.root.walk() for name in node.own}

    def evaluate(self, metrics: list[str]) -> None:
        self.root.add_up()
        found = {name: _metrics.find(name, self.metrics) for name in metrics}
        for node in self.root.walk():
            devices = [self.device_info.get(kind, {}).get(index, {}) for kind, index in sorted(node.devices)]
            for name, (function, is_exclusive) in found.items():
                node.values[name] = function(node.own if is_exclusive else node.sums, self.root.sums, devices)


def _read_node(entry: dict) -> Node:
    numbers = {name: value for name, value in entry["metrics"].items() if name not in _PROPERTIES and value is not None}
    device = (
        tuple(str(entry["metrics"][name]) for name in reversed(_PROPERTIES))
        if "device_id" in entry["metrics"]
        else None
    )
    return Node(entry["frame"]["name"], numbers, device, [_read_node(child) for child in entry["children"]])


def read(filename) -> Tree:
    """The tree of a file that `finalize` wrote. What `launch_metadata` functions launched is left out."""
    with open(filename) as file:
        text = file.read()
    try:
        entries = json.loads(text)
        roots = [_read_node(entry) for entry in entries if "frame" in entry]
    except (ValueError, KeyError, TypeError):
        roots = []
    if not roots:
        raise ValueError(f"'{filename}' is no profile of data=\"tree\"")
    info = next((entry for entry in entries if "frame" not in entry), {})
    root = roots[0] if len(roots) == 1 else Node("ROOT", children=roots)
    return Tree(_without(root, lambda node: node.name == METADATA_STATE), info)


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


def parse(
    metrics: list[str],
    filename,
    include: Optional[str] = None,
    exclude: Optional[str] = None,
    threshold: Optional[float] = None,
) -> tuple[Tree, list[str]]:
    """Reads a profile and works out the metrics: `time/ms`, `avg_time/us`, `tflop16/s`, `gbyte/s`, `util`, `count`, or the program's own.

    A node's value is that of all kernels below it; with ` (exc)` behind its name, of the node alone.
    include, exclude: regular expressions of names; nodes below one that matches stay, or go, with it
    threshold: nodes go whose value of the first metric is less
    """
    tree = read(filename)
    if exclude:
        expression = re.compile(exclude)
        _without(tree.root, lambda node: expression.search(node.name))
    if include and not _keep_matching(tree.root, re.compile(include)):
        tree.root.children.clear()
        tree.root.own.clear()
    tree.evaluate(metrics)
    if threshold is not None and metrics:
        _keep_large(tree.root, metrics[0], threshold)
    return tree, list(metrics)


def subtract(tree: Tree, other: Tree, metrics: list[str]) -> None:
    """Leaves in `tree` how much its values differ from those of `other`; nodes that only one of them has differ from nothing."""

    def go(node: Node, match: Optional[Node]) -> None:
        for name in metrics:
            node.values[name] -= match.values[name] if match and not math.isnan(match.values[name]) else 0
        rest = {child.name: child for child in match.children} if match else {}
        for child in node.children:
            go(child, rest.pop(child.name, None))
        for missing in rest.values():
            for below in missing.walk():
                below.values = {name: -value for name, value in below.values.items()}
            node.children.append(missing)

    go(tree.root, other.root)


_FRAME = re.compile(r"(?P<file>.+):(?P<function>[^:@]+)@(?P<line>\d+)$")


def _shown_name(name: str, format: Optional[str]) -> str:
    """Functions of the program are "file:function@line" in files."""
    frame = _FRAME.match(name)
    if not frame or format in (None, "full"):
        return name
    file, function, line = os.path.basename(frame["file"]), frame["function"], frame["line"]
    return {
        "file_function_line": f"{file}:{function}@{line}",
        "function_line": f"{function}@{line}",
        "file_function": f"{file}:{function}",
    }[format]


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
    lines = [" ".join(metrics)] if metrics else []

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
            print("\n".join(_metrics.available(read(given.target).metrics)))
            return 0
        filters = given.include, given.exclude, given.threshold
        tree, metrics = parse([name.strip() for name in given.metrics.split(",")], given.target, *filters)
        if given.diff_profile:
            subtract(tree, parse(metrics, given.diff_profile, *filters)[0], metrics)
        print_tree(tree, metrics, given.depth, given.format, given.print_sorted)
    except (OSError, ValueError, re.error) as error:
        print(f"proton-viewer: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
