"""Options are one list, whoever gives them: what a target does not know is refused by name, what it knows is honoured, and each changes the key."""

import dataclasses
import subprocess

import pytest
import triton
import triton.language as tl
from places import ROOT, TRITONC
from triton.backends.compiler import GPUTarget
from triton.backends.cpu.compiler import CPUOptions
from triton.backends.nvidia.compiler import CUDAOptions
from triton.compiler import make_backend

HOPPER, AMPERE = GPUTarget("cuda", 90, 32), GPUTarget("cuda", 80, 32)


@triton.jit
def cast_kernel(x, TYPE: tl.constexpr):
    tl.store(x, tl.load(x).to(TYPE).to(tl.float32))


@triton.jit
def dot_kernel(x, PRECISION: tl.constexpr):
    offsets = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    a = tl.load(x + offsets)
    tl.store(x + offsets, tl.dot(a, a, input_precision=PRECISION))


def compile(fn, constant, target, **options):
    name = fn.arg_names[1]
    source = triton.compiler.ASTSource(fn, {"x": "*fp32", name: "constexpr"}, {name: constant})
    return triton.compile(source, target=target, options=options)


def test_options_of_3_9(fresh_triton_cache):
    plain = compile(dot_kernel, "tf32", HOPPER)
    padded = compile(dot_kernel, "tf32", HOPPER, min_shared_mem=65536)
    assert plain.metadata.shared < 65536 == padded.metadata.shared
    assert compile(dot_kernel, "tf32", HOPPER, min_shared_mem=1).metadata.shared == plain.metadata.shared
    with pytest.raises(triton.OutOfResources, match="Required: 1000000"):
        compile(dot_kernel, "tf32", HOPPER, min_shared_mem=1000000)
    with pytest.raises(ValueError, match="min_shared_mem must not be negative, got -1"):
        compile(dot_kernel, "tf32", HOPPER, min_shared_mem=-1)
    assert not plain.metadata.sched4reg and compile(dot_kernel, "tf32", HOPPER, sched4reg=True).metadata.sched4reg


@pytest.mark.parametrize("target", [HOPPER, None], ids=["cuda", "cpu"])
def test_options_of_the_language_are_honoured(fresh_triton_cache, target):
    target = target or triton.runtime.driver.active.get_current_target()
    compile(cast_kernel, tl.float8e5, target)
    with pytest.raises(triton.CompilationError, match="fp8e5 not supported"):
        compile(cast_kernel, tl.float8e5, target, supported_fp8_dtypes=("fp8e4nv",))
    compile(dot_kernel, "ieee", target)
    with pytest.raises(triton.CompilationError, match=r"input_precision must be one of \[tf32\], got ieee"):
        compile(dot_kernel, "ieee", target, allowed_dot_input_precisions=("tf32",))


def test_what_targets_have(fresh_knobs):
    options = make_backend(HOPPER).parse_options({})
    assert options.supported_fp8_dtypes == ("fp8e4b15", "fp8e4nv", "fp8e5") and options.arch == "sm90"
    assert options.max_num_imprecise_acc_default == 2**30 and options.deprecated_fp8_dot_operand_dtypes == ("fp8e4b15",)
    older = make_backend(AMPERE).parse_options({})
    assert older.supported_fp8_dtypes == ("fp8e4b15", "fp8e5") and older.max_num_imprecise_acc_default == 0
    assert (
        CUDAOptions.supported_fp8_dtypes == ("fp8e5", "fp8e4b15") and CUDAOptions.default_dot_input_precision == "tf32"
    )
    assert (CUDAOptions().warp_size, CPUOptions().warp_size) == (32, 1) and CUDAOptions.maxnreg is None
    assert make_backend(HOPPER).parse_options({"instrumentation_mode": "consan"}).debug


def test_an_unknown_option_is_refused(fresh_triton_cache):
    with pytest.raises(KeyError, match="option waves_per_eu was specified but unrecognised by the target cuda"):
        compile(cast_kernel, tl.float16, HOPPER, waves_per_eu=2)
    with pytest.raises(KeyError, match="num_stage was specified but .* cuda; did you mean 'num_stages'?"):
        compile(cast_kernel, tl.float16, HOPPER, num_stage=2)
    with pytest.raises(KeyError, match="check_accesses"):
        compile(cast_kernel, tl.float16, HOPPER, check_accesses=True)
    with pytest.raises(KeyError, match="there is no option 'nonsense'"):
        triton._C.libtriton.complete_options("cpu", {"nonsense": 1})


@pytest.mark.parametrize("cls", [CUDAOptions, CPUOptions])
def test_each_option_changes_the_hash(cls):
    others = {bool: lambda value: not value, int: lambda value: value + 1, str: lambda value: value + "x", tuple: lambda value: ("x",), type(None): lambda value: 7}  # fmt: skip
    for field in dataclasses.fields(cls):
        if field.name != "extern_libs":  # counts by what the files hold
            changed = cls(**{field.name: others[type(field.default)](field.default)})
            assert changed.hash() != cls().hash(), field.name


def tritonc(*flags):
    file = ROOT / "docs/vector_add.py"
    command = [TRITONC, file, "--signature", "*fp32, *fp32, *fp32, i32, 64", *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.skipif(not TRITONC.exists(), reason="tritonc is not built")
def test_flags_of_tritonc():
    assert tritonc("--num-warps=8", "--enable-fp-fusion=0", "--sanitize-overflow=false")[0] == 0
    for flags, message in {
        ("--tensor-maps",): "tensor_maps is an option of target cuda, not of cpu",
        ("--num-warps=3",): "num_warps must be a power of 2",
        ("--num-warps=many",): "num_warps must be an integer, got 'many'",
        (
            "--target=cuda",
            "--arch=sm_90a",
            "--check-accesses",
        ): "check_accesses is an option of target cpu, not of cuda",
    }.items():
        code, text = tritonc(*flags)
        assert code and message in text


def test_a_file_in_place_of_a_stage_counts_by_its_content(tmp_path):
    path = tmp_path / "mine.ttir"
    path.write_text("module {}")
    before = CPUOptions(ir_override=str(path)).hash()
    path.write_text("module { }")
    assert CPUOptions(ir_override=str(path)).hash() != before
