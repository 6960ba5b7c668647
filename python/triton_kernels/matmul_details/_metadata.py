"""What profilers see of a product: its name, and how much it computes and moves."""

import torch

from ..proton_opts import launch_metadata_allow_sync


def _dtype(type):
    """The element type in the text of a pointer's or a descriptor's type."""
    text = str(type)
    if text.startswith("tensordesc"):
        return text.split("<", 1)[1].split("[", 1)[0]
    return text.lstrip("*k")


def _orientation(strides, unit):
    """N where the dimension `unit` has stride 1, as in a row-major tensor, otherwise T."""
    return "N" if strides[unit] == "constexpr" else "T"


def matmul_repr(specialization):
    """<base>[_acc]_<orientations of x, w, y>_<element types of y, x, w>_<tile and parts of the sum>"""
    signature, constants = specialization.signature, specialization.constants
    # Profiles are compared over the years: the names are those of Triton 3.6.
    base = "_p_matmul_ogs" if "NUM_PROGRAMS" in constants else "_matmul_ogs"
    if signature["acc_in"][0] != "constexpr":
        base += "_acc"
    layouts = _orientation(signature["x_strides"], 2) + _orientation(signature["w_strides"], 2)
    layouts += _orientation(signature["y_strides"], 3)
    types = {"u8": "mxfp4"}
    dtypes = "x".join(types.get(_dtype(signature[name]), _dtype(signature[name])) for name in ("Y", "X", "W"))
    blocks = "x".join(str(constants[name]) for name in ("BLOCK_M", "BLOCK_N", "BLOCK_K", "SPLIT_K"))
    return f"{base}_{layouts}_{dtypes}_{blocks}"


def _base(operand):
    return getattr(operand, "base", operand)


def matmul_launch_metadata(grid, kernel, args):
    """Name, operations and bytes. How many rows experts have is on the device: who forbids to wait for it gets an upper bound."""
    M, N, K = args["M"], args["N"], args["K"]
    X, W, Y = (_base(args[name]) for name in ("X", "W", "Y"))
    sizes = args["ragged"][0]
    batch = args["batch"]
    experts_read = batch
    rows = M * batch
    if sizes is not None and launch_metadata_allow_sync():
        sizes = sizes[sizes > 0]
        rows, experts_read = int(sizes.sum()), sizes.numel()
    elif sizes is not None:
        experts_read = sizes.numel()
    inner = args["inner"][0]
    if inner is not None:
        K = int(inner[inner > 0].sum()) if launch_metadata_allow_sync() else K
        rows = M
    bits = max(X.dtype.itemsize, 1 if W.dtype == torch.uint8 else W.dtype.itemsize) * 8
    itemsize = 0.5 if W.dtype == torch.uint8 else W.dtype.itemsize
    moved = rows * K * X.dtype.itemsize + experts_read * K * N * itemsize + rows * N * Y.dtype.itemsize
    return {
        "name": f"{kernel.name} [M = {M}, N = {N}, K = {K}]",
        f"flops{bits}": 2.0 * rows * N * K,
        "bytes": int(moved),
    }
