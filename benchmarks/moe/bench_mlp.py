"""The MLP of a mixture of experts: gate, routing, first product with SwiGLU, second product. Time, TFLOPS and TB/s per batch, and a roofline.

python benchmarks/moe/bench_mlp.py                     # dense and gpt-oss-x2, all formats of the device
python benchmarks/moe/bench_mlp.py --small             # a model that the processor finishes in seconds
python benchmarks/moe/bench_mlp.py --config dense --formats bf16/bf16 --batches 128 512
"""

import argparse
import time
from pathlib import Path

import torch
from bench_utils import quantize_weight
from triton import knobs
from triton_kernels.matmul_ogs import (
    FnSpecs,
    FusedActivation,
    GatherIndx,
    RoutingData,
    ScatterIndx,
    matmul_ogs,
)
from triton_kernels.proton_opts import set_launch_metadata_allow_sync
from triton_kernels.roofline import PerfRecord, compute_roofline, plot_roofline
from triton_kernels.swiglu import swiglu_fn
from triton_kernels.target_info import has_native_mxfp
from triton_kernels.tensor import make_ragged_tensor_metadata
from triton_kernels.topk import topk

# (width, inner width, experts, active experts)
CONFIGS = {"dense": (8192, 8192, 1, 1), "gpt-oss-x2": (5760, 5760, 128, 4), "small": (128, 256, 8, 2)}
TYPES = {"bf16": torch.bfloat16, "fp8": torch.float8_e4m3fn}


class Model:
    def __init__(self, d, d_inner, n_experts, n_act, x_format, w_format, device):
        self.n_experts, self.n_act, self.x_type, self.d, self.device = n_experts, n_act, TYPES[x_format], d, device
        make = lambda *shape: torch.randn(*shape, device=device, dtype=torch.bfloat16) / shape[-2] ** 0.5
        self.gate, self.gate_config = quantize_weight(make(1, d, n_experts), "bf16")
        self.w1, self.config1 = quantize_weight(make(n_experts, d, d_inner), w_format)
        self.w2, self.config2 = quantize_weight(make(n_experts, d_inner // 2, d), w_format)
        self.b1, self.b2 = torch.randn(n_experts, d_inner, device=device), torch.randn(n_experts, d, device=device)
        self.swiglu = FusedActivation(FnSpecs("swiglu", swiglu_fn, ("alpha", "limit"), reduction_n=2), (1.0, 1.0))

    def __call__(self, x_gate, x):
        if self.n_experts == 1:
            h = matmul_ogs(x, self.w1, self.b1, precision_config=self.config1, fused_activation=self.swiglu)
            return matmul_ogs(h, self.w2, self.b2, precision_config=self.config2)
        logits = matmul_ogs(x_gate, self.gate, None, precision_config=self.gate_config)
        sparse = topk(logits, self.n_act)
        dispatch, combine = sparse.mask_metadata.row_sorted_indx, sparse.mask_metadata.col_sorted_indx
        meta = make_ragged_tensor_metadata(sparse.mask_metadata.col_sum, dispatch.shape[0])
        weights = sparse.vals.flatten()[combine.long()].float()
        routing = RoutingData(weights, meta.slice_sizes, self.n_experts, self.n_act, meta)
        gather, scatter = GatherIndx(combine, dispatch), ScatterIndx(dispatch, combine)
        h = matmul_ogs(
            x, self.w1, self.b1, routing, gather, precision_config=self.config1, fused_activation=self.swiglu
        )
        return matmul_ogs(h, self.w2, self.b2, routing, None, scatter, self.config2, gammas=weights)


class Counter:
    """Adds up what kernels say about themselves when they are launched."""

    def __init__(self):
        self.flops = self.bytes = 0

    def __call__(self, metadata):
        told = metadata.get()
        self.flops += sum(value for name, value in told.items() if name.startswith("flops"))
        self.bytes += told.get("bytes", 0)


def bench_mlp(model, batch, iterations):
    """One record: work from the kernels' own account, time from the clock."""
    x = torch.randn(batch, model.d, device=model.device)
    x_gate, x = x.to(torch.bfloat16), x.to(model.x_type)
    wait = torch.cuda.synchronize if model.device == "cuda" else lambda: None
    counter = Counter()
    knobs.runtime.launch_enter_hook.add(counter)
    model(x_gate, x)
    wait()
    knobs.runtime.launch_enter_hook.remove(counter)
    begin = time.perf_counter_ns()
    for _ in range(iterations):
        model(x_gate, x)
    wait()
    return PerfRecord((time.perf_counter_ns() - begin) / iterations, counter.flops, counter.bytes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--config", choices=CONFIGS, nargs="+", default=["dense", "gpt-oss-x2"])
    parser.add_argument("--formats", nargs="+", default=["fp8/fp8", "fp8/mx4" if has_native_mxfp() else "bf16/mx4"])
    parser.add_argument("--batches", type=int, nargs="+", default=list(range(128, 8192, 256)))
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--out", default="build/bench_mlp")
    options = parser.parse_args()
    if options.small:
        options.config, options.batches, options.iterations = ["small"], [16, 64], 2
    device = "cuda" if torch.cuda.is_available() else "cpu"
    set_launch_metadata_allow_sync(True)
    for config in options.config:
        series = []
        for formats in options.formats:
            model = Model(*CONFIGS[config], *formats.split("/"), device)
            print(f"{config}, {formats}")
            path = Path(options.out) / f"{config}-{formats.replace('/', '-')}.csv"
            series.append(
                compute_roofline(
                    model,
                    iterations=options.iterations,
                    bench_fn=bench_mlp,
                    intensity_proxy_name="batch",
                    intensity_proxy_values=options.batches,
                    out_path=path,
                    verbose=True,
                )  # fmt: skip
            )
        if not options.small:
            plot_roofline(
                series, "fp8" if "fp8/fp8" in options.formats else "bf16", Path(options.out) / f"{config}.png",
                title=config, xlabel="batch", labels=options.formats,
            )  # fmt: skip


if __name__ == "__main__":
    main()
