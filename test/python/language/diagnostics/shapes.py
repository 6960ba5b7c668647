"""Kernels whose shapes, axes or indices are wrong."""

import triton
import triton.language as tl


@triton.jit
def _add(a, b):
    return a + b


@triton.jit
def _first(a, b):
    return 1.5


@triton.jit
def not_power_of_two(p):
    tl.zeros((4, 33), tl.float32)


@triton.jit
def runtime_dim(p, n):
    tl.zeros((4, n), tl.float32)


@triton.jit
def float_dim(p):
    tl.zeros((4, 2.0), tl.float32)


@triton.jit
def too_many_elements(p):
    tl.zeros((2048, 1024), tl.float32)


@triton.jit
def arange_runtime(p, n):
    tl.arange(0, n)


@triton.jit
def arange_empty(p):
    tl.arange(4, 4)


@triton.jit
def arange_not_power_of_two(p):
    tl.arange(2, 7)


@triton.jit
def arange_not_32_bits(p):
    tl.arange(2**33, 2**33 + 4)


@triton.jit
def arange_negative(p):
    tl.arange(-4, 4)


@triton.jit
def broadcast_dims(p):
    tl.arange(0, 4) + tl.arange(0, 8)


@triton.jit
def broadcast_dims_2d(p):
    a = tl.zeros((4, 8), tl.int32)
    b = tl.zeros((4, 16), tl.int32)
    a + b


@triton.jit
def broadcast_to_rank(p):
    tl.broadcast_to(tl.arange(0, 4), (4, 4))


@triton.jit
def broadcast_to_size(p):
    tl.broadcast_to(tl.arange(0, 4)[:, None], (8, 4))


@triton.jit
def broadcast_to_number(p):
    tl.broadcast_to(1, (4,))


@triton.jit
def reshape_count(p):
    tl.reshape(tl.arange(0, 8), (4, 4))


@triton.jit
def permute_length(p):
    tl.permute(tl.zeros((4, 8), tl.int32), (0,))


@triton.jit
def permute_content(p):
    tl.permute(tl.zeros((4, 8), tl.int32), (0, 0))


@triton.jit
def trans_of_vector(p):
    tl.trans(tl.arange(0, 4))


@triton.jit
def transposed_attribute(p):
    tl.zeros((2, 4, 8), tl.int32).T


@triton.jit
def expand_dims_axis(p):
    tl.expand_dims(tl.arange(0, 4), 3)


@triton.jit
def expand_dims_duplicate(p):
    tl.expand_dims(tl.arange(0, 4), (0, -3))


@triton.jit
def index_integer(p):
    tl.arange(0, 4)[0]


@triton.jit
def index_slice(p):
    tl.arange(0, 4)[2:]


@triton.jit
def index_ellipsis(p):
    tl.arange(0, 4)[..., None]


@triton.jit
def index_too_many(p):
    tl.arange(0, 4)[:, :, None]


@triton.jit
def sum_axis(p):
    tl.sum(tl.zeros((4, 8), tl.int32), 2)


@triton.jit
def reduce_shapes(p):
    tl.reduce((tl.arange(0, 4), tl.arange(0, 8)), 0, _add)


@triton.jit
def reduce_result_type(p):
    tl.reduce(tl.arange(0, 4), 0, _first)


@triton.jit
def reduce_of_scalar(p, n):
    tl.sum(n, 0)


@triton.jit
def scan_axis(p):
    tl.cumsum(tl.arange(0, 4), 1)


@triton.jit
def max_indices_without_axis(p):
    tl.max(tl.arange(0, 4), return_indices=True)


@triton.jit
def gather_index_type(p, f):
    tl.gather(tl.arange(0, 4), tl.load(f + tl.arange(0, 4)), 0)


@triton.jit
def gather_rank(p):
    tl.gather(tl.zeros((4, 4), tl.int32), tl.arange(0, 4), 0)


@triton.jit
def gather_dims(p):
    tl.gather(tl.zeros((4, 4), tl.int32), tl.zeros((4, 8), tl.int32), 0)


@triton.jit
def gather_axis(p):
    tl.gather(tl.arange(0, 4), tl.arange(0, 4), 1)


@triton.jit
def histogram_rank(p):
    tl.histogram(tl.zeros((4, 4), tl.int32), 8)


@triton.jit
def histogram_type(p):
    tl.histogram(tl.zeros((4,), tl.float32), 8)


@triton.jit
def histogram_mask(p):
    tl.histogram(tl.arange(0, 4), 8, mask=tl.arange(0, 4))


@triton.jit
def cat_in_order(p):
    tl.cat(tl.arange(0, 4), tl.arange(0, 8))


@triton.jit
def split_last_dim(p):
    tl.split(tl.zeros((2, 4), tl.int32))


@triton.jit
def hint_length(p):
    tl.multiple_of(tl.arange(0, 4), [4, 4])


@triton.jit
def hint_type(p, n):
    tl.max_contiguous(tl.arange(0, 4), n)


@triton.jit
def sort_dim(p):
    tl.sort(tl.zeros((4, 8), tl.int32), 0)


@triton.jit
def flip_dim(p):
    tl.flip(tl.zeros((4, 8), tl.int32), 2)


@triton.jit
def item_of_block(p):
    tl.arange(0, 4).item()


@triton.jit
def item_assignment(p):
    x = tl.arange(0, 4)
    x[0] = 1


@triton.jit
def topk_size(p):
    tl.topk(tl.arange(0, 4), 8)


@triton.jit
def sum_axis_runtime(p, n):
    tl.sum(tl.zeros((4, 4), tl.int32), axis=n)
