"""Elements of shared memory chosen by indices, assembly of whole threads, updates by TMA: right on a GPU or a simulated one, compiled without."""

import pytest
import torch
import triton
from gluon_code import compile, ir
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, tma
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor

TILE = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
LINE = gl.BlockedLayout([1], [32], [4], [0])
FLAT = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
SWIZZLED = gl.SwizzledSharedLayout(4, 1, 8, [1, 0])
PADDED = gl.PaddedSharedLayout.with_identity_for([[32, 4]], [64, 32], [1, 0])


@pytest.fixture
def gpu():
    target = triton.runtime.driver.active.get_current_target()
    if target.backend != "cuda":
        pytest.skip("Gluon is for GPUs")
    return target


@gluon.jit
def places(ROWS: gl.constexpr, L: gl.constexpr):
    return gl.arange(0, ROWS, gl.SliceLayout(1, L))[:, None] * 32 + gl.arange(0, 32, gl.SliceLayout(0, L))[None, :]


@gluon.jit
def gather_rows(x, index, y, SHARED: gl.constexpr, L: gl.constexpr):
    buffer = gl.allocate_shared_memory(x.dtype.element_ty, [64, 32], SHARED, gl.load(x + places(64, L)))
    chosen = buffer.gather(gl.load(index + places(16, L)), axis=0)
    gl.static_assert(chosen.type.layout == L)
    gl.store(y + places(16, L), chosen)


@pytest.mark.parametrize("shared", [FLAT, SWIZZLED, PADDED], ids=lambda layout: type(layout).__name__)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int8])
def test_gather(gpu, shared, dtype):
    x = torch.randint(-100, 100, (64, 32)).to(dtype)
    index = torch.randint(0, 64, (16, 32), dtype=torch.int32)
    y = torch.zeros(16, 32, dtype=dtype)
    gather_rows[(1,)](x, index, y, shared, TILE)
    assert torch.equal(y, torch.gather(x, 0, index.long()))


@gluon.jit
def scatter_columns(x, index, y, SHARED: gl.constexpr, L: gl.constexpr):
    buffer = gl.allocate_shared_memory(x.dtype.element_ty, [64, 32], SHARED, gl.load(y + places(64, L)))
    buffer.scatter(gl.load(x + places(64, L)), gl.load(index + places(64, L)), axis=-1)
    gl.store(y + places(64, L), buffer.load(L))


@pytest.mark.parametrize("shared", [FLAT, SWIZZLED, PADDED], ids=lambda layout: type(layout).__name__)
def test_scatter(gpu, shared):
    x = torch.randn(64, 32)
    index = torch.stack([torch.randperm(32) for _ in range(64)]).int()
    y = torch.zeros(64, 32)
    scatter_columns[(1,)](x, index, y, shared, TILE)
    assert torch.equal(y, torch.zeros(64, 32).scatter(1, index.long(), x))


@gluon.jit
def count(index, y, old, N: gl.constexpr, L: gl.constexpr):
    at = gl.arange(0, 256, L)
    bins = gl.allocate_shared_memory(y.dtype.element_ty, [64], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    few = gl.arange(0, 64, L)
    bins.store(gl.zeros([64], y.dtype.element_ty, L))
    one = gl.full([256], 1, y.dtype.element_ty, L)
    before = bins.atomic_scatter_add(one, gl.load(index + at), 0, mask=at < N)
    gl.store(old + at, before, mask=at < N)
    gl.store(y + few, bins.load(L))


@pytest.mark.parametrize("dtype", [torch.int32, torch.float32, torch.int64])
def test_updates_are_atomic(gpu, dtype):
    index = torch.randint(0, 64, (256,), dtype=torch.int32)
    y, old = torch.zeros(64, dtype=dtype), torch.zeros(256, dtype=dtype)
    count[(1,)](index, y, old, 200, gl.BlockedLayout([2], [32], [4], [0]))
    assert torch.equal(y, torch.bincount(index[:200], minlength=64).to(dtype))
    for value in range(64):  # each one saw the others that came before it
        assert sorted(old[:200][index[:200] == value].tolist()) == list(range(int((index[:200] == value).sum())))


@gluon.jit
def extremes(x, y, L: gl.constexpr):
    at = gl.arange(0, 128, L)
    zero = gl.zeros([128], gl.int32, L)
    buffer = gl.allocate_shared_memory(gl.int32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]), zero)
    value = gl.load(x + at)
    buffer.atomic_scatter_max(value, zero, 0)
    buffer.atomic_scatter_min(value, zero + 1, 0)
    buffer.atomic_scatter_or(value & 0xFF, zero + 2, 0)
    buffer.atomic_scatter_xor(value, zero + 3, 0)
    unsigned = buffer.reinterpret(gl.uint32)
    unsigned.atomic_scatter_max(value.to(gl.uint32, bitcast=True), zero + 4, 0)
    gl.store(y + at, buffer.load(L))


def test_kinds_of_updates(gpu):
    x = torch.randint(-1000, 1000, (128,), dtype=torch.int32)
    y = torch.zeros(128, dtype=torch.int32)
    extremes[(1,)](x, y, LINE)
    bits, odd = 0, 0
    for value in x.tolist():
        bits, odd = bits | (value & 0xFF), odd ^ value
    assert y[:4].tolist() == [max(0, int(x.max())), min(0, int(x.min())), bits, odd]
    assert y[4].item() & 0xFFFFFFFF == max(value & 0xFFFFFFFF for value in x.tolist())


@gluon.constexpr_function
def swap(outputs, inputs):
    return "".join(f"mov.b32 {to}, {of};" for to, of in zip(outputs[0], reversed(inputs[0])))


@gluon.jit
def reverse_threads(x, y, L: gl.constexpr):
    at = gl.arange(0, 512, L)
    value = gl.load(x + at)
    turned = gl.inline_asm(swap, ("=&r", "r"), [value], value.type, is_pure=True)
    gl.static_assert(turned.type == value.type)
    total, twice = gl.inline_asm(
        "add.s32 $0, $2, $3; add.s32 $1, $2, $2;", "=&r,=&r,r,r", [3, 4], [gl.int32, gl.int32], is_pure=True
    )
    gl.store(y + at, turned + total * 1000 + twice * 100000)


def test_assembly_of_whole_threads(gpu):
    x = torch.arange(512, dtype=torch.int32)
    y = torch.zeros_like(x)
    reverse_threads[(1,)](x, y, gl.BlockedLayout([4], [32], [4], [0]))
    assert torch.equal(y, x.reshape(-1, 4).flip(1).reshape(-1) + 7000 + 600000)


@gluon.jit
def store_by_address(y, L: gl.constexpr):
    at = gl.arange(0, 128, L)
    buffer = gl.allocate_shared_memory(gl.int32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]), at)
    gl.barrier()
    gl.inline_asm("st.shared.b32 [$0 + 8], $1;", ("r", "r"), [buffer, 77])
    gl.barrier()
    gl.store(y + at, buffer.load(L))


def test_buffers_are_addresses(gpu):
    y = torch.zeros(128, dtype=torch.int32)
    store_by_address[(1,)](y, LINE)
    expected = torch.arange(128, dtype=torch.int32)
    expected[2] = 77
    assert torch.equal(y, expected)


@gluon.jit
def update_block(desc, x, L: gl.constexpr):
    at = gl.arange(0, 64, gl.SliceLayout(1, L))[:, None] * 64 + gl.arange(0, 64, gl.SliceLayout(0, L))[None, :]
    buffer = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout, gl.load(x + at))
    fence_async_shared()
    tma.async_atomic_add(desc, [64, 0], buffer)
    tma.store_wait(0, read_only=False)


def test_updates_by_tma(gpu):
    if gpu.arch < 90:
        pytest.skip("needs sm_90")
    y, x = torch.randint(0, 9, (128, 64)).float(), torch.randint(0, 9, (64, 64)).float()
    expected = y.clone()
    expected[64:] += x
    update_block[(1,)](TensorDescriptor.from_tensor(y, [64, 64], gl.NVMMASharedLayout(128, 32)), x, TILE)
    assert torch.equal(y, expected)


@gluon.jit
def wrong_rank():
    buffer = gl.allocate_shared_memory(gl.float32, [64, 32], FLAT)
    buffer.gather(gl.arange(0, 32, LINE), 0)


@gluon.jit
def wrong_value():
    buffer = gl.allocate_shared_memory(gl.float32, [64], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    buffer.scatter(gl.arange(0, 128, LINE), gl.arange(0, 128, LINE), 0)


@gluon.jit
def largest_float():
    buffer = gl.allocate_shared_memory(gl.float32, [64], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    buffer.atomic_scatter_max(gl.zeros([128], gl.float32, LINE), gl.arange(0, 128, LINE), 0)


@gluon.jit
def pure_address():
    buffer = gl.allocate_shared_memory(gl.float32, [64], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    gl.inline_asm("st.shared.b32 [$0], 1;", "r", [buffer], is_pure=True)


@pytest.mark.parametrize(
    "kernel, message",
    [
        (wrong_rank, "needs indices of the buffer's rank"),
        (wrong_value, "values must be of the buffer's type fp32"),
        (largest_float, "atomic_scatter_max is for integers, not for fp32"),
        (pure_address, "assembly that is given a buffer is not pure"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_mistakes(kernel, message):
    with pytest.raises(triton.CompilationError, match=message):
        compile(kernel, {})


def test_text():
    text = ir(count, {"index": "*i32", "y": "*fp32", "old": "*fp32", "N": 200, "L": LINE}, stage="source")
    assert "ttg.local_atomic_scatter_rmw fadd, " in text
    assert "{axis = 0 : i32} : (!ttg.memdesc<64xf32, " in text
