"""Random programs of branches, loops and early returns: the compiled function and the same text run by Python must agree."""

import importlib.util
import random

import pytest
import torch
import triton  # noqa: F401

VARIABLES = ["a", "b", "c", "d"]
INPUTS = [(x, y) for x in (0, 1, 2, 5) for y in (0, 3, 6)]


class Writer:
    """Writes a function of two integers. Values stay within 0..65535, so that Python's integers and the kernel's are the same."""

    def __init__(self, seed, helper=None):
        self.random = random.Random(seed)
        self.helper = helper
        self.lines = []
        self.budget = 40
        self.loops = 0

    def atom(self):
        return self.random.choice(VARIABLES + [str(self.random.randrange(8))])

    def expression(self):
        kind = self.random.random()
        if kind < 0.1:
            return f"{self.random.choice(VARIABLES)} if {self.condition()} else {self.random.choice(VARIABLES)}"
        if kind < 0.2:
            return f"t[{self.random.randrange(2)}] & 65535"
        if kind < 0.25 and self.helper:
            return f"{self.helper}({self.atom()} & 15, {self.random.choice(VARIABLES)} & 15)"
        operator = self.random.choice(["+", "*", "^", "|", "&"])
        return f"({self.atom()} {operator} {self.atom()}) & 65535"

    def condition(self):
        left, right = f"({self.atom()} & 7)", self.random.choice(VARIABLES)
        comparison = f"{left} {self.random.choice(['<', '==', '!=', '>='])} ({right} & 7)"
        if self.random.random() < 0.2:
            return f"{comparison} {self.random.choice(['and', 'or'])} a > b"
        return comparison

    def block(self, depth, in_loop):
        for _ in range(self.random.randrange(1, 4)):
            self.statement(depth, in_loop)

    def statement(self, depth, in_loop):
        indent = "    " * depth
        self.budget -= 1
        kind = self.random.random()
        if self.budget < 0 or depth > 5 or kind < 0.4:
            self.lines.append(f"{indent}{self.random.choice(VARIABLES)} = {self.expression()}")
        elif kind < 0.65:
            self.lines.append(f"{indent}if {self.condition()}:")
            self.block(depth + 1, in_loop)
            if self.random.random() < 0.3:
                self.lines.append(f"{indent}elif {self.condition()}:")
                self.block(depth + 1, in_loop)
            if self.random.random() < 0.5:
                self.lines.append(f"{indent}else:")
                self.block(depth + 1, in_loop)
        elif kind < 0.75:
            self.lines.append(
                f"{indent}for i{depth} in range({self.random.choice(['3', 'a & 3', '5, b & 3, -1', '0, 7, 2'])}):"
            )
            self.lines.append(f"{indent}    {self.random.choice(VARIABLES)} = (c + i{depth}) & 65535")
            self.block(depth + 1, True)
        elif kind < 0.79:
            self.lines.append(f"{indent}for s{depth} in tl.static_range({self.random.randrange(4)}):")
            self.lines.append(f"{indent}    b = (b + s{depth}) & 65535")
            self.block(depth + 1, in_loop)
        elif kind < 0.84:
            self.loops += 1
            self.lines.append(f"{indent}k{self.loops} = c & 3")
            self.lines.append(f"{indent}while k{self.loops} > 0:")
            self.lines.append(f"{indent}    k{self.loops} -= 1")
            self.block(depth + 1, True)
        elif kind < 0.87:
            self.lines.append(f"{indent}t = ({self.random.choice(VARIABLES)} + 0, t[0])")
        elif kind < 0.93 and not in_loop:
            self.lines.append(f"{indent}if {self.condition()}:")
            self.lines.append(f"{indent}    return {self.random.choice(VARIABLES)} + 0")
        else:
            first, second = self.random.sample(VARIABLES, 2)
            self.lines.append(f"{indent}{first}, {second} = {second} + 0, ({first} ^ {self.atom()})")

    def text(self, name):
        self.lines = [
            f"def {name}(a, b):",
            "    a += 0",
            "    b += 0",
            "    c = a + 1",
            "    d = b * 2",
            "    t = (c, d)",
        ]
        while self.budget > 0:
            self.statement(1, False)
        self.lines.append(f"    return {self.random.choice(VARIABLES)} + 0")
        return "\n".join(self.lines) + "\n"


def load(path, text):
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PYTHON = """class tl:
    static_range = range


"""

TRITON = """import triton
import triton.language as tl


"""

KERNEL = """

@triton.jit
def kernel(out, x, y):
    i = tl.program_id(0)
    tl.store(out + i, function(tl.load(x + i), tl.load(y + i)))
"""


@pytest.mark.parametrize("seed", range(30))
def test_agrees_with_python(seed, tmp_path):
    helper, function = Writer(-1 - seed).text("helper"), Writer(seed, "helper").text("function")
    reference = load(tmp_path / f"reference_{seed}.py", PYTHON + helper + "\n\n" + function).function
    jitted = f"@triton.jit\n{helper}\n\n@triton.jit\n{function}"
    kernel = load(tmp_path / f"kernel_{seed}.py", TRITON + jitted + KERNEL).kernel
    x, y = (torch.tensor(column, dtype=torch.int32) for column in zip(*INPUTS))
    out = torch.full((len(INPUTS),), -1, dtype=torch.int32)
    kernel[(len(INPUTS),)](out, x, y)
    assert out.tolist() == [reference(a, b) for a, b in INPUTS], helper + function
