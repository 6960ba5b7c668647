"""The package itself: its names, its types, its knobs."""

import importlib.metadata
import inspect
import pickle
from pathlib import Path

import pytest
import triton
import triton.language as tl


def test_names():
    for name in triton.__all__:
        assert hasattr(triton, name), name
    assert triton.__version__ in ("3.6.0", "3.7.1", "3.8.0", "3.9.0")
    for name in triton.runtime.__all__:
        assert hasattr(triton.runtime, name), name
    assert type(triton.runtime.driver).__name__ == "DriverConfig"
    from triton.runtime.driver import driver

    assert driver is triton.runtime.driver
    assert not hasattr(triton.compiler.compiler, "AttrsDescriptor")


def test_metadata_says_the_version():
    """Also of a source checkout, for which a dist-info lies beside the package."""
    assert importlib.metadata.version("triton") == triton.__version__
    beside = Path(triton.__file__).parents[1] / f"triton-{triton.__version__}.dist-info"
    assert beside.is_dir(), f"{beside} is missing: the version was changed in one place"


LANGUAGE = """void int1 int8 int16 int32 int64 uint8 uint16 uint32 uint64 float8e5 float8e5b16 float8e4nv float8e4b8 float8e4b15 float16 bfloat16
float32 float64 pi32_t dtype pointer_type block_type tuple_type constexpr_type tensor_descriptor_type const tensor constexpr tuple slice
tensor_descriptor PropagateNan TRITON_MAX_TENSOR_NUMEL program_id num_programs arange full zeros zeros_like broadcast broadcast_to cat
expand_dims interleave join permute ravel reshape split trans view flip cast add sub mul minimum maximum clamp cdiv fdiv div_rn fma umulhi
abs ceil cos erf exp exp2 floor log log2 rsqrt sigmoid sin softmax sqrt sqrt_rn where gather swizzle2d dot load store make_block_ptr
advance reduce associative_scan sum max min argmax argmin xor_sum cumsum cumprod histogram sort range static_range assume multiple_of
max_contiguous max_constancy debug_barrier static_print static_assert device_print device_assert str_to_ty math extra""".split()


@pytest.mark.parametrize("name", LANGUAGE)
def test_language_has(name):
    assert hasattr(tl, name)


def test_builtin_objects():
    assert (
        tl.load.__triton_builtin__ and tl.load.__name__ == "load" and tl.load.__module__.startswith("triton.language")
    )
    assert tl.load.__doc__
    parameters = inspect.signature(tl.load).parameters
    assert (
        list(parameters)[:3] == ["pointer", "mask", "other"]
        and parameters["mask"].default is None
        and "_semantic" in parameters
    )
    assert "_semantic" in inspect.signature(tl.core.view).parameters
    assert pickle.loads(pickle.dumps(tl.load)) is tl.load
    assert tl.core.is_builtin(tl.load)


@pytest.mark.parametrize(
    "dtype, name, bits, representation",
    [
        (tl.int1, "int1", 1, "triton.language.int1"),
        (tl.uint8, "uint8", 8, "triton.language.uint8"),
        (tl.float16, "fp16", 16, "triton.language.float16"),
        (tl.bfloat16, "bf16", 16, "triton.language.bfloat16"),
        (tl.float8e4nv, "fp8e4nv", 8, "triton.language.float8e4nv"),
        (tl.void, "void", 0, "triton.language.void"),
    ],
)
def test_dtypes(dtype, name, bits, representation):
    assert str(dtype) == dtype.name == name and dtype.primitive_bitwidth == bits and repr(dtype) == representation
    assert eval(repr(dtype)) is dtype
    assert dtype == tl.constexpr(dtype) and pickle.loads(pickle.dumps(dtype)) == dtype
    assert tl.dtype(name) == dtype and hash(tl.dtype(name)) == hash(dtype)


def test_dtype_predicates():
    assert tl.int1.is_int_unsigned() and tl.int1.is_bool() and not tl.int1.is_int_signed()
    assert tl.float8e5.is_fp8() and tl.float8e5.is_fp8e5() and tl.float32.is_fp32() and tl.float32.is_floating()
    assert tl.int8.get_int_max_value() == 127 and tl.int8.get_int_min_value() == -128
    assert tl.float16.fp_mantissa_width == 10 and tl.int1.itemsize == 0
    with pytest.raises(AssertionError):
        tl.dtype("int7")


def test_pointer_and_block_types():
    pointer = tl.pointer_type(tl.float32)
    assert str(pointer) == "pointer<fp32>" and pointer == tl.pointer_type(tl.float32) != tl.pointer_type(
        tl.float32, const=True
    )
    assert pointer.is_ptr() and pointer.scalar is pointer
    block = tl.block_type(tl.float16, [16, 32])
    assert block.numel == 512 and block.scalar == tl.float16 and block.is_block() and block.mangle() == "fp16S16_32S"
    with pytest.raises(TypeError):
        tl.block_type(tl.float16, [])
    with pytest.raises(ValueError, match="power of 2"):
        tl.block_type(tl.float16, [3])
    with pytest.raises(TypeError):
        tl.pointer_type("fp32")
    assert tl.str_to_ty("*kfp16", None) == tl.pointer_type(tl.float16, const=True)
    assert tl.str_to_ty(("i32", "*fp32"), None).types == [tl.int32, pointer]


def test_constexpr():
    three = tl.constexpr(3)
    assert (
        repr(three) == "constexpr[3]"
        and (three + 4).value == 7
        and (10 - three).value == 7
        and (three / 2).value == 1.5
    )
    assert (-three).value == -3 and bool(three > 2) and [10, 20, 30, 40][three] == 40 and tl.constexpr(three).value == 3
    assert tl.constexpr((1, 2))[1] == 2 and list(tl.constexpr([1])) == [1] and three.logical_and(0).value == 0


def test_cdiv_and_next_power_of_2():
    assert triton.cdiv(7, 2) == 4 and triton.cdiv(8, 2) == 4
    assert [triton.next_power_of_2(n) for n in (0, 1, 2, 3, 1000, 2**40 + 1)] == [0, 1, 2, 4, 1024, 2**41]


def test_knobs(monkeypatch, fresh_knobs):
    knobs = fresh_knobs
    monkeypatch.setenv("TRITON_CACHE_DIR", "/somewhere")
    assert knobs.cache.dir == "/somewhere"
    knobs.cache.dir = "/elsewhere"
    import os

    assert os.environ["TRITON_CACHE_DIR"] == "/elsewhere" and knobs.cache.dir == "/elsewhere"
    del knobs.cache.dir
    assert knobs.cache.dir == "/elsewhere"  # mirrored
    with knobs.cache.scope():
        knobs.cache.dir = "/third"
    assert knobs.cache.dir == "/elsewhere"
    for text, value in (("1", True), ("YES", True), ("on", True), ("0", False), ("nonsense", False)):
        monkeypatch.setenv("TRITON_ALWAYS_COMPILE", text)
        assert knobs.compilation.always_compile is value
    monkeypatch.setenv("TRITON_REDIS_PORT", "seven")
    with pytest.raises(RuntimeError, match="TRITON_REDIS_PORT"):
        knobs.redis.port
    monkeypatch.setenv("TRITON_CACHE_MANAGER", "nonsense")
    with pytest.raises(RuntimeError):
        knobs.cache.manager_class
    monkeypatch.setenv("TRITON_CACHE_MANAGER", "triton.runtime.cache:FileCacheManager")
    assert knobs.cache.manager_class is triton.runtime.cache.FileCacheManager


def test_hook_chain():
    from triton.knobs import HookChain

    calls = []
    chain = HookChain(reversed=True)
    first, second = (lambda: calls.append(1)), (lambda: calls.append(2))
    for hook in (first, second, first):
        chain.add(hook)
    chain()
    chain.remove(second)
    chain.remove(second)
    chain()
    assert calls == [2, 1, 1] and bool(HookChain())


def test_one_driver_is_active(device):
    import torch
    from triton.backends import backends

    expected = "nvidia" if torch.cuda.is_available() or triton.knobs.runtime.simulate else "cpu"
    assert [name for name, backend in backends.items() if backend.driver.is_active()] == [expected]
    target = triton.runtime.driver.active.get_current_target()
    assert target.backend == device and isinstance(target.arch, str if device == "cpu" else int)


def test_groups_that_take_the_place_of_others(monkeypatch, device):
    """Test suites replace whole groups; launches, warm ones too, see the hooks and values of the one that is there."""
    import numpy as np
    from triton import knobs

    seen, out = [], np.zeros(1, np.int32)

    @triton.jit
    def kernel(out_ptr, n):
        tl.device_assert(n == 5)
        tl.store(out_ptr, n)

    kernel[(1,)](out, 5)
    original = knobs.runtime
    for _ in range(2):
        with monkeypatch.context() as patch:
            patch.setattr(knobs, "runtime", knobs.runtime.copy().reset())
            knobs.runtime.launch_enter_hook = lambda metadata: seen.append(metadata.get()["name"])
            for _ in range(2):
                kernel[(1,)](out, 5)
            knobs.runtime.debug = True
            assert kernel[(1,)](out, 5).metadata.debug
            if device == "cpu":  # a failed assertion ends a GPU's context
                with pytest.raises(RuntimeError):
                    kernel[(1,)](out, 6)
        assert not kernel[(1,)](out, 5).metadata.debug
    assert seen == ["kernel"] * (8 if device == "cpu" else 6) and knobs.runtime is original and original.debug is False
    assert isinstance(original.launch_enter_hook, knobs.HookChain)


def test_modules_of_the_language_are_its_own():
    for name in ("math", "core", "standard", "random", "semantic"):
        assert getattr(tl, name).__name__ == f"triton.language.{name}"
