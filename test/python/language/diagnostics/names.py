"""Kernels whose syntax or names are wrong."""

import math

import triton
import triton.language as tl
from triton.language import core

PLAIN = 3
ANNOTATED: tl.constexpr = 3


@triton.jit
def undefined_name(p):
    tl.store(p, missing)


@triton.jit
def misspelled_name(p, n):
    count = n
    tl.store(p, cuont)


@triton.jit
def misspelled_function(p):
    tl.stroe(p, 1)


@triton.jit
def python_builtin(p):
    tl.store(p, zip(p, p))


@triton.jit
def plain_global(p):
    tl.store(p, PLAIN)


@triton.jit
def annotated_global(p):
    tl.store(p, ANNOTATED)


@triton.jit
def break_statement(p, n):
    for i in range(n):
        break


@triton.jit
def continue_statement(p, n):
    while n < 3:
        continue


@triton.jit
def try_statement(p):
    try:
        tl.store(p, 1)
    finally:
        pass


@triton.jit
def import_statement(p):
    import os

    tl.store(p, os)


@triton.jit
def raise_statement(p):
    raise p


@triton.jit
def lambda_expression(p):
    f = lambda: 1
    tl.store(p, f())


@triton.jit
def dictionary(p):
    tl.store(p, {1: 2}[1])


@triton.jit
def walrus(p, n):
    tl.store(p, (m := n) if n > 0 else (n := 3))


@triton.jit
def generator_expression(p, n):
    tl.store(p, (i for i in (1, 2)))


@triton.jit
def membership(p, n):
    tl.store(p, n in (1, 2))


@triton.jit
def several_targets(p, n):
    a = b = n
    tl.store(p, a + b)


@triton.jit
def list_target(p, n):
    [a, b] = (n, n)


@triton.jit
def starred_target(p, n):
    a, *b = (n, n, n)


@triton.jit
def starred_element(p, n):
    t = (*n, n)


@triton.jit
def keyword_unpacking(p, n):
    tl.store(p, n, **{})


@triton.jit
def loop_else(p, n):
    for i in range(n):
        pass
    else:
        tl.store(p, n)


@triton.jit
def nested_function(p):
    def inner():
        pass


@triton.jit
def chained_comparison(p, n):
    tl.store(p, 1 < n in (2, 3))


@triton.jit
def matrix_operator(p, n):
    tl.store(p, n @ n)


@triton.jit
def power_of_tensor(p, n):
    tl.store(p, n**2)


@triton.jit
def unary_plus(p, n):
    tl.store(p, +n)


@triton.jit
def not_tuple(p):
    tl.store(p, not (0, 0))


@triton.jit
def string_plus_int(p):
    tl.store(p, 0 + "a")


@triton.jit
def float_shift(p):
    tl.store(p, 1.0 << 1)


@triton.jit
def attribute_assignment(p, n):
    n.x = 1


@triton.jit
def item_assignment(p, n):
    t = (n, n)
    t[0] = 1


@triton.jit
def item_augmented_assignment(p, n):
    t = (n, n)
    t[0] += 1


@triton.jit
def attribute_in_tuple_target(p, n):
    p.x, y = n, n


@triton.jit
def iterate_tuple(p):
    for i in (1, 2, 3):
        tl.store(p, i)


@triton.jit
def iterate_call(p, n):
    for i in tl.arange(0, 4):
        tl.store(p, i)


@triton.jit
def nested_comprehension(p, n):
    t = [i + j for i in (n, n) for j in (n, n)]


@triton.jit
def comprehension_of_tensor(p, n):
    t = [i for i in n]


@triton.jit
def conditional_comprehension(p, n):
    t = [i for i in (1, 2, 3) if i > n]


@triton.jit
def runtime_fstring(p, n):
    tl.static_print(f"{n}")


@triton.jit
def constexpr_reannotated(p):
    C: tl.constexpr = 1
    C: tl.constexpr = 2
    tl.store(p, C)


@triton.jit
def static_range_end(p, n):
    for i in tl.static_range(n):
        tl.store(p, i)


@triton.jit
def static_range_start(p, n):
    for i in tl.static_range(n, 8):
        tl.store(p, i)


@triton.jit
def static_range_step(p, n):
    for i in tl.static_range(0, 8, n):
        tl.store(p, i)


@triton.must_use_result("_shift has no side effect")
@triton.jit
def _shift(x):
    return x + 1


@triton.jit
def unused_result(p, n):
    _shift(n)
    tl.store(p, n)


@triton.jit
def unused_advance(f):
    block = tl.make_block_ptr(f, (8,), (1,), (0,), (8,), (0,))
    tl.advance(block, (8,))


@triton.jit(do_not_specialize=["C"])
def constexpr_not_specialized(p, C: tl.constexpr = 1):
    tl.store(p, C)


def _ordinary():
    return 1


@triton.jit
def python_function(p):
    tl.store(p, _ordinary())


@triton.jit
def math_of_tensor(p, n):
    tl.store(p, math.log2(n))


@core._aggregate
class Pair:
    first: tl.tensor
    second: tl.tensor

    def __init__(self, first, second):
        self.first = first
        self.second = second


@core._aggregate
class Incomplete:
    first: tl.tensor
    second: tl.tensor

    def __init__(self, first):
        self.first = first


@core._aggregate
class Extra:
    first: tl.tensor

    def __init__(self, first):
        self.first = first
        self.other = first


@triton.jit
def aggregate_attribute(p, n):
    pair = Pair(n, n)
    pair.first = n


@triton.jit
def aggregate_field_type(p, n):
    Pair(1, n)


@triton.jit
def aggregate_field_missing(p, n):
    Incomplete(n)


@triton.jit
def aggregate_field_unknown(p, n):
    Extra(n)


@triton.jit
def unknown_attribute(p, n):
    tl.store(p, n.length)


@triton.jit
def top_level_item(p, n):
    tl.store(p, tl.item(n))


@triton.jit
def _variadic(*values, last):
    return 1


@triton.jit
def star_parameter(p):
    tl.store(p, _variadic(1))


@triton.jit
def dtype_call(p, n):
    tl.store(p, tl.int32(n))


@triton.jit
def several_errors(p, n):
    a = missing + 1
    b = tl.arange(0, 3)
    c = n.length
    tl.store(p, a)
    tl.store(p, d)


@triton.jit
def function_of_libdevice(p, n):
    tl.store(p, tl.tanh(1.0))


@triton.jit
def function_of_numpy(p, n):
    tl.store(p, tl.ones((4,), tl.float32))


@triton.jit
def short_dtype(p, n):
    tl.store(p, n.to(tl.fp32))


@triton.jit
def method_of_torch(p, n):
    tl.store(p, n.float())


@triton.jit
def stride_of_array(p, n):
    tl.store(p, p.stride(0))


@triton.jit
def list_append(p, n):
    t = []
    t.append(n)


@triton.jit
def array_element(p, n):
    tl.store(p, p[n])


@triton.jit
def keyword_of_builtin(p, n):
    tl.store(p, tl.program_id(dim=0))


@triton.jit
def class_in_kernel(p, n):
    class Local:
        x = 1

    tl.store(p, Local.x)


@triton.jit
def _without_return(x):
    x + 1


@triton.jit
def result_of_nothing(p, n):
    y = _without_return(n)
    tl.store(p, y)
