"""instrumentation_mode="gsan": kernels find programs that share global memory with nothing that orders them. On simulated GPUs."""

import json
import os
import subprocess
import sys
import textwrap

import pytest
from places import PACKAGES

pytestmark = [pytest.mark.cpu_only, pytest.mark.runs]

PROGRAM = """
import json, numpy as np, triton, triton.language as tl

@triton.jit
def sums(x, total, IS_ATOMIC: tl.constexpr, BLOCK: tl.constexpr):
    part = tl.sum(tl.load(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)), 0)
    if IS_ATOMIC:
        tl.atomic_add(total, part)
    else:
        tl.store(total, tl.load(total) + part)

@triton.jit
def pass_on(flag, x, out, sem: tl.constexpr, scope: tl.constexpr):
    i = tl.arange(0, 64)
    if tl.program_id(0) == 0:
        tl.store(x + i, i)
        tl.atomic_xchg(flag, 1, sem=sem, scope=scope)
    else:
        while tl.atomic_add(flag, 0, sem="acquire") == 0:
            pass
        tl.store(out + i, tl.load(x + i))

@triton.jit
def last(x, partial, tickets, out, N: tl.constexpr, sem: tl.constexpr):
    # The program that comes last sums what all have left.
    tl.store(partial + tl.program_id(0), tl.load(x + tl.program_id(0)))
    if tl.atomic_add(tickets, 1, sem=sem) == N - 1:
        tl.store(out, tl.sum(tl.load(partial + tl.arange(0, N)), 0))
        tl.store(tickets, 0)

@triton.jit
def neighbours(x, SHIFT: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + offsets, tl.load(x + offsets + SHIFT) + 1)

@triton.jit
def pairs(x, out, N: tl.constexpr):
    # Two lanes of a warp touch one element.
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i // 2))

@triton.jit
def counts(out, N: tl.constexpr):
    tl.atomic_add(out + tl.arange(0, N) // 4, 1)

@triton.jit
def chain(f, g, x, out):
    # Program 2 passes the flag on.
    p = tl.program_id(0)
    if p == 0:
        tl.store(x, 42)
        tl.atomic_xchg(f, 1, sem="release")
    elif p == 2:
        while tl.atomic_add(f, 0, sem="acquire") == 0:
            pass
        tl.atomic_xchg(g, 1, sem="release")
    else:
        while tl.atomic_add(g, 0, sem="acquire") == 0:
            pass
        tl.store(out, tl.load(x))

@triton.jit
def beside(flag, x, out, other, WRITES: tl.constexpr):
    # `other` falls on the cell of the flag, after the release and before the acquire.
    i = tl.arange(0, 64)
    if tl.program_id(0) == 0:
        tl.store(x + i, i)
        tl.atomic_xchg(flag, 1, sem="release")
        if WRITES:
            tl.store(other, 1)
        else:
            tl.store(out + 64, tl.load(other))
    else:
        while tl.atomic_add(flag, 0, sem="acquire") == 0:
            pass
        tl.store(out + i, tl.load(x + i))

found = {}

def cell(address):
    # As compiler/llvm/nvidia/GlobalSanitizer.cpp finds it.
    mixed = (address & 0xFFFFFFFF) ^ ((address >> 32) * 0x85EBCA6B & 0xFFFFFFFF)
    return (mixed * 0x9E3779B1 & 0xFFFFFFFF) >> 16

def check(name, kernel, *arguments, grid, **options):
    try:
        kernel[grid](*arguments, **options)
        found[name] = ""
    except RuntimeError as error:
        found[name] = str(error)

x = np.arange(1024, dtype=np.float32)
for is_atomic in (True, False):
    total = np.zeros(1, np.float32)
    check(f"sums {is_atomic}", sums, x, total, is_atomic, 128, grid=(8,))
    if is_atomic:
        assert total[0] == x.sum()
for sem, scope in [("release", "gpu"), ("acq_rel", "sys"), ("relaxed", "gpu"), ("release", "cta")]:
    words = np.zeros((3, 64), np.int32)
    check(f"pass_on {sem} {scope}", pass_on, words[0], words[1], words[2], sem, scope, grid=(2,))
for sem in ("acq_rel", "relaxed"):
    out, tickets, partial = np.zeros(1, np.float32), np.zeros(1, np.int32), np.zeros(16, np.float32)
    check(f"last {sem}", last, x, partial, tickets, out, 16, sem, grid=(16,))
    if sem == "acq_rel":
        assert out[0] == x[:16].sum() and tickets[0] == 0
halves = np.zeros(1024, np.float16)
check("neighbours 0", neighbours, halves, 0, 64, grid=(8,))
check("neighbours 0 again", neighbours, halves, 0, 64, grid=(16,))  # another launch is over
check("neighbours 1", neighbours, halves, 1, 64, grid=(8,))
out = np.zeros(128, np.float32)
check("pairs", pairs, x, out, 128, grid=(1,))
assert (out == np.arange(128) // 2).all()
out = np.zeros(32, np.int32)
check("counts", counts, out, 128, grid=(4,))
assert (out == 16).all()
for warps in (1, 4):
    words = np.zeros((4, 1), np.int32)
    check(f"chain {warps}", chain, *words, grid=(3,), num_warps=warps)
    assert words[3, 0] == 42
for writes in (False, True):
    flag, words, out, many = (np.zeros(count, np.int32) for count in (1, 64, 65, 1 << 20))
    place = next(i for i in range(many.size) if cell(many.ctypes.data + 4 * i) == cell(flag.ctypes.data))
    check(f"beside {writes}", beside, flag, words, out, many[place:], writes, grid=(2,))
print(json.dumps(found))
"""


def run(arguments, folder, **variables):
    environment = {**os.environ, "PYTHONPATH": PACKAGES, "TRITON_CACHE_DIR": str(folder / "cache"), **variables}
    environment.pop("TRITON_DEFAULT_BACKEND", None)
    return subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=600)


@pytest.fixture(scope="module", params=["sm_80", "sm_90a"])
def found(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    (folder / "program.py").write_text(textwrap.dedent(PROGRAM))
    done = run([folder / "program.py"], folder, TRITON_SIMULATE=request.param, TRITON_INSTRUMENTATION_MODE="gsan")
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    "call", ["sums True", "pass_on release gpu", "pass_on acq_rel sys", "last acq_rel", "neighbours 0", "neighbours 0 again",
             "pairs", "counts", "chain 1", "chain 4", "beside False", "beside True"]
)  # fmt: skip
def test_programs_that_are_ordered(found, call):
    assert found[call] == ""


@pytest.mark.parametrize(
    "call, message",
    [
        ("sums False", "races with a write of another program"),
        ("pass_on relaxed gpu", "read of global memory races with a write of another program"),
        ("pass_on release cta", "races with a write of another program"),
        ("last relaxed", "races with a"),
        ("neighbours 1", "races with a"),
    ],
)
def test_programs_that_nothing_orders(found, call, message):
    assert message in found[call] and "device-side assert" in found[call] and "program.py:" in found[call]


def test_programs_of_several_ctas(tmp_path):
    # Barriers of the cluster order its CTAs, which the detector does not see.
    (tmp_path / "script.py").write_text(
        "import numpy as np, triton, triton.language as tl\n"
        "@triton.jit\n"
        "def turn(x, between, out, N: tl.constexpr):\n"
        "    i = tl.arange(0, N)\n"
        "    tl.store(between + i, tl.load(x + i))\n"
        "    tl.debug_barrier()\n"
        "    tl.store(out + i, tl.load(between + N - 1 - i))\n"
        "x = np.arange(512, dtype=np.float32)\n"
        "between, out = np.zeros_like(x), np.zeros_like(x)\n"
        "turn[(1,)](x, between, out, 512, num_ctas=2)\n"
        "assert (out == x[::-1]).all()\n"
    )
    done = run([tmp_path / "script.py"], tmp_path, TRITON_SIMULATE="sm_90a", TRITON_INSTRUMENTATION_MODE="gsan")
    assert done.returncode == 0, done.stderr[-3000:]
    assert (
        "without the detector of races in global memory (gsan): it checks programs of one CTA, those of this kernel have 2"
        in done.stderr
    )


def test_the_tool(tmp_path):
    (tmp_path / "script.py").write_text(
        "import sys, numpy as np, triton, triton.language as tl\n"
        "@triton.jit\n"
        "def kernel(x):\n"
        "    tl.store(x, tl.program_id(0))\n"
        "kernel[(int(sys.argv[1]),)](np.zeros(1, np.int32))\n"
        "print('done')\n"
    )
    one, two = (run(["-m", "triton.tools.gsan", tmp_path / "script.py", count], tmp_path, TRITON_SIMULATE="sm_90a") for count in ("1", "2"))  # fmt: skip
    assert one.returncode == 0 and one.stdout == "done\n", one.stderr
    assert two.returncode == 1 and "script.py:4" in two.stderr, two.stderr
    assert "write of global memory races with a write of another program" in two.stderr
    missing = run(["-m", "triton.tools.gsan", tmp_path / "none.py"], tmp_path)
    assert missing.returncode == 2 and "there is no file" in missing.stderr


def test_the_module():
    from triton import knobs
    from triton.experimental import gsan

    try:
        gsan.configure(clock_buffer_size=16, num_devices=1, device_ranks=[0])
        assert knobs.compilation.gsan_clock_buffer_size == 16
        with pytest.raises(NotImplementedError, match="one device; num_devices=2"):
            gsan.configure(num_devices=2)
        with pytest.raises(ValueError, match="number of programs that are watched, got 0"):
            gsan.configure(clock_buffer_size=0)
        gsan.freeze_config()
        with pytest.raises(RuntimeError, match="frozen"):
            gsan.configure()
    finally:
        gsan.reset()
    assert knobs.compilation.gsan_clock_buffer_size == 1024
    with pytest.raises(NotImplementedError, match="groups of one rank, this one has 2"):
        gsan.symmetric_memory.rendezvous(None, [0, 1])
    assert not gsan.has_live_allocations() and not gsan.supports_fabric_handles(0)


@pytest.mark.parametrize("size, seed", [(None, None), ("64", "7")])
@pytest.mark.parametrize("assigned", [None, 32])
def test_a_reset_puts_back_what_was_there(monkeypatch, size, seed, assigned):
    from triton import knobs
    from triton.experimental import gsan

    variables = {"TRITON_GSAN_CLOCK_BUFFER_SIZE": size, "TRITON_SIMULATE_SEED": seed}
    with knobs.compilation.scope():
        for name, text in variables.items():
            monkeypatch.setenv(name, text or "")  # so that it is put back after the test
            if text is None:
                monkeypatch.delenv(name)
        if assigned:
            knobs.compilation.gsan_clock_buffer_size = assigned
            variables["TRITON_GSAN_CLOCK_BUFFER_SIZE"] = str(assigned)
        before = knobs.compilation.gsan_clock_buffer_size
        for count in (16, 8):
            gsan.configure(clock_buffer_size=count, rng_seed=count)
        assert knobs.compilation.gsan_clock_buffer_size == 8 and os.environ["TRITON_SIMULATE_SEED"] == "8"
        gsan.reset()
        assert knobs.compilation.gsan_clock_buffer_size == before
        assert {name: os.environ.get(name) for name in variables} == variables
        if assigned is None:
            os.environ["TRITON_GSAN_CLOCK_BUFFER_SIZE"] = "128"  # the environment counts again
            assert knobs.compilation.gsan_clock_buffer_size == 128


def test_symmetric_memory_of_one_rank():
    torch = pytest.importorskip("torch")
    from triton.experimental.gsan import symmetric_memory

    tensor = symmetric_memory.empty(4, 4, dtype=torch.float32)
    handle = symmetric_memory.rendezvous(tensor)
    buffer = handle.get_buffer(0, (2, 2), torch.float32, storage_offset=4)
    buffer.fill_(3)
    handle.barrier()
    assert (handle.rank, handle.world_size) == (0, 1) and (tensor[1] == 3).all()
    with pytest.raises(ValueError, match="no rank 1"):
        handle.get_buffer(1, (2,), torch.float32)
    handle.close()
    with pytest.raises(RuntimeError, match="closed"):
        handle.get_buffer(0, (2,), torch.float32)
