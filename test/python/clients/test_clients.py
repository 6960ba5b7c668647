"""What PyTorch Inductor and other clients reach for inside the package, each as they use it."""

import copy
import importlib
import inspect
import os
import pickle
import shutil
import subprocess
import threading

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton._C import libtriton
from triton.backends.compiler import BaseBackend, GPUTarget
from triton.compiler import ASTSource, CompiledKernel, make_backend
from triton.runtime.autotuner import Autotuner, Heuristics
from triton.runtime.jit import JITFunction, KernelInterface


@triton.jit
def scaled(x_ptr, out_ptr, n, scale, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) * scale, mask=mask)


SIGNATURE = {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "scale": "fp32", "BLOCK": "constexpr"}
ATTRS = {(0,): [["tt.divisibility", 16]], (1,): [["tt.divisibility", 16]]}


def compile_as_inductor_does():
    source = ASTSource(scaled, SIGNATURE, {"BLOCK": 64}, ATTRS)
    target = triton.runtime.driver.active.get_current_target()
    options = {"num_warps": 4, "num_stages": 3, "debug": True, "sanitize_overflow": False}
    return triton.compile(source, target=target, options=options)


NAMES = """
triton.compiler.compiler.make_backend triton.compiler.compiler.max_shared_mem triton.compiler.compiler.parse triton.compiler.compiler.filter_traceback
triton.compiler.compiler.convert_type_repr triton.compiler.compiler.AsmDict triton.compiler.compiler.LazyDict triton.compiler.compiler.CompileTimer
triton.compiler.compiler.get_cache_key triton.compiler.compiler.triton_key triton.compiler.code_generator.ast_to_ttir
triton.runtime.cache.triton_key triton.runtime.cache._base32 triton.runtime.autotuner.OutOfResources triton.runtime.autotuner.PTXASError
triton.runtime.jit.KernelInterface triton.runtime.jit.mangle_type triton.runtime.jit.native_specialize_impl triton.runtime.jit.ConstexprFunction
triton.runtime.jit.create_function_from_signature triton.runtime._allocation._allocator triton.runtime._allocation.NullAllocator
triton.runtime._allocation.set_profile_allocator triton.runtime.interpreter.InterpretedFunction triton.knobs.HookChain triton.knobs.nvidia
triton.testing.do_bench triton.testing._summarize_statistics triton.testing._quantile triton.tools.tensor_descriptor.TensorDescriptor
triton.language.make_tensor_descriptor triton.language.extra.libdevice triton.language.math triton.language.standard._log2
triton._utils.find_paths_if triton._utils.get_iterable_path triton.set_allocator triton.constexpr_function triton._C.libtriton.getenv
triton._C.libtriton.getenv_bool triton._C.libtriton.get_cache_invalidating_env_vars triton._C.libtriton.ir.context triton._C.libtriton.ir.load_dialects
triton._C.libtriton.ir.parse_mlir_module triton._C.libtriton.linear_layout triton.tools.LinearLayout triton.tools.compile triton.tools.link triton.tools.disasm triton._C.libtriton.ir.pass_manager triton._C.libtriton.passes.common.add_cse triton._C.libtriton.ir.builder
triton._C.libtriton.llvm.link_extern_libs triton._C.libtriton.nvidia.load_dialects triton._C.libtriton.nvidia.cublas.CublasLt
triton.language.extra.cuda.gdc.gdc_wait triton.language.extra.cuda.gdc.gdc_launch_dependents triton.language.extra.cuda.utils.globaltimer
triton.language.extra.cuda.utils.num_warps triton.compiler.compiler.OutOfResources triton.compiler.compiler.driver
triton.compiler.compiler.get_dump_manager triton.compiler.compiler.get_override_manager triton.compiler.compiler.BaseBackend
triton.backends.nvidia.compiler.BaseBackend triton.backends.nvidia.compiler.PTXASError triton.runtime.jit.driver triton.runtime.jit.get_cache_key
triton.runtime.autotuner.driver triton.runtime.autotuner.get_cache_manager triton.runtime.build._build triton.profiler.start triton.profiler.finalize triton.profiler.scope triton.profiler.viewer.print_tree
triton.runtime.cache._base64 triton.compiler.CompiledKernel.close triton.compiler.max_shared_mem triton.runtime.jit.compute_cache_key triton.runtime.jit._replace_jit_callables
triton.backends.nvidia.compiler.min_dot_size triton.backends.nvidia.driver.make_tensordesc_arg triton.backends.nvidia.driver.annotate_arguments triton.backends.driver.expand_signature
triton.backends.driver.decompose_descriptor triton.backends.driver.wrap_handle_tensordesc_impl triton.knobs.runtime.kernel_unload_hook triton._instrumentation.instrument
triton.runtime.build.compile_so_from_src triton.runtime.build.compile_module_from_file triton._utils.warn_once triton._C.libtriton.passes.plugin triton.testing.cuda_graph_without_gc
""".split()


@pytest.mark.parametrize("path", NAMES)
def test_names(path):
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
            break
        except ImportError:
            continue
    for part in parts[length:]:
        found = getattr(found, part)


def test_version_probes():
    import triton.backends.compiler
    import triton.compiler.compiler

    assert [int(part) for part in triton.__version__.split(".")[:2]] in ([3, 6], [3, 7], [3, 8], [3, 9])
    assert not hasattr(triton.backends.compiler, "AttrsDescriptor")
    assert not hasattr(triton.compiler.compiler, "AttrsDescriptor")
    assert "_semantic" in inspect.signature(tl.core.view).parameters
    with pytest.raises(ImportError):
        importlib.import_module("triton.tools.experimental_descriptor")
    assert triton.runtime.cache.triton_key() == triton.compiler.compiler.triton_key()


def test_config():
    class Extended(triton.Config):
        def __init__(self, *args, dynamic_scale_rblock=True, **kwargs):
            super().__init__(*args, **kwargs)
            self.dynamic_scale_rblock = dynamic_scale_rblock

    config = triton.Config({"BLOCK": 64}, num_warps=8)
    config.found_by_coordesc = True
    assert copy.deepcopy(config).found_by_coordesc and pickle.loads(pickle.dumps(config)).found_by_coordesc
    assert Extended({"BLOCK": 1}, num_stages=2).dynamic_scale_rblock
    assert {"kwargs", "num_warps", "num_stages", "num_ctas", "maxnreg", "pre_hook", "ir_override"} <= set(
        inspect.signature(triton.Config.__init__).parameters
    )
    config.__dict__["num_warps"] = 2
    assert config.all_kwargs()["num_warps"] == 2 and config.pre_hook is None


def test_subclass_of_kernel_interface():
    class Own(KernelInterface):
        def __init__(self):
            super().__init__()

        def run(self, *args, grid, warmup, **kwargs):
            return args, grid, warmup

    assert Own()[(3,)](1, 2) == ((1, 2), (3,), False)
    assert KernelInterface[int] and JITFunction[int]


def test_metadata_is_a_named_tuple():
    metadata = compile_as_inductor_does().metadata
    assert isinstance(metadata, tuple) and metadata._fields == tuple(metadata._asdict())
    assert metadata[metadata._fields.index("num_warps")] == metadata.num_warps
    for same in (pickle.loads(pickle.dumps(metadata)), copy.deepcopy(metadata), metadata._replace(), metadata._make(metadata)):  # fmt: skip
        assert same == metadata and type(same) is type(metadata)
    assert metadata._replace(num_warps=16).num_warps == 16 and repr(metadata).startswith("KernelMetadata(")
    with pytest.raises(ValueError, match="unexpected field names: \\['warps'\\]"):
        metadata._replace(warps=1)
    with pytest.raises(AttributeError):
        metadata.num_warps = 1
    with pytest.raises(AttributeError, match="'KernelMetadata' object has no attribute 'warps'"):
        metadata.warps


def test_compiled_kernel():
    kernel = compile_as_inductor_does()
    for name in ("num_warps", "num_ctas", "shared", "cluster_dims"):
        assert not hasattr(kernel, name), "clients prefer these to metadata's if they are there"
    metadata = kernel.metadata
    assert metadata._asdict()["name"] == metadata.name == kernel.name == "scaled"
    for name in ("num_warps", "num_ctas", "shared", "launch_pdl", "launch_cooperative_grid", "global_scratch_size", "global_scratch_align", "profile_scratch_size", "tensordesc_meta", "cluster_dims"):  # fmt: skip
        assert hasattr(metadata, name), name
    assert kernel.src.fn is scaled and kernel.src.signature == SIGNATURE and kernel.src.constants == {(4,): 64}
    assert (kernel.asm.get("ptx") is None) == (metadata.target.backend == "cpu") and len(kernel.hash) == 64
    kernel._cubin_path = "somewhere"
    kernel._init_handles()
    assert kernel.n_regs >= 0 and kernel.n_spills >= 0 and kernel.function is not None
    assert kernel.packed_metadata == (4, 1, metadata.shared)


def test_launch_by_the_protocol():
    kernel = compile_as_inductor_does()
    x, out = torch.arange(100, dtype=torch.float32), torch.zeros(100)
    hooks = triton.knobs.runtime.launch_enter_hook, triton.knobs.runtime.launch_exit_hook
    launch_metadata = kernel.launch_metadata((2, 1, 1), 0, x, out, 100, 3.0, 64)
    kernel.run(2, 1, 1, 0, kernel.function, kernel.packed_metadata, launch_metadata, *hooks, x, out, 100, 3.0, 64)
    assert torch.equal(out, 3 * x)
    assert not hasattr(kernel, "result")


def test_compiled_kernel_survives_pickling():
    kernel = compile_as_inductor_does()
    kernel._init_handles()
    state = {name: value for name, value in kernel.__getstate__().items() if name != "src"}
    restored = CompiledKernel.__new__(CompiledKernel)
    restored.__dict__.update(pickle.loads(pickle.dumps(state)))
    restored.__dict__.update({"src": kernel.src, "run": None, "module": None, "function": None})
    restored._init_handles()
    x, out = torch.arange(64, dtype=torch.float32), torch.zeros(64)
    restored[(1, 1, 1)](x, out, 64, 2.0, 64)
    assert torch.equal(out, 2 * x)


def test_jit_function_survives_pickling():
    function = copy.copy(scaled)
    assert isinstance(function, JITFunction) and function.cache_key == scaled.cache_key
    saved = function.fn, function.__globals__, function.used_global_vals, function.repr, function._hash_lock
    function.fn = function.__globals__ = function.used_global_vals = function._hash_lock = None
    function.repr = None
    restored = pickle.loads(pickle.dumps(function))
    restored.fn, restored.__globals__, restored.used_global_vals, restored.repr, restored._hash_lock = saved
    assert restored.src == scaled.src and restored.arg_names == scaled.arg_names
    out = torch.zeros(8)
    restored[(1,)](torch.ones(8), out, 8, 5.0, BLOCK=8)
    assert torch.equal(out, torch.full((8,), 5.0))
    restored._hash_lock = threading.RLock()
    assert {restored: 1}[restored] == 1


def test_jit_function_attributes():
    assert scaled.arg_names == ["x_ptr", "out_ptr", "n", "scale", "BLOCK"] and scaled.constexprs == [4]
    assert scaled.src.startswith("def scaled(") and scaled.fn.__code__.co_name == "scaled"
    assert [(p.num, p.name) for p in scaled.params if p.is_constexpr] == [(4, "BLOCK")]
    assert all(hasattr(p, "do_not_specialize") and hasattr(p, "is_const") for p in scaled.params)
    assert isinstance(scaled.__globals__, dict) and type(tl.constexpr(1)).__module__.startswith("triton")
    assert tl.float32.name == "fp32" and tl.constexpr(3).value == 3


def test_cache_directory_can_be_moved(fresh_triton_cache, tmp_path_factory, fresh_knobs):
    """Inductor packs the files of an entry, replaces the directory's name in the JSON files, and writes them elsewhere."""
    fresh_knobs.cache.dir = fresh_triton_cache
    kernel = scaled.warmup(torch.float32, torch.float32, 7, 1.0, BLOCK=32, grid=(1,))
    entry = triton.runtime.cache._base32(kernel.hash)
    old, new = fresh_triton_cache, str(tmp_path_factory.mktemp("elsewhere"))
    os.mkdir(os.path.join(new, entry))
    for name in os.listdir(os.path.join(old, entry)):
        content = open(os.path.join(old, entry, name), "rb").read()
        if name.endswith(".json"):
            content = content.replace(old.encode(), new.encode())
        open(os.path.join(new, entry, name), "wb").write(content)
    os.environ["TRITON_CACHE_DIR"] = new
    del fresh_knobs.cache.dir
    seen = []
    fresh_knobs.compilation.listener = lambda **event: seen.append(event["cache_hit"])
    scaled.device_caches.clear()
    again = scaled.warmup(torch.float32, torch.float32, 7, 1.0, BLOCK=32, grid=(1,))
    assert seen == [True] and all(path.startswith(new) for path in again.metadata_group.values())


def test_backend_objects():
    target = triton.runtime.driver.active.get_current_target()
    backend = make_backend(target)
    assert isinstance(backend.hash(), str) and {"num_warps", "num_stages"} <= set(backend.parse_options({}).__dict__)
    assert len(inspect.signature(backend.get_codegen_implementation).parameters) == 1
    assert len(inspect.signature(ASTSource.make_ir).parameters) == 6  # self, and the five that clients count
    from triton.backends import backends

    for name, entry in backends.items():
        assert isinstance(name, str) and issubclass(entry.compiler, BaseBackend) and entry.driver.is_active in (entry.driver.is_active,)  # fmt: skip
    assert any(isinstance(triton.runtime.driver.active, entry.driver) for entry in backends.values())
    native = libtriton.native_specialize_impl(BaseBackend, torch.zeros(4), False, True, True)
    assert native[0] == "*fp32" and triton.runtime.jit.mangle_type(torch.zeros(4)) == "*fp32"


def test_wrappers_are_taken_apart():
    tuned = triton.autotune([triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 64})], key=["n"])(
        triton.heuristics({"scale": lambda args: 2.0})(scaled)
    )
    assert isinstance(tuned, Autotuner) and isinstance(tuned.fn, Heuristics) and tuned.fn.fn is scaled
    for name in ("configs", "keys", "arg_names", "restore_value", "reset_to_zero", "perf_model", "early_config_prune", "configs_top_k", "user_defined_pre_hook", "user_defined_post_hook", "num_warmups", "num_reps", "use_cuda_graph"):  # fmt: skip
        assert hasattr(tuned, name), name
    parameters = inspect.signature(Autotuner.__init__).parameters
    assert parameters["warmup"].default is None and parameters["prune_configs_by"].default is None
    again = triton.autotune(
        configs=tuned.configs,
        key=[],
        prune_configs_by={"perf_model": None, "configs_top_k": 1.0, "early_config_prune": None},
    )(scaled)
    assert again.perf_model is None and list(tuned.fn.values) == ["scale"]


def test_hook_chains_are_truthy():
    chain = triton.knobs.HookChain()
    assert bool(chain) and chain.calls == [] and not hasattr(chain, "__len__")


def make_module(kernel=scaled, signature=SIGNATURE, constants={"BLOCK": 64}):
    target = triton.runtime.driver.active.get_current_target()
    backend = make_backend(target)
    options = backend.parse_options({})
    context = libtriton.ir.context()
    libtriton.ir.load_dialects(context)
    backend.load_dialects(context)
    source = ASTSource(kernel, signature, constants, {})
    return source.make_ir(
        target, options, backend.get_codegen_implementation(options), backend.get_module_map(), context
    )


def test_walk():
    module = make_module()
    assert module.verify() and "tt.load" in str(module) and "loc(" not in module.str_nodebug()
    assert module.get_entry_func_name() == "scaled" and module.has_function("scaled")
    assert module.get_function_signature(module.get_function("scaled")) == ["!tt.ptr<f32>", "!tt.ptr<f32>", "i32", "f32"]  # fmt: skip
    seen, stores = [], []

    def visit(op):
        name = op.get_name()
        seen.append(name)
        if name == "tt.store":
            stores.append(op.get_operand(0).id())
        if name == "tt.func":
            assert "scaled" in op.get_str_attr("sym_name")
            region = op.get_region(0)
            assert region.size() == 1 and not region.empty()
        if name == "builtin.module":
            assert op.get_block() is None
        else:
            assert op.get_block().get_parent().id() > 0
        if name == "tt.addptr":
            block = op.get_block()
            assert block.get_num_arguments() == 4 and block.get_argument(0).id() != block.get_argument(1).id()

    module.walk(visit)
    assert seen[-2:] == ["tt.func", "builtin.module"], "what is inside comes first"
    results = {}
    module.walk(lambda op: results.update({op.get_result(i).id(): op.get_name() for i in range(op.get_num_results())}))
    assert results[stores[0]] == "tt.addptr"

    def fail(op):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        module.walk(fail)
    with pytest.raises(IndexError):
        module.walk(lambda op: op.get_operand(99))


def test_attributes_of_operations():
    @triton.jit
    def callee(x):
        return x + 1

    @triton.jit(noinline=True)
    def called(x):
        return callee(x) * 2

    @triton.jit
    def caller(out_ptr):
        tl.store(out_ptr, called(tl.load(out_ptr)))

    module = make_module(caller, {"out_ptr": "*i32"}, {})
    callees = []
    module.walk(
        lambda op: callees.append(op.get_flat_symbol_ref_attr("callee")) if op.get_name() == "tt.call" else None
    )
    assert len(callees) >= 1 and all("call" in name for name in callees)
    assert module.get_int_attr("absent") is None
    module.set_attr("ttg.num-warps", 4)
    assert module.get_int_attr("ttg.num-warps") == 4


def test_builder_makes_modules_and_attributes():
    context = libtriton.ir.context()
    builder = libtriton.ir.builder(context)
    module = builder.create_module()
    module.set_attr("ttg.num-warps", builder.get_int32_attr(4))
    module.set_attr("ttg.target", builder.get_string_attr("cuda:90"))
    module.set_attr("on", builder.get_bool_attr(True))
    module.set_attr("far", builder.get_int64_attr(2**40))
    operation = module.get_operation()
    assert module.get_int_attr("ttg.num-warps") == 4 and module.get_int_attr("far") == 2**40
    assert operation.get_str_attr("ttg.target") == "cuda:90" and operation.get_bool_attr("on") is True
    libtriton.nvidia.load_dialects(context)


def test_launcher_in_c(tmp_path):
    """C source for clients that launch without Python; a header with just what it uses of CUDA's shows that it compiles."""
    from triton.backends.nvidia.driver import make_launcher

    signature = {"x": "*fp32", "n": "i32", "t": ("fp16", "constexpr", "*i8"), "d": "tensordesc<fp16[64, 64]>", "B": "constexpr"}  # fmt: skip
    source = make_launcher({(4,): 64}, signature, [{}])
    assert "CUdeviceptr arg0, int32_t arg1, uint16_t arg2, CUdeviceptr arg3, CUtensorMap arg4, int32_t arg5, int32_t arg6, int64_t arg7, int64_t arg8)" in source  # fmt: skip
    assert "int8_t arg" in make_launcher({}, signature, None), "descriptors without a map are spelled out"
    (tmp_path / "cuda.h").write_text(
        """typedef int CUresult; typedef struct f *CUfunction; typedef struct s *CUstream; typedef unsigned long long CUdeviceptr;
typedef struct { _Alignas(64) unsigned long long w[16]; } CUtensorMap; enum { CUDA_SUCCESS };
enum { CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4, CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, CU_CLUSTER_SCHEDULING_POLICY_SPREAD };
typedef struct { int id; union { struct { unsigned x, y, z; } clusterDim; int clusterSchedulingPolicyPreference; } value; } CUlaunchAttribute;
typedef struct { unsigned gx, gy, gz, bx, by, bz, shared; CUstream stream; CUlaunchAttribute *attrs; unsigned numAttrs; } CUlaunchConfig;
CUresult cuLaunchKernelEx(const CUlaunchConfig *, CUfunction, void **, void **);
"""
    )
    (tmp_path / "launcher.c").write_text(source)
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang", "clang-22"))))
    subprocess.run([compiler, "-Wall", "-Werror", "-I", tmp_path, "-c", tmp_path / "launcher.c", "-o", tmp_path / "launcher.o"], check=True)  # fmt: skip


def test_parse_and_passes(tmp_path):
    path = tmp_path / "kernel.ttir"
    path.write_text(make_module().str_nodebug())
    context = libtriton.ir.context()
    module = triton.compiler.compiler.parse(str(path), "ttir", context)
    assert module.context is context
    manager = libtriton.ir.pass_manager(context)
    libtriton.passes.common.add_cse(manager)
    libtriton.passes.common.add_canonicalizer(manager)
    libtriton.passes.ttir.add_combine(manager)
    assert "cse" in manager.get_pipeline_str() and manager.enable_debug() is False
    manager.run(module, "make_ttir")
    assert module.verify()
    manager.add("no-such-pass")
    with pytest.raises(RuntimeError, match="PassManager::run failed"):
        manager.run(module, "x")
    path.write_text("nonsense")
    with pytest.raises(RuntimeError, match="Parse MLIR file failed."):
        libtriton.ir.parse_mlir_module(str(path), context)


def test_passes_run_where_there_is_stack(tmp_path):
    lines = "".join(f"  %{i + 1} = arith.addi %{i}, %n : i32\n" for i in range(20000))
    (tmp_path / "kernel.ttir").write_text(
        "tt.func public @kernel(%p: !tt.ptr<i32>, %n: i32) {\n  %0 = arith.muli %n, %n : i32\n"
        + lines
        + "  tt.store %p, %20000 : !tt.ptr<i32>\n  tt.return\n}"
    )
    done = []

    def run():
        context = libtriton.ir.context()
        module = libtriton.ir.parse_mlir_module(str(tmp_path / "kernel.ttir"), context)
        manager = libtriton.ir.pass_manager(context)
        for add in (libtriton.passes.common.add_canonicalizer, libtriton.passes.common.add_sccp):
            add(manager)
        libtriton.passes.ttir.add_triton_licm(manager)
        manager.run(module, "make_ttir")
        done.append(module)

    before = threading.stack_size(512 * 1024)
    thread = threading.Thread(target=run)
    threading.stack_size(before)
    thread.start()
    thread.join()
    assert done and done[0].verify()


def test_canonicalizer_keeps_loops_over_wide_ranges(tmp_path):
    path = tmp_path / "kernel.ttir"
    path.write_text("""tt.func public @kernel(%p: !tt.ptr<i32>) {
  %low = arith.constant -2000000000 : i32
  %high = arith.constant 2000000000 : i32
  %step = arith.constant 1000000000 : i32
  scf.for %i = %low to %high step %step : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}""")
    context = libtriton.ir.context()
    module = libtriton.ir.parse_mlir_module(str(path), context)
    manager = libtriton.ir.pass_manager(context)
    libtriton.passes.common.add_canonicalizer(manager)
    manager.run(module, "make_ttir")
    assert "scf.for" in str(module)


def test_filecheck(monkeypatch):
    from triton._filecheck import MatchError, filecheck_test, run_filecheck, run_filecheck_test

    @triton.jit
    def good():
        # CHECK: tt.make_range {end = 8
        tl.arange(0, 8) + 1

    @triton.jit
    def bad():
        # CHECK: no such op
        tl.arange(0, 8) + 1

    import triton._filecheck as module

    defaults = ((), None, triton.runtime.driver.active.get_current_target())
    monkeypatch.setattr(module.run_parser, "__defaults__", defaults)
    run_filecheck_test(good)
    filecheck_test(good)()
    with pytest.raises(MatchError, match="expected string not found in input\n +# CHECK: no such op"):
        run_filecheck_test(bad)
    run_filecheck("name", "one\ntwo three\n", "CHECK: o[[X:.]]e\nCHECK-NEXT: two\nCHECK-SAME: three\nCHECK-NOT: [[X]]")
    for checks in ("CHECK: one\nCHECK-NEXT: three", "CHECK-NOT: two", "CHECK: [[", "no directive"):
        with pytest.raises(MatchError):
            run_filecheck("name", "one\ntwo\nthree\n", checks)


def test_specialisation_is_told_to_hooks(fresh_knobs):
    seen = []
    fresh_knobs.runtime.jit_post_compile_hook = lambda **event: seen.append(event)
    scaled[(1,)](np.ones(8, np.float32), np.ones(8, np.float32), 8, 1.5, BLOCK=16)
    assert seen and set(seen[0]) >= {"key", "repr", "fn", "compile", "is_manual_warmup", "already_compiled"}


def test_targets_of_others_need_no_device():
    target = GPUTarget("cpu", "", 0)  # Inductor knows no names of processors
    source = ASTSource(scaled, SIGNATURE, {"BLOCK": 64}, ATTRS)
    assert triton.compile(source, target=target).asm["obj"]
