"""Launches overlap on GPUs from sm_90 on; results must be those of full order, whatever comes in between.

Every test here makes the kernel ahead slow, so that one that begins too early reads what is not yet there. All numbers are integers, compared exactly.
"""

import pytest
import torch
import triton
import triton.language as tl
from triton import knobs
from triton.language.extra import cuda as gpu

pytestmark = [
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU"),
    pytest.mark.usefixtures("cuda_driver"),
]
N, BLOCK = 1 << 16, 256
GRID = (N // BLOCK,)


@triton.jit
def spin(cycles):
    """About that many cycles, in the last program only: the others have ended long before."""
    if tl.program_id(0) == tl.num_programs(0) - 1:
        begin = gpu.globaltimer()
        while gpu.globaltimer() - begin < cycles:
            pass


@triton.jit
def add_slowly(x_ptr, out_ptr, nanoseconds, BLOCK: tl.constexpr):
    """out = x + 1, the stores late."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    begin = gpu.globaltimer()
    while gpu.globaltimer() - begin < nanoseconds:
        pass
    tl.store(out_ptr + offsets, x + 1)


@triton.jit
def add(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets) + 1)


@triton.jit
def add_reversed(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Program p needs what the last programs of the kernel ahead wrote first of all."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + n - 1 - offsets) + 1)


@triton.jit
def nothing():
    pass


@triton.jit
def add_without_waiting(x_ptr, out_ptr, BLOCK: tl.constexpr):
    """Placed by its author: lets the next one go first, never waits. Its memory has nothing to do with the others'."""
    gpu.gdc_launch_dependents()
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets) + 1)


def zeros():
    return torch.zeros(N, dtype=torch.int32, device="cuda")


def check(tensor, value):
    torch.cuda.synchronize()
    wrong = (tensor != value).sum().item()
    assert wrong == 0, (
        f"{wrong} of {tensor.numel()} elements are not {value}, the first is {tensor[tensor != value][0]}"
    )


def test_kernels_wait_at_entry():
    kernel = add[GRID](zeros(), zeros(), BLOCK)
    is_hopper = torch.cuda.get_device_capability() >= (9, 0)
    assert kernel.metadata.waits_at_entry == is_hopper
    assert ("griddepcontrol.wait" in kernel.asm["ptx"]) == is_hopper


@pytest.mark.parametrize("nanoseconds", [0, 1000, 20000])
def test_a_chain(nanoseconds):
    a, b = zeros(), zeros()
    for _ in range(50):
        a.zero_()
        for _ in range(10):
            add_slowly[GRID](a, b, nanoseconds, BLOCK)
            add_reversed[GRID](b, a, N, BLOCK)
        check(a, 20)


def test_a_kernel_that_does_nothing_in_between():
    """It ends at once, and must not end before the one ahead of it."""
    a, b = zeros(), zeros()
    for _ in range(50):
        a.zero_()
        b.zero_()
        add_slowly[GRID](a, b, 50000, BLOCK)
        for _ in range(5):
            nothing[(1,)]()
        add_reversed[GRID](b, a, N, BLOCK)
        check(a, 2)


def test_a_long_program_in_between():
    a, b = zeros(), zeros()
    for _ in range(20):
        a.zero_()
        add[GRID](a, b, BLOCK)
        spin[(264,)](100000)
        add[GRID](b, a, BLOCK)
        add[GRID](a, b, BLOCK)
        check(b, 3)


def test_kernels_of_torch_in_between():
    a, b = zeros(), zeros()
    big = torch.randn(2048, 2048, device="cuda", dtype=torch.float16)
    for _ in range(50):
        a.zero_()
        add_slowly[GRID](a, b, 20000, BLOCK)
        b.add_(1)
        add[GRID](b, a, BLOCK)
        big @ big
        a.mul_(2)
        add_slowly[GRID](a, b, 20000, BLOCK)
        torch.add(b, b, out=a)
        add[GRID](a, b, BLOCK)
        check(b, (3 * 2 + 1) * 2 + 1)


def test_copies_and_fills_in_between():
    a, b, c = zeros(), zeros(), zeros()
    host = torch.zeros(N, dtype=torch.int32, pin_memory=True)
    for _ in range(50):
        a.fill_(5)
        add_slowly[GRID](a, b, 20000, BLOCK)
        c.copy_(b)  # device to device
        add[GRID](c, a, BLOCK)
        host.copy_(a, non_blocking=True)
        a.zero_()
        add[GRID](a, b, BLOCK)
        c.copy_(host, non_blocking=True)
        add_slowly[GRID](c, a, 20000, BLOCK)
        c.zero_()  # after `a` was made from it
        check(a, 8)
        check(b, 1)
        check(host, 7)


def test_streams_and_events():
    first, second = torch.cuda.Stream(), torch.cuda.Stream()
    a, b, c = zeros(), zeros(), zeros()
    torch.cuda.synchronize()
    for _ in range(50):
        done, back = torch.cuda.Event(), torch.cuda.Event()
        with torch.cuda.stream(first):
            a.zero_()
            add_slowly[GRID](a, b, 30000, BLOCK)
            done.record()
        with torch.cuda.stream(second):
            nothing[(1,)]()  # a kernel ahead on this stream, which is not the one to wait for
            second.wait_event(done)
            add_reversed[GRID](b, c, N, BLOCK)
            back.record()
        with torch.cuda.stream(first):
            nothing[(1,)]()
            first.wait_event(back)
            add[GRID](c, a, BLOCK)
        first.synchronize()
        check(a, 3)


def test_the_default_stream_and_another():
    """The legacy stream waits for blocking streams, and they for it; torch's streams do not block, so events say it."""
    other = torch.cuda.Stream()
    a, b = zeros(), zeros()
    for _ in range(50):
        a.zero_()
        add_slowly[GRID](a, b, 30000, BLOCK)
        other.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(other):
            add[GRID](b, a, BLOCK)
        torch.cuda.current_stream().wait_stream(other)
        add[GRID](a, b, BLOCK)
        check(b, 3)


def test_host_waits():
    a, b = zeros(), zeros()
    for _ in range(50):
        a.zero_()
        add_slowly[GRID](a, b, 30000, BLOCK)
        nothing[(1,)]()
        assert b.cpu().eq(1).all()


def test_graphs():
    a, b = zeros(), zeros()
    for kernel in (lambda: add_slowly[GRID](a, b, 20000, BLOCK), lambda: add_reversed[GRID](b, a, N, BLOCK)):
        kernel()
    nothing[(1,)]()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        a.zero_()
        for _ in range(5):
            add_slowly[GRID](a, b, 20000, BLOCK)
            nothing[(1,)]()
            add_reversed[GRID](b, a, N, BLOCK)
        b.copy_(a)
        add[GRID](b, a, BLOCK)
    for _ in range(30):
        graph.replay()
        add_slowly[GRID](a, b, 20000, BLOCK)  # after the graph
        graph.replay()  # and before it
        add[GRID](a, b, BLOCK)
        check(b, 12)


def test_kernels_that_place_the_wait_themselves():
    a, b, c, d = zeros(), zeros(), zeros(), zeros()
    assert not add_without_waiting[GRID](c, d, BLOCK, launch_pdl=True).metadata.waits_at_entry
    for _ in range(50):
        a.zero_()
        add_slowly[GRID](a, b, 50000, BLOCK)
        add_without_waiting[GRID](c, d, BLOCK, launch_pdl=True)
        add_reversed[GRID](b, a, N, BLOCK)
        check(a, 2)


def test_products():
    """Kernels that keep the tensor cores and shared memory busy."""

    @triton.jit
    def square(a_ptr, c_ptr, SIZE: tl.constexpr, TILE: tl.constexpr):
        rows, columns = tl.program_id(0) * TILE + tl.arange(0, TILE), tl.program_id(1) * TILE + tl.arange(0, TILE)
        total = tl.zeros((TILE, TILE), tl.float32)
        for k in range(0, SIZE, 64):
            ks = k + tl.arange(0, 64)
            left = tl.load(a_ptr + rows[:, None] * SIZE + ks[None, :])
            right = tl.load(a_ptr + ks[:, None] * SIZE + columns[None, :])
            total = tl.dot(left, right, total)
        tl.store(c_ptr + rows[:, None] * SIZE + columns[None, :], total.to(tl.float16))

    size = 1024
    shift = torch.roll(torch.eye(size, device="cuda", dtype=torch.float16), 1, 0)
    for _ in range(20):
        a, b = shift.clone(), torch.empty_like(shift)
        for _ in range(4):  # permutations: exact
            square[(size // 128, size // 128)](a, b, size, 128, num_warps=8)
            square[(size // 128, size // 128)](b, a, size, 128, num_warps=8)
        expected = torch.roll(torch.eye(size, device="cuda", dtype=torch.float16), 256, 0)
        assert torch.equal(a, expected)


def test_the_knob(tmp_path):
    with knobs.nvidia.scope():
        knobs.nvidia.overlap_launches = False
        kernel = triton.compile(
            triton.compiler.ASTSource(add, {"x_ptr": "*i32", "out_ptr": "*i32", "BLOCK": "constexpr"}, {(2,): BLOCK})
        )
    assert not kernel.metadata.waits_at_entry and "griddepcontrol" not in kernel.asm["ptx"]
