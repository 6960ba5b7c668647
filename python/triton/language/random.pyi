"""Random numbers, counter-based."""

# scripts/generate_reference.py writes this file: run it after a change of the language.

from typing import Any

from .core import tensor, tensor_descriptor

N_ROUNDS_DEFAULT: Any

def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds=10) -> tuple[tensor, tensor, tensor, tensor]:
    """`n_rounds` rounds of Philox on four words of state and two of key, all uint32 or all uint64."""
    ...

def philox(seed, c0, c1, c2, c3, n_rounds=10) -> tuple[tensor, tensor, tensor, tensor]:
    """Philox on the counter (c0, c1, c2, c3), whose width, 32 or 64 bits, chooses the variant; `seed` is the key."""
    ...

def randint4x(seed, offset, n_rounds=10) -> tuple[tensor, tensor, tensor, tensor]:
    """Four blocks of random uint32 for a seed and a block of offsets: the cheapest way to many numbers."""
    ...

def randint(seed, offset, n_rounds=10) -> tensor:
    """A block of random uint32 for a seed and a block of offsets."""
    ...

def uint_to_uniform_float(x) -> tensor:
    """A random integer of 32 or 64 bits as a float32 from 0 up to but not including 1."""
    ...

def rand(seed, offset, n_rounds=10) -> tensor:
    """A block of random float32, uniform from 0 up to but not including 1."""
    ...

def rand4x(seed, offsets, n_rounds=10) -> tuple[tensor, tensor, tensor, tensor]:
    """Four blocks of random float32, uniform from 0 up to but not including 1."""
    ...

def pair_uniform_to_normal(u1, u2) -> tuple[tensor, tensor]:
    """Two independent uniform blocks as two independent normal ones (Box and Muller)."""
    ...

def randn(seed, offset, n_rounds=10) -> tensor:
    """A block of random float32 with mean 0 and variance 1."""
    ...

def randn4x(seed, offset, n_rounds=10) -> tuple[tensor, tensor, tensor, tensor]:
    """Four blocks of random float32 with mean 0 and variance 1."""
    ...
