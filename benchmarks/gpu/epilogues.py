"""How accumulators get to memory: matmuls of 4096 x 4096 with few steps of K, where writing the result is most of the work.

    python3 benchmarks/gpu/epilogues.py       with the triton that Python finds: run it once with each

Prints microseconds for each tile and K, and how many stores of 16 and 8 bytes the PTX has.
"""

import torch
import triton
import triton.language as tl

SIZE = 4096
STEPS = (64, 256, 1024, 4096)
TILES = ((128, 256, 64, 8), (128, 128, 64, 4), (128, 128, 64, 8), (64, 64, 32, 4), (64, 128, 64, 4), (32, 64, 64, 4))


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, N, K, a_pitch, b_pitch, c_pitch, M_BLOCK: tl.constexpr, N_BLOCK: tl.constexpr, K_BLOCK: tl.constexpr):  # fmt: skip
    program = tl.program_id(0)
    across = tl.cdiv(N, N_BLOCK)
    rows = program // across * M_BLOCK + tl.arange(0, M_BLOCK)
    columns = program % across * N_BLOCK + tl.arange(0, N_BLOCK)
    depth = tl.arange(0, K_BLOCK)
    a = a_ptr + rows[:, None] * a_pitch + depth[None, :]
    b = b_ptr + depth[:, None] * b_pitch + columns[None, :]
    accumulator = tl.zeros((M_BLOCK, N_BLOCK), tl.float32)
    for _ in range(0, K, K_BLOCK):
        accumulator = tl.dot(tl.load(a), tl.load(b), accumulator)
        a += K_BLOCK
        b += K_BLOCK * b_pitch
    tl.store(c_ptr + rows[:, None] * c_pitch + columns[None, :], accumulator.to(c_ptr.dtype.element_ty))


def measure(dtype, K, m_block, n_block, k_block, warps):
    a = torch.randn((SIZE, K), device="cuda", dtype=torch.float16) * 0.1
    b = torch.randn((K, SIZE), device="cuda", dtype=torch.float16) * 0.1
    c = torch.empty((SIZE, SIZE), device="cuda", dtype=dtype)
    grid = (triton.cdiv(SIZE, m_block) * triton.cdiv(SIZE, n_block),)

    def run():
        return matmul[grid](
            a, b, c, SIZE, K, a.stride(0), b.stride(0), c.stride(0), m_block, n_block, k_block, num_warps=warps
        )

    ptx = run().asm["ptx"]
    torch.testing.assert_close(c.float(), a.float() @ b.float(), atol=5e-2, rtol=5e-2)
    return triton.testing.do_bench(run, warmup=20, rep=60) * 1e3, ptx


def main():
    print("result   tile           warps " + "".join(f"{f'K={K}':>9}" for K in STEPS) + "   stores of 16, 8 bytes")
    for dtype in (torch.float32, torch.float16):
        for m_block, n_block, k_block, warps in TILES:
            times, ptx = zip(*(measure(dtype, K, m_block, n_block, k_block, warps) for K in STEPS))
            name, tile = str(dtype).removeprefix("torch."), f"{m_block}x{n_block}x{k_block}"
            widths = f"{ptx[0].count('st.global.v4')}, {ptx[0].count('st.global.v2')}"
            print(f"{name:8} {tile:14} {warps:5} " + "".join(f"{time:9.1f}" for time in times) + f"   {widths}")


if __name__ == "__main__":
    main()
