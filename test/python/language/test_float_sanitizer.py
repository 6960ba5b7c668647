"""instrumentation_mode="fpsan": integers modulo a power of 2 stand for floats. Against the same algebra in Python's integers."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl

pytestmark = [
    pytest.mark.skipif(triton.knobs.runtime.interpret, reason="interpreter mode computes with floats"),
    pytest.mark.runs,
]
WIDTHS = {torch.float64: 64, torch.float32: 32, torch.float16: 16, torch.bfloat16: 16, torch.float8_e5m2: 8}
INTEGERS = {64: torch.int64, 32: torch.int32, 16: torch.int16, 8: torch.uint8}


@pytest.fixture(autouse=True)
def fpsan():
    triton.knobs.compilation.instrumentation_mode = "fpsan"
    yield
    triton.knobs.compilation.instrumentation_mode = ""


def bits_of(tensor):
    width = WIDTHS[tensor.dtype]
    return [int(number) % (1 << width) for number in tensor.contiguous().view(INTEGERS[width]).flatten().tolist()]


class Payload:
    """The bijection between floats of a type and integers modulo 2^width, as Triton 3.9 has it."""

    def __init__(self, dtype):
        self.width = WIDTHS[dtype]
        self.modulus, self.half = 1 << self.width, 1 << (self.width - 1)
        (one,) = bits_of(torch.ones(1).to(dtype))
        self.shift = (one & -one).bit_length() - 1
        self.factor = 14940041 % self.half
        product = one * self.factor % self.half
        self.to_one = pow(product ^ product >> self.shift, -1, self.half)

    def embed(self, bits):
        magnitude = bits * self.factor % self.half
        sign, magnitude = bits & self.half, magnitude ^ magnitude >> self.shift
        return magnitude * (-self.to_one if sign else self.to_one) % self.half | sign

    def of(self, tensor):
        return [self.embed(bits) for bits in bits_of(tensor)]

    def signed(self, payload):
        payload %= self.modulus
        return payload - self.modulus if payload >= self.half else payload


def numbers(dtype, count=64, seed=0):
    torch.manual_seed(seed)
    bits = torch.randint(0, 256, (count * WIDTHS[dtype] // 8,), dtype=torch.uint8)
    return bits.view(dtype)


def equals(result, expected):
    """Whether a tensor of floats has these payloads."""
    map = Payload(result.dtype)
    return map.of(result) == [number % map.modulus for number in expected]


def test_the_bijection():
    for dtype in WIDTHS:
        map = Payload(dtype)
        assert map.of(torch.tensor([0.0, 1.0, -1.0]).to(dtype)) == [0, 1, map.modulus - 1]
    assert sorted(map.embed(bits) for bits in range(256)) == list(range(256))


@triton.jit
def arithmetic_kernel(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, a + b)
    tl.store(out + N + i, a - b)
    tl.store(out + 2 * N + i, a * b)
    tl.store(out + 3 * N + i, -a)
    tl.store(out + 4 * N + i, tl.fma(a, b, a))
    tl.store(out + 5 * N + i, tl.maximum(a, b))
    tl.store(out + 6 * N + i, tl.minimum(a, b))
    tl.store(out + 7 * N + i, a * 1.0 + 0.0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_arithmetic(dtype):
    x, y, out = numbers(dtype, seed=1), numbers(dtype, seed=2), torch.zeros(8, 64, dtype=dtype)
    arithmetic_kernel[(1,)](x, y, out, 64)
    map = Payload(dtype)
    pairs = list(zip(map.of(x), map.of(y)))
    assert equals(out[0], [a + b for a, b in pairs])
    assert equals(out[1], [a - b for a, b in pairs])
    assert equals(out[2], [a * b for a, b in pairs])
    assert equals(out[3], [-a for a, b in pairs])
    assert equals(out[4], [a * b + a for a, b in pairs])
    assert equals(out[5], [max(a, b, key=map.signed) for a, b in pairs])
    assert equals(out[6], [min(a, b, key=map.signed) for a, b in pairs])
    assert bits_of(out[7]) == bits_of(x)


@triton.jit
def functions_kernel(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, a / b)
    tl.store(out + N + i, 1 / (1 / a))
    tl.store(out + 2 * N + i, tl.exp2(a))
    tl.store(out + 3 * N + i, tl.exp(a))
    tl.store(out + 4 * N + i, tl.cos(a) * tl.cos(a) + tl.sin(a) * tl.sin(a))
    tl.store(out + 5 * N + i, tl.exp2(a + b) - tl.exp2(a) * tl.exp2(b))
    tl.store(out + 6 * N + i, tl.log(a))
    tl.store(out + 7 * N + i, tl.abs(a))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_functions(dtype):
    x, y, out = numbers(dtype, seed=3), numbers(dtype, seed=4), torch.zeros(8, 64, dtype=dtype)
    functions_kernel[(1,)](x, y, out, 64)
    map = Payload(dtype)
    inverses = [pow(b | 1, -1, map.modulus) & ~1 | b & 1 for b in map.of(y)]
    assert equals(out[0], [a * b for a, b in zip(map.of(x), inverses)])
    assert bits_of(out[1]) == bits_of(x)
    base = 1 + (1 << (map.width // 4))
    assert equals(out[2], [pow(base, a, map.modulus) for a in map.of(x)])
    assert equals(out[3], [pow(base, a * 648190581 % map.modulus, map.modulus) for a in map.of(x)])
    assert equals(out[4], [1] * 64) and equals(out[5], [0] * 64)
    logarithm = 0xB456BCFC34C2CB2C  # MurmurHash3's finaliser of 1
    assert equals(out[6], [(a * 314159 ^ logarithm % map.modulus) * 314159 for a in map.of(x)])
    assert bits_of(out[7]) == bits_of(x.abs())


@triton.jit
def cast_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(out.dtype.element_ty))


@pytest.mark.parametrize("is_homomorphic", [False, True])
@pytest.mark.parametrize(
    "source, target",
    [(torch.float32, torch.float16), (torch.float64, torch.bfloat16), (torch.float32, torch.float8_e5m2), (torch.float16, torch.float32), (torch.float8_e5m2, torch.float16)],
)  # fmt: skip
def test_casts(source, target, is_homomorphic):
    x, out = numbers(source), torch.zeros(64).to(target)
    cast_kernel[(1,)](x, out, 64, fpsan_homomorphic_casts=is_homomorphic)
    map, narrow = Payload(source), WIDTHS[target]
    expected = []
    for payload in map.of(x):
        if narrow < map.width and not is_homomorphic:
            kept = payload % (1 << narrow)
            extended = kept | (map.modulus - (1 << narrow) if kept >> (narrow - 1) else 0)
            factor = sum(0xDB7 % (1 << narrow) << at for at in range(0, map.width, narrow))
            folded = (payload ^ extended) * factor % map.modulus >> (map.width - narrow)
            expected.append(kept ^ folded ^ folded >> narrow // 2)
        else:
            expected.append(map.signed(payload))
    assert equals(out, expected)


@triton.jit
def split_kernel(x, out, N: tl.constexpr, PARTS: tl.constexpr):
    i = tl.arange(0, N // PARTS)
    total = 0.0
    for part in range(PARTS):
        total += tl.sum(tl.load(x + part * (N // PARTS) + i) * 3.0)
    tl.store(out, total)


def test_sums_do_not_depend_on_their_order():
    x = torch.randn(1024)
    results = set()
    for parts in (1, 2, 8, 32):
        out = torch.zeros(1)
        split_kernel[(1,)](x, out, 1024, parts)
        results.add(tuple(bits_of(out)))
    map = Payload(torch.float32)
    (three,) = map.of(torch.tensor([3.0]))
    assert len(results) == 1 and equals(out, [sum(map.of(x)) * three])


@triton.jit
def dot_kernel(a, b, c, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)
    left, right = tl.load(a + m * K + k[None, :]), tl.load(b + k[:, None] * N + n)
    tl.store(out + m * N + n, tl.dot(left, right, tl.load(c + m * N + n), input_precision="ieee"))


@pytest.mark.parametrize("shape", [(16, 16, 32), (64, 32, 64)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float8_e5m2])
def test_dots(dtype, shape):
    M, N, K = shape
    a, b = numbers(dtype, M * K, 5), numbers(dtype, K * N, 6)
    c, out = numbers(torch.float32, M * N, 7), torch.zeros(M * N)
    dot_kernel[(1,)](a, b, c, out, M, N, K)
    map, narrow = Payload(torch.float32), Payload(dtype)
    left = np.array([narrow.signed(x) for x in narrow.of(a)], dtype=object).reshape(M, K)
    right = np.array([narrow.signed(x) for x in narrow.of(b)], dtype=object).reshape(K, N)
    assert equals(out, list((left @ right).flatten() + np.array(map.of(c), dtype=object)))


@triton.jit
def zero_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.expect_zero(tl.exp(tl.load(x + i)), i < N // 2))


def test_what_is_expected_to_be_zero_is():
    x, out = numbers(torch.float32), torch.ones(64)
    zero_kernel[(1,)](x, out, 64)
    assert bits_of(out[:32]) == [0] * 32 and all(bits_of(out[32:]))


def test_without_it_floats_are_floats():
    x, y, out = torch.randn(64), torch.randn(64), torch.zeros(8, 64)
    arithmetic_kernel[(1,)](x, y, out, 64)
    triton.knobs.compilation.instrumentation_mode = ""
    arithmetic_kernel[(1,)](x, y, out, 64)
    torch.testing.assert_close(out[0], x + y)
