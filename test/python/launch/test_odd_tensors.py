"""Tensors whose numbers are not those in their memory, or that have no memory: kernels are not launched with them, the first time as every time after."""

import pytest
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

pytestmark = pytest.mark.cpu_only


@triton.jit
def copy(source, target, n: tl.constexpr):
    at = tl.arange(0, n)
    tl.store(target + at, tl.load(source + at))


@triton.jit
def copy_pair(pair, n: tl.constexpr):
    at = tl.arange(0, n)
    tl.store(pair[1] + at, tl.load(pair[0] + at))


@triton.jit
def copy_block(source, target):
    target.store([0, 0], source.load([0, 0]))


class Derived(torch.Tensor):
    pass


def without_memory():
    tensor = torch.arange(16.0)
    tensor.untyped_storage().resize_(0)
    return tensor


def fake():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        return torch.zeros(16)


NEGATED = {
    "view": lambda: torch._neg_view(torch.arange(16.0)),
    "imaginary part of a conjugate": lambda: torch.zeros(16, dtype=torch.complex64).conj().imag,
    "parameter": lambda: torch.nn.Parameter(torch._neg_view(torch.arange(16.0))),
    "derived": lambda: torch._neg_view(torch.arange(16.0)).as_subclass(Derived),
}


@pytest.mark.parametrize("make", NEGATED.values(), ids=NEGATED.keys())
@pytest.mark.parametrize("warm", [False, True])
def test_negated(make, warm):
    target = torch.zeros(16)
    if warm:
        for _ in range(3):
            copy[(1,)](torch.arange(16.0), target, 16)
    with pytest.raises(ValueError, match=r"negative bit is set.*resolve_neg\(\).*\(argument 'source'\)"):
        copy[(1,)](make(), target, 16)
    copy[(1,)](make().resolve_neg(), target, 16)
    assert torch.equal(target, make().detach().as_subclass(torch.Tensor).clone())


def test_negated_target():
    with pytest.raises(ValueError, match="negative bit is set.*argument 'target'"):
        copy[(1,)](torch.zeros(16), torch._neg_view(torch.zeros(16)), 16)


def test_negated_in_a_tuple_and_in_a_descriptor():
    negated = torch._neg_view(torch.arange(16.0))
    with pytest.raises(ValueError, match="negative bit is set"):
        copy_pair[(1,)]((negated, torch.zeros(16)), 16)
    source = TensorDescriptor.from_tensor(torch._neg_view(torch.ones(8, 8)), [8, 8])
    with pytest.raises(ValueError, match="negative bit is set"):
        copy_block[(1,)](source, TensorDescriptor.from_tensor(torch.zeros(8, 8), [8, 8]))


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: torch._efficientzerotensor(16), "zero tensor, which has no memory.*argument 'source'"),
        (lambda: torch.arange(16.0).to_mkldnn(), "layout of MKL-DNN.*argument 'source'"),
        (lambda: torch.arange(16.0).to_sparse(), "sparse: indices and values.*argument 'source'"),
        (lambda: torch.eye(4).to_sparse_csr(), "sparse: indices and values.*argument 'source'"),
        (lambda: torch.eye(4).to_sparse_csc(), "sparse: indices and values.*argument 'source'"),
        (without_memory, "argument 'source' has elements and no memory"),
        (fake, "argument 'source' has elements and no memory"),
    ],
    ids=["zero tensor", "MKL-DNN", "COO", "CSR", "CSC", "no memory", "fake"],
)
def test_no_memory_to_read(make, message):
    for _ in range(2):
        with pytest.raises(ValueError, match=message):
            copy[(1,)](make(), torch.zeros(16), 16)


@triton.jit
def nothing(x):
    pass


def test_empty_tensors_are_passed():
    for _ in range(3):
        nothing[(1,)](torch.zeros(0))
