"""Runs a program whose kernels look for races in global memory.

python -m triton.tools.gsan script.py [arguments of the script]

As `TRITON_INSTRUMENTATION_MODE=gsan python script.py`. A race ends the launch as a failed assertion at the line of the access. Ends with the program's exit code.
"""

from __future__ import annotations

import argparse
import os
import sys

from .. import knobs
from ..simulate import run


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m triton.tools.gsan", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("script", help="a Python file")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, default=[], help="what the script is given")
    given = parser.parse_args(arguments)
    if not os.path.isfile(given.script):
        parser.error(f"there is no file '{given.script}'")
    modes = [mode.strip() for mode in knobs.compilation.instrumentation_mode.split(",") if mode.strip()]
    if "gsan" not in modes:
        modes.append("gsan")
    knobs.compilation.instrumentation_mode = os.environ["TRITON_INSTRUMENTATION_MODE"] = ",".join(modes)
    return run(given.script, given.arguments)


if __name__ == "__main__":
    sys.exit(main())
