import triton
import triton.language as tl


@triton.jit
def pick(x, flag, *, y=1):
    return x


@triton.jit
def choose(c, a, b):
    if c:
        return a
    return b


@triton.jit
def kernel(p, q, n, m, B: tl.constexpr):
    shape: tl.constexpr = [B, B]
    a = tl.full(shape, 1, tl.float16)
    b = tl.full((B, B), n, tl.float16)
    c = tl.dot(a, b, out_dtype=tl.float32)
    s = tl.sum(c, axis=0).to(tl.int32)
    d = choose(n > m, n, m) // 3 % 7
    e = [v * 2 for v in (n, m)]
    w = tl.where(s[None, :] > d, c, 0.0)
    tl.static_assert(B >= 1, f"block {B}")
    assert n > 0, "n"
    tl.store(p + tl.arange(0, B), tl.max(w, 1) and not d, None)
    u: tl.constexpr = min(B, 3) if B is not None and isinstance(B, int) else len(e)
    x = -d ^ ~n | (m << 2) & 0xFF
    tl.atomic_add(q, x + u + e[1] + getattr(tl, "abs")(d))
