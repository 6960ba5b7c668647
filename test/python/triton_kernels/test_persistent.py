"""The persistent kernel of products, which reads its operands through descriptors; on the processor on demand."""

import pytest
import torch
from moe import persistent_flags, require_ragged_descriptors, route
from triton_kernels.matmul_ogs import (
    FlexCtx,
    FnSpecs,
    FusedActivation,
    InapplicableConstraint,
    InnerRoutingData,
    PrecisionConfig,
    RoutingData,
    matmul_ogs,
    matmul_ogs_torch,
)
from triton_kernels.matmul_ogs_details.opt_flags import (
    reset_opt_flags,
    reset_opt_flags_constraints,
    set_opt_flags,
    update_opt_flags_constraints,
)
from triton_kernels.numerics import InFlexData, OutFlexData
from triton_kernels.swiglu import PrecisionConfig as SwigluConfig
from triton_kernels.swiglu import swiglu_fn, swiglu_torch
from triton_kernels.tensor import make_ragged_tensor_metadata
from triton_kernels.testing import assert_close


@pytest.fixture(autouse=True)
def persistent():
    require_ragged_descriptors()
    set_opt_flags(persistent_flags())
    yield
    reset_opt_flags()


def randn(*shape, dtype=torch.float16, device="cpu"):
    return torch.randn(*shape).to(dtype).to(device)


@pytest.mark.parametrize("subtile", [1, 2, 4])
def test_plain(subtile, device):
    reset_opt_flags()
    set_opt_flags(persistent_flags(subtile))
    x, w, bias = randn(150, 72, device=device), randn(72, 136, device=device), torch.randn(136, device=device)
    expected = matmul_ogs_torch(x, w, bias)
    for left, right in ((x, w), (x, w.T.contiguous().T), (randn(72, 152, device=device).T, w)):
        expected = matmul_ogs_torch(left, right, bias)
        assert_close(expected, matmul_ogs(left, right, bias))


def test_batched(device):
    x, w = randn(3, 40, 64, device=device), randn(3, 64, 24, device=device)
    assert_close(matmul_ogs_torch(x, w, None), matmul_ogs(x, w, None))


@pytest.mark.parametrize(
    "gathers, scatters, n_act", [(False, False, 2), (True, False, 2), (False, True, 1), (True, True, 2)]
)
def test_ragged(gathers, scatters, n_act, device):
    data, gather, scatter = route(70, 5, n_act, device)
    x = randn(70 if gathers else 70 * n_act, 64, device=device)
    w, bias = randn(5, 64, 48, device=device), torch.randn(5, 48, device=device)
    activation = FusedActivation(FnSpecs("swiglu", swiglu_fn, ("alpha", "limit"), reduction_n=2), (1.1, 1.4))
    arguments = (x, w, bias, data, gather if gathers else None, scatter if scatters else None)
    assert_close(matmul_ogs_torch(*arguments, gammas=data.gate_scal), matmul_ogs(*arguments, gammas=data.gate_scal))
    if not scatters:
        expected = swiglu_torch(matmul_ogs_torch(*arguments), 1.1, SwigluConfig(1.4))
        assert_close(expected, matmul_ogs(*arguments, fused_activation=activation))


def test_flexpoint(device):
    dtype = torch.float8_e4m3fn
    x, w = randn(40, 64, dtype=dtype, device=device), randn(2, 32, 64, dtype=dtype, device=device).mT
    data, gather, _ = route(40, 2, 1, device)
    out = OutFlexData(dtype, torch.tensor([4.0], device=device), torch.zeros(1, device=device))
    inputs = (
        InFlexData(dtype, torch.tensor([1.25], device=device)),
        InFlexData(dtype, torch.tensor([1.5, 1.25], device=device)),
    )
    config = PrecisionConfig(flex_ctx=FlexCtx(*inputs, out), flexpoint_saturate_inf=True)
    found = matmul_ogs(x, w, None, data, gather, precision_config=config)
    expected = matmul_ogs_torch(
        x, w, None, data, gather, precision_config=PrecisionConfig(flex_ctx=FlexCtx(*inputs), out_dtype=torch.float32)
    )
    assert_close((expected / 4).to(dtype).float(), found.float(), maxtol=0.15, rmstol=0.02)


@pytest.mark.parametrize("pads_x", [True, False])
def test_ragged_sums(pads_x, device):
    sizes, block_k = [20, 0, 37, 7], 32
    meta = make_ragged_tensor_metadata(torch.tensor(sizes, dtype=torch.int32, device=device), sum(sizes))
    base = RoutingData(None, meta.slice_sizes, 4, 1, meta)
    values = torch.randn(64, 24)
    padded = torch.zeros(128, 24)
    for begin, place, size in ((0, 0, 20), (20, 32, 37), (57, 96, 7)):
        padded[place : place + size] = values[begin : begin + size]
    x = (padded if pads_x else values).half().to(device).T
    w = torch.randn(64 if pads_x else 128, 40)
    if not pads_x:
        for begin, end in ((20, 32), (69, 96), (103, 128)):
            w[begin:end] = 0
    w = w.half().to(device)
    inner = InnerRoutingData(base, block_k, pads_x, not pads_x)
    assert_close(
        matmul_ogs_torch(x, w, None, inner_routing_data=inner), matmul_ogs(x, w, None, inner_routing_data=inner)
    )


def test_descriptors_need_strides(device):
    x, w = randn(16, 35, device=device), randn(35, 16, device=device)
    with pytest.raises(InapplicableConstraint):
        matmul_ogs(x, w, None)
    with pytest.raises(ValueError, match="as a whole"):
        update_opt_flags_constraints({"block_m": 16})
    reset_opt_flags()
    update_opt_flags_constraints({"is_persistent": True})
    with pytest.raises(InapplicableConstraint):
        matmul_ogs(x, w, None)
    with pytest.raises(ValueError, match="constraints"):
        set_opt_flags(persistent_flags())
    reset_opt_flags_constraints()


@pytest.mark.cpu_only
def test_the_constraint_is_for_copy_engines():
    reset_opt_flags()
    update_opt_flags_constraints({"is_persistent": True})
    with pytest.raises(InapplicableConstraint):
        matmul_ogs(randn(16, 64), randn(64, 16), None)
    reset_opt_flags_constraints()
