"""The autotuner and heuristics."""

import copy
import re
import threading
import time

import numpy as np
import pytest
import triton
import triton.language as tl


def quick_bench(call, quantiles):
    import time

    call()
    begin = time.perf_counter()
    call()
    return [time.perf_counter() - begin] * 3


def tuned(configs=None, **options):
    configs = configs or [triton.Config({"BLOCK": block}) for block in (16, 64)]

    @triton.autotune(configs=configs, key=["n"], do_bench=quick_bench, **options)
    @triton.jit
    def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < n
        old = tl.load(out_ptr + offsets, mask=mask)
        tl.store(out_ptr + offsets, old + tl.load(x_ptr + offsets, mask=mask), mask=mask)

    return kernel


def grid(meta):
    return (triton.cdiv(meta["n"], meta["BLOCK"]),)


def test_tunes_once_per_key():
    kernel = tuned(reset_to_zero=["out_ptr"])
    for n in (100, 200, 100):
        x, out = np.ones(n, np.float32), np.zeros(n, np.float32)
        kernel[grid](x, out, n)
        np.testing.assert_array_equal(out, x)
    assert len(kernel.cache) == 2 and kernel.best_config in kernel.configs and len(kernel.configs_timings) == 2


def test_restore_value():
    kernel = tuned(restore_value=["out_ptr"])
    x, out = np.ones(50, np.float32), np.full(50, 5, np.float32)
    kernel[grid](x, out, 50)
    np.testing.assert_array_equal(out, 6 * x)


@pytest.mark.cpu_only
@pytest.mark.parametrize("kind", ["parameter", "wrapper", "descriptor"])
def test_what_is_reset_and_restored(kind):
    torch = pytest.importorskip("torch")
    from triton.tools.tensor_descriptor import TensorDescriptor

    wrap = {
        "parameter": torch.nn.Parameter,
        "wrapper": lambda tensor: triton.reinterpret(tensor, tl.float32),
        "descriptor": lambda tensor: TensorDescriptor.from_tensor(tensor, [16]),
    }[kind]

    @triton.autotune(
        configs=[triton.Config({}, num_warps=warps) for warps in (1, 2)], key=["KIND"], do_bench=quick_bench,
        reset_to_zero=["sum"], restore_value=["out"],
    )  # fmt: skip
    @triton.jit
    def kernel(out, sum, KIND: tl.constexpr):
        if KIND == "descriptor":
            out.store([0], out.load([0]) + 1)
            sum.store([0], sum.load([0]) + 1)
        else:
            offsets = tl.arange(0, 16)
            tl.store(out + offsets, tl.load(out + offsets) + 1)
            tl.store(sum + offsets, tl.load(sum + offsets) + 1)

    out, sum = torch.full((16,), 5.0), torch.zeros(16)
    kernel[(1,)](wrap(out), wrap(sum), kind)
    assert (out == 6).all() and (sum == 1).all()


def test_failing_configurations_lose():
    @triton.autotune(configs=[triton.Config({"B": 3}), triton.Config({"B": 4})], key=[], do_bench=quick_bench)
    @triton.jit
    def kernel(out_ptr, B: tl.constexpr):
        tl.static_assert(B != 3)
        tl.store(out_ptr, B)

    out = np.zeros(1, np.int32)
    kernel[(1,)](out)
    assert out[0] == 4 and kernel.best_config.kwargs == {"B": 4}


def test_conflict_and_pruning():
    kernel = tuned()
    with pytest.raises(ValueError, match="Conflicting meta-parameters"):
        kernel[grid](np.ones(4, np.float32), np.zeros(4, np.float32), 4, BLOCK=16)
    kernel = tuned(prune_configs_by={"early_config_prune": lambda configs, args, **kwargs: configs[:1]})
    kernel[grid](np.ones(4, np.float32), np.zeros(4, np.float32), 4)
    assert kernel.best_config.kwargs == {"BLOCK": 16}
    kernel = tuned(prune_configs_by={"early_config_prune": lambda configs, args, **kwargs: []})
    with pytest.raises(triton.TritonError, match="No valid autotuner configs after pruning"):
        kernel[grid](np.ones(4, np.float32), np.zeros(4, np.float32), 4)
    kernel = tuned(prune_configs_by={"perf_model": lambda BLOCK, **kwargs: -BLOCK, "top_k": 1})
    kernel[grid](np.ones(4, np.float32), np.zeros(4, np.float32), 4)
    assert kernel.best_config.kwargs == {"BLOCK": 64}


def test_print(fresh_knobs, capsys):
    fresh_knobs.autotuning.print = True
    kernel = tuned()
    kernel[grid](np.ones(4, np.float32), np.zeros(4, np.float32), 4)
    text = capsys.readouterr().out
    assert text.count("Autotuning kernel kernel with config BLOCK: ") == 2 and "best config selected: BLOCK: " in text


def test_results_are_cached_on_disk(fresh_triton_cache):
    first = tuned(cache_results=True)
    first[grid](np.ones(4, np.float32), np.zeros(4, np.float32), 4)

    second = tuned(cache_results=True, pre_hook=lambda *args, **kwargs: pytest.fail("measured again"))
    second.fn.starting_line_number = first.fn.starting_line_number
    second[grid](np.ones(4, np.float32), np.zeros(4, np.float32), 4)
    assert str(second.best_config) == str(first.best_config)


def test_warmup_compiles_all():
    kernel = tuned()
    kernels = kernel.warmup(np.ones(4, np.float32), np.zeros(4, np.float32), 4, grid=(1,))
    assert len(kernels) == 2


def test_heuristics():
    @triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
    @triton.jit
    def kernel(out_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
        tl.store(out_ptr, EVEN)

    out = np.zeros(1, np.int32)
    for n, expected in ((16, 1), (17, 0)):
        kernel[(1,)](out, n, BLOCK=16)
        assert out[0] == expected


def test_config():
    assert str(triton.Config({}, ir_override="a.ttir")).endswith("ir_override: a.ttir")
    config = triton.Config({"A": 1}, num_warps=8, maxnreg=32)
    assert config.all_kwargs() == {"A": 1, "num_warps": 8, "num_ctas": 1, "num_stages": 3, "maxnreg": 32}
    assert str(config) == "A: 1, num_warps: 8, num_ctas: 1, num_stages: 3, maxnreg: 32"
    assert config == triton.Config({"A": 1}, num_warps=8, maxnreg=32) != triton.Config({"A": 2})


def test_tuners_in_tuners():
    def choose_last(call, quantiles):
        call()
        choose_last.count += 1
        return [-float(choose_last.count)] * 3

    choose_last.count = 0
    outer = [triton.Config({"A": 1}, num_warps=2), triton.Config({"A": 2}, num_warps=2)]
    inner = [triton.Config({"B": 10}, num_warps=8), triton.Config({"B": 20}, num_warps=8)]

    @triton.autotune(outer, key=["n"], do_bench=choose_last)
    @triton.heuristics({"C": lambda args: args["A"] * 100})
    @triton.autotune(inner, key=["n"], do_bench=choose_last)
    @triton.jit
    def kernel(out_ptr, n, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
        tl.store(out_ptr, A + B + C)

    out = np.zeros(1, np.int32)
    launched = kernel[(1,)](out, 3)
    assert out[0] == 222
    assert launched.metadata.num_warps == 8  # the inner tuner's options are those of the launch


class Recorder:
    """Not a jitted function: something with argument names that can be run."""

    arg_names = ["x", "n"]

    def run(self, *args, **kwargs):
        if kwargs["B"] == 1:
            raise triton.OutOfResources(2, 1, "shared memory")
        return kwargs["B"]


def test_tunes_whatever_can_be_run(fresh_triton_cache):
    tuner = triton.autotune([triton.Config({"B": 1}), triton.Config({"B": 2})], key=["n"])(Recorder())
    assert tuner[(1,)](0, 3) == 2
    assert tuner.configs_timings[tuner.configs[0]] == [float("inf")] * 3


def test_one_survivor_is_not_measured(fresh_knobs):
    calls, told = [], []
    fresh_knobs.autotuning.listener = lambda **facts: told.append(facts)

    @triton.autotune(
        configs=[triton.Config({"BLOCK": block}) for block in (16, 64)], key=["n"], do_bench=lambda *args, **kwargs: calls.append(args),
        prune_configs_by={"early_config_prune": lambda configs, args, **kwargs: configs[1:]},
    )  # fmt: skip
    @triton.jit
    def kernel(out_ptr, n, BLOCK: tl.constexpr):
        tl.store(out_ptr, BLOCK)

    out = np.zeros(1, np.int32)
    kernel[(1,)](out, 1)
    assert out[0] == 64 and calls == [] and told == []


def test_listener(fresh_triton_cache, fresh_knobs):
    told = []
    fresh_knobs.autotuning.listener = lambda **facts: told.append(facts)
    for _ in range(2):  # the second finds the first's results
        kernel = tuned(cache_results=True, reset_to_zero=["out_ptr"])
        kernel[grid](np.ones(8, np.float32), np.zeros(8, np.float32), 8)
    measured, kept = told
    assert measured["fn"] is not None and measured["fn"].__name__ == "kernel" and measured["key"] == kept["key"]
    assert measured["duration"] > 0 and not measured["cache_hit"] and len(measured["configs_timings"]) == 2
    assert kept["duration"] is None and kept["cache_hit"] and kept["best_config"] == measured["best_config"]


def test_fractions_of_what_early_pruning_left():
    def kernel_with(top_k, early=None):
        prune = {"perf_model": lambda BLOCK, **kwargs: -BLOCK, "top_k": top_k, "early_config_prune": early}
        kernel = tuned([triton.Config({"BLOCK": block}) for block in (16, 32, 64, 128)], prune_configs_by=prune)
        kernel.nargs = {}
        return [config.kwargs["BLOCK"] for config in kernel.prune_configs({})]

    assert kernel_with(0.5) == [128, 64]
    assert kernel_with(0.01) == [128]
    assert kernel_with(0.5, lambda configs, args, **kwargs: configs[:2]) == [32]


def test_names_that_the_kernel_lacks(monkeypatch):
    def decorate(**names):
        @triton.autotune(configs=[], **{"key": [], **names})
        @triton.jit
        def kernel(x_ptr, n):
            pass

    monkeypatch.setattr(triton, "__version__", "3.9.0")
    for name in ("key", "reset_to_zero", "restore_value"):
        message = f"{name} contains names that are not kernel arguments: m. Valid argument names are: x_ptr, n."
        with pytest.raises(ValueError, match=re.escape(message)):
            decorate(**{name: ["m"]})
    with monkeypatch.context() as context:
        context.setenv("TRITON_LANGUAGE_VERSION", "3.8")
        decorate(key=["m"])
    monkeypatch.setattr(triton, "__version__", "3.8.0")
    decorate(key=["m"])


def test_nothing_to_reset_or_restore():
    @triton.autotune(
        configs=[triton.Config({}, num_warps=warps) for warps in (1, 2)], key=[], do_bench=quick_bench,
        reset_to_zero=["out_ptr", "extra_ptr"], restore_value=["extra_ptr"],
    )  # fmt: skip
    @triton.jit
    def kernel(out_ptr, extra_ptr):
        if extra_ptr is None:
            tl.atomic_add(out_ptr, 1)

    out = np.zeros(1, np.int32)
    kernel[(1,)](out, None)
    assert out[0] == 1


def test_threads_tune_one_after_the_other():
    running, most, failures = [], [], []

    def bench(call, quantiles):
        running.append(1)
        most.append(len(running))
        time.sleep(0.01)  # for the others to come
        call()
        running.pop()
        return [1.0] * 3

    @triton.autotune([triton.Config({"BLOCK": block}) for block in (16, 64)], ["n"], do_bench=bench, restore_value=["out_ptr"])  # fmt: skip
    @triton.jit
    def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < n
        old = tl.load(out_ptr + offsets, mask=mask)
        tl.store(out_ptr + offsets, old + tl.load(x_ptr + offsets, mask=mask), mask=mask)

    def launch(n):
        try:
            x, out = np.ones(n, np.float32), np.full(n, 5, np.float32)
            kernel[grid](x, out, n)
            np.testing.assert_array_equal(out, 6 * x)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=launch, args=(n,)) for n in (30, 40, 50, 30, 40, 50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert max(most) == 1 and len(most) == 6 and len(kernel.cache) == 3 and kernel.nargs is None


def test_a_launch_inside_of_a_launch_that_is_tuned():
    kernel = tuned(restore_value=["out_ptr"])
    x, out, inner = np.ones(50, np.float32), np.full(50, 5, np.float32), np.zeros(20, np.float32)

    def grid_that_launches(meta):
        inner[:] = 0
        kernel[grid](x, inner, 20)
        return grid(meta)

    kernel[grid_that_launches](x, out, 50)
    np.testing.assert_array_equal(out, 6 * x)
    np.testing.assert_array_equal(inner, x[:20])
    assert kernel.nargs is None


def test_copies_tune_for_themselves():
    kernel = tuned()
    for made in (copy.copy(kernel), copy.deepcopy(kernel)):
        x, out = np.ones(50, np.float32), np.zeros(50, np.float32)
        made[grid](x, out, 50)
        assert out.any() and made.best_config in kernel.configs and not hasattr(kernel, "best_config")
