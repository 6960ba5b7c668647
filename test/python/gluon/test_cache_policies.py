"""What caches are asked to keep of an access."""

import re

import pytest
import triton
from gluon_code import compile
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (
    CachePolicy,
    FractionalEvictionPolicy,
    async_copy,
    fence_async_shared,
    mbarrier,
    tma,
)

ROW = gl.BlockedLayout([4], [32], [4], [0])
FEW = FractionalEvictionPolicy("evict_first", 0.25)


@gluon.jit
def copy(x, y, LOADED: gl.constexpr, STORED: gl.constexpr):
    at = gl.arange(0, 512, ROW)
    gl.store(y + at, gl.load(x + at, cache_policy=LOADED), cache_policy=STORED)


def code(loaded, stored, kernel=copy):
    return compile(kernel, {"x": "*fp32", "y": "*fp32", "LOADED": loaded, "STORED": stored}).asm["ptx"]


def test_priorities_of_both_caches():
    text = code(CachePolicy(l1="no_allocate", l2=FEW, l2_prefetch_size=128), CachePolicy(l1="evict_last"))
    assert "createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64" in text and "0f3e800000" in text
    assert "ld.global.L1::no_allocate.L2::cache_hint.L2::128B.v4" in text
    assert "st.global.L1::evict_last.v4" in text


def test_operators():
    text = code(CachePolicy(cache_modifier=".cg"), gl.CachePolicy("cs"))
    assert "ld.global.cg.v4" in text and "st.global.cs.v4" in text
    assert "L2::cache_hint" in code(gl.CachePolicy("none", "evict_last"), None)


@gluon.jit
def copy_block(x, y):
    layout: gl.constexpr = gl.NVMMASharedLayout(128, 32)
    policy: gl.constexpr = CachePolicy(l2=FEW)
    from_x = tma.make_tensor_descriptor(x, [64, 64], [64, 1], [64, 64], layout)
    to_y = tma.make_tensor_descriptor(y, [64, 64], [64, 1], [64, 64], layout)
    buffer = gl.allocate_shared_memory(gl.float32, [64, 64], layout)
    barrier = mbarrier.allocate_mbarrier()
    mbarrier.init(barrier, count=1)
    mbarrier.expect(barrier, from_x.nbytes_per_cta)
    tma.async_load(from_x, [0, 0], barrier, buffer, cache_policy=policy)
    mbarrier.wait(barrier, 0)
    fence_async_shared()
    tma.async_store(to_y, [0, 0], buffer, cache_policy=policy)
    tma.store_wait(0)


def test_copies_by_tma():
    text = compile(copy_block, {"x": "*fp32", "y": "*fp32"}).asm["ptx"]
    assert "complete_tx::bytes.L2::cache_hint [" in text and "bulk_group.L2::cache_hint [" in text


@gluon.jit
def copy_by_threads(x, y, LOADED: gl.constexpr, STORED: gl.constexpr):
    buffer = gl.allocate_shared_memory(gl.float32, [512], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    at = gl.arange(0, 512, ROW)
    async_copy.async_load(buffer, x + at, mask=at < 500, cache_policy=LOADED)
    async_copy.commit_group()
    async_copy.wait_group(0)
    gl.store(y + at, buffer.load(ROW), cache_policy=STORED)


def test_copies_by_threads():
    text = code(CachePolicy(l2=FEW, l2_prefetch_size=256), None, copy_by_threads)
    assert re.search(
        r"cp\.async\.cg\.shared\.global\.L2::cache_hint\.L2::256B \[[^]]+\], \[[^]]+\], 16, %p\d+, %rd\d+;", text
    )
    text = code(CachePolicy(cache_modifier="ca"), None, copy_by_threads)
    assert "cp.async.ca.shared.global [" in text and "createpolicy" not in text


@gluon.jit
def twice(x, y, LOADED: gl.constexpr, STORED: gl.constexpr):
    gl.store(y, gl.load(x, cache_modifier=".cg", cache_policy=LOADED))


@pytest.mark.parametrize(
    "loaded, stored, kernel, message",
    [
        (CachePolicy(cache_modifier="cg", l1="evict_last"), None, copy, "cannot be combined with an L1 eviction"),
        (None, CachePolicy(l2_prefetch_size=64), copy, "stores prefetch nothing"),
        (CachePolicy(l2=FEW), None, twice, "cache_policy excludes cache_modifier and eviction_policy"),
        (3, None, copy, "cache_policy must be a CachePolicy"),
        (CachePolicy(l1="evict_last"), None, copy_by_threads, "asynchronous copies take no L1 eviction priority"),
        (CachePolicy(cache_modifier="cs"), None, copy_by_threads, "cache_modifier"),
    ],
)
def test_mistakes(loaded, stored, kernel, message):
    with pytest.raises(triton.CompilationError, match=message):
        code(loaded, stored, kernel)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: CachePolicy(), "requires a cache modifier"),
        (lambda: CachePolicy(cache_modifier="xx"), "Unsupported cache modifier 'xx'"),
        (lambda: CachePolicy(l1="evict_some"), "Unsupported L1 eviction priority"),
        (lambda: CachePolicy(l2_prefetch_size=100), "L2 prefetch size must be"),
        (lambda: FractionalEvictionPolicy("evict_last", 0), "fraction must be in"),
        (lambda: FractionalEvictionPolicy("no_allocate", 1), "Unsupported L2 primary"),
        (lambda: gl.CachePolicy("cg", "evict_some"), "Unsupported eviction policy"),
    ],
)
def test_policies_are_checked(make, message):
    with pytest.raises(ValueError, match=message):
        make()
