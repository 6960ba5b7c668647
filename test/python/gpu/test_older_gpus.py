"""GPUs before sm_80: what their instructions lack is done by those that they have."""

import re

import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

pytestmark = pytest.mark.cpu_only
# Of sm_80, in PTX.
NEWER = r"cp\.async|mma\.sync|redux\.sync|createpolicy|cache_hint|cvt\.rn\.bf16|cvt\.rz\.bf16"


@triton.jit
def product(a, b, c, K, BLOCK: tl.constexpr):
    m, k = tl.arange(0, BLOCK), tl.arange(0, 32)
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for i in tl.range(0, K, 32, num_stages=3):
        x = tl.load(a + m[:, None] * K + (i + k)[None, :])
        y = tl.load(b + (i + k)[:, None] * BLOCK + m[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + m[:, None] * BLOCK + m[None, :], total)


@triton.jit
def reduction(x, out, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    values = tl.load(x + offsets, eviction_policy="evict_first")
    tl.store(out, tl.sum(values) + tl.max(values))


@triton.jit
def casts(x, out, half, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    values = tl.load(x + offsets)
    tl.store(out + offsets, values.to(tl.bfloat16, fp_downcast_rounding="rtz") + values.to(tl.bfloat16))
    tl.store(half + offsets, values.to(tl.float16, fp_downcast_rounding="rtz"))


KERNELS = {
    product: {"a": "*fp16", "b": "*fp16", "c": "*fp32", "K": "i32", "BLOCK": 32},
    reduction: {"x": "*i32", "out": "*i32", "BLOCK": 256},
    casts: {"x": "*fp32", "out": "*bf16", "half": "*fp16", "BLOCK": 256},
}


@pytest.mark.parametrize("capability", [70, 75])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_instructions(kernel, capability):
    types = KERNELS[kernel]
    constants = {name: value for name, value in types.items() if not isinstance(value, str)}
    signature = {name: "constexpr" if name in constants else value for name, value in types.items()}
    compiled = triton.compile(ASTSource(kernel, signature, constants), GPUTarget("cuda", capability, 32))
    ptx = compiled.asm["ptx"]
    assert re.search(rf"\.target sm_{capability}\b", ptx) and not re.findall(NEWER, ptx)
    assert f"cuda:{capability}" in compiled.asm["ttgir"]
