"""Products with what is rare: results added to sums over experts, operands of unlike widths, wrong shapes."""

import pytest
import torch
from moe import route
from triton_kernels.matmul_ogs import (
    FlexCtx,
    InapplicableConstraint,
    InnerRoutingData,
    OptFlags,
    PrecisionConfig,
    RoutingData,
    matmul_ogs,
    matmul_ogs_torch,
    reset_opt_flags,
    set_opt_flags,
)
from triton_kernels.numerics import InFlexData, OutFlexData
from triton_kernels.tensor import make_ragged_tensor_metadata
from triton_kernels.testing import assert_close


@pytest.fixture(autouse=True)
def no_flags():
    yield
    reset_opt_flags()


def test_a_sum_over_experts_is_added_to_y_acc_in(device):
    routing, _, scatter = route(20, 4, 2, device)
    x, w = torch.randn(40, 64, device=device), torch.randn(4, 64, 32, device=device)
    before = torch.randn(20, 32, device=device)
    config = PrecisionConfig(acc_scale=2.0, flex_ctx=FlexCtx(acc_data=InFlexData(scale=torch.tensor([1.5]).to(device))))
    expected = matmul_ogs_torch(x, w, None, routing, scatter_indx=scatter) + 3.0 * before
    found = matmul_ogs(x, w, None, routing, scatter_indx=scatter, y_acc_in=before, precision_config=config)
    assert_close(expected, found)
    assert (
        matmul_ogs(x, w, None, routing, scatter_indx=scatter, y_acc_in=before, y=before, precision_config=config)
        is before
    )
    assert_close(expected, before)


def test_a_flexpoint_sum_over_experts_is_added_to_y_acc_in(device):
    routing, _, scatter = route(20, 4, 2, device)
    x, w = torch.randn(40, 64, device=device), torch.randn(4, 64, 32, device=device)
    before, actual = torch.randn(20, 32, device=device), torch.zeros(1, device=device)
    out = OutFlexData(torch.float8_e5m2, torch.tensor([4.0], device=device), actual)
    config = PrecisionConfig(out_dtype=torch.float8_e5m2, flex_ctx=FlexCtx(out_data=out), allow_tf32=False)
    expected = matmul_ogs_torch(x, w, None, routing, scatter_indx=scatter) + before
    found = matmul_ogs(x, w, None, routing, scatter_indx=scatter, y_acc_in=before, precision_config=config)
    assert_close(expected, found.float() * 4, maxtol=0.13, rmstol=0.06)
    assert_close(expected.abs().max()[None] / 57344, actual, maxtol=1e-5, rmstol=1e-5)


def test_x_may_be_narrower_than_w(device):
    x, w = torch.randn(33, 64, device=device).to(torch.float8_e5m2), torch.randn(64, 48, device=device).half()
    found = matmul_ogs(x, w, None, precision_config=PrecisionConfig(out_dtype=torch.float32))
    assert_close(x.float() @ w.float(), found)


def test_a_ragged_sum_has_gammas(device):
    sizes = torch.tensor([40, 0, 20], dtype=torch.int32, device=device)
    routing = RoutingData(None, sizes, 3, 1, make_ragged_tensor_metadata(sizes, 60))
    x, w = torch.zeros(24, 96, device=device), torch.randn(60, 40, device=device)
    x[:, :40], x[:, 64:84] = torch.randn(24, 40), torch.randn(24, 20)
    gammas, inner = torch.rand(24, device=device), InnerRoutingData(routing, 32, x_is_padded=True)
    parts = (x[:, :40] @ w[:40], torch.zeros(24, 40, device=device), x[:, 64:84] @ w[40:])
    for function in (matmul_ogs, matmul_ogs_torch):
        found = function(x, w, None, gammas=gammas, inner_routing_data=inner)
        assert_close(torch.stack(parts) * gammas[:, None], found)


@pytest.mark.parametrize(
    "wrong",
    [
        {"bias": torch.zeros(1, 9)},
        {"bias": torch.zeros(2, 8)},
        {"gammas": torch.zeros(3)},
        {"betas": torch.zeros(3)},
        {"y_acc_in": torch.zeros(3, 8)},
        {"x": torch.zeros(16)},
    ],
    ids=lambda wrong: "-".join(wrong),
)
def test_shapes_that_do_not_fit(wrong):
    arguments = {"x": torch.zeros(4, 16), "w": torch.zeros(16, 8), "bias": None, **wrong}
    with pytest.raises(AssertionError):
        matmul_ogs(**arguments)


@pytest.mark.parametrize("name", ["x", "w"])
def test_types_that_are_no_floats(name):
    arguments = {"x": torch.zeros(4, 16), "w": torch.zeros(16, 8), "bias": None}
    arguments[name] = arguments[name].long()
    with pytest.raises(AssertionError, match=f"{name} holds torch.int64, products take floats"):
        matmul_ogs(**arguments)


def test_set_flags_cannot_split_what_cannot_be_split(device):
    routing, _, scatter = route(20, 4, 2, device)
    set_opt_flags(OptFlags(16, 32, 32, 4, 2, 8, 1, "", 3, False, 0, 1, None))
    x, w = torch.randn(40, 64, device=device), torch.randn(4, 64, 32, device=device)
    with pytest.raises(InapplicableConstraint, match="split_k=3"):
        matmul_ogs(x, w, None, routing, scatter_indx=scatter)


def test_the_reference_of_nothing(device):
    routing, gather, scatter = route(5, 1, 1, device)
    x, w = torch.randn(5, 7, device=device), torch.randn(1, 7, 0, device=device)
    assert matmul_ogs_torch(x, w, None, routing, gather, scatter).shape == (5, 0)


def test_the_reference_of_ragged_sums_scales_rows(device):
    routing, _, _ = route(16, 2, 1, device)
    x, w = torch.randn(4, 16, device=device), torch.randn(16, 8, device=device)
    gammas = torch.arange(1.0, 9.0, device=device)  # more than there are rows
    inner = InnerRoutingData(base=routing, block_k=16, x_is_padded=False, w_is_padded=False)
    plain = matmul_ogs_torch(x, w, None, inner_routing_data=inner)
    scaled = matmul_ogs_torch(x, w, None, gammas=gammas, inner_routing_data=inner)
    assert_close(plain * gammas[:4, None], scaled)
