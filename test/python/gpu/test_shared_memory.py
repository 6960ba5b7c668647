"""Kernels that ask for more shared memory than a GPU has where less will do: stages, rings of loads, whole tensors exchanged at once."""

import pytest
import torch
import triton
import triton.language as tl
from gpu_code import compile

LIMIT = {80: 166912, 86: 101376, 90: 232448, 100: 232448}
TYPES = {torch.float32: "fp32", torch.bfloat16: "bf16"}


@triton.jit
def state_kernel(
    q_ptr, k_ptr, v_ptr, g_ptr, add_ptr, out_ptr, chunks, K: tl.constexpr, V: tl.constexpr, T: tl.constexpr
):
    """A state that every chunk of T rows reads and adds to: five loads in each iteration, three products."""
    t, k, v = tl.arange(0, T)[:, None], tl.arange(0, K)[None, :], tl.arange(0, V)[None, :]
    state = tl.zeros([K, V], dtype=tl.float32)
    for chunk in range(chunks):
        rows = chunk * T + t
        q_tile = tl.load(q_ptr + rows * K + k)
        k_tile = tl.load(k_ptr + rows * K + k)
        v_tile = tl.load(v_ptr + rows * V + v)
        gates = tl.load(g_ptr + rows * V + v)
        start = tl.load(add_ptr + rows * V + v)
        scores = tl.where(t >= tl.arange(0, T)[None, :], tl.dot(q_tile, k_tile.T), 0)
        values = (v_tile * gates).to(v_tile.dtype)
        out = tl.dot(q_tile, state.to(q_tile.dtype), acc=start.to(tl.float32))
        out += tl.dot(scores.to(q_tile.dtype), values)
        tl.store(out_ptr + rows * V + v, out)
        state += tl.dot(k_tile.T, values)


def state_types(dtype, tile):
    pointers = {name: f"*{TYPES[dtype]}" for name in ("q_ptr", "k_ptr", "v_ptr", "g_ptr", "add_ptr")}
    return {**pointers, "out_ptr": "*fp32", "chunks": "i32", "K": tile, "V": tile, "T": tile}


@pytest.mark.parametrize("capability", LIMIT)
@pytest.mark.parametrize("dtype, tile, stages, warps", [(torch.float32, 64, 2, 4), (torch.float32, 64, 5, 8), (torch.bfloat16, 128, 2, 4), (torch.bfloat16, 64, 8, 4)])  # fmt: skip
def test_rings_fit(dtype, tile, stages, warps, capability):
    kernel = compile(state_kernel, state_types(dtype, tile), capability, num_stages=stages, num_warps=warps)
    assert kernel.metadata.shared <= LIMIT[capability]
    if capability == 90:
        assert "async_copy_global_to_local" in kernel.asm["ttgir"]  # some still run ahead


@pytest.mark.parametrize("dtype, tile, stages, warps", [(torch.float32, 64, 2, 4), (torch.float32, 64, 5, 8), (torch.bfloat16, 64, 8, 4)])  # fmt: skip
@pytest.mark.parametrize("chunks", [1, 3])
def test_fewer_rings_change_nothing(chunks, dtype, tile, stages, warps):
    generator = torch.Generator().manual_seed(chunks)
    make = lambda: torch.randint(-2, 3, (chunks, tile, tile), generator=generator).to(dtype)  # noqa: E731
    q, k, v, g, add = make(), make(), make(), make().abs().clamp(max=1), make()
    out = torch.zeros(chunks, tile, tile)
    state_kernel[(1,)](q, k, v, g, add, out, chunks, tile, tile, tile, num_stages=stages, num_warps=warps)
    state, values = torch.zeros(tile, tile, dtype=torch.float64), (v * g).double()
    for chunk in range(chunks):
        scores = (q[chunk].double() @ k[chunk].double().T).tril().to(dtype).double()
        expected = add[chunk].double() + q[chunk].double() @ state.to(dtype).double() + scores @ values[chunk]
        torch.testing.assert_close(out[chunk].double(), expected, rtol=2e-2, atol=1)
        state += k[chunk].double().T @ values[chunk]


@triton.jit
def turned_kernel(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    """Loads rows along the last axis, stores rows along the first."""
    a, b, c = tl.arange(0, A)[:, None, None], tl.arange(0, B)[None, :, None], tl.arange(0, C)[None, None, :]
    tl.store(out_ptr + (c * B + b) * A + a, tl.load(x_ptr + (a * B + b) * C + c) + 1)


# Not even the bytes of all elements fit at once.
@pytest.mark.parametrize("dtype, name", [(torch.int8, "i8"), (torch.int16, "i16"), (torch.float32, "fp32")], ids=str)
@pytest.mark.parametrize("shape, warps", [((64, 64, 64), 16), ((64, 128, 64), 32)])
def test_exchanges_fit(shape, warps, dtype, name):
    types = {"x_ptr": f"*{name}", "out_ptr": f"*{name}", **dict(zip("ABC", shape))}
    kernel = compile(turned_kernel, types, 90, num_warps=warps)
    assert "ttg.convert_layout" in kernel.asm["ttgir"] and 0 < kernel.metadata.shared <= LIMIT[90]
    x = torch.arange(shape[0] * shape[1] * shape[2]).remainder(127).to(dtype).reshape(shape)
    out = torch.zeros(shape[::-1], dtype=dtype)
    turned_kernel[(1,)](x, out, *shape, num_warps=warps)
    assert torch.equal(out, x.permute(2, 1, 0) + 1)


@triton.jit
def rows_kernel(x_ptr, y_ptr, z_ptr, xy_ptr, xz_ptr, tiles, M: tl.constexpr, N: tl.constexpr, L: tl.constexpr):
    """Operands of 200 KB are still wanted when a result of 64 KB changes its layout."""
    m, n, k, l = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, N), tl.arange(0, L)[None, :]
    y, z = tl.load(y_ptr + k[:, None] * N + n), tl.load(z_ptr + k[:, None] * L + l)
    for tile in range(tiles):
        rows = tile * M + m
        x = tl.load(x_ptr + rows * N + k[None, :])
        tl.store(xy_ptr + rows * N + n, tl.dot(x, y).to(tl.bfloat16))
        tl.store(xz_ptr + rows * L + l, tl.dot(x, z))


def test_exchanges_fit_beside_operands():
    pointers = {**{name: "*bf16" for name in ("x_ptr", "y_ptr", "z_ptr", "xy_ptr")}, "xz_ptr": "*fp32"}
    for stages in (1, 2, 4):
        types = {**pointers, "tiles": "i32", "M": 128, "N": 256, "L": 16}
        kernel = compile(rows_kernel, types, 90, num_warps=8, num_stages=stages)
        assert kernel.asm["ttgir"].count("ttng.warp_group_dot ") == 2
        assert "ttg.convert_layout" in kernel.asm["ttgir"] and kernel.metadata.shared <= LIMIT[90]
    generator = torch.Generator().manual_seed(0)
    make = lambda *shape: torch.randint(-1, 2, shape, generator=generator).bfloat16()  # noqa: E731
    x, y, z = make(384, 256), make(256, 256), make(256, 16)
    for stages in (1, 3):
        xy, xz = torch.zeros(384, 256, dtype=torch.bfloat16), torch.zeros(384, 16)
        rows_kernel[(1,)](x, y, z, xy, xz, 3, 128, 256, 16, num_warps=8, num_stages=stages)
        assert torch.equal(xy.float(), x.float() @ y.float()) and torch.equal(xz, x.float() @ z.float())


@triton.jit
def sum_kernel(x_ptr, y_ptr, out_ptr, steps, M: tl.constexpr, K: tl.constexpr):
    """All operands are loaded, 256 KB, before the first product; then comes a loop, 64 KB a stage."""
    m, n, k = tl.arange(0, M)[:, None], tl.arange(0, M)[None, :], tl.arange(0, K)
    x, y = x_ptr + m * K + k[None, :], y_ptr + k[:, None] * M + n
    x0, x1, x2, x3 = tl.load(x), tl.load(x + M * K), tl.load(x + 2 * M * K), tl.load(x + 3 * M * K)
    y0, y1, y2, y3 = tl.load(y), tl.load(y + M * K), tl.load(y + 2 * M * K), tl.load(y + 3 * M * K)
    out = tl.dot(x0, y0) + 2 * tl.dot(x1, y1)
    out += 3 * tl.dot(x2, y2) - tl.dot(x3, y3)
    for step in range(steps):
        out = tl.dot(tl.load(x + step * M * K), tl.load(y + step * M * K), out)
    tl.store(out_ptr + m * M + n, out)


def test_operands_are_stored_when_there_is_room():
    types = {"x_ptr": "*fp32", "y_ptr": "*fp32", "out_ptr": "*fp32", "steps": "i32", "M": 128, "K": 64}
    for stages in (1, 3, 4, 6):
        kernel = compile(sum_kernel, types, 90, num_warps=8, num_stages=stages)
        assert kernel.asm["ttgir"].count("ttng.warp_group_dot ") == 5 and kernel.metadata.shared <= LIMIT[90]
        assert ("<3x128x64xf32" in kernel.asm["ttgir"]) == (stages > 1)
    generator = torch.Generator().manual_seed(1)
    x = torch.randint(-3, 4, (4, 128, 64), generator=generator).float()
    y = torch.randint(-3, 4, (4, 64, 128), generator=generator).float()
    products = [x[i] @ y[i] for i in range(4)]
    for steps in (0, 1, 4):
        out = torch.zeros(128, 128)
        sum_kernel[(1,)](x, y, out, steps, 128, 64, num_warps=8, num_stages=4)
        expected = products[0] + 2 * products[1] + 3 * products[2] - products[3] + sum(products[:steps])
        assert torch.equal(out, expected)
