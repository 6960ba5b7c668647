"""Kernels that go on with programs which have not begun: the option `clc`, of sm_100."""

import pytest
import torch
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget


@triton.jit
def add_ids(y, n, BLOCK: tl.constexpr):
    x, row = tl.program_id(0), tl.program_id(1)
    if x == 3:
        return
    offsets = x * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + row * n + offsets, x * 100 + row, mask=offsets < n)


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        ks = k + tl.arange(0, BK)
        total = tl.dot(tl.load(a + rows[:, None] * K + ks), tl.load(b + ks[:, None] * N + columns), total)
    tl.store(c + rows[:, None] * N + columns, total)


@triton.jit(noinline=True)
def where_am_i():
    return tl.program_id(0)


@triton.jit
def calls(y):
    tl.store(y, where_am_i())


def compile(fn, signature, constants, capability=100, **options):
    source = triton.compiler.ASTSource(fn, signature | dict.fromkeys(constants, "constexpr"), constants)
    return triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options)


@pytest.mark.parametrize("ctas", [1, 2])
def test_programs_become_a_loop(fresh_triton_cache, ctas):
    code = compile(add_ids, {"y": "*i32", "n": "i32"}, {"BLOCK": 128}, clc=True, num_ctas=ctas).asm
    assert "ttng.clc_try_cancel" in code["ttgir"] and code["ttgir"].count("tt.get_program_id") == 2
    assert "clusterlaunchcontrol.try_cancel.async" in code["ptx"]
    assert "ttng.clc" not in compile(add_ids, {"y": "*i32", "n": "i32"}, {"BLOCK": 128}, num_ctas=ctas).asm["ttgir"]


def test_older_gpus_have_no_launch_control(fresh_triton_cache):
    with pytest.raises(ValueError, match=r"clc=True requires NVIDIA SM100\+ \(Blackwell\); current target is sm_90"):
        compile(add_ids, {"y": "*i32", "n": "i32"}, {"BLOCK": 128}, capability=90, clc=True)


def test_a_function_that_is_called_has_no_program_id(fresh_triton_cache):
    with pytest.raises(triton.CompilationError, match="cannot ask for tl.program_id: pass it as an argument"):
        compile(calls, {"y": "*i32"}, {}, clc=True)


def needs_launch_control():
    target = triton.runtime.driver.active.get_current_target()
    if target.backend != "cuda" or target.arch < 100:
        pytest.skip("needs sm_100")


@pytest.mark.runs
@pytest.mark.parametrize("ctas", [1, 2])
def test_every_program_runs_once(device, ctas):
    needs_launch_control()
    out = torch.full((3, 700), -1, dtype=torch.int32)
    add_ids[(6, 3)](out, 700, BLOCK=128, clc=True, num_ctas=ctas)
    x = torch.arange(700, dtype=torch.int32) // 128
    expected = torch.stack([torch.where(x == 3, -1, x * 100 + row) for row in range(3)])
    torch.testing.assert_close(out.cpu(), expected.to(torch.int32))


@pytest.mark.runs
def test_pipelined_loops_inside(device):
    needs_launch_control()
    a, b = torch.randn(128, 128, dtype=torch.float16), torch.randn(128, 128, dtype=torch.float16)
    c = torch.empty(128, 128, dtype=torch.float32)
    matmul[(2, 2)](a, b, c, 128, 128, 128, BM=64, BN=64, BK=32, clc=True)
    torch.testing.assert_close(c.cpu(), a.cpu().float() @ b.cpu().float(), rtol=1e-2, atol=1e-2)
