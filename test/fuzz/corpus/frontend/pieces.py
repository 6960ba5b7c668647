# Not a kernel that compiles: lines and expressions for others to be changed by.
import triton
import triton.language as tl


@triton.jit
def kernel(p, q, n, m, B: tl.constexpr):
    pass
    return
    return n
    return x, n
    x = n
    x = 1.5
    acc = x
    n += 1
    t = (n, x)
    x, n = n, x
    x: tl.constexpr = 3
    del n
    import os
    global n
    assert x
    for i in range(n): x = i
    for j in tl.static_range(3): x = j + n
    for n in range(m): pass
    while n < 3: n += 1
    while x: pass
    if n: x = 1
    if n: return
    if x > n: acc = 3
    with x(): pass
    tl.store(p, x)
    p += n
    x = x if n > 1 else m
    x.y = 3
    x[0] = 3
    kernel(p, q, n, m, B)
    x = kernel
    x = None
    x = tl.float32
    x = tl.load(p + x)
    tl.static_print(x, n)
    tl.static_assert(x == n)
    tl.device_assert(n > 0, 'n')
    x = tl.sum(x)
    x = 'text'
    x = None
    x = 0
    x = 1
    x = -1
    x = 3
    x = 1.5
    x = 1e400
    x = 2 ** 80
    x = True
    x = 'text'
    x = ()
    x = (1, 2)
    x = (n, p)
    x = n
    x = m
    x = p
    x = q
    x = B
    x = x
    x = acc
    x = i
    x = tl
    x = tl.float32
    x = tl.int1
    x = tl.uint64
    x = tl.float8e5
    x = kernel
    x = combine
    x = row
    x = tl.load
    x = tl.load(p)
    x = tl.store(p, n)
    x = tl.arange(0, 8)
    x = tl.arange(0, B)[:, None]
    x = x[0]
    x = x[1:]
    x = x.T
    x = x.dtype
    x = x.shape
    x = x.to(tl.int8)
    x = not n
    x = -x
    x = ~n
    x = [v for v in (n, 1)]
    x = lambda: 0
    x = undefined
    x = tl.sum
    x = tl.sum(x, 0)
    x = tl.static_range(3)
    x = tl.range(n)
    x = range(5, 0, -1)
    x = f'{n}'
    x = f'{B!r}'
    x = len(x)
    x = float('inf')
    x = float('nan')
    x = int(B)
    x = ...
    x = tl.constexpr
    x = (*(n, m),)
    x = (1 if n else x)
    x = n and m
    x = B or n
    x = n is None
    x = x == None
    x = tl.zeros((B, B), tl.float16)
    x = tl.full((), n, tl.int64)
    x = tl.reshape
    x = tl.math.exp
    x = tl.trans
    x = tl.dot
    x = tl.where
    x = tl.cat
    x = tl.join
    x = tl.split
    x = tl.cumsum
    x = tl.sort
    x = tl.rand
    x = tl.cdiv
    x = tl.program_id(n)
    x = tl.atomic_add
    x = tl.make_block_ptr
    x = tl.device_print
    x = min
    x = max
    x = print
    x = getattr
    x = 18446744073709551616
    x = -9223372036854775809
    x = 0x7fffffff
    x = slice
    x = tl.tuple
    x = tl.reduce
    x = n.x
    x = t[0]
    x = x + n
    x = x - n
    x = x * n
    x = x // n
    x = x % n
    x = x / n
    x = x << n
    x = x >> n
    x = x & n
    x = x | n
    x = x ^ n
    x = x ** n
    x = x == n
    x = x != n
    x = x < n
    x = x <= n
    x = x > n
    x = x >= n
    x = x is n
    x = x and n
    x = x or n
