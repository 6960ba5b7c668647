# run: kernel=unused_kernel; signature=*i64, u8, fp64, None, i1, *k*bf16
import triton


@triton.jit
def unused_kernel(a, b, c, d, e, f):
    pass
