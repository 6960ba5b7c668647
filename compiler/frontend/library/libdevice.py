"""Functions of libdevice for targets that have no library of that name, in terms of the language.

Only those are here that a target cannot be expected to have as an operation. Functions of float32 are computed in float64 where that
is the simplest way to be accurate. A name that ends in `_rounded` stands for the four functions with the suffixes _rn, _rz, _rd and
_ru, and takes the suffix as its last argument.
"""

import triton
import triton.language as tl

# Bits.


@triton.jit
def _bits(x):
    if x.dtype.primitive_bitwidth == 32:
        result = x.to(tl.int32, bitcast=True)
    else:
        result = x.to(tl.int64, bitcast=True)
    return result


@triton.jit
def _power_of_two(n):
    # 2**n as a float64, for n from -1022 to 1023.
    return ((n.to(tl.int64) + 1023) << 52).to(tl.float64, bitcast=True)


@triton.jit
def _largest(x):
    # The largest finite value of x's type.
    if x.dtype == tl.float32:
        result = tl.full((), 0x7F7FFFFF, tl.int32).to(tl.float32, bitcast=True)
    else:
        result = tl.full((), 0x7FEFFFFFFFFFFFFF, tl.int64).to(tl.float64, bitcast=True)
    return result


@triton.jit
def isnan(x):
    return (x != x).to(tl.int32)


@triton.jit
def isinf(x):
    return (tl.abs(x) == float("inf")).to(tl.int32)


@triton.jit
def finitef(x):
    return (tl.abs(x) < float("inf")).to(tl.int32)


@triton.jit
def isfinited(x):
    return (tl.abs(x) < float("inf")).to(tl.int32)


@triton.jit
def signbit(x):
    return (_bits(x) < 0).to(tl.int32)


@triton.jit
def int_as_float(x):
    return x.to(tl.float32, bitcast=True)


@triton.jit
def uint_as_float(x):
    return x.to(tl.float32, bitcast=True)


@triton.jit
def float_as_int(x):
    return _bits(x)


@triton.jit
def float_as_uint(x):
    return _bits(x)


@triton.jit
def longlong_as_double(x):
    return x.to(tl.float64, bitcast=True)


@triton.jit
def double_as_longlong(x):
    return _bits(x)


@triton.jit
def double2loint(x):
    return _bits(x).to(tl.int32)


@triton.jit
def double2hiint(x):
    return (_bits(x) >> 32).to(tl.int32)


@triton.jit
def hiloint2double(hi, lo):
    return ((hi.to(tl.int64) << 32) | lo.to(tl.uint32).to(tl.int64)).to(tl.float64, bitcast=True)


@triton.jit
def popc(x):
    # Counts in fields of 2, 4, 8 bits, then adds the bytes by a product.
    if x.dtype.primitive_bitwidth == 32:
        v = x.to(tl.uint32)
        v = v - ((v >> 1) & 0x55555555)
        v = (v & 0x33333333) + ((v >> 2) & 0x33333333)
        v = (v + (v >> 4)) & 0x0F0F0F0F
        result = tl.mul(v, 0x01010101, sanitize_overflow=False) >> 24
    else:
        v = x.to(tl.uint64)
        v = v - ((v >> 1) & 0x5555555555555555)
        v = (v & 0x3333333333333333) + ((v >> 2) & 0x3333333333333333)
        v = (v + (v >> 4)) & 0x0F0F0F0F0F0F0F0F
        result = (v * 0x0101010101010101) >> 56
    return result.to(tl.int32)


@triton.jit
def clz(x):
    # The bits that are not in the smeared value are the leading zeros.
    if x.dtype.primitive_bitwidth == 32:
        v = x.to(tl.uint32)
    else:
        v = x.to(tl.uint64)
    v = v | (v >> 1)
    v = v | (v >> 2)
    v = v | (v >> 4)
    v = v | (v >> 8)
    v = v | (v >> 16)
    if x.dtype.primitive_bitwidth == 64:
        v = v | (v >> 32)
    return popc((~v).to(x.dtype))


@triton.jit
def ffs(x):
    # The lowest set bit is alone in x & -x; the bits below it count its place.
    lowest = x & (~x + 1)
    return tl.where(x == 0, 0, popc(tl.sub(lowest, 1, sanitize_overflow=False)) + 1)


@triton.jit
def brev(x):
    if x.dtype.primitive_bitwidth == 32:
        v = x.to(tl.uint32)
        v = ((v >> 1) & 0x55555555) | ((v & 0x55555555) << 1)
        v = ((v >> 2) & 0x33333333) | ((v & 0x33333333) << 2)
        v = ((v >> 4) & 0x0F0F0F0F) | ((v & 0x0F0F0F0F) << 4)
        v = ((v >> 8) & 0x00FF00FF) | ((v & 0x00FF00FF) << 8)
        result = (v >> 16) | (v << 16)
    else:
        v = x.to(tl.uint64)
        v = ((v >> 1) & 0x5555555555555555) | ((v & 0x5555555555555555) << 1)
        v = ((v >> 2) & 0x3333333333333333) | ((v & 0x3333333333333333) << 2)
        v = ((v >> 4) & 0x0F0F0F0F0F0F0F0F) | ((v & 0x0F0F0F0F0F0F0F0F) << 4)
        v = ((v >> 8) & 0x00FF00FF00FF00FF) | ((v & 0x00FF00FF00FF00FF) << 8)
        v = ((v >> 16) & 0x0000FFFF0000FFFF) | ((v & 0x0000FFFF0000FFFF) << 16)
        result = (v >> 32) | (v << 32)
    return result.to(x.dtype)


@triton.jit
def byte_perm(x, y, s):
    both = (y.to(tl.uint32).to(tl.uint64) << 32) | x.to(tl.uint32).to(tl.uint64)
    result = (both * 0).to(tl.uint32)
    for i in tl.static_range(4):
        byte = (both >> (((s >> (4 * i)) & 7) * 8).to(tl.uint64)) & 0xFF
        result = result | (byte.to(tl.uint32) << (8 * i))
    return result.to(tl.int32)


# Integers.


@triton.jit
def abs(x):
    return tl.abs(x)


@triton.jit
def mulhi(x, y):
    high = tl.umulhi(x, y)
    if x.dtype.is_int_signed():
        # A negative factor was read as 2**width more than it is.
        high = tl.sub(high, tl.where(x < 0, y, 0), sanitize_overflow=False)
        high = tl.sub(high, tl.where(y < 0, x, 0), sanitize_overflow=False)
    return high


@triton.jit
def mul24(x, y):
    if x.dtype.is_int_signed():
        result = tl.mul((x << 8) >> 8, (y << 8) >> 8, sanitize_overflow=False)
    else:
        result = tl.mul(x & 0xFFFFFF, y & 0xFFFFFF, sanitize_overflow=False)
    return result


@triton.jit
def sad(x, y, z):
    distance = tl.where(x > y, tl.sub(x, y, sanitize_overflow=False), tl.sub(y, x, sanitize_overflow=False))
    return tl.add(distance, z.to(x.dtype), sanitize_overflow=False)


@triton.jit
def hadd(x, y):
    return (x & y) + ((x ^ y) >> 1)


@triton.jit
def rhadd(x, y):
    return (x | y) - ((x ^ y) >> 1)


# Neighbours, and rounding in a direction: from the nearest result and the sign of what is missing to the exact one.


@triton.jit
def _up(x):
    bits = _bits(x)
    step = tl.where(bits < 0, tl.sub(bits, 1, sanitize_overflow=False), tl.add(bits, 1, sanitize_overflow=False))
    above = tl.where(x == 0, 1, step).to(x.dtype, bitcast=True)
    return tl.where((x != x) | (x == float("inf")), x, above)


@triton.jit
def _down(x):
    return -_up(-x)


@triton.jit
def nextafter(x, y):
    moved = tl.where(x < y, _up(x), _down(x))
    return tl.where(x == y, y, tl.where((x != x) | (y != y), x + y, moved))


@triton.jit
def _directed(nearest, missing, mode: tl.constexpr):
    largest = _largest(nearest)
    # A finite result that overflowed has nothing meaningful missing.
    overflows = (tl.abs(nearest) == float("inf")) & (missing == missing)
    if mode == "rn":
        result = nearest
    elif mode == "ru":
        result = tl.where(missing > 0, _up(nearest), nearest)
        result = tl.where(overflows & (nearest < 0), -largest, result)
    elif mode == "rd":
        result = tl.where(missing < 0, _down(nearest), nearest)
        result = tl.where(overflows & (nearest > 0), largest, result)
    else:
        inward = tl.where(nearest > 0, _down(nearest), _up(nearest))
        beyond = ((nearest > 0) & (missing < 0)) | ((nearest < 0) & (missing > 0))
        result = tl.where(beyond, inward, nearest)
        result = tl.where(overflows & (nearest > 0), largest, tl.where(overflows & (nearest < 0), -largest, result))
    return result


@triton.jit
def _finite_missing(nearest, missing, finite):
    # NaN when the result is infinite or NaN by right; 0 when it overflowed; else what is missing.
    return tl.where(tl.abs(nearest) < float("inf"), missing, tl.where(finite & (nearest == nearest), 0.0, float("nan")))


@triton.jit
def _two_sum(a, b):
    s = a + b
    part = s - a
    return s, (a - (s - part)) + (b - part)


@triton.jit
def add_rounded(a, b, mode: tl.constexpr):
    s, missing = _two_sum(a, b)
    finite = (tl.abs(a) < float("inf")) & (tl.abs(b) < float("inf"))
    return _directed(s, _finite_missing(s, missing, finite), mode)


@triton.jit
def sub_rounded(a, b, mode: tl.constexpr):
    return add_rounded(a, -b, mode)


@triton.jit
def mul_rounded(a, b, mode: tl.constexpr):
    p = a * b
    finite = (tl.abs(a) < float("inf")) & (tl.abs(b) < float("inf"))
    return _directed(p, _finite_missing(p, tl.fma(a, b, -p), finite), mode)


@triton.jit
def div_rounded(a, b, mode: tl.constexpr):
    q = a / b
    rest = tl.fma(-q, b, a)
    finite = (tl.abs(a) < float("inf")) & (b != 0)
    return _directed(q, _finite_missing(q, tl.where(b < 0, -rest, rest), finite), mode)


@triton.jit
def rcp_rounded(x, mode: tl.constexpr):
    return div_rounded(x * 0 + 1, x, mode) if mode != "rn" else 1 / x


@triton.jit
def sqrt_rounded(x, mode: tl.constexpr):
    if x.dtype == tl.float32:
        root = tl.sqrt_rn(x)
    else:
        root = tl.sqrt(x)
    return _directed(root, _finite_missing(root, tl.fma(-root, root, x), x == x), mode)


@triton.jit
def fma_rounded(a, b, c, mode: tl.constexpr):
    nearest = tl.fma(a, b, c)
    if a.dtype == tl.float32:
        # The product is exact in float64, and so is its sum with c as a pair.
        high, low = _two_sum(a.to(tl.float64) * b.to(tl.float64), c.to(tl.float64))
        missing = ((high - nearest.to(tl.float64)) + low).to(tl.float32)
        missing = tl.where((missing == 0) & (low != 0), tl.where(low > 0, 1.0, -1.0), missing)
    else:
        product = a * b
        low_product = tl.fma(a, b, -product)
        sum_low, rest_low = _two_sum(c, low_product)
        sum_high, rest_high = _two_sum(product, sum_low)
        missing = ((sum_high - nearest) + rest_high) + rest_low
    finite = (tl.abs(a) < float("inf")) & (tl.abs(b) < float("inf")) & (tl.abs(c) < float("inf"))
    return _directed(nearest, _finite_missing(nearest, missing, finite), mode)


@triton.jit
def rsqrt_rn(x):
    return (1 / tl.sqrt(x.to(tl.float64))).to(tl.float32)


# Conversions.


@triton.jit
def _to_whole(x, mode: tl.constexpr):
    if mode == "rn":
        result = tl.extra.libdevice.rint(x)
    elif mode == "rz":
        result = tl.extra.libdevice.trunc(x)
    elif mode == "rd":
        result = tl.floor(x)
    else:
        result = tl.ceil(x)
    return result


@triton.jit
def _saturate(whole, dtype: tl.constexpr):
    # NaN becomes 0, what is too large the nearest that is not.
    low: tl.constexpr = dtype.get_int_min_value()
    high: tl.constexpr = dtype.get_int_max_value()
    wide = whole.to(tl.float64)
    # `high` itself may not be a float, `high + 1` is.
    inside = (wide >= low * 1.0) & (wide < (high + 1) * 1.0)
    kept = tl.where(inside, wide, 0.0).to(dtype)
    limit = tl.where(
        wide > 0, tl.full((), high, dtype), tl.where(wide < 0, tl.full((), low, dtype), tl.full((), 0, dtype))
    )
    return tl.where(inside, kept, limit)


@triton.jit
def double2int_rounded(x, mode: tl.constexpr):
    return _saturate(_to_whole(x, mode), tl.int32)


@triton.jit
def double2uint_rounded(x, mode: tl.constexpr):
    return _saturate(_to_whole(x, mode), tl.uint32).to(tl.int32)


@triton.jit
def double2ll_rounded(x, mode: tl.constexpr):
    return _saturate(_to_whole(x, mode), tl.int64)


@triton.jit
def double2ull_rounded(x, mode: tl.constexpr):
    return _saturate(_to_whole(x, mode), tl.uint64).to(tl.int64)


@triton.jit
def float2int_rounded(x, mode: tl.constexpr):
    return _saturate(_to_whole(x, mode), tl.int32)


@triton.jit
def float2uint_rounded(x, mode: tl.constexpr):
    return _saturate(_to_whole(x, mode), tl.uint32).to(tl.int32)


@triton.jit
def float2ll_rounded(x, mode: tl.constexpr):
    return _saturate(_to_whole(x, mode), tl.int64)


@triton.jit
def float2ull_rounded(x, mode: tl.constexpr):
    return _saturate(_to_whole(x, mode), tl.uint64).to(tl.int64)


@triton.jit
def llrint(x):
    return _saturate(_to_whole(x, "rn"), tl.int64)


@triton.jit
def llround(x):
    return _saturate(tl.extra.libdevice.round(x), tl.int64)


@triton.jit
def double2float_rounded(x, mode: tl.constexpr):
    nearest = x.to(tl.float32)
    missing = _finite_missing(nearest.to(tl.float64), x - nearest.to(tl.float64), tl.abs(x) < float("inf"))
    return _directed(nearest, tl.where(missing > 0, 1.0, tl.where(missing < 0, -1.0, missing)).to(tl.float32), mode)


@triton.jit
def _from_integer(x, dtype: tl.constexpr, mode: tl.constexpr):
    # The integer is the sum of two float64, so what a rounding left out is known.
    nearest = x.to(dtype)
    back = nearest.to(tl.float64)
    if x.dtype.primitive_bitwidth == 32:
        missing = x.to(tl.float64) - back
    else:
        high = (x >> 32).to(tl.float64) * 4294967296.0
        missing = (high - back) + (x & 0xFFFFFFFF).to(tl.float64)
    return _directed(nearest, missing.to(dtype), mode)


@triton.jit
def int2float_rounded(x, mode: tl.constexpr):
    return _from_integer(x, tl.float32, mode)


@triton.jit
def uint2float_rounded(x, mode: tl.constexpr):
    return _from_integer(x, tl.float32, mode)


@triton.jit
def ll2float_rounded(x, mode: tl.constexpr):
    return _from_integer(x, tl.float32, mode)


@triton.jit
def ull2float_rounded(x, mode: tl.constexpr):
    return _from_integer(x, tl.float32, mode)


@triton.jit
def ll2double_rounded(x, mode: tl.constexpr):
    return _from_integer(x, tl.float64, mode)


@triton.jit
def ull2double_rounded(x, mode: tl.constexpr):
    return _from_integer(x, tl.float64, mode)


@triton.jit
def int2double_rounded(x, mode: tl.constexpr):
    return x.to(tl.float64)


@triton.jit
def uint2double_rounded(x, mode: tl.constexpr):
    return x.to(tl.float64)


# Exponents and remainders.


@triton.jit
def _exponent(x):
    # floor(log2(abs(x))) of a finite x that is not 0, as int32.
    wide = x.to(tl.float64)
    if x.dtype == tl.float64:
        # Numbers too small for a full mantissa are made larger first.
        small = tl.abs(wide) < 2.2250738585072014e-308
        wide = tl.where(small, wide * 18014398509481984.0, wide)
        shift = tl.where(small, 54, 0)
    else:
        shift = 0
    return ((_bits(wide) >> 52) & 0x7FF).to(tl.int32) - 1023 - shift


@triton.jit
def logb(x):
    result = tl.where(x == 0, float("-inf"), _exponent(x).to(x.dtype))
    return tl.where(tl.abs(x) < float("inf"), result, x * x).to(x.dtype)


@triton.jit
def ilogb(x):
    result = tl.where(tl.abs(x) == float("inf"), 2147483647, _exponent(x))
    return tl.where((x == 0) | (x != x), -2147483648, result)


@triton.jit
def ldexp(x, n):
    if x.dtype == tl.float32:
        # One product in float64 is exact, so the conversion rounds once.
        step = tl.minimum(tl.maximum(n, -400), 400)
        result = (x.to(tl.float64) * _power_of_two(step)).to(tl.float32)
    else:
        rest = tl.minimum(tl.maximum(n, -2200), 2200)
        result = x
        for _ in tl.static_range(3):
            step = tl.minimum(tl.maximum(rest, -969), 969)
            result = result * _power_of_two(step)
            rest = rest - step
    return result


@triton.jit
def scalbn(x, n):
    return ldexp(x, n)


@triton.jit
def fmod(x, y):
    return x % y


@triton.jit
def remainder(x, y):
    divisor = tl.abs(y)
    # Twice the divisor, so that the parity of the quotient is known; a divisor too large to double needs no reduction.
    rest = tl.where(divisor + divisor < float("inf"), tl.abs(x) % (divisor + divisor), tl.abs(x))
    half = 0.5 * divisor
    rest = tl.where(rest > half, rest - divisor, rest)
    rest = tl.where(rest >= half, rest - divisor, rest)
    signed = tl.extra.libdevice.copysign(1.0, x.to(tl.float32)).to(x.dtype) * rest
    invalid = (y == 0) | (tl.abs(x) == float("inf")) | (x != x) | (y != y)
    return tl.where(invalid, float("nan"), tl.where(divisor == float("inf"), x, signed)).to(x.dtype)


@triton.jit
def fdim(x, y):
    return tl.where(x <= y, 0.0, x - y).to(x.dtype)


@triton.jit
def saturatef(x):
    return tl.minimum(tl.maximum(x, 0.0), 1.0)


@triton.jit
def rcp64h(x):
    return (_bits(1 / x) & -4294967296).to(tl.float64, bitcast=True)
