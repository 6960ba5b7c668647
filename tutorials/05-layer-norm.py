"""
Layer norm
==========

Layer norm with its gradient, as a function that torch can differentiate. You will see:

* a kernel that passes over a row several times,
* half precision in memory and float32 in between,
* a reduction across programs: many rows add to one gradient, under a lock,
* kernels inside a `torch.autograd.Function`.

Run it with `python tutorials/05-layer-norm.py`: it needs no GPU, but torch.
"""

import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()
ON_CPU = DEVICE.type == "cpu"

# Forward
# -------
#
# Each row x of N elements becomes
#
#     y = (x - mean(x)) / sqrt(var(x) + eps) * w + b
#
# One program per row. A row may be longer than a block, so each sum is a loop over blocks. mean and 1/sqrt(var + eps) are kept for the
# way back.


@triton.jit
def _layer_norm_fwd_fused(X, Y, W, B, Mean, Rstd, stride, N, eps, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    Y += row * stride
    X += row * stride

    total = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        total += tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / N

    squares = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        # Beyond the row there is nothing to sum, and 0 - mean would be something.
        x = tl.where(cols < N, x - mean, 0.0)
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + eps)

    tl.store(Mean + row, mean)
    tl.store(Rstd + row, rstd)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        mask = cols < N
        w = tl.load(W + cols, mask=mask)
        b = tl.load(B + cols, mask=mask)
        x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(Y + cols, (x - mean) * rstd * w + b, mask=mask)


# Backward
# --------
#
# With x̂ = (x - mean) * rstd, and dy the gradient that arrives:
#
#     dx = rstd * (w*dy - mean(x̂ * w*dy) * x̂ - mean(w*dy))
#     dw = the sum over rows of dy * x̂
#     db = the sum over rows of dy
#
# dx belongs to one row, so to one program. dw and db sum over all rows. Adding every row straight to one array would make all programs
# wait for each other; so there are GROUP_SIZE_M arrays, each with a lock, and a second kernel adds those up.
#
# The lock is an integer: `atomic_cas` changes 0 to 1 and says what was there, so whoever reads 0 has it. A second integer says whether
# the array already holds something.


@triton.jit
def _layer_norm_bwd_dx_fused(
    DX, DY, DW, DB, X, W, Mean, Rstd, Lock, stride, N, GROUP_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr
):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE_N)
    mask = cols < N
    X += row * stride
    DY += row * stride
    DX += row * stride

    x = tl.load(X + cols, mask=mask, other=0).to(tl.float32)
    dy = tl.load(DY + cols, mask=mask, other=0).to(tl.float32)
    w = tl.load(W + cols, mask=mask).to(tl.float32)
    mean = tl.load(Mean + row)
    rstd = tl.load(Rstd + row)

    xhat = tl.where(mask, (x - mean) * rstd, 0.0)
    wdy = tl.where(mask, w * dy, 0.0)
    along_xhat = tl.sum(xhat * wdy, axis=0) / N
    along_one = tl.sum(wdy, axis=0) / N
    tl.store(DX + cols, (wdy - (xhat * along_xhat + along_one)) * rstd, mask=mask)

    partial_dw = dy * xhat
    partial_db = dy
    group = row % GROUP_SIZE_M
    Count = Lock + GROUP_SIZE_M + group
    Lock += group
    DW = DW + group * N + cols
    DB = DB + group * N + cols
    while tl.atomic_cas(Lock, 0, 1) == 1:
        pass
    if tl.load(Count) == 0:
        # The first to come stores: what was there is whatever the memory held.
        tl.atomic_xchg(Count, 1)
    else:
        partial_dw += tl.load(DW, mask=mask)
        partial_db += tl.load(DB, mask=mask)
    tl.store(DW, partial_dw, mask=mask)
    tl.store(DB, partial_db, mask=mask)
    # On a GPU the threads of a program must all have stored before one of them opens the lock.
    tl.debug_barrier()
    tl.atomic_xchg(Lock, 0)


@triton.jit
def _layer_norm_bwd_dwdb(DW, DB, FINAL_DW, FINAL_DB, M, N, BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr):
    cols = tl.program_id(0) * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    dw = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    db = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for i in range(0, M, BLOCK_SIZE_M):
        rows = i + tl.arange(0, BLOCK_SIZE_M)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        offsets = rows[:, None] * N + cols[None, :]
        dw += tl.load(DW + offsets, mask=mask, other=0.0)
        db += tl.load(DB + offsets, mask=mask, other=0.0)
    tl.store(FINAL_DW + cols, tl.sum(dw, axis=0), mask=cols < N)
    tl.store(FINAL_DB + cols, tl.sum(db, axis=0), mask=cols < N)


# Together
# --------


class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, normalized_shape, weight, bias, eps):
        y = torch.empty_like(x)
        rows = x.reshape(-1, x.shape[-1])
        M, N = rows.shape
        mean = torch.empty((M,), dtype=torch.float32, device=x.device)
        rstd = torch.empty((M,), dtype=torch.float32, device=x.device)
        # The way back holds a row in one block, of at most 64 KiB.
        largest = 65536 // x.element_size()
        BLOCK_SIZE = min(largest, triton.next_power_of_2(N))
        if N > BLOCK_SIZE:
            raise RuntimeError(f"this layer norm takes rows of at most {largest} {x.dtype} elements, got {N}")
        num_warps = min(max(BLOCK_SIZE // 256, 1), 8)
        _layer_norm_fwd_fused[(M,)](
            rows,
            y,
            weight,
            bias,
            mean,
            rstd,
            rows.stride(0),
            N,
            eps,
            BLOCK_SIZE=BLOCK_SIZE,
            num_warps=num_warps,
            num_ctas=1,
        )
        ctx.save_for_backward(x, weight, bias, mean, rstd)
        ctx.BLOCK_SIZE = BLOCK_SIZE
        ctx.num_warps = num_warps
        return y

    @staticmethod
    def backward(ctx, dy):
        x, weight, bias, mean, rstd = ctx.saved_tensors
        rows = x.reshape(-1, x.shape[-1])
        M, N = rows.shape
        # Short rows are quickly done, so that more programs want a lock at the same time.
        GROUP_SIZE_M = 256 if N <= 1024 else 128 if N <= 4096 else 96 if N <= 8192 else 64
        locks = torch.zeros(2 * GROUP_SIZE_M, dtype=torch.int32, device=x.device)
        partial_dw = torch.zeros((GROUP_SIZE_M, N), dtype=torch.float32, device=x.device)
        partial_db = torch.zeros((GROUP_SIZE_M, N), dtype=torch.float32, device=x.device)
        dw = torch.empty((N,), dtype=weight.dtype, device=x.device)
        db = torch.empty((N,), dtype=weight.dtype, device=x.device)
        dx = torch.empty_like(dy)
        _layer_norm_bwd_dx_fused[(M,)](
            dx,
            dy,
            partial_dw,
            partial_db,
            x,
            weight,
            mean,
            rstd,
            locks,
            rows.stride(0),
            N,
            BLOCK_SIZE_N=ctx.BLOCK_SIZE,
            GROUP_SIZE_M=GROUP_SIZE_M,
            num_warps=ctx.num_warps,
        )
        grid = lambda meta: (triton.cdiv(N, meta["BLOCK_SIZE_N"]),)
        _layer_norm_bwd_dwdb[grid](
            partial_dw, partial_db, dw, db, min(GROUP_SIZE_M, M), N, BLOCK_SIZE_M=32, BLOCK_SIZE_N=128, num_ctas=1
        )
        return dx, None, dw, db, None


layer_norm = LayerNorm.apply


# Is it right?
# ------------
#
# Torch computes the reference in float32: in half precision its own sums over 1151 rows would be the larger error.


def check(M, N, dtype, eps=1e-5, device=DEVICE):
    x = -2.3 + 0.5 * torch.randn((M, N), dtype=dtype, device=device)
    weight = torch.rand((N,), dtype=dtype, device=device)
    bias = torch.rand((N,), dtype=dtype, device=device)
    dy = 0.1 * torch.randn_like(x)
    results = []
    for function, precision in ((layer_norm, dtype), (torch.nn.functional.layer_norm, torch.float32)):
        inputs = [tensor.to(precision, copy=True).requires_grad_(True) for tensor in (x, weight, bias)]
        y = function(inputs[0], (N,), inputs[1], inputs[2], eps)
        y.backward(dy.to(precision))
        results.append([tensor.float() for tensor in (y, *(tensor.grad for tensor in inputs))])
    for name, actual, expected in zip(("y", "dx", "dw", "db"), *results):
        difference = (actual - expected).abs().max().item()
        print(f"{name:2}: the largest difference between torch and triton is {difference:.1e}")
        assert torch.allclose(actual, expected, atol=1e-2, rtol=0)


torch.manual_seed(0)
check(1151, 8192, torch.float16)

# Is it fast?
# -----------
#
# Forward reads a matrix and writes one; backward reads two and writes one.


def plot(mode):
    return triton.testing.Benchmark(
        x_names=["N"],
        x_vals=[1024 * i for i in range(1, 9)] if ON_CPU else [512 * i for i in range(2, 32)],
        line_arg="provider",
        line_vals=["triton", "torch"],
        line_names=["Triton", "Torch"],
        ylabel="GB/s",
        plot_name=f"layer-norm-{mode}",
        args={"M": 512 if ON_CPU else 4096, "dtype": torch.float16, "mode": mode},
    )


@triton.testing.perf_report([plot("forward"), plot("backward")])
def benchmark(M, N, dtype, provider, mode, eps=1e-5, device=DEVICE):
    x = (-2.3 + 0.5 * torch.randn((M, N), dtype=dtype, device=device)).requires_grad_(True)
    weight = torch.rand((N,), dtype=dtype, device=device, requires_grad=True)
    bias = torch.rand((N,), dtype=dtype, device=device, requires_grad=True)
    function = layer_norm if provider == "triton" else torch.nn.functional.layer_norm
    forward = lambda: function(x, (N,), weight, bias, eps)
    quantiles = [0.5, 0.2, 0.8]
    if mode == "forward":
        matrices = 2
        ms, low, high = triton.testing.do_bench(forward, quantiles=quantiles)
    else:
        matrices = 3
        y = forward()
        dy = 0.1 * torch.randn_like(x)
        ms, low, high = triton.testing.do_bench(
            lambda: y.backward(dy, retain_graph=True), quantiles=quantiles, grad_to_none=[x], rep=100 if ON_CPU else 500
        )
    gigabytes_per_second = lambda ms: matrices * x.numel() * x.element_size() * 1e-9 / (ms * 1e-3)
    return gigabytes_per_second(ms), gigabytes_per_second(high), gigabytes_per_second(low)


benchmark.run(print_data=True, save_path=".")
