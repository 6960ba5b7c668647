"""Tuning as a whole: configurations compiled together, results kept, choices that noise does not change, configurations that crash or hang."""

import importlib.util
import io
import itertools
import os
import shutil
import subprocess
import threading
import time

import numpy as np
import pytest
import triton
import triton.language as tl
from places import ROOT
from triton.runtime import _trial, _tuning
from triton.runtime.config import choose, undecided


def define(configs, **options):
    @triton.autotune(configs=configs, key=["n"], **options)
    @triton.jit
    def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
        tl.static_assert(BLOCK != 32, "not this one")
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < n
        tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) * 2, mask=mask)

    return kernel


def blocks(*sizes):
    return [triton.Config({"BLOCK": size}) for size in sizes]


def launch(kernel, n=1000):
    x, out = np.arange(n, dtype=np.float32), np.zeros(n, np.float32)
    kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n)
    np.testing.assert_array_equal(out, 2 * x)
    return kernel.best_config


def fast_bench(call, quantiles=None, **_):
    call()
    return [1.0, 1.0, 1.0]


def test_configurations_are_compiled_together(fresh_triton_cache, fresh_knobs):
    fresh_knobs.cache.dir = fresh_triton_cache
    fresh_knobs.autotuning.threads = 4
    threads = set()
    fresh_knobs.compilation.listener = lambda **event: threads.add(threading.current_thread().name)
    kernel = define(blocks(16, 64, 128, 256, 512, 1024), do_bench=fast_bench)
    launch(kernel)
    assert threads == {"triton-tuning"}, "nothing is left for the measurement to compile"
    assert len(kernel.configs_timings) == 6


def test_one_thread_is_enough(fresh_triton_cache, fresh_knobs):
    fresh_knobs.autotuning.threads = 1
    assert launch(define(blocks(16, 64), do_bench=fast_bench)) == blocks(16)[0]


def test_failures_lose(fresh_triton_cache):
    kernel = define(blocks(32, 64), do_bench=fast_bench)
    assert launch(kernel) == blocks(64)[0]
    assert kernel.configs_timings[blocks(32)[0]] == [float("inf")] * 3


def test_other_errors_are_raised(fresh_triton_cache):
    with pytest.raises(triton.CompilationError):
        launch(define(blocks(16, 3), do_bench=fast_bench))


def test_results_are_kept_by_default(fresh_triton_cache, fresh_knobs, monkeypatch):
    fresh_knobs.cache.dir = fresh_triton_cache
    measured = []

    def bench(call, quantiles):
        measured.append(1)
        return fast_bench(call)

    monkeypatch.setattr(type(triton.runtime.driver.active), "get_benchmarker", lambda self: bench)
    first = launch(define(blocks(16, 64)))
    assert len(measured) == 2
    kernel = define(blocks(16, 64))
    assert launch(kernel) == first and len(measured) == 2 and len(kernel.configs_timings) == 2
    launch(kernel, n=500)
    assert len(measured) == 4, "another key"
    launch(define(blocks(16, 128)))
    assert len(measured) == 6, "other configurations"
    files = [os.path.join(folder, name) for folder, _, names in os.walk(fresh_triton_cache) for name in names]
    for path in files:
        if path.endswith(".autotune.json"):
            os.truncate(path, 10)
    launch(define(blocks(16, 64)))
    assert len(measured) == 8, "a damaged file is measured again"
    fresh_knobs.autotuning.persist = False
    launch(define(blocks(16, 64)))
    assert len(measured) == 10


def test_deterministic_choice(fresh_triton_cache, fresh_knobs):
    """Noise of a few percent does not decide, the order does; what is clearly faster wins; and it is measured once."""
    fresh_knobs.autotuning.deterministic = True
    noise, measured = itertools.cycle([1.0, 1.03, 1.01, 1.04, 1.02]), []

    def define_with(times):
        kernel = define(configs)

        def bench(*args, config, **meta):
            measured.append(config)
            return [times[config.kwargs["BLOCK"]] * next(noise)] * 3

        kernel._bench = bench
        return kernel

    # 64 and 128 are equally fast, 16 is a fifth slower. Whatever the noise is, the first of the two is taken.
    configs = blocks(16, 64, 128)
    for attempt in range(5):
        fresh_knobs.cache.dir = os.path.join(fresh_triton_cache, str(attempt))
        next(noise)
        assert launch(define_with({16: 1.2, 64: 1.0, 128: 0.995})) == configs[1]
    # What was measured once decides from then on.
    count = len(measured)
    assert launch(define_with({16: 1.0, 64: 1.2, 128: 1.2})) == configs[1]
    assert len(measured) == count


def test_what_is_undecided_is_measured_again():
    timings = {"fast": [1.0] * 3, "equal": [1.01] * 3, "edge": [1.06] * 3, "slow": [1.5] * 3}
    assert undecided(timings) == ["fast", "equal", "edge"]
    assert undecided({"fast": [1.0] * 3, "slow": [1.5] * 3}) == []
    assert choose(timings) == "fast"
    assert choose(timings, rank=["equal", "edge", "fast", "slow"].index) == "equal"


@triton.jit
def does_harm(out_ptr, n, KIND: tl.constexpr):
    if KIND == 0:  # writes where nothing is
        tl.store((out_ptr + 123456789012), n)
    if KIND == 1:  # never ends
        while tl.load(out_ptr + 1, volatile=True) == 0:
            tl.store(out_ptr + 2, tl.load(out_ptr + 2, volatile=True) + 1)
    tl.store(out_ptr, n)


@pytest.mark.cpu_only
def test_trial_in_another_process(fresh_triton_cache):
    """What configurations for a GPU are tried with, tried on the CPU."""
    out = np.zeros(4, np.int32)
    trial = _trial.TrialProcess()
    try:
        for kind, expected in ((2, None), (0, "it dies of SIGSEGV"), (1, "it does not end within 2 s"), (2, None)):
            prepared = _trial.prepare(does_harm, (out, 7), {"KIND": kind, "grid": lambda meta: (meta["n"],)})
            assert prepared[1] == (7,)
            assert trial.harm_of(_trial.describe(*prepared), 2 if kind == 1 else 60) == expected
    finally:
        trial.close()


def test_crash_and_hang_on_a_gpu_lose_only_themselves(fresh_triton_cache, fresh_knobs, device):
    if device == "cpu":
        pytest.skip("the CPU's is below")
    if triton.knobs.runtime.simulate:
        pytest.skip("a simulated GPU has no context that could break")
    torch = pytest.importorskip("torch")
    fresh_knobs.autotuning.isolate, fresh_knobs.autotuning.timeout = True, 20
    configs = [triton.Config({"KIND": kind}) for kind in (0, 1, 2)]
    kernel = triton.autotune(configs=configs, key=["n"])(does_harm)
    out = torch.zeros(4, dtype=torch.int32, device=device)
    with pytest.warns(UserWarning) as warned:
        kernel[(1,)](out, 7)
    assert out.tolist()[0] == 7 and kernel.best_config.kwargs == {"KIND": 2}
    messages = " ".join(str(warning.message) for warning in warned)
    assert "it breaks the device's context" in messages and "it does not end within 20 s" in messages


@pytest.mark.cpu_only  # a crash on a GPU loses the process's context
def test_crash_and_hang_lose_only_themselves(fresh_triton_cache, fresh_knobs):
    fresh_knobs.autotuning.isolate, fresh_knobs.autotuning.timeout = True, 2

    configs = [triton.Config({"KIND": kind}) for kind in (0, 1, 2)]
    kernel = triton.autotune(configs=configs, key=["n"], do_bench=fast_bench)(does_harm)
    out = np.zeros(4, np.int32)
    with pytest.warns(UserWarning) as warned:
        kernel[(1,)](out, 7)
    assert out[0] == 7 and kernel.best_config.kwargs == {"KIND": 2}
    messages = " ".join(str(warning.message) for warning in warned)
    assert "it dies of SIGSEGV" in messages and "it does not end within 2 s" in messages


def test_compiles_that_do_not_end(fresh_knobs):
    fresh_knobs.autotuning.threads, fresh_knobs.autotuning.timeout = 2, 0
    done, release = [], threading.Event()

    def compile_one(config):
        if config == "hangs":
            release.wait(30)
        done.append(config)

    configs = ["a", "hangs", "b", "c", "d"]
    begin = time.monotonic()
    lost = _tuning.compile_all(compile_one, configs, _tuning.Progress("k", 5, io.StringIO()))
    release.set()
    assert "hangs" in lost and set(configs) - set(lost) <= set(done) and time.monotonic() - begin < 10


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress(fresh_knobs):
    stream = Terminal()
    progress = _tuning.Progress("matmul", 3, stream)
    progress.show(1, "compiled")
    progress.measured(2, [0.5, 0.4, 0.6])
    assert "\rtuning matmul: 1 of 3 configurations compiled" in stream.getvalue()
    assert "tuning matmul: 2 of 3 configurations measured, best 0.5 ms" in stream.getvalue()
    progress.close()
    assert stream.getvalue().endswith("\r")
    for silent in (_tuning.Progress("k", 3, io.StringIO()), _tuning.Progress("k", 1, Terminal())):
        silent.show(1, "compiled")
        silent.close()
        assert silent.stream.getvalue() == ""
    fresh_knobs.autotuning.print = True
    assert not _tuning.Progress("k", 3, Terminal()).is_shown


def test_cuda_graph_timing_is_used(fresh_triton_cache, monkeypatch):
    import triton.testing

    calls = []

    def bench(call, rep, quantiles):
        calls.append(rep)
        return fast_bench(call)

    monkeypatch.setattr(triton.testing, "do_bench_cudagraph", bench)
    with pytest.warns(DeprecationWarning):
        kernel = define(blocks(16, 64), use_cuda_graph=True, rep=7)
    launch(kernel)
    assert calls == [7, 7]


def test_warps_and_stages_are_the_same_code_on_the_cpu(fresh_triton_cache, fresh_knobs, monkeypatch, device):
    fresh_knobs.cache.dir = fresh_triton_cache
    measured, compiled = [], []

    def bench(call, quantiles):
        measured.append(1)
        return fast_bench(call)

    monkeypatch.setattr(type(triton.runtime.driver.active), "get_benchmarker", lambda self: bench)
    fresh_knobs.compilation.listener = lambda **event: compiled.append(1)
    configs = [triton.Config({"BLOCK": block}, num_warps=warps, num_stages=stages)
               for block in (16, 64) for warps, stages in ((4, 3), (8, 3), (4, 5))]  # fmt: skip
    kernel = define(configs)
    launch(kernel)
    assert len(measured) == len(compiled) == (2 if device == "cpu" else 6)
    assert list(kernel.configs_timings) == configs and kernel.best_config is configs[0]
    measured.clear()
    launch(define(configs, do_bench=bench))
    assert len(measured) == 6, "who brings a clock sees every configuration"


TUNED = """
import triton
import triton.language as tl


@triton.jit
def scale(x, y, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + offsets, tl.load(x + offsets, mask=offsets < n) * FACTOR, mask=offsets < n)
"""

PROGRAM = r"""
#include <triton/tune.h>

#include <cstdio>

int main(int, char **arguments) {
  const int n = 4096;
  std::vector<float> x(n, 1.0f), y(n);
  triton::Kernel kernel = triton::Module::load(arguments[1]).kernel("scale");
  std::vector<triton::Config> configs = {{{triton::named("BLOCK", 64)}, {}}, {{triton::named("BLOCK", 256)}, {}}};
  triton::TuneOptions options;
  options.repetitions = 3;
  options.cacheDirectory = arguments[2];
  options.keys = {"n"};
  triton::Tuning tuning = triton::tune(kernel, {x.data(), y.data(), n}, configs, [&](const triton::Config &config) { return triton::Grid(triton::cdiv(n, config.integer("BLOCK"))); }, options);
  tuning.launch();
  std::printf("%d %d %g\n", int(tuning.wasKept), int(tuning.config.integer("BLOCK")), y[n - 1]);
}
"""


@pytest.fixture(scope="module")
def tune_in_cpp(tmp_path_factory):
    """Runs a C++ program that tunes the kernel of a file with results in a folder; gives (whether it took kept ones, the best block, a result)."""
    library = os.path.dirname(triton._C.libtriton.native_libraries()[1])
    include = ROOT / "include"
    folder = tmp_path_factory.mktemp("program")
    (folder / "tune.cpp").write_text(PROGRAM)
    compiler = shutil.which("g++") or shutil.which("clang++")
    if not compiler:
        pytest.skip("there is no C++ compiler")
    subprocess.run([compiler, "-std=c++17", "-I", include, folder / "tune.cpp", "-o", folder / "tune", "-L", library, "-l:" + os.path.basename(triton._C.libtriton.native_libraries()[1]), f"-Wl,-rpath,{library}"], check=True)  # fmt: skip

    def run(file, cache):
        output = subprocess.run([folder / "tune", file, cache], check=True, capture_output=True, text=True).stdout
        kept, block, value = output.split()
        return kept == "1", int(block), float(value)

    return run


def tune_in_python(file, monkeypatch):
    """(how many configurations were measured, the best block, a result)"""
    measured = []

    def bench(call, quantiles):
        call()
        measured.append(1)
        return [float(len(measured))] * 3

    monkeypatch.setattr(type(triton.runtime.driver.active), "get_benchmarker", lambda self: bench)
    spec = importlib.util.spec_from_file_location("tuned", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel = triton.autotune(configs=blocks(64, 256), key=["n"], cache_results=True)(module.scale)
    x, y = np.ones(4096, np.float32), np.zeros(4096, np.float32)
    kernel[lambda meta: (triton.cdiv(4096, meta["BLOCK"]),)](x, y, 4096)
    return len(measured), kernel.best_config.kwargs["BLOCK"], y[-1]


@pytest.mark.cpu_only
def test_tuned_once_used_by_python_and_cpp(tmp_path, fresh_knobs, monkeypatch, tune_in_cpp):
    file, cache = tmp_path / "tuned.py", tmp_path / "cache"
    fresh_knobs.cache.dir = str(cache)
    file.write_text(TUNED.replace("FACTOR", "2.0"))
    assert tune_in_python(file, monkeypatch) == (2, 64, 2)
    assert tune_in_cpp(file, cache) == (True, 64, 2)
    assert tune_in_python(file, monkeypatch) == (0, 64, 2)
    # The other way round; and another text is another kernel.
    file.write_text(TUNED.replace("FACTOR", "3.0"))
    kept, best, value = tune_in_cpp(file, cache)
    assert not kept and value == 3
    assert tune_in_python(file, monkeypatch) == (0, best, 3)
    # What it calls is not in its text, but in its code.
    file.write_text(TUNED.replace("FACTOR", "factor()") + "\n\n@triton.jit\ndef factor():\n    return 4.0\n")
    assert tune_in_python(file, monkeypatch) == (2, 64, 4)
    assert tune_in_cpp(file, cache) == (True, 64, 4)
    file.write_text(file.read_text().replace("4.0", "5.0"))
    assert tune_in_python(file, monkeypatch) == (2, 64, 5)
    assert tune_in_cpp(file, cache) == (True, 64, 5)
