"""Kernels whose loads, stores and atomics are wrong."""

import triton
import triton.language as tl


@triton.jit
def load_of_integer(p, n):
    tl.load(n)


@triton.jit
def store_to_integer(p, n):
    tl.store(n, 1)


@triton.jit
def other_without_mask(p):
    tl.load(p, other=0)


@triton.jit
def boundary_check_of_pointer(p):
    tl.load(p + tl.arange(0, 4), boundary_check=(0,))


@triton.jit
def padding_of_pointer(p):
    tl.load(p + tl.arange(0, 4), padding_option="zero")


@triton.jit
def block_mask_of_scalar(p):
    tl.load(p, mask=tl.arange(0, 4) < 2)


@triton.jit
def block_other_of_scalar(p, n):
    tl.load(p, mask=n > 0, other=tl.arange(0, 4))


@triton.jit
def block_value_to_scalar(p):
    tl.store(p, tl.arange(0, 4))


@triton.jit
def value_larger_than_pointers(p):
    tl.store(p + tl.arange(0, 4)[:, None], tl.zeros((4, 4), tl.int32))


@triton.jit
def value_of_other_size(p):
    tl.store(p + tl.arange(0, 4), tl.arange(0, 8))


@triton.jit
def mask_larger_than_pointers(p):
    tl.store(p + tl.arange(0, 4)[:, None], 1, mask=tl.zeros((4, 4), tl.int1))


@triton.jit
def integer_mask(p):
    tl.load(p + tl.arange(0, 4), mask=tl.arange(0, 4))


@triton.jit
def integer_mask_of_store(p):
    tl.store(p + tl.arange(0, 4), 1, mask=tl.arange(0, 4))


@triton.jit
def store_to_constant(c: tl.const):
    tl.store(c, 1)


@triton.jit
def atomic_on_constant(c: tl.const):
    tl.atomic_add(c, 1)


@triton.jit
def cache_modifier(p):
    tl.load(p, cache_modifier=".xx")


@triton.jit
def store_cache_modifier(p):
    tl.store(p, 1, cache_modifier=".ca")


@triton.jit
def eviction_policy(p):
    tl.load(p, eviction_policy="evict_never")


@triton.jit
def padding_option(f):
    block = tl.make_block_ptr(f, (8,), (1,), (0,), (8,), (0,))
    tl.load(block, boundary_check=(0,), padding_option="one")


@triton.jit
def atomic_semantics(p):
    tl.atomic_add(p, 1, sem="weak")


@triton.jit
def atomic_scope(p):
    tl.atomic_add(p, 1, scope="world")


@triton.jit
def block_pointer_mask(f):
    block = tl.make_block_ptr(f, (8,), (1,), (0,), (8,), (0,))
    tl.load(block, mask=tl.arange(0, 8) < 3)


@triton.jit
def block_pointer_store_mask(f):
    block = tl.make_block_ptr(f, (8,), (1,), (0,), (8,), (0,))
    tl.store(block, 1.0, mask=tl.arange(0, 8) < 3)


@triton.jit
def block_pointer_store_type(f):
    block = tl.make_block_ptr(f, (8,), (1,), (0,), (8,), (0,))
    tl.store(block, f + tl.arange(0, 8))


@triton.jit
def block_pointer_store_shape(f):
    block = tl.make_block_ptr(f, (8,), (1,), (0,), (8,), (0,))
    tl.store(block, tl.zeros((4,), tl.float32))


@triton.jit
def block_pointer_nan_padding(p):
    block = tl.make_block_ptr(p, (8,), (1,), (0,), (8,), (0,))
    tl.load(block, boundary_check=(0,), padding_option="nan")


@triton.jit
def boundary_check_twice(f):
    block = tl.make_block_ptr(f, (8,), (1,), (0,), (8,), (0,))
    tl.load(block, boundary_check=(0, 0))


@triton.jit
def boundary_check_range(f):
    block = tl.make_block_ptr(f, (8,), (1,), (0,), (8,), (0,))
    tl.load(block, boundary_check=(1,))


@triton.jit
def block_pointer_base(f):
    tl.make_block_ptr(f + tl.arange(0, 4), (8,), (1,), (0,), (8,), (0,))


@triton.jit
def block_pointer_order(f):
    tl.make_block_ptr(f, (8, 8), (8, 1), (0, 0), (8, 8), (1, 1))


@triton.jit
def block_pointer_lengths(f):
    tl.make_block_ptr(f, (8, 8), (1,), (0, 0), (8, 8), (1, 0))


@triton.jit
def block_pointer_float_offset(f, n):
    tl.make_block_ptr(f, (8,), (1,), (n.to(tl.float32),), (8,), (0,))


@triton.jit
def block_pointer_runtime_shape(f, n):
    tl.make_block_ptr(f, (8,), (1,), (0,), (n,), (0,))


@triton.jit
def descriptor_dims(f):
    tl.make_tensor_descriptor(f, [8] * 6, [1] * 6, [4] * 6)


@triton.jit
def descriptor_lengths(f):
    tl.make_tensor_descriptor(f, [8, 8], [1], [8, 8])


@triton.jit
def descriptor_block_lengths(f):
    tl.make_tensor_descriptor(f, [8, 8], [8, 1], [8])


@triton.jit
def descriptor_stride(f, n):
    tl.make_tensor_descriptor(f, [8, 8], [8, n], [8, 8])


@triton.jit
def descriptor_block_size(f):
    tl.make_tensor_descriptor(f, [8, 8], [8, 1], [8, 2])


@triton.jit
def descriptor_nan_padding(p):
    tl.make_tensor_descriptor(p, [8, 8], [8, 1], [8, 8], padding_option="nan")


@triton.jit
def descriptor_offsets(f):
    desc = tl.make_tensor_descriptor(f, [8, 8], [8, 1], [8, 8])
    desc.load([0])


@triton.jit
def descriptor_wide_offset(f, n):
    desc = tl.make_tensor_descriptor(f, [8, 8], [8, 1], [8, 8])
    desc.load([0, n.to(tl.int64)])


@triton.jit
def descriptor_value_shape(f):
    desc = tl.make_tensor_descriptor(f, [8, 8], [8, 1], [8, 8])
    desc.store([0, 0], tl.zeros((8, 4), tl.float32))


@triton.jit
def descriptor_atomic_type(d):
    desc = tl.make_tensor_descriptor(d, [8, 8], [8, 1], [8, 8])
    desc.atomic_add([0, 0], tl.zeros((8, 8), tl.float64))


@triton.jit
def descriptor_and_of_floats(f):
    desc = tl.make_tensor_descriptor(f, [8, 8], [8, 1], [8, 8])
    desc.atomic_and([0, 0], tl.zeros((8, 8), tl.float32))


@triton.jit
def descriptor_gather_rank(f):
    desc = tl.make_tensor_descriptor(f, [8], [1], [8])
    desc.gather(tl.arange(0, 8), 0)


@triton.jit
def descriptor_gather_rows(f):
    desc = tl.make_tensor_descriptor(f, [8, 8], [8, 1], [8, 8])
    desc.gather(tl.arange(0, 8), 0)


@triton.jit
def descriptor_gather_offsets(f):
    desc = tl.make_tensor_descriptor(f, [8, 8], [8, 1], [1, 8])
    desc.gather(tl.zeros((8, 8), tl.int32), 0)


@triton.jit
def descriptor_gather_count(f):
    desc = tl.make_tensor_descriptor(f, [8, 8], [8, 1], [1, 8])
    desc.gather(tl.arange(0, 4), 0)


@triton.jit
def descriptor_gather_columns(f):
    desc = tl.make_tensor_descriptor(f, [8, 8], [8, 1], [1, 4])
    desc.gather(tl.arange(0, 8), 0)


@triton.jit
def descriptor_scatter_value(f):
    desc = tl.make_tensor_descriptor(f, [8, 8], [8, 1], [1, 8])
    desc.scatter(tl.zeros((4, 8), tl.float32), tl.arange(0, 8), 0)


@triton.jit
def load_of_descriptor(f):
    desc = tl.make_tensor_descriptor(f, [8, 8], [8, 1], [8, 8])
    tl.load(desc)


@triton.jit
def atomic_add_bytes(u):
    tl.atomic_add(u, 1)


@triton.jit
def atomic_max_half(h):
    tl.atomic_max(h, 1.0)


@triton.jit
def atomic_and_float(h):
    tl.atomic_and(h, 1)


@triton.jit
def atomic_xchg_half(h):
    tl.atomic_xchg(h, 1.0)


@triton.jit
def atomic_cas_bytes(u):
    tl.atomic_cas(u, tl.load(u), tl.load(u))


@triton.jit
def atomic_cas_types(f):
    tl.atomic_cas(f, 1, 2)


@triton.jit
def atomic_mask(p):
    tl.atomic_add(p + tl.arange(0, 4), 1, mask=tl.arange(0, 4))


@triton.jit
def program_id_axis(p):
    tl.program_id(20)


@triton.jit
def num_programs_axis(p):
    tl.num_programs(-1)


@triton.jit
def program_id_runtime(p, n):
    tl.program_id(n)


@triton.jit
def device_print_prefix(p, n):
    tl.device_print("wert \u00fc", n)


@triton.jit
def _storing(x, p):
    tl.store(p, x)
    return x


@triton.jit
def map_with_store(p):
    tl.map_elementwise(_storing, tl.arange(0, 4), p)
