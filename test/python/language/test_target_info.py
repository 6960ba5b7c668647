"""`tl.target_info` asked by the host: it answers for the active driver."""

import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.language import target_info
from triton.runtime import driver


class Pretended:
    def __init__(self, target):
        self.get_current_target = lambda: target


@pytest.fixture
def pretend():
    before = driver._active
    yield lambda *target: driver.set_active(Pretended(GPUTarget(*target)))
    driver._active = before


def test_answers_on_the_host(pretend):
    pretend("cuda", 90, 32)
    assert target_info.current_target().arch == 90
    assert target_info.is_cuda() and not target_info.is_hip()
    assert target_info.cuda_capability_geq(9) and target_info.cuda_capability_geq(8, 9)
    assert not target_info.cuda_capability_geq(9, 1) and not target_info.cuda_capability_geq(major=10, minor=0)
    pretend("hip", "gfx950", 64)
    assert target_info.is_hip_cdna4() and not target_info.is_hip_cdna3() and not target_info.cuda_capability_geq(0)
    pretend("cpu", "x86-64-v3", 1)
    assert not target_info.is_cuda() and not target_info.is_hip() and not target_info.is_hip_cdna4()


@triton.constexpr_function
def name_of_target():
    return "gpu" if target_info.is_cuda() else "cpu"


@triton.jit
def ask_kernel(out):
    tl.static_assert((name_of_target() == "gpu") == tl.target_info.is_cuda())
    tl.store(out, 1)


def test_constexpr_functions_ask_too(device):
    import torch

    out = torch.zeros(1, dtype=torch.int32, device=device)
    ask_kernel[(1,)](out)
    assert out.item() == 1
