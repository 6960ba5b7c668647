"""triton.profiler on a GPU: kernels of torch and of Triton, by CUPTI."""

import json
import os
import subprocess
import sys

import pytest
import torch
import triton
import triton.language as tl
import triton.profiler as proton
from triton.backends.nvidia import driver as nvidia

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


@triton.jit(launch_metadata=lambda grid, kernel, args: {"name": f"fill [n={args['n']}]", "bytes": 4 * args["n"]})
def fill(x, n, value, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + offsets, value, offsets < n)


@pytest.fixture(autouse=True)
def cuda(tmp_path, monkeypatch):
    """The driver that programs use, not the one that copies."""
    monkeypatch.chdir(tmp_path)
    before = triton.runtime.driver._active
    triton.runtime.driver.set_active(nvidia.CudaDriver())
    launch(torch.empty(1000, device="cuda"))
    yield
    proton.finalize()
    triton.runtime.driver._active = before


def launch(x):
    fill[(triton.cdiv(x.numel(), 1024),)](x, x.numel(), 1.0, BLOCK=1024)


def tree():
    """{path: own metrics}"""
    proton.finalize()
    paths = {}

    def go(node, path):
        path = f"{path}/{node['frame']['name']}"
        paths[path.removeprefix("/ROOT/")] = node["metrics"]
        for child in node["children"]:
            go(child, path)

    with open("proton.hatchet") as file:
        root, devices = json.load(file)
    go(root, "")
    assert devices["CUDA"]["0"]["num_sms"] > 0 and devices["CUDA"]["0"]["clock_rate"] > 0
    return paths


def counts(paths):
    return {path: metrics["count"] for path, metrics in paths.items() if metrics.get("count")}


def test_kernels_of_triton_and_torch():
    x = torch.zeros(1000, device="cuda")
    proton.start()
    with proton.scope("ours"):
        for _ in range(300):  # so many that launches would go through graphs
            launch(x)
    with proton.scope("torch"):
        x.add_(1)
    found = counts(tree())
    assert found.pop("ours/fill") == 300
    ((path, count),) = found.items()
    assert path.startswith("torch/") and count == 1


def test_the_hook_names_launches():
    x = torch.zeros(1000, device="cuda")
    proton.start(hook="triton")
    launch(x)
    launch(x)
    found = tree()
    assert counts(found) == {"fill [n=1000]": 2} and found["fill [n=1000]"]["bytes"] == 8000


def test_times_are_those_of_events():
    x = torch.zeros(1 << 26, device="cuda")
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    launch(x)
    begin.record()
    for _ in range(20):
        launch(x)
    end.record()
    torch.cuda.synchronize()
    proton.start()
    for _ in range(20):
        launch(x)
    measured = tree()["fill"]["time (ns)"] / 1e6
    assert measured == pytest.approx(begin.elapsed_time(end), rel=0.15)


def test_kernels_of_a_graph_belong_to_its_launch():
    x = torch.zeros(1000, device="cuda")
    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    proton.start()
    with torch.cuda.stream(stream):
        launch(x)
        with proton.scope("capture"), torch.cuda.graph(graph, stream=stream):
            launch(x)
            launch(x)
    with proton.scope("replay"):
        graph.replay()
        graph.replay()
    found = counts(tree())
    assert found["replay/<captured_at>/capture/fill"] == 4 and "capture/fill" not in found


def test_what_is_launched_while_inactive_is_not_counted():
    x = torch.zeros(1000, device="cuda")
    session = proton.start()
    proton.deactivate(session)
    launch(x)
    proton.activate(session)
    launch(x)
    proton.deactivate(session)
    launch(x)
    assert counts(tree()) == {"fill": 1}


def test_contexts_of_python_functions():
    x = torch.zeros(1000, device="cuda")
    proton.start(context="python")
    x.add_(1)
    launch(x)
    paths = list(counts(tree()))
    assert len(paths) == 2 and all("@test_contexts_of_python_functions" in path for path in paths)


def test_a_session_after_another():
    x = torch.zeros(1000, device="cuda")
    for _ in range(3):
        proton.start()
        launch(x)
        assert counts(tree()) == {"fill": 1}


def test_traces():
    x = torch.zeros(1000, device="cuda")
    proton.start(data="trace")
    with proton.scope("part"):
        launch(x)
        torch.cuda.synchronize()
    proton.finalize()
    with open("proton.chrome_trace") as file:
        (kernel,) = json.load(file)["traceEvents"]
    assert (
        kernel["pid"] == "CUDA 0"
        and kernel["name"] == "fill"
        and kernel["args"]["call_stack"] == ["ROOT", "part", "fill"]
    )


def test_ranges_of_nvtx(tmp_path):

    (tmp_path / "script.py").write_text("""
import torch, triton.profiler as proton
x = torch.zeros(1000, device="cuda")
proton.start("ranges")
with torch.cuda.nvtx.range("range"), proton.scope("scope"):
    x.add_(1)
proton.finalize()
""")
    subprocess.run([sys.executable, "script.py"], check=True, env={**os.environ, "TRITON_DEFAULT_BACKEND": "cuda"})
    with open("ranges.hatchet") as file:
        (range,) = json.load(file)[0]["children"]
    assert range["frame"]["name"] == "range" and range["children"][0]["frame"]["name"] == "scope"
