"""Conversions between formats of floats and integers, exhaustively where there are few numbers, against torch and exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from arrays import FLOATS, INTS, TORCH, UINTS, bits, random_bits, values


@triton.jit
def cast_kernel(x_ptr, out_ptr, n, ROUNDING: tl.constexpr, BITCAST: tl.constexpr, TO: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + i, mask=i < n)
    y = x.to(TO, fp_downcast_rounding=ROUNDING, bitcast=BITCAST)
    tl.static_assert(y.dtype == TO)
    tl.store(out_ptr + i, y, mask=i < n)


def convert(x, dtype, to, rounding=None, bitcast=False):
    """`to` is the type in the language, `dtype` that of the memory it is stored in."""
    out = torch.zeros(x.numel(), dtype=dtype)
    cast_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), rounding, bitcast, to, 1024)
    return out


EIGHT = {
    "fp8e5": (tl.float8e5, torch.float8_e5m2, 2, 15, 57344.0),
    "fp8e4nv": (tl.float8e4nv, torch.float8_e4m3fn, 3, 7, 448.0),
}
EVERY_HALF = torch.arange(65536, dtype=torch.int32).to(torch.uint16).view(torch.float16)


@pytest.mark.parametrize("wide", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("kind", EIGHT)
def test_from_eight_bits(kind, wide):
    to, stored, *_ = EIGHT[kind]
    x = torch.arange(256, dtype=torch.int32).to(torch.uint8).view(stored)
    out = convert(x, TORCH[wide], getattr(tl, wide))
    torch.testing.assert_close(out, x.to(TORCH[wide]), rtol=0, atol=0, equal_nan=True)


def nearest(x, mantissa, bias, largest):
    """`x` rounded to nearest, ties to even, in a format of this many bits of mantissa; what is too large is the largest."""
    x = np.asarray(x, dtype="float64")
    with np.errstate(all="ignore"):
        exponent = np.maximum(np.floor(np.log2(np.abs(x))), 1 - bias)
        exponent[x == 0] = 1 - bias
        unit = np.exp2(exponent - mantissa)
        rounded = np.clip(np.rint(x / unit) * unit, -largest, largest)
    return np.where(np.isnan(x), np.nan, np.where(np.isinf(x), np.sign(x) * largest, rounded))


@pytest.mark.parametrize("kind", EIGHT)
def test_every_half_to_eight_bits(kind):
    to, stored, mantissa, bias, largest = EIGHT[kind]
    out = convert(EVERY_HALF, stored, to).double().numpy()
    np.testing.assert_array_equal(out, nearest(EVERY_HALF.double().numpy(), mantissa, bias, largest))


@pytest.mark.parametrize("wide", ["bfloat16", "float32"])
@pytest.mark.parametrize("kind", EIGHT)
def test_wider_to_eight_bits(kind, wide):
    """Halves, what lies just beside them, and numbers beyond."""
    to, stored, mantissa, bias, largest = EIGHT[kind]
    x = EVERY_HALF[::7].float()
    x = torch.cat(
        [x, x * (1 + 2**-12), x * (1 - 2**-12), torch.tensor([1e30, -1e30, 1e-30, 3.4e38, 1e-45, float("inf")])]
    )
    x = x.to(TORCH[wide])
    out = convert(x, stored, to).double().numpy()
    np.testing.assert_array_equal(out, nearest(x.double().numpy(), mantissa, bias, largest))


@triton.jit
def bias_15_kernel(codes_ptr, exact_ptr, back_ptr, forth_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    code = tl.load(codes_ptr + i, mask=i < n, other=0).to(tl.float8e4b15, bitcast=True)
    tl.store(back_ptr + i, code.to(exact_ptr.dtype.element_ty), mask=i < n)
    exact = tl.load(exact_ptr + i, mask=i < n, other=0.0)
    tl.store(forth_ptr + i, exact.to(tl.float8e4b15).to(tl.int8, bitcast=True), mask=i < n)


@pytest.mark.parametrize("wide", ["float16", "float32"])
def test_eight_bits_of_bias_15(wide):
    """Exact below what it holds at most, 1.75; the same number back."""
    codes = torch.cat([torch.arange(0, 127), torch.arange(128, 255)]).to(torch.uint8).view(torch.int8)
    number = codes.view(torch.uint8).int()
    exponent, mantissa = (number >> 3) & 15, number & 7
    exact = torch.where(exponent == 0, mantissa / 8 * 2.0**-14, (1 + mantissa / 8) * 2.0 ** (exponent - 15.0))
    exact = torch.where(number >= 128, -exact, exact).to(TORCH[wide])
    back, forth = torch.zeros_like(exact), torch.zeros_like(codes)
    bias_15_kernel[(1,)](codes, exact, back, forth, codes.numel(), 256)
    assert torch.equal(back, exact)
    same = torch.from_numpy(bits(forth) == bits(codes)) | (exact == 0)
    assert same.all()


@pytest.mark.parametrize("narrow", ["float16", "bfloat16"])
def test_float_to_sixteen_bits(narrow):
    generator = np.random.default_rng(1)
    x = torch.from_numpy(generator.integers(0, 2**32, 1 << 14, dtype="uint32").view("float32"))
    out = convert(x, TORCH[narrow], getattr(tl, narrow))
    torch.testing.assert_close(out, x.to(TORCH[narrow]), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("narrow, mantissa, least", [("float16", 10, -14), ("bfloat16", 7, -126)])
def test_toward_zero(narrow, mantissa, least):
    x = torch.from_numpy(np.random.default_rng(2).standard_normal(4096).astype("float32"))
    x = torch.cat([x, x * 2.0 ** (least + 1), x * 1000])
    out = convert(x, TORCH[narrow], getattr(tl, narrow), "rtz").double().numpy()
    exact = x.double().numpy()
    exponent = np.maximum(np.floor(np.log2(np.abs(exact))), least)
    unit = np.exp2(exponent - mantissa)
    np.testing.assert_array_equal(out, np.trunc(exact / unit) * unit)


@pytest.mark.parametrize("target", INTS + UINTS)
@pytest.mark.parametrize("source", FLOATS)
def test_float_to_integer_truncates(source, target):
    info = np.iinfo(target)
    low, high = max(info.min, -60000), min(info.max, 60000)
    x = values(source, 2048, 3, low, high)
    x = torch.cat([x, torch.tensor([0.99, 1.5, 2.5, 0.0]).to(TORCH[source])])
    if info.min < 0:
        x = torch.cat([x, torch.tensor([-0.99, -1.5, -2.5, -0.0]).to(TORCH[source])])
    x = x[(x.double() > low - 1) & (x.double() < high + 1)].contiguous()
    out = convert(x, TORCH[target], getattr(tl, target))
    np.testing.assert_array_equal([int(v) for v in out.tolist()], [int(v) for v in x.double().tolist()])


@pytest.mark.parametrize("target", FLOATS)
@pytest.mark.parametrize("source", ["bool"] + INTS + UINTS)
def test_integer_to_float_rounds_to_even(source, target):
    x = values(source, 2048, 4)
    out = convert(x, TORCH[target], getattr(tl, target))
    digits = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}[target]
    largest = {"float16": 65504}.get(target, float("inf"))

    def rounded(number):
        if number == 0:
            return 0.0
        unit = Fraction(2) ** max(abs(number).bit_length() - digits, 0)
        result = float(round(Fraction(number) / unit) * unit)
        return result if abs(result) <= largest else float("inf") * (1 if number > 0 else -1)

    np.testing.assert_array_equal(out.double().numpy(), [rounded(int(v)) for v in x.tolist()])


@pytest.mark.parametrize("target", INTS + UINTS)
@pytest.mark.parametrize("source", ["bool"] + INTS + UINTS)
def test_integer_to_integer(source, target):
    x = values(source, 512, 5)
    out = convert(x, TORCH[target], getattr(tl, target))
    np.testing.assert_array_equal(out.numpy(), x.numpy().astype(target))


@pytest.mark.parametrize("source", INTS + UINTS + FLOATS)
def test_to_truth(source):
    x = values(source, 512, 6)
    x[::3] = 0
    if source in FLOATS:
        x[1], x[2], x[4] = float("nan"), -0.0, float("inf")
    out = convert(x, torch.bool, tl.int1)
    expected = torch.tensor([v != 0 for v in x.tolist()])
    assert torch.equal(out, expected)


SAME = [("int8", "uint8"), ("uint8", "float8_e5m2"), ("int16", "float16"), ("bfloat16", "uint16"), ("float32", "int32"),
        ("uint32", "float32"), ("float64", "int64"), ("uint64", "float64"), ("float16", "bfloat16")]  # fmt: skip


@pytest.mark.parametrize("source, target", SAME)
def test_bitcasts(source, target):
    x = random_bits(source, 1024, 7)
    kind = {"float8_e5m2": tl.float8e5}.get(target) or getattr(tl, target)
    out = convert(x, getattr(torch, target), kind, bitcast=True)
    np.testing.assert_array_equal(bits(out), bits(x))


@triton.jit
def few_bits_kernel(x_ptr, out_ptr, KIND: tl.constexpr, TARGET: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    if KIND == "nibbles":
        x = ((x >> 4) & 15) - 8
    elif KIND == "nine bits":
        x = (x & 511) + 300
    elif KIND == "negative":
        x = -(x & 63) - 1
    elif KIND == "bytes":
        x = x.to(tl.int8)
    elif KIND == "unsigned bytes":
        x = x.to(tl.uint8)
    tl.store(out_ptr + i, x.to(TARGET).to(tl.float32))


@pytest.mark.parametrize("target", [tl.float16, tl.bfloat16], ids=str)
@pytest.mark.parametrize("kind", ["nibbles", "nine bits", "negative", "bytes", "unsigned bytes"])
def test_integers_of_few_bits(kind, target):
    x = torch.arange(-1024, 1024, dtype=torch.int32)
    out = torch.empty(x.numel())
    few_bits_kernel[(1,)](x, out, kind, target, x.numel())
    expected = {
        "nibbles": ((x >> 4) & 15) - 8,
        "nine bits": (x & 511) + 300,
        "negative": -(x & 63) - 1,
        "bytes": x.to(torch.int8),
        "unsigned bytes": x.to(torch.uint8),
    }[kind]
    narrow = torch.float16 if target == tl.float16 else torch.bfloat16
    assert torch.equal(out, expected.to(narrow).float())


@triton.jit
def chained_kernel(x_ptr, out_ptr, TO: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(TO).to(tl.int64))
    for k in range(N):  # scalars
        tl.store(out_ptr + N + k, tl.load(x_ptr + k).to(TO).to(tl.int64))


def on_cuda():
    return not triton.knobs.runtime.interpret and triton.runtime.driver.active.get_current_target().backend == "cuda"


@pytest.mark.parametrize("to", INTS + UINTS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_integers_that_do_not_fit(dtype, to):
    """The nearest number, of NaN zero (docs/reference/numbers.md): also where the result is used without being stored."""
    far = [0.0, -0.0, 0.75, -0.75, 127.5, 128.0, -128.5, -129.0, 255.5, 256.0, 32768.0, -40000.0, 65504.0]
    if dtype != "float16":
        far += [2.0**31, -(2.0**31), 2.0**32, -1e10, 2.0**63, -(2.0**63), 2.0**64, -1e30, 3e38]
    far += [float("inf"), float("-inf")]
    if not on_cuda() or dtype != "float64" and not to.endswith("64"):  # of 64 bits it is not zero there (numbers.md)
        far.append(float("nan"))
    x = torch.tensor(far, dtype=torch.float64).to(TORCH[dtype])
    x = torch.cat([x, torch.zeros(32 - len(x), dtype=x.dtype)])
    out = torch.zeros(64, dtype=torch.int64)
    chained_kernel[(1,)](x, out, getattr(tl, to), 32)
    info = np.iinfo(to)
    exact = [0 if v != v else info.max if v > info.max else info.min if v < info.min else int(v) for v in x.tolist()]
    wrapped = [v - 2**64 if v >= 2**63 else v for v in exact]
    assert out.tolist() == wrapped + wrapped
    if to != "uint64":
        assert convert(x, TORCH[to], getattr(tl, to)).tolist() == exact
