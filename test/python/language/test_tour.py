"""Small kernels over the whole language, in the manner of the suites that Triton code is tested with; compiled, and interpreted by test_interpreter.py."""

# ruff: noqa: E741, F821  (annotations that are text)
import contextlib
import io
import os

import pytest
import torch
import triton
import triton.language as tl
from triton._internal_testing import is_cpu
from triton.language.extra import libdevice
from triton.tools.tensor_descriptor import TensorDescriptor

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
pytestmark = pytest.mark.filterwarnings("ignore")


def test_zero_args():
    @triton.jit
    def k():
        pass

    k[(1,)]()


def test_kernel_unused():
    @triton.jit
    def k(a, b, c: tl.constexpr = 3):
        pass

    k[(2, 3, 4)](torch.zeros(1), 5)


def test_mask_constexpr():
    @triton.jit
    def k(x, o, M: tl.constexpr):
        tl.store(o + tl.arange(0, 4), tl.load(x + tl.arange(0, 4), mask=M, other=7))
        tl.store(o + 4 + tl.arange(0, 4), tl.load(x + tl.arange(0, 4), None), None)

    x = torch.arange(4.0)
    o = torch.zeros(8)
    k[(1,)](x, o, False)
    assert o.tolist() == [7] * 4 + [0, 1, 2, 3], o


def test_store_bool_any():
    @triton.jit
    def k(o, p):
        v = tl.arange(0, 4) > 1
        tl.store(o + tl.arange(0, 4), v)
        tl.store(p + tl.arange(0, 4), v)

    for dt in (torch.bool, torch.int8, torch.float32, torch.float16, torch.int64):
        o = torch.zeros(4, dtype=dt)
        p = torch.zeros(4, dtype=torch.bool)
        k[(1,)](o, p)
        assert o.float().tolist() == [0, 0, 1, 1]


def test_range_options():
    @triton.jit
    def k(o, n):
        s = 0
        for i in tl.range(0, n, num_stages=3, loop_unroll_factor=2, flatten=False, disallow_acc_multi_buffer=True):
            s += i
        tl.store(o, s)

    o = torch.zeros(1, dtype=torch.int32)
    k[(1,)](o, 11)
    assert o.item() == 55


def test_desc_gather_scatter():
    @triton.jit
    def k(x, o):
        d = tl.make_tensor_descriptor(x, [16, 32], [32, 1], [1, 32])
        e = tl.make_tensor_descriptor(o, [16, 32], [32, 1], [1, 32])
        r = tl.arange(0, 8) * 2
        v = d.gather(r, 0)
        e.scatter(v, 15 - r, 0)

    x = torch.randn(16, 32)
    o = torch.zeros(16, 32)
    k[(1,)](x, o)
    ref = torch.zeros(16, 32)
    for i in range(8):
        ref[15 - 2 * i] = x[2 * i]
    assert torch.equal(o, ref)


def test_host_desc():
    @triton.jit
    def k(d, o, M: tl.constexpr, N: tl.constexpr):
        tl.static_assert(d.block_shape == [M, N])
        v = d.load([8, 16])
        tl.store(o + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], v)

    x = torch.randn(16, 32)
    o = torch.zeros(16, 32)
    k[(1,)](TensorDescriptor.from_tensor(x, [16, 32]), o, 16, 32)
    ref = torch.zeros(16, 32)
    ref[:8, :16] = x[8:, 16:]
    assert torch.equal(o, ref)


def test_desc_atomic():
    @triton.jit
    def k(x):
        d = tl.make_tensor_descriptor(x, [8, 8], [8, 1], [8, 8])
        d.atomic_add([0, 0], tl.full((8, 8), 2.0, tl.float32))

    x = torch.ones(8, 8)
    k[(3,)](x)
    assert (x == 7).all()


@pytest.mark.cpu_only  # text of another processor
def test_inline_asm(device):
    if device != "cpu":
        pytest.skip("the text is x86")
    if INTERPRETED:
        return

    @triton.jit
    def k(x, o):
        v = tl.load(x + tl.arange(0, 8))
        tl.store(o + tl.arange(0, 8), tl.inline_asm_elementwise("leal 3($1), $0", "=r,r", [v], tl.int32, True, 1))

    x = torch.arange(8, dtype=torch.int32)
    o = torch.zeros_like(x)
    k[(1,)](x, o)
    assert o.tolist() == [i + 3 for i in range(8)]


def test_static_print_out():
    @triton.jit
    def k(x, N: tl.constexpr):
        y = tl.arange(0, N)
        tl.static_print("shape", y.shape, y.dtype, N, sep="|")

    f = io.StringIO()
    with contextlib.redirect_stdout(f):
        k[(1,)](torch.zeros(1), 8)
    assert "shape" in f.getvalue() and "int32" in f.getvalue(), f.getvalue()


def test_rand64():
    @triton.jit
    def k(o, seed, N: tl.constexpr):
        off = tl.arange(0, N).to(tl.int64) + 2**33
        tl.store(o + tl.arange(0, N), tl.rand(seed, off))

    o = torch.zeros(1024)
    k[(1,)](o, 42, 1024)
    assert 0.45 < o.mean() < 0.55 and o.min() >= 0 and o.max() < 1


def test_dot_precisions():
    @triton.jit
    def k(a, b, o, P: tl.constexpr):
        i = tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :]
        tl.store(o + i, tl.dot(tl.load(a + i), tl.load(b + i), input_precision=P))

    a = torch.randn(32, 32)
    b = torch.randn(32, 32)
    for p in ("ieee", "tf32", "tf32x3", "bf16x3", "bf16x6", "IEEE"):
        o = torch.zeros(32, 32)
        k[(1,)](a, b, o, p)
        torch.testing.assert_close(o, a @ b, rtol=2e-2, atol=5e-2)


def test_fp8_all_pairs():
    names = ["float8e5", "float8e4nv", "float8e4b8", "float8e5b16", "float8e4b15"]

    @triton.jit
    def k(x, o, A: tl.constexpr):
        i = tl.arange(0, 256)
        tl.store(o + i, tl.load(x + i).to(A, bitcast=True).to(tl.float32))

    x = torch.arange(256, dtype=torch.int16).to(torch.uint8).view(torch.int8)
    types = ["float8_e5m2", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2fnuz"]
    for n, t in zip(names[: 4 if is_cpu() else 2], types):  # NVIDIA has the first two
        o = torch.zeros(256)
        k[(1,)](x, o, getattr(tl, n))
        e = x.view(getattr(torch, t)).float()
        assert torch.equal(torch.nan_to_num(o, 123.0), torch.nan_to_num(e, 123.0)), n


def test_cat_order_free():
    @triton.jit
    def k(o):
        c = tl.cat(tl.arange(0, 4), tl.arange(4, 8), can_reorder=True)
        tl.store(o + tl.arange(0, 8), tl.sort(c))

    o = torch.zeros(8, dtype=torch.int32)
    k[(1,)](o)
    assert o.tolist() == list(range(8))


def test_histogram_mask():
    @triton.jit
    def k(x, o):
        i = tl.arange(0, 64)
        tl.store(o + tl.arange(0, 8), tl.histogram(tl.load(x + i), 8, mask=i < 40))

    x = torch.randint(0, 8, (64,), dtype=torch.int32)
    o = torch.zeros(8, dtype=torch.int32)
    k[(1,)](x, o)
    assert torch.equal(o, torch.bincount(x[:40], minlength=8).int())


def test_welford():
    @triton.jit
    def comb(m1, v1, w1, m2, v2, w2):
        d = m2 - m1
        w = w1 + w2
        r = tl.where(w == 0.0, 0.0, w2 / w)
        return m1 + d * r, v1 + v2 + d * d * w1 * r, w

    @triton.jit
    def k(x, m, v, N: tl.constexpr):
        a = tl.load(x + tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :])
        mm, vv, ww = tl.reduce((a, a * 0, a * 0 + 1), 1, comb)
        tl.store(m + tl.arange(0, N), mm)
        tl.store(v + tl.arange(0, N), vv / ww)

    x = torch.randn(64, 64)
    m = torch.zeros(64)
    v = torch.zeros(64)
    k[(1,)](x, m, v, 64)
    torch.testing.assert_close(m, x.mean(1), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(v, x.var(1, unbiased=False), rtol=1e-4, atol=1e-5)


def test_scan_noncomm():
    @triton.jit
    def f(a1, b1, a2, b2):
        return a1 * a2, b1 * a2 + b2

    @triton.jit
    def k(a, b, o, R: tl.constexpr):
        i = tl.arange(0, 128)
        x, y = tl.associative_scan((tl.load(a + i), tl.load(b + i)), 0, f, reverse=R)
        tl.store(o + i, y)

    a = torch.rand(128)
    b = torch.randn(128)
    for R in (False, True):
        o = torch.zeros(128)
        k[(1,)](a, b, o, R)
        ref = torch.zeros(128)
        acc = 0.0
        idx = range(127, -1, -1) if R else range(128)
        for i in idx:
            acc = acc * a[i].item() + b[i].item()
            ref[i] = acc
        torch.testing.assert_close(o, ref, rtol=1e-4, atol=1e-4)


def test_atomics_matrix():
    @triton.jit
    def k(p, v, OP: tl.constexpr, SEM: tl.constexpr, SC: tl.constexpr):
        i = tl.arange(0, 8)
        getattr(tl, OP)(p + i, tl.load(v + i), sem=SEM, scope=SC)

    for dt in (torch.int32, torch.int64, torch.float32, torch.float64):
        for op in ("atomic_add", "atomic_max", "atomic_min", "atomic_xchg") + (
            ("atomic_and", "atomic_or", "atomic_xor") if not dt.is_floating_point else ()
        ):
            p = torch.randint(-50, 50, (8,)).to(dt)
            v = torch.randint(-50, 50, (8,)).to(dt)
            e = {
                "atomic_add": p + v,
                "atomic_max": torch.maximum(p, v),
                "atomic_min": torch.minimum(p, v),
                "atomic_xchg": v,
            }
            if not dt.is_floating_point:
                e |= {"atomic_and": p & v, "atomic_or": p | v, "atomic_xor": p ^ v}
            e = e[op].clone()
            for s, c in (("relaxed", "cta"), ("acq_rel", "gpu"), (None, None), ("release", "sys")):
                q = p.clone()
                k[(1,)](q, v, op, s, c)
                assert torch.equal(q, e), (op, dt)


def test_min_max_builtin():
    @triton.jit
    def k(o, n, m, N: tl.constexpr, M: tl.constexpr):
        C: tl.constexpr = max(N, M, 3)
        tl.store(o, min(n, m))
        tl.store(o + 1, max(n, m, 5))
        tl.store(o + 2, C)

    o = torch.zeros(3, dtype=torch.int32)
    k[(1,)](o, 7, 2, 8, 16)
    assert o.tolist() == [2, 7, 16]


def test_ternary_store():
    @triton.jit
    def k(o, n):
        tl.store(o, 1) if n > 3 else tl.store(o + 1, 2)

    o = torch.zeros(2, dtype=torch.int32)
    k[(1,)](o, 2)
    assert o.tolist() == [0, 2]


def test_nested_tuple_args():
    @triton.jit
    def k(args, o):
        (p, n), (q, none, c) = args
        tl.store(o, tl.load(p) + n + tl.load(q) + c)

    o = torch.zeros(1)
    k[(1,)](((torch.ones(1), 5), (torch.full((1,), 2.0), None, 1)), o)
    assert o.item() == 9


def test_overflow_debug(device):
    if device != "cpu":
        pytest.skip("a failed assertion ends a GPU's context: test_cuda.py has it in a process of its own")
    if INTERPRETED:
        return

    @triton.jit
    def k(o, a, b):
        tl.store(o, a + b)

    o = torch.zeros(1, dtype=torch.int32)
    k[(1,)](o, 2**31 - 1, 5)
    with pytest.raises(RuntimeError):
        k[(1,)](o, 2**31 - 1, 5, debug=True)


def test_ptr_to_ptr(device):
    if device != "cpu":
        pytest.skip("addresses of the host; test_cuda.py has those of a GPU")

    @triton.jit
    def k(pp, o):
        p = tl.load(pp).to(tl.pointer_type(tl.float32))
        tl.store(o, tl.load(p + 1))

    a = torch.tensor([1.0, 2.0])
    pp = torch.tensor([a.data_ptr()])
    o = torch.zeros(1)
    k[(1,)](pp, o)
    assert o.item() == 2


def test_dtype_args():
    @triton.jit
    def k(o, D: tl.constexpr):
        if D == tl.float16 or D == tl.bfloat16:
            tl.store(o, 1)
        else:
            tl.store(o, 2)

    o = torch.zeros(1, dtype=torch.int32)
    k[(1,)](o, tl.bfloat16)
    assert o.item() == 1
    k[(1,)](o, tl.int8)
    assert o.item() == 2


def test_dot_scaled_cpu():
    @triton.jit
    def k(a, sa, b, sb, o, K: tl.constexpr):
        m = tl.arange(0, 32)
        n = tl.arange(0, 32)
        kk = tl.arange(0, K)
        x = tl.load(a + m[:, None] * K + kk[None, :])
        y = tl.load(b + kk[:, None] * 32 + n[None, :])
        s = tl.load(sa + m[:, None] * (K // 32) + tl.arange(0, K // 32)[None, :])
        t = tl.load(sb + n[:, None] * (K // 32) + tl.arange(0, K // 32)[None, :])
        tl.store(o + m[:, None] * 32 + n[None, :], tl.dot_scaled(x, s, "e4m3", y, t, "e5m2"))

    K = 64
    a = (torch.randn(32, K)).to(torch.float8_e4m3fn)
    b = torch.randn(K, 32).to(torch.float8_e5m2)
    sa = torch.randint(125, 130, (32, 2), dtype=torch.uint8)
    sb = torch.randint(125, 130, (32, 2), dtype=torch.uint8)
    o = torch.zeros(32, 32)
    k[(1,)](a.view(torch.uint8), sa, b.view(torch.uint8), sb, o, K)
    A = a.float() * (2.0 ** (sa.float() - 127)).repeat_interleave(32, 1)
    B = b.float() * (2.0 ** (sb.float() - 127)).repeat_interleave(32, 1).T
    torch.testing.assert_close(o, A @ B, rtol=2e-2, atol=2e-1)


def test_warn_shift():
    @triton.jit
    def k(o, x):
        tl.store(o, x.to(tl.int8) << 2)

    o = torch.zeros(1, dtype=torch.int32)
    k[(1,)](o, 3)
    assert o.item() == 12


def test_assume_hint():
    @triton.jit
    def k(o, n):
        tl.assume(n > 0)
        i = tl.multiple_of(tl.arange(0, 16), 16)
        i = tl.max_contiguous(i, [16])
        tl.store(o + i, i % n)

    o = torch.zeros(16, dtype=torch.int32)
    k[(1,)](o, 5)
    assert o.tolist() == [i % 5 for i in range(16)]


def test_heuristics_autotune():
    @triton.heuristics({"B": lambda a: triton.next_power_of_2(a["n"])})
    @triton.jit
    def k(o, n, B: tl.constexpr):
        i = tl.arange(0, B)
        tl.store(o + i, i, mask=i < n)

    o = torch.zeros(10, dtype=torch.int32)
    k[(1,)](o, 10)
    assert o.tolist() == list(range(10))


def test_closure_capture():
    def make(c, dt, f):
        @triton.jit
        def k(o):
            tl.store(o, f(tl.full((), c, dt)))

        return k

    @triton.jit
    def twice(x):
        return x * 2

    C = tl.constexpr(21)
    o = torch.zeros(1, dtype=torch.int32)
    make(C, tl.int32, twice)[(1,)](o)
    assert o.item() == 42


def test_topk_types():
    @triton.jit
    def k(x, o, K: tl.constexpr):
        v = tl.load(x + tl.arange(0, 64))
        tl.store(o + tl.arange(0, K), tl.topk(v, K))

    for dt in (torch.float32, torch.float16, torch.bfloat16, torch.int32, torch.int8):
        x = (torch.randn(64) * 30).to(dt)
        o = torch.zeros(8, dtype=dt)
        k[(1,)](x, o, 8)
        assert torch.equal(o, x.sort(descending=True).values[:8]), dt


def test_method_forms():
    @triton.jit
    def k(x, o):
        i = tl.arange(0, 16)
        v = tl.load(x + i)
        a = v.sum(axis=0) + v.max(axis=0) + v.min(0) + v.abs().sum() + v.exp().log().sum() + v.sigmoid().sum()
        b = v.reshape(4, 4).trans(1, 0).permute((1, 0)).sum(0).cumsum(0).flip(0)
        tl.store(o, a)
        tl.store(o + 1 + tl.arange(0, 4), b)
        tl.store(o + 5, v.argmax(0))
        (o + 6).store(3.0) if False else tl.store(o + 6, v.to(tl.int32).xor_sum(0))

    x = torch.randn(16)
    o = torch.zeros(8)
    k[(1,)](x, o)
    e = x.sum() + x.max() + x.min() + x.abs().sum() + x.sum() + x.sigmoid().sum()
    torch.testing.assert_close(o[0], e, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(o[1:5], x.reshape(4, 4).sum(0).cumsum(0).flip(0), rtol=1e-4, atol=1e-4)
    assert o[5] == x.argmax()


def test_ptr_methods():
    @triton.jit
    def k(p):
        (p + tl.arange(0, 4)).store(tl.arange(0, 4) * 2)
        p.atomic_add(5)
        (p + 1).atomic_max(9)

    p = torch.zeros(4, dtype=torch.int32)
    k[(1,)](p)
    assert p.tolist() == [5, 9, 4, 6], p


def test_block_ptr_advance():
    @triton.jit
    def k(x, o, M, N):
        p = tl.make_block_ptr(x, (M, N), (N, 1), (0, 0), (8, 8), (1, 0))
        acc = tl.zeros((8, 8), tl.float32)
        for i in range(0, N, 8):
            acc += tl.load(p, boundary_check=(0, 1), padding_option="zero")
            p = tl.advance(p, (0, 8))
        q = tl.make_block_ptr(o, (8, 8), (8, 1), (0, 0), (8, 8), (1, 0))
        tl.store(q, acc, boundary_check=(0, 1))

    x = torch.randn(6, 20)
    o = torch.zeros(8, 8)
    k[(1,)](x, o, 6, 20)
    r = torch.zeros(8, 24)
    r[:6, :20] = x
    torch.testing.assert_close(o, r.reshape(8, 3, 8).sum(1))


def test_pad_nan():
    @triton.jit
    def k(x, o):
        p = tl.make_block_ptr(x, (6,), (1,), (0,), (8,), (0,))
        tl.store(o + tl.arange(0, 8), tl.load(p, boundary_check=(0,), padding_option="nan"))

    o = torch.zeros(8)
    k[(1,)](torch.ones(6), o)
    assert o[6:].isnan().all() and (o[:6] == 1).all()


def test_joins():
    @triton.jit
    def k(o):
        a = tl.arange(0, 4)
        b = a + 10
        j = tl.join(a, b)
        x, y = tl.split(j)
        tl.store(o + tl.arange(0, 8), tl.interleave(x, y))
        tl.store(o + 8 + tl.arange(0, 8), tl.ravel(tl.join(x, y)))
        s, t = tl.split(tl.join(tl.full((), 1, tl.int32), tl.full((), 2, tl.int32)))
        tl.store(o + 16, s + t * 10)

    o = torch.zeros(17, dtype=torch.int32)
    k[(1,)](o)
    assert o.tolist() == [0, 10, 1, 11, 2, 12, 3, 13] * 2 + [21]


def test_swizzle():
    @triton.jit
    def k(o):
        for i in range(4):
            for j in range(4):
                ni, nj = tl.swizzle2d(i, j, 4, 4, 2)
                tl.store(o + ni * 4 + nj, i * 4 + j)

    o = torch.zeros(16, dtype=torch.int32)
    k[(1,)](o)
    assert o.tolist() == [0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15]


def test_uint_ops():
    @triton.jit
    def k(x, o):
        v = tl.load(x + tl.arange(0, 4))
        tl.store(o + tl.arange(0, 4), v // 3)
        tl.store(o + 4 + tl.arange(0, 4), v % 7)
        tl.store(o + 8 + tl.arange(0, 4), v >> 1)
        tl.store(o + 12 + tl.arange(0, 4), -v)

    x = torch.tensor([0, 5, 2**31, 2**32 - 1], dtype=torch.uint32)
    o = torch.zeros(16, dtype=torch.uint32)
    k[(1,)](x, o)
    xs = [0, 5, 2**31, 2**32 - 1]
    assert o.tolist() == [a // 3 for a in xs] + [a % 7 for a in xs] + [a >> 1 for a in xs] + [
        (-a) % 2**32 for a in xs
    ], o.tolist()


def test_neg_div():
    @triton.jit
    def k(o, a, b, N: tl.constexpr):
        tl.store(o, a // b)
        tl.store(o + 1, a % b)
        tl.store(o + 2, N // 3)
        tl.store(o + 3, N % 3)

    o = torch.zeros(4, dtype=torch.int32)
    k[(1,)](o, -7, 3, -7)
    assert o.tolist() == [-2, -1, -3, 2], o


def test_float_mod_pow():
    @triton.jit
    def k(o, a, N: tl.constexpr):
        tl.store(o, a % 2.5)
        tl.store(o + 1, N**3)
        tl.store(o + 2, libdevice.pow(a, 3.0))

    o = torch.zeros(3)
    k[(1,)](o, -7.0, 2)
    assert abs(o[0].item() + 2.0) < 1e-6 and o[1] == 8 and abs(o[2] + 343) < 1e-3, o


def test_literal_types():
    @triton.jit
    def k(o):
        x = 2**31
        tl.static_assert(x.dtype == tl.uint32)
        y = 2**40
        tl.static_assert(y.dtype == tl.int64)
        z = 1e-40
        tl.static_assert(z.dtype == tl.float64)
        t = True
        tl.static_assert(t.dtype == tl.int1)
        f = 1.5
        tl.static_assert(f.dtype == tl.float32)
        tl.static_assert((tl.arange(0, 4) * 0.5).dtype == tl.float32)
        tl.store(o, 1)

    o = torch.zeros(1)
    k[(1,)](o)
    assert o.item() == 1


def test_weak_strong():
    @triton.jit
    def k(x, o, n, f):
        v = tl.load(x)
        tl.static_assert((v + 1).dtype == tl.int8)
        tl.static_assert((v + n).dtype == tl.int32)
        two = 2
        tl.static_assert((v * two).dtype == tl.int32)
        h = v.to(tl.float16)
        tl.static_assert((h * 2).dtype == tl.float16)
        tl.static_assert((h * f).dtype == tl.float32)
        tl.static_assert((h / 2).dtype == tl.float32)
        tl.static_assert((h + h.to(tl.bfloat16)).dtype == tl.float16)
        tl.static_assert(tl.minimum(h, 1.0).dtype == tl.float16)
        tl.static_assert(tl.where(v > 0, h, 0.0).dtype == tl.float16)
        tl.store(o, 1)

    o = torch.zeros(1)
    k[(1,)](torch.zeros(1, dtype=torch.int8), o, 5, 2.0)
    assert o.item() == 1


def test_int_one_arg():
    @triton.jit
    def k(x, o, n):
        v = tl.load(x)
        tl.static_assert((v + n).dtype == tl.int8)
        tl.store(o, v + n)

    o = torch.zeros(1, dtype=torch.int8)
    k[(1,)](torch.ones(1, dtype=torch.int8), o, 1)
    assert o.item() == 2


def test_annotated():
    @triton.jit
    def k(o, a: tl.int64, b: "fp64", c: tl.uint8):
        tl.static_assert(a.dtype == tl.int64)
        tl.static_assert(b.dtype == tl.float64)
        tl.static_assert(c.dtype == tl.uint8)
        tl.store(o, a + b + c)

    o = torch.zeros(1, dtype=torch.float64)
    k[(1,)](o, 1, 0.1, 3)
    assert abs(o.item() - 4.1) < 1e-15, o


def test_listcomp():
    @triton.jit
    def k(o, t):
        s = [v * 2 for v in t]
        tl.store(o, s[0] + s[1] + len(s))

    o = torch.zeros(1, dtype=torch.int32)
    k[(1,)](o, (3, 4))
    assert o.item() == 16


def test_fstr():
    @triton.jit
    def k(o, N: tl.constexpr):
        tl.static_assert(N > 2, f"N is {N!r}")
        tl.store(o, N)

    o = torch.zeros(1)
    k[(1,)](o, 3)


def test_noinline_fn():
    @triton.jit(noinline=True)
    def f(x, y):
        if x > 3:
            return x * y
        return y

    @triton.jit
    def k(o, n):
        tl.store(o, f(n, 5))

    o = torch.zeros(1, dtype=torch.int32)
    k[(1,)](o, 4)
    assert o.item() == 20


def test_sort_desc():
    @triton.jit
    def k(x, o):
        i = tl.arange(0, 4)[:, None] * 16 + tl.arange(0, 16)[None, :]
        tl.store(o + i, tl.sort(tl.load(x + i), descending=1))

    x = torch.randn(4, 16)
    o = torch.zeros(4, 16)
    k[(1,)](x, o)
    assert torch.equal(o, x.sort(1, descending=True).values)


def test_max_indices():
    @triton.jit
    def k(x, v, i):
        a = tl.load(x + tl.arange(0, 4)[:, None] * 16 + tl.arange(0, 16)[None, :])
        m, j = tl.max(a, 1, return_indices=True)
        tl.store(v + tl.arange(0, 4), m)
        tl.store(i + tl.arange(0, 4), j)

    x = torch.randint(0, 5, (4, 16)).float()
    v = torch.zeros(4)
    i = torch.zeros(4, dtype=torch.int32)
    k[(1,)](x, v, i)
    assert torch.equal(v, x.max(1).values) and i.tolist() == [int((r == r.max()).nonzero()[0]) for r in x]


def test_clamp_nan():
    @triton.jit
    def k(x, o):
        tl.store(
            o + tl.arange(0, 4), tl.clamp(tl.load(x + tl.arange(0, 4)), -1.0, 1.0, propagate_nan=tl.PropagateNan.ALL)
        )

    o = torch.zeros(4)
    k[(1,)](torch.tensor([float("nan"), -5.0, 0.5, 7.0]), o)
    assert o[0].isnan() and o[1:].tolist() == [-1, 0.5, 1]


def test_umulhi():
    @triton.jit
    def k(x, y, o):
        tl.store(o, tl.umulhi(tl.load(x), tl.load(y)))

    a, b = 0xDEADBEEFCAFEBABE, 0x123456789ABCDEF1
    x = torch.tensor([a], dtype=torch.uint64)
    y = torch.tensor([b], dtype=torch.uint64)
    o = torch.zeros(1, dtype=torch.uint64)
    k[(1,)](x, y, o)
    assert o.item() == (a * b) >> 64


def test_bigrank():
    @triton.jit
    def k(o):
        x = tl.arange(0, 4096).reshape([2] * 12)
        x = tl.permute(x, (11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0))
        tl.store(o + tl.arange(0, 4096), x.reshape([4096]))

    o = torch.zeros(4096, dtype=torch.int32)
    k[(1,)](o)
    r = torch.arange(4096).reshape([2] * 12).permute(*range(11, -1, -1)).reshape(-1)
    assert torch.equal(o.long(), r)


def test_device_fn_default_str():
    @triton.jit
    def f(x, mode: tl.constexpr = "add"):
        if mode == "add":
            return x + 1
        else:
            return x * 2

    @triton.jit
    def k(o, n):
        tl.store(o, f(n))
        tl.store(o + 1, f(n, "mul"))

    o = torch.zeros(2, dtype=torch.int32)
    k[(1,)](o, 7)
    assert o.tolist() == [8, 14]


def test_volatile_cache():
    @triton.jit
    def k(x, o):
        v = (
            tl.load(x, volatile=True)
            + tl.load(x, cache_modifier=".cg")
            + tl.load(x, eviction_policy="evict_last", cache_modifier=".ca")
        )
        tl.store(o, v, cache_modifier=".cs", eviction_policy="evict_first")

    o = torch.zeros(1)
    k[(1,)](torch.ones(1), o)
    assert o.item() == 3
