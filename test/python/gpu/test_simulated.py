"""Programs on a simulated GPU: TRITON_SIMULATE chooses it, and what is wrong comes back as an error."""

import json
import os
import re
import subprocess
import sys
import textwrap

import pytest
from places import PACKAGES, TRITONC

pytestmark = [pytest.mark.cpu_only, pytest.mark.runs]

KERNELS = """
import numpy as np, triton, triton.language as tl

@triton.jit
def product(a, b, c, N: tl.constexpr, K: tl.constexpr, BK: tl.constexpr):
    m, k = tl.arange(0, N), tl.arange(0, BK)
    total = tl.zeros((N, N), tl.float32)
    for i in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + (i + k)[None, :])
        y = tl.load(b + (i + k)[:, None] * N + m[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + m[:, None] * N + m[None, :], total)

@triton.jit
def sums(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    values = tl.load(x + offsets, offsets < n, 0.0)
    tl.store(out + offsets, tl.cumsum(values, 0) + tl.sum(values, 0), offsets < n)

generator = np.random.default_rng(0)
"""


def run(tmp_path, program, architecture, **variables):
    (tmp_path / "program.py").write_text(KERNELS + textwrap.dedent(program))
    environment = {**os.environ, "PYTHONPATH": PACKAGES, "TRITON_CACHE_DIR": str(tmp_path / "cache"), **variables}
    environment.pop("TRITON_DEFAULT_BACKEND", None)
    environment["TRITON_SIMULATE"] = architecture
    return subprocess.run([sys.executable, tmp_path / "program.py"], env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("watched", ["", "race,shared"])
@pytest.mark.parametrize("architecture", ["sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120a", "gfx942", "gfx1200"])
def test_results(tmp_path, architecture, watched):
    program = """
        a, b = (generator.integers(-4, 5, shape).astype(np.float16) for shape in ((64, 128), (128, 64)))
        c = np.zeros((64, 64), np.float32)
        product[(1,)](a, b, c, 64, 128, 32)
        assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
        x = generator.integers(-9, 10, 1000).astype(np.float32)
        out = np.zeros_like(x)
        sums[(1,)](x, out, 1000, 1024)
        assert np.array_equal(out, np.cumsum(x) + x.sum())
        print(triton.runtime.driver.active.get_current_target().arch)
    """
    result = run(tmp_path, program, architecture, TRITON_SANITIZE=watched)
    assert result.returncode == 0, result.stderr
    is_amd = architecture.startswith("gfx")
    assert result.stdout.strip() == (architecture if is_amd else "".join(filter(str.isdigit, architecture)))


MESSAGES = """
    @triton.jit
    def shout(x, n, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        values = tl.load(x + i)
        tl.device_print("100% of", values, i.to(tl.int64) * -1)
        tl.device_print("bits", values.to(tl.float16), hex=True)
        tl.device_print("row", tl.reshape(values, (2, BLOCK // 2)))
        tl.device_assert(i < n, "n is too 10% small")

    x = np.arange(8, dtype=np.float32) / 4
    shout[(2, 1, 3)](x, 8, 8, debug=True)
"""


def test_messages_are_the_same_everywhere(tmp_path):
    """Lines of device_print, and an assertion's on standard error."""
    printed = {name: run(tmp_path, MESSAGES, name) for name in ("sm_90a", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1200", "gfx1250")}  # fmt: skip
    expected = sorted(printed["sm_90a"].stdout.splitlines())
    assert len(expected) == 6 * 8 * 4 and "pid (1, 0, 2) idx (7) 100% of: (operand 1) -7" in "\n".join(expected)
    for name, result in printed.items():
        assert result.returncode == 0, result.stderr
        assert sorted(result.stdout.splitlines()) == expected, name
    for name in ("sm_90a", "gfx942", "gfx1100"):
        result = run(tmp_path, MESSAGES.replace("(x, 8, 8", "(x, 5, 8"), name)
        assert result.returncode != 0
        assert "Assertion `n is too 10% small` failed.\n" in result.stderr, result.stderr
        assert "shout: block: [0,0,0], thread: [" in result.stderr and "device-side assert triggered" in result.stderr
        assert re.search(r"program.py:\d+: assertion: assertion failed: n is too 10% small", result.stderr), (
            result.stderr
        )
        assert result.stdout, "what was printed before"


def test_more_than_a_buffer_holds(tmp_path):
    program = """
        @triton.jit
        def chatter(n):
            for i in range(n):
                tl.device_print("a line that is long enough to fill the buffer soon, or so one hopes", i)

        chatter[(1,)](150, num_warps=4)
    """
    result = run(tmp_path, program, "gfx942")
    assert result.returncode == 0 and "bytes of what kernels print had no room" in result.stderr, result.stderr
    assert 5000 < len(result.stdout.splitlines()) < 150 * 256


def test_barriers_of_waves(tmp_path):
    """Without any one of its barriers a kernel for AMD's GPUs has a race in LDS, or leaves it to the next barrier."""
    program = """
        import re

        def without(text, number):
            parts = re.split(r"^.*call void @llvm.amdgcn.s.barrier\\(\\).*$", text, flags=re.M)
            barrier = "  tail call void @llvm.amdgcn.s.barrier()"
            joined = parts[0]
            for index, part in enumerate(parts[1:]):
                joined += ("" if index == number else barrier) + part
            return joined, len(parts) - 1

        def said(number):
            arguments = np.ones(1000, np.float32), np.zeros(1000, np.float32), 1000, 1024
            compiled = sums.warmup(*arguments, grid=(1,))
            original = compiled.kernel
            text, count = without(compiled.asm["llir"], number)
            compiled.kernel = text.encode()
            try:
                sums[(1,)](*arguments)
            except RuntimeError as error:
                return str(error), count
            finally:
                compiled.close()
                compiled.kernel = original
            return "", count

        message, count = said(-1)
        assert message == "" and count > 1, (message, count)
        messages = [said(number)[0] for number in range(count)]
        print(sum("of shared memory are not ordered" in message for message in messages), count)
    """
    result = run(tmp_path, program, "gfx942", TRITON_SANITIZE="race,shared")
    assert result.returncode == 0, result.stderr
    found, count = map(int, result.stdout.split())
    assert found >= count - 1, result.stdout


def test_accesses_outside_of_arrays(tmp_path):
    program = """
        sums[(1,)](np.zeros(100, np.float32), np.zeros(50, np.float32), 100, 128)
    """
    result = run(tmp_path, program, "sm_90a")
    assert result.returncode != 0 and "illegal address: write of" in result.stderr and "program.py:" in result.stderr


def test_loads_end_with_the_array(tmp_path):
    """Three neighbours, aligned to 16 bytes, in a kernel that takes all of LLVM's passes: no load of 16 bytes is made of them."""
    program = """
        from triton.language.extra import libdevice

        @triton.jit
        def weighted(weights, out):
            total = tl.load(weights) + tl.load(weights + 1) * tl.load(weights + 2)
            tl.store(out, libdevice.rsqrt(total))

        arrays, out = [np.full(3, 2, np.float32) for _ in range(16)], np.zeros(1, np.float32)
        weighted[(1,)](next(array for array in arrays if array.ctypes.data % 16 == 0), out)
        assert abs(out[0] - 6 ** -0.5) < 1e-6
    """
    result = run(tmp_path, program, "sm_90a")
    assert result.returncode == 0, result.stderr


def test_unknown_architectures(tmp_path):
    result = run(tmp_path, "sums[(1,)](np.zeros(4, np.float32), np.zeros(4, np.float32), 4, 4)", "sm_12")
    assert result.returncode != 0 and "sm_12" in result.stderr


def test_findings_as_a_table(tmp_path):
    """`python -m triton.simulate`: findings of all launches, and an exit code."""
    (tmp_path / "program.py").write_text(
        KERNELS + "print('begins')\nx = np.ones(100, np.float32)\nsums[(1,)](x, np.zeros(50, np.float32), 100, 128)\n"
    )
    environment = {**os.environ, "PYTHONPATH": PACKAGES, "TRITON_CACHE_DIR": str(tmp_path / "cache")}
    environment.pop("TRITON_DEFAULT_BACKEND", None)
    command = [sys.executable, "-m", "triton.simulate", "--arch", "sm_90a", "--counters", str(tmp_path / "program.py")]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert result.returncode == 1, result.stderr
    assert "begins" in result.stdout and re.search(r"[1-9] findings? on a simulated sm_90a\n$", result.stdout)
    assert "illegal address  write of 4 bytes" in result.stdout and "sectors/request" in result.stdout
    (tmp_path / "program.py").write_text(
        KERNELS + "sums[(1,)](np.ones(100, np.float32), np.zeros(100, np.float32), 100, 128)\n"
    )
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert result.returncode == 0 and "0 findings" in result.stdout, result.stdout + result.stderr
    for wrong, words in (("none.py", "there is no file"), ("--arch", "expected one argument"), ("--arch sm_7", "takes an architecture")):  # fmt: skip
        command = [sys.executable, "-m", "triton.simulate", *wrong.split(), str(tmp_path / "program.py")]
        result = subprocess.run(
            command if wrong != "--arch" else command[:4], env=environment, capture_output=True, text=True
        )
        assert result.returncode == 2 and words in result.stderr and "Traceback" not in result.stderr, result.stderr


def test_copies_that_land_late(tmp_path):
    """A seed changes the order of warps and when copies land, and no result."""
    program = """
        a, b = (generator.integers(-4, 5, shape).astype(np.float16) for shape in ((64, 128), (128, 64)))
        c = np.zeros((64, 64), np.float32)
        product[(1,)](a, b, c, 64, 128, 32)
        assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
    """
    for seed in ("1", "2"):
        result = run(tmp_path, program, "sm_80", TRITON_SIMULATE_SEED=seed)
        assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    "variable, value",
    [("TRITON_SIMULATE_SEED", "abc"), ("TRITON_SIMULATE_SEED", "-1"), ("TRITON_SIMULATE_THREADS", "2x")],
)
def test_settings_that_mean_nothing(tmp_path, variable, value):
    program = """
        x = np.zeros(16, np.float32)
        sums[(1,)](x, x.copy(), 16, 16)
    """
    result = run(tmp_path, program, "sm_90a", **{variable: value})
    assert result.returncode == 1
    assert f"Unable to use {variable}={value}: expected int, 0 or more" in result.stderr


def test_more_threads_than_there_are(tmp_path):
    """Programs run on those that can be started."""
    program = """
        import resource
        @triton.jit
        def count(x):
            tl.store(x + tl.program_id(0), tl.program_id(0))
        x = np.zeros(1000, np.int32)
        count[(1,)](x)
        mapped = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (mapped + (256 << 20),) * 2)  # for a few stacks
        count[(1000,)](x)
        assert (x == np.arange(1000)).all()
    """
    result = run(tmp_path, program, "sm_90a", TRITON_SIMULATE_THREADS="1000")
    assert result.returncode == 0, result.stderr


def test_inline_assembly_of_any_depth(tmp_path):
    """What users write reaches the reader of PTX: mistakes are errors."""
    program = """
        @triton.jit
        def assembly(x, TEXT: tl.constexpr):
            offsets = tl.arange(0, 32)
            values = tl.load(x + offsets)
            values = tl.inline_asm_elementwise(TEXT, "=r,r", [values], dtype=tl.int32, is_pure=True, pack=1)
            tl.store(x + offsets, values)
        x = np.zeros(32, np.int32)
        for text in ("{" * 50000, "mov.b32 $0, " + "{" * 50000, "ld.global.b32 {}, [0];", "mma.sp.sync.aligned;"):
            try:
                assembly[(1,)](x, text)
            except Exception as error:
                print(type(error).__name__, str(error).count("line") > 0)
        assembly[(1,)](x, "add.s32 $0, $1, 3;")
        assert (x == 3).all()
    """
    result = run(tmp_path, program, "sm_90a")
    assert result.returncode == 0, result.stderr
    assert len(result.stdout.splitlines()) == 4 and "False" not in result.stdout, result.stdout


def test_wild_pointers(tmp_path):
    """Where nobody knows what a kernel may touch, an address that is nobody's is an error and not a crash."""
    program = """
        @triton.jit
        def follow(addresses, out):
            tl.store(out, tl.load(tl.load(addresses).to(tl.pointer_type(tl.float32))))

        out = np.zeros(1, np.float32)
        follow[(1,)](np.array([0x123456789000]), out)
    """
    result = run(tmp_path, program, "sm_90a")
    assert "illegal address: read of 4 bytes at 0x123456789000" in result.stderr and result.returncode == 1


@pytest.mark.parametrize("place", [0, 64])
def test_scratch_of_the_host(tmp_path, place):
    """Torch aligns it to 64 bytes, where a descriptor that the kernel makes stands at multiples of 128."""
    program = f"""
        import torch

        @triton.jit
        def copy(x, out, N: tl.constexpr):
            target = tl.make_tensor_descriptor(out, [N, N], [N, 1], [16, 16])
            target.store([0, 0], tl.make_tensor_descriptor(x, [N, N], [N, 1], [16, 16]).load([0, 0]))

        def allocate(size, alignment, stream):
            memory = torch.empty(size + 128, dtype=torch.uint8)
            return memory[({place} - memory.data_ptr()) % 128 :]

        x, out = np.arange(256, dtype=np.float32).reshape(16, 16), np.zeros((16, 16), np.float32)
        triton.set_allocator(allocate)
        copy[(1,)](x, out, N=16)
        print(np.array_equal(x, out))
    """
    result = run(tmp_path, program, "sm_90a")
    assert result.stdout == "True\n", result.stderr


def test_bounds_are_of_one_launch(tmp_path):
    """Those of an empty grid, which nobody asked for, are not the next kernel's."""
    program = """
        import torch

        @triton.jit
        def copy(x, out, N: tl.constexpr):
            source = tl.make_tensor_descriptor(x, [N, N], [N, 1], [16, 16])
            target = tl.make_tensor_descriptor(out, [N, N], [N, 1], [16, 16])
            target.store([0, 0], source.load([0, 0]))

        x, out = np.arange(256, dtype=np.float32).reshape(16, 16), np.zeros((16, 16), np.float32)
        triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.uint8))
        sums[(0,)](np.zeros(8, np.float32), np.zeros(8, np.float32), 8, BLOCK=8)
        copy[(1,)](x, out, N=16)
        print(np.array_equal(x, out))
    """
    result = run(tmp_path, program, "sm_90a")
    assert result.stdout == "True\n", result.stderr


def test_interrupts(tmp_path):
    program = """
        import os, signal, threading

        @triton.jit
        def wait(flag):
            while tl.atomic_add(flag, 0) == 0:
                pass

        threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            wait[(1,)](np.zeros(1, np.int32))
        except KeyboardInterrupt:
            print("interrupted")
    """
    result = run(tmp_path, program, "sm_90a")
    assert result.stdout == "interrupted\n", result.stderr


def test_counters_beside_lines(tmp_path):
    """`triton.explain` says what lines did."""
    (tmp_path / "program.py").write_text(
        KERNELS + "sums[(1,)](np.ones(128, np.float32), np.zeros(128, np.float32), 128, 128)\n"
    )
    environment = {**os.environ, "PYTHONPATH": PACKAGES, "TRITON_CACHE_DIR": str(tmp_path / "cache")}
    environment.pop("TRITON_DEFAULT_BACKEND", None)
    environment["TRITON_SIMULATE"] = "sm_90a"
    page = tmp_path / "page.html"
    command = [sys.executable, "-m", "triton.explain", str(tmp_path / "program.py"), "-o", str(page)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    data = json.loads(re.search(r'<script id="data"[^>]*>(.*?)</script>', page.read_text(), re.DOTALL)[1])
    load = next(number for number, text in data[0]["source"] if "values = tl.load" in text)
    assert re.search(r"[45]\.0 sectors a request, 512 bytes of global memory", dict(data[0]["counters"])[load])


@pytest.mark.skipif(not TRITONC.exists(), reason="needs tritonc")
def test_tritonc(tmp_path):
    """Without Python: arrays of so many elements, and what is found."""
    (tmp_path / "program.py").write_text(KERNELS)
    command = [TRITONC, tmp_path / "program.py", "--kernel", "sums", "--signature", "*fp32, *fp32, i32, 128", "--arch",
               "sm_90a", "--simulate"]  # fmt: skip
    environment = {
        name: value for name, value in os.environ.items() if name not in ("TRITON_SIMULATE", "TRITON_SANITIZE")
    }
    result = subprocess.run([*command, "100, 100, 100"], capture_output=True, text=True, env=environment)
    assert result.returncode == 0 and result.stdout == "0 findings\n", result.stdout + result.stderr
    result = subprocess.run([*command, "100, 50, 100"], capture_output=True, text=True, env=environment)
    assert result.returncode == 1 and "illegal address: write of 4 bytes" in result.stdout, (
        result.stdout + result.stderr
    )
    assert "argument 1 of 200" in result.stdout
