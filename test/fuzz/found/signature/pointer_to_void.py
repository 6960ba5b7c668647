# run: kernel=kernel; signature=*void, i32
import triton


@triton.jit
def kernel(d, n):
    pass
