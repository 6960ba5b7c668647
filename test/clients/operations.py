"""Operations of vLLM and SGLang as their callers call them, against PyTorch.

python test/clients/operations.py [--device cpu|cuda] [--compile-only sm_90a] [--only NAME…]
"""

import argparse
import math
import os
import sys
import time
import traceback
from pathlib import Path

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


class Setting:
    """What a case works with: modules of the packages, and random tensors on the device."""

    def __init__(self, finder, device):
        self.finder, self.device = finder, device

    def module(self, name):
        return self.finder.load(name)

    def random(self, *shape, dtype="float32", scale=1.0):
        return (torch.randn(shape) * scale).to(getattr(torch, dtype)).to(self.device)

    def integers(self, low, high, *shape, dtype="int32"):
        return torch.randint(low, high, shape).to(getattr(torch, dtype)).to(self.device)

    def tensor(self, values, dtype="int32"):
        return torch.tensor(values, dtype=getattr(torch, dtype), device=self.device)


def attention(q, k, v, mask=None, scale=None):
    """Of [tokens, heads, size], heads of k and v shared; mask: [queries, keys], what counts."""
    k, v = (each.float().repeat_interleave(q.shape[1] // k.shape[1], 1) for each in (k, v))
    scores = torch.einsum("qhd,khd->hqk", q.float(), k) * (scale or q.shape[-1] ** -0.5)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return torch.einsum("hqk,khd->qhd", scores.softmax(-1), v)


def causal(queries, keys, device):
    return torch.arange(keys, device=device) <= torch.arange(queries, device=device)[:, None] + keys - queries


def paged(setting, lengths, heads, size, page=16, dtype="float16"):
    """Keys, values, the table of their pages, and both as one tensor for each sequence."""
    pages = [-(-length // page) for length in lengths]
    cache = setting.random(2, sum(pages) + 3, page, heads, size, dtype=dtype)
    order = torch.randperm(sum(pages)).tolist()
    table = torch.zeros(len(lengths), max(pages), dtype=torch.int32)
    for row, count in enumerate(pages):
        table[row, :count] = torch.tensor([order.pop() for _ in range(count)])
    table = table.to(setting.device)
    rows = [
        cache[:, table[row, :count].long()].flatten(1, 2)[:, :length]
        for row, (count, length) in enumerate(zip(pages, lengths))
    ]
    return cache[0], cache[1], table, rows


@case
def unified_attention(setting):
    queries, lengths = [1, 37, 20], [70, 37, 130]
    keys, values, table, rows = paged(setting, lengths, 2, 64)
    q = setting.random(sum(queries), 8, 64, dtype="float16")
    out = torch.zeros_like(q)
    starts = setting.tensor([0, 1, 38, 58])
    setting.module("vllm.v1.attention.ops.triton_unified_attention").unified_attention(
        q=q, k=keys, v=values, out=out, cu_seqlens_q=starts, max_seqlen_q=37, seqused_k=setting.tensor(lengths), max_seqlen_k=130,
        softmax_scale=0.125, causal=True, window_size=(-1, -1), block_table=table, softcap=0, q_descale=None, k_descale=None, v_descale=None)  # fmt: skip
    expected = [
        attention(each, *row, causal(*pair, setting.device))
        for each, row, pair in zip(q.split(queries), rows, zip(queries, lengths))
    ]
    return out, torch.cat(expected), 1e-2


@case
def prefill_attention(setting):
    lengths = [70, 33, 128]
    q, k, v = (setting.random(sum(lengths), heads, 64, dtype="float16") for heads in (4, 2, 2))
    out = torch.zeros_like(q)
    starts = setting.tensor([0, 70, 103])
    setting.module("vllm.v1.attention.ops.triton_prefill_attention").context_attention_fwd(
        q, k, v, out, starts, setting.tensor(lengths), 128
    )
    parts = zip(*(each.split(lengths) for each in (q, k, v)))
    return (
        out,
        torch.cat([attention(*part, causal(len(part[0]), len(part[0]), setting.device)) for part in parts]),
        1e-2,
    )


@case
def decode_attention(setting):
    lengths, splits = [40, 100], 4
    keys, values, table, rows = paged(setting, lengths, 2, 64)
    q = setting.random(2, 8, 64, dtype="float16")
    out, lse = torch.zeros_like(q), setting.random(2, 8)
    parts = torch.zeros(2, 8, splits, 65, device=setting.device)
    setting.module("vllm.v1.attention.ops.triton_decode_attention").decode_attention_fwd(
        q, keys, values, out, lse, table, setting.tensor(lengths), parts, splits, 0.125, page_size=16)  # fmt: skip
    return out, torch.cat([attention(each, *row) for each, row in zip(q.split(1), rows)]), 1e-2


@case
def merge_attention_states(setting):
    one, two = (setting.random(50, 4, 64, dtype="float16") for _ in range(2))
    first, second = (setting.random(4, 50) for _ in range(2))
    out = torch.zeros_like(one)
    setting.module("vllm.v1.attention.ops.triton_merge_attn_states").merge_attn_states(out, one, first, two, second)
    weight = torch.sigmoid(first - second).t()[:, :, None]
    return out, one.float() * weight + two.float() * (1 - weight), 1e-2


@case
def scaled_product(setting):
    a, b = setting.integers(-100, 100, 70, 64, dtype="int8"), setting.integers(-100, 100, 64, 96, dtype="int8")
    scale_a, scale_b, bias = (
        setting.random(70, 1).abs() * 0.01,
        setting.random(96, 1).abs() * 0.01,
        setting.random(96, dtype="float16"),
    )
    mm = setting.module("vllm.model_executor.layers.quantization.compressed_tensors.triton_scaled_mm").triton_scaled_mm
    out = mm(a, b, scale_a, scale_b, torch.float16, bias)
    return out, a.float() @ b.float() * scale_a * scale_b.t() + bias.float(), 2e-2


def unpack_awq(packed):
    """Eight numbers of four bits to the word, in the order that AWQ keeps them."""
    order = torch.tensor([0, 4, 1, 5, 2, 6, 3, 7], device=packed.device) * 4
    return (packed[:, :, None] >> order & 15).flatten(1).float()


@case
def awq(setting):
    packed = setting.integers(-(2**31), 2**31 - 1, 128, 16)
    zeros, scales = setting.integers(-(2**31), 2**31 - 1, 2, 16), setting.random(2, 128, dtype="float16", scale=0.1)
    module = setting.module("vllm.model_executor.layers.quantization.awq_triton")
    weights = (unpack_awq(packed) - unpack_awq(zeros).repeat_interleave(64, 0)) * scales.float().repeat_interleave(
        64, 0
    )
    x = setting.random(20, 128, dtype="float16", scale=0.1)
    found = (
        module.awq_dequantize_triton(packed, scales, zeros),
        module.awq_gemm_triton(x, packed, scales, zeros, split_k_iters=2),
    )
    return found, (weights, x.float() @ weights), 2e-2


@case
def fp8_groups(setting):
    module = setting.module("vllm.model_executor.layers.quantization.utils.fp8_utils")
    module.current_platform = type("Platform", (stand_ins.StandIn,), {"is_cuda_alike": lambda self: False})(
        "current_platform"
    )  # else it is CUDA code
    x, w = setting.random(40, 256), setting.random(128, 256)
    a, a_scales = module.per_token_group_quant_fp8(x, 128, dtype=torch.float8_e4m3fn, use_ue8m0=False)
    b_scales = w.reshape(1, 128, 2, 128).abs().amax((1, 3)) / 448
    b = (w / b_scales.repeat_interleave(128, 1)).to(torch.float8_e4m3fn)
    out = module.w8a8_triton_block_scaled_mm(a, b, a_scales, b_scales, [128, 128], torch.float16)
    wide = a_scales.repeat_interleave(128, 1)
    expected = (a.float() * wide) @ (b.float() * b_scales.repeat_interleave(128, 1)).t()
    return (a.float() * wide, out), (x, expected), 6e-2


@case
def int8_tokens(setting):
    x = setting.random(33, 200)
    q, scales = setting.module("vllm.model_executor.layers.quantization.utils.int8_utils").per_token_quant_int8(x)
    return q.float() * scales, x, 3e-2


@case
def batch_invariant(setting):
    module = setting.module("vllm.model_executor.determinism.batch_invariant")
    module._get_matmul_config = lambda m, n, k, dtype, default: default  # it looks for files
    a, b, x = setting.random(70, 100), setting.random(100, 90), setting.random(33, 5, 700)
    found = module.matmul_persistent(a, b), module.log_softmax(x.flatten(0, 1)), module.mean_dim(x, 1)
    return found, (a @ b, x.flatten(0, 1).log_softmax(-1), x.mean(1)), 2e-2


@case
def state_space_step(setting):
    state, x, dt = setting.random(3, 64, 16), setting.random(3, 64), setting.random(3, 64)
    a, b, c, d, bias = (
        -setting.random(64, 16).abs(),
        setting.random(3, 16),
        setting.random(3, 16),
        setting.random(64),
        setting.random(64),
    )
    step = torch.nn.functional.softplus(dt + bias)
    expected = state * torch.exp(step[:, :, None] * a) + (step * x)[:, :, None] * b[:, None]
    out = torch.zeros_like(x)
    setting.module("vllm.model_executor.layers.mamba.ops.mamba_ssm").selective_state_update(
        state, x, dt, a, b, c, d, bias, dt_softplus=True, out=out, null_block_id=-1)  # fmt: skip
    return (out, state), ((expected * c[:, None]).sum(-1) + d * x, expected), 1e-3


@case
def convolution_step(setting):
    x, state, weight, bias = setting.random(3, 64), setting.random(3, 64, 3), setting.random(64, 4), setting.random(64)
    window = torch.cat([state, x[:, :, None]], -1)
    out = setting.module("vllm.model_executor.layers.mamba.ops.causal_conv1d").causal_conv1d_update(
        x.clone(), state, weight, bias, "silu", conv_state_indices=setting.tensor([0, 1, 2]), null_block_id=-1)  # fmt: skip
    return (out, state), (torch.nn.functional.silu((window * weight).sum(-1) + bias), window[:, :, 1:]), 1e-3


def delta_rule(q, k, v, g, beta):
    """Token by token, for [batch, tokens, heads, size]."""
    batch, tokens, heads, size = q.shape
    state, out = torch.zeros(batch, heads, size, v.shape[-1], device=q.device), []
    for t in range(tokens):
        state = state * g[:, t].exp()[..., None, None]
        error = (v[:, t] - torch.einsum("bhkv,bhk->bhv", state, k[:, t])) * beta[:, t][..., None]
        state = state + torch.einsum("bhk,bhv->bhkv", k[:, t], error)
        out.append(torch.einsum("bhkv,bhk->bhv", state, q[:, t] * size**-0.5))
    return torch.stack(out, 1)


@case
def gated_delta_rule(setting):
    q, k = (torch.nn.functional.normalize(setting.random(1, 130, 2, 64), dim=-1) for _ in range(2))
    v, g, beta = (
        setting.random(1, 130, 2, 64),
        -setting.random(1, 130, 2).abs() * 0.1,
        setting.random(1, 130, 2).sigmoid(),
    )
    module = setting.module("vllm.third_party.flash_linear_attention.ops.fused_recurrent")
    state = torch.zeros(1, 2, 64, 64, device=setting.device)
    out, _ = module.fused_recurrent_gated_delta_rule(q, k, v, g, beta, initial_state=state, inplace_final_state=False)
    return out, delta_rule(q, k, v, g, beta), 2e-3


@case
def chunk_pieces(setting):
    ops = "vllm.third_party.flash_linear_attention.ops."
    g = setting.random(1, 128, 2)
    lower = (
        torch.tril(setting.random(1, 2, 2, 64, 64, scale=0.05), -1).movedim(2, 3).flatten(1, 2)
    )  # [batch, tokens, heads, chunk]
    x = setting.random(100, 64)
    sums = setting.module(ops + "cumsum").chunk_local_cumsum(g, 64)
    inverse = setting.module(ops + "solve_tril").solve_tril(lower)
    norm = setting.module(ops + "l2norm").l2norm_fwd(x)
    square = lower.reshape(1, 2, 64, 2, 64).transpose(2, 3)
    expected = torch.linalg.inv(torch.eye(64, device=setting.device) + square).transpose(2, 3).reshape(lower.shape)
    return (
        (sums, inverse, norm),
        (g.reshape(1, 2, 64, 2).cumsum(2).reshape(g.shape), expected, torch.nn.functional.normalize(x, dim=-1)),
        5e-3,
    )


@case
def gated_norm(setting):
    x, w, b, z = setting.random(40, 128), setting.random(128), setting.random(128), setting.random(40, 128)
    out, *_ = setting.module("vllm.third_party.flash_linear_attention.ops.layernorm_guard").layer_norm_fwd(
        x, w, b, 1e-5, z=z
    )
    return out, torch.nn.functional.layer_norm(x, (128,), w, b) * torch.nn.functional.silu(z), 1e-3


@case
def mixture_of_experts(setting):
    module = setting.module("vllm.model_executor.layers.fused_moe.fused_moe")
    tokens, experts, top = 50, 4, 2
    a, b = setting.random(tokens, 64, dtype="float16"), setting.random(experts, 96, 64, dtype="float16", scale=0.2)
    weights, chosen = setting.random(tokens, experts).softmax(-1).topk(top)
    block, ids, owners = 16, [], []
    for expert in range(experts):
        mine = (chosen.flatten() == expert).nonzero().flatten().tolist()
        mine += [tokens * top] * (-len(mine) % block)
        ids, owners = ids + mine, owners + [expert] * (len(mine) // block)
    out = torch.zeros(tokens, top, 96, dtype=torch.float16, device=setting.device)
    config = dict(
        BLOCK_SIZE_M=block, BLOCK_SIZE_N=32, BLOCK_SIZE_K=32, GROUP_SIZE_M=1, SPLIT_K=1, num_warps=4, num_stages=3
    )
    module.invoke_fused_moe_triton_kernel(
        a, b, out, None, None, weights, setting.tensor(ids), setting.tensor(owners), setting.tensor([len(ids)]), True, top, config,
        module.tl.float16, False, False, False, False, False)  # fmt: skip
    return out, torch.einsum("tk,tenk->ten", a.float(), b[chosen].float()) * weights[:, :, None], 2e-2


@case
def rotary(setting):
    x, cos, sin = setting.random(2, 30, 4, 64), setting.random(30, 32), setting.random(30, 32)
    out = setting.module("vllm.vllm_flash_attn.ops.triton.rotary").apply_rotary(x, cos, sin)
    one, two = x.chunk(2, -1)
    c, s = cos[:, None], sin[:, None]
    return out, torch.cat([one * c - two * s, one * s + two * c], -1), 1e-4


@case
def top_k_top_p(setting):
    logits = setting.random(8, 1000)
    found = setting.module("vllm.v1.sample.ops.topk_topp_triton").apply_top_k_top_p_triton(
        logits.clone(), setting.tensor([10] * 8), None
    )
    return found, logits.masked_fill(logits < logits.topk(10)[0][:, -1:], -math.inf), 0


@case
def sglang_prefill(setting):
    lengths = [70, 33]
    q, k, v = (setting.random(sum(lengths), heads, 64, dtype="float16") for heads in (4, 2, 2))
    out = torch.zeros_like(q)
    setting.module("sglang.kernels.ops.attention.prefill_attention").context_attention_fwd(
        q, k, v, out, setting.tensor([0, 70]), setting.tensor(lengths), 70)  # fmt: skip
    parts = zip(*(each.split(lengths) for each in (q, k, v)))
    return (
        out,
        torch.cat([attention(*part, causal(len(part[0]), len(part[0]), setting.device)) for part in parts]),
        1e-2,
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--compile-only", metavar="ARCH")
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    if options.device == "cpu" and not options.compile_only:
        os.environ["TRITON_DEFAULT_BACKEND"] = "cpu"
    here = Path(__file__).resolve().parent
    sys.path[:1] = [str(here), str(here.parent / "python")]
    global torch, stand_ins
    import fetch
    import stand_ins
    import torch
    import triton

    if options.compile_only:
        import devices

        driver = devices.compile_only_driver(devices.target_of(options.compile_only))
        driver.get_benchmarker = lambda: lambda launch, **_: [launch() or 1.0] * 3
        triton.runtime.driver.set_active(driver)
    setting = Setting(
        stand_ins.install({package: fetch.fetch(package) for package in ("vllm", "sglang")}), options.device
    )
    passed = failed = 0
    for name, function in CASES.items():
        if options.only and not any(part in name for part in options.only):
            continue
        torch.manual_seed(0)
        began = time.monotonic()
        try:
            found, expected, tolerance = function(setting)
            if not options.compile_only:
                torch.testing.assert_close(found, expected, rtol=tolerance, atol=tolerance, check_dtype=False)
            passed += 1
            print("ok", f"{time.monotonic() - began:.2f} s", name, flush=True)
        except Exception:
            failed += 1
            print("FAILED", f"{time.monotonic() - began:.2f} s", name, traceback.format_exc(), flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
