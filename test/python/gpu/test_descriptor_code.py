"""What becomes of tensor descriptors on GPUs: which instructions, which arguments, how much scratch memory. Compiles only; no GPU is needed."""

import pytest
import triton
import triton.language as tl
from gpu_code import compile
from triton import knobs

LOAD = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
STORE = "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"


@triton.jit
def made(x, y, N, B: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [N, N], [N, 1], [B, B])
    target = tl.make_tensor_descriptor(y, [N, N], [N, 1], [B, B])
    row = tl.program_id(0) * B
    for column in range(0, N, B):
        target.store([row, column], source.load([row, column]))


def made_of(element, **more):
    return {"x": f"*{element}", "y": f"*{element}", "N": "i32", "B": 32, **more}


def test_descriptors_that_a_kernel_makes():
    kernel = compile(made, made_of("fp16"))
    ptx = kernel.asm["ptx"]
    assert ptx.count(LOAD) == 1 and ptx.count(STORE) == 1 and "ld.global" not in ptx
    assert ptx.count("tensormap.cp_fenceproxy") == 2  # once, before the loop
    assert ptx.index("tensormap.cp_fenceproxy") < ptx.index(LOAD)
    assert "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r" in ptx and "], 6;" in ptx
    assert kernel.metadata.global_scratch_size == 256 and kernel.metadata.global_scratch_align == 128
    assert kernel.metadata.tensordesc_meta == []
    assert "wait_group.read 0" in ptx  # different arguments are different tensors


@pytest.mark.parametrize("element, code", [("bf16", 10), ("fp32", 7), ("i8", 0), ("u8", 0), ("i16", 1), ("i32", 3), ("u32", 2), ("fp8e5", 0)])  # fmt: skip
def test_element_types(element, code):
    assert f", {code};" in compile(made, made_of(element)).asm["ptx"].split("elemtype")[1].splitlines()[0]


@pytest.mark.parametrize("why", ["capability", "element", "knob"])
def test_pointers_where_there_is_no_engine_for_it(why):
    with knobs.nvidia.scope():
        knobs.nvidia.tensor_maps = why != "knob"
        kernel = compile(
            made,
            made_of("fp64" if why == "element" else "fp16"),
            capability=80 if why == "capability" else 90,
        )
    assert "cp.async.bulk" not in kernel.asm["ptx"] and "ld.global" in kernel.asm["ptx"]
    assert kernel.metadata.global_scratch_size == 0 and kernel.metadata.global_scratch_align == 1


@triton.jit
def passed(source, target, y, shift, B: tl.constexpr, FROM_ZERO: tl.constexpr):
    block = source.load([0, 0]) + source.load([0, B])
    target.store([0, tl.program_id(0) * B if FROM_ZERO else shift], block)
    at = tl.arange(0, B)
    tl.store(y + at, tl.sum(block, 0))


# The engine writes where it is known to start at a multiple of 16 bytes that is not negative.
@pytest.mark.parametrize("shift, from_zero, fits", [("i32", True, True), ("i32", False, False), ("u8", False, False)])
def test_host_descriptors_are_decided_one_by_one(shift, from_zero, fits):
    types = {"source": "tensordesc<fp32[32, 32]>", "target": "tensordesc<fp32[32, 32]>", "y": "*fp32", "shift": shift}
    kernel = compile(passed, {**types, "B": 32, "FROM_ZERO": from_zero})
    source, target = kernel.metadata.tensordesc_meta
    assert source == {"swizzle": 3, "elem_size": 4, "elem_type": 7, "block_size": [32, 32], "fp4_padded": False}
    assert target == (source if fits else None)
    assert kernel.asm["ptx"].count(STORE) == int(fits)
    names = [argument[1] for argument in kernel.metadata.argument_layout]
    parts = ["i32", "i32", "i64", "i64"]
    spelled = ["nvTmaDesc"] if fits else ["*fp32", "i64", "i64", "i64", "i64", "i1", "i1"]
    assert names == ["nvTmaDesc", *parts, *spelled, *parts, "*fp32", shift]
    assert kernel.metadata.global_scratch_size == 0


ARGUMENT, POSITIVE_ARGUMENT, PROGRAMS = 0, -1, -2


@triton.jit
def persistent(source, target, n, step, B: tl.constexpr, STEP: tl.constexpr, EARLY: tl.constexpr):
    if STEP > 0:
        step = STEP
    elif STEP == -1:
        tl.assume(step > 0)
    elif STEP == -2:
        step = tl.num_programs(0)
    row = tl.program_id(0) - (EARLY if EARLY else step)
    for tile in range(tl.program_id(0), n, step):
        block = source.load([tile * B, 0])
        row += step
        target.store([row * B, 0], block)


# Persistent kernels count the tiles that they store from one step before the first.
@pytest.mark.parametrize("step, early, fits", [(132, 132, True), (132, 0, True), (132, 133, False), (PROGRAMS, 0, True), (PROGRAMS, 1, False), (POSITIVE_ARGUMENT, 0, True), (ARGUMENT, 0, False)])  # fmt: skip
def test_counters_that_start_early(step, early, fits):
    types = {"source": "tensordesc<fp32[32, 32]>", "target": "tensordesc<fp32[32, 32]>", "n": "i32", "step": "i32"}
    kernel = compile(persistent, {**types, "B": 32, "STEP": step, "EARLY": early})
    assert (STORE in kernel.asm["ptx"]) == fits and LOAD in kernel.asm["ptx"]


@triton.jit
def updated(x, y, N, OP: tl.constexpr, B: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [N, N], [N, 1], [B, B])
    target = tl.make_tensor_descriptor(y, [N, N], [N, 1], [B, B])
    block = source.load([0, 0])
    if OP == 0:
        target.atomic_add([0, 0], block)
    elif OP == 1:
        target.atomic_min([0, 0], block)
    elif OP == 2:
        target.atomic_max([0, 0], block)
    else:
        target.atomic_xor([0, 0], block)


@pytest.mark.parametrize("operation, element", [("add", "fp32"), ("add", "bf16"), ("add", "u32"), ("min", "fp16"), ("max", "u32"), ("min", "i32"), ("xor", "i32")])  # fmt: skip
@pytest.mark.parametrize("capability", [90, 100])
def test_updates(operation, element, capability):
    number = ["add", "min", "max", "xor"].index(operation)
    ptx = compile(updated, {**made_of(element), "OP": number}, capability).asm["ptx"]
    assert f"cp.reduce.async.bulk.tensor.2d.global.shared::cta.{operation}.tile.bulk_group" in ptx
    assert "atom." not in ptx and "red." not in ptx.replace("shared.", "")


@pytest.mark.parametrize("ctas", [1, 2])
def test_updates_by_atomics(ctas):
    """Of what the engine does not take: every element once."""
    ptx = compile(updated, {**made_of("i64"), "OP": 0, "B": 16}, num_ctas=ctas).asm["ptx"]
    assert "cp.reduce" not in ptx and ("red.global" in ptx or "red.relaxed" in ptx or "atom" in ptx)


def test_clusters():
    """Each CTA loads the block, and the first one stores it."""
    ptx = compile(made, made_of("fp16"), num_ctas=2).asm["ptx"]
    assert LOAD in ptx and STORE in ptx and "ld.global" not in ptx
    assert "%cluster_ctarank" in ptx


@triton.jit
def rows(x, y, numbers, N, B: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [N, N], [N, 1], [1, B])
    target = tl.make_tensor_descriptor(y, [N, N], [N, 1], [1, B])
    which = tl.load(numbers + tl.arange(0, 32))
    target.scatter(source.gather(which, 0), which, B)


@pytest.mark.parametrize("capability, count", [(80, 0), (90, 0), (100, 2), (103, 2), (120, 0)])
def test_rows(capability, count):
    signature = {"x": "*fp32", "y": "*fp32", "numbers": "*i32", "N": "i32", "B": 32}
    ptx = compile(rows, signature, capability).asm["ptx"]
    assert ptx.count("tile::gather4") == ptx.count("tile::scatter4") == count


@triton.jit
def in_place(x, N, B: tl.constexpr):
    block = tl.make_tensor_descriptor(x, [N, N], [N, 1], [B, B])
    for _ in range(4):
        block.store([0, 0], block.load([0, 0]) + 1)


@triton.jit
def after_store(x, N, B: tl.constexpr):
    block = tl.make_tensor_descriptor(x, [N, N], [N, 1], [B, B])
    at = tl.arange(0, B)
    tl.store(x + at, at.to(tl.float32))
    tl.debug_barrier()
    tl.store(x + N + at, tl.sum(block.load([0, 0]), 0))


@triton.jit
def before_lock(x, lock, N, B: tl.constexpr):
    block = tl.make_tensor_descriptor(x, [N, N], [N, 1], [B, B])
    block.store([0, 0], tl.zeros((B, B), tl.float32))
    tl.debug_barrier()
    tl.atomic_xchg(lock, 1)


def test_order_with_other_accesses():
    types = {"x": "*fp32", "N": "i32", "B": 32}
    assert ".read" not in compile(in_place, types).asm["ptx"]
    ptx = compile(after_store, types).asm["ptx"]
    assert ptx.index("st.global") < ptx.index("fence.proxy.async.global") < ptx.index(LOAD)
    ptx = compile(before_lock, {"x": "*fp32", "lock": "*i32", "N": "i32", "B": 32}).asm["ptx"]
    assert ".read" not in ptx and ptx.index(STORE) < ptx.index("cp.async.bulk.wait_group 0", ptx.index(STORE))


@triton.jit
def product(a, b, c, K, B: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [B, K], [K, 1], [B, B])
    right = tl.make_tensor_descriptor(b, [K, B], [B, 1], [B, B])
    accumulator = tl.zeros((B, B), dtype=tl.float32)
    for k in range(0, K, B):
        accumulator = tl.dot(left.load([0, k]), right.load([k, 0]), accumulator)
    tl.make_tensor_descriptor(c, [B, B], [B, 1], [B, B]).store([0, 0], accumulator.to(tl.float16))


def test_products_run_behind_the_copies():
    kernel = compile(product, {"a": "*fp16", "b": "*fp16", "c": "*fp16", "K": "i32", "B": 64}, num_stages=3)
    ptx = kernel.asm["ptx"]
    assert ptx.count(LOAD) > 2 and "wgmma.mma_async" in ptx and ptx.count("mbarrier.try_wait") == 1
    assert kernel.metadata.global_scratch_size == 3 * 128
