"""Functions that kernels take, with arguments of the same name, and SwiGLU on the rows that a routing uses."""

import torch
import triton
from moe import route
from triton_kernels.reduce import PostprocessFn, reduce
from triton_kernels.specialize import FnSpecs
from triton_kernels.swiglu import PrecisionConfig, swiglu, swiglu_torch
from triton_kernels.testing import assert_close


@triton.jit
def times(x, c):
    return x * c


@triton.jit
def plus(x, c, target_dtype):
    return (x + c).to(target_dtype)


def test_two_functions_may_call_their_arguments_the_same(device):
    x = torch.randn(3, 20, 64, device=device)
    first = PostprocessFn(FnSpecs("times", times, ("c",), fn_arg_do_not_specialize=("c",)), (3.0,))
    second = PostprocessFn(FnSpecs("plus", plus, ("c",)), (2.0,))
    y, _ = reduce(x, 0, postprocess_fn1=first, postprocess_fn2=second)
    assert_close(x.sum(dim=0) * 3 + 2, y)


def test_swiglu_leaves_rows_behind_the_last_alone(device):
    routing, _, _ = route(10, 4, 2, device)
    a = torch.randn(50, 64, device=device)
    config = PrecisionConfig(limit=1.0)
    found = swiglu(a, 1.5, config, routing)
    assert found.shape == (50, 32)
    assert_close(swiglu_torch(a, 1.5, config)[:20], found[:20])
