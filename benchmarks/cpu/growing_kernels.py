"""Kernels of as many statements as one likes, each series made of one kind of statement: what a compile costs must grow as they do.

`SERIES[name](count)` is the text of a kernel `kernel(x, y, n)` whose body holds `count` such statements, after and before a few fixed
ones: `x` and `y` point to float32, `n` is an integer, `offsets` are 128 places, `a` is a block of numbers that is stored at the end.
"""

SIGNATURE = {"x": "*fp32", "y": "*fp32", "n": "i32"}

_HEADER = """import triton
import triton.language as tl


@triton.jit
def helper(a, b):
    return a * 1.5 + b


@triton.jit
def kernel(x, y, n):
    offsets = tl.arange(0, 128)
    a = tl.load(x + offsets)
"""
_FOOTER = """    tl.store(y + offsets, a)
"""
_TILE_HEADER = """import triton
import triton.language as tl


@triton.jit
def kernel(x, y, n):
    offsets = tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :]
    a = tl.load(x + offsets)
    b = tl.load(y + offsets)
"""


def _repeated(*lines, header=_HEADER, footer=_FOOTER, per_statement=1):
    """The text with `lines`, in which `{i}` counts up, once for every `per_statement` statements."""
    pattern = "".join(f"    {line}\n" for line in lines)
    return lambda count: header + "".join(pattern.format(i=i) for i in range(count // per_statement)) + footer


def _unrolled(line):
    return lambda count: f"{_HEADER}    for i in tl.static_range({count}):\n        {line}\n{_FOOTER}"


SERIES = {
    "chain": _repeated("a = a * 1.5 + {i}"),
    "static_range": _unrolled("a = a * 1.5 + i"),
    "static_range with a load": _unrolled("a += tl.load(x + i * 128 + offsets)"),
    "chain of integers": _repeated("n = (n + {i}) ^ (n >> 3)", footer="    tl.store(y + offsets + n % 1024, a)\n"),
    "chain of addresses": _repeated("offsets = (offsets + {i}) % 1000"),
    "where": _repeated("a = tl.where(a > {i}, a, a * 2.0)"),
    "exp": _repeated("a = tl.exp(a) + {i}"),
    "loads": _repeated("a += tl.load(x + offsets + {i})"),
    "masked loads": _repeated("a += tl.load(x + offsets + {i}, mask=offsets + {i} < n, other=0.0)"),
    "scalar loads": _repeated("n += tl.load(x + n + {i}).to(tl.int32)", footer="    tl.store(y + offsets, a + n)\n"),
    "stores": _repeated("tl.store(y + offsets + {i}, a)"),
    "masked stores": _repeated("tl.store(y + offsets + {i}, a, mask=offsets < n)"),
    "stores that may alias": _repeated("tl.store(y + offsets + {i}, tl.load(x + offsets + {i}) + a)"),
    "atomics": _repeated("tl.atomic_add(y + offsets + {i}, a)"),
    "reductions": _repeated("a += tl.sum(a * {i}, axis=0)"),
    "reductions of loads": _repeated("a += tl.max(tl.load(x + offsets + {i}), axis=0)"),
    "dots in a chain": _repeated("a = tl.dot(a, b)", header=_TILE_HEADER),
    "transposed": _repeated("a = tl.trans(a) + {i}", header=_TILE_HEADER),
    "if/else": _repeated(
        "if n > {i}:", "    a = a + 1.0", "else:", "    a = a * 2.0", per_statement=2
    ),
    "if with a store": _repeated("if n > {i}:", "    tl.store(y + offsets + {i}, a)", per_statement=2),
    "early returns": _repeated("if n == {i}:", "    return", per_statement=2),
    "early returns by memory": _repeated("if tl.load(x + {i}) == {i}:", "    return", per_statement=2),
    "loops": _repeated("for i in range(n):", "    a = a * 1.5 + {i}", per_statement=2),
    "calls": _repeated("a = helper(a, {i})"),
}  # fmt: skip
