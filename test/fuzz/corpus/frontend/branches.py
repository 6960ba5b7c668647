import triton
import triton.language as tl


@triton.jit
def kernel(p, q, n, m, B: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * B + tl.arange(0, B)
    mask = offsets < n
    x = tl.load(p + offsets, mask=mask, other=0.0)
    y = tl.load(q + offsets, mask=mask)
    if n > 3:
        x = x + y
    elif m:
        return
    tl.store(p + offsets, x * 2 - y, mask=mask)
