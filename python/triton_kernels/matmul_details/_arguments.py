"""The arguments that both kernels of a product begin with, by name and in the order of their parameters."""

from __future__ import annotations

from typing import Any, NamedTuple


class KernelArguments(NamedTuple):
    """Groups are tuples; a group that is not there begins with None. The kernels say what is in each."""

    Y: Any
    y_strides: tuple
    y_mx: tuple
    y_flex: tuple
    X: Any
    x_strides: tuple
    x_mx: tuple
    x_flex: Any
    W: Any
    w_strides: tuple
    w_mx: tuple
    w_flex: Any
    acc_in: tuple
    bias: tuple
    row_scales: tuple
    out_alpha: Any
    M: int
    N: int
    K: int
    N_OUT: int
    gather: Any
    scatter: Any
    ragged: tuple
    n_tiles_m: Any
    inner: tuple
    batch: int
    grid_m: int
    grid_n: int
    comm: tuple
