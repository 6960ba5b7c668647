"""Kernels whose matrix products are wrong."""

import triton
import triton.language as tl


@triton.jit
def ranks(p):
    tl.dot(tl.zeros((16, 16), tl.float32), tl.zeros((2, 16, 16), tl.float32))


@triton.jit
def rank_one(p):
    tl.dot(tl.zeros((16,), tl.float32), tl.zeros((16,), tl.float32))


@triton.jit
def batch(p):
    tl.dot(tl.zeros((2, 16, 16), tl.float32), tl.zeros((4, 16, 16), tl.float32))


@triton.jit
def inner_dims(p):
    tl.dot(tl.zeros((16, 32), tl.float32), tl.zeros((16, 16), tl.float32))


@triton.jit
def accumulator_shape(p):
    tl.dot(tl.zeros((16, 16), tl.float32), tl.zeros((16, 16), tl.float32), tl.zeros((16, 32), tl.float32))


@triton.jit
def accumulator_type(p):
    a = tl.zeros((16, 16), tl.float16)
    tl.dot(a, a, a, out_dtype=tl.float32)


@triton.jit
def integer_operands(p):
    tl.dot(tl.zeros((16, 16), tl.int32), tl.zeros((16, 16), tl.int32))


@triton.jit
def unsigned_operands(p):
    tl.dot(tl.zeros((16, 32), tl.uint8), tl.zeros((32, 16), tl.uint8))


@triton.jit
def mixed_operands(p):
    tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((16, 16), tl.float32))


@triton.jit
def bfloat_result(p):
    tl.dot(tl.zeros((16, 16), tl.bfloat16), tl.zeros((16, 16), tl.bfloat16), out_dtype=tl.bfloat16)


@triton.jit
def two_precisions(p):
    a = tl.zeros((16, 16), tl.float32)
    tl.dot(a, a, input_precision="ieee", allow_tf32=True)


@triton.jit
def unknown_precision(p):
    a = tl.zeros((16, 16), tl.float32)
    tl.dot(a, a, input_precision="fp8")


@triton.jit
def imprecise_count(p):
    a = tl.zeros((32, 32), tl.float8e5)
    tl.dot(a, a, max_num_imprecise_acc=64)


@triton.jit
def scalar_operand(p, x):
    tl.dot(tl.zeros((16, 16), tl.float32), x)


@triton.jit
def scaled_unknown_format(p):
    a = tl.zeros((32, 32), tl.uint8)
    tl.dot_scaled(a, None, "e9m9", a, None, "e4m3")


@triton.jit
def scaled_unimplemented_format(p):
    a = tl.zeros((32, 32), tl.uint8)
    tl.dot_scaled(a, None, "e2m3", a, None, "e4m3")


@triton.jit
def scaled_storage(p):
    a = tl.zeros((32, 32), tl.float32)
    tl.dot_scaled(a, None, "e4m3", a, None, "e4m3")


@triton.jit
def scaled_lhs_scale_shape(p):
    a = tl.zeros((32, 64), tl.uint8)
    b = tl.zeros((64, 32), tl.uint8)
    tl.dot_scaled(a, tl.zeros((32, 4), tl.uint8), "e4m3", b, tl.zeros((32, 2), tl.uint8), "e4m3")


@triton.jit
def scaled_rhs_scale_shape(p):
    a = tl.zeros((32, 64), tl.uint8)
    b = tl.zeros((64, 32), tl.uint8)
    tl.dot_scaled(a, tl.zeros((32, 2), tl.uint8), "e4m3", b, tl.zeros((2, 32), tl.uint8), "e4m3")


@triton.jit
def scaled_packing(p):
    a = tl.zeros((32, 64), tl.uint8)
    b = tl.zeros((64, 32), tl.uint8)
    tl.dot_scaled(a, None, "e4m3", b, None, "e4m3", lhs_k_pack=False)


@triton.jit
def scaled_inner_dims(p):
    a = tl.zeros((32, 64), tl.uint8)
    b = tl.zeros((32, 32), tl.uint8)
    tl.dot_scaled(a, None, "e4m3", b, None, "e4m3")


@triton.jit
def scaled_result_type(p):
    a = tl.zeros((32, 64), tl.uint8)
    b = tl.zeros((64, 32), tl.uint8)
    tl.dot_scaled(a, None, "e4m3", b, None, "e4m3", out_dtype=tl.float16)
