"""Functions of libdevice, one table for all targets."""

# scripts/generate_reference.py writes this file: run it after a change of the language.

from typing import Any

from triton.language.core import tensor

def floor(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def rsqrt(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def ceil(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def trunc(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def exp2(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def sqrt(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def rint(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def nearbyint(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def sin(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def cos(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def sinpi(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def cospi(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def tan(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def log2(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def exp(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def exp10(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def cosh(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def sinh(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def tanh(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def atan(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def asin(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def acos(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def log(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def log10(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def log1p(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def acosh(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def asinh(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def atanh(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def expm1(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def cbrt(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def rcbrt(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def j0(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def j1(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def y0(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def y1(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def cyl_bessel_i0(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def cyl_bessel_i1(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def erf(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def erfinv(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def erfc(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def erfcx(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def erfcinv(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def normcdfinv(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def normcdf(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def lgamma(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def tgamma(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def round(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def logb(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def copysign(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def nextafter(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def atan2(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def hypot(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def rhypot(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def fmod(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def remainder(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def fdim(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def norm3d(arg0, arg1, arg2) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def rnorm3d(arg0, arg1, arg2) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def fma(arg0, arg1, arg2) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def norm4d(arg0, arg1, arg2, arg3) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def rnorm4d(arg0, arg1, arg2, arg3) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def fma_rn(arg0, arg1, arg2) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def div_rn(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def rcp_rn(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def sqrt_rn(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def add_rn(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def sub_rn(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def mul_rn(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def double2float_rn(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def double2int_rn(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def double2uint_rn(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def double2ll_rn(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def double2ull_rn(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def float2int_rn(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def float2uint_rn(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def float2ll_rn(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def float2ull_rn(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def int2float_rn(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def uint2float_rn(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def ll2float_rn(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def ull2float_rn(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def ll2double_rn(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def ull2double_rn(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def fma_rz(arg0, arg1, arg2) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def div_rz(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def rcp_rz(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def sqrt_rz(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def add_rz(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def sub_rz(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def mul_rz(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def double2float_rz(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def double2int_rz(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def double2uint_rz(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def double2ll_rz(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def double2ull_rz(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def float2int_rz(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def float2uint_rz(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def float2ll_rz(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def float2ull_rz(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def int2float_rz(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def uint2float_rz(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def ll2float_rz(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def ull2float_rz(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def ll2double_rz(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def ull2double_rz(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def fma_rd(arg0, arg1, arg2) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def div_rd(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def rcp_rd(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def sqrt_rd(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def add_rd(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def sub_rd(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def mul_rd(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def double2float_rd(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def double2int_rd(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def double2uint_rd(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def double2ll_rd(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def double2ull_rd(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def float2int_rd(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def float2uint_rd(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def float2ll_rd(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def float2ull_rd(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def int2float_rd(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def uint2float_rd(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def ll2float_rd(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def ull2float_rd(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def ll2double_rd(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def ull2double_rd(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def fma_ru(arg0, arg1, arg2) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def div_ru(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def rcp_ru(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def sqrt_ru(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def add_ru(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def sub_ru(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def mul_ru(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def double2float_ru(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def double2int_ru(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def double2uint_ru(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def double2ll_ru(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def double2ull_ru(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def float2int_ru(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def float2uint_ru(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def float2ll_ru(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def float2ull_ru(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def int2float_ru(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def uint2float_ru(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def ll2float_ru(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def ull2float_ru(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def ll2double_ru(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def ull2double_ru(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def int2double_rn(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def uint2double_rn(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def rsqrt_rn(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def clz(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def popc(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def ffs(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def brev(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def byte_perm(arg0, arg1, arg2) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def mulhi(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def mul24(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def sad(arg0, arg1, arg2) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def hadd(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def rhadd(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def abs(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def rcp64h(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def saturatef(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def fast_dividef(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def fast_powf(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def fast_sinf(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def fast_cosf(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def fast_log2f(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def fast_logf(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def fast_expf(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def fast_tanf(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def fast_exp10f(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def fast_log10f(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def fast_tanhf(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def hiloint2double(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def double2loint(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def double2hiint(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def int_as_float(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def float_as_int(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def uint_as_float(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def float_as_uint(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def longlong_as_double(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def double_as_longlong(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def llrint(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def llround(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def ilogb(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def signbit(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def isnan(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def isinf(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def finitef(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def isfinited(arg0) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def yn(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def jn(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def ldexp(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def scalbn(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...

def pow(arg0, arg1) -> tensor:
    """The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be ones it has a form for."""
    ...
