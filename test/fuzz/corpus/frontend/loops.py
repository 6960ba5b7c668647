import triton
import triton.language as tl


@triton.jit
def combine(a, b):
    return a + b


@triton.jit
def row(x, axis: tl.constexpr = 0):
    if axis == 0:
        return tl.reduce(x, 0, combine)
    else:
        return tl.max(x, axis)


@triton.jit
def kernel(p, q, n, m, B: tl.constexpr):
    acc = tl.zeros((B, 4), dtype=tl.float32)
    total = 0
    i = 0
    while i < n:
        t = (i, total)
        for k in tl.range(0, m, 2, num_stages=2):
            total += k
            acc += tl.load(p + k)
        i, total = t[0] + 1, total
    for j in tl.static_range(2):
        acc = acc + j if n > 1 else acc
        if total == j:
            return
    r = row(acc, axis=1)
    tl.store(q + tl.arange(0, B)[:, None] + tl.arange(0, 4)[None, :], tl.trans(tl.trans(acc)))
    tl.store(p, row(r))
