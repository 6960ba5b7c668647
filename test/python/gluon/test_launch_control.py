"""Programs that take over others: cluster launch control, of sm_100."""

import pytest
import torch
import triton
from gluon_code import compile
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import clc, mbarrier

LINE = gl.BlockedLayout([1], [32], [4], [0])


@gluon.jit
def persistent(y):
    answer = gl.allocate_shared_memory(gl.int64, [2], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    barrier = mbarrier.allocate_mbarrier()
    mbarrier.init(barrier, count=1)
    program, goes_on, phase = gl.program_id(0), True, 0
    while goes_on:
        mbarrier.expect(barrier, 16)
        clc.try_cancel(answer, barrier)
        gl.store(y + program * 128 + gl.arange(0, 128, LINE), program)
        mbarrier.wait(barrier, phase)
        result = clc.load_result(answer)
        goes_on = result.is_canceled()
        program = result.program_id(0)
        phase ^= 1
    mbarrier.invalidate(barrier)


def test_programs_go_on_with_others():
    code = compile(persistent, {"y": "*i32"}, capability=100).asm
    assert "ttng.clc_try_cancel" in code["ttgir"]
    assert "clusterlaunchcontrol.try_cancel.async" in code["ptx"]
    assert "clusterlaunchcontrol.query_cancel.is_canceled" in code["ptx"]
    assert "clusterlaunchcontrol.query_cancel.get_first_ctaid" in code["ptx"]


def test_older_gpus_have_no_launch_control():
    with pytest.raises(triton.CompilationError, match="clc.try_cancel needs sm_100"):
        compile(persistent, {"y": "*i32"}, capability=90)


@pytest.mark.runs
def test_every_program_runs_once(device):
    if triton.runtime.driver.active.get_current_target().backend != "cuda":
        pytest.skip("needs a GPU")
    if triton.runtime.driver.active.get_current_target().arch < 100:
        pytest.skip("needs sm_100")
    out = torch.full((7 * 128,), -1, dtype=torch.int32)
    persistent[(7,)](out)
    assert out.tolist() == [program for program in range(7) for _ in range(128)]
