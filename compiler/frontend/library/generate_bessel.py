"""Writes the series in bessel.py anew: Chebyshev series of Bessel functions, whose coefficients mpmath gives. usage: generate_bessel.py"""

from pathlib import Path

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


def table(name, function, high):
    numbers = ", ".join(mp.nstr(c, 19) for c in coefficients(function, mpf(0), mpf(high)))
    return f"\n@triton.jit\ndef {name}(t):\n    return _chebyshev(t, ({numbers}))  # fmt: skip\n\n"


def main():
    """What stands between the comments that begin with "The series" and "Functions of" is replaced."""
    path = Path(__file__).with_name("bessel.py")
    text = path.read_text()
    begin = text.index("\n", text.index("# The series")) + 1
    end = text.index("\n# Functions of fixed order")
    series = "".join(table(name, function, high) for name, (function, high) in TABLES.items())
    path.write_text(f"{text[:begin]}\n{series}{text[end:]}")


if __name__ == "__main__":
    main()
