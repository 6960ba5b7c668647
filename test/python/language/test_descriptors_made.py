"""Descriptors that kernels make, and everything that is done through descriptors of either kind: the same results by pointers and by TMA."""

import pytest
import torch
import triton
import triton.language as tl
from triton import knobs
from triton.tools.tensor_descriptor import TensorDescriptor


@pytest.fixture(params=[False, True], ids=["pointers", "engine"], autouse=True)
def engine(request):
    with knobs.nvidia.scope():
        knobs.nvidia.tensor_maps = request.param
        for kernel in [value for value in globals().values() if isinstance(value, triton.JITFunction)]:
            kernel.device_caches.clear()  # compiled the other way
        yield request.param


def check(kernel, engine, instruction, scratch=None, architectures=(".target sm_9", ".target sm_10")):
    """Where TMA can do it, it does."""
    ptx = getattr(kernel, "asm", {}).get("ptx") if kernel is not None else None
    if ptx is not None and any(architecture in ptx for architecture in architectures):
        assert (instruction in ptx) == engine
        if scratch is not None:
            assert kernel.metadata.global_scratch_size == (scratch if engine else 0)
            assert kernel.metadata.global_scratch_align == (128 if engine and scratch else 1)


def make(shape, dtype, seed=3):
    generator = torch.Generator().manual_seed(seed)
    if dtype.is_floating_point:
        return torch.randn(shape, generator=generator).to(dtype)
    return torch.randint(-100, 100, shape, generator=generator).to(dtype)


@triton.jit
def scale_kernel(x, y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [M, N], [N, 1], [BM, BN])
    target = tl.make_tensor_descriptor(y, [M, N], [N, 1], [BM, BN])
    row = tl.program_id(0) * BM
    for column in range(0, N, BN):
        block = source.load([row, column])
        target.store([row, column], block + block)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.int8, torch.int16, torch.int32, torch.float64])
@pytest.mark.parametrize("block", [(16, 64), (32, 16), (4, 32), (1, 128)], ids=str)
def test_made_in_the_kernel(engine, dtype, block):
    """Edges that end inside of blocks, in both dimensions."""
    M, N = 50, 80
    x, y = make((M, N), dtype), torch.zeros((M, N), dtype=dtype)
    kernel = scale_kernel[(triton.cdiv(M, block[0]),)](x, y, M, N, *block)
    if dtype != torch.float64:
        check(kernel, engine, "tensormap.cp_fenceproxy", scratch=256)
    torch.testing.assert_close(y, x + x, rtol=0, atol=0)


@triton.jit
def line_kernel(x, y, n, B: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [n], [1], [B])
    target = tl.make_tensor_descriptor(y, [n], [1], [B])
    start = tl.program_id(0) * B
    target.store([start], source.load([start]) + 1)


@pytest.mark.parametrize("B", [16, 512, 4096])
def test_one_dimension(engine, B):
    x, y = make((5000,), torch.float32), torch.zeros(5000)
    check(line_kernel[(triton.cdiv(5000, B),)](x, y, 5000, B), engine, "cp.async.bulk.tensor.1d", scratch=256)
    torch.testing.assert_close(y, x + 1, rtol=0, atol=0)


@triton.jit
def box_kernel(x, y, A, B, C, D, E, SIZE: tl.constexpr):
    a, b, c = B * C * D * E, C * D * E, D * E
    source = tl.make_tensor_descriptor(x, [A, B, C, D, E], [a, b, c, E, 1], [1, 2, 2, 4, SIZE])
    target = tl.make_tensor_descriptor(y, [A, B, C, D, E], [a, b, c, E, 1], [1, 2, 2, 4, SIZE])
    for i in range(A):
        for j in range(0, B, 2):
            for k in range(0, C, 2):
                target.store([i, j, k, 0, 0], source.load([i, j, k, 0, 0]) * 3)


def test_five_dimensions(engine):
    shape = (2, 3, 3, 3, 16)
    x, y = make(shape, torch.float32), torch.zeros(shape)
    check(box_kernel[(1,)](x, y, *shape, 16), engine, "cp.async.bulk.tensor.5d", scratch=256)
    torch.testing.assert_close(y, x * 3, rtol=0, atol=0)


@triton.jit
def padding_kernel(x, y, M, N, B: tl.constexpr):
    block = tl.make_tensor_descriptor(x, [M, N], [N, 1], [B, B], padding_option="nan").load([B // 2, -B // 2])
    at = tl.arange(0, B)
    tl.store(y + at[:, None] * B + at[None, :], block)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_padding_with_nan(engine, dtype):
    x, y = make((32, 32), dtype), torch.zeros((32, 32), dtype=dtype)
    padding_kernel[(1,)](x, y, 32, 32, 32)
    expected = torch.full((32, 32), float("nan"), dtype=dtype)
    expected[:16, 16:] = x[16:, :16]
    torch.testing.assert_close(y, expected, rtol=0, atol=0, equal_nan=True)


@triton.jit
def two_groups_kernel(a0, a1, out, rows, K, BM: tl.constexpr, BK: tl.constexpr):
    """Descriptors of other tensors in every iteration, with a loop of products inside."""
    for group in range(2):
        m = tl.load(rows + group)
        base = a0 if group == 0 else a1
        a = tl.make_tensor_descriptor(base, [m, K], [K, 1], [BM, BK])
        c = tl.make_tensor_descriptor(out + group * BM * BM, [m, BM], [BM, 1], [BM, BM])
        accumulator = tl.zeros((BM, BM), dtype=tl.float32)
        for k in range(0, K, BK):
            block = a.load([0, k])
            accumulator = tl.dot(block, block.T, accumulator)
        c.store([0, 0], accumulator)


def test_made_again_in_a_loop(engine):
    rows, K, BM = [64, 40], 128, 64
    tensors = [make((m, K), torch.float16, seed) for seed, m in enumerate(rows)]
    out = torch.zeros((2, BM, BM))
    check(two_groups_kernel[(1,)](*tensors, out, torch.tensor(rows, dtype=torch.int32), K, BM, 64), engine, "tensormap.replace", scratch=256)  # fmt: skip
    for group, tensor in enumerate(tensors):
        m = rows[group]
        expected = tensor.float() @ tensor.float().T
        torch.testing.assert_close(out[group, :m], torch.nn.functional.pad(expected, (0, BM - m)), rtol=0, atol=0.1)


@triton.jit
def again_kernel(x, N, B: tl.constexpr):
    block = tl.make_tensor_descriptor(x, [N, N], [N, 1], [B, B])
    for step in range(5):
        block.store([0, 0], block.load([0, 0]) * 2 + step)
        tl.debug_barrier()
        at = tl.arange(0, B)
        pointers = x + at[:, None] * N + at[None, :]
        tl.store(pointers, tl.load(pointers) + 1)
        tl.debug_barrier()


def test_what_was_stored_is_read_again(engine):
    """The engine and the threads see what the other has written."""
    x = make((64, 64), torch.float32)
    expected = x.clone()
    for step in range(5):
        expected[:32, :32] = expected[:32, :32] * 2 + step + 1
    again_kernel[(1,)](x, 64, 32)
    torch.testing.assert_close(x, expected, rtol=1e-6, atol=1e-5)


@triton.jit
def overwrite_kernel(x, n, B: tl.constexpr):
    line = tl.make_tensor_descriptor(x, [n], [1], [B])
    for step in range(100):
        line.store([0], tl.full((B,), step, tl.int32))


def test_the_last_store_counts(engine):
    x = torch.zeros(64, dtype=torch.int32)
    overwrite_kernel[(1,)](x, 64, 64)
    assert (x == 99).all()


@triton.jit
def update_kernel(x, y, M, N, OP: tl.constexpr, B: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [M, N], [N, 1], [B, B])
    target = tl.make_tensor_descriptor(y, [B, N], [N, 1], [B, B])
    row, column = tl.program_id(0) * B, tl.program_id(1) * B
    block = source.load([row, column])
    if OP == "add":
        target.atomic_add([0, column], block)
    elif OP == "min":
        target.atomic_min([0, column], block)
    elif OP == "max":
        target.atomic_max([0, column], block)
    elif OP == "and":
        target.atomic_and([0, column], block)
    elif OP == "or":
        target.atomic_or([0, column], block)
    else:
        target.atomic_xor([0, column], block)


WORDS = [torch.int32, torch.uint32, torch.int64]
UPDATES = [("add", dtype) for dtype in (torch.int32, torch.uint32, torch.float32, torch.float16, torch.bfloat16)]
UPDATES += [(op, dtype) for op in ("min", "max", "and", "or", "xor") for dtype in WORDS]


def reference(op, values):
    result = values[0].clone()
    for value in values[1:]:
        if op == "add":
            result = result + value
        elif op in ("min", "max"):
            result = torch.minimum(result, value) if op == "min" else torch.maximum(result, value)
        else:
            result = {"and": result & value, "or": result | value, "xor": result ^ value}[op]
    return result


@pytest.mark.parametrize("op, dtype", UPDATES, ids=str)
@pytest.mark.parametrize("ctas", [1, 2])
def test_updates(engine, op, dtype, ctas, vendor, request):
    """Several programs update the same block."""
    has_clusters = (vendor == "cuda" and not request.config.getoption("--compile-only")) or request.config.getoption(
        "--compile-only"
    ) in ("sm_90a", "sm_100a")
    if ctas > 1 and not has_clusters:
        pytest.skip("no clusters there")
    M, N, B = 48, 64, 16
    x, y = make((M, N), torch.int64), make((B, N), torch.int64, 5)
    if dtype == torch.uint32:
        x, y = x.abs(), y.abs()
    expected = reference(op, [y, *x.reshape(M // B, B, N)])
    x, y = x.to(dtype), y.to(dtype)
    kernel = update_kernel[(M // B, N // B)](x, y, M, N, op, B, num_ctas=ctas)
    if dtype != torch.int64:
        check(kernel, engine, f"cp.reduce.async.bulk.tensor.2d.global.shared::cta.{op}", scratch=256)
    torch.testing.assert_close(y.to(torch.int64), expected, rtol=0, atol=4 if dtype == torch.bfloat16 else 0)


@pytest.mark.parametrize("op", ["min", "max"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_extremes_of_halves(engine, op, dtype, vendor, request):
    """Only TMA has these, and the interpreter."""
    architecture = request.config.getoption("--compile-only")
    runs = vendor == "cuda" and not architecture
    has_engine = runs or architecture in ("sm_90a", "sm_100a")
    if runs and torch.cuda.get_device_capability()[0] < 9:
        pytest.skip("no TMA")
    x, y = make((48, 64), dtype), make((16, 64), dtype, 5)
    expected = reference(op, [y, *x.reshape(3, 16, 64)])
    if not (engine and has_engine) and not knobs.runtime.interpret:
        with pytest.raises((triton.CompilationError, RuntimeError), match=f"atomic_{op}"):
            update_kernel[(3, 4)](x, y, 48, 64, op, 16)
        return
    update_kernel[(3, 4)](x, y, 48, 64, op, 16)
    torch.testing.assert_close(y, expected, rtol=0, atol=0)


@triton.jit
def host_update_kernel(source, target, B: tl.constexpr):
    column = tl.program_id(1) * B
    target.atomic_add([0, column], source.load([tl.program_id(0) * B, column]))


def test_updates_through_host_descriptors(engine):
    x, y = make((48, 64), torch.float32), make((16, 64), torch.float32)
    expected = y + x.reshape(3, 16, 64).sum(0)
    kernel = host_update_kernel[(3, 4)](
        TensorDescriptor.from_tensor(x, [16, 16]), TensorDescriptor.from_tensor(y, [16, 16]), 16
    )
    check(kernel, engine, "cp.reduce.async.bulk.tensor", scratch=0)
    torch.testing.assert_close(y, expected, rtol=1e-5, atol=1e-5)


@triton.jit
def both_kernel(straight, crooked, out, shift, B: tl.constexpr):
    out.store([0, 0], straight.load([0, 0]) + crooked.load([0, shift]))


def test_both_ways_in_one_kernel(engine):
    """One descriptor is accessed where the engine may not be able to: only that one is spelled out."""
    x, y, out = make((32, 64), torch.float32), make((32, 64), torch.float32, 4), torch.zeros((32, 32))
    descriptors = [TensorDescriptor.from_tensor(tensor, [32, 32]) for tensor in (x, y, out)]
    kernel = both_kernel[(1,)](*descriptors, 3, 32)
    check(kernel, engine, "cp.async.bulk.tensor")
    if engine and kernel is not None and getattr(kernel.metadata, "tensordesc_meta", None):
        assert [meta is None for meta in kernel.metadata.tensordesc_meta] == [False, True, False]
    torch.testing.assert_close(out, x[:, :32] + y[:, 3:35], rtol=0, atol=0)


@triton.jit
def rows_kernel(x, y, numbers, M, N, column: tl.constexpr, COUNT: tl.constexpr, B: tl.constexpr):
    # The engine writes only from columns that are known not to be negative.
    source = tl.make_tensor_descriptor(x, [M, N], [N, 1], [1, B])
    target = tl.make_tensor_descriptor(y, [M, N], [N, 1], [1, B])
    which = tl.load(numbers + tl.arange(0, COUNT))
    block = source.gather(which, column)
    target.scatter(block + 1, (which + 1) % M, column)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int8])
@pytest.mark.parametrize("count, B", [(8, 32), (32, 64), (128, 128)])
@pytest.mark.parametrize("column", [0, 16])
def test_rows(engine, dtype, count, B, column):
    """Rows by number: some do not exist, and read as zeros."""
    M, N = 150, 160
    x, y = make((M, N), dtype), torch.zeros((M, N), dtype=dtype)
    numbers = torch.randperm(M, generator=torch.Generator().manual_seed(1))[:count].to(torch.int32)
    numbers[3] += M  # the row to write stays one of its own
    kernel = rows_kernel[(1,)](x, y, numbers, M, N, column, count, B)
    check(kernel, engine, "tile::gather4", scratch=256, architectures=(".target sm_10",))
    expected = torch.zeros((M, N), dtype=dtype)
    width = min(B, N - column)
    padded = torch.cat([x, torch.zeros((M, N), dtype=dtype)])
    expected[((numbers + 1) % M).long(), column : column + width] = padded[numbers.long(), column : column + width] + 1
    torch.testing.assert_close(y, expected, rtol=0, atol=0)


@triton.jit
def carried_kernel(x, y, N, B: tl.constexpr):
    block = tl.make_tensor_descriptor(x, [N, N], [N, 1], [B, B])
    total = tl.zeros((B, B), dtype=tl.float32)
    for step in range(4):
        total += block.load([0, 0])
        if step == 1:
            block = tl.make_tensor_descriptor(x + B * N, [N - B, N], [N, 1], [B, B])
    tl.make_tensor_descriptor(y, [B, B], [B, 1], [B, B]).store([0, 0], total)


def test_carried_descriptors(engine):
    """Which tensor it is decides itself as the kernel runs: by pointers."""
    x, y = make((32, 32), torch.float32), torch.zeros((16, 16))
    carried_kernel[(1,)](x, y, 32, 16)
    torch.testing.assert_close(y, 2 * (x[:16, :16] + x[16:, :16]), rtol=1e-6, atol=1e-6)
