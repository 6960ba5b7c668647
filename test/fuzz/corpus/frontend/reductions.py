import triton
import triton.language as tl


@triton.jit
def combine(a, b):
    return a + b


@triton.jit
def softmax_kernel(out_ptr, in_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(in_ptr + row * stride + cols, mask=cols < n, other=-float("inf"))
    z = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * stride + cols, z / tl.sum(z, axis=0), mask=cols < n)


@triton.jit
def reduce_kernel(x_ptr, y_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i[:, None] * BLOCK + i[None, :])
    s = tl.reduce(x, 1, combine)
    m, at = tl.max(x, axis=0, return_indices=True)
    c = tl.cumsum(s, axis=0)
    tl.store(y_ptr + i, c + m.to(tl.float32) + at + tl.min(s) + tl.argmax(s, axis=0))
