"""`torch.compile` through this package: kernels of the user's in a compiled program, and programs whose kernels Inductor writes itself."""

import contextlib
import os

import pytest
import torch
import triton
import triton.language as tl

pytest.importorskip("torch._inductor")
pytestmark = [
    pytest.mark.runs,
    pytest.mark.skipif("TRITON_SIMULATE" in os.environ, reason="Inductor asks torch for the GPU"),
]


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask), mask=mask)


@triton.jit
def accumulate(value):
    total = tl.zeros([1], tl.float32)
    for _ in range(3):
        total += value
    return total


@triton.jit
def inner_store(pointer, value):
    tl.store(pointer, value)


@triton.jit
def in_place(x_ptr, untouched_ptr, n):
    for index in range(n):
        if index > 1:
            inner_store(x_ptr + index, tl.load(x_ptr + index) + tl.load(untouched_ptr + index))


@triton.autotune([triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})], key=["n"])
@triton.jit
def tuned_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n) * 2, mask=offsets < n)


@pytest.fixture(autouse=True)
def fresh_dynamo(tmp_path, monkeypatch, plain_driver):
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    import torch._inductor.config as config

    torch._dynamo.reset()
    with config.patch(compile_threads=1, force_disable_caches=True):
        yield
    torch._dynamo.reset()


def writes_of(kernel, **arguments):
    from torch._higher_order_ops import triton_kernel_wrap

    if not hasattr(triton_kernel_wrap, "identify_accessed_tensors"):  # of older versions
        return set(triton_kernel_wrap.identify_mutated_tensors(kernel, arguments, {}))
    accesses = triton_kernel_wrap.identify_accessed_tensors(kernel, arguments, {})
    return {dependency.name for dependency in accesses.read_writes.writes}


def test_what_a_kernel_mutates(device):
    """PyTorch walks the unoptimised IR to find out."""
    x = torch.zeros(8, device=device)
    assert writes_of(add_kernel, x_ptr=x, y_ptr=x, out_ptr=x, n=8, BLOCK=8) == {"out_ptr"}
    assert writes_of(in_place, x_ptr=x, untouched_ptr=x, n=8) == {"x_ptr"}


def user_program(x, y):
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 128),)](x, y, out, x.numel(), BLOCK=128)
    return out.sin()


def tuned_program(x, y):
    out = torch.empty_like(x)
    tuned_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x + y, out, x.numel())
    return out / 2


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
@pytest.mark.parametrize("program", [user_program, tuned_program])
def test_kernels_of_the_user(program, backend, device):
    x, y = torch.randn(1000, device=device), torch.randn(1000, device=device)
    compiled = torch.compile(program, backend=backend, fullgraph=True)
    torch.testing.assert_close(compiled(x, y), (x + y).sin() if program is user_program else x + y)


def test_transformer_forward_and_backward(fresh_knobs, tmp_path, device):
    """Inductor writes some twenty kernels: pointwise, reductions, layer norms."""
    import torch._inductor.config as config

    if device == "cpu" and not hasattr(config, "cpu_backend"):
        pytest.skip("this torch cannot write Triton kernels for the CPU")
    fresh_knobs.cache.dir = str(tmp_path / "triton")
    names = []
    fresh_knobs.compilation.listener = lambda **event: names.append(event["src"].name)
    torch.manual_seed(0)
    model = torch.nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True).to(device)
    x = torch.randn(2, 16, 64, device=device)

    def step(layer):
        data = x.clone().requires_grad_()
        model.zero_grad()
        out = layer(data)
        (out * out).mean().backward()
        return [out.detach(), data.grad, *(parameter.grad.clone() for parameter in model.parameters())]

    expected = step(model)
    with config.patch(cpu_backend="triton") if device == "cpu" else contextlib.nullcontext():
        found = step(torch.compile(model, fullgraph=True))
    for one, other in zip(found, expected):
        torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)
    # On a GPU attention is one kernel of torch's.
    assert len(set(names)) > (10 if device == "cpu" else 5) and any("layer_norm" in name for name in names)
