"""Calls like the one before them take a short way; whatever would change their meaning must be noticed there too."""

import concurrent.futures
import gc
import weakref

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton import knobs

pytestmark = pytest.mark.runs
place = "cpu"


@triton.jit
def write(out, value, scale=2, BLOCK: tl.constexpr = 16):
    tl.store(out + tl.arange(0, BLOCK), value * scale)


def array(size, value=0, dtype=np.int32):
    """Where kernels run."""
    host = np.full(size, value, dtype)
    return host if place == "cpu" else torch.from_numpy(host).to(place)


def values(array):
    return array if place == "cpu" else array.cpu().numpy()


def run(*args, grid=(1,), **kwargs):
    out = array(64, -1)
    write[grid](out, *args, **kwargs)
    return values(out)


def expected(value, count=16):
    return np.where(np.arange(64) < count, value, -1)


@pytest.fixture(autouse=True)
def warm(device, plain_driver):
    global place
    place = device
    for _ in range(8):
        run(5)


def test_other_values_and_specialisations():
    for value in (5, 16, 1, 2**31 - 1, 2**31, -7, 2**40, 3):
        for _ in range(3):
            assert (run(value, 1) == expected(np.int64(value).astype(np.int32))).all()


def test_positions_names_and_defaults():
    for _ in range(6):
        assert (run(5) == expected(10)).all()
        assert (run(5, 3) == expected(15)).all()
        assert (run(5, scale=4) == expected(20)).all()
        assert (run(value=5, BLOCK=32) == expected(10, 32)).all()
        assert (run(5, BLOCK=8, scale=3, num_warps=2) == expected(15, 8)).all()


def test_constants_are_compared_by_value():
    sizes = [int("16"), int("32"), np.int64(16).item()]
    for _ in range(6):
        for size in sizes:
            assert (run(5, BLOCK=size) == expected(10, size)).all()


def test_wrong_calls_still_raise():
    with pytest.raises(TypeError, match="value"):
        write[(1,)](array(64))
    with pytest.raises(TypeError):
        run(5, 2, 16, 7)
    with pytest.raises(KeyError, match="colour"):
        run(5, colour=3)
    assert (run(5) == expected(10)).all()


def test_hooks_are_noticed():
    calls = []
    knobs.runtime.launch_enter_hook.add(calls.append)
    run(5)
    knobs.runtime.launch_enter_hook.remove(calls.append)
    run(5)
    assert len(calls) == 1
    with knobs.runtime.scope():
        knobs.runtime.launch_exit_hook = calls.append
        run(5)
    run(5)
    assert len(calls) == 2
    write.add_pre_run_hook(lambda *args, **kwargs: calls.append(args))
    run(5)
    write.pre_run_hooks.clear()
    run(5)
    assert len(calls) == 3


def test_knobs_are_noticed():
    kernel = write[(1,)](array(64), 5)
    assert not kernel.metadata.debug
    with knobs.runtime.scope():
        knobs.runtime.debug = True
        assert write[(1,)](array(64), 5).metadata.debug
        assert write[(1,)](array(64), 5).metadata.debug
    assert write[(1,)](array(64), 5) is kernel
    write.debug = True
    try:
        assert write[(1,)](array(64), 5).metadata.debug
    finally:
        write.debug = None
    assert write[(1,)](array(64), 5) is kernel


def test_another_driver_is_noticed():
    config = triton.runtime.driver
    ours, launched = config.active, []

    class Other(type(ours)):
        def __init__(self):
            super().__init__()
            stream = self.get_current_stream
            self.get_current_stream = lambda device: (launched.append(device), stream(device))[1]

    config.set_active(Other())
    try:
        assert (run(5) == expected(10)).all() and launched
    finally:
        config.set_active(ours)


def test_a_grid_that_launches_the_same_kernel():
    inner = array(64, -1)

    def grid(meta):
        write[(1,)](inner, 7)
        return (1,)

    for _ in range(6):
        assert (run(5, grid=grid) == expected(10)).all() and (values(inner) == expected(14)).all()
        inner[:] = -1


@triton.jit
def sum_all(out, x, flag, wide, small, real, double: tl.float64, pair, optional, many, BLOCK: tl.constexpr):
    total = tl.load(x).to(tl.float64) + flag + wide + small + real + double + pair[0] + pair[1]
    if optional is not None:
        total += tl.load(optional)
    for index in tl.static_range(len(many)):
        total += many[index]
    tl.store(out, total + BLOCK)


def test_every_kind_of_argument_in_turn():
    def tensor(value, dtype):
        return torch.full((4,), value, dtype=dtype, device=place)

    def parameter(value):
        return torch.nn.Parameter(tensor(value, torch.float32), requires_grad=False)

    usual = dict(x=tensor(3, torch.float32), flag=True, wide=2**40, small=48, real=0.5, double=0.25, pair=(2, 3.5),
                 optional=None, many=(), BLOCK=16)  # fmt: skip
    others = dict(
        x=[tensor(4, torch.int8), parameter(5), tensor(6, torch.float32)[1:], array(1, 7, np.float64)],
        flag=[False],
        wide=[3, 1, 2**31, -(2**50)],
        small=[1, 17, -16, 0, 2**33],
        real=[-2.5, 1, 7],
        double=[1e-9, 3, True],
        pair=[(2, 9.5), (7, 1), (1, tl.constexpr(4))],
        optional=[tensor(11, torch.float32), parameter(12), tensor(13, torch.int64)],
        many=[tuple(range(3, 90)), (1.5, 2)],
        BLOCK=[32, 8],
    )

    def number(value):
        if isinstance(value, tuple):
            return sum(map(number, value))
        value = getattr(value, "value", value)
        return 0 if value is None else float(value if isinstance(value, (int, float)) else value[0])

    def check(arguments):
        out = array(1, dtype=np.float64)
        sum_all[(1,)](out, **arguments)
        assert values(out)[0] == sum(map(number, arguments.values())), arguments

    for name, alternatives in others.items():
        for alternative in alternatives:
            for _ in range(5):
                check(usual)
            for _ in range(3):
                check(usual | {name: alternative})


def test_a_tensor_that_changes_its_type():
    out, x = array(1, dtype=np.float32), torch.full((4,), 3.0, device=place)
    launch = lambda: add_one[(1,)](out, x)  # noqa: E731

    @triton.jit
    def add_one(out, x):
        tl.store(out, tl.load(x).to(tl.float32) + 1)

    for _ in range(6):
        launch()
    for other in (torch.full((4,), 5, dtype=torch.int16), torch.full((4,), 7.0, dtype=torch.float64)):
        x.data = other.to(place)
        launch()
        assert values(out)[0] == other[0] + 1


def test_threads_that_launch_the_same_kernel():
    outs = {value: [array(64, -1) for _ in range(200)] for value in (5, 7, 9, 11)}

    def work(value):
        for out in outs[value]:
            write[(1,)](out, value)
        return all((values(out) == expected(2 * value)).all() for out in outs[value])

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, outs))


def test_arguments_that_make_the_kernel_forget():
    class Array:
        def __init__(self):
            self.memory = array(64, -1)
            self.dtype = self.memory.dtype

        def data_ptr(self):
            write._forget_launches()
            return self.memory.ctypes.data if place == "cpu" else self.memory.data_ptr()

    for _ in range(6):
        given = Array()
        write[(1,)](given, 5)
        assert (values(given.memory) == expected(10)).all()


def test_globals_are_noticed():
    scope = {"tl": tl, "triton": triton, "FACTOR": tl.constexpr(3)}
    path = __file__ + ".globals"
    import linecache

    text = "@triton.jit\ndef scaled(out):\n    tl.store(out, FACTOR)\n"
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)
    exec(compile(text, path, "exec"), scope)
    out = array(1)
    for _ in range(6):
        scope["scaled"][(1,)](out)
    assert values(out)[0] == 3
    scope["FACTOR"] = tl.constexpr(4)
    with pytest.raises(RuntimeError, match="FACTOR has changed"):
        scope["scaled"][(1,)](out)


def test_nothing_is_kept_alive():
    @triton.jit
    def store_one(out):
        tl.store(out, 1)

    class Grid:
        def __call__(self, meta):
            return (1,)

    grid, out = Grid(), array(1, dtype=np.float32)
    watched = weakref.ref(grid)
    for _ in range(6):
        store_one[grid](out)
    bound = store_one[grid]
    del grid, bound
    assert watched() is None
    kernel = weakref.ref(store_one)
    del store_one
    gc.collect()
    assert kernel() is None
