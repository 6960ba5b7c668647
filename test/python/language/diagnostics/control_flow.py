"""Kernels whose control flow, functions or calls are wrong."""

import triton
import triton.language as tl


@triton.jit
def block_condition(p, n):
    if tl.arange(0, 4) > n:
        tl.store(p, n)


@triton.jit
def float_condition(p):
    if 1.5:
        tl.store(p, 1)


@triton.jit
def string_condition(p):
    if "text":
        tl.store(p, 1)


@triton.jit
def tuple_condition(p, n):
    tl.store(p, 1 if (n, n) else 2)


@triton.jit
def constant_while(p, n):
    while True:
        tl.store(p, n)


@triton.jit
def block_while(p, n):
    while tl.arange(0, 4) < n:
        n -= 1


@triton.jit
def return_in_for(p, n):
    for i in range(n):
        if i > 2:
            return


@triton.jit
def return_in_while(p, n):
    while n > 2:
        return


@triton.jit
def branch_changes_type(p, n):
    x = 1
    if n > 2:
        x = 2.0
    tl.store(p, x)


@triton.jit
def else_changes_type(p, n):
    x = 1
    if n > 2:
        pass
    else:
        x = tl.zeros((4,), tl.int32)
    tl.store(p, x)


@triton.jit
def branch_types_differ(p, n):
    if n > 2:
        x = 1
    else:
        x = 1.0
    tl.store(p, x)


@triton.jit
def branch_pointer_constness(p, c: tl.const, n):
    if n > 2:
        q = p
    else:
        q = c
    tl.store(p, tl.load(q))


@triton.jit
def branch_reassigns_constexpr(p, n, C: tl.constexpr = 2):
    if n > 2:
        C = 3
    tl.store(p, C)


@triton.jit
def branch_local(p, n):
    if n > 2:
        x = 1
    tl.store(p, x)


@triton.jit
def conditional_types(p, n):
    tl.store(p, 1 if n > 2 else 2.0)


@triton.jit
def conditional_tuples(p, n):
    t = (n, n) if n > 2 else (n, n)


@triton.jit
def _two_types(n):
    if n > 2:
        return n
    return 1.0


@triton.jit
def return_types(p, n):
    tl.store(p, _two_types(n))


@triton.jit
def _returns_string():
    return "text"


@triton.jit
def return_of_string(p):
    text = _returns_string()


@triton.jit
def kernel_returns(p, n):
    return n


@triton.jit
def carried_type(p, n):
    acc = 0
    for i in range(n):
        acc += 0.5
    tl.store(p, acc)


@triton.jit
def carried_shape(p, n):
    acc = tl.zeros((4,), tl.float32)
    while n > 0:
        acc = tl.join(acc, acc)
        n -= 1


@triton.jit
def constexpr_in_loop(p, n, C: tl.constexpr = 2):
    for i in range(n):
        C = i
    tl.store(p, C)


@triton.jit
def none_in_loop(p, n):
    x = None
    for i in range(n):
        x = i


@triton.jit
def loop_local(p, n):
    for i in range(n):
        x = i
    tl.store(p, x)


@triton.jit
def float_bound(p):
    for i in range(1.5):
        tl.store(p, i)


@triton.jit
def float_tensor_bound(p, x):
    for i in range(0, x):
        tl.store(p, i)


@triton.jit
def block_bound(p):
    for i in range(tl.arange(0, 4)):
        tl.store(p, i)


@triton.jit(noinline=True)
def _outlined(x):
    return x


@triton.jit
def noinline_block(p):
    _outlined(tl.arange(0, 4))


@triton.jit
def static_assertion(p):
    tl.static_assert(1 == 2, "one is not two")


@triton.jit
def static_assertion_without_text(p):
    tl.static_assert(1 == 2)


@triton.jit
def static_assertion_of_tensor(p, n):
    tl.static_assert(n == 2)


@triton.jit
def static_assertion_of_int(p):
    tl.static_assert(1)


@triton.jit
def static_assertion_keyword(p):
    tl.static_assert(cond=True)


@triton.jit
def static_assertion_arguments(p):
    tl.static_assert(True, "a", "b")


@triton.jit
def _endless(x):
    return _endless(x)


@triton.jit
def recursion(p, n):
    tl.store(p, _endless(n))


@triton.jit
def missing_argument(p):
    tl.store(p, _two_types())


@triton.jit
def surplus_argument(p, n):
    tl.store(p, _two_types(n, n))


@triton.jit
def unknown_keyword(p, n):
    tl.store(p, _two_types(m=n))


@triton.jit
def repeated_argument(p, n):
    tl.store(p, _two_types(n, n=n))


@triton.jit
def not_callable(p, n):
    tl.store(p, n(1))


@triton.jit
def and_of_integers(p, n):
    tl.store(p, n and n > 3)


@triton.jit
def not_of_float(p, x):
    tl.store(p, not x)


@triton.jit
def tuple_index_runtime(p, n):
    t = (n, n)
    tl.store(p, t[n])


@triton.jit
def tuple_index_range(p, n):
    t = (n, n)
    tl.store(p, t[2])


@triton.jit
def too_few_values(p, n):
    a, b, c = (n, n)


@triton.jit
def string_value(p):
    x = "text"


@triton.jit
def _third(x):
    return x + tl.arange(0, 3)


@triton.jit
def _second(x):
    return _third(x) * 2


@triton.jit
def error_three_calls_deep(p, n):
    tl.store(p, _second(n))
