# What of Gluon is written in Gluon itself: blocks filled like others.


@gluon.jit
def zeros(shape, dtype, layout=None):
    """A block of zeros."""
    return gl.full(shape, 0, dtype, layout)


@gluon.jit
def full_like(input, value, shape=None, dtype=None, layout=None):
    """A block filled with `value`; what is not given is as in `input`."""
    return gl.full(
        input.shape if shape is None else shape,
        value,
        input.dtype if dtype is None else dtype,
        input.type.layout if layout is None else layout,
    )


@gluon.jit
def zeros_like(input, shape=None, dtype=None, layout=None):
    """A block of zeros; what is not given is as in `input`."""
    return full_like(input, 0, shape=shape, dtype=dtype, layout=layout)
