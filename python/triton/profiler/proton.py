"""`proton [options] script.py …` or `proton [options] pytest …`: runs a program with a session around it."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from typing import Optional

from . import session


def _parse(arguments: Optional[list[str]]):
    parser = argparse.ArgumentParser(
        prog="proton",
        description="Runs a script, or pytest, under the profiler and writes NAME.hatchet.",
        usage="proton [options] script.py [arguments of the script] | proton [options] pytest [arguments of pytest]",
    )
    parser.add_argument(
        "-n", "--name", default=session.DEFAULT_PROFILE_NAME, help="of the file, without its suffix (default: proton)"
    )
    parser.add_argument(
        "-b", "--backend", choices=["cupti", "cpu"], help="who measures (default: as the active driver)"
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
    return given


def _run(target: list[str]) -> int:
    program, *rest = target
    if os.path.basename(program) == "pytest":
        import pytest

        return int(pytest.main(rest))
    sys.argv = target
    sys.path[0] = os.path.dirname(os.path.abspath(program))
    runpy.run_path(program, run_name="__main__")
    return 0


def main(arguments: Optional[list[str]] = None) -> int:
    given = _parse(arguments)
    is_pytest = os.path.basename(given.target[0]) == "pytest"
    if not is_pytest and not os.path.isfile(given.target[0]):
        print(f"proton: '{given.target[0]}' is neither a script nor pytest", file=sys.stderr)
        return 2
    number = session.start(
        os.path.abspath(given.name), context=given.context, data=given.data, backend=given.backend, mode=given.mode, hook=given.hook
    )  # fmt: skip
    session._of_command_line = number
    try:
        return _run(given.target)
    finally:
        session._of_command_line = None
        if number is not None:
            session._finish(number)


if __name__ == "__main__":
    sys.exit(main())
