"""Shows what became of a kernel: one HTML page with its source beside the IR of every stage, line by line, layouts as pictures, figures and times.

python -m triton.explain program.py [-o page.html] [arguments of the program]     runs the program and explains the kernels it compiled; with TRITON_SIMULATE=sm_90a
                                                                                  each line says what it did: instructions, sectors, bank conflicts
python -m triton.explain kernels.py -n add -s "*fp32:16, *fp32:16, *fp32:16, i32, 1024" [-t cuda:90:32]     compiles one kernel, runs nothing
python -m triton.explain ENTRY      an entry of the cache, as `python -m triton.cache ls` names it
"""

from __future__ import annotations

import argparse
import os
import runpy
import sys

from .. import knobs
from .._C import libtriton
from ..runtime import driver
from ..tools.compile import load_kernel, parse_target, source_of_signature
from .collect import add_counters, explain_entry, explain_source
from .page import write_page


def kernels_of_program(path, arguments, wanted):
    """Runs a program; gives (source, target, options) of each kernel that it compiled or took from the cache."""
    seen = {}

    def listen(*, src, metadata, **_):
        if hasattr(src, "fn") and wanted in (None, src.name):
            options = {name: metadata[name] for name in ("num_warps", "num_stages", "num_ctas", "debug") if name in metadata}  # fmt: skip
            seen.setdefault((src.hash(), str(options)), (src, metadata["target"], options))

    if knobs.runtime.simulate:
        driver.active.get_current_target()
        libtriton.cuda.observe(False, True)
    before, knobs.compilation.listener = knobs.compilation.listener, listen
    argv, path0 = sys.argv, sys.path[0]
    sys.argv, sys.path[0] = [path, *arguments], os.path.dirname(os.path.abspath(path))
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit:
        pass
    finally:
        sys.argv, sys.path[0] = argv, path0
        knobs.compilation.listener = before
    return list(seen.values())


def kernel_of_signature(given):
    kernel, target = load_kernel(given.input, given.kernel), parse_target(given.target)
    options = {"num_warps": given.num_warps, "num_stages": given.num_stages}
    source, _ = source_of_signature(kernel, given.kernel, given.signature, target, **options)
    return [(source, target, options)]


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="python -m triton.explain", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("input", help="a Python file, or an entry of the cache")
    parser.add_argument("-o", "--output", help="the page (default: NAME.html here)")
    parser.add_argument("-n", "--kernel", help="this kernel only")
    parser.add_argument("-s", "--signature", help="compile for these types instead of running the file")
    parser.add_argument("-t", "--target", help="<backend>:<arch>:<warp-size>, with --signature")
    parser.add_argument("-w", "--num-warps", type=int, default=4)
    parser.add_argument("--num-stages", type=int, default=3)
    parser.add_argument("program_arguments", nargs="*", default=[], help="what the program is given")
    given = parser.parse_intermixed_args(arguments)
    if os.path.isdir(given.input):
        parser.error(f"'{given.input}' is a folder, not a Python file")
    if not os.path.exists(given.input):
        if given.input.endswith(".py"):
            parser.error(f"there is no file '{given.input}'")
        kernels = [explain_entry(given.input)]
    else:
        if given.signature and not given.kernel:
            parser.error("--signature needs --kernel")
        found = kernel_of_signature(given) if given.signature else kernels_of_program(given.input, given.program_arguments, given.kernel)  # fmt: skip
        if not found:
            raise SystemExit(f"error: {given.input} compiled no kernel{' ' + given.kernel if given.kernel else ''}")
        kernels = [explain_source(source, target, options) for source, target, options in found]
        if knobs.runtime.simulate:
            add_counters(kernels, libtriton.cuda.take_counts())
    stem = os.path.splitext(os.path.basename(given.input))[0][:60]
    print(write_page(kernels, given.output or f"{stem}.html"))


if __name__ == "__main__":
    main()
