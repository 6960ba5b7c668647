"""Models through `torch.compile` with Inductor's Triton kernels on the CPU: results and gradients are eager's, for one shape and for shapes that vary."""

import pytest
import torch
from torch import nn

config = pytest.importorskip("torch._inductor.config")
pytestmark = [
    pytest.mark.runs,
    pytest.mark.cpu_only,
    pytest.mark.skipif(not hasattr(config, "cpu_backend"), reason="this torch writes no Triton kernels for the CPU"),
]


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution, self.norm, self.head = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.Linear(128, 10)

    def forward(self, x):
        pooled = nn.functional.max_pool2d(torch.relu(self.norm(self.convolution(x))), 2)
        return self.head(pooled.flatten(1)).log_softmax(-1)


class Language(nn.Module):
    """A decoder's layer: embedding, causal attention, gated multiplications."""

    def __init__(self):
        super().__init__()
        self.embedding, self.norm, self.head = nn.Embedding(50, 32), nn.RMSNorm(32), nn.Linear(32, 50)
        self.gate, self.up, self.down = nn.Linear(32, 64), nn.Linear(32, 64), nn.Linear(64, 32)

    def forward(self, tokens):
        x = self.embedding(tokens)
        y = self.norm(x)
        x = x + self.down(nn.functional.silu(self.gate(y)) * self.up(y))
        later = torch.triu(torch.full((x.shape[1], x.shape[1]), float("-inf")), 1)
        return self.head(torch.softmax(x @ x.transpose(-1, -2) / 5 + later, -1) @ x)


class Movements(nn.Module):
    """What is neither a product nor a plain reduction."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(7))

    def forward(self, x):
        y = torch.where(x > 0, x, torch.expm1(x)) * self.weight
        parts = y.cumsum(0), y.sort(-1).values, y.std(-1, keepdim=True).expand_as(y)
        return torch.cat([*parts, torch.gather(y, 1, torch.argsort(x, -1))])


class Experts(nn.Module):
    """Two of four experts for each token: choices, scattered weights, products over all, norms over groups."""

    def __init__(self):
        super().__init__()
        self.router, self.norm = nn.Linear(16, 4), nn.GroupNorm(4, 16)
        self.up, self.down = nn.Parameter(torch.randn(4, 16, 8) / 4), nn.Parameter(torch.randn(4, 8, 16) / 4)

    def forward(self, x):
        weights, chosen = self.router(x).softmax(-1).topk(2, -1)
        weights = torch.zeros_like(x[:, :4]).scatter(1, chosen, weights / weights.sum(-1, keepdim=True))
        hidden = nn.functional.gelu(torch.einsum("td,edh->teh", self.norm(x), self.up))
        return x.index_add(0, chosen[:, 0] % 2, torch.einsum("teh,ehd,te->td", hidden, self.down, weights))


class Recurrent(nn.Module):
    """Cells over a few steps, and what comes out of them in another order."""

    def __init__(self):
        super().__init__()
        self.long, self.gated = nn.LSTMCell(6, 8), nn.GRUCell(8, 8)

    def forward(self, x):
        hidden = cell = other = x.new_zeros(x.shape[0], 8)
        for step in range(3):
            hidden, cell = self.long(x[:, step], (hidden, cell))
            other = self.gated(hidden, other)
        return other * cell + other.logcumsumexp(1) + other.roll(1, 0)


MODELS = {
    "convolutions": (Convolutions, lambda batch: torch.randn(batch, 3, 8, 8)),
    "language": (Language, lambda batch: torch.randint(0, 50, (batch, 5 + 3 * batch))),
    "experts": (Experts, lambda batch: torch.randn(5 + batch, 16)),
    "recurrent": (Recurrent, lambda batch: torch.randn(batch, 3, 6)),
    "movements": (Movements, lambda batch: torch.randn(3 + 2 * batch, 7)),
}


def step(model, call, given):
    """The result, and the gradients of everything that has one."""
    model.zero_grad()
    x = given.clone()
    if x.is_floating_point():
        x.requires_grad_()
    out = call(x)
    (out * out).mean().backward()
    return [out.detach(), *(tensor.grad.clone() for tensor in [*model.parameters(), x] if tensor.grad is not None)]


@pytest.mark.parametrize("dynamic", [False, True], ids=["one-shape", "many-shapes"])
@pytest.mark.parametrize("name", MODELS)
def test_forward_and_backward(name, dynamic, fresh_knobs, tmp_path, monkeypatch, plain_driver):
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    fresh_knobs.cache.dir = str(tmp_path / "triton")
    kernels = []
    fresh_knobs.compilation.listener = lambda **event: kernels.append(event["src"].name)
    torch.manual_seed(0)
    make_model, make_input = MODELS[name]
    model = make_model()
    torch._dynamo.reset()
    with config.patch(cpu_backend="triton", compile_threads=1, force_disable_caches=True):
        compiled = torch.compile(model, fullgraph=True, dynamic=dynamic)
        for batch in (2, 3, 11) if dynamic else (2,):
            given = make_input(batch)
            expected, found = step(model, model, given), step(model, compiled, given)
            assert len(found) == len(expected) > 1
            for one, other in zip(found, expected):
                torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)
            compiles = len(kernels)
    torch._dynamo.reset()
    assert compiles >= 3
