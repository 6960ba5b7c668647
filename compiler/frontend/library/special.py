"""More of libdevice in terms of the language: lengths, powers, angles, gamma and error functions. Belongs to the same module."""

import triton
import triton.language as tl

# Roots and lengths.


@triton.jit
def rcbrt(x):
    return (1 / tl.extra.libdevice.cbrt(x.to(tl.float64))).to(x.dtype)


@triton.jit
def _length(a, b, c, d):
    # Scaled by the largest, so that no square overflows.
    largest = tl.maximum(tl.maximum(tl.abs(a), tl.abs(b)), tl.maximum(tl.abs(c), tl.abs(d))).to(tl.float64)
    scale = tl.where((largest == 0) | (largest == float("inf")), 1.0, largest)
    a, b, c, d = a.to(tl.float64) / scale, b.to(tl.float64) / scale, c.to(tl.float64) / scale, d.to(tl.float64) / scale
    length = largest * tl.sqrt(a * a + b * b + c * c + d * d)
    return tl.where(largest == float("inf"), float("inf"), tl.where(largest == 0, a + b + c + d, length))


@triton.jit
def hypot(x, y):
    return _length(x, y, y * 0, y * 0).to(x.dtype)


@triton.jit
def rhypot(x, y):
    return (1 / _length(x, y, y * 0, y * 0)).to(x.dtype)


@triton.jit
def norm3d(a, b, c):
    return _length(a, b, c, c * 0).to(a.dtype)


@triton.jit
def rnorm3d(a, b, c):
    return (1 / _length(a, b, c, c * 0)).to(a.dtype)


@triton.jit
def norm4d(a, b, c, d):
    return _length(a, b, c, d).to(a.dtype)


@triton.jit
def rnorm4d(a, b, c, d):
    return (1 / _length(a, b, c, d)).to(a.dtype)


# Powers and angles.


@triton.jit
def powif(x, n):
    return tl.extra.libdevice.pow(x, n.to(tl.float32))


@triton.jit
def powi(x, n):
    return tl.extra.libdevice.pow(x, n.to(tl.float64))


@triton.jit
def exp10(x):
    if x.dtype == tl.float32:
        result = tl.exp2(x.to(tl.float64) * 3.321928094887362).to(tl.float32)
    else:
        result = tl.extra.libdevice.pow(x * 0 + 10.0, x)
    return result


@triton.jit
def fast_exp10f(x):
    return tl.exp2(x * 3.321928094887362)


@triton.jit
def fast_dividef(x, y):
    return x / y


@triton.jit
def _half_turns(x):
    # x minus its nearest even number, exactly: from -1 to 1.
    return x - 2 * tl.extra.libdevice.rint(0.5 * x)


@triton.jit
def sinpi(x):
    turn = _half_turns(x.to(tl.float64))
    # Near a whole number the sine is as small as the distance to it.
    turn = tl.where(turn > 0.5, 1 - turn, tl.where(turn < -0.5, -1 - turn, turn))
    return tl.sin(3.141592653589793 * turn).to(x.dtype)


@triton.jit
def cospi(x):
    return tl.sin(3.141592653589793 * (0.5 - tl.abs(_half_turns(x.to(tl.float64))))).to(x.dtype)


# Gamma and error functions.


@triton.jit
def _log_gamma_positive(x):
    # Stirling's series far out; nearer in, the recurrence leads there.
    near = x < 12
    product = x * 0 + 1
    shifted = x
    for _ in tl.static_range(12):
        product = tl.where(near, product * shifted, product)
        shifted = tl.where(near, shifted + 1, shifted)
    inverse = 1 / shifted
    square = inverse * inverse
    tail = 1.0 / 156 * square - 691.0 / 360360
    tail = tail * square + 1.0 / 1188
    tail = tail * square - 1.0 / 1680
    tail = tail * square + 1.0 / 1260
    tail = tail * square - 1.0 / 360
    tail = tail * square + 1.0 / 12
    series = (shifted - 0.5) * tl.log(shifted) - shifted + 0.9189385332046727 + tail * inverse
    return series - tl.log(product)


@triton.jit
def _log_gamma(x):
    reflected = x < 0.5
    positive = _log_gamma_positive(tl.where(reflected, 1 - x, x))
    turn = _half_turns(x)
    sine = tl.abs(tl.sin(3.141592653589793 * tl.where(tl.abs(turn) > 0.5, 1 - tl.abs(turn), turn)))
    result = tl.where(reflected, 1.1447298858494002 - tl.log(sine) - positive, positive)
    pole = (x <= 0) & (tl.floor(x) == x)
    return tl.where(pole | (tl.abs(x) == float("inf")), float("inf"), result)


@triton.jit
def lgamma(x):
    return _log_gamma(x.to(tl.float64)).to(x.dtype)


@triton.jit
def tgamma(x):
    wide = x.to(tl.float64)
    # Between whole numbers below zero the sign alternates.
    negative = (wide < 0) & ((tl.floor(wide) - 2 * tl.floor(0.5 * tl.floor(wide))) != 0)
    size = tl.exp(_log_gamma(wide))
    undefined = ((wide < 0) & (tl.floor(wide) == wide)) | (wide == float("-inf"))
    infinity = tl.where(_bits(wide) < 0, float("-inf"), float("inf"))
    result = tl.where(wide == 0, infinity, tl.where(negative, -size, size))
    return tl.where(undefined, float("nan"), result).to(x.dtype)


@triton.jit
def erfcx(x):
    wide = x.to(tl.float64)
    near = wide < 2
    # Far out, the continued fraction of erfc without its exponential factor.
    far = tl.where(near, 2.0, wide)
    fraction = far * 0
    for i in range(80):
        fraction = (80 - i) * 0.5 / (far + fraction)
    tail = 0.5641895835477563 / (far + fraction)
    close = tl.where(near, wide, 0.0)
    return tl.where(near, tl.exp(close * close) * tl.extra.libdevice.erfc(close), tail).to(x.dtype)


@triton.jit
def _inverse_erfc(y):
    # For y from 0 to 1: Halley's steps on log(erfc), which is nearly a parabola.
    logarithm = tl.log(y)
    guess = tl.sqrt(tl.maximum(-logarithm - 0.5 * tl.log(tl.maximum(-3.141592653589793 * logarithm, 1e-3)), 0.0))
    x = tl.where(y > 0.3, (1 - y) * 0.886226925452758, guess)
    for _ in range(6):
        value = tl.extra.libdevice.erfc(x)
        slope = -1.1283791670955126 * tl.exp(-x * x) / value
        step = (tl.log(value) - logarithm) / slope
        x = x - step
    return tl.where(y == 0, float("inf"), x)


@triton.jit
def _inverse_erf(y):
    # Small arguments keep their accuracy by Newton's steps on erf itself.
    size = tl.abs(y)
    small = tl.where(size < 0.5, size, 0.0)
    x = small * 0.886226925452758
    for _ in range(6):
        x = x - (tl.erf(x) - small) * 0.886226925452758 * tl.exp(x * x)
    far = _inverse_erfc(tl.where(size < 0.5, 0.5, 1 - size))
    result = tl.where(size < 0.5, x, far)
    return tl.where(size > 1, float("nan"), tl.where(y < 0, -result, result))


@triton.jit
def erfinv(x):
    return _inverse_erf(x.to(tl.float64)).to(x.dtype)


@triton.jit
def erfcinv(x):
    wide = x.to(tl.float64)
    lower = _inverse_erfc(tl.where((wide > 0) & (wide < 0.5), wide, 0.25))
    upper = _inverse_erfc(tl.where((wide > 1.5) & (wide < 2), 2 - wide, 0.25))
    middle = _inverse_erf(tl.where((wide >= 0.5) & (wide <= 1.5), 1 - wide, 0.0))
    result = tl.where(wide < 0.5, lower, tl.where(wide > 1.5, -upper, middle))
    result = tl.where(wide == 0, float("inf"), tl.where(wide == 2, float("-inf"), result))
    return tl.where((wide < 0) | (wide > 2) | (wide != wide), float("nan"), result).to(x.dtype)


@triton.jit
def normcdf(x):
    return (0.5 * tl.extra.libdevice.erfc(x.to(tl.float64) * -0.7071067811865476)).to(x.dtype)


@triton.jit
def normcdfinv(x):
    return (-1.4142135623730951 * erfcinv(2 * x.to(tl.float64))).to(x.dtype)
