"""Gluon without Python: `tritonc` knows its modules, and its layouts as records of its own."""

import subprocess

import pytest
from places import TRITONC

pytestmark = pytest.mark.skipif(not TRITONC.exists(), reason="tritonc is not built")

SOURCE = """
from triton.experimental import gluon
import triton.experimental.gluon.language as gl
from triton.experimental.gluon.language import _layouts
from triton.experimental.gluon.language.extra import libdevice
from triton.experimental.gluon.language.nvidia import blackwell, hopper
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma

TILE = gl.constexpr(gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]))
SHARED = gl.constexpr(gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16))
ACC = gl.constexpr(gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16]))


@gluon.jit
def places(N: gl.constexpr):
    return gl.arange(0, N, gl.SliceLayout(1, TILE))[:, None] * N + gl.arange(0, N, gl.SliceLayout(0, TILE))[None, :]


@gluon.jit
def product(x, y, z, N: gl.constexpr):
    at = places(N)
    a = gl.allocate_shared_memory(gl.float16, [N, N], SHARED, gl.load(x + at))
    b = gl.allocate_shared_memory(gl.float16, [N, N], SHARED, gl.load(y + at))
    hopper.fence_async_shared()
    total = hopper.warpgroup_mma(a, b.permute([1, 0]), gl.zeros([N, N], gl.float32, ACC))
    gl.static_assert(SHARED.swizzle_byte_width == 128 and TILE.rank == 2)
    gl.static_assert(total.type.layout == ACC)
    gl.static_assert(isinstance(total.type.layout, gl.NVMMADistributedLayout))
    gl.static_assert(b.permute([1, 0]).layout == gl.NVMMASharedLayout(128, 16, transposed=True))
    gl.store(z + at, gl.convert_layout(total, TILE))


@gluon.jit
def copies(x, n):
    d = tma.make_tensor_descriptor(x, [n, n], [n, 1], [64, 64], SHARED)
    buffer = gl.allocate_shared_memory(d.dtype, d.block_shape, d.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, d.block_type.nbytes)
    tma.async_copy_global_to_shared(d, [0, 0], bar, buffer)
    mbarrier.wait(bar, 0)
    tma.async_copy_shared_to_global(d, [64, 0], buffer)
    tma.store_wait(0)


@gluon.jit
def padded(x):
    layout: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[32, 4]], [32, 32], [1, 0])
    buffer = gl.allocate_shared_memory(gl.float32, [32, 32], layout, gl.full([32, 32], 1.0, gl.float32, TILE))
    gl.store(x, gl.sum(buffer.permute([1, 0]).load(TILE)))


@gluon.jit
def memory(x):
    layout: gl.constexpr = blackwell.TensorMemoryLayout((128, 128), col_stride=1)
    total = blackwell.allocate_tensor_memory(gl.float32, [128, 128], layout)
    registers: gl.constexpr = blackwell.get_tmem_reg_layout(gl.float32, (128, 128), layout, 4)
    gl.store(x, gl.sum(total.load(registers)))


@gluon.jit
def unordered(x):
    gl.arange(0, 128, gl.BlockedLayout([1], [32], [4], [1]))


@gluon.jit
def incomplete(x):
    gl.arange(0, 128, gl.BlockedLayout([1], [32]))


@gluon.jit
def unknown(x):
    gl.dot(x, x)


@gluon.jit
def of_two_ranks(x):
    gl.arange(0, 128, gl.BlockedLayout([1, 1], [32], [4], [0]))


@gluon.jit
def asks(x):
    tile: gl.constexpr = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0], cga_layout=[[1, 0]])
    gl.static_assert(gl.SliceLayout(1, tile).cga_layout[0][0] == 1 and gl.SliceLayout(1, tile).rank == 1)
    gl.static_assert(isinstance(mbarrier.MBarrierLayout(), gl.SwizzledSharedLayout))
    gl.static_assert(not isinstance(tile, gl.SliceLayout))
    gl.static_assert(_layouts.warps_per_cta(gl.SliceLayout(1, tile), [32])[0] == 4)
    gl.static_assert(_layouts.make_cga_layout([2, 1], [2, 1], [0, 1])[0][0] == 1)
    gl.static_assert(gl.SharedLinearLayout([[0, 1], [1, 0]]).shape[0] == 2)
    gl.static_assert(gl.extra.libdevice.fast_expf == libdevice.fast_expf)
"""


def run(tmp_path, kernel, signature, *options):
    source = tmp_path / "kernels.py"
    source.write_text(SOURCE)
    command = [TRITONC, source, "--kernel", kernel, "--signature", signature, *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=100)


@pytest.mark.parametrize(
    "kernel, signature, arch, holds",
    [
        ("product", "*fp16:16, *fp16:16, *fp32:16, 64", "sm_90a", "wgmma.mma_async"),
        ("copies", "*fp16:16, i32:16", "sm_90a", "cp.async.bulk.tensor.2d.shared"),
        ("padded", "*fp32:16", "sm_80", "st.shared"),
        ("memory", "*fp32:16", "sm_100a", "tcgen05.ld"),
    ],
)
def test_kernels(tmp_path, kernel, signature, arch, holds):
    done = run(tmp_path, kernel, signature, "--target", "cuda", "--arch", arch, "--emit", "ptx")
    assert done.returncode == 0, done.stderr
    assert holds in done.stdout


@pytest.mark.parametrize(
    "kernel, message",
    [
        ("unordered", "order must be a permutation of 0..(rank-1), but was [1]"),
        ("incomplete", "BlockedLayout() is missing 'warps_per_cta'"),
        ("of_two_ranks", "threads_per_warp needs 2 numbers, got [32]"),
        ("unknown", "module 'triton.experimental.gluon.language' has no attribute 'dot'"),
    ],
)
def test_errors(tmp_path, kernel, message):
    done = run(tmp_path, kernel, "*fp32:16", "--target", "cuda", "--arch", "sm_90a", "--emit", "ttgir")
    assert done.returncode != 0 and message in done.stderr


def test_answers_are_those_of_python(tmp_path):
    done = run(tmp_path, "asks", "*fp32:16", "--target", "cuda", "--arch", "sm_90a", "--emit", "ttgir")
    assert done.returncode == 0, done.stderr


def test_there_is_no_cpu(tmp_path):
    done = run(tmp_path, "padded", "*fp32:16")
    assert done.returncode != 0 and "Gluon kernels run on GPUs, not on the target 'cpu'" in done.stderr
