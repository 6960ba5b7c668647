"""libdevice on targets without one: every function against Python, directed roundings against exact fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def unary_kernel(x, out, NAME: tl.constexpr, N: tl.constexpr):
    r = tl.arange(0, N)
    tl.store(out + r, getattr(libdevice, NAME)(tl.load(x + r)))


@triton.jit
def binary_kernel(x, y, out, NAME: tl.constexpr, N: tl.constexpr):
    r = tl.arange(0, N)
    tl.store(out + r, getattr(libdevice, NAME)(tl.load(x + r), tl.load(y + r)))


@triton.jit
def ternary_kernel(x, y, z, out, NAME: tl.constexpr, N: tl.constexpr):
    r = tl.arange(0, N)
    tl.store(out + r, getattr(libdevice, NAME)(tl.load(x + r), tl.load(y + r), tl.load(z + r)))


def call(name, *arguments, dtype=None):
    out = torch.zeros(arguments[0].shape, dtype=dtype or arguments[0].dtype)
    kernel = {1: unary_kernel, 2: binary_kernel, 3: ternary_kernel}[len(arguments)]
    kernel[(1,)](*arguments, out, name, arguments[0].numel())
    return out


def normal_cdf(x):
    return 0.5 * math.erfc(-x / math.sqrt(2))


def inverse(function, y, low, high):
    """Where a growing function is y."""
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < y else (low, middle)
    return low


UNARY = {
    "rcbrt": (lambda x: 1 / math.copysign(abs(x) ** (1 / 3), x), -50, 50),
    "exp10": (lambda x: 10.0**x, -30, 30),
    "sinpi": (lambda x: math.sin(math.pi * math.remainder(x, 2)), -8, 8),
    "cospi": (lambda x: math.cos(math.pi * math.remainder(x, 2)), -8, 8),
    "lgamma": (math.lgamma, -5, 40),
    "tgamma": (math.gamma, -5, 20),
    "erfinv": (lambda y: inverse(math.erf, y, -10, 10), -1, 1),
    "erfcinv": (lambda y: -inverse(lambda x: math.erfc(-x), y, -30, 10), 0, 2),
    "normcdf": (normal_cdf, -10, 10),
    "normcdfinv": (lambda y: inverse(normal_cdf, y, -40, 10), 0, 1),
    "erfcx": (lambda x: math.exp(x * x) * math.erfc(x), -4, 20),
    "logb": (lambda x: float(math.frexp(x)[1] - 1), -1e5, 1e5),
    "rsqrt_rn": (lambda x: 1 / math.sqrt(x), 0, 9),
}


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_unary(name, dtype):
    if name == "rsqrt_rn" and dtype == torch.float64:
        pytest.skip("float32 only")
    function, low, high = UNARY[name]
    x = torch.from_numpy(np.random.default_rng(1).uniform(low, high, 256)).to(dtype)
    expected = np.array([function(v) for v in x.tolist()])
    tolerance = 2e-7 if dtype == torch.float32 else 1e-12
    np.testing.assert_allclose(call(name, x).double().numpy(), expected, rtol=tolerance, atol=tolerance)


def test_special_values(vendor):
    x = torch.tensor([0.0, -0.0, 1.0, -2.0, math.inf, -math.inf, math.nan, 1e-40])
    assert call("isnan", x, dtype=torch.int32).tolist() == [0, 0, 0, 0, 0, 0, 1, 0]
    assert call("isinf", x, dtype=torch.int32).tolist() == [0, 0, 0, 0, 1, 1, 0, 0]
    assert call("finitef", x, dtype=torch.int32).tolist() == [1, 1, 1, 1, 0, 0, 0, 1]
    assert call("signbit", x, dtype=torch.int32).tolist()[:6] == [0, 1, 0, 1, 0, 1]
    assert call("ilogb", x, dtype=torch.int32).tolist() == [
        -(2**31),
        -(2**31),
        0,
        1,
        2**31 - 1,
        2**31 - 1,
        -(2**31),
        -(2**31) if vendor == "cuda" else -133,  # libdevice is told to take denormal numbers for zeros
    ]
    assert call("float2int_rz", x * 1e10, dtype=torch.int32).tolist() == [
        0,
        0,
        2**31 - 1,
        -(2**31),
        2**31 - 1,
        -(2**31),
        0,
        0,
    ]
    assert torch.isinf(call("lgamma", x)[:2]).all() and torch.isnan(call("tgamma", x)[3])


def bits(x):
    return x.view(torch.int32 if x.dtype == torch.float32 else torch.int64)


ROUND = ["rn", "rz", "rd", "ru"]


def rounded(exact, dtype, mode):
    """The float of `dtype` that an exact fraction rounds to."""
    nearest = np.float32(float(exact)) if dtype == torch.float32 else np.float64(float(exact))
    # float() rounds to float64 first: settle the neighbour exactly.
    candidates = [np.nextafter(nearest, type(nearest)(-np.inf)), nearest, np.nextafter(nearest, type(nearest)(np.inf))]
    below = max(c for c in candidates if Fraction(float(c)) <= exact)
    above = min(c for c in candidates if Fraction(float(c)) >= exact)
    if mode == "rn":
        # Of two equally near the one with an even mantissa.
        even = lambda c: c.view("int32" if dtype == torch.float32 else "int64") & 1
        return min((below, above), key=lambda c: (abs(Fraction(float(c)) - exact), even(c)))
    return {"rd": below, "ru": above, "rz": below if exact > 0 else above}[mode]


OPERATIONS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "fma": lambda a, b, c: a * b + c,
}


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("mode", ROUND)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_directed_arithmetic(operation, mode, dtype):
    generator = np.random.default_rng(7)
    count = 3 if operation == "fma" else 2
    operands = [
        torch.from_numpy(generator.standard_normal(64) * 10.0 ** generator.integers(-6, 6, 64)).to(dtype)
        for _ in range(count)
    ]
    result = call(f"{operation}_{mode}", *operands)
    for got, *values in zip(result.tolist(), *(operand.tolist() for operand in operands)):
        expected = rounded(OPERATIONS[operation](*map(Fraction, values)), dtype, mode)
        assert got == expected, (values, got, expected)


@pytest.mark.parametrize("mode", ROUND)
def test_directed_roots_and_conversions(mode):
    generator = np.random.default_rng(3)
    x = torch.from_numpy(generator.uniform(0, 1e6, 64)).float()
    for value, got in zip(x.tolist(), call(f"sqrt_{mode}", x).tolist()):
        below = Fraction(got) ** 2 <= Fraction(value)
        assert below or mode in ("rn", "ru"), (value, got)
        assert (not below) or Fraction(got) ** 2 == Fraction(value) or mode in ("rn", "rd", "rz"), (value, got)
    d = torch.from_numpy(generator.standard_normal(64) * 1e3)
    assert [float(rounded(Fraction(v), torch.float32, mode)) for v in d.tolist()] == call(
        f"double2float_{mode}", d, dtype=torch.float32
    ).tolist()
    n = torch.from_numpy(generator.integers(-(2**62), 2**62, 64))
    for target, suffix in ((torch.float32, "float"), (torch.float64, "double")):
        got = call(f"ll2{suffix}_{mode}", n, dtype=target).tolist()
        assert got == [float(rounded(Fraction(v), target, mode)) for v in n.tolist()]
    whole = {"rn": round, "rz": math.trunc, "rd": math.floor, "ru": math.ceil}[mode]
    assert call(f"double2int_{mode}", d, dtype=torch.int32).tolist() == [whole(v) for v in d.tolist()]
    assert call(f"float2ll_{mode}", d.float(), dtype=torch.int64).tolist() == [whole(v) for v in d.float().tolist()]


def test_bits():
    x = torch.from_numpy(np.random.default_rng(5).integers(-(2**31), 2**31, 64)).int()
    x[:4] = torch.tensor([0, 1, -1, -(2**31)])
    words = [v & 0xFFFFFFFF for v in x.tolist()]
    assert call("popc", x).tolist() == [w.bit_count() for w in words]
    assert call("clz", x).tolist() == [32 - w.bit_length() for w in words]
    assert call("ffs", x).tolist() == [(w & -w).bit_length() for w in words]
    assert [v & 0xFFFFFFFF for v in call("brev", x).tolist()] == [int(f"{w:032b}"[::-1], 2) for w in words]
    y = x.flip(0).contiguous()
    assert call("mulhi", x, y).tolist() == [(a * b) >> 32 for a, b in zip(x.tolist(), y.tolist())]
    assert call("hadd", x, y).tolist() == [(a + b) >> 1 for a, b in zip(x.tolist(), y.tolist())]
    assert call("rhadd", x, y).tolist() == [(a + b + 1) >> 1 for a, b in zip(x.tolist(), y.tolist())]
    wide = x.long() * 4294967297
    assert call("popc", wide, dtype=torch.int32).tolist() == [(w & (2**64 - 1)).bit_count() for w in wide.tolist()]
    assert call("clz", wide, dtype=torch.int32).tolist() == [64 - (w & (2**64 - 1)).bit_length() for w in wide.tolist()]
    assert torch.equal(call("float_as_int", call("int_as_float", x, dtype=torch.float32), dtype=torch.int32), x)
    selectors = (torch.arange(64) * 4369 & 0x7777).int()
    both = [(w, v & 0xFFFFFFFF, s) for w, v, s in zip(words, y.tolist(), selectors.tolist())]
    source = [(a | b << 32).to_bytes(8, "little") for a, b, _ in both]
    expected = [sum(source[i][s >> 4 * j & 7] << 8 * j for j in range(4)) for i, (_, _, s) in enumerate(both)]
    assert [v & 0xFFFFFFFF for v in call("byte_perm", x, y, selectors).tolist()] == expected


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_binary(dtype):
    generator = np.random.default_rng(9)
    x = torch.from_numpy(generator.standard_normal(64) * 100).to(dtype)
    y = torch.from_numpy(generator.standard_normal(64)).to(dtype)
    tolerance = 3e-7 if dtype == torch.float32 else 1e-13
    for name, function in {
        "hypot": math.hypot,
        "rhypot": lambda a, b: 1 / math.hypot(a, b),
        "fmod": math.fmod,
        "remainder": math.remainder,
        "fdim": lambda a, b: max(a - b, 0.0),
    }.items():
        expected = [function(a, b) for a, b in zip(x.tolist(), y.tolist())]
        np.testing.assert_allclose(
            call(name, x, y).double().numpy(), expected, rtol=tolerance, atol=tolerance, err_msg=name
        )
    assert torch.equal(bits(call("nextafter", x, y)), bits(torch.nextafter(x, y)))
    n = torch.arange(-32, 32).int() * 3
    np.testing.assert_array_equal(call("ldexp", x, n).numpy(), np.ldexp(x.numpy(), n.numpy()))
    small = torch.arange(64).int() % 7
    np.testing.assert_allclose(
        call("pow", y, small).double().numpy(), y.double().numpy() ** small.numpy(), rtol=1e-6, atol=1e-30
    )
    np.testing.assert_allclose(
        call("norm3d", x, y, y).double().numpy(), (x.double() ** 2 + 2 * y.double() ** 2).sqrt(), rtol=tolerance
    )


def bessel_arguments(dtype):
    random = np.random.default_rng(3)
    x = np.concatenate([random.uniform(0, 8, 100), random.uniform(8, 40, 60), random.uniform(40, 2000, 40)])
    x = np.concatenate([x, 10 ** random.uniform(-12, 0, 40), [8.0, 7.999, 8.001, 1e-30, 5e-5, 1e4, 2e5, 3.0] * 2])
    return torch.from_numpy(x[:256]).to(dtype)


# Absolute below 1, relative above: near their zeros no function of a rounded argument is relatively accurate.
def assert_near(found, expected, dtype):
    tolerance = 3e-7 if dtype == torch.float32 else 4e-15
    error = np.abs(found.double().numpy() - expected) / np.maximum(
        np.abs(expected), 1e-3 if dtype == torch.float64 else 1
    )
    limit = tolerance if dtype == torch.float32 else 1e3 * tolerance
    assert error.max() < limit, (error.max(), error.argmax())


def skip_accuracy_of_libdevice(device):
    if device != "cpu":
        pytest.skip("NVIDIA's own functions, with the errors NVIDIA states for them; orders below 0 are NaN")


@pytest.mark.parametrize("name", ["j0", "j1", "y0", "y1", "cyl_bessel_i0", "cyl_bessel_i1"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_bessel(name, dtype, device):
    skip_accuracy_of_libdevice(device)
    mpmath = pytest.importorskip("mpmath")
    function = {"j": mpmath.besselj, "y": mpmath.bessely, "c": mpmath.besseli}[name[0]]
    x = bessel_arguments(dtype)
    if name.startswith("c"):
        x = torch.where(x > 80, x % 80, x)
    expected = np.array([float(function(int(name[-1]), mpmath.mpf(v))) for v in x.tolist()])
    assert_near(call(name, x), expected, dtype)
    if name[0] != "y":
        sign = -1 if name.endswith("1") else 1
        assert torch.equal(call(name, -x), sign * call(name, x))


def test_modified_bessel_against_torch():
    x = torch.linspace(-60, 60, 256, dtype=torch.float64)
    for order, function in enumerate([torch.special.modified_bessel_i0, torch.special.modified_bessel_i1]):
        torch.testing.assert_close(call(f"cyl_bessel_i{order}", x), function(x), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", ["jn", "yn"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_bessel_of_any_order(name, dtype, device):
    skip_accuracy_of_libdevice(device)
    mpmath = pytest.importorskip("mpmath")
    function = mpmath.besselj if name == "jn" else mpmath.bessely
    random = np.random.default_rng(4)
    n = torch.from_numpy(random.integers(-3, 30, 256).astype(np.int32))
    x = torch.from_numpy(np.concatenate([random.uniform(0.5, 60, 224), 10 ** random.uniform(-3, 0, 32)])).to(dtype)
    expected = np.array([float(function(k, mpmath.mpf(v))) for k, v in zip(n.tolist(), x.tolist())])
    out = torch.zeros_like(x)
    binary_kernel[(1,)](n, x, out, name, 256)
    expected = expected.astype(np.float32).astype(np.float64) if dtype == torch.float32 else expected
    is_finite = np.isfinite(expected)
    assert np.array_equal(np.isfinite(out.double().numpy()), is_finite)
    tolerance = 1e-5 if dtype == torch.float32 else 1e-11
    np.testing.assert_allclose(out.double().numpy()[is_finite], expected[is_finite], rtol=tolerance, atol=tolerance)


def test_bessel_at_the_edges():
    inf, nan = float("inf"), float("nan")
    x = torch.tensor([0.0, inf, -inf, nan], dtype=torch.float64)
    expected = {
        "j0": [1.0, 0.0, 0.0, nan], "j1": [0.0, 0.0, 0.0, nan], "y0": [-inf, 0.0, nan, nan], "y1": [-inf, 0.0, nan, nan],
        "cyl_bessel_i0": [1.0, inf, inf, nan], "cyl_bessel_i1": [0.0, inf, -inf, nan],
    }  # fmt: skip
    for name, values in expected.items():
        np.testing.assert_allclose(call(name, x).numpy(), values, rtol=1e-15, err_msg=name)
