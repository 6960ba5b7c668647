"""Many threads at once: compiles and launches, of the same and of different kernels, beside the garbage collector, a fork, and the end of the process. Each case runs in
a process of its own that is killed if it hangs."""

import os
import subprocess
import sys
import textwrap

import pytest
from places import ROOT

KERNELS = """
import gc, os, sys, threading, time
import numpy as np
import triton
import triton.language as tl

@triton.constexpr_function
def twice(value):
    return 2 * value

def define():
    @triton.jit
    def add(x_ptr, out_ptr, n, BLOCK: tl.constexpr, K: tl.constexpr):
        offsets = tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offsets, offsets < n, 0.0)
        tl.store(out_ptr + offsets, x + tl.sum(x * 0.0, 0) + twice(K), offsets < n)
    return add

shared = define()

if os.environ["TRITON_DEFAULT_BACKEND"] == "cpu" or "TRITON_SIMULATE" in os.environ:
    array = values = lambda array: array
else:
    import torch
    array, values = lambda array: torch.from_numpy(array).cuda(), lambda array: array.cpu().numpy()

def check(kernel, K, size=16):
    x, out = array(np.arange(size, dtype=np.float32)), array(np.zeros(size, np.float32))
    kernel[(1,)](x, out, size, size, K)
    assert np.array_equal(values(out), values(x) + 2 * K), (K, out)
"""


def run(tmp_path, program, device="cpu", seconds=120):
    (tmp_path / "program.py").write_text(KERNELS + textwrap.dedent(program))
    environment = {**os.environ, "TRITON_CACHE_DIR": str(tmp_path / "cache"), "TRITON_DEFAULT_BACKEND": device}
    result = subprocess.run(
        [sys.executable, "-X", "faulthandler", tmp_path / "program.py"],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=seconds,
    )
    assert result.returncode == 0, result.stderr[-4000:]
    return result.stdout


@pytest.mark.runs
def test_compiles_and_launches_beside_the_collector(tmp_path, device):
    run(
        tmp_path,
        """
        failures, begin, finished = [], threading.Barrier(8), threading.Event()

        def work(number):
            try:
                begin.wait()
                for round in range(4):
                    check(shared, round)               # the same kernel in all threads, at the same time
                    check(shared, 100 * number + 9)    # a specialisation of its own
                    check(define(), number)            # a kernel of its own, which is garbage at once
                    for _ in range(50):
                        check(shared, round)
            except BaseException as error:
                failures.append(repr(error))

        def collect():
            while not finished.wait(0.001):  # else it has the interpreter's lock nearly always
                gc.collect()

        collector = threading.Thread(target=collect)
        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        collector.start()
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        finished.set()
        collector.join()
        assert not failures, failures
        """,
        device,
    )


@pytest.mark.runs
def test_asynchronous_compiles_beside_launches(tmp_path, device):
    run(
        tmp_path,
        """
        from concurrent.futures import ThreadPoolExecutor

        finished = threading.Event()

        def collect():
            while not finished.is_set():
                gc.collect()
                check(shared, 1)

        collector = threading.Thread(target=collect)
        collector.start()
        with ThreadPoolExecutor(6) as executor:
            x, out = array(np.arange(16, dtype=np.float32)), array(np.zeros(16, np.float32))
            with triton.AsyncCompileMode(executor):
                futures = [shared.warmup(x, out, 16, 16, 10 + k, grid=(1,)) for k in range(16)]
                check(shared, 12)
                assert [f.result().name for f in futures] == ["add"] * 16
        finished.set()
        collector.join()
        """,
        device,
    )


@pytest.mark.cpu_only  # a child cannot use the GPU of its parent
def test_fork_in_the_middle(tmp_path):
    """Children of a process whose other threads compile can compile, launch and end."""
    run(
        tmp_path,
        """
        import warnings
        warnings.simplefilter("ignore")
        stop, failures = threading.Event(), []

        def work(number):
            k = 1000 * number
            while not stop.is_set():
                k += 1
                check(shared, k)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 4)]
        for thread in threads: thread.start()
        for round in range(12):
            child = os.fork()
            if child == 0:
                try:
                    check(shared, 500 + round, size=32)
                    check(define(), round)
                except BaseException:
                    import traceback
                    traceback.print_exc()
                    os._exit(1)
                before = time.monotonic()
                import atexit
                atexit._run_exitfuncs()  # which waits for no thread that is not here
                os._exit(0 if time.monotonic() - before < 3 else 2)
            deadline = time.monotonic() + 40
            while True:
                done, status = os.waitpid(child, os.WNOHANG)
                if done:
                    break
                if time.monotonic() > deadline:
                    os.kill(child, 6)
                    failures.append(f"child {round} hangs")
                    os.waitpid(child, 0)
                    break
                time.sleep(0.01)
            if done and status:
                failures.append(f"child {round} ended with {status}")
        stop.set()
        for thread in threads: thread.join()
        assert not failures, failures
        """,
        seconds=200,
    )


@pytest.mark.runs
@pytest.mark.cpu_only
def test_fork_while_another_thread_tunes(tmp_path):
    out = run(
        tmp_path,
        """
        begun, may_end = threading.Event(), threading.Event()

        def bench(call, quantiles):
            begun.set()
            may_end.wait()
            return [1.0] * 3

        tuned = triton.autotune([triton.Config({"K": 1}), triton.Config({"K": 2})], key=["n"], do_bench=bench)(define())

        def launch():
            out = np.zeros(16, np.float32)
            tuned[(1,)](np.ones(16, np.float32), out, 16, 16)
            return out[0]

        thread = threading.Thread(target=launch)
        thread.start()
        begun.wait()
        child = os.fork()
        if child == 0:
            may_end.set()
            print("child", launch(), flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        may_end.set()
        thread.join()
        print("parent", launch())
        """,
        seconds=60,
    )
    assert out.split() == ["child", "3.0", "parent", "3.0"]


@pytest.mark.runs
@pytest.mark.parametrize("seconds", [0.3, 0.7, 1.1])
def test_process_ends_while_threads_compile(tmp_path, seconds, device):
    output = run(
        tmp_path,
        f"""
        x, out = array(np.zeros(16, np.float32)), array(np.zeros(16, np.float32))

        def work(number):
            k = 100000 * number
            while True:
                k += 1
                if isinstance(x, np.ndarray):
                    check(shared, k)
                else:  # without PyTorch's copies, which the end of a process may find at work
                    shared[(1,)](x, out, 16, 16, k)

        for number in range(4):
            threading.Thread(target=work, args=(number,), daemon=True).start()
        check(shared, 7)
        time.sleep({seconds})
        print("end")
        """,
        device,
    )
    assert output == "end\n"


@pytest.mark.cpu_only
def test_keys_of_functions_that_call_each_other(tmp_path):
    """Two threads compute them from both ends, a child begins while they are at it."""
    run(
        tmp_path,
        """
        class Slow:
            def __deepcopy__(self, memo):
                time.sleep(0.3)
                return self

        slow = Slow()

        @triton.jit
        def ping(x):
            slow
            return pong(x)

        @triton.jit
        def pong(x):
            slow
            return ping(x)

        keys = {}
        threads = [threading.Thread(target=lambda f=f: keys.update({f.__name__: f.cache_key})) for f in (ping, pong)]
        for thread in threads: thread.start()
        time.sleep(0.1)
        child = os.fork()
        if child == 0:
            os._exit(0 if "recursion" not in ping.cache_key + pong.cache_key else 1)
        for thread in threads: thread.join()
        assert os.waitpid(child, 0)[1] == 0
        assert keys == {"ping": ping.cache_key, "pong": pong.cache_key} and ping.cache_key != pong.cache_key
        """,
        seconds=60,
    )
