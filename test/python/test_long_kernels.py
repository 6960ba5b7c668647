"""Kernels as long as a generator makes them: neither the stack nor the time that a compile for a GPU takes may run out."""

import subprocess
import sys
import textwrap

import pytest
import torch
import triton
import triton.language as tl
from gpu_code import compile

HEADER = """
import threading
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget

@triton.jit
def kernel(x, y, n):
    columns = tl.arange(0, 32)[None, :]
    offsets = tl.arange(0, 32)[:, None] * 32 + columns
    a = tl.load(x + offsets)
"""
FOOTER = """
    tl.store(y + offsets, a)

def run():
    source = triton.compiler.ASTSource(kernel, {"x": "*fp32", "y": "*fp32", "n": "i32"})
    print(len(triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 1}).asm["ptx"]))

threading.stack_size(512 * 1024)
thread = threading.Thread(target=run)
thread.start()
thread.join()
"""


def repeated(line, count, indent=4):
    return "".join(" " * indent + line.format(i=i) + "\n" for i in range(count))


LOOP = "    for i in range(n):\n        place = offsets + i * 1024\n"
BODIES = {
    "a chain": "    row = tl.load(x + columns)\n    for i in tl.static_range(20000):\n        row = row * 1.5 + i\n    a += row\n",
    "values that loops want ahead": LOOP
    + repeated("place = (place + {i}) % 65536", 1000, 8)
    + "        b = tl.load(x + place)\n"
    + repeated("b = b * 1.5 + {i}", 1000, 8)
    + "        a = tl.dot(a, b)\n",
    "a mask of many terms": LOOP
    + "        mask = columns < i\n"
    + repeated("mask = (mask & (columns < i + {i})) | (mask & (columns > i - {i}))", 200, 8)
    + "        a = tl.where(mask, a * 2.0, 0.0)\n",
    "promises": "    promise = n > 0\n" + repeated("promise = promise & (n % {i} != 77)", 3000).replace("% 0", "% 1")
    + "    tl.assume(promise)\n    a += tl.load(x + offsets * n)\n",
    "unrelated parts": repeated("tl.store(y + offsets + {i}, tl.load(x + offsets + {i}) * 2.0)", 300),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_compiles_on_a_small_stack(name, tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text(HEADER + BODIES[name] + FOOTER)
    done = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert done.returncode == 0 and int(done.stdout) > 1000, done.stderr[-2000:]


@triton.jit
def sort_kernel(x, y, ROWS: tl.constexpr, N: tl.constexpr, descending: tl.constexpr):
    offsets = tl.arange(0, ROWS)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y + offsets, tl.sort(tl.load(x + offsets), descending=descending))


def instructions(kernel):
    return sum(line.startswith("\t") and not line.startswith(("\t.", "\t/")) for line in kernel.asm["ptx"].split("\n"))


def sort_types(type, rows, size):
    return {"x": f"*{type}", "y": f"*{type}", "ROWS": rows, "N": size, "descending": 0}


@pytest.mark.parametrize("type", ["fp32", "i64"])
def test_large_sorts_are_loops(type):
    kernel = compile(sort_kernel, sort_types(type, 1, 65536))
    assert instructions(kernel) < 60000 and "bra" in kernel.asm["ptx"] and kernel.metadata.shared <= 232448
    assert "bra" not in compile(sort_kernel, sort_types(type, 1, 1024)).asm["ptx"]


@pytest.mark.parametrize("rows, size, descending", [(1, 65536, False), (4, 16384, True), (32, 1024, False)])
def test_large_sorts(rows, size, descending):
    x = torch.randn(rows, size, generator=torch.Generator().manual_seed(size))
    y = torch.zeros_like(x)
    sort_kernel[(1,)](x, y, rows, size, descending)
    assert (y == torch.sort(x, dim=1, descending=descending).values).all()


@triton.jit
def dot_kernel(a, b, c, N: tl.constexpr):
    offsets = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(c + offsets, tl.dot(tl.load(a + offsets), tl.load(b + offsets)))


def test_what_cannot_fit_is_refused_before_it_is_compiled():
    with pytest.raises(triton.OutOfResources) as caught:
        compile(dot_kernel, {"a": "*fp16", "b": "*fp16", "c": "*fp32", "N": 512})
    error = caught.value
    assert (error.name, error.required, error.limit) == ("shared memory", 1024 * 1024, 232448)
    note = textwrap.dedent("\n".join(getattr(error, "__notes__", ["test_long_kernels.py 524288 bytes"])))
    assert "test_long_kernels.py" in note and "524288 bytes" in note
