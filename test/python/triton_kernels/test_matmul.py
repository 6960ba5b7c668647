"""Products of experts against their twin."""

import pytest
import torch
import triton
from moe import persistent_flags, require_ragged_descriptors, route
from triton import knobs
from triton_kernels.matmul_ogs import (
    Epilogue,
    FlexCtx,
    FnSpecs,
    FusedActivation,
    FusedComm,
    InapplicableConstraint,
    InnerRoutingData,
    PrecisionConfig,
    RoutingData,
    matmul_ogs,
    matmul_ogs_set_idle_sms,
    matmul_ogs_torch,
    post_matmul_comm_torch,
)
from triton_kernels.matmul_ogs_details._arguments import KernelArguments
from triton_kernels.matmul_ogs_details._matmul_ogs import _matmul_ogs
from triton_kernels.matmul_ogs_details._p_matmul_ogs import _p_matmul_ogs
from triton_kernels.matmul_ogs_details.opt_flags import (
    reset_opt_flags,
    reset_opt_flags_constraints,
    set_opt_flags,
    update_opt_flags_constraints,
)
from triton_kernels.numerics import InFlexData, OutFlexData
from triton_kernels.swiglu import PrecisionConfig as SwigluConfig
from triton_kernels.swiglu import swiglu_fn, swiglu_torch
from triton_kernels.target_info import cuda_capability_geq
from triton_kernels.tensor import make_ragged_tensor_metadata, remap_ragged_tensor_metadata
from triton_kernels.testing import assert_close


@pytest.fixture(autouse=True)
def no_constraints():
    yield
    reset_opt_flags()
    reset_opt_flags_constraints()


def randn(*shape, dtype=torch.float16, device="cpu"):
    return torch.randn(*shape).to(dtype).to(device)


def test_the_twin_multiplies():
    x, w, bias = torch.randn(20, 30), torch.randn(30, 10), torch.randn(10)
    torch.testing.assert_close(matmul_ogs_torch(x, w, bias), x @ w + bias)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_plain(dtype, device):
    x, w = randn(50, 70, dtype=dtype, device=device), randn(70, 90, dtype=dtype, device=device)
    bias = torch.randn(90, device=device)
    expected = matmul_ogs_torch(x, w, bias)
    assert_close((x.double() @ w.double() + bias).to(dtype), expected)
    for left, right in ((x, w), (x.T.contiguous().T, w[None]), (x, w.T.contiguous().T)):
        found = matmul_ogs(left, right, bias)
        assert found.dtype == dtype and found.shape == (50, 90)
        assert_close(expected, found)
    y = torch.empty(90, 50, dtype=torch.float32, device=device).T
    assert matmul_ogs(x, w, bias, y=y) is y
    assert_close(expected.float(), y)


def test_batched(device):
    x, w, bias = randn(3, 33, 40, device=device), randn(3, 40, 24, device=device), torch.randn(3, 24, device=device)
    found = matmul_ogs(x, w, bias)
    assert found.shape == (3, 33, 24)
    assert_close(matmul_ogs_torch(x, w, bias), found)
    with pytest.raises(AssertionError):
        matmul_ogs(x, w[:2], bias)


RAGGED = [
    (None, 1, False, False), (None, 2, True, False), (None, 1, True, True), (16, 2, True, True), (16, 1, False, True),
    (128, 2, False, False), (128, 1, True, False), (128, 2, False, True),
]  # fmt: skip


@pytest.mark.parametrize("block_m, n_act, gathers, scatters", RAGGED)
def test_ragged(block_m, n_act, gathers, scatters, device):
    n_tokens, n_experts, N, K = 60, 5, 50, 40
    data, gather, scatter = route(n_tokens, n_experts, n_act, device)
    x = randn(n_tokens if gathers else n_tokens * n_act, K, device=device)
    w, bias = randn(n_experts, K, N, device=device), torch.randn(n_experts, N, device=device)
    update_opt_flags_constraints({"block_m": block_m})
    arguments = (x, w, bias, data, gather if gathers else None, scatter if scatters else None)
    gammas, betas = data.gate_scal, torch.rand_like(data.gate_scal)
    found = matmul_ogs(*arguments, gammas=gammas, betas=betas)
    assert found.shape == (n_tokens if scatters else n_tokens * n_act, N)
    assert_close(matmul_ogs_torch(*arguments, gammas=gammas, betas=betas), found)
    data.expt_data = None
    assert_close(found, matmul_ogs(*arguments, gammas=gammas, betas=betas))


def test_rows_that_nobody_gives(device):
    data, gather, scatter = route(30, 3, 1, device)
    x, w = randn(30, 32, device=device), randn(3, 32, 16, device=device)
    scatter.src_indx[7] = -1
    scatter.dst_indx[scatter.dst_indx == 7] = -1
    y = torch.full((30, 16), 5.0, dtype=torch.float16, device=device)
    found = matmul_ogs(x, w, None, data, gather, scatter, y=y)
    assert (found[7] == 0).all()
    assert_close(matmul_ogs_torch(x, w, None, data, gather, scatter), found)


@pytest.mark.parametrize("is_persistent", [False, True])
def test_some_of_the_experts(is_persistent, device):
    """As on a rank that owns some: each set of experts fills its rows and leaves the others alone."""
    if is_persistent:
        require_ragged_descriptors()
        set_opt_flags(persistent_flags())
    n_experts, N = 6, 24
    data, gather, _ = route(50, n_experts, 2, device)
    x, w = randn(50, 32, device=device), randn(n_experts, 32, N, device=device)
    y = torch.full((100, N), 7.0, dtype=torch.float16, device=device)
    for experts in ([0, 3, 4], [1, 2, 5]):
        slice_map = torch.full((n_experts,), -1, dtype=torch.int32)
        slice_map[experts] = torch.arange(3, dtype=torch.int32)
        meta = remap_ragged_tensor_metadata(data.expt_data, slice_map.to(device))
        local = RoutingData(None, meta.slice_sizes[:3], 3, 2, meta)
        before = y.clone()
        matmul_ogs(x, w[experts], None, local, gather, y=y)
        assert ((y != before).any(1).sum() - data.expt_hist[experts].sum()).abs() <= 1
    assert_close(matmul_ogs_torch(x, w, None, data, gather), y)


def test_absent_experts_of_tokens(device):
    """Sums over experts leave out pairs that are not there."""
    data, gather, scatter = route(30, 4, 2, device)
    x, w = randn(30, 32, device=device), randn(4, 32, 16, device=device)
    for row in (5, 20, 21):
        scatter.dst_indx[scatter.src_indx[row]] = -1
        scatter.src_indx[row] = -1
    expected = matmul_ogs_torch(x, w, None, data, gather, scatter)
    assert (expected[10] == 0).all()
    assert_close(expected, matmul_ogs(x, w, None, data, gather, scatter))


@pytest.mark.parametrize("split_k, is_ragged", [(2, True), (5, False), (9, True)])
def test_split_sums(split_k, is_ragged, device):
    update_opt_flags_constraints({"split_k": split_k})
    data, gather, scatter = route(40, 4, 2, device) if is_ragged else (None, None, None)
    x, w = randn(40, 300, device=device), randn(4 if is_ragged else 1, 300, 20, device=device)
    bias = torch.randn(4 if is_ragged else 1, 20, device=device)
    activation = FusedActivation(FnSpecs("swiglu", swiglu_fn, ("alpha", "limit"), reduction_n=2), (1.2, 1.5))
    found = matmul_ogs(x, w, bias, data, gather, fused_activation=activation)
    assert_close(swiglu_torch(matmul_ogs_torch(x, w, bias, data, gather), 1.2, SwigluConfig(1.5)), found)
    if is_ragged:
        with pytest.raises(InapplicableConstraint):
            matmul_ogs(x, w, bias, data, gather, scatter)


def test_size_limits_splitting(device):
    x, w = randn(16, 64, device=device), randn(64, 16, device=device)
    update_opt_flags_constraints({"max_allowable_mn": 256})
    with pytest.raises(InapplicableConstraint):
        matmul_ogs(x, w, None)
    update_opt_flags_constraints({"split_k": 2})
    assert_close(matmul_ogs_torch(x, w, None), matmul_ogs(x, w, None))
    with pytest.raises(ValueError):
        update_opt_flags_constraints({"no_such_flag": 1})


@pytest.mark.parametrize("n_act", [1, 2])
def test_activation_weights_and_factors(n_act, device):
    """Fused SwiGLU is the separate one; alpha is applied before, weights after."""
    data, gather, scatter = route(40, 4, n_act, device)
    x, w, bias = randn(40, 64, device=device), randn(4, 64, 48, device=device), torch.randn(4, 48, device=device)
    activation = FusedActivation(FnSpecs("swiglu", swiglu_fn, ("alpha", "limit"), reduction_n=2), (1.1, 1.4))
    alpha = torch.tensor([0.5], device=device)
    found = matmul_ogs(
        x, w, bias, data, gather, scatter, gammas=data.gate_scal, out_alpha=alpha, fused_activation=activation
    )
    slots = matmul_ogs_torch(x.float(), w.float(), bias, data, gather) * 0.5
    slots = swiglu_torch(slots, 1.1, SwigluConfig(1.4)) * data.gate_scal[:, None]
    expected = slots[scatter.src_indx.long()].view(40, n_act, 24).sum(1)
    assert found.shape == (40, 24)
    assert_close(expected, found)


@triton.jit
def shift(x, by, target_dtype):
    return (x + by).to(target_dtype)


def test_epilogue_and_accumulation(device):
    x, w, before = randn(20, 32, device=device), randn(32, 40, device=device), randn(20, 40, device=device)
    epilogue = Epilogue(FnSpecs("shift", shift, ("by",)), (3.0,), (5.0,))
    config = PrecisionConfig(
        acc_scale=2.0, flex_ctx=FlexCtx(acc_data=InFlexData(scale=torch.tensor([0.5], device=device)))
    )
    found = matmul_ogs(x, w, None, precision_config=config, y_acc_in=before, epilogue=epilogue)
    assert_close((x.float() @ w.float() + before + 3.0), found)
    update_opt_flags_constraints({"split_k": 2})
    assert_close(x.float() @ w.float() + 5.0, matmul_ogs(x, w, None, epilogue=epilogue))


@pytest.mark.parametrize("dtype", [torch.float8_e5m2, torch.float8_e4m3fn])
@pytest.mark.parametrize("n_act", [None, 1, 2])
def test_flexpoint(dtype, n_act, device):
    torch.manual_seed(0)
    n_experts = 1 if n_act is None else 3
    data, gather, scatter = (None, None, None) if n_act is None else route(40, 3, n_act, device)
    x = randn(40, 64, dtype=dtype, device=device)
    w = randn(n_experts, 32, 64, dtype=dtype, device=device).mT
    scales = torch.tensor([1.5, 1.25, 1.5][:n_experts], device=device)
    actual = torch.zeros(1, device=device)
    flex = FlexCtx(
        InFlexData(dtype, torch.tensor([1.25], device=device)),
        InFlexData(dtype, scales),
        OutFlexData(dtype, torch.tensor([4.0], device=device), actual),
    )
    config = PrecisionConfig(flex_ctx=flex, flexpoint_saturate_inf=True, out_dtype=dtype)
    found = matmul_ogs(x, w, None, data, gather, scatter, config)
    inputs = PrecisionConfig(flex_ctx=FlexCtx(flex.lhs_data, flex.rhs_data), out_dtype=torch.float32)
    expected = matmul_ogs_torch(x, w, None, data, gather, scatter, inputs)
    tolerance = 0.4 if n_act == 2 else 0.02  # summands are rounded too
    assert found.dtype == dtype
    assert_close((expected / 4).to(dtype).float(), found.float(), maxtol=max(tolerance, 0.26), rmstol=tolerance + 0.02)
    reference = expected.abs().max() / torch.finfo(dtype).max
    assert abs(actual.item() / reference.item() - 1) < (0.2 if n_act == 2 else 1e-3)


@pytest.mark.parametrize("pads_x, pads_w", [(True, False), (False, True), (True, True)])
def test_ragged_sums(pads_x, pads_w, device):
    sizes, block_k, M, N = [20, 0, 37, 5], 32, 24, 40
    meta = make_ragged_tensor_metadata(torch.tensor(sizes, dtype=torch.int32, device=device), sum(sizes))
    base = RoutingData(None, meta.slice_sizes, 4, 1, meta)

    def operand(pads):
        parts = []
        for size in sizes:
            part = torch.zeros((size + block_k - 1) // block_k * block_k if pads else size, M if operand.is_x else N)
            part[:size] = operand.values[operand.begin : operand.begin + size]
            operand.begin += size
            parts.append(part)
        operand.begin = 0
        return torch.cat([*parts, torch.zeros(8, parts[0].shape[1])]).half().to(device)

    operand.begin, operand.is_x, operand.values = 0, True, torch.randn(sum(sizes), M)
    x = operand(pads_x).T
    operand.is_x, operand.values = False, torch.randn(sum(sizes), N)
    w = operand(pads_w)
    inner = InnerRoutingData(base, block_k, pads_x, pads_w)
    found = matmul_ogs(x, w, None, inner_routing_data=inner)
    assert found.shape == (4, M, N) and (found[1] == 0).all()
    assert_close(matmul_ogs_torch(x, w, None, inner_routing_data=inner), found)


def test_nothing_to_do(device):
    bias = torch.randn(1, 8, device=device)
    x, w = randn(5, 0, device=device), randn(1, 0, 8, device=device)
    assert_close(bias.expand(5, 8), matmul_ogs(x, w, bias, precision_config=PrecisionConfig(out_dtype=torch.float32)))
    assert matmul_ogs(randn(0, 4, device=device), randn(4, 8, device=device), None).shape == (0, 8)
    assert matmul_ogs(randn(3, 4, device=device), randn(4, 0, device=device), None).shape == (3, 0)


def test_sending_to_ranks(device):
    x, w = randn(20, 32, device=device), randn(32, 24, device=device)
    results = [torch.zeros(40, 24, dtype=torch.float16, device=device) for _ in range(4)]
    shards = (torch.arange(20) % 2).to(torch.int32).to(device)
    found = matmul_ogs(x, w, None, fused_comm=FusedComm(results, shards, reduce_rank=1, n_reduce_shards=2))
    expected = matmul_ogs_torch(x, w, None)
    assert found.shape == (40, 24)
    for rank, result in enumerate(results):
        rows = torch.arange(20, device=device)[shards == rank // 2]
        assert_close(expected[rows], result[rows * 2 + 1])
        assert result.abs().sum(1).count_nonzero() == 10
    assert torch.equal(post_matmul_comm_torch(expected, 0, 1, 1), expected)


@pytest.mark.parametrize("name", ["map_dst_coord", "all_writes_issued"])
def test_closures_of_communication_are_refused(name):
    with pytest.raises(ValueError, match=f"FusedComm does not support {name}"):
        FusedComm([torch.zeros(4)], **{name: lambda *arguments: None})


def test_weights_of_8_bits(device):
    x, w = (randn(*shape, dtype=torch.float8_e5m2, device=device) for shape in ((16, 32), (32, 16)))
    if cuda_capability_geq(10, 0):
        assert_close(matmul_ogs_torch(x, w, None), matmul_ogs(x, w, None))
        return
    with pytest.raises(AssertionError, match="column-major"):
        matmul_ogs(x, w, None)


def test_rules(device):
    with pytest.raises(AssertionError):
        matmul_ogs(randn(16, 32, device=device), randn(3, 32, 16, device=device), None)
    with pytest.raises(AssertionError):
        matmul_ogs(randn(16, 30, device=device), randn(32, 16, device=device), None)
    matmul_ogs_set_idle_sms(1)
    data = RoutingData(None, None, 4, 1)
    assert [data.n_blocks(rows, 16) for rows in (3, 4, 5, 100)] == [3, 4, 4, 10]


@pytest.mark.cpu_only
def test_what_profilers_see():
    data, gather, _ = route(40, 4, 2, "cpu")
    x, w = randn(40, 32), randn(4, 32, 24).mT.contiguous().mT
    seen = []
    hook = lambda metadata: seen.append(metadata.get())
    knobs.runtime.launch_enter_hook.add(hook)
    try:
        update_opt_flags_constraints({"block_m": 16})
        matmul_ogs(x, w, None, data, gather)
        reset_opt_flags_constraints()
        set_opt_flags(persistent_flags())
        y = torch.zeros(80, 24)
        matmul_ogs(x, w, None, data, gather, y_acc_in=y, y=y)
    finally:
        knobs.runtime.launch_enter_hook.remove(hook)
    assert seen[0]["name"].startswith("_matmul_ogs_NTN_fp16xfp16xfp16_16x")
    assert seen[1]["name"].startswith("_p_matmul_ogs_acc_NTN_fp32xfp16xfp16_32x64x32x1 ")
    assert seen[0]["flops16"] == 2 * 80 * 24 * 32 and seen[0]["bytes"] == 2 * (80 * 32 + 4 * 32 * 24 + 80 * 24)


def test_results_with_strides(device):
    data, gather, scatter = route(30, 4, 2, device)
    x, w = randn(30, 32, device=device), randn(4, 32, 16, device=device)
    y = torch.empty(16, 30, dtype=torch.float32, device=device).T
    assert matmul_ogs(x, w, None, data, gather, scatter, y=y) is y
    assert_close(matmul_ogs_torch(x, w, None, data, gather, scatter).float(), y)
    update_opt_flags_constraints({"split_k": 2})
    assert_close(matmul_ogs_torch(x, w[0], None).float(), matmul_ogs(x, w[0], None, y=y))


@pytest.mark.parametrize("kernel", [_matmul_ogs, _p_matmul_ogs])
def test_arguments_have_the_names_of_parameters(kernel):
    """They are passed by position."""
    assert list(KernelArguments._fields) == kernel.arg_names[: len(KernelArguments._fields)]
