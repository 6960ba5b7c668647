"""Modules under the names of earlier releases hold what does their work here."""

import importlib

import pytest
import torch

MODULES = {
    "routing_details._routing_compute": ["_sort_rows"],
    "routing_details._expt_data": ["_find_offsets", "_schedule_tiles"],
    "bitmatrix": ["Bitmatrix"],
    "compaction_details._masked_compaction": ["_masked_compaction"],
    "swiglu_details._swiglu": ["_swiglu", "_swiglu_fn"],
    "topk_details._topk": ["_topk_forward", "_topk_backward"],
    "reduction_details.reduce_bitmatrix": ["sum_bitmatrix_rows"],
    "numerics_details.mxfp_details._downcast_to_mxfp": ["_downcast_to_mxfp"],
    "numerics_details.mxfp_details._upcast_from_mxfp": ["_upcast_from_mxfp"],
    "matmul_ogs_details.fast_contiguous": ["fast_contiguous"],
    "matmul_ogs_details.metadata": ["matmul_repr", "matmul_launch_metadata"],
    "matmul_ogs_details.opt_flags_nvidia": ["choose"],
    "matmul_ogs_details.opt_flags_amd": ["choose"],
}


@pytest.mark.parametrize("module", MODULES)
def test_module(module):
    found = importlib.import_module(f"triton_kernels.{module}")
    assert [name for name in MODULES[module] if not hasattr(found, name)] == []


def test_fast_contiguous():
    from triton_kernels.matmul_ogs_details.fast_contiguous import fast_contiguous

    x = torch.arange(6).view(2, 3)
    turned = fast_contiguous(x.T)
    assert turned.is_contiguous() and torch.equal(turned, x.T) and fast_contiguous(x) is x


def test_functions_with_gradients_have_names():
    from triton_kernels.swiglu import SwiGLU
    from triton_kernels.topk import TopK

    assert issubclass(SwiGLU, torch.autograd.Function) and issubclass(TopK, torch.autograd.Function)
