"""Each tutorial runs, its own checks hold, and its benchmarks give a table and a plot; of each benchmark only the smallest size is run."""

import re
import runpy

import pytest
from places import ROOT
from triton import testing

TUTORIALS = sorted((ROOT / "tutorials").glob("*.py"))


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_tutorial(path, tmp_path, monkeypatch, capsys):
    if "import torch\n\nimport triton" in path.read_text():
        pytest.importorskip("torch")
    run = testing.Mark.run

    def run_smallest(mark, **options):
        for benchmark in [mark.benchmarks] if isinstance(mark.benchmarks, testing.Benchmark) else mark.benchmarks:
            benchmark.x_vals = benchmark.x_vals[:1]
        return run(mark, **options)

    monkeypatch.setattr(testing.Mark, "run", run_smallest)
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")
    if "perf_report" not in path.read_text():  # nothing to measure
        return
    output = capsys.readouterr().out
    assert re.search(r"Triton\b.* \((G|T)", output)  # GB/s, GFLOP/s, TFLOP/s
    assert list(tmp_path.glob("*.png")) and list(tmp_path.glob("*.csv"))
