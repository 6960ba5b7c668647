"""`triton.testing`: statistics, timing, comparing, and the files a benchmark leaves."""

import time

import numpy as np
import pytest
import torch
from triton import testing


def test_quantiles_interpolate():
    assert testing._quantile([3, 1, 2, 4], [0, 0.5, 1]) == [1, 2.5, 4]
    assert testing._summarize_statistics([1, 2, 3], [0.5], "mean") == 2


@pytest.mark.parametrize("mode, expected", [("min", 1), ("max", 6), ("mean", 3), ("median", 2), ("all", [1, 6, 2])])
def test_return_modes(mode, expected):
    assert testing._summarize_statistics([1, 6, 2], None, mode) == expected


def test_do_bench_measures_milliseconds():
    low, high = testing.do_bench(lambda: time.sleep(0.002), warmup=5, rep=20, quantiles=[0.0, 1.0])
    assert 2 <= low <= high < 50
    with pytest.raises(AssertionError, match="return_mode"):
        testing.do_bench(lambda: None, return_mode="average")


def test_do_bench_cudagraph_drops_gradients():
    tensor = torch.ones(3) * 2
    seen = []

    def call():
        seen.append(tensor.grad is None)
        (tensor * 3).sum().backward() if tensor.requires_grad else None

    testing.do_bench_cudagraph(call, rep=1, grad_to_none=[tensor])
    assert tensor.requires_grad and tensor.is_leaf and seen[-1]


def test_tolerances_are_functions_of_the_torch_dtype():
    seen = []

    def tolerance(dtype):
        seen.append(dtype)
        return 1e-2

    for value in (torch.ones(2, dtype=torch.float16), [1.0, 2.0], np.ones(2)):
        testing.assert_close(value, value, atol=tolerance)
    assert seen == [torch.float16, torch.float32, torch.float64]


@pytest.mark.cpu_only
def test_do_bench_cudagraph_on_the_cpu_times_single_calls():
    assert 1 <= testing.do_bench_cudagraph(lambda: time.sleep(0.001), rep=5) < 20


def test_do_bench_drops_gradients():
    class Tensor:
        grad = 1

    tensor = Tensor()
    testing.do_bench(lambda: None, warmup=1, rep=1, grad_to_none=[tensor])
    assert tensor.grad is None


def test_assert_close():
    testing.assert_close([1.0, np.nan], np.array([1.005, np.nan]))
    testing.assert_close(1.0, 1.005)
    testing.assert_close(np.float32([1, 2]), [1.4, 2.4], atol=lambda dtype: 0.5 if dtype == torch.float32 else 0)
    with pytest.raises(AssertionError, match="three values"):
        testing.assert_close([1.0, 2.0], [1.0, 2.1], err_msg="three values")
    with pytest.raises(AssertionError, match=r"1\.0 is not close to 1\.1"):
        testing.assert_close(1.0, 1.1)


def test_assert_close_upcasts_bfloat16():
    torch = pytest.importorskip("torch")
    testing.assert_close(torch.tensor([1.0, 2.0], dtype=torch.bfloat16), [1.0, 2.0], atol=0)


def report(**options):
    arguments = dict(
        x_names=["n", "m"], x_vals=[2, (4, 8)], line_arg="who", line_vals=["a", "b"], line_names=["A", "B"]
    )
    return testing.Benchmark(**arguments, plot_name="sizes", args={"extra": 1}, ylabel="GB/s", **options)


def test_benchmark_table_and_files(tmp_path, capsys):
    @testing.perf_report(report())
    def measure(n, m, who, extra):
        return n * m + extra if who == "a" else (10.0 * n, 9.0 * n, 11.0 * n)

    folder = tmp_path / "made" / "here"
    frame = measure.run(print_data=True, save_path=str(folder), return_df=True)
    assert frame.values.tolist() == [[2, 2, 5, 20], [4, 8, 33, 40]]
    assert list(frame.columns) == ["n", "m", "A (GB/s)", "B (GB/s)"]
    assert capsys.readouterr().out.startswith("sizes:\n")
    assert (folder / "sizes.csv").read_text().splitlines()[0] == "n,m,A (GB/s),B (GB/s)"
    assert (folder / "sizes.png").stat().st_size > 1000
    assert "sizes.png" in (folder / "results.html").read_text()


def test_pictures_show_texts_and_negative_values(tmp_path, monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    kept = []
    monkeypatch.setattr(pyplot, "close", kept.append)

    def picture(x_vals, values):
        benchmark = testing.Benchmark(["n"], x_vals, "line", [0], ["one"], "plot", {})
        testing.perf_report(benchmark)(lambda n, line: values[n]).run(save_path=str(tmp_path))
        axes = kept.pop().axes[0]
        return [label.get_text() for label in axes.get_xticklabels()], axes.get_ylim()[0]

    assert picture(["small", "large"], {"small": 1.0, "large": 2.0}) == (["small", "large"], 0)
    assert picture([1, 2], {1: 1.0, 2: 2.0})[1] == 0
    assert picture([1, 2], {1: -1.0, 2: 2.0})[1] < -1
    assert picture([1, 2], {1: np.array([1.0, -2.0, 3.0]), 2: (2.0, 1.0, 3.0)})[1] < -2


def test_difference_column():
    measure = testing.perf_report([report()])(lambda n, m, who, extra: 1 if who == "a" else 3)
    (frame,) = measure.run(return_df=True, diff_col=True)
    assert frame["Diff"].tolist() == [2, 2]


def test_points_must_match_the_names():
    broken = report()
    broken.x_vals = [(1, 2, 3)]
    with pytest.raises(ValueError, match=r"expected 2 values for \['n', 'm'\], got \(1, 2, 3\)"):
        testing.perf_report(broken)(lambda **_: 0).run()


def test_peaks_are_those_of_gpus(device):
    if device == "cuda":
        assert 100 < testing.get_dram_gbps() < 20000
        assert (
            testing.get_max_tensorcore_tflops(torch.float16, 1e6) > testing.get_max_simd_tflops(torch.float16, 1e6) > 1
        )
        with pytest.raises(RuntimeError, match="dtype not supported"):
            testing.get_max_simd_tflops(torch.int8, 1e6)
    else:
        with pytest.raises(RuntimeError, match="active target is cpu"):
            testing.get_dram_gbps()
