"""Random numbers from counters: the Philox generators. Equal seeds and offsets give equal numbers, in any program and on any target."""

import triton
import triton.language as tl


@triton.jit
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """`n_rounds` rounds of Philox on four words of state and two of key, all uint32 or all uint64."""
    if c0.dtype == tl.uint32:
        multiplier_a: tl.constexpr = 0xD2511F53
        multiplier_b: tl.constexpr = 0xCD9E8D57
        step_a: tl.constexpr = 0x9E3779B9
        step_b: tl.constexpr = 0xBB67AE85
    else:
        tl.static_assert(c0.dtype == tl.uint64, "dtype not supported in philox_impl")
        multiplier_a: tl.constexpr = 0xD2E7470EE14C6C93
        multiplier_b: tl.constexpr = 0xCA5A826395121157
        step_a: tl.constexpr = 0x9E3779B97F4A7C15
        step_b: tl.constexpr = 0xBB67AE8584CAA73B
    for _ in tl.static_range(n_rounds):
        old_c0, old_c2 = c0, c2
        c0 = tl.umulhi(multiplier_b, old_c2) ^ c1 ^ k0
        c2 = tl.umulhi(multiplier_a, old_c0) ^ c3 ^ k1
        c1 = tl.mul(old_c2, multiplier_b, sanitize_overflow=False)
        c3 = tl.mul(old_c0, multiplier_a, sanitize_overflow=False)
        k0 = tl.add(k0, step_a, sanitize_overflow=False)
        k1 = tl.add(k1, step_b, sanitize_overflow=False)
    return c0, c1, c2, c3


@triton.jit
def philox(seed, c0, c1, c2, c3, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Philox on the counter (c0, c1, c2, c3), whose width, 32 or 64 bits, chooses the variant; `seed` is the key."""
    seed = tl.core.to_tensor(seed)
    tl.static_assert(seed.dtype.is_int(), "the seed of a random number must be an integer")
    seed = seed.to(tl.uint64)
    c0 = tl.core.to_tensor(c0)
    c1 = tl.core.to_tensor(c1)
    c2 = tl.core.to_tensor(c2)
    c3 = tl.core.to_tensor(c3)
    if c0.dtype.primitive_bitwidth == 32:
        word: tl.constexpr = tl.uint32
        k0 = (seed & 0xFFFFFFFF).to(tl.uint32)
        k1 = (seed >> 32).to(tl.uint32)
    else:
        tl.static_assert(c0.dtype.primitive_bitwidth == 64, "bitwidth not supported in philox")
        word: tl.constexpr = tl.uint64
        k0 = seed
        k1 = tl.full((), 0, tl.uint64)
    c0 = c0.to(word, bitcast=True)
    c1 = c1.to(word, bitcast=True)
    c2 = c2.to(word, bitcast=True)
    c3 = c3.to(word, bitcast=True)
    return philox_impl(c0, c1, c2, c3, k0, k1, n_rounds)


@triton.jit
def randint4x(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Four blocks of random uint32 for a seed and a block of offsets: the cheapest way to many numbers."""
    offset = tl.core.to_tensor(offset)
    low = offset.to(tl.uint32)
    zero = tl.zeros_like(low)
    if offset.dtype.primitive_bitwidth > 32:
        high = (offset >> 32).to(tl.uint32)
    else:
        high = zero
    return philox(seed, low, high, zero, zero, n_rounds)


@triton.jit
def randint(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """A block of random uint32 for a seed and a block of offsets."""
    first, second, third, fourth = randint4x(seed, offset, n_rounds)
    return first


@triton.jit
def uint_to_uniform_float(x):
    """A random integer of 32 or 64 bits as a float32 from 0 up to but not including 1."""
    if x.dtype.primitive_bitwidth == 32:
        tl.static_assert(x.dtype.is_int(), "uint_to_uniform_float takes integers")
        signed = x.to(tl.int32, bitcast=True)
        scale: tl.constexpr = 4.6566127342e-10
    else:
        tl.static_assert(
            x.dtype.is_int() and x.dtype.primitive_bitwidth == 64,
            "uint_to_uniform_float takes integers of 32 or 64 bits",
        )
        signed = x.to(tl.int64, bitcast=True)
        scale: tl.constexpr = 1.0842020432385337e-19
    # ~x is -x - 1 without overflow.
    return tl.where(signed < 0, ~signed, signed) * scale


@triton.jit
def rand(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """A block of random float32, uniform from 0 up to but not including 1."""
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


@triton.jit
def rand4x(seed, offsets, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Four blocks of random float32, uniform from 0 up to but not including 1."""
    i1, i2, i3, i4 = randint4x(seed, offsets, n_rounds)
    return uint_to_uniform_float(i1), uint_to_uniform_float(i2), uint_to_uniform_float(i3), uint_to_uniform_float(i4)


@triton.jit
def pair_uniform_to_normal(u1, u2):
    """Two independent uniform blocks as two independent normal ones (Box and Muller)."""
    u1 = tl.maximum(1.0e-7, u1)
    angle = 6.283185307179586 * u2
    radius = tl.sqrt(-2.0 * tl.log(u1))
    return radius * tl.cos(angle), radius * tl.sin(angle)


@triton.jit
def randn(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """A block of random float32 with mean 0 and variance 1."""
    i1, i2, i3, i4 = randint4x(seed, offset, n_rounds)
    n1, n2 = pair_uniform_to_normal(uint_to_uniform_float(i1), uint_to_uniform_float(i2))
    return n1


@triton.jit
def randn4x(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Four blocks of random float32 with mean 0 and variance 1."""
    u1, u2, u3, u4 = rand4x(seed, offset, n_rounds)
    n1, n2 = pair_uniform_to_normal(u1, u2)
    n3, n4 = pair_uniform_to_normal(u3, u4)
    return n1, n2, n3, n4
