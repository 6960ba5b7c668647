"""Comparisons, profiles, rooflines, questions about the device, and the example of the documentation."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import triton_kernels
from triton.runtime import driver
from triton_kernels import proton_opts, roofline, target_info
from triton_kernels.testing import assert_close, assert_equal, compute_actual_scale, compute_sanitizer

DOCUMENT = Path(__file__).resolve().parents[3] / "docs/reference/triton_kernels.md"

pytestmark = pytest.mark.cpu_only


@pytest.mark.parametrize("interprets", ["0", "1"])
def test_the_example(interprets, monkeypatch):
    monkeypatch.setenv("TRITON_INTERPRET", interprets)
    text, shown = re.search(r"```python\n(.*?)```\n+```text\n(.*?)```", DOCUMENT.read_text(), re.DOTALL).groups()
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.stdout == shown, done.stdout + done.stderr


def test_closeness():
    ref = torch.randn(100)
    assert_close(ref, ref * (1 + 1e-3), verbose=False)
    with pytest.raises(AssertionError, match="is above"):
        assert_close(ref, ref * 1.1)
    with pytest.raises(AssertionError, match="root mean square"):
        assert_close(ref, ref * 1.01)
    infinite = ref.clone()
    infinite[3] = float("inf")
    assert_close(infinite, infinite.clone())
    with pytest.raises(AssertionError, match="infinities"):
        assert_close(ref, infinite)
    small = ref.to(torch.float8_e5m2)
    assert_close(ref, small)
    assert_close(small, small.clone())
    with pytest.raises(AssertionError):
        assert_close(small, (ref * 2).to(torch.float8_e5m2))
    assert_close(small, (ref * 1.01).to(torch.float8_e5m2), maxtol=0.4, rmstol=0.1)  # a neighbour is near enough
    assert_equal(ref, ref.clone())
    with pytest.raises(AssertionError):
        assert_equal(ref, ref + 1)
    assert compute_actual_scale(torch.tensor([-448.0, 1.0]), torch.float8_e4m3fn) == 1.0
    per_batch = compute_actual_scale(torch.tensor([[448.0], [-896.0]]), torch.float8_e4m3fn, per_batch_scale=True)
    assert per_batch.tolist() == [1.0, 2.0]


def test_without_a_gpu_the_sanitizer_does_nothing():
    @compute_sanitizer(clear=True)
    def test(clear):
        return clear

    assert test(clear=True) is True
    with pytest.raises(ValueError):
        compute_sanitizer(tools_to_check=["no such tool"])


def test_the_processor():
    assert target_info.num_sms() >= 1 and target_info.get_cdna_version() == -1
    assert not target_info.is_cuda() and not target_info.has_tma_gather() and not target_info.has_native_mxfp()
    assert driver.active.get_current_target().backend == "cpu" and triton_kernels.__version__ == "1.0.0"


def test_waiting_for_metadata(monkeypatch):
    monkeypatch.setattr(proton_opts, "_allow_sync", None)
    assert proton_opts.launch_metadata_allow_sync()
    monkeypatch.setenv("PROTON_LAUNCH_METADATA_NOSYNC", "1")
    assert not proton_opts.launch_metadata_allow_sync()
    proton_opts.set_launch_metadata_allow_sync(True)
    assert proton_opts.launch_metadata_allow_sync()


def test_profiles(tmp_path):
    leaf = lambda name, **metrics: {"frame": {"name": name}, "metrics": metrics, "children": []}
    tree = {"frame": {"name": "ROOT"}, "metrics": {}, "children": [
        leaf("matmul_a", **{"time (ns)": 5, "flops16": 100, "bytes": 7}), leaf("other", **{"time (ns)": 3, "flops16": 50}),
    ]}  # fmt: skip
    (tmp_path / "profile.hatchet").write_text(json.dumps([tree, {"CUDA": {}}]))
    assert roofline.parse_profile(tmp_path / "profile.hatchet", "matmul") == roofline.PerfRecord(8, 100, 7)


def test_roofline(tmp_path):
    bench = lambda scale, batch: roofline.PerfRecord(1e3, 1e6 * batch * scale, 1e4)
    path = roofline.compute_roofline(
        2,
        bench_fn=bench,
        intensity_proxy_name="batch",
        intensity_proxy_values=[1, 4],
        out_path=tmp_path / "a.csv",
        verbose=False,
    )
    assert list(csv.reader(path.open())) == [["x", "flops", "bytes", "time_ns"], ["1", "2000000.0", "10000.0", "1000.0"], ["4", "8000000.0", "10000.0", "1000.0"]]  # fmt: skip
    picture = roofline.plot_roofline([path], "fp16", tmp_path / "a.png", max_tbps=1.0, max_tflops=10.0)
    assert picture.stat().st_size > 1000
    with pytest.raises(ValueError):
        roofline.get_cublas_tflops("fp1")


def test_the_proxy_of_a_roofline_takes_its_parameters_place(tmp_path):
    def bench(batch, columns, rows=1, *, scale=1):
        return roofline.PerfRecord(batch, columns, rows * scale)

    def points(*args, name="batch", **kwargs):
        path = tmp_path / "a.csv"
        given = {"bench_fn": bench, "intensity_proxy_name": name, "intensity_proxy_values": [3], "out_path": path}
        roofline.compute_roofline(*args, **given, verbose=False, **kwargs)
        return roofline.read_series(path)

    assert points(5, 6, scale=2) == [{"x": 3, "flops": 5, "bytes": 12, "time_ns": 3}]
    assert points(5, 6, name="columns") == [{"x": 3, "flops": 3, "bytes": 6, "time_ns": 5}]
    assert points(5, 6, name="scale") == [{"x": 3, "flops": 6, "bytes": 3, "time_ns": 5}]
    assert points(name="rows", batch=5, columns=6) == [{"x": 3, "flops": 6, "bytes": 3, "time_ns": 5}]
    with pytest.raises(ValueError, match="no parameter depth"):
        points(5, 6, name="depth")
