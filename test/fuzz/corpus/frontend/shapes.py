import triton
import triton.language as tl


@triton.jit
def shapes_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr, FLAG: tl.constexpr):
    tl.static_assert(BLOCK >= 16, "block too small")
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    y = tl.reshape(x, (BLOCK // 4, 4))
    z = tl.trans(y).to(tl.int32) % 7
    w = tl.join(z, z * 2)
    a, b = tl.split(w)
    p = tl.permute(tl.expand_dims(a, 0), (2, 1, 0))
    q = tl.broadcast_to(tl.full((1, 4), 3, tl.int32), (BLOCK // 4, 4))
    r = (y.to(tl.float16) * q + 1) / 2 if FLAG else y
    s = (b & 3) | (b ^ 5) << 1
    t = tl.sum(s, 0) + tl.sum(tl.sum(p, 0), 0)
    tl.store(y_ptr + i, tl.reshape(r, (BLOCK,)) + tl.sum(t) - n)


@triton.jit
def scalars_kernel(x_ptr, n, m, EPS: tl.constexpr):
    v = tl.load(x_ptr)
    k = n // m + n % m - (n >> 1) * -m
    v = tl.sqrt(v * v + EPS) / k if k > 0 else tl.exp(v) * 2
    old = tl.atomic_add(x_ptr + 1, v)
    tl.store(x_ptr, tl.maximum(old, tl.minimum(v, 1e30)) + tl.cdiv(n, 2))
