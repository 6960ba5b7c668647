"""Kernels that NVIDIA GPUs, or some of them, do not take: each case compiles for one."""

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


def _compile(kernel, capability=80, **options):
    source = ASTSource(fn=kernel, signature={"f": "*fp32"}, constexprs={})
    triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options)


@triton.jit
def _fp8e4nv(f):
    tl.store(f, tl.load(f).to(tl.float8e4nv).to(tl.float32))


@triton.jit
def _fp8e4b8(f):
    tl.store(f, tl.load(f).to(tl.float8e4b8).to(tl.float32))


@triton.jit
def _small_inner(f):
    tl.dot(tl.zeros((16, 8), tl.float16), tl.zeros((8, 16), tl.float16))


@triton.jit
def _small_inner_of_bytes(f):
    tl.dot(tl.zeros((16, 16), tl.int8), tl.zeros((16, 16), tl.int8))


@triton.jit
def _nothing(f):
    pass


def fp8_before_ada():
    _compile(_fp8e4nv)


def fp8_of_amd():
    _compile(_fp8e4b8, 90)


def small_inner():
    _compile(_small_inner)


def small_inner_of_bytes():
    _compile(_small_inner_of_bytes)


def clusters_before_hopper():
    _compile(_nothing, num_ctas=2)
