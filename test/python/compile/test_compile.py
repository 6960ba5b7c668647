"""Compiled kernels: their stages and metadata, the disk cache, hooks, and compiling without launching."""

import json
import os
import pathlib
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, CompiledKernel
from triton.runtime.cache import _base32


@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) * 2, mask=mask)


def test_stages_and_metadata(stages):
    x = np.zeros(16, np.float32)
    compiled = kernel.warmup(x, x, 16, BLOCK=16, grid=(1,))
    assert isinstance(compiled, CompiledKernel)
    assert "tt.func public @kernel(" in compiled.asm["ttir"] and "tt.load" in compiled.asm["ttir"]
    assert "define" in compiled.asm["llir"]
    code = compiled.asm[stages[-1]]
    assert code == compiled.asm["ptx"].encode() if triton.knobs.runtime.simulate else code[:4] == b"\x7fELF"
    target = triton.runtime.driver.active.get_current_target()
    assert list(compiled.asm) == ["source", *stages]
    assert "kernel" in compiled.asm["asm" if target.backend == "cpu" else "ptx"]
    with pytest.raises(KeyError, match="Unknown key"):
        compiled.asm["nonsense"]
    assert compiled.metadata.num_warps == 4 and compiled.metadata.target == target
    assert compiled.name == compiled.metadata.name == "kernel" and len(compiled.hash) == 64
    assert compiled.metadata._fields == tuple(sorted(compiled.metadata._fields))


def test_compile_ast_source():
    signature = {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "BLOCK": "constexpr"}
    source = ASTSource(kernel, signature, {"BLOCK": 32}, {(0,): [["tt.divisibility", 16]]})
    assert source.constants == {(3,): 32}
    compiled = triton.compile(source, target=triton.runtime.driver.active.get_current_target())
    x, out = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    compiled[(1, 1, 1)](x, out, 32, 32)
    np.testing.assert_array_equal(out, 2 * x)
    compiled.run(1, 1, 1, 0, compiled.function, compiled.packed_metadata, None, None, None, x, x, 32, 32)
    np.testing.assert_array_equal(x, 2 * np.arange(32))
    with pytest.raises(TypeError, match="Signature keys must be string"):
        ASTSource(kernel, {0: "*fp32"})
    with pytest.raises(
        TypeError, match=r"a type in a signature is a text such as '\*fp32', or a tuple of types, got \['i32'\]"
    ):
        triton.compile(
            ASTSource(kernel, {name: ["i32"] for name in kernel.arg_names}), target=GPUTarget("cuda", 90, 32)
        )
    with pytest.raises(AssertionError):
        triton.compile(source, target="cpu")
    with pytest.raises(RuntimeError, match="compatible backends for target .* The backends are .*cpu"):
        triton.compile(source, target=GPUTarget("abacus", 1, 1))
    with pytest.raises(ValueError, match="the architecture of a CUDA target must have the form sm<digits>"):
        triton.compile(source, target=GPUTarget("cuda", "sm_90", 32))


def test_compile_ir_file(tmp_path):
    x = np.arange(16, dtype=np.float32)
    text = kernel.warmup(x, x, 16, BLOCK=16, grid=(1,)).asm["ttir"]
    path = tmp_path / "kernel.ttir"
    path.write_text(text)
    compiled = triton.compile(str(path))
    assert compiled.src.signature == {0: "*f32", 1: "*f32", 2: "i32"} and compiled.src.name == "@kernel"


def test_symbol_from_repr():
    @triton.jit(repr=lambda spec: f"named_{spec.constants['N']}_{spec.signature['out_ptr'][1:]}")
    def anonymous(out_ptr, N: tl.constexpr):
        tl.store(out_ptr, N)

    compiled = anonymous.warmup(np.zeros(1, np.int32), 3, grid=(1,))
    assert compiled.name == "named_3_i32" and "@named_3_i32" in compiled.asm["ttir"]


def test_debug_is_another_kernel():
    x = np.zeros(16, np.float32)
    plain, debug = (kernel.warmup(x, x, 16, BLOCK=16, grid=(1,), debug=debug) for debug in (False, True))
    assert plain is not debug and plain.hash != debug.hash


def test_disk_cache(fresh_triton_cache, stages):
    @triton.jit
    def cached(out_ptr, N: tl.constexpr):
        tl.static_print("compiling", N)
        tl.store(out_ptr, N)

    out = np.zeros(1, np.int32)
    first = cached[(1,)](out, 3)
    folder = os.path.join(fresh_triton_cache, _base32(first.hash))
    files = {f"cached.{stage}" for stage in stages} | {"cached.json", "__grp__cached.json"}
    assert files <= set(os.listdir(folder))
    assert all(os.path.isfile(os.path.join(folder, name)) for name in os.listdir(folder))
    cached.device_caches.clear()
    out[0] = 0
    second = cached[(1,)](out, 3)
    assert out[0] == 3 and second.hash == first.hash and second is not first
    assert second.metadata == first.metadata
    for name in ("cached.json", f"cached.{stages[-1]}"):  # a damaged entry is compiled again
        cached.device_caches.clear()
        os.truncate(os.path.join(folder, name), 0)
        out[0] = 0
        cached[(1,)](out, 3)
        assert out[0] == 3


def test_static_print_only_when_compiling(fresh_triton_cache, capfd):
    @triton.jit
    def printing(out_ptr, N: tl.constexpr):
        tl.static_print("N is", N)
        tl.store(out_ptr, N)

    out = np.zeros(1, np.int32)
    for _ in range(2):
        printing[(1,)](out, 3)
        printing.device_caches.clear()
    assert capfd.readouterr().out.count("N is 3") == 1


def test_static_print_as_python_prints(fresh_triton_cache, capfd):
    @triton.jit
    def printing(out_ptr, N: tl.constexpr):
        tl.static_print("", N)
        tl.static_print("", "", N, sep="-")
        tl.store(out_ptr, N)

    printing[(1,)](np.zeros(1, np.int32), 3)
    assert capfd.readouterr().out == " 3\n--3\n"


def test_hooks(fresh_knobs):
    seen = []

    def note(**kwargs):
        seen.append(kwargs)
        return False

    fresh_knobs.runtime.jit_cache_hook = fresh_knobs.runtime.jit_post_compile_hook = note

    @triton.jit
    def hooked(out_ptr, N: tl.constexpr):
        tl.store(out_ptr, N)

    out = np.zeros(1, np.int32)
    for _ in range(2):
        hooked[(1,)](out, 3)
    assert len(seen) == 2
    info = seen[0]
    assert info["fn"].jit_function is hooked and info["repr"].endswith("(out_ptr: *i32, N: constexpr)")
    data = json.loads(info["compile"]["specialization_data"])
    assert data["signature"] == {"out_ptr": "*i32", "N": "constexpr"} and data["constant_vals"] == [3]
    fresh_knobs.runtime.jit_cache_hook = lambda **kwargs: True
    assert hooked[(1,)](out, 4) is None and out[0] == 3


def test_preload(fresh_knobs):
    data = []
    fresh_knobs.runtime.jit_cache_hook = lambda **kwargs: data.append(kwargs["compile"]["specialization_data"])

    @triton.jit
    def preloaded(out_ptr, N: tl.constexpr, D: tl.constexpr):
        tl.store(out_ptr, N + tl.full([], 1, D))

    out = np.zeros(1, np.int32)
    hash = preloaded[(1,)](out, 3, tl.int32).hash
    fresh_knobs.runtime.jit_cache_hook = None
    preloaded.device_caches.clear()
    assert preloaded.preload(data[0]).hash == hash
    preloaded[(1,)](out, 3, tl.int32)
    assert len(preloaded.device_caches[0][0]) == 1
    with pytest.raises(RuntimeError, match="Specialization data is for"):
        kernel.preload(data[0])
    other = json.loads(data[0])
    assert other["target"]["backend"] == triton.runtime.driver.active.get_current_target().backend
    other["target"]["arch"] = "another"
    with pytest.raises(RuntimeError, match="Specialization data is for .*another.* but trying to preload for"):
        preloaded.preload(json.dumps(other))


@triton.jit
def twice(x):
    return x + x


def test_preload_with_functions(fresh_knobs):
    data = []
    fresh_knobs.runtime.jit_cache_hook = lambda **kwargs: data.append(kwargs["compile"]["specialization_data"])

    @triton.jit
    def applies(out_ptr, fn: tl.constexpr, sizes: tl.constexpr):
        tl.store(out_ptr, fn(sizes[0]))

    out = np.zeros(1, np.int32)
    hash = applies[(1,)](out, twice, (3, 4)).hash
    stored = json.loads(data[0])["constant_vals"]
    assert {"jit_function": f"{twice.__module__}:twice"} in stored and out[0] == 6
    applies.device_caches.clear()
    assert applies.preload(data[0]).hash == hash
    with pytest.raises(RuntimeError, match="Unable to resolve the jitted function nowhere:nothing"):
        applies.preload(data[0].replace(f"{twice.__module__}:twice", "nowhere:nothing"))


def test_launch_hooks(fresh_knobs):
    seen = []
    fresh_knobs.runtime.launch_enter_hook.add(lambda metadata: seen.append(("enter", metadata.get())))
    fresh_knobs.runtime.launch_exit_hook.add(lambda metadata: seen.append(("exit", metadata.get())))

    def launch_metadata(grid, metadata, args):
        return {"grid": grid, "n": args["n"]}

    @triton.jit(launch_metadata=launch_metadata)
    def hooked(out_ptr, n):
        tl.store(out_ptr, n)

    for _ in range(2):
        hooked[(1, 3, 2)](np.zeros(1, np.int32), 5)
    assert [kind for kind, _ in seen] == ["enter", "exit"] * 2
    assert seen[0][1]["name"] == "hooked" and seen[0][1]["grid"] == (1, 3, 2) and seen[0][1]["n"] == 5


def test_pre_run_hook():
    calls = []

    @triton.jit
    def hooked(out_ptr, n):
        tl.store(out_ptr, n)

    out = np.zeros(1, np.int32)
    hooked[(1,)](out, 5)
    hooked.add_pre_run_hook(lambda *args, **kwargs: calls.append((args, kwargs)))
    hooked[(1,)](out, 5)
    assert len(calls) == 1 and calls[0][0][1] == 5 and "debug" in calls[0][1]


def test_listener(fresh_knobs, fresh_triton_cache):
    seen = []
    fresh_knobs.compilation.listener = lambda **kwargs: seen.append(kwargs)

    @triton.jit
    def listened(out_ptr):
        tl.store(out_ptr, 1)

    for _ in range(2):
        listened.warmup(np.zeros(1, np.int32), grid=(1,))
        listened.device_caches.clear()
    assert [event["cache_hit"] for event in seen] == [False, True]
    assert seen[0]["times"].total_lowering > 0 and [name for name, _ in seen[0]["times"].lowering_stages][0] == "ttir"


def test_pickle():
    config = pickle.loads(pickle.dumps(triton.Config({"BLOCK": 4}, num_warps=2)))
    assert config == triton.Config({"BLOCK": 4}, num_warps=2)
    from triton.runtime.jit import JITFunction

    class Copy(dict):
        pass

    state = kernel.__getstate__()
    restored = JITFunction.__new__(JITFunction)
    restored.__setstate__({**state, "fn": None, "__globals__": None, "used_global_vals": None, "_hash_lock": None})
    clone = pickle.loads(pickle.dumps(restored))
    assert clone.src == kernel.src and clone.arg_names == kernel.arg_names and clone.params[3].is_constexpr


def test_import_is_light():
    code = "import sys, triton; print(sorted({'torch', 'numpy'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_launching_in_a_forked_child(device):
    """A GPU's context is not the child's: there launching is an error, and no more than that."""
    x = np.arange(16, dtype=np.float32)
    kernel[(1,)](x, x, 16, BLOCK=16)
    child = os.fork()
    if child == 0:
        try:
            out = np.zeros(32, np.float32)
            kernel[(1,)](np.ones(32, np.float32), out, 32, BLOCK=32)
            os._exit(0 if (out == 2).all() else 1)
        except RuntimeError:
            os._exit(3)
        except BaseException:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == (3 if device == "cuda" else 0)


def test_build_helper(fresh_triton_cache, fresh_knobs, tmp_path):
    from triton.runtime.build import compile_module_from_src

    fresh_knobs.cache.dir = fresh_triton_cache

    source = """#include <Python.h>
static PyObject *answer(PyObject *self, PyObject *args) { return PyLong_FromLong(42); }
static PyMethodDef methods[] = {{"answer", answer, METH_NOARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "answers", 0, -1, methods};
PyMODINIT_FUNC PyInit_answers(void) { return PyModule_Create(&module); }
"""
    modules = [compile_module_from_src(source, "answers") for _ in range(2)]
    assert [module.answer() for module in modules] == [42, 42]
    (path,) = pathlib.Path(fresh_triton_cache).glob("*/answers*.so")
    assert [module.__file__ for module in modules] == [str(path)] * 2  # not where the copy was that it was loaded from
    original = path.read_bytes()
    for damage in ("bytes", "pipe", "stranger"):
        path.unlink()
        if damage == "pipe":
            os.mkfifo(path)
        else:
            path.write_bytes(original if damage == "stranger" else original[:1000])
        if damage == "stranger":
            (tmp_path / "secret").write_text("ours")
            (tmp_path / "secret").chmod(0o600)
            fresh_knobs.cache.secret_file = str(tmp_path / "secret")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert compile_module_from_src(source, "answers").answer() == 42
        assert [str(warning.message)[:21] for warning in caught] == ["Failed to load cached"] * (damage != "pipe")
        assert path.is_file() and path.read_bytes()[:4] == b"\x7fELF"


@triton.jit
def add_one(x_ptr, out_ptr, n, value, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + value + tl.sum(tl.full([BLOCK], 0.0, tl.float32), 0), mask=mask)  # fmt: skip


def compile_add_one(target):
    signature = {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "value": "fp32", "BLOCK": "constexpr"}
    return triton.compile(triton.compiler.ASTSource(add_one, signature, {"BLOCK": 64}), target=target)


@pytest.mark.parametrize("stage", ["source", "ttir", "ttgir", "llir", "ptx"])
def test_a_stage_as_a_file(stage, tmp_path, fresh_triton_cache, stages):
    if stage not in ("source", *stages):
        pytest.skip("the target has no such stage")
    original = compile_add_one(triton.runtime.driver.active.get_current_target())
    path = tmp_path / f"again.{'ttir' if stage == 'source' else stage}"
    path.write_text(original.asm[stage])
    kernel = triton.compile(str(path))
    assert kernel.name == "add_one" and kernel.src.ext == path.suffix[1:]
    assert len(kernel.src.signature) == 4 and kernel.src.signature[2] == "i32"
    assert list(kernel.asm)[0] == path.suffix[1:]
    x, out = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    kernel[(1, 1, 1)](x, out, 64, 1.5)
    np.testing.assert_array_equal(out, x + 1.5)


@pytest.mark.parametrize("stage", ["source", "ttir", "ttgir", "llir", "ptx"])
def test_a_stage_as_a_file_for_a_gpu(stage, tmp_path, fresh_triton_cache):
    target = triton.backends.compiler.GPUTarget("cuda", 90, 32)
    original = compile_add_one(target)
    path = tmp_path / f"again.{'ttir' if stage == 'source' else stage}"
    path.write_text(original.asm[stage])
    listened = []
    with triton.knobs.compilation.scope():
        triton.knobs.compilation.listener = lambda **facts: listened.append(facts)
        kernel = triton.compile(str(path), target=target)
    stages = ["ttir", "ttgir", "llir", "ptx", "cubin"]
    later = stages[stages.index(path.suffix[1:]) + 1 :]
    assert list(kernel.asm) == [path.suffix[1:], *later]
    assert [name for name, _ in listened[0]["times"].lowering_stages] == later
    assert kernel.name == "add_one" and len(kernel.src.signature) == 4
    for field in ("shared", "num_warps", "argument_bytes"):
        assert getattr(kernel.metadata, field) == getattr(original.metadata, field), field


def test_ir_source(tmp_path):
    from triton._C.libtriton import ir

    target = triton.backends.compiler.GPUTarget("cuda", 90, 32)
    path = tmp_path / "kernel.ttgir"
    path.write_text(compile_add_one(target).asm["ttgir"])
    context = ir.context()
    ir.load_dialects(context)
    backend = triton.compiler.make_backend(target)
    source = triton.compiler.IRSource(str(path), context, backend)
    assert source.name == "@add_one" and source.signature == {0: "*f32", 1: "*f32", 2: "i32", 3: "f32"}
    assert source.module.get_entry_func_name() == "add_one"
    assert source.parse_options() == {"num_warps": 4, "num_ctas": 1}
    path.write_text(path.read_text().replace('"ttg.num-warps" = 4 : i32, ', ""))
    with pytest.raises(AssertionError):
        triton.compiler.IRSource(str(path), context, backend).parse_options()
    (tmp_path / "kernel.cubin").write_text("")
    with pytest.raises(ValueError, match="cannot begin with a .cubin file"):
        triton.compile(str(tmp_path / "kernel.cubin"), target=target)


def test_replaced_launcher_is_used():
    x, out = np.ones(64, np.float32), np.zeros(64, np.float32)
    kernel = add_one[(1,)](x, out, 64, 1.5, BLOCK=64)
    add_one[(1,)](x, out, 64, 1.5, BLOCK=64)
    launches, launcher = [], kernel._run
    kernel._run = lambda *arguments: launches.append(arguments)
    add_one[(1,)](x, out, 64, 1.5, BLOCK=64)
    (arguments,) = launches
    assert arguments[:3] == (1, 1, 1) and arguments[4] == kernel.function and arguments[5] == kernel.packed_metadata
    assert arguments[9] is x and arguments[11:] == (64, 1.5, 64)
    kernel._run = launcher
    add_one[(1,)](x, out, 64, 2.5, BLOCK=64)
    assert out[0] == 3.5 and len(launches) == 1


@pytest.mark.cpu_only
def test_unknown_architecture():
    with pytest.raises(ValueError, match="unknown processor 'sm90'"):
        add_one[(1,)](np.ones(64, np.float32), np.zeros(64, np.float32), 64, 1.5, BLOCK=64, arch="sm90")


def test_helpers_in_c_and_cpp(fresh_triton_cache, tmp_path):
    import ctypes

    from triton.runtime.build import compile_module_from_file, compile_so_from_file, compile_so_from_src

    source = 'extern "C" int answer() { auto twice = [](auto x) { return 2 * x; }; return twice(BASE); }'
    first = compile_so_from_src(source, "answers", ccflags=["-DBASE=21"], language="c++")
    assert ctypes.CDLL(first).answer() == 42
    assert compile_so_from_src(source, "answers", ccflags=["-DBASE=21"], language="c++") == first
    assert ctypes.CDLL(compile_so_from_src(source, "answers", ccflags=["-DBASE=1"], language="c++")).answer() == 2
    with pytest.raises(ValueError, match="helpers are built from c and c\\+\\+, not 'fortran'"):
        compile_so_from_src(source, "answers", language="fortran")
    for ending in ("cc", "cpp", "cxx"):
        (tmp_path / f"answers.{ending}").write_text(source)
        path = compile_so_from_file(str(tmp_path / f"answers.{ending}"), "answers", ccflags=["-DBASE=21"])
        assert ctypes.CDLL(path).answer() == 42
    (tmp_path / "answers.rs").write_text("")
    with pytest.raises(ValueError, match="neither C nor C"):
        compile_module_from_file(str(tmp_path / "answers.rs"), "answers")
