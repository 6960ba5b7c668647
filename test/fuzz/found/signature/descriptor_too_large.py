# run: kernel=kernel; signature=tensordesc<fp32[1048576, 1048576]>, i32
import triton


@triton.jit
def kernel(d, n):
    pass
