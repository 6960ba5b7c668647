"""Scopes inside kernels: what is compiled for them, and what a session with backend="instrumentation" shows."""

import json

import pytest
import torch
import triton
import triton.language as tl
import triton.profiler as proton
import triton.profiler.language as pl
from triton import knobs

pl.enable_semantic("triton")


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    with pl.scope("kernel"):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < n
        with pl.scope("loads"):
            a = tl.load(x + offsets, mask)
            b = tl.load(y + offsets, mask)
        pl.enter_scope("store")
        tl.store(out + offsets, a + b, mask)
        pl.exit_scope("store")


@triton.jit
def loop(x, n, BLOCK: tl.constexpr):
    event = pl.allocate_event("step")
    offsets = tl.arange(0, BLOCK)
    for i in range(n):
        pl.start_event(event)
        tl.store(x + offsets, tl.load(x + offsets) + i)
        pl.record_event(event, False)


def launch(n=1000):
    x = torch.ones(n)
    out = torch.empty(n)
    compiled = add[(triton.cdiv(n, 256),)](x, x, out, n, BLOCK=256)
    assert out.eq(2).all()
    return compiled


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield
    proton.finalize()


def children(node):
    return {child["frame"]["name"]: child for child in node["children"]}


@pytest.mark.cpu_only
@pytest.mark.runs
def test_a_tree_of_scopes():
    proton.start("scopes", backend="instrumentation")
    with proton.scope("part"):
        launch()
    proton.finalize()
    launch()
    with open("scopes.hatchet") as file:
        root, _ = json.load(file)
    kernel = children(children(children(root)["part"])["add"])["kernel"]
    inner = children(kernel)
    assert set(inner) == {"loads", "store"} and kernel["metrics"]["cycles"] > 0
    assert kernel["metrics"]["cycles"] >= inner["loads"]["metrics"]["cycles"] + inner["store"]["metrics"]["cycles"]
    assert kernel["metrics"]["normalized_cycles"] == pytest.approx(kernel["metrics"]["cycles"] / 4)


@pytest.mark.cpu_only
@pytest.mark.runs
def test_a_time_line_of_scopes():
    proton.start("scopes", backend="instrumentation", data="trace")
    launch(256)
    loop[(1,)](torch.zeros(16), 3, BLOCK=16)
    proton.finalize()
    with open("scopes.chrome_trace") as file:
        events = json.load(file)["traceEvents"]
    assert [event["name"] for event in events] == ["kernel", "loads", "store", "step", "step", "step"]
    assert [event["cat"] for event in events] == ["add"] * 3 + ["loop"] * 3
    assert all(event["tid"].startswith("warp") and "Core" in event["pid"] and event["dur"] > 0 for event in events)
    assert events[0]["ts"] <= events[1]["ts"] <= events[2]["ts"] and events[0]["args"]["call_stack"] == ["ROOT", "add"]


@pytest.mark.cpu_only
@pytest.mark.runs
def test_kernels_are_compiled_with_their_scopes_only_while_somebody_asks():
    def ir():
        return launch().asm["ttir"]

    assert "proton" not in ir()
    session = proton.start(backend="instrumentation")
    assert ir().count("proton.record start") == 3
    assert proton.flags.flags.instrumentation_on
    proton.deactivate(session)
    assert "proton" not in ir() and not knobs.compilation.instrumentation_mode
    proton.activate(session)
    assert 'proton.record end "loads"' in ir()


@pytest.mark.cpu_only
def test_one_mode_at_a_time():
    proton.start("a", backend="instrumentation")
    with pytest.raises(RuntimeError, match="Cannot add a session with the same profiler but a different mode"):
        proton.start("b", backend="instrumentation", mode=proton.mode.Default(buffer_size=4096))
    assert proton.start("c", backend="instrumentation") is not None


@pytest.mark.cpu_only
def test_modes_as_texts():
    mode = proton.mode.interpret_mode(
        "default:granularity=warp_group:optimizations=clock32,time_shift:buffer_size=4096"
    )
    assert mode == proton.mode.Default(granularity="warp_group", optimizations="clock32,time_shift", buffer_size=4096)
    assert proton.mode.interpret_mode(str(mode)) == mode and proton.mode.interpret_mode("") == proton.mode.Default()
    with pytest.raises(ValueError, match="granularity 'thread' is not available"):
        proton.mode.Default(granularity="thread")
    with pytest.raises(ValueError, match="sampling_options lists numbers of warps"):
        proton.mode.Default(sampling_options="all")
    with pytest.raises(ValueError, match="Interval must be a positive integer, got 0"):
        proton.mode.PCSampling(interval=0)


def compiled_for(arch, kernel, mode, **options):
    with knobs.compilation.scope():
        source = triton.compiler.ASTSource(
            kernel, {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 256}
        )
        target = triton.backends.compiler.GPUTarget("cuda", arch, 32)
        return triton.compile(source, target=target, options={"instrumentation_mode": mode, **options})


@pytest.mark.cpu_only
@pytest.mark.parametrize("arch", [80, 90, 100])
def test_code_for_gpus(arch):
    compiled = compiled_for(arch, add, "proton", num_warps=4)
    metadata = compiled.metadata
    assert tuple(metadata.record_scopes) == ("kernel", "loads", "store") and tuple(metadata.record_warps) == (
        0,
        1,
        2,
        3,
    )
    assert (
        metadata.profile_scratch_size == 4224
    )  # a header of 56 bytes and 128 records of 8 for each warp, in whole units of 128
    ptx = compiled.asm["ptx"]
    assert ptx.count("st.global.v2.b32") == 6 and ptx.count("%clock64") == 7 and "globaltimer" in ptx
    clock = next(line for line in compiled.asm["llir"].splitlines() if "clock" in line and "!dbg" in line)
    place = clock.split("!dbg ")[1].split(",")[0].split()[0]
    (located,) = [line for line in compiled.asm["llir"].splitlines() if line.startswith(f"{place} =")]
    assert "DILocation" in located and "line: 0" not in located
    assert "clock" not in compiled_for(arch, add, "").asm["ptx"]


@pytest.mark.cpu_only
def test_some_warps_note_with_short_clocks():
    metadata = compiled_for(90, add, "proton:warps=0+2:clock32=1:buffer_size=256", num_warps=4).metadata
    assert tuple(metadata.record_warps) == (0, 2) and metadata.record_clock32 and metadata.profile_scratch_size == 384
    assert tuple(compiled_for(90, add, "proton:warps_per_unit=4", num_warps=8).metadata.record_warps) == (0, 4)
