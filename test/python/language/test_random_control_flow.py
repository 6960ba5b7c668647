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

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.budget = 40
        self.loops = 0

    def atom(self):
        return self.random.choice(VARIABLES + [str(self.random.randrange(8))])

    def expression(self):
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
        elif kind < 0.82:
            self.loops += 1
            self.lines.append(f"{indent}k{self.loops} = c & 3")
            self.lines.append(f"{indent}while k{self.loops} > 0:")
            self.lines.append(f"{indent}    k{self.loops} -= 1")
            self.block(depth + 1, True)
        elif kind < 0.9 and not in_loop:
            self.lines.append(f"{indent}if {self.condition()}:")
            self.lines.append(f"{indent}    return {self.random.choice(VARIABLES)} + 0")
        else:
            first, second = self.random.sample(VARIABLES, 2)
            self.lines.append(f"{indent}{first}, {second} = {second} + 0, ({first} ^ {self.atom()})")

    def text(self):
        self.lines = ["def function(a, b):", "    c = a + 1", "    d = b * 2"]
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


@pytest.mark.parametrize("seed", range(30))
def test_agrees_with_python(seed, tmp_path):
    text = Writer(seed).text()
    reference = load(tmp_path / f"reference_{seed}.py", text).function
    kernel = load(
        tmp_path / f"kernel_{seed}.py",
        "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
        + text
        + "\n\n@triton.jit\ndef kernel(out, x, y):\n    i = tl.program_id(0)\n"
        "    tl.store(out + i, function(tl.load(x + i), tl.load(y + i)))\n",
    ).kernel
    x, y = (torch.tensor(column, dtype=torch.int32) for column in zip(*INPUTS))
    out = torch.full((len(INPUTS),), -1, dtype=torch.int32)
    kernel[(len(INPUTS),)](out, x, y)
    assert out.tolist() == [reference(a, b) for a, b in INPUTS], text
