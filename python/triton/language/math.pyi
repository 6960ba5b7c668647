"""`tl.math`: elementwise mathematics."""

# scripts/generate_reference.py writes this file: run it after a change of the language.

from typing import Any

from .core import tensor, tensor_descriptor

def exp(x) -> tensor:
    """The exponential of each element, within about 2 ulp in float32. Takes float32 and float64."""
    ...

def exp2(x) -> tensor:
    """2 to the power of each element. Takes float32 and float64."""
    ...

def log(x) -> tensor:
    """The natural logarithm of each element. Takes float32 and float64."""
    ...

def log2(x) -> tensor:
    """The logarithm of each element to base 2. Takes float32 and float64."""
    ...

def cos(x) -> tensor:
    """The cosine of each element, in radians. Takes float32 and float64."""
    ...

def sin(x) -> tensor:
    """The sine of each element, in radians. Takes float32 and float64."""
    ...

def sqrt(x) -> tensor:
    """The square root of each element, fast. Takes float32 and float64."""
    ...

def rsqrt(x) -> tensor:
    """One over the square root of each element. Takes float32 and float64."""
    ...

def erf(x) -> tensor:
    """The error function of each element. Takes float32 and float64."""
    ...

def floor(x) -> tensor:
    """The largest integer not above each element, as a float. Takes float32 and float64."""
    ...

def ceil(x) -> tensor:
    """The smallest integer not below each element, as a float. Takes float32 and float64."""
    ...

def sqrt_rn(x) -> tensor:
    """The square root of each element, correctly rounded. Takes float32."""
    ...

def abs(x) -> tensor:
    """The absolute value of each element, of any number type."""
    ...

def fdiv(x, y, ieee_rounding=False, approx=False) -> tensor:
    """The quotient of two floats; from 3.9 on, operands meet in one type as those of `/` do.

    `ieee_rounding` asks for the correctly rounded quotient of float32 (from 3.8 on), `approx` for a fast one within 2 ulp, of float32 too.
    """
    ...

def div_rn(x, y) -> tensor:
    """The correctly rounded quotient. Takes float32."""
    ...

def fma(x, y, z) -> tensor:
    """`x * y + z` with a single rounding."""
    ...

def umulhi(x, y) -> tensor:
    """The high half of the product of two 32- or 64-bit integers, read as unsigned."""
    ...
