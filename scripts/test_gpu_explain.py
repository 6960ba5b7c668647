"""Which instructions benchmarks/gpu/explain.py takes for a loop."""

import importlib.util
from pathlib import Path

PATH = Path(__file__).resolve().parents[1] / "benchmarks/gpu/explain.py"
spec = importlib.util.spec_from_file_location("explain", PATH)
explain = importlib.util.module_from_spec(spec)
spec.loader.exec_module(explain)


def code(*parts):
    """(instructions, labels): texts that end in a colon are labels, numbers stand for so many instructions."""
    instructions, labels = [], {}
    for part in parts:
        if isinstance(part, int):
            instructions += ["FADD R0, R0, R1"] * part
        elif part.endswith(":"):
            labels[part[:-1]] = len(instructions)
        else:
            instructions.append(part)
    return instructions, labels


def test_a_loop():
    assert explain.innermost_loops(*code(5, ".L_x_0:", 30, "@P0 BRA `(.L_x_0)", 4, "EXIT")) == [(5, 36)]


def test_waits_behind_the_code_close_no_loop():
    """ptxas puts the waiting part of an mbarrier wait behind the kernel's end; it jumps back into the middle of the code."""
    instructions, labels = code(
        ".L_x_0:", 3, "@!P1 BRA `(.L_x_3)", ".L_x_1:", 30, "@P0 BRA `(.L_x_0)",
        "@!P1 BRA `(.L_x_4)", ".L_x_2:", 40, "EXIT",
        ".L_x_3:", "SYNCS.PHASECHK P1", "@!P1 BRA `(.L_x_3)", "BRA `(.L_x_1)",
        ".L_x_4:", "SYNCS.PHASECHK P1", "@!P1 BRA `(.L_x_4)", "BRA `(.L_x_2)",
    )  # fmt: skip
    assert explain.innermost_loops(instructions, labels) == [(0, 35)]


def test_guards_do_not_hide_a_pipe():
    assert explain.cost("@!P1 FMUL R7, R7, 16777216")[0] == explain.cost("FMUL R7, R7, 2")[0] == "fma"
