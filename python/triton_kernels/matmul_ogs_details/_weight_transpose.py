"""Weights as products read them fastest, under the module name of Triton 3.4."""


def _weight_transpose(w):
    """The same weights [.., sum, columns], the sum with stride 1 (column-major); itself if they are."""
    return w if w.stride(-2) == 1 else w.mT.contiguous().mT


__all__ = ["_weight_transpose"]
