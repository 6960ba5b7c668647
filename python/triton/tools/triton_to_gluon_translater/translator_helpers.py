"""What translated kernels call: the functions of Triton with layouts chosen for them.

Every tensor is in the layout that `default_blocked_layout` gives for its rank, whatever its shape: tensors of one rank then fit together, and broadcast.
A function that leaves another layout behind converts its result.
"""

from ...experimental import gluon
from ...experimental.gluon import language as gl
from ...experimental.gluon.language.nvidia.ampere import mma_v2
from ...experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier, tma
from ...experimental.gluon.nvidia.hopper import TensorDescriptor

# ruff: noqa: A002  (parameters have Triton's names)


@gluon.constexpr_function
def default_blocked_layout(shape, num_warps):
    """Warps along the first dimension, lanes along the last, one element in each thread."""
    rank = len(shape)
    threads, warps = [1] * rank, [1] * rank
    threads[-1], warps[0] = 32, num_warps
    return gl.BlockedLayout([1] * rank, threads, warps, list(reversed(range(rank))))


@gluon.constexpr_function
def _sizes_of(sizes):
    """Of one dimension, or of several."""
    return [sizes] if isinstance(sizes, int) else list(sizes)


@gluon.constexpr_function
def _order_of(dims, rank):
    """Of a transposition: as given, or the last two dimensions swapped."""
    return [*range(rank - 2), rank - 1, rank - 2] if dims is None else list(dims)


@gluon.constexpr_function
def _pair_layout(shape, num_warps):
    """Both elements of a pair in one thread."""
    layout = default_blocked_layout(shape, num_warps)
    sizes, threads = [1] * len(shape), list(layout.threads_per_warp)
    sizes[-1], threads[-1], threads[-2] = 2, 1, 32
    return gl.BlockedLayout(sizes, threads, list(layout.warps_per_cta), list(layout.order))


@gluon.jit
def reset_to_default_layout(value):
    """The value in the layout of its rank; numbers as they are, tuples element by element."""
    if isinstance(value, gl.tuple):
        result = ()
        for index in gl.static_range(len(value)):
            result = result + (reset_to_default_layout(value[index]),)
        return result
    elif isinstance(value, gl.tensor) and len(value.shape) > 0:
        return gl.convert_layout(value, default_blocked_layout(value.shape, gl.num_warps()))
    else:
        return value


@gluon.jit
def tl_arange(start: gl.constexpr, stop: gl.constexpr):
    return gl.arange(start, stop, layout=default_blocked_layout([stop - start], gl.num_warps()))


@gluon.jit
def tl_full(shape, value, dtype):
    if len(shape) == 0:
        return gl.to_tensor(value).to(dtype)
    else:
        return gl.full(shape, value, dtype, layout=default_blocked_layout(shape, gl.num_warps()))


@gluon.jit
def tl_zeros(shape, dtype):
    return tl_full(shape, 0, dtype)


@gluon.jit
def tl_expand_dims(value, axis: gl.constexpr):
    position: gl.constexpr = axis if axis >= 0 else axis + len(value.shape) + 1
    larger: gl.constexpr = default_blocked_layout([1] * (len(value.shape) + 1), gl.num_warps())
    return gl.expand_dims(gl.convert_layout(value, gl.SliceLayout(position, larger)), position)


@gluon.jit
def tl_reshape(value, shape: gl.constexpr):
    return reset_to_default_layout(gl.reshape(value, _sizes_of(shape)))


@gluon.jit
def tl_trans(value, dims: gl.constexpr = None):
    return reset_to_default_layout(gl.permute(value, _order_of(dims, len(value.shape))))


@gluon.jit
def tl_split(value):
    a, b = gl.split(gl.convert_layout(value, _pair_layout(value.shape, gl.num_warps())))
    return reset_to_default_layout(a), reset_to_default_layout(b)


@gluon.jit
def tl_join(a, b):
    return reset_to_default_layout(gl.join(a, b))


@gluon.constexpr_function
def _dot_layouts(bits, num_warps):
    """(accumulator, operand A, operand B) of mma.sync."""
    accumulator = gl.NVMMADistributedLayout([2, 0], [num_warps, 1], [16, 8])
    width = max(1, 32 // bits)
    return accumulator, gl.DotOperandLayout(0, accumulator, width), gl.DotOperandLayout(1, accumulator, width)


@gluon.jit
def tl_dot(input, other, acc=None, input_precision: gl.constexpr = None, allow_tf32: gl.constexpr = None,
           max_num_imprecise_acc: gl.constexpr = None, out_dtype: gl.constexpr = gl.float32):  # fmt: skip
    layouts: gl.constexpr = _dot_layouts(input.dtype.primitive_bitwidth, gl.num_warps())
    if acc is None:
        total = gl.zeros([input.shape[0], other.shape[1]], out_dtype, layout=layouts[0])
    else:
        total = gl.convert_layout(acc, layouts[0])
    a, b = gl.convert_layout(input, layouts[1]), gl.convert_layout(other, layouts[2])
    return reset_to_default_layout(mma_v2(a, b, total, input_precision=input_precision))


# Descriptors.


def convert_host_descriptor(desc):
    """The descriptor as translated kernels take it: with the layout of its blocks in shared memory."""
    dtype = getattr(gl, str(desc.base.dtype).rpartition(".")[2].replace("float8_e4m3fn", "float8e4nv").replace("float8_e5m2", "float8e5"))  # fmt: skip
    layout = gl.NVMMASharedLayout.get_default_for(list(desc.block_shape), dtype)
    return TensorDescriptor(
        desc.base,
        list(desc.shape),
        list(desc.strides),
        list(desc.block_shape),
        layout,
        desc.padding,
        desc.round_f32_to_tf32,
    )


@gluon.jit
def tl_load_tensor_descriptor(desc, offsets):
    block = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    done = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(done, count=1)
    mbarrier.expect(done, desc.block_type.nbytes)
    tma.async_copy_global_to_shared(desc, offsets, done, block)
    mbarrier.wait(done, phase=0)
    mbarrier.invalidate(done)
    return block.load(default_blocked_layout(desc.block_shape, gl.num_warps()))


@gluon.jit
def tl_store_tensor_descriptor(desc, offsets, value):
    block = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout, value.to(desc.dtype))
    fence_async_shared()
    tma.async_copy_shared_to_global(desc, offsets, block)
    tma.store_wait(0)


@gluon.jit
def tl_obj_load(obj, *args):
    """`x.load(…)` of a descriptor or of pointers."""
    if isinstance(obj, gl.tensor):
        return gl.load(obj, *args)
    else:
        return tl_load_tensor_descriptor(obj, *args)


@gluon.jit
def tl_obj_store(obj, *args):
    if isinstance(obj, gl.tensor):
        gl.store(obj, *args)
    else:
        tl_store_tensor_descriptor(obj, *args)
