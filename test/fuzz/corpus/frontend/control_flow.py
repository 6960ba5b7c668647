import triton
import triton.language as tl

LIMIT = tl.constexpr(8)


@triton.jit
def helper(x, scale: tl.constexpr = 2):
    if scale == 2:
        return x * 2
    return x + scale


@triton.jit
def control_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.zeros([BLOCK], dtype=tl.float32)
    count = 0
    for i in range(0, n, BLOCK):
        if i > 16:
            total += tl.load(x_ptr + offsets, mask=mask, other=0.0)
        elif i == 8 and count < LIMIT:
            total -= 1.0
        else:
            count += 1
    while count < 10:
        count = count + 1 if n > 3 else count + 2
    for j in tl.static_range(3):
        total = helper(total, scale=j)
    a, b = total, (count, total)
    if not (n == 0 or count != 3):
        return
    tl.store(y_ptr + offsets, a + b[1] * b[0], mask)
