"""Routing for the tests of products, made without kernels, and flags for their persistent kernel."""

import pytest
import torch
import triton
from triton_kernels.matmul_ogs import GatherIndx, OptFlags, RoutingData, ScatterIndx
from triton_kernels.tensor import make_ragged_tensor_metadata_torch


def route(n_tokens, n_experts, n_act, device, seed=0):
    """(routing data, gather, scatter) for random logits."""
    generator = torch.Generator().manual_seed(seed)
    chosen = torch.rand(n_tokens, n_experts, generator=generator).argsort(dim=1)[:, :n_act].sort(dim=1).values.flatten()
    combine = torch.argsort(chosen, stable=True).to(torch.int32)
    dispatch = torch.argsort(combine).to(torch.int32).to(device)
    combine = combine.to(device)
    sizes = torch.bincount(chosen, minlength=n_experts).to(torch.int32)
    meta = make_ragged_tensor_metadata_torch(sizes, chosen.numel())
    for name, value in vars(meta).items():
        setattr(meta, name, value.to(device))
    weights = torch.rand(chosen.numel(), generator=generator).to(device)
    data = RoutingData(weights, meta.slice_sizes, n_experts, n_act, meta)
    return data, GatherIndx(combine, dispatch), ScatterIndx(dispatch, combine)


def require_ragged_descriptors():
    target = triton.runtime.driver.active.get_current_target()
    if target.backend == "cuda" and target.arch < 90:
        pytest.skip("ragged operands are read through descriptors by TMA")


def persistent_flags(subtile=1):
    """All flags together: as a constraint, "is_persistent" is for devices with TMA."""
    return OptFlags(
        block_m=32, block_n=64, block_k=32, num_warps=4, num_stages=3, group_m=8, xcd_swizzle=1, w_cache_modifier="",
        split_k=1, is_persistent=True, idle_sms=0, epilogue_subtile=subtile, arch=None, target_kernel_kwargs={},
    )  # fmt: skip
