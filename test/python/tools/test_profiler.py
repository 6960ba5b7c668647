"""triton.profiler: what belongs to which scope, and what files hold. Times from CUPTI: test/cuda/ProfilerTest.cpp."""

import json
import os
import re
import subprocess
import sys
import threading

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
import triton.profiler as proton
from triton import knobs
from triton.profiler import viewer

pytestmark = [pytest.mark.cpu_only, pytest.mark.runs]


def describe(grid, kernel, args):
    n = args["n"]
    return {"name": f"{kernel.name} [n={n}]", "bytes": 8 * n, "flops32": n, "stages": 3}


@triton.jit
def plain(x, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + offsets, tl.load(x + offsets, offsets < n) + 1, offsets < n)


@triton.jit(launch_metadata=describe)
def described(x, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + offsets, tl.load(x + offsets, offsets < n) + 1, offsets < n)


def launch(kernel=plain, n=1000):
    kernel[(triton.cdiv(n, 256),)](torch.zeros(n), n, BLOCK=256)


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    launch()
    launch(described)
    yield
    proton.finalize()


def tree(name="proton", **options):
    """{path: own metrics} of a finalized session."""
    proton.finalize(**options)
    paths = {}

    def go(node, path):
        path = (*path, node["frame"]["name"])
        paths["/".join(path[1:])] = node["metrics"]
        for child in node["children"]:
            go(child, path)

    with open(f"{name}.hatchet") as file:
        root, devices = json.load(file)
    go(root, ())
    assert set(devices) <= {"CPU"}
    return paths


def counts(paths):
    return {path: metrics["count"] for path, metrics in paths.items() if metrics.get("count")}


def test_kernels_belong_to_scopes():
    proton.start()
    launch()
    with proton.scope("outer"):
        launch()
        with proton.scope("inner"):
            launch()
            launch()
    found = tree()
    assert counts(found) == {"plain": 1, "outer/plain": 1, "outer/inner/plain": 2}
    metrics = found["outer/inner/plain"]
    assert metrics["time (ns)"] > 0 and metrics["device_type"] == "CPU" and metrics["device_id"] == "0"


def test_metrics_add_up():
    proton.start()
    for _ in range(3):
        with proton.scope("work", {"flops": 10, "bytes": 2.5}):
            pass
    proton.enter_scope("work", metrics={"own": torch.tensor(7)})
    proton.exit_scope("work", metrics={"own": 1})
    assert tree()["work"] == {"flops": 30, "bytes": 7.5, "own": 8}


def test_scopes_as_decorators():
    @proton.scope("decorated", {"calls": 1})
    def work():
        launch()

    proton.start()
    work()
    work()
    found = tree()
    assert counts(found) == {"decorated/plain": 2} and found["decorated"] == {"calls": 2}


def test_timed_scopes():
    proton.start()
    with proton.cpu_timed_scope("timed"):
        launch()
    found = tree()
    assert found["timed"]["cpu_time (ns)"] >= found["timed/plain"]["time (ns)"] > 0


def test_states_come_after_scopes():
    proton.start()
    with proton.state("loading"):
        with proton.scope("a"):
            launch()
            with proton.state("computing"):
                launch()
        launch()
    launch()
    assert counts(tree()) == {"a/loading/plain": 1, "a/computing/plain": 1, "loading/plain": 1, "plain": 1}


def test_a_scope_left_in_the_wrong_order():
    proton.enter_scope("outer")
    proton.enter_scope("inner")
    with pytest.raises(ValueError, match="scope 'outer' is left, but 'inner' was entered last"):
        proton.exit_scope("outer")
    proton.exit_scope("inner")
    proton.exit_scope()
    with pytest.raises(ValueError, match="this thread is in none"):
        proton.exit_scope()


def test_a_metric_that_is_no_number():
    with pytest.raises(TypeError, match="metric 'flops' needs a number, got str"):
        proton.enter_scope("wrong", metrics={"flops": "many"})


def test_the_hook_takes_names_and_metrics_of_launches():
    proton.start(hook="triton")
    with proton.scope("layer"):
        launch(described, 512)
        launch(described, 512)
        launch(described, 1000)
        launch()
    found = tree()
    assert counts(found) == {"layer/described [n=512]": 2, "layer/described [n=1000]": 1, "layer/plain": 1}
    metrics = found["layer/described [n=512]"]
    assert metrics["bytes"] == 2 * 8 * 512 and metrics["flops32"] == 2 * 512 and metrics["stages"] == 6


def test_without_the_hook_kernels_go_by_their_names():
    proton.start("with", hook="triton")
    proton.start("without")
    launch(described)
    assert counts(tree("with")) == {"described [n=1000]": 1}
    assert counts(tree("without")) == {"described": 1}


def test_hooks_are_there_only_while_a_session_is_active():
    chains = knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook, knobs.runtime.kernel_load_end_hook
    before = [list(chain.calls) for chain in chains]
    session = proton.start(hook="triton")
    assert [len(chain.calls) for chain in chains] == [len(calls) + 1 for calls in before]
    proton.deactivate(session)
    assert [chain.calls for chain in chains] == before
    proton.activate(session)
    proton.finalize()
    assert [chain.calls for chain in chains] == before


def test_a_replaced_chain_of_hooks_is_an_error():
    with knobs.runtime.scope():
        knobs.runtime.launch_enter_hook = None
        with pytest.raises(RuntimeError, match="launch_enter_hook to be a knobs.HookChain, but it is None"):
            proton.start(hook="triton")


def test_kernels_that_metadata_launches_are_not_shown():
    def report(grid, kernel, args):
        launch()
        return {"name": "reported", "bytes": 8}

    kernel = triton.jit(launch_metadata=report)(plain.fn)
    proton.start(hook="triton")
    launch(kernel)
    found = tree()
    assert counts(found) == {"__proton_launch_metadata/plain": 1, "reported": 1}
    shown, _ = viewer.parse(["count"], "proton.hatchet")
    assert [child.name for child in shown.root.children] == ["reported"]


def test_a_launch_that_fails_leaves_no_trace_in_later_ones():
    proton.start(hook="triton")
    with pytest.raises(RuntimeError, match="more programs"):
        described[(2**31 - 1,) * 3](torch.zeros(8), 8, BLOCK=8)
    with proton.scope("after"):
        launch()
    assert counts(tree())["after/plain"] == 1


def test_inactive_sessions_measure_nothing():
    session = proton.start()
    proton.deactivate(session)
    launch()
    proton.activate(session)
    launch()
    proton.deactivate()
    launch()
    assert counts(tree()) == {"plain": 1}


def test_sessions_are_independent():
    first, second = proton.start("first"), proton.start("second")
    launch()
    proton.deactivate(first)
    launch()
    proton.finalize(first)
    launch()
    proton.finalize(second)
    assert not os.path.exists("proton.hatchet")
    assert counts(tree("first")) == {"plain": 1} and counts(tree("second")) == {"plain": 3}


def test_starting_again_goes_on():
    session = proton.start("again")
    launch()
    proton.deactivate(session)
    assert proton.start("again") == session
    launch()
    with pytest.raises(RuntimeError, match="other options: finalize it first"):
        proton.start("again", data="trace")
    assert counts(tree("again")) == {"plain": 2}


def test_a_session_that_is_gone():
    session = proton.start()
    proton.finalize(session)
    for function in (proton.activate, proton.deactivate, proton.finalize):
        with pytest.raises(ValueError, match=f"there is no session {session}"):
            function(session)


def test_contexts_of_python_functions():
    def inner():
        launch()

    proton.start(context="python")
    inner()
    with proton.scope("part"):
        inner()
    found = counts(tree())
    assert len(found) == 2
    without, within = sorted(found, key=lambda path: "part" in path)
    assert re.search(r"test_profiler.py:\d+@inner/", without) and re.search(r"test_profiler.py:\d+@launch/", without)
    assert without.endswith("/plain")
    test, part, rest = "@test_contexts_of_python_functions", within.index("/part/"), within.index("@inner")
    assert within.index(test) < part < within.rindex(test) < rest, "the scope stands below the function that entered it"
    assert "triton/runtime" not in without, "functions of this package are not shown"


def test_threads_have_their_own_scopes():
    proton.start()
    with proton.scope("main"):
        thread = threading.Thread(target=launch)
        thread.start()
        thread.join()
        launch()
    assert counts(tree()) == {"plain": 1, "main/plain": 1}


def test_the_profile_decorator():
    @proton.profile(name="decorated")
    def work(value):
        launch()
        return value + 1

    assert work(1) == 2
    launch()
    assert counts(tree("decorated")) == {"plain": 1}


def test_traces():
    proton.start(data="trace")
    with proton.scope("part"):
        launch()
        launch()
    proton.finalize()
    with open("proton.chrome_trace") as file:
        events = json.load(file)["traceEvents"]
    assert [event["name"] for event in events] == ["plain", "plain"]
    assert events[0]["args"]["call_stack"] == ["ROOT", "part", "plain"]
    assert events[0]["ts"] + events[0]["dur"] <= events[1]["ts"] + 1
    assert all(event["ph"] == "X" and event["dur"] > 0 for event in events)


def test_properties_and_metrics_of_one_scope_alone():
    proton.start()
    with proton.scope("outer", {"steps (exc)": 1, "kind (pty)": "train"}):
        with proton.scope("inner", {"sizes": [1, 2], "step (pty)": 3}):
            pass
        with proton.scope("inner", {"sizes": [10, 20, 30], "step (pty)": 4}):
            pass
    found = tree()
    assert found["outer"] == {"steps": 1, "kind": "train"}
    assert found["outer/inner"] == {"sizes": [11, 22, 30], "step": 4} and found[""] == {"sizes": 0}


def test_a_metric_keeps_its_type():
    proton.start()
    with proton.scope("a", {"loss": 1.0}):
        pass
    with pytest.raises(ValueError, match=r"type mismatch for valueId 0 \(loss\): current=double, new=uint64_t"):
        proton.enter_scope("a", metrics={"loss": 1})
    with proton.scope("a", {"flops": 1, "bytes": 2.0}), proton.scope("a", {"flops": 1.5, "bytes": 2}):
        pass


def test_metrics_in_a_state_belong_to_it():
    proton.start()
    with proton.scope("a"), proton.state("warm-up"), proton.scope("b", {"n": 1}):
        pass
    assert tree()["a/b/warm-up"] == {"n": 1}


def test_how_deep_a_thread_is():
    assert proton.context.depth(0) is None
    session = proton.start()
    with proton.scope("a"), proton.scope("b"):
        assert proton.context.depth(session) == 2
    assert proton.context.depth(session) == 0


def test_phases():
    session = proton.start()
    launch()
    assert not proton.data.is_phase_complete(session, 0)
    assert proton.data.get(session)[0]["children"][0]["metrics"]["count"] == 1
    assert proton.data.advance_phase(session) == 1
    proton.deactivate(session, flushing=True)
    assert proton.data.is_phase_complete(session, 0) and not proton.data.is_phase_complete(session, 1)
    assert proton.data.get(session, 1)[0]["children"] == []
    assert b"plain" in proton.data.get_msgpack(session, 0)
    proton.data.clear(session, 0)
    with pytest.raises(RuntimeError, match="phase 0 of session .* has no data"):
        proton.data.get(session, 0)
    proton.activate(session)
    launch()
    launch()
    assert counts(tree()) == {"plain": 2}


@pytest.mark.parametrize("format", ["hatchet", "hatchet_msgpack"])
def test_phases_are_written_when_they_end(format):
    session = proton.start("parts", mode=f"periodic_flushing:format={format}")
    for part in range(3):
        if part:
            assert proton.data.advance_phase(session) == part
        launch()
    proton.finalize()
    assert sorted(name for name in os.listdir() if name.startswith("parts")) == [
        f"parts.part_{n}.{format}" for n in range(3)
    ]


def test_hooks_of_one_s_own():
    seen = []

    class Seeing(proton.hooks.Hook):
        priority = 200

        def enter(self, metadata):
            seen.append(metadata.data["name"])

        def exit(self, metadata):
            seen.append("done")

        def init_handle(self, *given):
            pass

        activate = deactivate = lambda self: None

    proton.start(hook=Seeing())
    launch()
    proton.finalize()
    launch()
    assert seen == ["plain", "done"]


def test_the_hook_looks_at_some_kernels():
    hook = proton.hooks.LaunchHook()
    assert hook is proton.hooks.LaunchHook()
    hook.configure(exclude="descr")
    try:
        proton.start(hook=hook)
        launch(described)
        assert counts(tree()) == {"described": 1}
    finally:
        hook.configure()


def test_by_numbers():
    import triton._C.libproton.proton as libproton
    from triton.profiler.profile import _select_backend

    session = libproton.start("numbers", "shadow", "tree", _select_backend())
    number = libproton.record_scope()
    assert libproton.record_scope() == number + 1
    libproton.enter_scope(number, "one")
    assert libproton.get_context_depth(session) == 1
    libproton.add_metrics(number, {"a": 1.0})
    libproton.add_metrics(number, {"a": 2.0})
    memory = np.array([2.0, 3.0]), np.array([7])
    in_memory = [
        libproton.TensorMetric(memory[0].ctypes.data, libproton.metric_type_double_index, 2),
        libproton.TensorMetric(memory[1].ctypes.data, libproton.metric_type_int64_index),
    ]
    libproton.add_metrics(number, {"a": 4.0}, {"b": in_memory[0], "c": in_memory[1]})
    with pytest.raises(ValueError, match="the type of a metric is 0 or 1, not 5"):
        libproton.TensorMetric(0, 5)
    launch()
    libproton.exit_scope(number, "one")
    libproton.finalize(session, "hatchet")
    found = tree("numbers")
    assert found["one"] == {"a": 7, "b": [2, 3], "c": 7} and found["one/plain"]["count"] == 1


def test_benchmarks_by_the_profiler():
    x = torch.zeros(1 << 16)
    times = triton.testing.do_bench_proton(lambda: launch_on(x), warmup=1, rep=5, return_mode="all")
    assert len(times) >= 1 and all(time > 0 for time in times)


def launch_on(x):
    plain[(triton.cdiv(x.numel(), 256),)](x, x.numel(), BLOCK=256)


def test_disabled(monkeypatch):
    monkeypatch.setenv("TRITON_PROTON_DISABLE", "1")
    assert proton.start() is None
    with proton.scope("nothing", {"flops": 1}):
        launch()
    proton.finalize()
    assert not os.path.exists("proton.hatchet")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"context": "stack"}, "context 'stack' is not available; expected 'shadow' or 'python'"),
        ({"data": "list"}, "data 'list' is not available; expected 'tree' or 'trace'"),
        ({"backend": "roctracer"}, "backend 'roctracer' is not available; expected 'cupti'"),
        ({"backend": "instrumentation", "mode": "fast"}, "mode 'fast' is not available; expected one of default, mma"),
        ({"backend": "instrumentation", "mode": "default:size=1"}, "mode 'default' has no option 'size'"),
        ({"mode": "pcsampling"}, "mode 'pcsampling' is not available: cpu measures whole kernels"),
        ({"hook": "torch"}, "hook 'torch' is not available; expected 'triton' or None"),
    ],
)
def test_what_is_not_available_is_named(options, message):
    with pytest.raises(ValueError, match=message):
        proton.start(**options)
    proton.start()
    with pytest.raises(
        ValueError, match="format 'xml' is not available; data='tree' is written as 'hatchet' or 'hatchet_msgpack'"
    ):
        proton.finalize(output_format="xml")


def test_cupti_without_a_gpu(monkeypatch):
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(
        RuntimeError, match="driver|CUPTI"
    ):  # which of them says so depends on what the process has loaded
        proton.start(backend="cupti")


# The program `proton`

SCRIPT = """
import sys
import torch, triton, triton.language as tl
import triton.profiler as proton

@triton.jit
def kernel(x):
    tl.store(x, 1.0)

def test_run():
    proton.start("ignored")
    with proton.scope("part"):
        kernel[(1,)](torch.zeros(1))
    proton.finalize()

if __name__ == "__main__":
    test_run()
    sys.exit(int(sys.argv[1]))
"""


@pytest.mark.parametrize(
    "target, status", [(["script.py", "3"], 3), (["pytest", "-q", "-p", "no:cacheprovider", "script.py"], 0)]
)
def test_programs_under_the_profiler(target, status):
    with open("script.py", "w") as file:
        file.write(SCRIPT)
    done = subprocess.run(
        [sys.executable, "-m", "triton.profiler.proton", "-n", "run", "-k", "triton", *target],
        capture_output=True,
        text=True,
    )
    assert done.returncode == status, done.stderr
    assert counts(tree("run")) == {"part/kernel": 1}
    assert not os.path.exists("ignored.hatchet")


def test_a_script_that_is_missing():
    assert (
        subprocess.run([sys.executable, "-m", "triton.profiler.proton", "none.py"], capture_output=True).returncode == 2
    )
