"""The microscaling formats on the host."""

import pytest
import torch
from triton.tools.mxfp import MXFP4Tensor, MXScaleTensor


def test_every_code_survives():
    codes = MXFP4Tensor(size=(16,))
    codes.data = torch.arange(16, dtype=torch.uint8)
    values = codes.to(torch.float32)
    assert values[:8].tolist() == [0, 0.5, 1, 1.5, 2, 3, 4, 6]
    assert torch.equal(MXFP4Tensor(values).data, codes.data)


@pytest.mark.parametrize(
    "value, expected",
    [
        (0.25, 0.0),
        (0.75, 1.0),
        (1.25, 1.0),
        (1.75, 2.0),
        (2.5, 2.0),
        (3.5, 4.0),
        (5.0, 4.0),
        (100, 6.0),
        (float("nan"), 6.0),
        (-5.1, -6.0),
    ],
)
def test_rounding_is_to_even_and_saturates(value, expected):
    assert MXFP4Tensor(torch.tensor([value])).to(torch.float32).item() == expected


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("shape", [(4, 6), (3, 5)])
def test_packing_makes_the_round_trip(shape, dim):
    tensor = MXFP4Tensor(size=shape).random()
    packed = tensor.to_packed_tensor(dim)
    assert packed.shape[dim] == (shape[dim] + 1) // 2
    assert torch.equal(tensor.unpack_packed_tensor(packed, dim, shape), tensor.data)
    first = tensor.data.select(dim, 0)
    assert torch.equal(packed.select(dim, 0) & 0xF, first)


def test_scales():
    scales = MXScaleTensor(torch.tensor([1.0, 3.0, 0.5, 0.0, -1.0, float("inf"), 2.0**-127]))
    assert scales.data.tolist() == [127, 128, 126, 255, 255, 255, 0]
    assert scales.to(torch.float32)[:3].tolist() == [1, 2, 0.5] and scales.to(torch.float32)[3].isnan()
    random = MXScaleTensor(size=(1000,)).random(low=0.25, high=4)
    assert set(random.data.tolist()) == {125, 126, 127, 128, 129}


def test_something_must_be_given():
    for kind in (MXFP4Tensor, MXScaleTensor):
        with pytest.raises(ValueError):
            kind()


def test_packing_needs_a_dimension_that_is_there():
    tensor = MXFP4Tensor(size=(4, 4), device="cpu").random()
    for dim in (2, -3):
        with pytest.raises(AssertionError, match=f"there is no dimension {dim}"):
            tensor.to_packed_tensor(dim=dim)


def test_scales_of_one_byte():
    from triton.tools.mxfp import fp8e8m0_to_float32

    values = fp8e8m0_to_float32(torch.tensor([0, 126, 127, 130, 254, 255], dtype=torch.uint8))
    assert values[:5].tolist() == [2.0**-127, 0.5, 1.0, 8.0, 2.0**127] and values[5].isnan()
