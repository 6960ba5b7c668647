"""Ctrl-C while a kernel runs or is compiled, and systems that have no threads left. Each case is a process of its own that is killed if it hangs."""

import os
import subprocess
import sys
import textwrap

import pytest
from places import ROOT

pytestmark = [pytest.mark.cpu_only, pytest.mark.runs]

PROGRAM = """
import os, signal, sys, threading, time
import numpy as np
import triton
import triton.language as tl

def after(seconds, number=signal.SIGINT):
    timer = threading.Timer(seconds, os.kill, (os.getpid(), number))
    timer.daemon = True
    timer.start()

@triton.jit
def work(out, n):
    x = tl.full((256,), 1.0, tl.float32)
    for i in range(n):
        x = x * 0.5 + tl.exp(x * -0.1)
    tl.store(out + tl.arange(0, 256), x)

@triton.jit
def wait(flag, out):
    while tl.atomic_add(flag, 0) == 0:
        pass
    tl.store(out, 1)

@triton.jit
def wait_plainly(flag, out):  # an access that nothing orders
    while tl.load(flag) == 0:
        tl.store(out + 1, 1)
    tl.store(out, 1)

def interrupted(call):
    try:
        call()
    except KeyboardInterrupt:
        return True
    return False

out, flag = np.zeros(256, np.float32), np.zeros(1, np.int32)
"""


def run(tmp_path, program, seconds=60, **environment):
    (tmp_path / "program.py").write_text(PROGRAM + textwrap.dedent(program))
    result = subprocess.run(
        [sys.executable, "-X", "faulthandler", tmp_path / "program.py"],
        env={**os.environ, "TRITON_CACHE_DIR": str(tmp_path / "cache"), **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=seconds,
    )
    assert result.returncode == 0, result.stderr[-4000:]
    return result


@pytest.mark.parametrize("threads", ["0", "1"])
def test_a_grid_stops_between_chunks(tmp_path, threads):
    run(
        tmp_path,
        """
        work[(1,)](out, 2)
        after(0.3)
        assert interrupted(lambda: work[(2**31 - 1,)](out, 1000))
        out[:] = 0
        work[(4,)](out, 2)  # what comes after it runs
        assert out.all()
        """,
        TRITON_CPU_MAX_THREADS=threads,
    )


def test_programs_whose_accesses_are_watched_stop_too(tmp_path):
    run(
        tmp_path,
        """
        after(0.5)
        assert interrupted(lambda: work[(2**31 - 1,)](out, 10))
        """,
        TRITON_SANITIZE="address",
    )


def test_a_first_launch_stops_too(tmp_path):
    run(
        tmp_path,
        """
        work.warmup(out, 1000, grid=(1,))
        after(0.3)
        assert interrupted(lambda: work[(2**31 - 1,)](out, 1000))
        """,
    )


@pytest.mark.parametrize("kernel", ["wait", "wait_plainly"])
@pytest.mark.parametrize("grid", [1, 3, 10**6])
def test_who_waits_for_a_flag_can_be_interrupted(tmp_path, kernel, grid):
    run(
        tmp_path,
        f"""
        result = np.zeros(2, np.int32)
        after(0.5)
        assert interrupted(lambda: {kernel}[({grid},)](flag, result))
        assert result[0] == 0
        flag[0] = 1
        {kernel}[(2,)](flag, result)
        assert result[0] == 1
        """,
    )


def test_handlers_run_and_may_launch(tmp_path):
    run(
        tmp_path,
        """
        class Stop(Exception):
            pass

        @triton.jit
        def large(out, n):  # of so large a block that it needs scratch from the heap
            block = tl.arange(0, 65536).to(tl.float32)
            tl.store(out + tl.arange(0, 65536), tl.cumsum(block, 0) + n)

        seen, big = [], np.zeros(65536, np.float32)

        def handle(number, frame):
            large[(1,)](big, 1)
            seen.append(big[-1])
            if len(seen) == 3:
                raise Stop

        signal.signal(signal.SIGUSR1, handle)
        for delay in (0.3, 0.6, 0.9):
            after(delay, signal.SIGUSR1)
        try:
            large[(2**31 - 1,)](big, 2)
        except Stop:
            assert len(seen) == 3
        else:
            assert False
        """,
    )


def test_other_threads_go_on(tmp_path):
    run(
        tmp_path,
        """
        done = []
        def launch():
            for _ in range(20):
                work[(2000,)](np.zeros(256, np.float32), 200)
            done.append(True)
        other = threading.Thread(target=launch)
        other.start()
        after(0.3)
        assert interrupted(lambda: time.sleep(30))
        other.join()
        assert done
        """,
    )


@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_a_compile_stops_between_passes(tmp_path, target):
    run(
        tmp_path,
        f"""
        from triton.backends.compiler import GPUTarget
        from triton.compiler import ASTSource

        @triton.jit
        def long(x, n: tl.constexpr):
            for i in tl.static_range(n):
                tl.store(x + i * 64 + tl.arange(0, 64), tl.load(x + i * 32 + tl.arange(0, 64)) * i)

        target = GPUTarget("cuda", 80, 32) if "{target}" == "cuda" else None
        source = ASTSource(long, {{"x": "*fp32", "n": "constexpr"}}, {{(1,): 3000}})
        after(0.5)
        assert interrupted(lambda: triton.compile(source, target=target))
        source = ASTSource(long, {{"x": "*fp32", "n": "constexpr"}}, {{(1,): 2}})
        triton.compile(source, target=target)
        """,
        seconds=120,
    )


NO_THREADS = """
import ctypes
libc, attributes = ctypes.CDLL(None), ctypes.create_string_buffer(64)
libc.pthread_attr_init(attributes)
libc.pthread_attr_setstacksize(attributes, ctypes.c_size_t(1 << 46))  # for which there is no memory
libc.pthread_setattr_default_np(attributes)
"""


def test_without_threads_a_launch_runs_on_the_caller(tmp_path):
    result = run(
        tmp_path,
        NO_THREADS
        + textwrap.dedent("""
        for _ in range(3):
            work[(5000,)](out, 3)
        assert out.all()
        flag[0] = 1
        wait[(50,)](flag, out)
        assert out[0] == 1
        """),
        TRITON_CPU_MAX_THREADS="0",
    )
    assert result.stderr.count("warning: triton can start no more threads") == 1


def test_without_threads_tuning_and_background_compiles_go_on(tmp_path):
    run(
        tmp_path,
        NO_THREADS
        + textwrap.dedent("""
        from concurrent.futures import ThreadPoolExecutor

        @triton.autotune([triton.Config({"B": b}) for b in (16, 32, 64)], key=[])
        @triton.jit
        def tuned(out, B: tl.constexpr):
            tl.store(out + tl.arange(0, B), 1.0)

        tuned[(1,)](out)
        assert out[:16].all()
        with ThreadPoolExecutor(2) as executor:
            with triton.AsyncCompileMode(executor):
                future = work.warmup(out, 7, grid=(1,))
            assert future.result().name == "work"
        """),
    )
