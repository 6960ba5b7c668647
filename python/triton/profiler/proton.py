"""`proton [options] script.py …` or `proton [options] pytest …`: runs a program with a session around it."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from typing import Optional

from .profile import DEFAULT_PROFILE_NAME, _session_of_command_line


def parse_arguments(arguments: Optional[list[str]] = None):
    """The options, and what to run with its arguments."""
    parser = argparse.ArgumentParser(
        prog="proton",
        description="Runs a script, or pytest, under the profiler and writes NAME.hatchet.",
        usage="proton [options] script.py [arguments of the script] | proton [options] pytest [arguments of pytest]",
    )
    parser.add_argument(
        "-n", "--name", default=DEFAULT_PROFILE_NAME, help="of the file, without its suffix (default: proton)"
    )
    parser.add_argument(
        "-b",
        "--backend",
        choices=["cupti", "cpu", "instrumentation"],
        help="who measures (default: as the active driver)",
    )
    parser.add_argument(
        "-c", "--context", choices=["shadow", "python"], default="shadow", help="what kernels are sorted by"
    )
    parser.add_argument("-m", "--mode", help="of the backend")
    parser.add_argument("-d", "--data", choices=["tree", "trace"], default="tree", help="sums, or a time line")
    parser.add_argument("-k", "--hook", choices=["triton"], help="show launches with their launch_metadata")
    parser.add_argument("target", nargs=argparse.REMAINDER, help="what to run, with its arguments")
    given = parser.parse_args(arguments)
    if not given.target:
        parser.error("a script to run is missing")
    return given, given.target


def is_pytest(script: str) -> bool:
    return os.path.basename(script) == "pytest"


def execute_as_main(script: str, args: list[str]) -> int:
    """Runs a script as Python itself would."""
    path = os.path.abspath(script)
    sys.argv = [script, *args]
    sys.path[0] = os.path.dirname(path)
    runpy.run_path(script, run_name="__main__")
    return 0


def do_setup_and_execute(target_args: list[str]) -> int:
    """Runs a script, or pytest, with its arguments; gives its status."""
    program, *rest = target_args
    if is_pytest(program):
        import pytest

        return int(pytest.main(rest))
    return execute_as_main(program, rest)


def run_profiling(args, target_args: list[str]) -> int:
    """Runs a program with a session around it; gives its status."""
    options = {
        "context": args.context,
        "data": args.data,
        "backend": args.backend,
        "mode": args.mode,
        "hook": args.hook,
    }
    with _session_of_command_line(os.path.abspath(args.name), **options):
        return do_setup_and_execute(target_args)


def main(arguments: Optional[list[str]] = None) -> int:
    given, target = parse_arguments(arguments)
    if not is_pytest(target[0]) and not os.path.isfile(target[0]):
        print(f"proton: '{target[0]}' is neither a script nor pytest", file=sys.stderr)
        return 2
    return run_profiling(given, target)


if __name__ == "__main__":
    sys.exit(main())
