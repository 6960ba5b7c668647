"""Launches whose arguments or options are wrong: each case is a call, not a kernel."""

import triton
import triton.language as tl


@triton.jit
def _kernel(p, n):
    tl.store(p, n)


def string_argument(p):
    _kernel[(1,)](p, "text")


def list_argument(p):
    _kernel[(1,)](p, [1, 2])


def integer_too_large(p):
    _kernel[(1,)](p, 2**64)


def integer_too_small(p):
    _kernel[(1,)](p, -(2**63) - 1)


def unknown_keyword(p):
    _kernel[(1,)](p, 1, warps=4)


def missing_argument(p):
    _kernel[(1,)](p)


def warps_not_power_of_two(p):
    _kernel[(1,)](p, 1, num_warps=3)


def call_without_grid(p):
    _kernel(p, 1)


def builtin_outside(p):
    tl.load(p)


def library_outside(p):
    tl.sum(p)


def iterate_outside(p):
    for _ in tl.range(4):
        pass


def no_source_file(p):
    namespace = {}
    exec("def anonymous(p): pass", namespace)
    triton.jit(namespace["anonymous"])


COUNT = tl.constexpr(1)


@triton.jit
def _reader(p):
    tl.store(p, COUNT)


def global_changed(p):
    global COUNT
    _reader[(1,)](p)
    COUNT = tl.constexpr(2)
    try:
        _reader[(1,)](p)
    finally:
        COUNT = tl.constexpr(1)
