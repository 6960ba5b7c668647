"""TRITON_SANITIZE finds planted mistakes, says where they are, and finds none in the tutorials. Each script runs in a process of its own, compiled and interpreted."""

import os
import subprocess
import sys
import textwrap

import pytest
from places import ROOT

pytestmark = pytest.mark.cpu_only
HEAD = "import torch, triton, triton.language as tl\n"


def run(arguments, interpret, sanitize="address,race", **variables):
    environment = {
        **os.environ,
        "TRITON_DEFAULT_BACKEND": "cpu",
        "TRITON_SANITIZE": sanitize,
        "TRITON_INTERPRET": str(int(interpret)),
        **variables,
    }
    return subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True, env=environment)


@pytest.fixture(params=[False, True], ids=["compiled", "interpreted"])
def report(request, tmp_path):
    """Runs a script: what is reported, empty if nothing is."""

    def check(source, **options):
        script = tmp_path / "script.py"
        script.write_text(HEAD + textwrap.dedent(source))
        result = run([script], request.param, **options)
        assert result.returncode == 0, result.stderr
        return result.stdout.replace(str(tmp_path) + "/", "").rstrip("\n")

    return check


# Runs a launch and prints what it raises.
GUARD = """
def launch(kernel, grid, *args, **kwargs):
    try:
        kernel[grid](*args, **kwargs)
    except Exception as error:
        while error.__cause__ is not None:
            error = error.__cause__
        print(error)
"""


def test_off_by_one_mask(report):
    text = report(
        GUARD
        + """
@triton.jit
def copy(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets <= n
    x = tl.load(x_ptr + offsets, mask)
    tl.store(y_ptr + offsets, x, offsets < n)

launch(copy, (2,), torch.ones(100), torch.zeros(100), 100, BLOCK=64)
"""
    )
    assert text == textwrap.dedent(
        """\
        script.py:15:9: program (1, 0, 0) reads out of bounds: element [36] of the block is offset 100 of `x_ptr`, which is float32[100]
           15 |     x = tl.load(x_ptr + offsets, mask)
              |         ^"""
    )


def test_missing_mask(report):
    text = report(
        GUARD
        + """
@triton.jit
def fill(out_ptr, BLOCK: tl.constexpr):
    pointers = out_ptr + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(pointers, 1.0)

launch(fill, (4,), torch.zeros(200), BLOCK=64)
"""
    )
    assert "script.py:14:5: program (3, 0, 0) writes out of bounds" in text
    assert "element [8] of `pointers`" in text and "is offset 200 of `out_ptr`, which is float32[200]" in text


def test_two_programs_write_one_element(report):
    text = report(
        GUARD
        + """
@triton.jit
def total(x_ptr, out_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    tl.store(out_ptr, tl.sum(x, 0))

launch(total, (2,), torch.ones(128), torch.zeros(1), BLOCK=64)
"""
    )
    assert text.splitlines()[0] == (
        "script.py:14:5: program (1, 0, 0) writes what program (0, 0, 0) writes at script.py:14:5 with nothing that orders the two: "
        "`out_ptr[0]`, and `out_ptr` is float32[1]"
    )


def test_uninitialised_read(report):
    text = report(
        GUARD
        + """
@triton.jit
def accumulate(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    row = tl.program_id(0) * BLOCK
    old = tl.load(out_ptr + row + offsets)
    tl.store(out_ptr + row + offsets, old + tl.load(x_ptr + row + offsets))

out = torch.empty(2, 64)
out[0] = 0
launch(accumulate, (2,), torch.ones(2, 64), out, BLOCK=64)
"""
    )
    assert "script.py:15:11: program (1, 0, 0) reads memory that was never written" in text
    assert "element [0] of the block is `out_ptr[1, 0]`, and `out_ptr` is float32[2, 64]" in text


def test_whatever_makes_memory_without_values_is_known(report):
    text = report(
        GUARD
        + """
import numpy as np

@triton.jit
def first(x_ptr, out_ptr):
    tl.store(out_ptr, tl.load(x_ptr).to(tl.float32))

like = np.zeros((3, 8), np.float32)
tensor = torch.zeros(3, 8)
for made in (np.empty((3, 8)), np.empty_like(like), np.empty_like(like, dtype=np.int32, order="F"), np.empty((5,), np.float16),
             torch.empty(4), torch.empty_like(tensor), torch.empty_strided((4, 4), (1, 4)), torch.empty_permuted((2, 3), (1, 0)),
             tensor.new_empty(4), tensor.new_empty_strided((4,), (2,)), torch.empty(8, dtype=torch.bfloat16)):
    launch(first, (1,), made, torch.zeros(1))
print("--")
for made in (np.zeros_like(like), np.ones_like(like), np.full_like(like, 3), np.zeros((2,)), like.copy(), np.concatenate([like, like]),
             np.copy(like), np.array(like), like + 1, np.arange(8.0), torch.zeros_like(tensor), torch.full_like(tensor, 2), tensor.clone()):
    launch(first, (1,), made, torch.zeros(1))
"""
    )
    found, fine = text.split("--")
    assert found.count("reads memory that was never written: `x_ptr[0") == 11, found
    assert fine.strip() == ""


def test_written_is_written_whatever_with(report):
    text = report(
        GUARD
        + """
import numpy as np

@triton.jit
def total(x_ptr, out_ptr, N: tl.constexpr):
    tl.store(out_ptr, tl.sum(tl.load(x_ptr + tl.arange(0, N)), 0))

out = torch.zeros(1)
array, tensor, halves = np.empty(8, np.float32), torch.empty(8), np.empty(8, np.float16)
array[:], tensor[:], halves[...] = array.copy(), tensor.clone(), halves.copy()
for written in (array, tensor, halves):
    launch(total, (1,), written, out, N=8)
array = np.empty(8, np.float32)
np.copyto(array, array.copy())
launch(total, (1,), array, out, N=8)
tensor = torch.empty(8)
launch(total, (1,), tensor.copy_(tensor.clone()), out, N=8)
for index in range(8):
    array[index] = array[index]
launch(total, (1,), array, out, N=8)
print("--")
array = np.empty(8, np.float32)
array[:4] = array[:4].copy()
launch(total, (1,), array, out, N=8)
"""
    )
    fine, found = text.split("--")
    assert fine.strip() == ""
    assert "reads memory that was never written: element [4] of the block is `x_ptr[4]`" in found


@pytest.mark.parametrize("dtype", ["float16", "int8", "float32", "float64"])
def test_what_a_program_left_unwritten(report, dtype):
    text = report(
        GUARD
        + f"""
@triton.jit
def some(x_ptr):
    tl.store(x_ptr + 1, 1)
    tl.store(x_ptr + 3, tl.load(x_ptr + 1))
    tl.store(x_ptr, tl.load(x_ptr + 2))

launch(some, (1,), torch.empty(16, dtype=torch.{dtype}))
"""
    )
    assert "script.py:15:21: program (0, 0, 0) reads memory that was never written" in text
    assert f"`x_ptr[2]`, and `x_ptr` is {dtype}[16]" in text


@pytest.mark.parametrize("sanitize", ["address", "race", "address,race"])
def test_pointers_made_from_numbers(report, sanitize):
    text = report(
        GUARD
        + """
@triton.jit
def read(out_ptr, NUMBER: tl.constexpr):
    pointer = tl.full((), NUMBER, tl.int64).to(tl.pointer_type(tl.float32))
    tl.store(out_ptr, tl.load(pointer))

@triton.jit
def write(out_ptr, numbers_ptr):
    pointers = tl.load(numbers_ptr + tl.arange(0, 2)).to(tl.pointer_type(tl.float32))
    tl.store(pointers, 1.0)

out = torch.zeros(1)
for number in (0, 8, 0x123456780, -16, 2**62):
    launch(read, (1,), out, number)
launch(write, (1,), out, torch.tensor([out.data_ptr(), 0x40]))
""",
        sanitize=sanitize,
    )
    places = ("0x0", "0x8", "0x123456780", "0xfffffffffffffff0", "0x4000000000000000")
    for place in places:
        assert (
            f"script.py:14:23: program (0, 0, 0) reads out of bounds: `pointer` is address {place}, where there is no memory"
            in text
        )
    assert "writes out of bounds: element [1] of `pointers` is address 0x40, where there is no memory" in text


def test_reader_and_writer_race(report):
    text = report(
        GUARD
        + """
@triton.jit
def shift(x_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, tl.load(x_ptr + offsets + 1))

launch(shift, (2,), torch.ones(129), BLOCK=64)
"""
    )
    assert "program (1, 0, 0) writes what program (0, 0, 0) reads at script.py:14" in text


def test_misaligned(report):
    text = report(
        GUARD
        + """
@triton.jit
def peek(x_ptr, out_ptr):
    odd = (x_ptr.to(tl.int64) + 2).to(tl.pointer_type(tl.float32))
    tl.store(out_ptr, tl.load(odd))

launch(peek, (1,), torch.ones(8), torch.zeros(1))
"""
    )
    assert "reads at a misaligned address" in text and "byte 2 of `x_ptr`, which is float32[8], for 4 bytes" in text


def test_neighbours_are_out_of_bounds_too(report):
    text = report(
        GUARD
        + """
@triton.jit
def copy(x_ptr, y_ptr, BLOCK: tl.constexpr):
    tl.store(y_ptr + tl.arange(0, BLOCK), tl.load(x_ptr + tl.arange(0, BLOCK)))

both = torch.ones(64)
launch(copy, (1,), both[:16], both[16:], BLOCK=32)
"""
    )
    assert "of `x_ptr`, which is float32[16]" in text


def test_descriptors_and_block_pointers(report):
    text = report(
        GUARD
        + """
@triton.jit
def blocks(x_ptr, y_ptr):
    x = tl.load(tl.make_block_ptr(x_ptr, (8, 8), (8, 1), (0, 0), (8, 8), (1, 0)))
    desc = tl.make_tensor_descriptor(y_ptr, [16, 8], [8, 1], [8, 8])
    desc.store([8, 0], x)

launch(blocks, (1,), torch.ones(8, 8), torch.zeros(8, 8))
"""
    )
    assert "script.py:15:5: program (0, 0, 0) writes out of bounds" in text and "offset 64 of `y_ptr`" in text


def test_what_is_fine_is_not_reported(report):
    assert (
        report(
            GUARD
            + """
@triton.jit
def locked(lock_ptr, sum_ptr, x_ptr, histogram_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    tl.atomic_add(histogram_ptr + x % 8, 1)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(sum_ptr, tl.load(sum_ptr) + tl.sum(x, 0))
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)

x = torch.arange(128, dtype=torch.int32)
total, histogram = torch.zeros(1, dtype=torch.int32), torch.zeros(8, dtype=torch.int32)
launch(locked, (4,), torch.zeros(1, dtype=torch.int32), total, x, histogram, BLOCK=32)
assert total.item() == x.sum() and histogram.tolist() == [16] * 8

@triton.jit
def indirect(pointers_ptr, out_ptr):
    pointer = tl.load(pointers_ptr + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    tl.store(out_ptr + tl.program_id(0), tl.load(pointer))

a, b, out = torch.full((1,), 1.0), torch.full((1,), 2.0), torch.empty(2)
launch(indirect, (2,), torch.tensor([a.data_ptr(), b.data_ptr()]), out)
assert out.tolist() == [1.0, 2.0]

@triton.jit
def strided(x_ptr, out_ptr, stride, N: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, N), tl.load(x_ptr + tl.arange(0, N) * stride))

x = torch.arange(64.0).reshape(8, 8)
out = torch.empty(8)
launch(strided, (1,), x[:, 3], out, 8, N=8)
assert out.tolist() == x[:, 3].tolist()
"""
        )
        == ""
    )


def test_programs_that_wait_for_each_other(report):
    text = report(
        GUARD
        + """
@triton.jit
def meet(counter_ptr, VOLATILE: tl.constexpr):
    tl.atomic_add(counter_ptr, 1)
    if VOLATILE:
        while tl.load(counter_ptr, volatile=True) < tl.num_programs(0):
            pass
    else:
        while tl.atomic_add(counter_ptr, 0) < tl.num_programs(0):
            pass

for volatile in (True, False):
    launch(meet, (2, 1, 3), torch.zeros(1, dtype=torch.int32), volatile)
    launch(meet, (1, 1, 2), torch.ones(1, dtype=torch.int32), volatile)
"""
    )
    lines = text.splitlines()
    assert len(lines) == 2, text
    for line in lines:
        assert (
            "program (0, 0, 0) has waited for 3 s for what another program would write, while 5 programs have not begun"
            in line
        )
        assert "run one after the other, so they cannot wait for each other" in line


def test_only_what_is_asked_for(report):
    source = (
        GUARD
        + """
@triton.jit
def total(x_ptr, out_ptr):
    tl.store(out_ptr, tl.load(x_ptr))

launch(total, (2,), torch.empty(1), torch.zeros(1))
"""
    )
    assert "never written" in report(source, sanitize="address")
    assert "nothing that orders" in report(source, sanitize="race")


def test_unknown_names_are_refused():
    result = run(["-c", "import triton"], False, sanitize="adress")
    assert (
        result.returncode != 0
        and "TRITON_SANITIZE may name address, race, async and shared, not adress" in result.stderr
    )


SMALLEST = """
import runpy, sys
from triton import testing
run = testing.Mark.run
def run_smallest(mark, **options):
    for benchmark in [mark.benchmarks] if isinstance(mark.benchmarks, testing.Benchmark) else mark.benchmarks:
        benchmark.x_vals = benchmark.x_vals[:1]
    return run(mark, **options)
testing.Mark.run = run_smallest
testing.do_bench = lambda fn, quantiles=None, **options: (fn(), [1.0] * len(quantiles) if quantiles else 1.0)[1]
runpy.run_path(sys.argv[1], run_name="__main__")
"""


@pytest.mark.parametrize("name", ["01-vector-add", "02-fused-softmax", "03-matrix-multiplication", "05-layer-norm"])
def test_tutorials_are_fine(name, tmp_path):
    environment = {**os.environ, "TRITON_DEFAULT_BACKEND": "cpu", "TRITON_SANITIZE": "address,race"}
    result = subprocess.run(
        [sys.executable, "-c", SMALLEST, str(ROOT / "tutorials" / f"{name}.py")],
        capture_output=True, text=True, env=environment, cwd=tmp_path,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert "Triton (G" in result.stdout
