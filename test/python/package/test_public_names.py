"""Names that programs look for beside the language itself: methods on classes, helpers of inner modules."""

import importlib
import inspect
import os
import shutil
import subprocess
import warnings

import pytest
import torch
import triton
import triton.language as tl
from triton import knobs
from triton.compiler.compiler import CompileTimer, filter_traceback

METHODS = """abs advance argmax argmin associative_scan atomic_add atomic_and atomic_cas atomic_max atomic_min atomic_or atomic_xchg atomic_xor
broadcast_to cast cdiv ceil cos cumprod cumsum erf exp exp2 expand_dims flip floor gather histogram item log log2 logical_and logical_or max min
permute ravel reduce reduce_or reshape rsqrt sigmoid sin softmax sort split sqrt sqrt_rn store sum to trans view xor_sum""".split()


def test_methods_are_visible_on_the_class():
    assert [name for name in METHODS if not hasattr(tl.tensor, name)] == []
    assert list(inspect.signature(tl.tensor.sum).parameters)[:3] == ["input", "axis", "keep_dims"]
    assert list(inspect.signature(tl.tensor.to).parameters)[:2] == ["self", "dtype"] and tl.tensor.to.__doc__
    for name in ("load", "store", "gather", "scatter", "atomic_add", "atomic_xor", "block_type", "dtype"):
        assert hasattr(tl.tensor_descriptor, name), name
    assert not hasattr(tl.tensor, "nonsense")


@tl.core.builtin
def _through_methods(x, _semantic=None):
    """Python code that is called while a kernel is compiled, and calls the class's methods."""
    return tl.tensor.sum(x.exp2(), 0) + x.max(axis=0).to(tl.float32)


@triton.jit
def _methods_kernel(x, out, N: tl.constexpr):
    tl.store(out, _through_methods(tl.load(x + tl.arange(0, N))))


@pytest.mark.runs
def test_methods_of_the_class_emit_code():
    x, out = torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.zeros(1)
    _methods_kernel[(1,)](x, out, 4)
    assert out.item() == 2 + 4 + 8 + 16 + 4


@tl.core.builtin
def _reflected(x, _semantic=None):
    return x.__rlt__(2.0).to(tl.float32) + x.__req__(3.0).to(tl.float32) * 10


@triton.jit
def _reflected_kernel(x, out, N: tl.constexpr):
    tl.store(out + tl.arange(0, N), _reflected(tl.load(x + tl.arange(0, N))))


@pytest.mark.runs
def test_reflected_comparisons():
    x, out = torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.zeros(4)
    _reflected_kernel[(1,)](x, out, 4)
    assert out.tolist() == [0, 0, 11, 1]  # 2 < x, and 10 where 3 == x
    assert tl.constexpr(3).__rlt__(2).value and not tl.constexpr(3).__rge__(2).value


def test_slices_have_a_dtype():
    kind = tl.core.slice_type()
    assert isinstance(kind, tl.dtype) and str(kind) == kind.name == "slice_type"
    assert kind == tl.core.slice_type() and kind != tl.int32


def test_helpers_of_the_core():
    negative = [tl.core.is_negative_zero(number) for number in (0.0, -0.0, 1.0, 0, -1)]
    assert negative == [False, True, False, False, False]
    error = tl.semantic.IncompatibleTypeErrorImpl(tl.int32, tl.float32)
    assert "invalid operands of type triton.language.int32" in str(error) and error.type_b == tl.float32


def test_knobs_can_be_asked_one_by_one(monkeypatch, fresh_knobs):
    knob = fresh_knobs.compilation.knob_descriptors["always_compile"]
    assert knob.get() is False and knob.transform(True) is True
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    assert knob.get() is True
    assert isinstance(knobs.env, knobs.Env) and knobs.env_str[str, str] is knobs.env_str


def test_the_timer_of_a_compile():
    timer = CompileTimer()
    timer.finished_ir_initialization()
    timer.stage_finished("ttir")
    timer.stage_finished("llir")
    times = timer.end()
    assert [name for name, _ in times.lowering_stages] == ["ttir", "llir"] and times.store_results >= 0
    assert times.total >= times.total_lowering >= 0
    nothing = CompileTimer().end()
    assert nothing.lowering_stages == [] and nothing.store_results == 0


@triton.jit
def _listened_to(x):
    tl.store(x, 1.0)


def test_a_listener_hears_of_every_stage(fresh_triton_cache, stages):
    heard = []
    with knobs.compilation.scope():
        knobs.compilation.listener = lambda **what: heard.append(what["times"])
        _listened_to.warmup(torch.zeros(1), grid=(1,))
    (times,) = heard
    assert {name for name, _ in times.lowering_stages} >= set(stages) - {"ttir"}
    assert all(microseconds >= 0 for _, microseconds in times.lowering_stages)


def test_lists_become_tuples():
    from triton.runtime.jit import convert_to_tuple_if_list

    assert convert_to_tuple_if_list([1, [2, 3], (4, [5])]) == (1, (2, 3), (4, [5]))
    assert convert_to_tuple_if_list(5) == 5


def test_a_filtered_error_names_no_frames():
    try:
        raise ValueError("wrong")
    except ValueError as error:
        assert filter_traceback(e=error).__traceback__ is None


@pytest.mark.parametrize("module", ["triton.compiler.make_launcher", "triton.language.extra.cuda.utils"])
def test_modules_that_programs_import(module):
    importlib.import_module(module)


def test_helpers_of_the_code_generator():
    from triton.compiler import code_generator

    block = tl.block_type(tl.float16, [4, 8])
    name = code_generator.mangle_fn("f", [tl.int32, tl.pointer_type(tl.float32), block], {1: tl.constexpr(5)}, None)
    assert name == "f__i32_Pfp32_fp16S4_8S__1cconstexpr_5_"
    assert code_generator.check_identifier_legality("name", "function") == "name"
    with pytest.raises(triton.CompilationError, match="invalid variable identifier: a b"):
        code_generator.check_identifier_legality("a b", "variable")


_round_trip_seen = []


@tl.core.builtin
def _round_trip(x, y, _semantic=None):
    from triton.compiler.code_generator import flatten_values_to_ir, unflatten_ir_values

    values = [x, tl.tuple([y, tl.constexpr(3)])]
    handles = flatten_values_to_ir(values)
    _round_trip_seen.append(len(handles))
    x, pair = unflatten_ir_values(handles, [value.type for value in values])
    return x + pair[0] * pair[1]


@triton.jit
def _round_trip_kernel(x, out):
    tl.store(out, _round_trip(tl.load(x), tl.load(x + 1)))


@pytest.mark.runs
def test_values_are_taken_apart_and_put_together():
    x, out = torch.tensor([5.0, 7.0]), torch.zeros(1)
    _round_trip_kernel[(1,)](x, out)
    assert out.item() == 26 and _round_trip_seen == [2]


@pytest.mark.cpu_only
def test_kernels_of_the_processor_are_found_by_torchs_name_of_it():
    _listened_to.warmup(torch.zeros(1), grid=(1,))
    assert len(_listened_to.device_caches[torch.cpu.current_device()][0]) >= 1
    assert _listened_to.device_caches["cpu"] is _listened_to.device_caches[0]


def test_fresh_knobs_reach_the_environment_again(monkeypatch):

    from triton._internal_testing import _fresh_knobs_impl

    monkeypatch.setattr(knobs, "propagate_env", False)
    fresh, reset = _fresh_knobs_impl()
    try:
        fresh().cache.home_dir = "/somewhere"
        assert os.environ["TRITON_HOME"] == "/somewhere"
    finally:
        reset()
    assert knobs.propagate_env is False and "TRITON_HOME" not in os.environ


def test_helpers_of_later_releases(monkeypatch, recwarn):
    from collections import namedtuple

    from triton import _utils
    from triton.runtime.cache import _base32, _base64

    assert not _utils.is_power_of_two(0) and _utils.is_power_of_two(8) and not _utils.is_power_of_two(6)
    pair = namedtuple("pair", "a b")
    assert _utils._tuple_create(pair(1, 2), [3, 4]) == pair(3, 4) and _utils._tuple_create((1,), [3, 4]) == (3, 4)
    seen = []
    assert _utils.apply_with_path([1, (2, 3)], lambda path, leaf: seen.append((path, leaf))) is None
    assert seen == [((0,), 1), ((1, 0), 2), ((1, 1), 3)]
    for _ in range(3):
        _utils.warn_once("once and no more")
    assert [(str(warning.message), warning.filename) for warning in recwarn] == [("once and no more", __file__)]
    assert _base64("ff" * 4) == "_____w" and _base32("ff" * 4) == "777777Y"


def test_fp_fusion_can_be_forbidden(fresh_knobs):
    language = fresh_knobs.language
    assert (
        language.fp_fusion_enabled(None) and language.fp_fusion_enabled(True) and not language.fp_fusion_enabled(False)
    )
    language.default_fp_fusion = False
    assert not language.fp_fusion_enabled(None) and language.fp_fusion_enabled(True)
    language.force_disable_fp_fusion = True
    assert not language.fp_fusion_enabled(True)
    backend = triton.compiler.make_backend(triton.backends.compiler.GPUTarget("cuda", 90, 32))
    assert backend.parse_options({"enable_fp_fusion": True}).enable_fp_fusion is False


def test_instrumentation_that_is_not_there_is_told():
    from triton import _instrumentation as points

    def told(mode):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            points.warn_of_missing({"instrumentation_mode": mode}, "kernel")
        return [str(each.message) for each in caught]

    assert told("consan, fpsan, gsan,iisan, proton:chunk=8,") == []
    assert told("consna") == ["the kernel 'kernel' is compiled without the instrumentation (consna), which is not there"]  # fmt: skip
    points.register_instrumentation(point="load-dialects", backend="somewhere", callback=print)
    try:
        assert told("theirs") == [] and told("theirs,iisan") == []
    finally:
        points.unregister_instrumentation(point="load-dialects", backend="somewhere")


def test_instrumentation_is_registered_once():
    from triton import _instrumentation as points

    assert points.is_enabled({"instrumentation_mode": "consan, iisan"}, "iisan")
    assert not points.is_enabled({"instrumentation_mode": "consan"}, "san") and not points.is_enabled(
        object(), "consan"
    )
    calls = []
    where = {"point": "ttgpuir-to-llvmir", "backend": "somewhere"}
    assert not points.instrument("manager", **where)
    points.register_instrumentation(callback=calls.append, **where)
    points.register_instrumentation(
        point="load-dialects", backend="somewhere", callback=lambda context: calls.append((context,))
    )
    try:
        with pytest.raises(RuntimeError, match="instrumented already"):
            points.register_instrumentation(callback=calls.append, **where)
        with pytest.raises(ValueError, match="'here' is no point of instrumentation"):
            points.instrument(point="here", backend="somewhere")
        assert points.instrument("manager", context="context", **where)
        assert calls == [("context",), "manager"] and points.is_instrumented("somewhere")
    finally:
        points.unregister_instrumentation(**where)
        points.unregister_instrumentation(point="load-dialects", backend="somewhere")
    assert not points.is_instrumented("somewhere")


def test_the_backend_of_amd():
    from triton.backends import backends
    from triton.backends.amd.compiler import HIPBackend, HIPOptions
    from triton.backends.compiler import GPUTarget

    assert backends["amd"].compiler is HIPBackend and HIPBackend.supports_target(GPUTarget("hip", "gfx942", 64))
    options = HIPBackend(GPUTarget("hip", "gfx942", 64)).parse_options({})
    assert isinstance(options, HIPOptions)
    assert (options.num_warps, options.num_stages, options.warp_size, options.waves_per_eu, options.kpack) == (
        4,
        2,
        64,
        0,
        1,
    )
    assert (options.matrix_instr_nonkdim, options.schedule_hint, options.default_dot_input_precision) == (
        0,
        "none",
        "ieee",
    )
    assert options.backend_name == "hip" and not options.allow_flush_denorm


def test_layouts_of_clusters_under_the_name_of_old_programs():
    from triton._C.libtriton.gluon_ir import make_cga_layout
    from triton.experimental.gluon.language import _layouts

    assert make_cga_layout([4, 2], [2, 2], [1, 0]) == [[0, 1], [1, 0], [0, 0]]
    assert make_cga_layout([2, 2], [2, 1], [1, 0]) == _layouts.make_cga_layout([2, 2], [2, 1], [1, 0])
    with pytest.raises(AssertionError, match="3 CTAs cannot share"):
        make_cga_layout([3], [1], [0])


def test_descriptors_of_gluon_are_no_descriptors_of_triton():
    from triton.experimental.gluon.language import NVMMASharedLayout
    from triton.experimental.gluon.nvidia.hopper import TensorDescriptor as GluonDescriptor
    from triton.tools.tensor_descriptor import TensorDescriptor

    made = GluonDescriptor.from_tensor(torch.zeros(16, 16), [16, 16], NVMMASharedLayout(64, 32, 2))
    assert not isinstance(made, TensorDescriptor) and made.shape == [16, 16] and made.padding == "zero"


def test_methods_of_buffers_are_visible_on_the_class():
    from triton.experimental.gluon import language as gl
    from triton.experimental.gluon.language.nvidia import ampere, blackwell

    for name in ("index", "load", "permute", "reshape", "slice", "store"):
        assert hasattr(gl.shared_memory_descriptor, name), name
    assert all(hasattr(blackwell.tensor_memory_descriptor, name) for name in ("index", "load", "slice", "store"))
    assert ampere.builtin is tl.core.builtin and ampere.DotOperandLayout is gl.DotOperandLayout


def test_headers_of_cuda_are_looked_for(monkeypatch, tmp_path):

    from triton.backends.nvidia import driver

    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "cuda.h").write_text("")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    found = driver._include_dirs()
    assert str(tmp_path / "include") in found and all(
        os.path.exists(os.path.join(folder, "cuda.h")) for folder in found
    )
    assert isinstance(driver.include_dirs, list) and driver.include_dirs


CONTEXTS = """
#include <cuda.h>
int make(CUcontext *context, CUdevice device) { return cuCtxCreate(context, 0, device); }
#if CUDA_VERSION >= 13000
int make_with_parameters(CUcontext *context, CUdevice device) { return cuCtxCreate(context, 0, 0, device); }
#endif
"""


@pytest.mark.parametrize("folders", [1, None])
def test_contexts_are_made_as_in_cuda_12_and_13(folders, tmp_path):
    from triton.backends.nvidia.driver import include_dirs

    if "/usr/local/cuda/include" not in include_dirs or not shutil.which("gcc"):
        pytest.skip("needs CUDA's headers and a C compiler")
    (tmp_path / "program.c").write_text(CONTEXTS)
    options = [f"-I{folder}" for folder in include_dirs[:folders]]
    subprocess.run(["gcc", "-Wall", "-Werror", *options, "-c", "program.c"], cwd=tmp_path, check=True)


def test_kinds_of_nan_are_numbers():
    assert int(tl.PropagateNan.ALL) == 0xFFFF and hex(tl.PropagateNan.NONE) == "0x0"
    assert bool(tl.PropagateNan.NONE) and tl.PropagateNan.NONE.name == "NONE"


@pytest.mark.parametrize(
    "name", ["is_blackwell_ultra", "is_hip_cdna3_or_newer", "is_hip_rdna", "is_hip_rdna3", "is_hip_rdna4"]
)
def test_tests_of_newer_releases_ask_for_devices(name):
    import triton._internal_testing as testing

    assert getattr(testing, name)() is False or name == "is_blackwell_ultra"
