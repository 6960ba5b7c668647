"""Writes bessel.py: Bessel functions as Chebyshev series, whose coefficients mpmath gives. usage: generate_bessel.py > bessel.py"""

from mpmath import besseli, besselj, bessely, cos, exp, log, mp, mpf, pi, sin, sqrt

mp.dps = 40
SPLIT = 8  # between the series around 0 and those around infinity


def coefficients(function, low, high, accuracy=mpf(2) ** -58):
    """Of the series of `function` on [low, high] in Chebyshev polynomials, as many as doubles can use."""
    count = 64
    nodes = [cos(pi * (k + mpf(1) / 2) / count) for k in range(count)]
    values = [function((high - low) / 2 * (node + 1) + low) for node in nodes]
    series = [
        2 / mpf(count) * sum(values[k] * cos(pi * j * (k + mpf(1) / 2) / count) for k in range(count))
        for j in range(count)
    ]
    series[0] /= 2
    size = max(map(abs, series))
    while abs(series[-1]) < accuracy * size:
        series.pop()
    return series


def modulus(order, part):
    """P or Q of Hankel's expansion, as functions of (8/x)**2: J = sqrt(2/(pi x)) (P cos - Q sin), Y with + and sin, cos swapped."""

    def function(z):
        z = max(z, mpf(10) ** -12)
        x = SPLIT / sqrt(z)
        phase = x - (2 * order + 1) * pi / 4
        j, y = besselj(order, x) * sqrt(pi * x / 2), bessely(order, x) * sqrt(pi * x / 2)
        p = j * cos(phase) + y * sin(phase)
        q = y * cos(phase) - j * sin(phase)
        return p if part == "p" else q * x / SPLIT

    return function


def near_y(order):
    def function(z):
        x = sqrt(max(z, mpf(10) ** -20))
        rest = bessely(order, x) - 2 / pi * log(x) * besselj(order, x)
        return rest if order == 0 else (rest + 2 / (pi * x)) / x

    return function


def near_j(order):
    def function(z):
        x = sqrt(max(z, mpf(10) ** -20))
        return besselj(order, x) / (x if order else 1)

    return function


def near_i(order):
    def function(x):
        x = max(x, mpf(10) ** -20)
        return exp(-x) * besseli(order, x) / (x if order else 1)

    return function


def far_i(order):
    def function(z):
        x = SPLIT / max(z, mpf(10) ** -4)
        return exp(-x) * sqrt(x) * besseli(order, x)

    return function


TABLES = {f"_near_j{n}": (near_j(n), SPLIT**2) for n in (0, 1)}
TABLES |= {f"_near_y{n}": (near_y(n), SPLIT**2) for n in (0, 1)}
TABLES |= {f"_far_{part}{n}": (modulus(n, part), 1) for n in (0, 1) for part in "pq"}
TABLES |= {f"_near_i{n}": (near_i(n), SPLIT) for n in (0, 1)}
TABLES |= {f"_far_i{n}": (far_i(n), 1) for n in (0, 1)}

HEAD = '''"""Bessel functions for targets without libdevice. Belongs to the same module. Written by generate_bessel.py.

Up to 8 they are Chebyshev series in x squared (in x, for the modified ones), from there on series in 8/x around the functions' behaviour at
infinity. All is computed in float64.
"""

import triton
import triton.language as tl


@triton.jit
def _chebyshev(t, coefficients):
    # The sum of coefficients[i] * T_i(t), by Clenshaw's recurrence.
    first = t * 0
    second = t * 0
    for i in tl.static_range(len(coefficients) - 1, 0, -1):
        first, second = 2 * t * first - second + coefficients[i], first
    return t * first - second + coefficients[0]


# The series, each on an interval that t runs through from -1 to 1.

'''


def table(name, function, high):
    numbers = ", ".join(mp.nstr(c, 19) for c in coefficients(function, mpf(0), mpf(high)))
    return f"\n@triton.jit\ndef {name}(t):\n    return _chebyshev(t, ({numbers}))  # fmt: skip\n\n"


TAIL = """
# Functions of fixed order.


@triton.jit
def _hankel(p, q, x, shift):
    # sqrt(2 / (pi x)) (p cos(x - shift) - q sin(x - shift)), where cosine and sine of the shift are 1 and 1 or -1 and 1 over sqrt(2).
    sine = tl.sin(x)
    cosine = tl.cos(x)
    first = (shift * cosine + sine) * 0.7071067811865476
    second = (shift * sine - cosine) * 0.7071067811865476
    return tl.sqrt(0.6366197723675814 / x) * (p * first - q * second)


@triton.jit
def _far_parts(x, order: tl.constexpr):
    z = 8 / x
    t = 2 * z * z - 1
    if order == 0:
        parts = (_far_p0(t), z * _far_q0(t))
    else:
        parts = (_far_p1(t), z * _far_q1(t))
    return parts


@triton.jit
def _bessel_j0(x):
    x = tl.abs(x)
    near = _near_j0(x * x / 32 - 1)
    p, q = _far_parts(tl.maximum(x, 8.0), 0)
    far = _hankel(p, q, tl.where(x < float("inf"), tl.maximum(x, 8.0), 8.0), 1.0)
    result = tl.where(x <= 8, near, tl.where(x == float("inf"), 0.0, far))
    return tl.where(x != x, x, result)


@triton.jit
def _bessel_j1(x):
    size = tl.abs(x)
    near = size * _near_j1(size * size / 32 - 1)
    p, q = _far_parts(tl.maximum(size, 8.0), 1)
    far = _hankel(p, q, tl.where(size < float("inf"), tl.maximum(size, 8.0), 8.0), -1.0)
    result = tl.where(size <= 8, near, tl.where(size == float("inf"), 0.0, far))
    return tl.where(x != x, x, tl.where(x < 0, -result, result))


@triton.jit
def _bessel_y(x, order: tl.constexpr):
    # At infinity, J a quarter of a turn later: its sine is J's cosine.
    near_x = tl.minimum(tl.maximum(x, 1e-300), 8.0)
    t = near_x * near_x / 32 - 1
    logarithm = 0.6366197723675814 * tl.log(near_x)
    far_x = tl.where(x < float("inf"), tl.maximum(x, 8.0), 8.0)
    p, q = _far_parts(far_x, order)
    if order == 0:
        near = _near_y0(t) + logarithm * _near_j0(t)
        far = _hankel(q, -p, far_x, 1.0)
    else:
        near = near_x * (_near_y1(t) + logarithm * _near_j1(t)) - 0.6366197723675814 / near_x
        far = _hankel(q, -p, far_x, -1.0)
    result = tl.where(x <= 8, near, tl.where(x == float("inf"), 0.0, far))
    result = tl.where(x == 0, float("-inf"), result)
    return tl.where((x < 0) | (x != x), float("nan"), result)


@triton.jit
def j0(x):
    return _bessel_j0(x.to(tl.float64)).to(x.dtype)


@triton.jit
def j1(x):
    return _bessel_j1(x.to(tl.float64)).to(x.dtype)


@triton.jit
def y0(x):
    return _bessel_y(x.to(tl.float64), 0).to(x.dtype)


@triton.jit
def y1(x):
    return _bessel_y(x.to(tl.float64), 1).to(x.dtype)


@triton.jit
def _grown(scaled, x):
    # scaled * exp(x), which is finite somewhat further than exp(x) is.
    half = tl.exp(x / 2)
    return scaled * half * half


@triton.jit
def cyl_bessel_i0(x):
    size = tl.abs(x.to(tl.float64))
    far_size = tl.maximum(size, 8.0)
    near = _near_i0(size / 4 - 1)
    far = _far_i0(16 / far_size - 1) / tl.sqrt(far_size)
    result = _grown(tl.where(size <= 8, near, far), size)
    return tl.where(size == float("inf"), size, tl.where(size != size, size, result)).to(x.dtype)


@triton.jit
def cyl_bessel_i1(x):
    wide = x.to(tl.float64)
    size = tl.abs(wide)
    far_size = tl.maximum(size, 8.0)
    near = size * _near_i1(size / 4 - 1)
    far = _far_i1(16 / far_size - 1) / tl.sqrt(far_size)
    result = tl.where(size == float("inf"), size, _grown(tl.where(size <= 8, near, far), size))
    return tl.where(wide != wide, wide, tl.where(wide < 0, -result, result)).to(x.dtype)


# Functions of any integer order, by recurrence.


@triton.jit
def _greatest(x):
    if x.type.is_block():
        result = tl.max(x)
    else:
        result = x
    return result


@triton.jit
def _downward(order, x):
    # Miller's way for orders above x: from far above down to 0, then scaled so that J0 + 2 J2 + 2 J4 + ... is 1.
    top = _greatest(tl.maximum(order, x.to(tl.int32))) + 16
    start = 2 * ((top + tl.sqrt(40.0 * top.to(tl.float32)).to(tl.int32)) // 2 + 1)
    above = x * 0
    here = x * 0 + 1e-30
    total = x * 0
    answer = x * 0
    for i in range(start):
        k = start - i
        below = 2 * k / x * here - above
        above = here
        here = below
        answer = tl.where(order == k - 1, here, answer)
        total = tl.where((k - 1) % 2 == 0, total + here, total)
        scale = tl.where(tl.abs(here) > 1e100, 1e-100, 1.0)
        above, here, total, answer = above * scale, here * scale, total * scale, answer * scale
    return answer / (2 * total - here)


@triton.jit
def _power_term(order, x):
    # (x / 2)**order / order!, all there is of J for the smallest x.
    result = x * 0 + 1
    for k in range(1, _greatest(order) + 1):
        result = tl.where(k <= order, result * (x / (2 * k)), result)
    return result


@triton.jit
def _upward(order, x, zeroth, first):
    last = zeroth
    here = tl.where(order == 0, zeroth, first)
    for k in range(1, _greatest(order)):
        above = 2 * k / x * here - last
        above = tl.where(tl.abs(here) == float("inf"), here, above)
        last = tl.where(k < order, here, last)
        here = tl.where(k < order, above, here)
    return here


@triton.jit
def jn(n, x):
    wide = x.to(tl.float64)
    n, wide = tl.broadcast(n, wide)
    order = tl.abs(n)
    size = tl.abs(wide)
    is_upward = (order <= size) | (order < 2)
    is_tiny = size < 1e-8
    safe = tl.where(is_upward & (size > 0) & (size < float("inf")), size, 1.0)
    up = _upward(tl.where(is_upward, order, 0), safe, _bessel_j0(size), _bessel_j1(size))
    down = _downward(tl.where(is_upward | is_tiny, 0, order), tl.where(is_upward | is_tiny, 1.0, size))
    tiny = _power_term(tl.where(is_tiny & (order >= 2), order, 0), size)
    result = tl.where(is_upward, up, tl.where(is_tiny, tiny, down))
    result = tl.where(size == float("inf"), 0.0, result)
    # Odd functions of x for odd orders, and J(-n) = (-1)**n J(n).
    flips = (order % 2 == 1) & ((n < 0) != (wide < 0))
    return tl.where(size != size, size, tl.where(flips, -result, result)).to(x.dtype)


@triton.jit
def yn(n, x):
    wide = x.to(tl.float64)
    n, wide = tl.broadcast(n, wide)
    order = tl.abs(n)
    safe = tl.where((wide > 0) & (wide < float("inf")), wide, 1.0)
    result = _upward(order, safe, _bessel_y(wide, 0), _bessel_y(wide, 1))
    result = tl.where((order % 2 == 1) & (n < 0), -result, result)
    result = tl.where(wide == float("inf"), 0.0, result)
    return tl.where((wide < 0) | (wide != wide), float("nan"), result).to(x.dtype)
"""

if __name__ == "__main__":
    text = HEAD + "".join(table(name, function, high) for name, (function, high) in TABLES.items()) + TAIL
    print(text, end="")
