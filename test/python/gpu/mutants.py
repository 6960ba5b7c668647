"""Bugs planted in our own kernels, for the simulator to find: `TRITON_SIMULATE=sm_90a python mutants.py [names…]`.

A mutant is a kernel, a mutation and the number of the place at which it is made, in the kernel's GPU IR or PTX. Prints a line of JSON for each mutant, and for each kernel
as it is: its name, and what the simulator said of it, or null.
"""

import json
import os
import re
import sys
import tempfile

import numpy as np
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

SIZE, DEPTH, STEP = 128, 256, 32


@triton.jit
def pointers(a, b, c, K, N: tl.constexpr, BK: tl.constexpr):
    m, k = tl.arange(0, N), tl.arange(0, BK)
    total = tl.zeros((N, N), tl.float32)
    for i in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + (i + k)[None, :])
        y = tl.load(b + (i + k)[:, None] * N + m[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + m[:, None] * N + m[None, :], total)


@triton.jit
def descriptors(a, b, c, K, N: tl.constexpr, BK: tl.constexpr, WS: tl.constexpr):
    total = tl.zeros((N, N), tl.float32)
    for k in tl.range(0, tl.cdiv(K, BK), warp_specialize=WS):
        total = tl.dot(a.load([0, k * BK]), b.load([k * BK, 0]), total)
    c.store([0, 0], total)


@triton.jit
def sums(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    values = tl.load(x + offsets, offsets < n, 0.0)
    tl.store(out + offsets, tl.cumsum(values, 0) + tl.sum(values, 0), offsets < n)


@triton.jit
def transposed(x, out, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out + at[:, None] * N + at[None, :], tl.trans(tl.load(x + at[:, None] * N + at[None, :])))


def product_arguments():
    generator = np.random.default_rng(0)
    a, b = (torch.from_numpy(generator.integers(-3, 4, shape).astype(np.float16))
            for shape in ((SIZE, DEPTH), (DEPTH, SIZE)))  # fmt: skip
    return a, b, torch.zeros((SIZE, SIZE))


def by_pointers():
    return pointers, (*product_arguments(), DEPTH, SIZE, STEP), {"num_stages": 3}


def by_descriptors(specialized):
    shapes = ([SIZE, STEP], [STEP, SIZE], [SIZE, SIZE])
    made = [
        TensorDescriptor.from_tensor(array, shape) for array, shape in zip(product_arguments(), shapes, strict=True)
    ]
    return descriptors, (*made, DEPTH, SIZE, STEP, specialized), {"num_stages": 3}


KERNELS = {
    "sums": lambda: (sums, (torch.ones(1000), torch.zeros(1000), 1000, 1024), {}),
    "transposed": lambda: (transposed, (torch.rand(64, 64), torch.zeros(64, 64), 64), {}),
    "pointers": by_pointers,
    "descriptors": lambda: by_descriptors(False),
    "specialized": lambda: by_descriptors(True),
}


def dropped(line):
    return ""


def without_guard(line):
    return re.sub(r"@!?%p\d+\s", "", line, count=1)


def with_changed(operation):
    """The last register of an instruction, changed before it."""

    def change(line):
        *_, register = re.findall(r"%r\d+", line)
        head, _, tail = line.rpartition(register)
        return "{ .reg .b32 %%planted; %s %%planted, %s, %s; %s%%planted%s }" % (  # noqa: UP031
            operation.split()[0], register, operation.split()[1], head, tail)  # fmt: skip

    return change


def with_one_more(line):
    """Of groups that may be pending."""
    return re.sub(r"(\d+);", lambda number: f"{int(number[1]) + 1};", line)


# In PTX: what a line must look like, and what becomes of it.
MUTATIONS = {
    "no barrier": (r"\bbar\.sync\b", dropped),
    "no fence of proxies": (r"\bfence\.proxy\.async", dropped),
    "no wait for copies": (r"\bcp\.async\.wait_group\b", dropped),
    "a wait for fewer copies": (r"\bcp\.async\.wait_group\b", with_one_more),
    "no commit of copies": (r"\bcp\.async\.commit_group\b", dropped),
    "no wait for products": (r"\bwgmma\.wait_group\b", dropped),
    "a wait for fewer products": (r"\bwgmma\.wait_group\b", with_one_more),
    "no commit of products": (r"\b(wgmma|tcgen05)\.commit\w*", dropped),
    "no wait at an mbarrier": (r"@!complete bra", dropped),
    "the other phase": (r"\bmbarrier\.try_wait\.parity", with_changed("xor.b32 1")),
    "too many bytes": (r"\bmbarrier\.arrive\.expect_tx", with_changed("add.s32 128")),
    "too few bytes": (r"\bmbarrier\.arrive\.expect_tx", with_changed("sub.s32 128")),
    "too many arrivals expected": (r"\bmbarrier\.init\b", with_changed("add.s32 1")),
    "no arrival": (r"\bmbarrier\.arrive\.shared", dropped),
    "no mbarrier": (r"\bmbarrier\.init\b", dropped),
    "copies by all lanes": (r"@%p\d+ cp\.async\.bulk\.tensor.*shared::cluster\.global", without_guard),
    "no wait for stores": (r"\bcp\.async\.bulk\.wait_group", dropped),
    "no bounds": (r"@%p\d+ (ld|st)\.global", without_guard),
    "no free": (r"\btcgen05\.dealloc", dropped),
    "no wait for tensor memory": (r"\btcgen05\.wait::ld", dropped),
}


def plant(text, name, number):
    pattern, change = MUTATIONS[name]
    lines = text.split("\n")
    places = [index for index, line in enumerate(lines) if re.search(pattern, line)]
    lines[places[number]] = change(lines[places[number]])
    return "\n".join(lines)


def with_small_ring(gpu_ir):
    """Buffers that are used in turns become one, barriers stay: a slot is filled again while it is read."""
    ring = re.compile(r"(ttg\.memdesc_index %\w+)\[%\w+\]( : !ttg\.memdesc<\d+x\d+x\d+x)")
    lines = []
    for number, line in enumerate(gpu_ir.split("\n")):
        if ring.search(line):
            lines.append(f"%planted{number} = arith.constant 0 : i32")
            line = ring.sub(rf"\1[%planted{number}]\2", line)
        lines.append(line)
    return "\n".join(lines)


def code_of(compiled, name, number):
    """The code of a mutant."""
    if name != "a small ring":
        return plant(compiled.asm["ptx"], name, number).encode()
    with tempfile.NamedTemporaryFile("w", suffix=".ttgir") as file:
        file.write(with_small_ring(compiled.asm["ttgir"]))
        file.flush()
        return triton.compile(file.name, target=triton.runtime.driver.active.get_current_target()).kernel


def run(kernel, mutation=None, number=0):
    """What the simulator says; None: nothing."""
    function, arguments, options = KERNELS[kernel]()
    compiled = function.warmup(*arguments, grid=(1,), **options)
    original = compiled.kernel
    if mutation:
        compiled.kernel = code_of(compiled, mutation, number)
    try:
        function[(1,)](*arguments, **options)
    except RuntimeError as error:
        return str(error)
    finally:
        compiled.close()
        compiled.kernel = original
    return None


def main(names):
    triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8))
    for name in names:
        kernel, *mutation = name.split("/")
        said = run(kernel, *(mutation[:1]), *map(int, mutation[1:]))
        print(json.dumps({"name": name, "said": said}), flush=True)


def places(kernel):
    """All mutants of a kernel."""
    function, arguments, options = KERNELS[kernel]()
    compiled = function.warmup(*arguments, grid=(1,), **options)
    found = [f"{kernel}/{name}/{number}" for name, (pattern, _) in MUTATIONS.items()
             for number in range(sum(bool(re.search(pattern, line)) for line in compiled.asm["ptx"].split("\n")))]  # fmt: skip
    rings = len(re.findall(r"ttg\.memdesc_index %\w+\[%\w+\] : !ttg\.memdesc<\d+x\d+x\d+x", compiled.asm["ttgir"]))
    return found + ([f"{kernel}/a small ring/0"] if rings else [])


if __name__ == "__main__":
    os.environ.setdefault("TRITON_SANITIZE", "race,async,shared")
    if sys.argv[1:] == ["--list"]:
        print("\n".join(place for kernel in KERNELS for place in places(kernel)))
    else:
        main(sys.argv[1:])
