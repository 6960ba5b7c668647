"""Python that runs while compiling gives what CPython gives, wherever it stands: in a kernel or a constexpr function, compiled from Python or by `tritonc`
from the file alone."""

import importlib.util
import os
import random
import subprocess

import numpy as np
import pytest
import triton
from places import TRITONC

HEAD = """import enum
import math
from typing import NamedTuple

import triton
import triton.language as tl


class Color(enum.Enum):
    RED = 1


class Size(enum.IntEnum):
    BIG = 7


class Point(NamedTuple):
    x: int
    y: int = 5


"""

# Expressions that kernels take too.
ANYWHERE = """
7 // -2
-7 % 3
7.5 // -2.0
-0.0 // 1
2 ** 100
2 ** -2
(2 ** 53 + 1) / 3
(10 ** 30) / (10 ** 29 + 1)
2 ** 53 + 1 == 2.0 ** 53
2 ** 53 + 1 > 2.0 ** 53
1 << 70
-5 >> 1
~5
not 3
3 if 2 > 1 else 4
0 or "x"
1 and 2
(1, "a", None, True)[1]
(0, 1, 2, 3, 4)[::-2]
(0, 1, 2, 3, 4)[1:-1]
"hello"[1]
"h\\u00e9llo"[1:3]
"ab" * 3
"ab" + "cd"
"ab" < "b"
(1, 2) < (1, 3)
(1, 2) + (3,)
len("h\\u00e9")
len((1, 2, 3))
int("-12")
int(-2.7)
float("1e3")
min(3, 1, 2)
max(2.5, 1)
"A,b".lower().split(",")[1]
"  pad ".strip()
"xxabcxx".strip("x")
"abc".upper().startswith("AB")
"abc".endswith(("x", "c"))
"a-b-c".replace("-", "+")
"-".join(("a", "b"))
"abcabc".find("c")
"abcabc".rfind("c")
"banana".count("an")
"7".zfill(3)
"-7".zfill(4)
"ab".rjust(5, ".")
"ab".ljust(5)
"prefix-x".removeprefix("prefix-")
"1234".isdigit()
(1023).bit_length()
tl.float32.primitive_bitwidth
tl.int8.is_int()
tl.float32.is_floating()
triton.cdiv(10, 4)
triton.next_power_of_2(100)
f"{42}"
f"{42:>8}|{42:<8}|{42:^8}"
f"{42:08}|{-42:=8}|{42:+}|{42: }"
f"{255:#x}|{255:#b}|{255:#o}|{255:X}|{65:c}"
f"{1234567:,}|{1234567:_}|{255:_b}|{-1234567:018,}"
f"{3.14159:.2f}|{3.14159:10.3e}|{1e20}|{1e-7:g}|{0.5:%}"
f"{1.0}|{1.0:.0f}|{1.0:#.0f}|{123456789.0:.3}|{1e16}"
f"{float('nan'):>6}|{float('-inf'):08}|{float('inf'):,}"
f"{'abc':>6}|{'abc':^7}|{'abcdef':.3}|{'abc':*<6}"
f"{True}|{True:d}|{True:>5}|{None}"
f"{'q'!r:>6}|{'q'!s}|{'é'!a}|{12!r:>4}"
f"{3:{2 + 3}}|{3.14159:{8}.{2}}"
f"{(1, 'a')}|{tl.float32}|{tl.int1!r}"
f"{{}}{5}"
""".strip().split("\n")

# What only compile-time functions may write.
IN_FUNCTIONS = """
abs(-3), abs(-2.5)
[i * i for i in range(5) if i % 2]
[(a, b) for a in range(2) for b in "xy"]
sum([1, 2, 3]), sum((0.5, 1))
"ell" in "hello", 3 in (1, 2), 2 not in [1, 2]
1 < 2 < 3, 3 > 2 > 2
list(zip((1, 2), "ab"))
list(enumerate("ab", 1))
sorted((3, 1, 2), reverse=True), list(reversed([1, 2]))
round(2.5), round(-3.5), round(2.675, 2), round(1250, -2), round(1350.0, -2)
str(1.0), repr("a'b"), str([1, "a"]), str((1,))
bool(""), int(), float(), str(), list(), tuple("ab")
hex(-255), bin(5), oct(8), chr(233), ord("A"), divmod(-7, 2)
all([]), any((0, 1)), min([3, 1]), max("b", "c"), pow(3, 4, 5)
format(3.5, "08.2f"), f"{[1, 2]}", f"{'x':-^5}"
isinstance(3, int), isinstance("a", (int, str)), isinstance([], list)
[1, 2] + [3], [0] * 3, [1, 2] == [1, 2], [1] == (1,)
Point(1).y, Point(1, 2)[0], len(Point(1))
Color.RED.value, Color.RED.name, str(Color.RED), f"{Color.RED}|{Color.RED!r}"
Size.BIG.value, f"{Size.BIG}|{Size.BIG!r}"
math.log2(8), math.ceil(2.1), math.sqrt(2.0), math.gcd(12, 18)
triton.cdiv(7, 2), tl.float16.primitive_bitwidth, tl.int32.is_int()
""".strip().split("\n")


def write_module(path, in_kernel, in_functions):
    text = HEAD
    for i, expression in enumerate([*in_kernel, *in_functions]):
        text += f"@triton.constexpr_function\ndef value_{i}():\n    return repr(({expression}))\n\n\n"
    text += "@triton.jit\ndef kernel(out):\n"
    for i in range(len(in_kernel) + len(in_functions)):
        text += f'    tl.static_print("f{i}", value_{i}())\n'
    for i, expression in enumerate(in_kernel):
        text += f'    x{i}: tl.constexpr = {expression}\n    tl.static_print("k{i}", f"{{x{i}!r}}")\n'
    path.write_text(text, encoding="utf-8")
    return path


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def expected_of(path, in_kernel, in_functions):
    module = load(path)
    values = [getattr(module, f"value_{i}").fn() for i in range(len(in_kernel) + len(in_functions))]
    lines = [f"f{i} {value}" for i, value in enumerate(values)]
    return lines + [f"k{i} {value}" for i, value in enumerate(values[: len(in_kernel)])]


def compare(printed, expected):
    printed = [line for line in printed.split("\n") if line]
    assert len(printed) == len(expected)
    assert [(p, e) for p, e in zip(printed, expected) if p != e] == []


def check_both_hosts(path, in_kernel, in_functions, capfd):
    expected = expected_of(path, in_kernel, in_functions)
    load(path).kernel.warmup(np.zeros(1, np.int32), grid=(1,))
    compare(capfd.readouterr().out, expected)
    if TRITONC.exists():
        run = subprocess.run(
            [TRITONC, path, "--signature", "*i32", "--emit", "ttir", "-o", os.devnull], capture_output=True, text=True
        )
        assert run.returncode == 0, run.stderr
        compare(run.stdout, expected)


def test_same_on_all_hosts(fresh_triton_cache, tmp_path, capfd):
    check_both_hosts(write_module(tmp_path / "snippets.py", ANYWHERE, IN_FUNCTIONS), ANYWHERE, IN_FUNCTIONS, capfd)


VALUES = [
    0,
    1,
    -1,
    7,
    -42,
    255,
    1234567,
    -(10**12),
    2**70,
    True,
    False,
    "",
    "a",
    "h\u00e9llo",
    "longer text",
    None,
    (1, "b"),
]
FLOATS = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    0.1,
    1e-5,
    123456.789,
    1e15,
    1e16,
    1e22,
    -2.5e-8,
    5e-324,
    1.7e308,
    1 / 3,
    0.5,
    2.5,
    1e100,
]
FLOATS += [float("inf"), float("-inf"), float("nan")]


def random_spec(rng):
    pick = lambda *choices: rng.choice(choices)  # noqa: E731
    spec = pick("", "", rng.choice("*0x\u00e9 <") + rng.choice("<>=^"), rng.choice("<>=^"))
    spec += pick("", "", "", "+", "-", " ") + pick("", "", "", "z") + pick("", "", "", "#") + pick("", "", "0")
    spec += pick("", str(rng.randrange(1, 25))) + pick("", "", "", ",", "_")
    spec += pick("", "", "." + str(rng.randrange(0, 20)))
    return spec + pick("", "", *"bcdeEfFgGnosxX%")


def literal(value):
    if isinstance(value, float):
        return f"float({str(value)!r})"
    return repr(value)


def outcomes(rng, count):
    """Pairs of value and specification, each with what CPython makes of it."""
    good, bad = [], []
    while len(good) < count:
        value, spec = rng.choice(VALUES + FLOATS), random_spec(rng)
        try:
            good.append((value, spec, format(value, spec)))
        except (ValueError, TypeError, OverflowError) as error:
            bad.append((value, spec, error))
    return good, bad


def test_format_specs_as_cpython(fresh_triton_cache, tmp_path, capfd):
    good, _ = outcomes(random.Random(13), 600)
    # The specification is a field itself: braces and quotes need no care.
    expressions = [f'f"{{{literal(value)}:{{{spec!r}}}}}"'.replace('"', "'''") for value, spec, _ in good]
    path = write_module(tmp_path / "formats.py", expressions, [])
    for expression, (_, _, text) in zip(expressions, good):
        assert eval(expression) == text
    check_both_hosts(path, expressions, [], capfd)


def test_wrong_format_specs(fresh_triton_cache, tmp_path):
    rng = random.Random(14)
    _, bad = outcomes(rng, 400)
    bad = rng.sample(bad, 80)
    text = HEAD
    for i, (value, spec, _) in enumerate(bad):
        text += (
            f"@triton.jit\ndef kernel_{i}(out):\n    tl.static_print(f'''{{{literal(value)}:{{{spec!r}}}}}''')\n\n\n"
        )
    (tmp_path / "wrong.py").write_text(text, encoding="utf-8")
    module = load(tmp_path / "wrong.py")
    for i, (_, _, error) in enumerate(bad):
        with pytest.raises(triton.CompilationError) as failure:
            getattr(module, f"kernel_{i}").warmup(np.zeros(1, np.int32), grid=(1,))
        assert str(error) in str(failure.value)


def test_formats_of_host_objects(fresh_triton_cache, tmp_path, capfd):
    """An object of the program's own formats itself."""
    (tmp_path / "objects.py").write_text(
        HEAD + "C = tl.constexpr(Color.RED)\n\n\n@triton.jit\ndef kernel(out):\n"
        '    tl.static_print(f"{C}|{C!s:>12}|{C!r}")\n'
    )
    load(tmp_path / "objects.py").kernel.warmup(np.zeros(1, np.int32), grid=(1,))
    assert capfd.readouterr().out == "Color.RED|   Color.RED|<Color.RED: 1>\n"
