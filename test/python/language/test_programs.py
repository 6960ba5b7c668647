"""Programs that must compile and run (language.md, appendix C), as kernels of other people write them; compiled, and interpreted by test_interpreter.py."""

import os
import warnings
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton.language import core


@pytest.fixture
def before_immutable_aggregates(monkeypatch):
    monkeypatch.setenv("TRITON_LANGUAGE_VERSION", "3.7")


@core._aggregate
class Counter:
    value: tl.tensor
    step: tl.constexpr

    def __init__(self, value, step):
        self.value = value
        self.step = core.constexpr(step) if not isinstance(step, core.constexpr) else step

    @triton.jit
    def total(self):
        return self.value * self.step

    def bump(self, by, _semantic=None):
        self.value = self.value.__add__(by, _semantic=_semantic)


def test_aggregate_mutation(before_immutable_aggregates):
    @triton.jit
    def k(out, n):
        c = Counter(tl.full((4,), 1, tl.int32), 3)
        for i in range(n):
            c.bump(i)
        tl.store(out + tl.arange(0, 4), c.total())

    out = torch.zeros(4, dtype=torch.int32)
    k[(1,)](out, 5)
    assert out.tolist() == [33] * 4, out


def test_aggregate_mutation_if(before_immutable_aggregates):
    @triton.jit
    def k(out, n):
        c = Counter(tl.full((4,), 1, tl.int32), 3)
        if n > 3:
            c.bump(n)
        tl.store(out + tl.arange(0, 4), c.total())

    out = torch.zeros(4, dtype=torch.int32)
    k[(1,)](out, 5)
    assert out.tolist() == [18] * 4, out
    k[(1,)](out, 2)
    assert out.tolist() == [3] * 4, out


def test_f64_to_f16_rounding():
    @triton.jit
    def k(x, o16, obf, o8, N: tl.constexpr):
        r = tl.arange(0, N)
        v = tl.load(x + r)
        tl.store(o16 + r, v.to(tl.float16))
        tl.store(obf + r, v.to(tl.bfloat16))
        tl.store(o8 + r, v.to(tl.float8e5).to(tl.int8, bitcast=True))

    # values just above a tie in f16 that round to the tie in f32
    x = torch.tensor(
        [
            1 + 2**-11 + 2**-40,
            1 + 2**-11,
            1 + 2**-11 - 2**-40,
            1 + 2**-8 + 2**-45,
            1 + 2**-8 - 2**-45,
            1 + 3 * 2**-9,
            2**-25 + 2**-60,
            65519.99999999,
        ],
        dtype=torch.float64,
    )
    o16 = torch.zeros(8, dtype=torch.float16)
    ob = torch.zeros(8, dtype=torch.bfloat16)
    o8 = torch.zeros(8, dtype=torch.int8)
    k[(1,)](x, o16, ob, o8, 8)
    e = torch.from_numpy(x.numpy().astype(np.float16))
    assert torch.equal(o16, e), (o16, e)

    def bf(v):
        m, ex = np.frexp(v)
        ulp = 2.0 ** (ex - 8)
        q = Fraction(v) / Fraction(ulp)
        f = q.__floor__()
        rem = q - f
        r = f + (1 if rem > Fraction(1, 2) or (rem == Fraction(1, 2) and f % 2) else 0)
        return float(r * Fraction(ulp))

    eb = torch.tensor([bf(float(v)) for v in x], dtype=torch.float64).to(torch.bfloat16)
    assert torch.equal(ob, eb), (ob, eb)


def test_namedtuple_closure():
    class Fn(NamedTuple):
        fn: tl.constexpr
        captured: tuple

    @triton.jit
    def scale(x, a, b):
        return x * a + b

    @triton.jit
    def k(out, closure):
        x = tl.arange(0, 4)
        tl.store(out + x, closure.fn(x, *closure.captured))

    out = torch.zeros(4, dtype=torch.int32)
    k[(1,)](out, Fn(scale, (2, 7)))
    assert out.tolist() == [7, 9, 11, 13], out


def test_list_mul_shapes():
    @triton.jit
    def k(out, R: tl.constexpr):
        x = tl.arange(0, 1024).reshape([2] * (R - 2) + [16, 16])
        tl.static_assert(len(x.shape) == R)
        y = x.reshape([1024])
        tl.store(out + tl.arange(0, 1024), y)

    out = torch.zeros(1024, dtype=torch.int32)
    k[(1,)](out, 4)
    assert out.tolist() == list(range(1024))


def test_hasattr_chain():
    @triton.jit
    def k(out, x):
        if (
            x is not None
            and hasattr(x, "dtype")
            and isinstance(x.dtype, tl.pointer_type)
            and x.dtype.element_ty == tl.int32
            and tl.load(x) > 42
        ):
            tl.store(out, 1)
        else:
            tl.store(out, 2)

    out = torch.zeros(1, dtype=torch.int32)
    for a, e in [
        (None, 2),
        (1, 2),
        (2, 2),
        (torch.full((1,), 50, dtype=torch.int32), 1),
        (torch.full((1,), 5, dtype=torch.int32), 2),
        (torch.zeros(1), 2),
    ]:
        k[(1,)](out, a)
        assert out.item() == e, (a, out)


def test_tuple_logic():
    @triton.jit
    def k(out):
        a = (3, 4) or (5, 6)
        b = (3, 4) and ()
        tl.static_assert(len(b) == 0)
        c = () and tl.program_id(0)
        tl.static_assert(len(c) == 0)
        tl.store(out, a[0] + a[1])

    out = torch.zeros(1, dtype=torch.int32)
    k[(1,)](out)
    assert out.item() == 7


def test_recursive_halving():
    @triton.jit
    def f(x):
        if x.shape[0] == 1:
            return x.reshape(())
        else:
            y = x.reshape([x.shape[0] // 2, 2])
            a, b = y.split()
            return f(a + b)

    @triton.jit
    def k(out):
        tl.store(out, f(tl.arange(0, 64)))

    out = torch.zeros(1, dtype=torch.int32)
    k[(1,)](out)
    assert out.item() == sum(range(64))


def test_user_builtin():
    @core.builtin
    def make_shape(n, _semantic=None):
        return [n, core.constexpr(2)]

    @triton.jit
    def k(out, N: tl.constexpr):
        s: tl.constexpr = make_shape(N)
        x = tl.full(s, 3, tl.int32)
        tl.store(out, tl.sum(x))

    out = torch.zeros(1, dtype=torch.int32)
    k[(1,)](out, 8)
    assert out.item() == 48


def test_fns_list():
    @triton.jit
    def a(x):
        return x + 1

    @triton.jit
    def b(x):
        return x * 2

    @triton.jit
    def k(out, fns: tl.constexpr):
        x = tl.arange(0, 4)
        for i in tl.static_range(len(fns)):
            x = fns[i](x)
        tl.store(out + tl.arange(0, 4), x)

    out = torch.zeros(4, dtype=torch.int32)
    k[(1,)](out, (a, b, a))
    assert out.tolist() == [3, 5, 7, 9]


def test_while_atomic_lock():
    @triton.jit
    def k(lock, out):
        while tl.atomic_cas(lock, 0, 1) == 1:
            pass
        tl.store(out, tl.load(out) + 1)
        tl.atomic_xchg(lock, 0)

    out = torch.zeros(1, dtype=torch.int32)
    k[(64,)](torch.zeros(1, dtype=torch.int32), out)
    assert out.item() == 64


def test_loop_carried_desc():
    @triton.jit
    def k(a, b, out, n):
        d = tl.make_tensor_descriptor(a, [16, 16], [16, 1], [8, 8])
        s = tl.zeros((8, 8), tl.float32)
        for i in range(n):
            if i == 2:
                d = tl.make_tensor_descriptor(b, [16, 16], [16, 1], [8, 8])
            s += d.load([0, 0])
        tl.store(out + tl.arange(0, 8)[:, None] * 8 + tl.arange(0, 8)[None, :], s)

    a = torch.ones(16, 16)
    b = torch.full((16, 16), 10.0)
    out = torch.zeros(8, 8)
    k[(1,)](a, b, out, 4)
    assert (out == 22).all(), out


def test_dot_rank5():
    @triton.jit
    def k(a, b, o):
        i = tl.arange(0, 4 * 16 * 16).reshape([2, 2, 16, 16])
        x = tl.load(a + i)
        y = tl.load(b + i)
        tl.store(o + i, tl.dot(x, y, input_precision="ieee"))

    a = torch.randn(2, 2, 16, 16)
    b = torch.randn(2, 2, 16, 16)
    o = torch.zeros(2, 2, 16, 16)
    k[(1,)](a, b, o)
    torch.testing.assert_close(o, a @ b, rtol=1e-3, atol=1e-3)


def test_const_ptr_default_annot():
    @triton.jit
    def k(out, N: int = 1, f: float = 2.5, flag: bool = True):
        if flag:
            tl.store(out, N + f)

    out = torch.zeros(1)
    k[(1,)](out)
    assert out.item() == 3.5


def test_one_elem_if():
    @triton.jit
    def k(x, out):
        v = tl.load(x + tl.arange(0, 1))
        if v > 3:
            tl.store(out, 1)
        if (v > 3).item():
            tl.store(out + 1, 1)

    out = torch.zeros(2, dtype=torch.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        k[(1,)](torch.tensor([5.0]), out)
    assert out.tolist() == [1, 1]


def test_int64_range():
    @triton.jit
    def k(out, lo, hi):
        c = 0
        for i in range(lo, hi, 2**31):
            c += 1
        for j in range(5, -1, -2):
            c += 10
        tl.store(out, c)

    out = torch.zeros(1, dtype=torch.int64)
    k[(1,)](out, 2**33, 2**33 + 2**33)
    assert out.item() == 4 + 30


def test_getattr_tl():
    @triton.jit
    def k(x, out, NAME: tl.constexpr):
        tl.store(out + tl.arange(0, 4), getattr(tl, NAME)(tl.load(x + tl.arange(0, 4))))

    x = torch.rand(4)
    o = torch.zeros(4)
    k[(1,)](x, o, "exp")
    torch.testing.assert_close(o, x.exp())


def test_map_elementwise_pack():
    @triton.jit
    def f(a0, a1, b0, b1):
        if a0 > b0:
            return a0 + a1, b0, b1, a0
        return b0 + b1, a0, a1, b0

    @triton.jit
    def k(out):
        r = tl.arange(0, 8)
        x, y = tl.map_elementwise(f, r, 7 - r, pack=2)
        tl.store(out + r, x)
        tl.store(out + 8 + r, y)

    out = torch.zeros(16, dtype=torch.int32)
    k[(1,)](out)


def test_map_elementwise_gives_tuples_for_tuples():
    @triton.jit
    def f(a0, a1):
        return a1, a0

    @triton.jit
    def k(out):
        r = tl.arange(0, 8)
        (x,) = tl.map_elementwise(f, r, pack=2)
        tl.store(out + r, x)

    out = torch.zeros(8, dtype=torch.int32)
    k[(1,)](out)
    assert sorted(out.tolist()) == list(range(8)) and out.tolist() != list(range(8))


def test_booleans_of_floats():
    @triton.jit
    def k(out):
        i = tl.arange(0, 4)
        tl.store(out + i, tl.full([4], 1.5, tl.int1))
        tl.store(out + 4 + i, tl.full([4], float("nan"), tl.int1))
        tl.store(out + 8 + i, tl.full([4], 0.0, tl.int1))

    out = torch.full((12,), -1, dtype=torch.int32)
    k[(1,)](out)
    assert out.tolist() == [1] * 8 + [0] * 4


def test_interp_data():
    if os.environ.get("TRITON_INTERPRET") == "1":
        seen = []

        @triton.jit
        def k(out):
            x = tl.arange(0, 4)
            seen.append(x.handle.data)
            tl.store(out + x, x)

        out = torch.zeros(4, dtype=torch.int32)
        k[(1,)](out)
        assert seen[0].tolist() == [0, 1, 2, 3]


def test_static_range_negative():
    @triton.jit
    def k(out):
        s = 0
        for i in tl.static_range(5, 0, -2):
            s += i
        tl.store(out, s)

    out = torch.zeros(1, dtype=torch.int32)
    k[(1,)](out)
    assert out.item() == 9


def test_early_return():
    @triton.jit
    def k(flag, out):
        if tl.load(flag):
            if tl.load(flag + 1) > 3:
                tl.store(out, 1)
                return
            else:
                tl.store(out, 2)
        tl.store(out + 1, 5)

    for f, e in [([0, 0], [0, 5]), ([1, 0], [2, 5]), ([1, 9], [1, 0])]:
        out = torch.zeros(2, dtype=torch.int32)
        k[(1,)](torch.tensor(f, dtype=torch.int32), out)
        assert out.tolist() == e, (f, out)


def test_aggregates_in_aggregates(before_immutable_aggregates):
    @triton.jit
    def k(out, n):
        both = Both(Counter(tl.full((4,), 0, tl.int32), 2), tl.full((4,), 5, tl.int32))
        i = 0
        while i < n:
            both.counter.bump(i)
            i += 1
        tl.store(out + tl.arange(0, 4), both.counter.total() + both.rest)

    out = torch.zeros(4, dtype=torch.int32)
    k[(1,)](out, 4)
    assert out.tolist() == [17] * 4


@core._aggregate
class Both:
    counter: Counter
    rest: tl.tensor

    def __init__(self, counter, rest):
        self.counter = counter
        self.rest = rest


def test_propagate_nan_as_an_argument():
    @triton.jit
    def k(x, out, MODE: tl.constexpr):
        i = tl.arange(0, 4)
        tl.store(out + i, tl.maximum(tl.load(x + i), 1.0, propagate_nan=MODE))

    x = torch.tensor([float("nan"), 0.0, 2.0, 3.0])
    out = torch.zeros(4)
    k[(1,)](x, out, tl.PropagateNan.ALL)
    assert out[0].isnan() and out[1:].tolist() == [1.0, 2.0, 3.0]
    k[(1,)](x, out, tl.PropagateNan.NONE)
    assert out.tolist() == [1.0, 1.0, 2.0, 3.0]


def test_double_to_float_toward_zero():
    @triton.jit
    def k(x, out, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.store(out + i, tl.load(x + i).to(tl.float32, fp_downcast_rounding="rtz"))

    x = torch.tensor([1 + 2**-24 + 2**-30, -1 - 2**-24 - 2**-30, 1e300, 0.1], dtype=torch.float64)
    out = torch.zeros(4)
    k[(1,)](x, out, 4)
    largest = float(np.finfo(np.float32).max)
    assert out.tolist() == [1.0, -1.0, largest, float(np.nextafter(np.float32(0.1), np.float32(0)))]
