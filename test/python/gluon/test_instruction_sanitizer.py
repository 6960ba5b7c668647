"""instrumentation_mode="iisan": copies by TMA that would stop a GPU are failed assertions at their line. On simulated GPUs."""

import json
import os
import subprocess
import sys
import textwrap

import pytest
from places import PACKAGES

pytestmark = [pytest.mark.cpu_only, pytest.mark.runs]

HEAD = """
import json, torch, triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import mbarrier, tma
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor

triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8))
TILE = gl.BlockedLayout([1, 8], [8, 4], [4, 1], [1, 0])
x = torch.zeros(128, 64, dtype=torch.float16)
found = {}

def check(name, kernel, *arguments, **options):
    try:
        kernel[(1,)](*arguments, **options)
        found[name] = ""
    except RuntimeError as error:
        found[name] = str(error)
"""

HOPPER = """
@gluon.jit
def load(desc, row, column):
    buffer = gl.allocate_shared_memory(gl.float16, [32, 32], desc.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, desc.block_type.nbytes)
    tma.async_copy_global_to_shared(desc, [row, column], bar, buffer)
    mbarrier.wait(bar, 0)

@gluon.jit
def store(desc, row, column, tile: gl.constexpr):
    buffer = gl.allocate_shared_memory(gl.float16, [32, 32], desc.layout)
    buffer.store(gl.zeros([32, 32], gl.float16, tile))
    fence_async_shared()
    tma.async_copy_shared_to_global(desc, [row, column], buffer)
    tma.store_wait(0)

@gluon.jit
def make(x, offset, stride):
    desc = tma.make_tensor_descriptor(x + offset, [32, 32], [stride, 1], [32, 32], gl.NVMMASharedLayout(64, 16, 2))
    load(desc, 0, 0)

desc = TensorDescriptor.from_tensor(x, [32, 32], gl.NVMMASharedLayout(64, 16, 2))
for row, column in [(0, 8), (-8, -16), (1, 3)]:
    check(f"load {row} {column}", load, desc, row, column)
for row, column in [(3, 8), (0, 4), (-1, 8)]:
    check(f"store {row} {column}", store, desc, row, column, TILE)
for offset, stride in [(0, 64), (4, 64), (0, 60)]:
    check(f"make {offset} {stride}", make, x, offset, stride)
print(json.dumps(found))
"""

BLACKWELL = """
ROWS = gl.SliceLayout(0, gl.BlockedLayout([1, 4], [32, 1], [1, 4], [1, 0]))

@gluon.jit
def scatter(desc, first, column, tile: gl.constexpr, rows: gl.constexpr):
    buffer = gl.allocate_shared_memory(gl.float16, [32, 32], desc.layout)
    buffer.store(gl.zeros([32, 32], gl.float16, tile))
    fence_async_shared()
    tma.async_scatter(desc, gl.arange(0, 32, rows) + first, column, buffer)
    tma.store_wait(0)

desc = TensorDescriptor.from_tensor(x, [1, 32], gl.NVMMASharedLayout(64, 16, 2))
for first, column in [(0, 8), (0, 3), (-1, 8)]:
    check(f"scatter {first} {column}", scatter, desc, first, column, TILE, ROWS)
print(json.dumps(found))
"""


def findings(folder, architecture, program, mode="iisan"):
    path = folder / f"{architecture}.py"
    path.write_text(HEAD + textwrap.dedent(program))
    environment = {
        **os.environ,
        "PYTHONPATH": PACKAGES,
        "TRITON_CACHE_DIR": str(folder / "cache"),
        "TRITON_SIMULATE": architecture,
        "TRITON_INSTRUMENTATION_MODE": mode,
    }
    environment.pop("TRITON_DEFAULT_BACKEND", None)
    done = subprocess.run([sys.executable, path], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module", params=["iisan", "consan, iisan"])
def hopper(request, tmp_path_factory):
    return findings(tmp_path_factory.mktemp("hopper"), "sm_90a", HOPPER, request.param)


@pytest.mark.parametrize(
    "call, message",
    [
        ("load 0 8", ""),
        ("load -8 -16", ""),
        ("load 1 3", "the innermost coordinate of a TMA copy must be a multiple of 8"),
        ("store 3 8", ""),
        ("store 0 4", "the innermost coordinate of a TMA copy must be a multiple of 8"),
        ("store -1 8", "a coordinate that a TMA store begins at must not be negative"),
        ("make 0 64", ""),
        ("make 4 64", "the base of a tensor descriptor, in bytes, must be a multiple of 16"),
        ("make 0 60", "a stride of a tensor descriptor, in bytes, must be a multiple of 16"),
    ],
)
def test_copies(hopper, call, message):
    if message:
        assert message in hopper[call] and "device-side assert" in hopper[call]
    else:
        assert hopper[call] == ""


def test_the_line_of_the_copy(hopper):
    line = 1 + next(i for i, text in enumerate((HEAD + HOPPER).splitlines()) if "async_copy_shared_to_global" in text)
    assert f"sm_90a.py:{line}:" in hopper["store 0 4"]


def test_rows(tmp_path):
    found = findings(tmp_path, "sm_100a", BLACKWELL)
    assert found["scatter 0 8"] == ""
    assert "y_offset of a TMA scatter must be a multiple of 8" in found["scatter 0 3"]
    assert "a row of a TMA scatter must not be negative" in found["scatter -1 8"]
