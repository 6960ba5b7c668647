"""Rows one behind the other."""


def fast_contiguous(x):
    """The tensor with its elements in order in memory; itself if they are."""
    return x.contiguous()
