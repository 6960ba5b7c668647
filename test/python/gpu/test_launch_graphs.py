"""Launches go through graphs while the GPU waits for the host; results and order must be those of launches by themselves.

The fake driver's tests (test/cuda/LaunchGraphTest.cpp) say when that happens; these say that nobody can tell but by the clock.
"""

import threading

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
MANY = 2000


@triton.jit
def follow(counter, wrong, expected):
    """Counts on from what the launch before must have left."""
    seen = tl.load(counter)
    tl.atomic_add(wrong, (seen != expected).to(tl.int32))
    tl.store(counter, expected + 1)


@triton.jit
def write(out, position, value):
    tl.store(out + position + tl.program_id(0), value + tl.program_id(0))


@triton.jit
def spin(nanoseconds):
    begin = gpu.globaltimer()
    while gpu.globaltimer() - begin < nanoseconds:
        pass


def integers(count, value=0):
    return torch.full((count,), value, dtype=torch.int32, device="cuda")


def graph_launches(kernel):
    """Of all that was compiled from it."""
    compiled = [one for cache in kernel.device_caches.values() for one in cache[0].values()]
    return sum(one.run.graph_launches for one in compiled)


def test_arguments_and_grids_that_change():
    out = integers(4 * MANY, -1)
    before = graph_launches(write)
    for index in range(MANY):
        write[(1 + index % 4,)](out, 4 * index, 1000 * index)
    expected = torch.full((MANY, 4), -1, dtype=torch.int32)
    for index in range(MANY):
        for program in range(1 + index % 4):
            expected[index, program] = 1000 * index + program
    assert torch.equal(out.cpu().view(MANY, 4), expected)
    assert graph_launches(write) - before > MANY // 4


def test_the_same_again_and_again():
    out = integers(1)
    for _ in range(MANY):
        write[(1,)](out, 0, 7)
    before = graph_launches(write)
    for _ in range(MANY):
        write[(1,)](out, 0, 7)
    assert graph_launches(write) - before > MANY // 2
    assert out.item() == 7


@pytest.mark.parametrize("use_stream", [False, True])
def test_order(use_stream):
    """Of launches on one stream, through graphs and not, with work of torch in between."""
    counter, wrong, other = integers(1), integers(1), integers(1)
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream() if use_stream else torch.cuda.default_stream()):
        for index in range(MANY):
            follow[(1,)](counter, wrong, 2 * index)
            if index % 7 == 0:
                spin[(1,)](20000)  # the GPU falls behind now and then
            if index % 3 == 0:
                counter.add_(1)
            else:
                follow[(1,)](counter, wrong, 2 * index + 1)
            if index % 5 == 0:
                other.copy_(counter)
    torch.cuda.synchronize()
    assert wrong.item() == 0 and counter.item() == 2 * MANY


def test_not_when_the_gpu_is_behind():
    for _ in range(300):
        spin[(1,)](1000)
    torch.cuda.synchronize()
    for _ in range(100):
        spin[(1,)](50000)
    before = graph_launches(spin)
    for _ in range(100):
        spin[(1,)](50000)
    assert graph_launches(spin) == before
    torch.cuda.synchronize()


def test_captures_hold_kernels():
    counter, wrong = integers(1), integers(1)
    for index in range(MANY):
        follow[(1,)](counter, wrong, index)
    counter.zero_()
    torch.cuda.synchronize()
    before = graph_launches(follow)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for index in range(100):
            follow[(1,)](counter, wrong, index)
        counter.zero_()
    assert graph_launches(follow) == before
    for _ in range(20):
        graph.replay()
        for index in range(3):
            follow[(1,)](counter, wrong, index)
        counter.zero_()
    assert wrong.item() == 0


def test_while_another_thread_captures():
    counter, wrong, out = integers(1), integers(1), integers(1)
    follow[(1,)](counter, wrong, 0)
    write[(1,)](out, 0, 1)
    torch.cuda.synchronize()
    began, stop, failures = threading.Event(), threading.Event(), []

    def launch():
        try:
            with torch.cuda.stream(torch.cuda.Stream()):
                index = 1
                while not stop.is_set():
                    follow[(1,)](counter, wrong, index)
                    index += 1
                    began.set()
                torch.cuda.current_stream().synchronize()
        except Exception as error:
            failures.append(error)
            began.set()

    thread = threading.Thread(target=launch)
    thread.start()
    began.wait()
    try:
        for _ in range(20):
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                for index in range(50):
                    write[(1,)](out, 0, index)
            graph.replay()
    finally:
        stop.set()
        thread.join()
    assert not failures
    torch.cuda.synchronize()
    assert wrong.item() == 0 and out.item() == 49


def test_threads():
    out = integers(4 * MANY, -1)
    torch.cuda.synchronize()

    def launch(first):
        with torch.cuda.stream(torch.cuda.Stream()):
            for index in range(first, 4 * MANY, 4):
                write[(1,)](out, index, 3 * index)
            torch.cuda.current_stream().synchronize()

    threads = [threading.Thread(target=launch, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert torch.equal(out.cpu(), torch.arange(4 * MANY, dtype=torch.int32) * 3)


def test_more_kernels_than_graphs():
    out = integers(100)

    @triton.jit
    def add(out, NUMBER: tl.constexpr):
        tl.store(out + NUMBER, tl.load(out + NUMBER) + 1)

    for _ in range(200):
        for number in range(100):
            add[(1,)](out, number)
    assert out.eq(200).all()


def test_the_knob():
    out = integers(1)

    @triton.jit
    def add(out):
        tl.store(out, tl.load(out) + 1)

    with knobs.nvidia.scope():
        knobs.nvidia.launch_graphs = False
        for _ in range(500):
            add[(1,)](out)
    assert out.item() == 500 and graph_launches(add) == 0


def test_hooks_see_launches():
    out, seen = integers(1), []
    for _ in range(500):
        write[(1,)](out, 0, 1)
    before = graph_launches(write)
    with knobs.runtime.scope():
        knobs.runtime.launch_enter_hook = lambda metadata: seen.append(1)
        for _ in range(100):
            write[(1,)](out, 0, 2)
    assert len(seen) == 100 and graph_launches(write) == before
    assert out.item() == 2


def test_profilers_see_kernels():
    out = integers(1)
    for _ in range(500):
        write[(1,)](out, 0, 1)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(100):
            write[(1,)](out, 0, 1)
        torch.cuda.synchronize()
    assert sum(event.count for event in profile.key_averages() if event.key == "write") == 100
