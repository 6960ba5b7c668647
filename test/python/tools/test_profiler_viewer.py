"""What the viewer makes of profiles."""

import json
import math

import pytest
from triton.profiler import specs, viewer

pytestmark = pytest.mark.cpu_only


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


H200 = {"arch": "90", "num_sms": 132, "clock_rate": 1980000, "memory_clock_rate": 3201000, "bus_width": 6144}


def node(name, children=(), **metrics):
    metrics = {"time (ns)" if key == "time" else key: value for key, value in metrics.items()}
    if "time (ns)" in metrics:
        metrics |= {"device_id": "0", "device_type": "CUDA"}
    return {"frame": {"name": name, "type": "function"}, "metrics": metrics, "children": list(children)}


@pytest.fixture
def sample():
    """A product by a library, and one by a kernel of Triton; both 2e12 operations."""
    library = node("cublas", [node("sm90_gemm", time=4_000_000, count=2)], flops16=2e12, bytes=3e9)
    kernel = node("matmul [M=8]", time=8_000_000, count=4, flops16=2e12, bytes=3e9)
    small = node("/home/me/train.py:12@step", [node("fill", time=1000, count=1)])
    with open("sample.hatchet", "w") as file:
        json.dump([node("ROOT", [library, kernel, small]), {"CUDA": {"0": H200}}], file)
    return "sample.hatchet"


def values(tree, metric):
    return {node.name: node.values[metric] for node in tree.root.walk()}


def test_viewer_metrics(sample):
    names = [
        "time/ms",
        "avg_time/us",
        "tflop16/s",
        "gbyte/s",
        "count",
        "time/%",
        "time/ms (exc)",
        "tflop/s",
        "flops16",
        "tflop16/s (inc)",
    ]
    tree, metrics = viewer.parse(names, sample)
    shown = [name if name.endswith(")") else f"{name} (inc)" for name in names]
    assert metrics == shown and set(metrics) <= {*tree.inc_metrics, *tree.exc_metrics}
    assert values(tree, "time/ms") | {"ROOT": 0} == {
        "ROOT": 0, "cublas": 4, "sm90_gemm": 4, "matmul [M=8]": 8, "/home/me/train.py:12@step": 0.001, "fill": 0.001,
    }  # fmt: skip
    assert tree.root.values["time/ms"] == pytest.approx(12.001)
    assert values(tree, "avg_time/us")["cublas"] == 2000 and values(tree, "count")["ROOT"] == 7
    rates = values(tree, "tflop16/s")
    assert rates["cublas"] == pytest.approx(500) and rates["matmul [M=8]"] == pytest.approx(250)
    assert math.isnan(rates["sm90_gemm"]) and math.isnan(rates["fill"])
    assert rates["ROOT"] == pytest.approx(4e12 / 12.001e-3 / 1e12)
    assert values(tree, "gbyte/s")["cublas"] == pytest.approx(750)
    assert values(tree, "time/%")["matmul [M=8]"] == pytest.approx(100 * 8 / 12.001)
    assert math.isnan(values(tree, "time/ms (exc)")["cublas"]) and values(tree, "time/ms (exc)")["fill"] == 0.001
    assert values(tree, "tflop/s")["cublas"] == rates["cublas"] == values(tree, "tflop16/s (inc)")["cublas"]


def test_viewer_utilisation(sample):
    tree, _ = viewer.parse(["util"], sample)
    peak = specs.max_flops("CUDA", "90", 16, 132, 1980000)
    assert values(tree, "util")["cublas"] == pytest.approx(2e12 / peak / 4e-3)
    assert math.isnan(values(tree, "util")["fill"]) or values(tree, "util")["fill"] == 0


def test_viewer_filters(sample):
    def names(**filters):
        return [node.name for node in viewer.parse(["time/ms"], sample, **filters)[0].root.walk()]

    assert names(include="gemm") == ["ROOT", "cublas", "sm90_gemm"]
    assert names(include="cublas") == ["ROOT", "cublas", "sm90_gemm"]
    assert names(include="nothing") == ["ROOT"]
    assert names(exclude="cublas|step") == ["ROOT", "matmul [M=8]"]
    assert names(threshold=5) == ["ROOT", "matmul [M=8]"]
    tree, _ = viewer.parse(["time/ms"], sample, exclude="cublas|step")
    assert tree.root.values["time/ms"] == 8


def test_viewer_prints_a_tree(sample, capsys):
    tree, metrics = viewer.parse(["tflop16/s", "time/ms", "count"], sample)
    viewer.print_tree(tree, metrics, format="function_line", print_sorted=True)
    assert (
        capsys.readouterr().out
        == """\
tflop16/s time/ms count
333.306 12.001 7 ROOT
├─ 500.000 4.000 2 cublas
│  └─ nan 4.000 2 sm90_gemm
├─ 250.000 8.000 4 matmul [M=8]
└─ nan 0.001 1 12@step
   └─ nan 0.001 1 fill
"""
    )
    viewer.print_tree(tree, metrics, depth=1)
    assert "sm90_gemm" not in capsys.readouterr().out
    assert "\033[31m500.000\033[0m" in viewer.render(tree, metrics, colour=True)


def test_viewer_from_a_shell(sample, capsys):
    assert viewer.main(["-l", sample]) == 0
    listed = capsys.readouterr().out.split("\n")
    assert {"time/ms", "avg_time/us", "tflop16/s", "gbyte/s", "util", "count"} <= set(
        listed
    ) and "cpu_time/ms" not in listed
    assert viewer.main(["-m", "time/ms,tflop16/s", "-d", "1", sample]) == 0
    assert "250.000 matmul [M=8]" in capsys.readouterr().out
    assert viewer.main(["-m", "tflop8/min", sample]) == 1
    assert "metric 'tflop8/min' is not available; this profile has: time/s" in capsys.readouterr().err
    assert viewer.main(["missing.hatchet"]) == 1
    assert "missing.hatchet" in capsys.readouterr().err


def test_viewer_differences(sample, capsys):
    with open("other.hatchet", "w") as file:
        json.dump(
            [node("ROOT", [node("matmul [M=8]", time=6_000_000, count=4), node("new", time=1_000_000, count=1)]), {}],
            file,
        )
    assert viewer.main(["-m", "time/ms", "-diff", "other.hatchet", sample]) == 0
    out = capsys.readouterr().out
    assert "2.000 matmul [M=8]" in out and "4.000 cublas" in out and "-1.000 new" in out


def test_a_file_that_is_no_profile():
    with open("wrong.hatchet", "w") as file:
        file.write('{"traceEvents": []}')
    with pytest.raises(ValueError, match="'wrong.hatchet' is no profile"):
        viewer.parse(["time/ms"], "wrong.hatchet")


def test_what_adds_up_is_what_the_root_has():
    scope = node("scope", [node("kernel", time=10, count=1, bytes=4)], **{"cpu_time (ns)": 7})
    tree, inclusive, others, devices = viewer.get_raw_metrics(
        [
            node(
                "ROOT",
                [scope, node("__proton_launch_metadata", [node("other", time=1, count=1)])],
                **{"time (ns)": 0, "count": 0, "bytes": 0},
            ),
            {},
        ]
    )
    assert sorted(inclusive) == ["bytes", "count", "time (ns)"] and "cpu_time (ns)" in others and devices == {}
    assert viewer.derive_metrics(tree, ["time/ns", "cpu_time/ns"], inclusive, others, devices) == [
        "time/ns (inc)",
        "cpu_time/ns (inc)",
    ]
    assert values(tree, "time/ns") == {"ROOT": 10, "scope": 10, "kernel": 10}
    assert math.isnan(values(tree, "cpu_time/ns")["ROOT"]) and values(tree, "cpu_time/ns")["scope"] == 7


def test_a_table_for_pandas(sample):
    pytest.importorskip("pandas")
    tree, _ = viewer.parse(["time/ms"], sample)
    frame = tree.dataframe
    assert list(frame["name"])[:2] == ["ROOT", "cublas"] and frame["time/ms (inc)"].iloc[1] == 4
    least = viewer.get_min_time_bytes(frame, tree.device_info)
    assert least[frame["name"] == "matmul [M=8]"]["min_time"].iloc[0] == pytest.approx(
        3e9 / specs.max_bps("CUDA", "90", 6144, 3201000)
    )
    viewer.format_frames(tree, "file_function")
    assert "train.py@step" in list(tree.dataframe["name"])
