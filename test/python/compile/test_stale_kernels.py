"""A kernel is compiled anew when anything that it read of the program has changed: between two runs of a program, and while it runs."""

import os
import subprocess
import sys
import textwrap

import pytest

HEAD = """
import os, sys
import numpy as np, triton, triton.language as tl
"""
TAIL = """
def launch(*args):
    out = np.zeros(1, np.int32)
    try:
        kernel[(1,)](out, *args)
    except Exception as error:
        return f"error: {error}"
    return int(out[0])
"""

# name -> files; `program` ends with a launch. VALUE is what changes, in a file or in the environment.
EDITED = {
    "constexpr of a module": {
        "conf": "import triton.language as tl\nG = tl.constexpr(VALUE)",
        "program": """
            import conf
            @triton.jit
            def kernel(out):
                tl.store(out, conf.G)
            print(launch())
        """,
    },
    "constexpr of a module in a package": {
        "package/__init__": "",
        "package/conf": "import triton.language as tl\nG = tl.constexpr(VALUE)",
        "program": """
            import package.conf
            @triton.jit
            def kernel(out):
                tl.store(out, package.conf.G)
            print(launch())
        """,
    },
    "in a helper": {
        "conf": "import triton.language as tl\nG = tl.constexpr(VALUE)",
        "helpers": "import triton, triton.language as tl, conf\n@triton.jit\ndef helper():\n    return conf.G",
        "program": """
            import helpers
            @triton.jit
            def kernel(out):
                tl.store(out, helpers.helper())
            print(launch())
        """,
    },
    "by getattr": {
        "conf": "import triton.language as tl\nG = tl.constexpr(VALUE)",
        "program": """
            import conf
            @triton.jit
            def kernel(out):
                tl.store(out, getattr(conf, "G"))
            print(launch())
        """,
    },
    "plain attribute of a module": {
        "conf": "G = VALUE",
        "program": """
            import conf
            @triton.jit
            def kernel(out):
                tl.store(out, conf.G)
            print(launch())
        """,
    },
    "attribute of a class": {
        "conf": "class Config:\n    G = VALUE",
        "program": """
            import conf
            @triton.jit
            def kernel(out):
                tl.store(out, conf.Config.G)
            print(launch())
        """,
    },
    "default of a helper's parameter": {
        "conf": "import triton.language as tl\nG = VALUE",
        "program": """
            import conf
            @triton.jit
            def helper(x, scale: tl.constexpr = conf.G):
                return x * scale
            @triton.jit
            def kernel(out):
                tl.store(out, helper(1))
            print(launch())
        """,
    },
    "default of the kernel's own parameter": {
        "conf": "import triton.language as tl\nG = VALUE",
        "program": """
            import conf
            @triton.jit
            def kernel(out, G: tl.constexpr = conf.G):
                tl.store(out, G)
            print(launch())
        """,
    },
    "global of a constexpr function": {
        "conf": "import triton\nG = VALUE\n@triton.constexpr_function\ndef scale(n):\n    return n * G",
        "program": """
            import conf
            @triton.jit
            def kernel(out):
                tl.store(out, conf.scale(1))
            print(launch())
        """,
    },
    "attribute of a module in a constexpr function": {
        "conf": "G = VALUE",
        "functions": "import triton, conf\n@triton.constexpr_function\ndef scale(n):\n    return n * conf.G",
        "program": """
            import functions
            @triton.jit
            def kernel(out):
                tl.store(out, functions.scale(1))
            print(launch())
        """,
    },
    "environment of a constexpr function": {
        "program": """
            @triton.constexpr_function
            def scale(n):
                return n * int(os.environ["SCALE"])
            @triton.jit
            def kernel(out):
                tl.store(out, scale(1))
            print(launch())
        """,
    },
    "function in a tuple that is an argument": {
        "functions": "import triton\n@triton.jit\ndef one(x):\n    return x * VALUE\n@triton.jit\ndef two(x):\n    return x",
        "program": """
            import functions
            @triton.jit
            def kernel(out, F: tl.constexpr):
                tl.store(out, F[0](1))
            print(launch((functions.one, functions.two)))
        """,
    },
    "function in a global tuple": {
        "functions": "import triton\n@triton.jit\ndef one(x):\n    return x * VALUE",
        "program": """
            import functions
            F = tl.constexpr((functions.one,))
            @triton.jit
            def kernel(out):
                tl.store(out, F[0](1))
            print(launch())
        """,
    },
    "what a function in a tuple reads": {
        "functions": "import triton, triton.language as tl\nG = tl.constexpr(VALUE)\n@triton.jit\ndef one(x):\n    return x * G",
        "program": """
            import functions
            F = tl.constexpr((functions.one,))
            @triton.jit
            def kernel(out):
                tl.store(out, F[0](1))
            print(launch())
        """,
    },
    "method of an object": {
        "objects": """
            import triton
            class Config:
                @triton.constexpr_function
                def scale(self, n):
                    return n * VALUE
        """,
        "program": """
            import objects
            @triton.jit
            def kernel(out, CONFIG: tl.constexpr):
                tl.store(out, CONFIG.scale(1))
            print(launch(objects.Config()))
        """,
    },
    "object whose repr hides its value": {
        "objects": """
            class Config:
                def __init__(self):
                    self.g = VALUE
                def __repr__(self):
                    return "Config()"
                def __eq__(self, other):
                    return isinstance(other, Config) and self.g == other.g
                def __hash__(self):
                    return 1
        """,
        "program": """
            import objects
            @triton.jit
            def kernel(out, CONFIG: tl.constexpr):
                tl.store(out, CONFIG.g)
            print(launch(objects.Config()))
        """,
    },
    "function that emits code": {
        "functions": """
            import triton.language as tl
            from triton.language import core
            G = VALUE
            @core.builtin
            def scale(x, _semantic=None):
                return core.tensor.__mul__(x, G, _semantic=_semantic)
        """,
        "program": """
            import functions
            @triton.jit
            def kernel(out, n):
                tl.store(out, functions.scale(n))
            print(launch(5))
        """,
    },
    "aggregate": {
        "objects": """
            import triton.language as tl
            from triton.language.core import _aggregate as aggregate
            G = VALUE
            @aggregate
            class Pair:
                a: tl.tensor
                g: tl.constexpr
                def __init__(self, a):
                    self.a = a
                    self.g = tl.constexpr(G)
        """,
        "program": """
            import objects
            @triton.jit
            def kernel(out, n):
                pair = objects.Pair(n)
                tl.store(out, pair.a * pair.g)
            print(launch(5))
        """,
    },
    "default of an aggregate's field": {
        "objects": """
            import triton.language as tl
            from triton.language.core import _aggregate as aggregate
            @aggregate
            class Pair:
                a: tl.tensor
                g: tl.constexpr = VALUE
        """,
        "program": """
            import objects
            @triton.jit
            def kernel(out, n):
                pair = objects.Pair(n)
                tl.store(out, pair.a * pair.g)
            print(launch(5))
        """,
    },
    "inherited default of an aggregate's field": {
        "conf": "G = VALUE",
        "objects": """
            import conf, triton.language as tl
            from triton.language.core import _aggregate as aggregate
            @aggregate
            class Base:
                a: tl.tensor
                g: tl.constexpr = conf.G
            @aggregate
            class Pair(Base):
                b: tl.constexpr = 1
        """,
        "program": """
            import objects
            @triton.jit
            def kernel(out, n):
                pair = objects.Pair(n)
                tl.store(out, pair.a * pair.g * pair.b)
            print(launch(5))
        """,
    },
    "inherited method of an aggregate": {
        "objects": """
            import triton, triton.language as tl
            from triton.language.core import _aggregate as aggregate
            @aggregate
            class Base:
                a: tl.tensor
                @triton.jit
                def scaled(self):
                    return self.a * VALUE
            @aggregate
            class Pair(Base):
                b: tl.constexpr = 1
        """,
        "program": """
            import objects
            @triton.jit
            def kernel(out, n):
                tl.store(out, objects.Pair(n).scaled())
            print(launch(5))
        """,
    },
    "what an inherited method of an aggregate reads": {
        "conf": "import triton.language as tl\nG = tl.constexpr(VALUE)",
        "objects": """
            import conf, triton, triton.language as tl
            from triton.language.core import _aggregate as aggregate
            @aggregate
            class Base:
                a: tl.tensor
                @triton.constexpr_function
                def factor(self):
                    return conf.G.value
                @triton.jit
                def scaled(self):
                    return self.a * self.factor()
            @aggregate
            class Pair(Base):
                b: tl.constexpr = 1
        """,
        "program": """
            import objects
            @triton.jit
            def kernel(out, n):
                tl.store(out, objects.Pair(n).scaled())
            print(launch(5))
        """,
    },
    "what a jitted method of an aggregate reads": {
        "conf": "import triton.language as tl\nG = tl.constexpr(VALUE)",
        "objects": """
            import conf, triton, triton.language as tl
            from triton.language.core import _aggregate as aggregate
            @aggregate
            class Pair:
                a: tl.tensor
                @triton.jit
                def scaled(self):
                    return self.a * conf.G
        """,
        "program": """
            import objects
            @triton.jit
            def kernel(out, n):
                tl.store(out, objects.Pair(n).scaled())
            print(launch(5))
        """,
    },
    "what a constexpr function reads that a builtin calls": {
        "conf": "G = VALUE",
        "functions": """
            import conf, triton
            from triton.language import core
            @triton.constexpr_function
            def factor():
                return conf.G
            @core.builtin
            def scale(x, _semantic=None):
                return core.tensor.__mul__(x, factor(), _semantic=_semantic)
        """,
        "program": """
            import functions
            @triton.jit
            def kernel(out, n):
                tl.store(out, functions.scale(n))
            print(launch(5))
        """,
    },
    "what an inherited constructor of an aggregate reads": {
        "conf": "G = VALUE",
        "objects": """
            import conf, triton.language as tl
            from triton.language.core import _aggregate as aggregate
            def factor():
                return conf.G
            @aggregate
            class Base:
                a: tl.tensor
                g: tl.constexpr
                def __init__(self, a):
                    self.a = a
                    self.g = tl.constexpr(factor())
            @aggregate
            class Pair(Base):
                pass
        """,
        "program": """
            import objects
            @triton.jit
            def kernel(out, n):
                pair = objects.Pair(n)
                tl.store(out, pair.a * pair.g)
            print(launch(5))
        """,
    },
    "plain method of an aggregate": {
        "objects": """
            import triton, triton.language as tl
            from triton.language.core import _aggregate as aggregate
            G = VALUE
            @aggregate
            class Pair:
                a: tl.tensor
                def factor(self, _semantic=None):
                    return tl.constexpr(G)
        """,
        "program": """
            import objects
            @triton.jit
            def kernel(out, n):
                pair = objects.Pair(n)
                tl.store(out, pair.a * pair.factor())
            print(launch(5))
        """,
    },
    "what an aggregate's method reads of its class": {
        "objects": """
            import triton, triton.language as tl
            from triton.language.core import _aggregate as aggregate
            class Settings:
                G = VALUE
            @aggregate
            class Pair:
                a: tl.tensor
                @triton.jit
                def scaled(self, settings: tl.constexpr = Settings):
                    return self.a * settings.G
        """,
        "program": """
            import objects
            @triton.jit
            def kernel(out, n):
                tl.store(out, objects.Pair(n).scaled())
            print(launch(5))
        """,
    },
    "field of a named tuple's default": {
        "objects": """
            from typing import NamedTuple
            import triton.language as tl
            class Options(NamedTuple):
                g: tl.constexpr = VALUE
        """,
        "program": """
            import objects
            @triton.jit
            def kernel(out, options: tl.constexpr = objects.Options()):
                tl.store(out, options.g)
            print(launch())
        """,
    },
    "member of an enumeration": {
        "objects": "import enum\nclass Mode(enum.Enum):\n    G = VALUE",
        "program": """
            import objects
            @triton.jit
            def kernel(out, mode: tl.constexpr):
                tl.store(out, mode.value)
            print(launch(objects.Mode.G))
        """,
    },
    "dataclass's default": {
        "objects": "import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass Options:\n    g: int = VALUE",
        "program": """
            import objects
            @triton.jit
            def kernel(out, options: tl.constexpr):
                tl.store(out, options.g)
            print(launch(objects.Options()))
        """,
    },
    "element of a global tuple, taken by a constexpr function": {
        "conf": "G = VALUE",
        "program": """
            import conf
            @triton.constexpr_function
            def pick(table, i):
                return table[i]
            TABLE = tl.constexpr(tuple([conf.G] * 3))
            @triton.jit
            def kernel(out):
                tl.store(out, pick(TABLE, 1))
            print(launch())
        """,
    },
}


def write(folder, files, value):
    for name, text in files.items():
        path = folder / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        text = textwrap.dedent(text).replace("VALUE", str(value))
        path.write_text(HEAD + textwrap.dedent(TAIL) + text if name == "program" else text)


def run(folder, **variables):
    environment = {**os.environ, "TRITON_CACHE_DIR": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1", **variables}
    done = subprocess.run([sys.executable, folder / "program.py"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[:-1]


@pytest.mark.parametrize("name", EDITED)
def test_edited_between_runs(tmp_path, name):
    answers = []
    for value in (3, 4, 3):
        write(tmp_path, EDITED[name], value)
        answers += run(tmp_path, SCALE=str(value))
    factor = 5 if "launch(5)" in EDITED[name]["program"] else 1
    assert answers == [str(3 * factor), str(4 * factor), str(3 * factor)]
    # The third run found what the first had stored.
    assert len(list((tmp_path / "cache").glob("*/kernel.json"))) == 2


def test_plain_attributes_where_plain_globals_are_allowed(tmp_path):
    answers = []
    for value in (3, 4):
        write(tmp_path, EDITED["plain attribute of a module"], value)
        answers += run(tmp_path, TRITON_ALLOW_NON_CONSTEXPR_GLOBALS="1")
    assert answers == ["3", "4"]


# Programs that print what a kernel gives before and after a change: either the new value, or an error that names the variable.
CHANGED = {
    "attribute of a module": ("conf.G = tl.constexpr(4)", "Global variable conf.G has changed"),
    "plain attribute of a module": ("conf.H = 4", "Global variable conf.H has changed"),
    "global of a constexpr function": ("conf.BASE = 4", "Global variable BASE has changed"),
    "environment of a constexpr function": ("os.environ['SCALE'] = '4'", None),
    "attribute of an object": ("settings.g = 4", None),
    "attribute of a class": ("conf.Config.g = 4", None),
    "a function that is defined anew": ("helper = triton.jit(conf.other)", None),
    "content of a constexpr function's global": ("conf.cell[0] = 4", "Global variable cell has changed"),
}
KERNELS = {
    "attribute of a module": "conf.G",
    "plain attribute of a module": "conf.H",
    "global of a constexpr function": "conf.scale(1)",
    "environment of a constexpr function": "conf.read(1)",
    "attribute of an object": "S.g",
    "attribute of a class": "conf.Config.g",
    "a function that is defined anew": "helper()",
    "content of a constexpr function's global": "conf.first(1)",
}
CONF = """
import os, triton, triton.language as tl
G = tl.constexpr(3)
H = 3
BASE = 3
class Config:
    g = 3
def three():
    return 3
def other():
    return 4
cell = [3]
@triton.constexpr_function
def scale(n):
    return n * BASE
@triton.constexpr_function
def read(n):
    return n * int(os.environ["SCALE"])
@triton.constexpr_function
def first(n):
    return n * cell[0]
"""


@pytest.mark.parametrize("name", CHANGED)
def test_changed_while_running(tmp_path, name):
    change, error = CHANGED[name]
    program = f"""
import conf
class Settings:
    g = 3
settings = Settings()
helper = triton.jit(conf.three)
@triton.jit
def kernel(out, S: tl.constexpr):
    tl.store(out, {KERNELS[name]})
for _ in range(3):
    print(launch(settings))
{change}
for _ in range(3):
    print(launch(settings))
"""
    write(tmp_path, {"conf": CONF, "program": program}, 0)
    answers = run(tmp_path, SCALE="3")
    assert answers[:3] == ["3"] * 3
    if error is None:
        assert answers[3:] == ["4"] * 3
    else:
        assert all(error in answer for answer in answers[3:])


@pytest.mark.parametrize("before", ["launch()", "kernel.warmup(np.zeros(1, np.float32), grid=(1,))"])
def test_class_is_changed_before_it_is_watched(tmp_path, before):
    """Which places to watch is found out when launches take the short way, or at the first change."""
    program = f"""
import conf
@triton.jit
def kernel(out):
    tl.store(out, conf.Config.g)
{before}
for value in (4, 5):
    conf.Config.g = value
    print(launch(), launch())
"""
    write(tmp_path, {"conf": CONF, "program": program}, 0)
    assert run(tmp_path) == ["4 4", "5 5"]


def test_object_in_a_global(tmp_path):
    program = """
class Config:
    def __init__(self, g):
        self.g = g
CONFIG = tl.constexpr(Config(3))
@triton.jit
def kernel(out):
    tl.store(out, CONFIG.g)
print(launch(), launch())
CONFIG.value.g = 4
print(launch(), launch())
"""
    write(tmp_path, {"program": program}, 0)
    assert run(tmp_path) == ["3 3", "4 4"]


def test_objects_with_the_same_text(tmp_path):
    program = """
class Config:
    def __init__(self, g):
        self.g = g
    def __repr__(self):
        return "Config()"
@triton.jit
def helper(C: tl.constexpr):
    return C.g
@triton.jit
def kernel(out, A: tl.constexpr, B: tl.constexpr):
    tl.store(out, helper(A) * 10 + helper(B))
for a, b in ((1, 2), (3, 4), (1, 2)):
    print(launch(Config(a), Config(b)))
"""
    write(tmp_path, {"program": program}, 0)
    assert run(tmp_path) == ["12", "34", "12"]


def test_functions_of_the_same_text(tmp_path):
    program = """
def make(value):
    captured = tl.constexpr(value)
    @triton.jit
    def function(x):
        return x * captured
    return function
@triton.jit
def kernel(out, F: tl.constexpr):
    tl.store(out, F[0](1))
for value in (3, 4, 3):
    print(launch((make(value),)))
"""
    write(tmp_path, {"program": program}, 0)
    assert run(tmp_path) == ["3", "4", "3"]


def test_bundles_hold_what_each_run_read(tmp_path):
    bundle = str(tmp_path / "bundle")
    for value in (3, 4):
        write(tmp_path, EDITED["constexpr of a module"], value)
        assert run(tmp_path, TRITON_CACHE_RECORD=bundle) == [str(value)]
    for value in (3, 4):
        write(tmp_path, EDITED["constexpr of a module"], value)
        assert run(tmp_path, TRITON_CACHE_BUNDLE=bundle, TRITON_CACHE_DIR=str(tmp_path / "none"), TRITON_STRICT_CACHE="1") == [str(value)]  # fmt: skip
    write(tmp_path, EDITED["constexpr of a module"], 5)
    (answer,) = run(tmp_path, TRITON_CACHE_BUNDLE=bundle, TRITON_CACHE_DIR=str(tmp_path / "none"), TRITON_STRICT_CACHE="1")  # fmt: skip
    assert "conf.G" in answer
