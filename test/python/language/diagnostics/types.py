"""Kernels whose operand types are wrong."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def bitwise_float(p, x):
    tl.store(p, x & 1)


@triton.jit
def shift_float(p, x, n):
    tl.store(p, n << x)


@triton.jit
def pointer_times(p, n):
    tl.load(p * n)


@triton.jit
def pointer_plus_float(p, x):
    tl.load(p + x)


@triton.jit
def int_minus_pointer(p, n):
    tl.load(n - p)


@triton.jit
def pointer_comparison(p, n):
    tl.store(p, p < p)


@triton.jit
def add_pointers(p):
    tl.load(p + p)


@triton.jit
def where_pointers(p, f, n):
    tl.load(tl.where(n > 0, p, f))


@triton.jit
def division_signedness(p, n, u):
    tl.store(p, n // tl.load(u))


@triton.jit
def remainder_signedness(p, n, w):
    tl.store(p, n % tl.load(w))


@triton.jit
def true_division_signedness(p, n, w):
    tl.store(p, n / tl.load(w))


@triton.jit
def negative_with_unsigned(p, u):
    tl.store(p, tl.load(u) + (-1))


@triton.jit
def literal_out_of_range(p, b):
    tl.store(p, tl.load(b) + 200)


@triton.jit
def literal_out_of_range_unsigned(p, u):
    tl.store(p, tl.load(u) + 256)


@triton.jit
def wide_literal(p, n):
    tl.store(p, n + 2**56)


@triton.jit
def unrepresentable_integer(p):
    x = 2**64
    tl.store(p, x)


@triton.jit
def string_to_tensor(p):
    tl.store(p, "text")


@triton.jit
def dtype_to_tensor(p):
    tl.store(p, tl.float32)


@triton.jit
def floor_division_floats(p, x):
    tl.store(p, x // 2.0)


@triton.jit
def clamp_pointers(p, n):
    tl.store(p, tl.clamp(p, 0, 3))


@triton.jit
def exp_of_integer(p, n):
    tl.store(p, tl.exp(n))


@triton.jit
def exp_of_half(p, h):
    tl.store(p, tl.exp(tl.load(h)))


@triton.jit
def sqrt_rn_of_double(p, x):
    tl.store(p, tl.sqrt_rn(x.to(tl.float64)))


@triton.jit
def umulhi_of_bytes(p, u):
    tl.store(p, tl.umulhi(tl.load(u), tl.load(u)))


@triton.jit
def approximate_fdiv(p, d):
    tl.store(p, tl.fdiv(tl.load(d), 2.0, approx=True))


@triton.jit
def fdiv_of_integers(p, n):
    tl.store(p, tl.fdiv(n, n))


@triton.jit
def negate_pointer(p):
    tl.load(-p)


@triton.jit
def invert_float(p, x):
    tl.store(p, ~x)


@triton.jit
def invert_pointer(p):
    tl.load(~p)


@triton.jit
def bitcast_width(p, n):
    tl.store(p, n.to(tl.float16, bitcast=True))


@triton.jit
def rounding_of_integer(p, n):
    tl.store(p, n.to(tl.float32, fp_downcast_rounding="rtz"))


@triton.jit
def rounding_of_widening(p, h):
    tl.store(p, tl.load(h).to(tl.float32, fp_downcast_rounding="rtne"))


@triton.jit
def unknown_rounding(p, x):
    tl.store(p, x.to(tl.float16, fp_downcast_rounding="up"))


@triton.jit
def cast_pointer_to_int32(p):
    tl.store(p, p.to(tl.int32))


@triton.jit
def cast_float_to_pointer(p, x):
    tl.load(x.to(tl.pointer_type(tl.int32)))


@triton.jit
def cast_fp8_to_int(p, x):
    tl.store(p, x.to(tl.float8e5).to(tl.int32))


@triton.jit
def fp8_with_integer(p, x, n):
    tl.store(p, x.to(tl.float8e5) + n)


@triton.jit
def cast_without_dtype(p, x):
    tl.store(p, x.to(3))


@triton.jit
def libdevice_dtype(p, n):
    tl.store(p, libdevice.tanh(n))


@triton.jit
def float_seed(p, x):
    tl.store(p, tl.rand(x, tl.arange(0, 4)))


@triton.jit
def full_without_dtype(p):
    tl.store(p, tl.full((4,), 1))


@triton.jit
def full_float_as_int(p):
    tl.store(p, tl.full((4,), 1.5, tl.int32))


@triton.jit
def unary_minus_tuple(p, n):
    t = -(n, n)


@triton.jit
def xor_sum_of_floats(p, f):
    tl.store(p, tl.xor_sum(tl.load(f + tl.arange(0, 4)), 0))


@triton.jit
def constexpr_minimum_of_nan(p):
    tl.store(p, min(float("nan"), 1.0))


@triton.jit
def join_types(p, n, x):
    tl.join(n, x)


@triton.jit
def inline_asm_on_cpu(p, n):
    tl.store(p, tl.inline_asm_elementwise("add.s32 $0, $1, 1;", "=r,r", [n], tl.int32, True, 1))


@triton.jit
def inline_asm_of_floats_on_cpu(f, x):
    tl.store(f, tl.inline_asm_elementwise("mul.rn.f32 $0, $1, $2;", "=f,f,f", [x, x], tl.float32, True, 1))
