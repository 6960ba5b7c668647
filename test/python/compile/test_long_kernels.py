"""Kernels as long as a generator makes them: neither the stack nor the time that a compile for a GPU takes may run out."""

import importlib.util
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
    "returns that read memory": "".join(f"    if tl.load(x + {i}) == {i}:\n        return\n" for i in range(1000)),
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


@pytest.mark.parametrize("type, warps", [("fp32", 16), ("i32", 8), ("i64", 16)])
def test_large_sorts_are_loops(type, warps):
    kernel = compile(sort_kernel, sort_types(type, 1, 65536), num_warps=warps)
    assert instructions(kernel) < 12000 and "bra" in kernel.asm["ptx"] and kernel.metadata.shared <= 232448
    assert "bra" not in compile(sort_kernel, sort_types(type, 1, 1024)).asm["ptx"]


def test_columns_of_large_sorts_are_registers():
    """Of 65,536 elements a thread holds 64 at a time: between them, nothing is moved. Between lanes they are shuffled, 5 distances in one loop."""
    kernel = compile(sort_kernel, sort_types("fp32", 1, 65536), num_warps=16)
    assert (
        kernel.asm["ptx"].count("shfl") <= 2 * 64 + 1
    )  # while sorting, and while merging; and one for the number of the warp


@triton.jit
def topk_kernel(x, y, ROWS: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    offsets = tl.arange(0, ROWS)[:, None] * N + tl.arange(0, N)[None, :]
    kept = tl.arange(0, ROWS)[:, None] * K + tl.arange(0, K)[None, :]
    tl.store(y + kept, tl.topk(tl.load(x + offsets), K))


@triton.jit
def merge_kernel(x, y, ROWS: tl.constexpr, N: tl.constexpr, descending: tl.constexpr):
    offsets = tl.arange(0, ROWS)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y + offsets, tl.bitonic_merge(tl.load(x + offsets), descending=descending))


def as_written_for_a_gpu(kernel, types, folder):
    """The kernel as it is written for a GPU with a warp of threads, where 2048 elements are many, to be run on this machine."""
    path = folder / "kernel.ttir"
    path.write_text(compile(kernel, types, num_warps=1).asm["ttir"])
    return triton.compile(str(path), target=triton.runtime.driver.active.get_current_target())


@pytest.mark.parametrize(
    "type, dtype, rows, size",
    [
        ("fp32", torch.float32, 1, 8192),
        ("fp32", torch.float32, 4, 1024),
        ("fp32", torch.float32, 512, 8),
        ("i32", torch.int32, 32, 64),
        ("i64", torch.int64, 1, 4096),
    ],
)
def test_loops_of_sorts(type, dtype, rows, size, tmp_path, device):
    if device != "cpu":
        pytest.skip("test_large_sorts runs them there")
    x = (1000 * torch.randn(rows, size, generator=torch.Generator().manual_seed(size))).to(dtype)
    types = {"x": f"*{type}", "y": f"*{type}", "ROWS": rows, "N": size}
    for descending in (0, 1):
        wanted = torch.sort(x, dim=1, descending=bool(descending)).values
        y = torch.zeros_like(x)
        as_written_for_a_gpu(sort_kernel, types | {"descending": descending}, tmp_path)[(1, 1, 1)](x, y)
        assert (y == wanted).all()
        rising, falling = (torch.sort(half, dim=1, descending=i > 0).values for i, half in enumerate(x.chunk(2, dim=1)))
        bitonic = torch.cat([rising, falling], dim=1).contiguous()
        y = torch.zeros_like(x)
        as_written_for_a_gpu(merge_kernel, types | {"descending": descending}, tmp_path)[(1, 1, 1)](bitonic, y)
        assert (y == wanted).all()
    y = torch.zeros(rows, size // 4, dtype=dtype)
    as_written_for_a_gpu(topk_kernel, types | {"K": size // 4}, tmp_path)[(1, 1, 1)](x, y)
    assert (y == torch.topk(x, size // 4, dim=1).values).all()


def test_no_zero_and_no_nan_is_lost_in_loops(tmp_path, device):
    if device != "cpu":
        pytest.skip("of the loops, not of the device")
    x = torch.zeros(1, 4096)
    x[0, ::3], x[0, 7::100] = -0.0, float("nan")
    y = torch.zeros_like(x)
    types = {"x": "*fp32", "y": "*fp32", "ROWS": 1, "N": 4096, "descending": 0}
    as_written_for_a_gpu(sort_kernel, types, tmp_path)[(1, 1, 1)](x, y)
    assert (torch.sort(x.view(torch.int32)).values == torch.sort(y.view(torch.int32)).values).all()


@pytest.mark.parametrize("rows, size, descending", [(1, 65536, False), (4, 16384, True), (32, 1024, False)])
def test_large_sorts(rows, size, descending):
    x = torch.randn(rows, size, generator=torch.Generator().manual_seed(size))
    y = torch.zeros_like(x)
    sort_kernel[(1,)](x, y, rows, size, descending)
    assert (y == torch.sort(x, dim=1, descending=descending).values).all()


def test_kernels_of_very_many_loops_are_not_unrolled(tmp_path):
    """Rotating, unrolling and combining take the square of their number."""

    def ptx_of(count):
        path = tmp_path / f"loops_{count}.py"
        loops = "".join(f"    for i in range(n):\n        a = a * 1.5 + {i}\n" for i in range(count))
        path.write_text(
            "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef kernel(x, y, n):\n    a = tl.load(x)\n"
            + loops
            + "    tl.store(y, a)\n"
        )
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return compile(module.kernel, {"x": "*fp32", "y": "*fp32", "n": "i32"}, num_warps=1).asm["ptx"]

    assert ptx_of(600).count("fma.rn") == 600 and ptx_of(2).count("fma.rn") > 2


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
