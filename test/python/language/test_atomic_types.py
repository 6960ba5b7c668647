"""Atomics: every operation by every type it takes, order and scope; masks, returned values, contention, single lanes and scalars."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from arrays import TORCH, bits, ctas, random_bits, reference, values

INTEGERS = ["int32", "uint32", "int64", "uint64"]
TYPES = {
    "add": INTEGERS + ["float16", "bfloat16", "float32", "float64"],
    "max": INTEGERS + ["float32", "float64"],
    "min": INTEGERS + ["float32", "float64"],
    "and": INTEGERS,
    "or": INTEGERS,
    "xor": INTEGERS,
    "xchg": INTEGERS + ["float32", "float64"],
}
PAIRS = [(op, dtype) for op, types in TYPES.items() for dtype in types]


def combine(op, a, b):
    """Elementwise, in the type of both."""
    with np.errstate(all="ignore"):
        return {
            "add": lambda: a + b,
            "max": lambda: np.maximum(a, b),
            "min": lambda: np.minimum(a, b),
            "and": lambda: a & b,
            "or": lambda: a | b,
            "xor": lambda: a ^ b,
            "xchg": lambda: b,
        }[op]()


def rounded(dtype, array):
    return array if dtype != "bfloat16" else torch.from_numpy(array).bfloat16().float().numpy()


@triton.jit
def tensor_kernel(p_ptr, v_ptr, mask_ptr, old_ptr, OP: tl.constexpr, SEM: tl.constexpr, SCOPE: tl.constexpr, N: tl.constexpr):  # fmt: skip
    i = tl.arange(0, N)
    mask = tl.load(mask_ptr + i)
    old = getattr(tl, "atomic_" + OP)(p_ptr + i, tl.load(v_ptr + i), mask=mask, sem=SEM, scope=SCOPE)
    tl.static_assert(old.dtype == p_ptr.dtype.element_ty)
    tl.store(old_ptr + i, old, mask=mask)


ORDERS = [(None, None), ("relaxed", "gpu"), ("acquire", "cta"), ("release", "sys"), ("acq_rel", "gpu")]


@pytest.mark.parametrize("sem, scope", ORDERS)
@pytest.mark.parametrize("op, dtype", PAIRS)
def test_distinct_places(op, dtype, sem, scope):
    n = 64
    p, v, mask = values(dtype, n, 1), values(dtype, n, 2), values("bool", n, 3)
    before = p.clone()
    old = torch.zeros_like(p)
    tensor_kernel[(1,)](p, v, mask, old, op, sem, scope, n)
    expected = np.where(mask.numpy(), rounded(dtype, combine(op, reference(before), reference(v))), reference(before))
    np.testing.assert_array_equal(reference(p), expected)
    np.testing.assert_array_equal(reference(old), np.where(mask.numpy(), reference(before), 0))


@pytest.mark.parametrize("n, warps, count", [(1, 4, 1), (2, 1, 1), (32, 8, 1), (1024, 2, 1), (256, 4, 2)])
@pytest.mark.parametrize("op, dtype", PAIRS)
def test_sizes(op, dtype, n, warps, count):
    p, v, mask = values(dtype, n, 4), values(dtype, n, 5), torch.ones(n, dtype=torch.bool)
    before, old = p.clone(), torch.zeros_like(p)
    tensor_kernel[(1,)](p, v, mask, old, op, None, None, n, num_warps=warps, num_ctas=ctas(count))
    np.testing.assert_array_equal(reference(p), rounded(dtype, combine(op, reference(before), reference(v))))
    np.testing.assert_array_equal(reference(old), reference(before))


@triton.jit
def contended_kernel(p_ptr, v_ptr, old_ptr, OP: tl.constexpr, N: tl.constexpr, PLACES: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    old = getattr(tl, "atomic_" + OP)(p_ptr + i % PLACES, tl.load(v_ptr + i), sem="relaxed")
    tl.store(old_ptr + i, old)


@pytest.mark.parametrize("places", [1, 4])
@pytest.mark.parametrize("op, dtype", [pair for pair in PAIRS if pair[0] not in ("xchg", "xor", "and", "or")])
def test_contention(op, dtype, places):
    """Sums of ones are exact, and each sum on the way is seen once; extremes are those of all."""
    programs, n = 4, 128
    if op == "add":
        v = torch.ones(programs * n).to(TORCH[dtype])
        p = torch.zeros(places, dtype=TORCH[dtype])
    else:
        v = values(dtype, programs * n, 6)
        p = v[:places].clone()
    old = torch.zeros_like(v)
    contended_kernel[(programs,)](p, v, old, op, n, places)
    for place in range(places):
        mine, seen = reference(v)[place::places], reference(old)[place::places]
        if op == "add" and dtype != "bfloat16":  # which holds whole numbers up to 256 only
            assert reference(p)[place] == len(mine)
            assert sorted(seen.tolist()) == list(range(len(mine)))
        elif op == "add":
            assert reference(p)[place] == min(256, len(mine))
        else:
            assert reference(p)[place] == (mine.max() if op == "max" else mine.min())


@triton.jit
def exchange_kernel(p_ptr, old_ptr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(old_ptr + i, tl.atomic_xchg(p_ptr + tl.zeros((N,), tl.int32), (i + 1).to(p_ptr.dtype.element_ty)))


@pytest.mark.parametrize("dtype", TYPES["xchg"])
def test_exchanges_lose_nothing(dtype):
    p, old = torch.zeros(1, dtype=TORCH[dtype]), torch.zeros(256, dtype=TORCH[dtype])
    exchange_kernel[(4,)](p, old, 64)
    assert sorted(int(v) for v in old.tolist() + p.tolist()) == list(range(257))


@triton.jit
def scalar_kernel(p_ptr, v_ptr, old_ptr, OP: tl.constexpr, SEM: tl.constexpr):
    v = tl.load(v_ptr + tl.program_id(0))
    old = getattr(tl, "atomic_" + OP)(p_ptr + tl.program_id(0), v, sem=SEM)
    # Every lane must see what the one that did it saw.
    tl.store(old_ptr + tl.program_id(0) * 64 + tl.arange(0, 64), tl.broadcast_to(old, (64,)))


@pytest.mark.parametrize("warps", [1, 4])
@pytest.mark.parametrize("op, dtype", PAIRS)
def test_scalars_happen_once_and_all_lanes_see_the_result(op, dtype, warps):
    p, v = values(dtype, 3, 7), values(dtype, 3, 8)
    before, old = p.clone(), torch.zeros(3 * 64, dtype=TORCH[dtype])
    scalar_kernel[(3,)](p, v, old, op, "acq_rel", num_warps=warps)
    np.testing.assert_array_equal(reference(p), rounded(dtype, combine(op, reference(before), reference(v))))
    np.testing.assert_array_equal(reference(old).reshape(3, 64), np.repeat(reference(before)[:, None], 64, 1))


@triton.jit
def convert_kernel(p_ptr, old_ptr, x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_add(p_ptr + i, 3)
    tl.atomic_add(p_ptr + i, x)
    tl.atomic_add(p_ptr + i, i.to(tl.int8), mask=i < 2)
    (p_ptr + i).atomic_add(tl.full((1,), 1, tl.int32), i % 2 == 0)


@pytest.mark.parametrize("dtype", TYPES["add"])
def test_operands_are_cast_and_broadcast(dtype):
    p = torch.zeros(8, dtype=TORCH[dtype])
    convert_kernel[(1,)](p, p, 5, 8)
    assert [int(v) for v in p.tolist()] == [8 + (i if i < 2 else 0) + (i % 2 == 0) for i in range(8)]


@triton.jit
def compare_kernel(p_ptr, compare_ptr, value_ptr, old_ptr, SEM: tl.constexpr, SCOPE: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    old = tl.atomic_cas(p_ptr + i, tl.load(compare_ptr + i), tl.load(value_ptr + i), sem=SEM, scope=SCOPE)
    tl.store(old_ptr + i, old)


@pytest.mark.parametrize("sem, scope", ORDERS)
@pytest.mark.parametrize("n", [1, 32, 256])
@pytest.mark.parametrize("dtype", ["int16", "uint16", "float16", "bfloat16"] + INTEGERS + ["float32", "float64"])
def test_compare_and_swap(dtype, n, sem, scope):
    p, value = random_bits(dtype, n, 9), random_bits(dtype, n, 10)
    compare = p.clone()
    compare[::3] = value[::3]  # most of these differ
    before, old = p.clone(), torch.zeros_like(p)
    compare_kernel[(1,)](p, compare, value, old, sem, scope, n)
    equal = bits(before) == bits(compare)
    np.testing.assert_array_equal(bits(p), np.where(equal, bits(value), bits(before)))
    np.testing.assert_array_equal(bits(old), bits(before))


@triton.jit
def neighbours_kernel(p_ptr, old_ptr, N: tl.constexpr):
    """Neighbours of 16 bits share a word that hardware swaps whole."""
    i = tl.program_id(0) * N + tl.arange(0, N)
    zero, one = tl.zeros((N,), p_ptr.dtype.element_ty), tl.full((N,), 1, p_ptr.dtype.element_ty)
    tl.store(old_ptr + i, tl.atomic_cas(p_ptr + i % 8, zero, one))


@pytest.mark.parametrize("dtype", ["int16", "int32", "int64"])
def test_one_of_many_swaps(dtype):
    p, old = torch.zeros(8, dtype=TORCH[dtype]), torch.zeros(512, dtype=TORCH[dtype])
    neighbours_kernel[(4,)](p, old, 128)
    assert p.tolist() == [1] * 8
    assert (old == 0).sum() == 8 and (old == 1).sum() == 504


@triton.jit
def signs_kernel(p_ptr, v_ptr, old_ptr, OP: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(old_ptr + i, getattr(tl, "atomic_" + OP)(p_ptr + i, tl.load(v_ptr + i)))


@pytest.mark.parametrize("op", ["max", "min"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_extremes_of_signed_floats(op, dtype):
    """Any mix of signs; -0.0 is below +0.0."""
    points = [0.0, -0.0, 1.0, -1.0, 1e-40, -1e-40, float("inf"), float("-inf")]
    p = torch.tensor([a for a in points for _ in points], dtype=TORCH[dtype])
    v = torch.tensor(points * len(points), dtype=TORCH[dtype])
    before, old = p.clone(), torch.zeros_like(p)
    signs_kernel[(1,)](p, v, old, op, 64)

    def key(number):
        return (number, np.copysign(1.0, number))

    pick = max if op == "max" else min
    expected = torch.tensor([pick(a, b, key=key) for a, b in zip(before.tolist(), v.tolist())], dtype=TORCH[dtype])
    np.testing.assert_array_equal(bits(p), bits(expected))
    np.testing.assert_array_equal(bits(old), bits(before))


@triton.jit
def masked_scalar_kernel(p_ptr, flag):
    tl.atomic_add(p_ptr, 1, mask=flag != 0)
    tl.atomic_max(p_ptr + 1, 7, mask=tl.program_id(0) == 2)


@pytest.mark.parametrize("flag, expected", [(0, [0, 7]), (5, [6, 7])])
def test_masks_of_scalars(flag, expected):
    p = torch.zeros(2, dtype=torch.int32)
    masked_scalar_kernel[(6,)](p, flag)
    assert p.tolist() == expected


@triton.jit
def plane_kernel(p_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    old = tl.atomic_add(p_ptr + i, i.to(tl.float32), mask=(tl.arange(0, N) < N - 1)[None, :])
    tl.store(out_ptr + tl.arange(0, M), tl.sum(tl.where((tl.arange(0, N) < N - 1)[None, :], old, 0.0), 1))


@pytest.mark.parametrize("shape, warps", [((4, 4), 4), ((16, 64), 4), ((64, 128), 8), ((1, 32), 1)])
def test_results_of_planes_are_used(shape, warps):
    p = torch.ones(shape)
    out = torch.zeros(shape[0])
    plane_kernel[(1,)](p, out, *shape, num_warps=warps)
    expected = 1 + torch.arange(p.numel()).float().view(shape)
    expected[:, -1] = 1
    assert torch.equal(p, expected) and out.tolist() == [shape[1] - 1.0] * shape[0]
