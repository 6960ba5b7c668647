"""Kernels that PyTorch's Inductor writes: pointwise, reductions, scans, sorts, and its templates of products, convolutions and flex_attention; against
PyTorch without Inductor.

python test/clients/inductor.py [--device cpu|cuda] [--only NAME…]

On the CPU, Inductor is told to write Triton, and to use its GPU templates for flex_attention.
"""

import argparse
import inspect
import os
import sys
import tempfile
import time
import types

os.environ["TORCHINDUCTOR_CACHE_DIR"] = tempfile.mkdtemp()
if "cuda" not in sys.argv:
    os.environ["TRITON_DEFAULT_BACKEND"] = "cpu"

import torch  # noqa: E402
import torch._inductor.config as config  # noqa: E402
import torch.nn.functional as F  # noqa: E402
import triton  # noqa: E402

R = torch.randn


def integers(low, high, *shape):
    return torch.randint(low, high, shape)


def clamp(x):
    return x.clamp(-0.9, 0.9)


GENERATED = {
    "pointwise": (lambda x, y: (x.sin() * y.exp() + F.gelu(x) - F.softplus(y)).tanh(), lambda: (R(1000, 33), R(1000, 33))),
    "functions": (
        lambda x: (
            *(f(x) for f in (torch.erf, torch.asinh, torch.expm1, torch.round, torch.sign, torch.signbit, torch.special.i0, torch.trunc, torch.frac, torch.cosh)),
            *(f(x.abs()) for f in (torch.log1p, torch.sqrt, torch.lgamma)),
            *(f(clamp(x)) for f in (torch.acos, torch.atanh, torch.special.erfinv)),
            *(f(x, x + 1) for f in (torch.atan2, torch.hypot, torch.copysign, torch.nextafter, torch.maximum)),
            torch.fmod(x, 0.7), torch.remainder(x, 0.7), torch.pow(x.abs(), 1.5),
        ), lambda: (R(777),)),
    "halves": (lambda x, y: (F.silu(x) * y, (x * y).sum(-1)), lambda: (R(64, 128).half(), R(64, 128).half())),
    "bfloats": (lambda x, y: (F.silu(x) * y).sum(-1), lambda: (R(64, 128).bfloat16(), R(64, 128).bfloat16())),
    "integers": (
        lambda x, y: (x // y, x % y, x & y, x << 2, x >> 1, (x * y).to(torch.int8), x ^ y, torch.div(x, y, rounding_mode="trunc")),
        lambda: (integers(-100, 100, 500), integers(1, 50, 500))),
    "sums": (lambda x: (x.sum(0), x.sum(1), x.sum(), x.mean(), x.prod(1)), lambda: (R(300, 70),)),
    "variance": (lambda x: torch.var_mean(x, 1), lambda: (R(37, 5000),)),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (1000,), w, b), lambda: (R(37, 1000), R(1000), R(1000))),
    "softmax": (lambda x: (x.softmax(-1), x.log_softmax(0), x.logsumexp(1)), lambda: (R(64, 999),)),
    "extremes": (lambda x: (x.argmax(1), x.argmin(0), x.max(1), x.min(0), x.amax(), x.argmax()), lambda: (R(64, 300),)),
    "truths": (lambda x: ((x > 1).any(1), (x > -5).all(0), (x > 0).sum(1), x.isnan().any()), lambda: (R(64, 300),)),
    "scans": (lambda x: (x.cumsum(1), x.cumsum(0), x.cumprod(1), x.logcumsumexp(1), x.cummax(1), x.cummin(0)), lambda: (R(30, 200),)),
    "long_scan": (lambda x: x.cumsum(0), lambda: (R(50000),)),
    "sorts": (lambda x: (*x.sort(dim=-1), *x.sort(dim=-1, descending=True, stable=True), x.argsort(0)), lambda: (R(30, 128),)),
    "gathers": (
        lambda x, i: (x.gather(1, i), torch.zeros_like(x).scatter_add(1, i, x), x[:, i[0]], F.embedding(i, x)),
        lambda: (R(100, 64), integers(0, 64, 100, 64))),
    "index_put": (lambda x, i, v: x.index_put((i,), v, accumulate=True), lambda: (R(100, 8), integers(0, 100, 500), R(500, 8))),
    "movement": (
        lambda x, y: (torch.cat([x, y], 1), F.pad(x, (1, 2, 3, 4), value=2.0), torch.stack([x, y]), x.roll(3, 1), x.flip(0), torch.tril(x), x.repeat(2, 3)),
        lambda: (R(33, 20), R(33, 20))),
    "pools": (
        lambda x: (F.avg_pool2d(x, 3, 2), F.max_pool2d(x, 3, 2, 1), F.adaptive_avg_pool2d(x, 3), F.interpolate(x, scale_factor=2, mode="bilinear")),
        lambda: (R(2, 3, 20, 21),)),
    "norms": (lambda x: (F.group_norm(x, 4), F.batch_norm(x, None, None, training=True), F.rms_norm(x, (16,))), lambda: (R(4, 8, 16, 16),)),
    "losses": (
        lambda x, t: (F.cross_entropy(x, t), F.mse_loss(x, x * 2), F.smooth_l1_loss(x, x * 2), F.binary_cross_entropy_with_logits(x, x.sigmoid())),
        lambda: (R(64, 1000), integers(0, 1000, 64))),
    "buckets": (lambda x, b: (torch.bucketize(x, b), torch.where(x > 0, x, 0), torch.lerp(x, x * 2, 0.3)), lambda: (R(300), R(33).sort()[0])),
    "foreach": (lambda *xs: torch._foreach_add(torch._foreach_mul(list(xs), 2.0), list(xs)), lambda: tuple(R(n, 7) for n in (3, 100, 1000))),
    "doubles": (lambda x: (x.sin().sum(0), x.cumsum(1), x.exp()), lambda: (R(50, 60).double(),)),
    "integer_sums": (lambda x: (x.sum(1), x.prod(0), x.amax(1), x.float().mean(), x.argmax(0)), lambda: (integers(-5, 5, 60, 70),)),
    "transposes": (lambda x, y: (x.t() + y, (x.t() * y).sum(0)), lambda: (R(100, 130), R(130, 100))),
    "eighths": (lambda x: (x.to(torch.float8_e4m3fn).float() * 2, x.to(torch.float8_e5m2).float()), lambda: (R(500),)),
}  # fmt: skip

OPTIONS = {
    "": {},
    "loops": {"triton.persistent_reductions": False},
    "tiles": {"triton.prefer_nd_tiling": True, "triton.max_tiles": 3},
    "cooperative": {"triton.cooperative_reductions": True},
    "block_pointers": {"triton.use_block_ptr": True},
    "descriptors": {"triton.use_tensor_descriptor": True, "assume_aligned_inputs": True},
    "several": {"triton.multi_kernel": 1},
    "combined": {"combo_kernels": True, "benchmark_combo_kernel": False},
}

TEMPLATES = {
    "mm": (lambda x, y: x @ y, lambda: (R(65, 100), R(100, 72))),
    "mm_half": (lambda x, y: F.relu(x @ y) * 2 + 1, lambda: (R(128, 64).half(), R(64, 96).half())),
    "mm_transposed": (lambda x, y: x @ y.t(), lambda: (R(128, 64).bfloat16(), R(96, 64).bfloat16())),
    "addmm": (lambda x, y, b: torch.addmm(b, x, y), lambda: (R(64, 100), R(100, 72), R(72))),
    "linear_gelu": (lambda x, w, b: F.gelu(F.linear(x, w, b)).sum(-1), lambda: (R(64, 100), R(72, 100), R(72))),
    "bmm": (torch.bmm, lambda: (R(3, 40, 50), R(3, 50, 60))),
    "baddbmm": (torch.baddbmm, lambda: (R(3, 40, 60), R(3, 40, 50), R(3, 50, 60))),
    "mm_plus_mm": (lambda a, b, c, d: a @ b + c @ d, lambda: (R(64, 64), R(64, 64), R(64, 64), R(64, 64))),
    "int_mm": (torch._int_mm, lambda: (integers(-5, 5, 64, 64).to(torch.int8), integers(-5, 5, 64, 64).to(torch.int8))),
    "convolution_1x1": (F.conv2d, lambda: (R(2, 16, 12, 12), R(24, 16, 1, 1))),
    "convolution_3d": (F.conv3d, lambda: (R(2, 8, 8, 9, 9), R(16, 8, 3, 3, 3))),
    "convolution_groups": (lambda x, w: F.conv2d(x, w, groups=2), lambda: (R(2, 16, 12, 12), R(32, 8, 3, 3))),
}

slopes = torch.linspace(0.1, 0.5, 4)
SCORES = {
    "plain": None,
    "bias": lambda score, b, h, q, k: score + (q - k) * 0.01,
    "softcap": lambda score, b, h, q, k: 20 * torch.tanh(score / 20),
    "slopes": lambda score, b, h, q, k: score - slopes[h] * (q - k).abs(),
}
MASKS = {"all": None, "causal": lambda b, h, q, k: q >= k, "window": lambda b, h, q, k: (q - k).abs() < 20}
# batch, heads of queries and of keys, queries, keys, size
FLEX = [
    ("plain", "all", (2, 4, 4, 128, 128, 32), False), ("plain", "causal", (2, 4, 4, 128, 128, 32), False), ("bias", "causal", (1, 4, 2, 130, 130, 64), False),
    ("softcap", "window", (1, 4, 4, 200, 256, 32), False), ("slopes", "all", (1, 4, 4, 128, 128, 64), False), ("plain", "all", (2, 4, 2, 1, 300, 64), False),
    ("bias", "all", (2, 4, 1, 5, 256, 32), False), ("bias", "causal", (1, 2, 2, 128, 128, 32), True), ("softcap", "window", (1, 4, 2, 160, 160, 32), True),
]  # fmt: skip


def use_templates_on_cpu():
    """Lifts what keeps flex_attention from Triton, and from gradients, on the CPU; and benchmarks that Inductor writes for GPUs only."""
    import torch._inductor.kernel.flex.flex_attention as lowering
    import torch.nn.attention.flex_attention as front
    from torch._inductor.select_algorithm import TritonTemplate

    config.cpu_backend, config.benchmark_epilogue_fusion = "triton", False
    for name in [name for name in TritonTemplate.all_templates if "flex" in name]:
        del TritonTemplate.all_templates[name]
    text = inspect.getsource(lowering).replace('query.get_device().type == "cpu"', "False")
    exec(compile(text, lowering.__file__, "exec"), vars(lowering))
    text = inspect.getsource(front._apply_kernel_options).replace("if any_inputs_on_cpu_device or", "if")
    exec(compile(text, front.__file__, "exec"), vars(front))
    front._validate_device = lambda *_: None
    torch.cuda.get_device_properties = lambda *_: types.SimpleNamespace(multi_processor_count=8, major=9, minor=0)


def flex(device, score, mask, shape, gradient, dtype):
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    batch, heads, groups, queries, keys, size = shape
    q = R(batch, heads, queries, size)
    k, v = R(batch, groups, keys, size), R(batch, groups, keys, size)
    tensors = [each.to(device, dtype).requires_grad_(gradient) for each in (q, k, v)]
    blocks = create_block_mask(MASKS[mask], None, None, queries, keys, device=device) if MASKS[mask] else None

    def attend(q, k, v):
        return flex_attention(q, k, v, score_mod=SCORES[score], block_mask=blocks, enable_gqa=heads != groups)

    results = []
    for function in (torch.compile(attend, fullgraph=True), attend):
        out = function(*tensors)
        results.append([out, *torch.autograd.grad((out * out).sum(), tensors)] if gradient else [out])
    return *results, 3e-2 if dtype == torch.bfloat16 else 5e-3


def compiled(device, function, make, options):
    arguments = [each.to(device) for each in make()]
    with torch.no_grad(), config.patch(options):
        found = torch.compile(function, fullgraph=True)(*arguments)
    half = arguments[0].dtype in (torch.half, torch.bfloat16)
    return found, function(*arguments), 3e-2 if half else 2e-3


def cases(device):
    for option, changes in OPTIONS.items():
        for name, (function, make) in GENERATED.items():
            yield (
                f"{name}/{option}" if option else name,
                lambda f=function, m=make, c=changes: compiled(device, f, m, c),
            )
    search = dict(
        max_autotune=True,
        max_autotune_gemm_backends="TRITON",
        max_autotune_conv_backends="TRITON",
        autotune_in_subproc=False,
    )
    for name, (function, make) in TEMPLATES.items():
        yield f"template_{name}", lambda f=function, m=make: compiled(device, f, m, search)
    for score, mask, shape, gradient in FLEX:
        for dtype in (torch.float32, torch.bfloat16):
            name = f"flex_{score}_{mask}_{shape[3]}{'_gradient' if gradient else ''}_{dtype}".replace("torch.", "")
            if not (gradient and dtype == torch.bfloat16):
                yield name, lambda a=(score, mask, shape, gradient, dtype): flex(device, *a)


def main():
    global slopes
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    config.compile_threads, config.force_disable_caches = 1, True
    slopes = slopes.to(options.device)
    torch.set_float32_matmul_precision("highest")
    if options.device == "cpu":
        use_templates_on_cpu()
    kernels, passed, failed = [], 0, 0
    if hasattr(triton.knobs.compilation, "listener"):
        triton.knobs.compilation.listener = lambda **event: kernels.append(event["src"].name)
    for name, run in cases(options.device):
        if options.only and not any(part in name for part in options.only):
            continue
        torch._dynamo.reset()
        torch.manual_seed(0)
        began, before = time.monotonic(), len(kernels)
        try:
            found, expected, tolerance = run()
            torch.testing.assert_close(found, expected, rtol=tolerance, atol=tolerance)
            passed += 1
            print("ok", f"{time.monotonic() - began:.2f} s", name, len(kernels) - before, "kernels", flush=True)
        except Exception as error:
            failed += 1
            print(
                "FAILED",
                f"{time.monotonic() - began:.2f} s",
                name,
                f"{type(error).__name__}: {error}"[:1500],
                flush=True,
            )
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
