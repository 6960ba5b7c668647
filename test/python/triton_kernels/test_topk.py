"""topk, compaction and swiglu against their twins."""

import pytest
import torch
from triton_kernels.compaction import compaction, compaction_torch
from triton_kernels.numerics import InFlexData, OutFlexData
from triton_kernels.swiglu import FlexCtx, PrecisionConfig, swiglu, swiglu_torch
from triton_kernels.tensor import BIT, Bitmatrix, Tensor
from triton_kernels.testing import assert_close, assert_equal
from triton_kernels.topk import topk, topk_torch


def check(found, expected):
    assert found.indx.dtype == torch.int16
    assert_equal(expected.indx, found.indx)
    torch.testing.assert_close(found.vals, expected.vals)
    for matrix in (found, expected):
        assert matrix.mask.storage.data.dtype == torch.uint32
    assert_equal(expected.mask.storage.data.view(torch.int32), found.mask.storage.data.view(torch.int32))
    assert found.mask.stride() == expected.mask.stride() and found.mask.stride(0) == 1
    for name, value in vars(expected.mask_metadata).items():
        assert_equal(value, getattr(found.mask_metadata, name))


@pytest.mark.parametrize("n_rows, n_cols, dtype, softmax", [
    (1, 13, torch.float32, True), (7, 32, torch.float16, False), (256, 128, torch.bfloat16, True), (300, 200, torch.float32, False),
])  # fmt: skip
def test_topk(n_rows, n_cols, dtype, softmax, device):
    torch.manual_seed(0)
    x = torch.randn(n_rows, n_cols, device=device).to(dtype)
    check(topk(x, 8, apply_softmax=softmax), topk_torch(x, 8, apply_softmax=softmax))


def test_equal_values_prefer_the_first_column(device):
    x = torch.zeros(3, 40, device=device)
    x[1, 35] = 1.0
    x[2, :38] = -0.0
    x[2, 4] = 1.0
    assert topk(x, 3).indx.tolist() == [[0, 1, 2], [0, 1, 35], [0, 1, 4]]


@pytest.mark.parametrize("on_device", [False, True])
def test_active_rows(on_device, device):
    x = torch.randn(50, 20, device=device)
    n_rows = torch.tensor([33], dtype=torch.int32, device=device) if on_device else 33
    found = topk(x, 3, n_rows=n_rows)
    check(found, topk_torch(x, 3, n_rows=n_rows))
    assert (found.indx[33:] == -1).all() and int(found.mask_metadata.col_sum.sum()) == 99
    wrapped = Tensor(x, shape=[n_rows, 20], shape_max=[50, 20])
    check(topk(wrapped, 3), found)


def test_given_columns(device):
    x = torch.randn(9, 70, device=device)
    columns = torch.rand(9, 70).argsort(dim=1)[:, :4].sort(dim=1).values.to(torch.int16).to(device)
    found = topk(x, 4, y_indx=columns)
    check(found, topk_torch(x, 4, y_indx=columns))
    assert_equal(columns, found.indx)


@pytest.mark.parametrize("softmax", [False, True])
def test_gradient(softmax, device):
    x = torch.randn(9, 33, device=device, requires_grad=True)
    twin = x.detach().clone().requires_grad_()
    weights = torch.randn(9, 4, device=device)
    (topk(x, 4, apply_softmax=softmax).vals * weights).sum().backward()
    (topk_torch(twin, 4, apply_softmax=softmax).vals * weights).sum().backward()
    torch.testing.assert_close(x.grad, twin.grad)


def test_topk_errors():
    with pytest.raises(AssertionError):
        topk(torch.zeros(4, 8), 2, dim=0)
    with pytest.raises(AssertionError):
        topk(torch.zeros(4, 8), 9)


@pytest.mark.parametrize("as_matrix", [False, True])
def test_compaction(as_matrix, device):
    torch.manual_seed(0)
    values, columns = (
        torch.randn(37, 8, device=device),
        torch.randint(0, 100, (37, 8), dtype=torch.int32, device=device),
    )
    words = torch.randint(-(2**31), 2**31, (37, 4), dtype=torch.int64).to(torch.int32).to(device)
    mask = Bitmatrix(words.view(torch.uint32), dtype=BIT, shape=[37, 128]) if as_matrix else words
    for sentinel in (-1, 7):
        for got, expected in zip(
            compaction(values, columns, mask, sentinel), compaction_torch(values, columns, mask, sentinel)
        ):
            assert_equal(expected, got)


def test_compaction_by_hand(device):
    columns = torch.tensor([[3, 0, 35, 2]], dtype=torch.int32, device=device)
    words = torch.tensor([[0b0101, 0b1000]], dtype=torch.int32, device=device)
    found = compaction(columns.float(), columns, words)
    assert found[1].tolist() == [[0, 35, 2, -1]] and found[0].tolist() == [[0.0, 35.0, 2.0, -1.0]]


@pytest.mark.parametrize("limit", [None, 0.7])
def test_swiglu(limit, device):
    a = torch.randn(5, 67, 74, device=device, dtype=torch.float16)
    config = PrecisionConfig(limit=limit)
    assert_close(swiglu_torch(a, 1.1, config), swiglu(a, 1.1, config), maxtol=2e-3)
    with pytest.raises(AssertionError):
        swiglu(a[..., :3], 1.0, config)


def test_swiglu_in_flexpoint(device):
    a = torch.randn(40, 64, device=device).to(torch.float8_e5m2)
    actual = torch.zeros(1, device=device)
    scale, expected = torch.tensor([1.5], device=device), torch.tensor([4.0], device=device)
    flex = FlexCtx(OutFlexData(torch.float8_e5m2, expected, actual, None), InFlexData(torch.float8_e5m2, scale))
    config = PrecisionConfig(1.0, flex)
    found = swiglu(a, 1.0, config)
    reference = swiglu_torch(a, 1.0, PrecisionConfig(1.0, FlexCtx(inp_data=flex.inp_data)))
    assert_close(swiglu_torch(a, 1.0, config).float(), found.float(), maxtol=0.3, rmstol=0.05)
    assert 0.7 < actual.item() / (reference.float().abs().max() / 57344).item() < 1.3
