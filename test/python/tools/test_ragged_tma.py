"""Ragged descriptors: blocks that reach over the end of their matrix read zeros and write nothing."""

import pytest
import torch
import triton
import triton.language as tl
from triton.tools.ragged_tma import atomic_add_ragged, create_ragged_descriptor, load_ragged, store_ragged


@triton.jit
def copy_kernel(source, target, offset, size, MODE: tl.constexpr):
    block = load_ragged(source, offset, size, [0, 0])
    if MODE == "store":
        store_ragged(target, offset, size, [0, 0], block * 2)
    else:
        atomic_add_ragged(target, offset, size, [0, 0], block)


@pytest.mark.parametrize("mode", ["store", "add"])
def test_rows_of_the_next_matrix_are_left_alone(mode, device):
    source = torch.arange(20 * 16, dtype=torch.float32, device=device).reshape(20, 16) + 1
    for offset, size in ((0, 5), (5, 8), (13, 7)):
        target = torch.full_like(source, -1.0)
        descriptors = [create_ragged_descriptor(tensor, [8, 16]) for tensor in (source, target)]
        copy_kernel[(1,)](*descriptors, offset, size, mode)
        expected = torch.full_like(source, -1.0)
        rows = slice(offset, offset + min(size, 8))
        expected[rows] = source[rows] * 2 if mode == "store" else expected[rows] + source[rows]
        torch.testing.assert_close(target, expected)


@triton.jit
def middle_kernel(source, target, offset, size):
    store_ragged(
        target, offset, size, [1, 2, 0], load_ragged(source, offset, size, [1, 2, 0], ragged_dim=1), ragged_dim=1
    )


def test_another_dimension(device):
    source = torch.randn(3, 12, 8, device=device)
    target = torch.zeros_like(source)
    descriptors = [create_ragged_descriptor(tensor, [1, 4, 8], ragged_dim=1) for tensor in (source, target)]
    middle_kernel[(1,)](*descriptors, 3, 5)
    expected = torch.zeros_like(source)
    expected[1, 5:8] = source[1, 5:8]
    torch.testing.assert_close(target, expected)


def test_mistakes():
    with pytest.raises(AssertionError, match="last dimension cannot be ragged"):
        create_ragged_descriptor(torch.zeros(8, 16), [8, 16], ragged_dim=1)
    with pytest.raises(AssertionError, match="five dimensions"):
        create_ragged_descriptor(torch.zeros(2, 2, 8, 16), [1, 1, 8, 16])
