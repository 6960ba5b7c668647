"""Names that Triton 3.7 to 3.9 gave to Gluon, beside the old ones."""

import pytest
from triton.backends.compiler import GPUTarget
from triton.compiler import compile as compile_source
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia import ampere, blackwell, hopper

ROW = gl.BlockedLayout([4], [32], [4], [0])


def code(kernel, signature, capability, stage="ptx", **options):
    source = gluon.GluonASTSource(kernel, signature)
    return compile_source(source, target=GPUTarget("cuda", capability, 32), options=options).asm[stage]


@gluon.jit
def barrier_kernel(out):
    at = gl.arange(0, 512, ROW)
    gl.store(out + at, at)
    gl.barrier()
    gl.store(out + 511 - at, at)


def test_barrier():
    assert "bar.sync" in code(barrier_kernel, {"out": "*i32"}, 90)


@gluon.jit
def cluster_kernel(out):
    hopper.cluster.barrier()
    gl.barrier(cluster=True)
    gl.store(out, 1)


def test_barriers_of_a_cluster_of_one():
    assert "barrier.cluster" not in code(cluster_kernel, {"out": "*i32"}, 90)


@gluon.jit
def copy_kernel(x, out):
    layout: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, order=[0])
    at = gl.arange(0, 512, ROW)
    buffer = gl.allocate_shared_memory(gl.int32, [512], layout)
    ampere.async_copy.async_load(buffer, x + at)
    ampere.async_copy.commit_group()
    ampere.async_copy.wait_group(0)
    gl.store(out + at, buffer.reinterpret(gl.float32).load(ROW))


def test_copies_under_their_new_name():
    assert "cp.async" in code(copy_kernel, {"x": "*i32", "out": "*fp32"}, 80)


@gluon.jit
def packed_kernel(x, out, n):
    at = gl.arange(0, 512, ROW)
    a = gl.load(x + at)
    b = blackwell.add2(a, 1.0)
    b = blackwell.mul2(b, blackwell.sub2(a, b))
    b = blackwell.fma2(a, b, 2.0)
    gl.store(out + at, blackwell.max2(b, blackwell.min2(a, b)))


def test_packed_arithmetic():
    text = code(packed_kernel, {"x": "*fp32", "out": "*fp32", "n": "i32"}, 100)
    for name in ("add", "sub", "mul", "fma"):
        assert f"{name}.rn.f32x2" in text


@pytest.mark.parametrize(
    "new, old",
    [
        (hopper.tma.async_load, hopper.tma.async_copy_global_to_shared),
        (hopper.tma.async_store, hopper.tma.async_copy_shared_to_global),
        (ampere.async_copy.async_load, ampere.async_copy.async_copy_global_to_shared),
        (gl.barrier, gl.thread_barrier),
    ],
)
def test_old_names_stay(new, old):
    assert callable(new) and callable(old)


def test_exports():
    for name in ("aggregate", "aggregate_replace", "GluonASTSource", "GluonJITFunction"):
        assert hasattr(gluon, name), name
    for name in ("clamp", "expect_zero", "atomic_load", "atomic_store", "atomic_poll", "cumsum", "cumprod"):
        assert hasattr(gl, name), name


@gluon.jit
def counted_barriers(CLUSTER: gl.constexpr):
    split: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2, cga_layout=CLUSTER)
    a = gl.allocate_shared_memory(gl.float16, [128, 128], split)
    gl.static_assert(blackwell.tcgen05_mma_barrier_count([a], multicast=False) == 1)
    gl.static_assert(blackwell.tcgen05_mma_barrier_count([a], multicast=True) == 2)
    gl.static_assert(blackwell.tcgen05_mma_barrier_count([a], multicast=True, two_ctas=True) == 1)
    gl.static_assert(blackwell.tcgen05_mma_barrier_count([], multicast=True) == 1)


def test_arrivals_of_products_that_ctas_share():
    source = gluon.GluonASTSource(counted_barriers, {"CLUSTER": "constexpr"}, {"CLUSTER": [[0, 0], [1, 0]]})
    compile_source(source, target=GPUTarget("cuda", 100, 32), options={"num_ctas": 4})
