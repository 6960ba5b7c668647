"""Kernels compiled for Arm processors and run by qemu: NEON, and SVE with vectors of 256 bits."""

import re
import shutil
import struct
import subprocess

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget

QEMU, GCC = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64"), shutil.which("aarch64-linux-gnu-gcc")
pytestmark = pytest.mark.cpu_only
needs_qemu = pytest.mark.skipif(not QEMU or not GCC, reason="needs qemu-user and a compiler for aarch64")
ARCHITECTURES = {
    "aarch64": [],
    "neoverse-v2": ["-cpu", "max"],
    "neoverse-v1": ["-cpu", "max,sve-default-vector-length=32"],
}

# Reads buffers and numbers, runs the whole grid, writes the buffers.
MAIN = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void KERNEL(const void *arguments, const int32_t grid[3], int64_t begin, int64_t end, void *arena);
int main(void) {
  int64_t head[6]; /* arguments, bytes of their block, extents of the grid, bytes of scratch */
  if (fread(head, 8, 6, stdin) != 6) return 1;
  unsigned char *block = calloc(1, head[1] + 8);
  void *buffers[32];
  int64_t sizes[32];
  for (int i = 0; i < head[0]; ++i) {
    int64_t what[3]; /* offset, bytes in the block, bytes of a buffer or -1 */
    if (fread(what, 8, 3, stdin) != 3) return 2;
    sizes[i] = what[2];
    buffers[i] = what[2] < 0 ? (void *)(block + what[0]) : aligned_alloc(64, (what[2] + 127) / 64 * 64);
    if (fread(buffers[i], 1, what[2] < 0 ? what[1] : what[2], stdin) != (size_t)(what[2] < 0 ? what[1] : what[2])) return 3;
    if (what[2] >= 0) memcpy(block + what[0], &buffers[i], 8);
  }
  int32_t grid[3] = {(int32_t)head[2], (int32_t)head[3], (int32_t)head[4]};
  KERNEL(block, grid, 0, head[2] * head[3] * head[4], head[5] ? aligned_alloc(64, (head[5] + 63) / 64 * 64) : NULL);
  for (int i = 0; i < head[0]; ++i)
    if (sizes[i] >= 0) fwrite(buffers[i], 1, sizes[i], stdout);
  return 0;
}
"""


def compile_for(kernel, types, constants, arch):
    names = dict.fromkeys(constants, "constexpr")
    source = triton.compiler.ASTSource(kernel, {**types, **names}, constants)
    return triton.compile(source, target=GPUTarget("cpu", arch, 1))


def run(compiled, arch, grid, arguments, folder):
    """The buffers after a launch on another machine."""
    (folder / "kernel.o").write_bytes(compiled.asm["obj"])
    (folder / "main.c").write_text(MAIN)
    program = folder / "program"
    command = [
        GCC,
        "-O1",
        "-static",
        f"-DKERNEL={compiled.metadata.name}",
        folder / "main.c",
        folder / "kernel.o",
        "-lm",
        "-o",
        program,
    ]
    subprocess.run(command, check=True)
    metadata = compiled.metadata
    request = struct.pack("<6q", len(arguments), metadata.argument_bytes, *grid, metadata.shared)
    for value, (_, _, offset, size, *_) in zip(arguments, metadata.argument_layout, strict=True):
        content = value.tobytes() if isinstance(value, np.ndarray) else struct.pack("<q", value)[:size]
        request += struct.pack("<3q", offset, size, len(content) if isinstance(value, np.ndarray) else -1) + content
    answer = subprocess.run(
        [QEMU, *ARCHITECTURES[arch], program], input=request, capture_output=True, check=True
    ).stdout
    out = []
    for value in arguments:
        if isinstance(value, np.ndarray):
            out.append(np.frombuffer(answer[: value.nbytes], value.dtype).reshape(value.shape))
            answer = answer[value.nbytes :]
    return out


@triton.jit
def elementwise(x_ptr, half_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(half_ptr + offsets, (x * 0.5).to(tl.float16), mask=mask)
    tl.store(
        out_ptr + offsets,
        tl.exp(x) + tl.sin(x) * tl.where(x > 0, tl.sqrt(tl.abs(x)), x.to(tl.bfloat16).to(tl.float32)),
        mask=mask,
    )


@triton.jit
def softmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * columns + offsets, mask=offsets < columns, other=-float("inf"))
    x = tl.exp(x - tl.max(x, 0))
    tl.store(out_ptr + tl.program_id(0) * columns + offsets, x / tl.sum(x, 0), mask=offsets < columns)


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a, b = tl.load(a_ptr + m[:, None] * K + k[None, :]), tl.load(b_ptr + k[:, None] * N + n[None, :])
    tl.store(c_ptr + m[:, None] * N + n[None, :], tl.dot(a, b))


@triton.jit
def others(x_ptr, sorted_ptr, sums_ptr, count_ptr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    x = tl.load(x_ptr + offsets)
    tl.store(sorted_ptr + offsets, tl.sort(x))
    tl.store(sums_ptr + offsets, tl.cumsum(x, 0))
    tl.atomic_add(count_ptr + (x & 3), 1)


@needs_qemu
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_elementwise(arch, tmp_path):
    x = np.random.default_rng(0).standard_normal(1000).astype(np.float32)
    types = {"x_ptr": "*fp32", "half_ptr": "*fp16", "out_ptr": "*fp32", "n": "i32"}
    compiled = compile_for(elementwise, types, {"BLOCK": 256}, arch)
    _, half, out = run(
        compiled, arch, (4, 1, 1), [x, np.zeros(1000, np.float16), np.zeros(1000, np.float32), 1000], tmp_path
    )
    np.testing.assert_array_equal(half, (x * np.float32(0.5)).astype(np.float16))
    bits = x.view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).view(np.float32)
    expected = np.exp(x) + np.sin(x) * np.where(x > 0, np.sqrt(np.abs(x)), rounded)
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-6)


@needs_qemu
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_softmax(arch, tmp_path):
    x = np.random.default_rng(1).standard_normal((5, 100)).astype(np.float32)
    compiled = compile_for(softmax, {"x_ptr": "*fp32", "out_ptr": "*fp32", "columns": "i32"}, {"BLOCK": 128}, arch)
    _, out = run(compiled, arch, (5, 1, 1), [x, np.zeros_like(x), 100], tmp_path)
    expected = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(out, expected / expected.sum(1, keepdims=True), rtol=1e-5)


@needs_qemu
@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("ty", ["fp32", "fp16", "i8", "fp64"])
def test_products(arch, ty, tmp_path):
    dtype = {"fp32": np.float32, "fp16": np.float16, "i8": np.int8, "fp64": np.float64}[ty]
    sums = {"fp32": np.float32, "fp16": np.float32, "i8": np.int32, "fp64": np.float64}[ty]
    rng = np.random.default_rng(2)
    a, b = rng.integers(-8, 8, (32, 64)).astype(dtype), rng.integers(-8, 8, (64, 16)).astype(dtype)
    out = {np.float32: "*fp32", np.int32: "*i32", np.float64: "*fp64"}[sums]
    compiled = compile_for(
        product, {"a_ptr": f"*{ty}", "b_ptr": f"*{ty}", "c_ptr": out}, {"M": 32, "N": 16, "K": 64}, arch
    )
    c = run(compiled, arch, (1, 1, 1), [a, b, np.zeros((32, 16), sums)], tmp_path)[2]
    np.testing.assert_array_equal(c, a.astype(sums) @ b.astype(sums))


@needs_qemu
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_sorts_scans_and_atomics(arch, tmp_path):
    x = np.random.default_rng(3).integers(0, 1000, 128).astype(np.int32)
    types = dict.fromkeys(("x_ptr", "sorted_ptr", "sums_ptr", "count_ptr"), "*i32")
    compiled = compile_for(others, types, {"N": 128}, arch)
    _, ordered, sums, counts = run(
        compiled, arch, (1, 1, 1), [x, np.zeros_like(x), np.zeros_like(x), np.zeros(4, np.int32)], tmp_path
    )
    np.testing.assert_array_equal(ordered, np.sort(x))
    np.testing.assert_array_equal(sums, np.cumsum(x))
    np.testing.assert_array_equal(counts, np.bincount(x & 3, minlength=4))


def test_vectors_are_the_processors():
    types, constants = {"x_ptr": "*fp32", "out_ptr": "*fp32", "columns": "i32"}, {"BLOCK": 256}
    neon, sve = (compile_for(softmax, types, constants, arch).asm["asm"] for arch in ("neoverse-v2", "neoverse-v1"))
    assert re.search(r"fmla\s+v\d+\.4s", neon) and re.search(r"fm\w+\s+z\d+\.s", sve)


@pytest.mark.runs
def test_code_for_another_machine_is_not_run():
    import platform

    other = "aarch64" if platform.machine() == "x86_64" else "x86-64"
    compiled = compile_for(softmax, {"x_ptr": "*fp32", "out_ptr": "*fp32", "columns": "i32"}, {"BLOCK": 128}, other)
    with pytest.raises(RuntimeError, match="it is for "):
        compiled[(1, 1, 1)](np.zeros(4, np.float32), np.zeros(4, np.float32), 4)
