"""Tensors of triton_kernels: types, storages, sizes on the device, metadata of bits and of ragged rows."""

import pytest
import torch
from triton_kernels.tensor import (
    BIT,
    FP4,
    Bitmatrix,
    IntegerType,
    RaggedTensorMetadata,
    SparseMatrix,
    Storage,
    Tensor,
    bitwidth,
    convert_layout,
    get_layout,
    make_bitmatrix_metadata,
    make_bitmatrix_metadata_torch,
    make_ragged_tensor_metadata,
    make_ragged_tensor_metadata_torch,
    remap_ragged_tensor_metadata,
    remap_ragged_tensor_metadata_torch,
    sum_bitmatrix_rows,
    sum_bitmatrix_rows_torch,
    wrap_torch_tensor,
)
from triton_kernels.tensor_details.layout import BlackwellMXValueLayout, StridedLayout


def test_types():
    assert (bitwidth(BIT), bitwidth(FP4), bitwidth(IntegerType(5)), bitwidth(torch.bfloat16)) == (1, 4, 5, 16)


def test_shapes():
    data = torch.zeros(4, 8, dtype=torch.uint8)
    with pytest.raises(ValueError, match="explicit shape"):
        Tensor(data, dtype=FP4)
    packed = wrap_torch_tensor(data, dtype=FP4)
    assert packed.shape == packed.shape_max == [4, 16] and packed.dtype == FP4
    assert wrap_torch_tensor(data.T, dtype=FP4).shape == [16, 4]
    plain = wrap_torch_tensor(data)
    assert (plain.ndim, plain.dim(), plain.size(1), plain.stride(), plain.numel(), plain.element_size()) == (
        2, 2, 8, (8, 1), 32, 1)  # fmt: skip
    assert plain.data_ptr() == data.data_ptr() and plain.data is data and plain.device == data.device


def test_sizes_on_the_device_need_a_limit():
    data, size = torch.zeros(4, 8), torch.tensor([3])
    assert Tensor(data, shape=[size, 8], shape_max=[4, None]).shape_max == [4, 8]
    with pytest.raises(ValueError):
        Tensor(data, shape=[size, 8])
    with pytest.raises(ValueError):
        Tensor(data, shape=[torch.zeros(2), 8], shape_max=[4, 8])


def test_layouts_of_tensors():
    data = torch.zeros(4, 8)
    assert get_layout(None) is None and get_layout(data) is StridedLayout
    wrapped = wrap_torch_tensor(data)
    assert isinstance(get_layout(wrapped), StridedLayout) and get_layout(wrapped).name is None
    packed = wrap_torch_tensor(torch.zeros(2, 10, 6, dtype=torch.uint8).mT.contiguous().mT, FP4)
    padded = convert_layout(packed, BlackwellMXValueLayout)
    assert padded.shape == [2, 20, 6] and padded.storage.data.shape == (2, 128, 6) and padded.stride(1) == 1
    assert convert_layout(padded, StridedLayout).storage.data.shape == (2, 10, 6)


@pytest.mark.cpu_only
def test_the_processor_has_no_copy_engine():
    assert not Storage(torch.zeros(16, 16)).is_tma_compliant()


def test_geometry_of_descriptors():
    assert Storage(torch.zeros(16, 16)).has_tma_geometry()
    assert Storage(torch.zeros(16, 16).T).has_tma_geometry()
    assert not Storage(torch.zeros(16, 6)).has_tma_geometry()
    assert not Storage(torch.zeros(2, 2, 2, 16)).has_tma_geometry()
    assert not Storage(torch.zeros(16, 16, dtype=torch.uint8)[:, :16:2]).has_tma_geometry()


def test_descriptors():
    descriptor = Storage(torch.zeros(32, 64).T).make_tma([16, 8], "dense")
    assert (descriptor.shape, descriptor.strides, descriptor.block_shape) == ([32, 64], [64, 1], [8, 16])
    packed = Storage(torch.zeros(32, 64, dtype=torch.uint8)).make_tma([16, 32], "dense")
    assert packed.block_shape == [16, 16]
    assert Storage(torch.zeros(32, 64, dtype=torch.uint8)).make_tma([16, 32], "dense", is_scale=True).block_shape == [
        16,
        32,
    ]
    data = torch.zeros(16, 64, dtype=torch.uint8)
    with pytest.raises(ValueError, match="multiple of 128"):
        Storage(data, BlackwellMXValueLayout(data.shape)).make_tma([16, 32], "dense")
    assert len(Storage(torch.zeros(32, 64)).make_tma([16, 16], "ragged").shape) == 4


def random_bits(n_rows, n_cols, k, device, holes=False):
    """A bitmatrix with k ones per row, and their columns."""
    columns = torch.rand(n_rows, n_cols).argsort(dim=1)[:, :k].sort(dim=1).values
    if holes:
        columns[torch.arange(n_rows) % 3 == 1, k - 1] = -1
    bits = torch.zeros(n_rows, (n_cols + 31) // 32 * 32 + 1, dtype=torch.int64)
    bits.scatter_(1, torch.where(columns < 0, bits.shape[1] - 1, columns), 1)
    words = (bits[:, :-1].reshape(n_rows, -1, 32) << torch.arange(32)).sum(-1)
    words = torch.where(words >= 2**31, words - 2**32, words).to(torch.int32).view(torch.uint32).to(device)
    return columns.to(torch.int16).to(device), Bitmatrix(words, dtype=BIT, shape=[n_rows, n_cols])


def same(left, right):
    for name, value in vars(left).items():
        other = getattr(right, name)
        assert value.dtype == other.dtype and torch.equal(value, other), name


def test_bitmatrix_is_of_bits():
    with pytest.raises(ValueError):
        Bitmatrix(torch.zeros(2, 1, dtype=torch.uint32), dtype=torch.uint32, shape=[2, 32])


@pytest.mark.parametrize("n_rows, n_cols, k", [(1, 13, 8), (7, 32, 3), (300, 200, 8), (65, 40, 1)])
def test_bitmatrix_metadata(n_rows, n_cols, k, device):
    columns, bits = random_bits(n_rows, n_cols, k, device, holes=n_rows == 65)
    same(make_bitmatrix_metadata(columns, bits), make_bitmatrix_metadata_torch(columns, bits))
    for size in (32, 64):
        for got, expected in zip(sum_bitmatrix_rows(bits, size), sum_bitmatrix_rows_torch(bits, size)):
            assert torch.equal(got, expected) and got.stride() == expected.stride()


def test_bitmatrix_of_device_sized_rows(device):
    columns, bits = random_bits(70, 50, 4, device)
    rows = torch.tensor([45], dtype=torch.int32, device=device)
    bits = Bitmatrix(bits.storage, dtype=BIT, shape=[rows, 50], shape_max=[70, 50])
    found = make_bitmatrix_metadata(columns, bits)
    same(found, make_bitmatrix_metadata_torch(columns, bits))
    assert int(found.col_sum.sum()) == 180 and (found.row_sorted_indx[180:] == -1).all()


def test_sparse_matrix_has_metadata(device):
    columns, bits = random_bits(9, 20, 2, device)
    matrix = SparseMatrix(columns, torch.ones(9, 2), bits)
    by_column, by_row = matrix.mask_metadata.col_sorted_indx, matrix.mask_metadata.row_sorted_indx
    assert torch.equal(by_row[by_column.long()].cpu(), torch.arange(18, dtype=torch.int32))


def test_number_of_tiles():
    assert RaggedTensorMetadata.block_sizes() == [16, 32, 64, 128]
    limits = [
        RaggedTensorMetadata.max_n_tiles(*sizes) for sizes in ((4, 3), (4, 4), (4, 5), (4, 20), (4, 100), (1, 17))
    ]
    assert limits == [3, 4, 4, 5, 10, 2]


@pytest.mark.parametrize("n_slices, n_rows", [(1, 17), (33, 911), (1025, 17111), (7, 3)])
def test_ragged_metadata(n_slices, n_rows, device):
    torch.manual_seed(0)
    sizes = (
        torch.bincount(torch.randint(n_slices, (n_rows,)) ** 2 // n_slices, minlength=n_slices)
        .to(torch.int32)
        .to(device)
    )
    meta = make_ragged_tensor_metadata(sizes, n_rows)
    same(meta, make_ragged_tensor_metadata_torch(sizes, n_rows))
    assert torch.equal(meta.block_offs(64), meta.block_offs_data[2])
    assert torch.equal(meta.block_schedule(128), meta.block_schedule_data[3])
    kept = torch.rand(n_slices) < 0.5
    slice_map = torch.where(kept, torch.cumsum(kept, 0) - 1, -1).to(torch.int32).to(device)
    same(remap_ragged_tensor_metadata(meta, slice_map), remap_ragged_tensor_metadata_torch(meta, slice_map))


def test_remapping_by_hand(device):
    meta = make_ragged_tensor_metadata(torch.tensor([20, 5, 0, 40], dtype=torch.int32, device=device), 65)
    slice_map = torch.tensor([-1, 0, -1, 1], dtype=torch.int32, device=device)
    kept = remap_ragged_tensor_metadata(meta, slice_map)
    assert kept.slice_sizes.tolist() == [5, 40, -1, -1]
    assert kept.slice_offs.tolist() == [20, 25, -1, -1, -1]
    assert kept.block_offs(16).tolist() == [2, 3, 4, -1, -1]
    assert kept.block_schedule(16).tolist()[:5] == [0, 1, 1 << 16 | 1, 2 << 16 | 1, -1]
