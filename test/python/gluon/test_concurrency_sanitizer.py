"""instrumentation_mode="consan": kernels find accesses to buffers that nothing orders, and barriers that nobody completes. On simulated GPUs."""

import json
import os
import subprocess
import sys
import textwrap

import pytest
from places import PACKAGES

pytestmark = [pytest.mark.cpu_only, pytest.mark.runs]

HEAD = """
import json, os, torch, triton, triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia import ampere, blackwell, hopper
from triton.experimental.gluon.language.nvidia.blackwell import mbarrier, tma

N = gl.constexpr(64)
triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8))
found = {}

def check(name, kernel, *arguments, grid=(1,), **options):
    try:
        kernel[grid](*arguments, **options)
        found[name] = ""
    except RuntimeError as error:
        found[name] = str(error)
"""

HOPPER = """
LINE = gl.BlockedLayout([1], [32], [4], [0])
TILE = gl.BlockedLayout([1, 8], [8, 4], [4, 1], [1, 0])
FLAT = gl.SwizzledSharedLayout(1, 1, 1, [0])
SWIZZLED = gl.NVMMASharedLayout(128, 16, 2)
MMA = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 32, 16])

@gluon.jit
def tma_load(desc, out, waits: gl.constexpr, tile: gl.constexpr):
    buffer = gl.allocate_shared_memory(gl.float16, [N, N], desc.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, desc.block_type.nbytes)
    tma.async_copy_global_to_shared(desc, [0, 0], bar, buffer)
    mbarrier.wait(bar, 0, pred=waits)
    value = buffer.load(tile)
    mbarrier.wait(bar, 0)
    rows, columns = gl.arange(0, N, gl.SliceLayout(1, tile)), gl.arange(0, N, gl.SliceLayout(0, tile))
    gl.store(out + rows[:, None] * N + columns[None, :], value)

@gluon.jit
def tma_store(desc, waits: gl.constexpr, tile: gl.constexpr):
    buffers = gl.allocate_shared_memory(gl.float16, [2, N, N], desc.layout)
    for i in gl.static_range(2):
        buffers.index(i).store(gl.full([N, N], i, gl.float16, tile))
        hopper.fence_async_shared()
        tma.async_copy_shared_to_global(desc, [0, 0], buffers.index(i))
    tma.store_wait(pendings=1)
    buffers.index(0).store(gl.full([N, N], 2, gl.float16, tile))
    if waits:
        tma.store_wait(pendings=0)
    buffers.index(1).store(gl.full([N, N], 3, gl.float16, tile))

@gluon.jit
def copies(x, pending: gl.constexpr, line: gl.constexpr, flat: gl.constexpr):
    buffers = gl.allocate_shared_memory(gl.float16, [2, 128], flat)
    at = gl.arange(0, 128, line)
    for i in range(6):
        ampere.async_copy.async_copy_global_to_shared(buffers.index(i % 2), x + at, mask=at < 128)
        ampere.async_copy.commit_group()
        ampere.async_copy.wait_group(pending)
    ampere.async_copy.wait_group(0)

@gluon.jit
def products(pending: gl.constexpr, swizzled: gl.constexpr, tile: gl.constexpr, mma: gl.constexpr):
    buffers = gl.allocate_shared_memory(gl.float16, [2, N, N], swizzled)
    for i in gl.static_range(2):
        buffers.index(i).store(gl.full([N, N], 1, gl.float16, tile))
    hopper.fence_async_shared()
    total = gl.zeros([N, N], gl.float32, mma)
    for i in gl.static_range(2):
        total = hopper.warpgroup_mma(buffers.index(i), buffers.index(i), total, is_async=True)
    total = hopper.warpgroup_mma_wait(num_outstanding=pending, deps=[total])
    buffers.index(1).store(gl.full([N, N], 2, gl.float16, tile))

@gluon.jit
def give(buffers, bars, count: gl.constexpr, waits: gl.constexpr, line: gl.constexpr):
    for i in range(count):
        mbarrier.wait(bars.index(2 + i % 2), i // 2 & 1 ^ 1)
        buffers.index(i % 2).store(gl.arange(0, 128, line))
        mbarrier.arrive(bars.index(i % 2), count=1)

@gluon.jit
def take(buffers, bars, count: gl.constexpr, waits: gl.constexpr, line: gl.constexpr):
    total = gl.zeros([128], gl.int32, line)
    for i in range(count):
        mbarrier.wait(bars.index(i % 2), i // 2 & 1, pred=waits)
        total += buffers.index(i % 2).load(line)
        mbarrier.arrive(bars.index(2 + i % 2), count=1)
    buffers.index(2).store(total)

@gluon.jit
def ring(out, count: gl.constexpr, waits: gl.constexpr, line: gl.constexpr, flat: gl.constexpr):
    buffers = gl.allocate_shared_memory(gl.int32, [3, 128], flat)
    bars = gl.allocate_shared_memory(gl.int64, [4, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(4):
        mbarrier.init(bars.index(i), count=1)
    gl.warp_specialize([(give, (buffers, bars, count, waits, line)), (take, (buffers, bars, count, waits, line))], [4], [64])
    gl.store(out + gl.arange(0, 128, line), buffers.index(2).load(line))

@gluon.jit
def wait_for(bars, mine: gl.constexpr, arrivals: gl.constexpr):
    if arrivals:
        mbarrier.arrive(bars.index(1 - mine), count=arrivals)
    mbarrier.wait(bars.index(mine), 0)

@gluon.jit
def meeting(arrivals: gl.constexpr):
    bars = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(2):
        mbarrier.init(bars.index(i), count=1)
    gl.warp_specialize([(wait_for, (bars, 0, arrivals)), (wait_for, (bars, 1, arrivals))], [4], [64])

@gluon.jit
def twice():
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.arrive(bar, count=1)
    mbarrier.arrive(bar, count=1)
    mbarrier.wait(bar, 0)

@triton.jit
def matmul(a, b, c, K: tl.constexpr, B: tl.constexpr, STAGES: tl.constexpr):
    m, k = tl.arange(0, B), tl.arange(0, 32)
    total = tl.zeros((B, B), tl.float32)
    for i in tl.range(0, K, 32, num_stages=STAGES):
        total = tl.dot(tl.load(a + m[:, None] * K + (i + k)[None, :]), tl.load(b + (i + k)[:, None] * B + m[None, :]), total)
    tl.store(c + m[:, None] * B + m[None, :], total)

x = torch.randn(N.value, N.value).half()
out = torch.empty_like(x)
desc = gluon.nvidia.hopper.TensorDescriptor.from_tensor(x, [N.value, N.value], SWIZZLED)
other = gluon.nvidia.hopper.TensorDescriptor.from_tensor(out, [N.value, N.value], SWIZZLED)
for good in (True, False):
    check(f"tma load {good}", tma_load, desc, out, good, TILE)
    check(f"tma store {good}", tma_store, other, good, TILE)
    check(f"copies {good}", copies, x, 1 if good else 2, LINE, FLAT)
    check(f"products {good}", products, 0 if good else 1, SWIZZLED, TILE, MMA)
    line = torch.zeros(128, dtype=torch.int32)
    check(f"ring {good}", ring, line, 7, good, LINE, FLAT)
    if good:
        assert torch.equal(line, 7 * torch.arange(128, dtype=torch.int32))
for arrivals in range(3):
    check(f"meeting {arrivals}", meeting, arrivals)
check("twice", twice)
a, b, c = torch.randn(64, 128).half(), torch.randn(128, 64).half(), torch.empty(64, 64)
check("matmul", matmul, a, b, c, 128, 64, 3)

# What the simulator runs, ptxas takes too: partitions that call functions have no registers of their own.
from triton.backends.compiler import GPUTarget
from triton.experimental.gluon._runtime import GluonASTSource
constants = {"count": 7, "waits": True, "line": LINE, "flat": FLAT}
source = GluonASTSource(ring, {"out": "*i32", **dict.fromkeys(constants, "constexpr")}, constexprs=constants)
code = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"instrumentation_mode": "consan"}).asm
assert len(code["cubin"]) > 0 and "consan_access" in code["ptx"] and "setmaxnreg" not in code["ptx"]
assert torch.allclose(c, a.float() @ b.float(), atol=1e-2)
print(json.dumps(found))
"""

BLACKWELL = """
TILE = gl.BlockedLayout([1, N.value], [32, 1], [4, 1], [1, 0])
SWIZZLED = gl.NVMMASharedLayout(128, 16, 2)

@gluon.jit
def product(out, waits: gl.constexpr, swizzled: gl.constexpr, tile: gl.constexpr):
    a = gl.allocate_shared_memory(gl.float16, [128, N], swizzled, gl.full([128, N], 1, gl.float16, tile))
    b = gl.allocate_shared_memory(gl.float16, [N, N], swizzled, gl.full([N, N], 1, gl.float16, tile))
    total = blackwell.allocate_tensor_memory(gl.float32, [128, N], blackwell.TensorMemoryLayout([128, N], col_stride=1))
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    hopper.fence_async_shared()
    blackwell.tcgen05_mma(a, b, total, use_acc=False)
    blackwell.tcgen05_mma(a, b, total)
    blackwell.tcgen05_commit(bar)
    mbarrier.wait(bar, 0, pred=waits)
    a.store(gl.full([128, N], 2, gl.float16, tile))
    mbarrier.wait(bar, 0)
    rows, columns = gl.arange(0, 128, gl.SliceLayout(1, tile)), gl.arange(0, N, gl.SliceLayout(0, tile))
    gl.store(out + rows[:, None] * N + columns[None, :], gl.convert_layout(total.load(), tile))

@gluon.jit
def fill(total, part: gl.constexpr, tile: gl.constexpr):
    columns = total.slice(part * 32, 32)
    columns.store(gl.full([128, 32], part, gl.float32, tile))

@gluon.jit
def parts(out, other: gl.constexpr, tile: gl.constexpr):
    total = blackwell.allocate_tensor_memory(gl.float32, [128, N], blackwell.TensorMemoryLayout([128, N], col_stride=1))
    gl.warp_specialize([(fill, (total, 0, tile)), (fill, (total, other, tile))], [4], [64])

HALF = gl.BlockedLayout([1, 32], [32, 1], [4, 1], [1, 0])
for good in (True, False):
    check(f"parts {good}", parts, torch.zeros(1), 1 if good else 0, HALF)
    out = torch.zeros(128, N.value)
    check(f"product {good}", product, out, good, SWIZZLED, TILE)
    if good:
        assert torch.all(out == 2 * N.value)
print(json.dumps(found))
"""


def findings(folder, architecture, program):
    path = folder / f"{architecture}.py"
    path.write_text(HEAD + textwrap.dedent(program))
    environment = {
        **os.environ,
        "PYTHONPATH": PACKAGES,
        "TRITON_CACHE_DIR": str(folder / "cache"),
        "TRITON_SIMULATE": architecture,
        "TRITON_INSTRUMENTATION_MODE": "consan",
    }
    environment.pop("TRITON_DEFAULT_BACKEND", None)
    done = subprocess.run([sys.executable, path], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def hopper(tmp_path_factory):
    return findings(tmp_path_factory.mktemp("hopper"), "sm_90a", HOPPER)


@pytest.mark.parametrize(
    "kernel, message",
    [
        ("tma load", "Buffer being accessed has outstanding writes"),
        ("tma store", "Accessing buffer with pending access. Pending access type: async_copy_shared_to_global"),
        ("copies", "Accessing buffer with pending access. Pending access type: async_copy_global_to_shared"),
        ("products", "Accessing buffer with pending access. Pending access type: warpgroup_mma operand read"),
        ("ring", "Buffer being accessed has outstanding"),
    ],
)
def test_accesses_that_nothing_orders(hopper, kernel, message):
    assert message in hopper[f"{kernel} False"] and "device-side assert" in hopper[f"{kernel} False"]
    assert hopper[f"{kernel} True"] == ""


def test_the_line_of_the_access(hopper):
    line = 1 + next(i for i, text in enumerate((HEAD + HOPPER).splitlines()) if "value = buffer.load(tile)" in text)
    assert f"sm_90a.py:{line}:" in hopper["tma load False"]


def test_barriers_that_nobody_completes(hopper):
    assert "Deadlock detected" in hopper["meeting 0"] and "Deadlock detected" in hopper["twice"]
    assert hopper["meeting 1"] == ""
    assert "Barrier arrive underflow: current count would become negative" in hopper["meeting 2"]


def test_pipelined_loops_are_in_order(hopper):
    assert hopper["matmul"] == ""


def test_products_in_tensor_memory(tmp_path):
    found = findings(tmp_path, "sm_100a", BLACKWELL)
    assert "Buffer being accessed has outstanding reads" in found["product False"]
    assert found["product True"] == ""
    assert "Buffer being accessed has outstanding writes" in found["parts False"]
    assert found["parts True"] == ""
