"""The stages of the backends one by one, as hooks, profilers and backends of other packages call them; what ptxas is told; nvJitLink in its place."""

import glob
import os
import re
import signal
import sys
import time

import pytest
import torch
import triton
import triton.backends.nvidia.compiler as nvidia
import triton.language as tl
from triton import _instrumentation
from triton._C import libtriton
from triton._C.libtriton import ir, llvm, passes
from triton.backends.compiler import GPUTarget, Language
from triton.compiler import ASTSource, make_backend
from triton.profiler.hooks.instrumentation import Instrumentation
from triton.runtime.errors import PTXASError

HOPPER = GPUTarget("cuda", 90, 32)


@triton.jit
def shift(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, offsets < n) + 1.0, offsets < n)


def source():
    signature = {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "u32", "BLOCK": "constexpr"}
    return ASTSource(shift, signature, {"BLOCK": 64}, {(0,): [["tt.divisibility", 16]]})


@pytest.fixture
def compile_always(fresh_knobs, fresh_triton_cache):
    fresh_knobs.compilation.always_compile = True
    return lambda target=HOPPER, **options: triton.compile(source(), target=target, options=options)


@pytest.mark.assembles
def test_methods_one_by_one():
    backend = make_backend(HOPPER)
    options, context, metadata = backend.parse_options({}), ir.context(), {}
    ir.load_dialects(context)
    backend.load_dialects(context)
    module = source().make_ir(HOPPER, options, backend.get_codegen_implementation(options), backend.get_module_map(), context)  # fmt: skip
    module = backend.make_ttir(module, metadata, options, 90)
    module = backend.make_ttgir(module, metadata, options, 90)
    assert "#ttg.blocked" in str(module) and module.context is context
    text = backend.make_llir(module, metadata, options, 90)
    ptx = backend.make_ptx(text, metadata, options, 90)
    cubin = backend.make_cubin(ptx, metadata, options, 90)
    assert "define" in text and ".target sm_90a" in ptx and cubin[:4] == b"\x7fELF"
    assert metadata["name"] == "shift" and metadata["shared"] == 0 and metadata["global_scratch_size"] == 0


@triton.jit
def reverse_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.flip(tl.load(x_ptr + offsets)))  # through shared memory


def test_methods_of_amds_backend(fresh_triton_cache):
    target = GPUTarget("hip", "gfx942", 64)
    given = ASTSource(reverse_kernel, {"x_ptr": "*fp32", "out_ptr": "*fp32", "BLOCK": "constexpr"}, {"BLOCK": 1024})
    backend = make_backend(target)
    options, context, metadata = backend.parse_options({"num_warps": 8}), ir.context(), {}
    module = given.make_ir(target, options, backend.get_codegen_implementation(options), backend.get_module_map(), context)  # fmt: skip
    module = backend.make_ttir(module, metadata, options)
    module = backend.make_ttgir(module, metadata, options)
    assembly = backend.make_amdgcn(backend.make_llir(module, metadata, options), metadata, options)
    code = backend.make_hsaco(assembly, metadata, options)
    whole = triton.compile(given, target=target, options={"num_warps": 8})
    assert code == whole.asm["hsaco"] and assembly == whole.asm["amdgcn"]
    assert metadata["name"] == "reverse_kernel" and metadata["shared"] == whole.metadata.shared > 0


def test_amd_code_from_its_assembly(tmp_path, fresh_triton_cache):
    """A file of assembly says itself what its launch needs, and is compiled on its own."""
    target = GPUTarget("hip", "gfx942", 64)
    given = ASTSource(reverse_kernel, {"x_ptr": "*fp32", "out_ptr": "*fp32", "BLOCK": "constexpr"}, {"BLOCK": 1024})
    whole = triton.compile(given, target=target, options={"num_warps": 8})
    path = tmp_path / "kernel.amdgcn"
    path.write_text(whole.asm["amdgcn"])
    again = triton.compile(str(path), target=target)
    assert again.asm["hsaco"] == whole.asm["hsaco"]
    assert (again.metadata.shared, again.metadata.num_warps) == (whole.metadata.shared, 8)
    path.write_text("s_endpgm")
    with pytest.raises(Exception, match="has no `.amdgpu_metadata`"):
        triton.compile(str(path), target=target)


class Within:
    """An argument that knows how much it points into."""

    def __init__(self, size):
        self.size = size

    def ptr_range(self):
        return self.size


def test_reach_of_32_bits():
    reaches = make_backend(GPUTarget("hip", "gfx942", 64)).is_within_2gb
    assert reaches(Within(2**31 - 1)) and not reaches(Within(2**31))
    assert reaches(torch.empty(4)) and not reaches(torch.empty(2**31, dtype=torch.int8, device="meta"))
    assert not reaches(7)


def test_passes_of_a_profiler(compile_always, monkeypatch):
    seen = []
    passes_of_points = Instrumentation({"ttgpuir_to_llvmir": seen.append})
    passes_of_points.register("llvmir_to_llvm", lambda manager: seen.append("llvm"))
    with pytest.raises(RuntimeError, match="'llvmir_to_llvm' has its passes already"):
        passes_of_points.register("llvmir_to_llvm", seen.append)
    monkeypatch.setattr(nvidia.CUDABackend, "instrumentation", passes_of_points)
    assert compile_always().asm["ptx"]
    assert isinstance(seen[0], ir.pass_manager) and seen[1] == "llvm"


def test_lists_of_stages():
    backend = make_backend(HOPPER)
    for language, names in (
        (Language.TRITON, ["ttir", "ttgir", "llir", "ptx", "cubin"]),
        (Language.GLUON, ["ttgir", "llir", "ptx", "cubin"]),
    ):
        stages = {}
        backend.add_stages(stages, backend.parse_options({}), language)
        assert list(stages) == names


@pytest.mark.assembles
def test_hook_changes_stages(compile_always, fresh_knobs):
    plain = compile_always()
    seen = []

    def hook(backend, stages, options, language, capability):
        seen.append((type(backend).__name__, list(stages), language, capability))
        make_ttir, make_ptx = stages["ttir"], stages["ptx"]

        def with_a_pass(module, metadata):
            module = make_ttir(module, metadata)
            manager = ir.pass_manager(module.context)
            manager.enable_debug()
            passes.common.add_cse(manager)
            manager.run(module, "mine")
            return module

        stages["ttir"] = with_a_pass
        stages["ptx"] = lambda text, metadata: make_ptx(text, metadata) + "// mine\n"

    fresh_knobs.runtime.add_stages_inspection_hook = hook
    hooked = compile_always(arch="sm80")
    assert seen == [("CUDABackend", ["ttir", "ttgir", "llir", "ptx", "cubin"], Language.TRITON, 80)]
    assert hooked.asm["ptx"].endswith("// mine\n") and hooked.asm["cubin"][:4] == b"\x7fELF"
    hooked = compile_always()
    assert hooked.asm["ptx"].count(".loc") == plain.asm["ptx"].count(".loc"), "lines of the source are kept"
    differing = {name for name, value in plain.metadata._asdict().items() if getattr(hooked.metadata, name) != value}
    assert differing == {"hash"}, "what a hook made is no other compile's"


@pytest.mark.cpu_only
def test_hook_on_the_cpu(fresh_knobs, fresh_triton_cache):
    inputs = []

    def hook(backend, stages, options, language, capability):
        for name, stage in list(stages.items()):
            stages[name] = lambda given, metadata, name=name, stage=stage: (
                inputs.append((name, type(given).__name__)),
                stage(given, metadata),
            )[1]

    fresh_knobs.runtime.add_stages_inspection_hook = hook
    x, out = torch.arange(100, dtype=torch.float32), torch.zeros(100)
    shift[(2,)](x, out, 100, BLOCK=64, num_warps=2)
    assert torch.equal(out, x + 1) and inputs == [("ttir", "module"), ("llir", "module"), ("obj", "str")]


@pytest.mark.runs
def test_hooks_that_come_and_go(fresh_knobs, fresh_triton_cache):
    """Launches that are warm see them; a hook that says what it does has kernels in the cache."""
    calls = []

    def hook_called(key):
        def hook(backend=None, stages=None, options=None, language=None, capability=None):
            if stages is None:
                return key, "1"
            calls.append(key)

        return hook

    x, out = torch.arange(64, dtype=torch.float32), torch.zeros(64)

    def launch():
        return shift[(1,)](x, out, 64, BLOCK=64)

    plain = launch()
    assert launch() is plain
    first, second = hook_called("first"), hook_called("second")
    for hook, expected in ((first, ["first"]), (second, ["first", "second"]), (first, ["first", "second"])):
        fresh_knobs.runtime.add_stages_inspection_hook = hook
        assert launch() is launch() is not plain and calls == expected
    shift.device_caches.clear()
    assert launch() is not plain and calls == ["first", "second"]  # from the cache
    fresh_knobs.runtime.add_stages_inspection_hook = lambda backend, stages, *rest: calls.append("unknown")
    launch()
    shift.device_caches.clear()
    launch()
    assert calls[2:] == ["unknown"] * 2  # which may do anything
    fresh_knobs.runtime.add_stages_inspection_hook = None
    assert torch.equal(out, x + 1) and launch().hash == plain.hash


def test_instrumentation(compile_always, monkeypatch):
    calls = []

    class Profiler:
        def load_dialects(self, context):
            calls.append("dialects")

        def patch(self, point, manager, context):
            calls.append(point)
            passes.common.add_canonicalizer(manager)

    monkeypatch.setattr(nvidia.CUDABackend, "instrumentation", Profiler())
    assert compile_always().asm["cubin"]
    assert calls == ["dialects", "ttgpuir_to_llvmir", "llvmir_to_llvm"]


def test_instrumentation_that_is_registered(compile_always):
    calls = []

    def add_pass(manager):
        calls.append("pass")
        passes.common.add_canonicalizer(manager)

    points = {"load-dialects": lambda context: calls.append("dialects"), "ttgpuir-to-llvmir": add_pass}
    for point, callback in points.items():
        _instrumentation.register_instrumentation(point=point, backend="cuda", callback=callback)
    try:
        assert compile_always().asm["cubin"]
    finally:
        for point in points:
            _instrumentation.unregister_instrumentation(point=point, backend="cuda")
    assert calls == ["dialects", "dialects", "pass"]  # the context of the compile, and that of the module
    assert compile_always().asm["cubin"] and len(calls) == 3


def test_architecture_of_ir_and_of_code(compile_always):
    older = compile_always(arch="sm80")
    assert "cuda:80" in older.asm["ttgir"] and ".target sm_90a" in older.asm["ptx"]
    newer = compile_always(GPUTarget("cuda", 80, 32), arch="sm90")
    assert "cuda:90" in newer.asm["ttgir"] and re.search(r"\.target sm_80\b", newer.asm["ptx"])


def test_what_is_no_architecture(compile_always, fresh_knobs):
    for options in ({"arch": "smx"}, {"target": GPUTarget("cuda", "x", 32)}):
        with pytest.raises(
            ValueError, match="^the architecture of a CUDA target must have the form sm<digits>, got 'smx'"
        ):
            compile_always(**options)
    fresh_knobs.runtime.override_arch = "smx"
    with pytest.raises(ValueError, match="^TRITON_OVERRIDE_ARCH must have the form sm<digits>, got 'smx'"):
        compile_always()


@pytest.fixture
def ptxas_log(tmp_path, fresh_knobs):
    """The arguments of every call of ptxas."""
    real, log = fresh_knobs.nvidia.ptxas.path, tmp_path / "log"
    script = tmp_path / "ptxas"
    script.write_text(f'#!/bin/sh\n[ "$1" = --version ] || echo "$@" >> {log}\nexec {real} "$@"\n')
    script.chmod(0o755)
    fresh_knobs.nvidia.ptxas = str(script)

    def last():
        words = log.read_text().splitlines()[-1].split()
        assert words[-4].startswith("--gpu-name=sm_90a") and words[-3].endswith(".ptx") and words[-2] == "-o"
        return words[:-4]

    return last


@pytest.mark.assembles
def test_what_ptxas_is_told(compile_always, ptxas_log, fresh_knobs):
    compile_always()
    assert ptxas_log() == ["-lineinfo", "-v"]
    compile_always(enable_fp_fusion=False, ptx_options="--warn-on-spills")
    assert ptxas_log() == ["-lineinfo", "--fmad=false", "-v", "--warn-on-spills"]
    fresh_knobs.compilation.disable_line_info = True
    compile_always()
    assert ptxas_log() == ["-lineinfo", "-suppress-debug-info", "-v"]
    fresh_knobs.compilation.disable_line_info = False
    fresh_knobs.nvidia.disable_ptxas_opt = True
    compile_always()
    assert ptxas_log() == ["-g", "-v", "--opt-level", "0"]


def fake_ptxas(folder, real, body):
    """A script in ptxas's place that is asked for versions, and does something of its own when it is to assemble."""
    script = folder / "ptxas"
    script.write_text(f'#!/bin/sh\n[ "$1" = --version ] && exec {real} --version\n{body}\n')
    script.chmod(0o755)
    return str(script)


@pytest.mark.assembles
@pytest.mark.parametrize(
    "body, words",
    [
        ("exit 3", "`ptxas` failed with error code 3"),
        ("exit 255", "Internal Triton PTX codegen error"),
        ("kill -SEGV $$", "`ptxas` raised SIGSEGV"),
        ("kill -KILL $$", "`ptxas` failed: ended by: Killed"),
        ("exec sleep 600", "`ptxas` ran longer than TRITON_PTXAS_TIMEOUT allows, 1 s, and was ended"),
    ],
)
def test_ways_ptxas_ends(compile_always, fresh_knobs, tmp_path, body, words):
    fresh_knobs.nvidia.ptxas = fake_ptxas(tmp_path, fresh_knobs.nvidia.ptxas.path, f"echo 'it says this' >&2\n{body}")
    fresh_knobs.nvidia.ptxas_timeout = 1
    with pytest.raises(PTXASError) as caught:
        compile_always()
    text = str(caught.value)
    assert text.startswith(f"PTXAS error: {words}\n`ptxas` stderr:\nit says this\n")
    os.remove(re.search(r"Repro command: \S+ .* (\S+\.ptx) -o", text)[1])


@pytest.mark.assembles
def test_alarms_are_the_programs_own(compile_always, fresh_knobs, tmp_path):
    """Waiting for ptxas, with a limit, takes no timer and no handler away from the program."""
    rung = []
    fresh_knobs.nvidia.ptxas = fake_ptxas(tmp_path, fresh_knobs.nvidia.ptxas.path, "exec sleep 600")
    fresh_knobs.nvidia.ptxas_timeout = 2
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(time.monotonic()))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(PTXASError, match="TRITON_PTXAS_TIMEOUT") as caught:
            compile_always()
        assert len(rung) == 1 and signal.getsignal(signal.SIGALRM) is not before
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    os.remove(re.search(r"Repro command: \S+ .* (\S+\.ptx) -o", str(caught.value))[1])


@pytest.mark.assembles
def test_rejected_ptx(compile_always, tmp_path, capsys):
    path = tmp_path / "wrong.ptx"
    path.write_text(compile_always().asm["ptx"].replace("add.f32", "plus.f32"))
    with pytest.raises(PTXASError) as caught:
        compile_always(ir_override=str(path))
    text = str(caught.value)
    assert text.startswith("PTXAS error: Internal Triton PTX codegen error\n`ptxas` stderr:\n") and "plus" in text
    line = next(
        number for number, line in enumerate(open(__file__), 1) if "tl.store(out_ptr + offsets, tl.load" in line
    )
    assert re.search(rf"{re.escape(__file__)}:{line}:\d+:\n +{line} \|     tl.store\(.*\n +\| +\^", text), (
        "the line of the kernel"
    )
    kept = re.search(r"Repro command: \S+ .* (\S+\.ptx) -o \S+\.cubin", text)[1]
    assert "plus.f32" in open(kept).read() and "plus.f32" in capsys.readouterr().out
    os.remove(kept)
    path.write_text("// nothing\n")
    with pytest.raises(RuntimeError, match="exactly one `.visible .entry`"):
        compile_always(ir_override=str(path))


def find_nvjitlink():
    folders = ("nvidia/cu13/lib", "nvidia/nvjitlink/lib", "nvidia/cu12/lib")
    found = (glob.glob(f"{root}/{folder}/libnvJitLink.so.*") for root in sys.path for folder in folders)
    return next((paths[0] for paths in found if paths), os.environ.get("TRITON_NVJITLINK_PATH"))


@pytest.mark.assembles
@pytest.mark.skipif(bool(libtriton.find_tool("ptxas", [])), reason="there is a toolkit, which is preferred")
@pytest.mark.skipif(not find_nvjitlink(), reason="needs the package nvidia-nvjitlink")
def test_nvjitlink_assembles_without_ptxas(compile_always, monkeypatch, tmp_path):
    def missing(arch=80):
        raise RuntimeError("Cannot find ptxas")

    monkeypatch.setattr(nvidia, "get_ptxas", missing)
    monkeypatch.setenv("TRITON_NVJITLINK_PATH", find_nvjitlink())
    monkeypatch.setattr(nvidia, "toolkit_folders", lambda: [])
    kernel = compile_always(enable_fp_fusion=False)
    assert kernel.asm["cubin"][:4] == b"\x7fELF" and "nvJitLink" in make_backend(HOPPER).hash()
    path = tmp_path / "wrong.ptx"
    path.write_text(re.sub(r"add(.rn)?.f32", "plus.f32", kernel.asm["ptx"]))
    with pytest.raises(PTXASError, match="plus"):
        compile_always(ir_override=str(path))


def test_llvm_step_by_step(compile_always):
    kernel = compile_always()
    llvm.init_targets()
    context = ir.context()
    module = llvm.to_module(ir.parse_mlir_text(kernel.asm["ttgir"]), llvm.context())
    assert "shift" in [function.name for function in module.get_functions() if not function.is_declaration()]
    llvm.attach_datalayout(module, "nvptx64-nvidia-cuda", "sm_90a", "+ptx86")
    llvm.link_extern_libs(module, [path for _, path in make_backend(HOPPER).parse_options({}).extern_libs])
    llvm.optimize_module(module, llvm.OPTIMIZE_O3, "sm_90a", "+ptx86")
    text = llvm.translate_to_asm(str(module), "nvptx64-nvidia-cuda", "sm_90a", "+ptx86", [], True, False)
    assert ".version 8.6" in text and ".visible .entry shift" in text
    with pytest.raises(RuntimeError, match="sm_1"):
        llvm.translate_to_asm(str(module), "nvptx64-nvidia-cuda", "sm_1", "", [], True, False)
    with pytest.raises(RuntimeError):
        llvm.translate_to_asm("nonsense", "nvptx64-nvidia-cuda", "sm_90a", "", [], True, False)
    assert context is not None


@triton.jit
def wait_for_flag(flag_ptr, out_ptr):
    while tl.atomic_add(flag_ptr, 0) == 0:
        pass
    tl.store(out_ptr, 1)


@pytest.mark.parametrize("kernel, waits", [(wait_for_flag, True), (shift, False)])
@pytest.mark.parametrize("way", ["whole", "by stages", "from llir"])
def test_kernels_whose_programs_wait_say_so(kernel, waits, way, fresh_knobs, fresh_triton_cache, tmp_path):
    """A field of the metadata, whichever way the code was made."""
    host = triton.runtime.driver.active.get_current_target()
    if host.backend != "cpu":
        pytest.skip("programs of a GPU wait by themselves")
    src = source() if kernel is shift else ASTSource(kernel, {"flag_ptr": "*i32", "out_ptr": "*i32"}, {})
    if way == "by stages":
        fresh_knobs.runtime.add_stages_inspection_hook = lambda *args: None
    compiled = triton.compile(src, target=host)
    if way == "from llir":
        path = tmp_path / "kernel.llir"
        path.write_text(compiled.asm["llir"])
        compiled = triton.compile(str(path), target=host)
    assert (compiled.metadata.waits_for_programs, compiled.metadata.polls) == (waits, waits)
    assert b".waits" not in compiled.asm["obj"] and b".polls" not in compiled.asm["obj"]
