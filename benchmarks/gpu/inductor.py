"""`torch.compile` on the GPU through this package: a small transformer, forward and backward, against eager mode. Needs a CUDA build of torch.

PYTHONPATH=python python benchmarks/gpu/inductor.py [--layers 2] [--compile-threads 1]
"""

import argparse
import tempfile
import time

import torch
import triton


def step(layer, model, x):
    data = x.clone().requires_grad_()
    model.zero_grad()
    out = layer(data)
    (out * out).mean().backward()
    torch.cuda.synchronize()
    return [out.detach(), data.grad, *(parameter.grad.clone() for parameter in model.parameters())]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--compile-threads", type=int, default=1, help="1: in this process; more: Inductor's workers")
    given = parser.parse_args()
    if not torch.cuda.is_available():
        raise SystemExit("error: this torch sees no GPU")
    import torch._inductor.config as config

    config.compile_threads = given.compile_threads
    config.force_disable_caches = True
    names = []
    triton.knobs.cache.dir = tempfile.mkdtemp()
    triton.knobs.compilation.listener = lambda **event: names.append(event["src"].name)
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(256, 8, 512, dropout=0.0, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, given.layers, enable_nested_tensor=False).cuda()
    x = torch.randn(4, 64, 256, device="cuda")
    expected = step(model, model, x)
    begin = time.time()
    compiled = torch.compile(model, fullgraph=True)
    found = step(compiled, model, x)
    print(f"triton {triton.__version__} from {triton.__file__}")
    print(f"first step {time.time() - begin:.1f} s, {len(set(names))} kernels seen in this process")
    worst = max((one - other).abs().max().item() for one, other in zip(found, expected))
    print(f"largest difference to eager mode {worst:.2e}")
    for label, function in (("eager", model), ("compiled", compiled)):
        step(function, model, x)
        begin = time.time()
        for _ in range(20):
            step(function, model, x)
        print(f"{label}: {(time.time() - begin) / 20 * 1e3:.2f} ms per step")
    for one, other in zip(found, expected):
        torch.testing.assert_close(one, other, atol=2e-3, rtol=2e-3)
    print("ok")


if __name__ == "__main__":
    main()
