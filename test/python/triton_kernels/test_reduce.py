"""Sums against their twin, and kernels made from kernels."""

import inspect

import pytest
import torch
import triton
import triton.language as tl
from triton_kernels.numerics import InFlexData, OutFlexData
from triton_kernels.numerics_details.mxfp import downcast_to_mxfp_torch, upcast_from_mxfp_torch
from triton_kernels.reduce import PostprocessFn, reduce, reduce_torch
from triton_kernels.specialize import (
    ClosureArg,
    FnSpecs,
    SpecializationModule,
    cacheable,
    define_kernel,
    specialize,
)
from triton_kernels.swiglu import PrecisionConfig, swiglu_fn, swiglu_torch
from triton_kernels.testing import assert_close


@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("broadcast", [(), (0,), (1, 2)])
def test_masked_sum(dim, broadcast, device):
    torch.manual_seed(0)
    shape = (5, 37, 130)
    x = torch.randn(shape, device=device, dtype=torch.float16)
    small = [1 if each in broadcast else size for each, size in enumerate(shape)]
    mask = torch.randint(0, 2, small, dtype=torch.int8, device=device)
    scale = torch.rand(small, device=device)
    for kwargs in ({}, {"mask": mask}, {"mask": mask.bool(), "scale": scale, "y_dtype": torch.float32}):
        found, mx = reduce(x, dim, **kwargs)
        assert mx is None
        assert_close(reduce_torch(x, dim, **kwargs)[0], found, maxtol=1e-3, rmstol=1e-3)


@pytest.mark.parametrize("dim", [0, 1])
def test_mx(dim, device):
    torch.manual_seed(0)
    values, scales = downcast_to_mxfp_torch(torch.randn(3, 20, 70, device=device), torch.float8_e4m3fn, axis=2)
    found = reduce(values, dim, x_mxscale=scales)
    expected = reduce_torch(values, dim, x_mxscale=scales)
    real = [upcast_from_mxfp_torch(*each, torch.float32, axis=1) for each in (found, expected)]
    assert_close(*real, maxtol=0.1, rmstol=0.02)
    plain, mx = reduce(values, dim, x_mxscale=scales, y_has_mx=False, y_dtype=torch.float32)
    assert mx is None
    assert_close(reduce_torch(values, dim, x_mxscale=scales, y_has_mx=False, y_dtype=torch.float32)[0], plain)


def test_flexpoint(device):
    x = torch.randn(4, 20, 64, device=device).to(torch.float8_e4m3fn)
    flex_in = InFlexData(scale=torch.tensor([1.25], device=device))
    results = []
    for function in (reduce, reduce_torch):
        actual = torch.zeros(1, device=device)
        flex_out = OutFlexData(expected_scale=torch.tensor([4.0], device=device), actual_scale=actual)
        y, _ = function(x, 0, x_flex=flex_in, y_flex=flex_out, y_flex_saturate_inf=True)
        results.append((y, actual))
    assert_close(results[1][0].float(), results[0][0].float(), maxtol=0.15, rmstol=0.03)
    torch.testing.assert_close(results[0][1], results[1][1])


@triton.jit
def plus(x, a, target_dtype):
    return (x + a).to(target_dtype)


def test_functions(device):
    x = torch.randn(3, 40, 140, device=device)
    first = PostprocessFn(FnSpecs("swiglu", swiglu_fn, ("alpha", "limit"), reduction_n=2), (1.1, 1.4))
    second = PostprocessFn(FnSpecs("plus", plus, ("a",)), (3.0,))
    y = torch.empty(40, 70, device=device)
    found, _ = reduce(x, 0, postprocess_fn1=first, postprocess_fn2=second, y=y)
    assert found is y
    swiglu = lambda sums: swiglu_torch(sums, 1.1, PrecisionConfig(1.4))
    expected, _ = reduce_torch(x, 0, postprocess_fn1=swiglu, postprocess_fn2=lambda sums: sums + 3.0)
    assert_close(expected, found)


def test_reduce_errors():
    with pytest.raises(NotImplementedError):
        reduce(torch.zeros(2, 2), 0)
    with pytest.raises(ValueError):
        reduce(torch.zeros(2, 2, 2), 3)
    with pytest.raises(ValueError):
        reduce(torch.zeros(2, 2, 32), 2, x_mxscale=torch.zeros(2, 2, 1, dtype=torch.uint8))
    scales = torch.zeros(2, 2, 1, dtype=torch.uint8)
    with pytest.raises(ValueError, match="not torch.uint8"):
        reduce(torch.zeros(2, 2, 32, dtype=torch.uint8), 0, x_mxscale=scales)
    with pytest.raises(ValueError, match=r"shape \(2, 2, 2\), not \(2, 2, 1\)"):
        reduce(torch.zeros(2, 2, 64).to(torch.float8_e5m2), 0, x_mxscale=scales)


OFFSET = tl.constexpr(5)


@triton.jit(do_not_specialize=["n"])
def template_kernel(
    out,
    n,
    FN: tl.constexpr,
    fn_args,
    BLOCK: tl.constexpr = 16,
):
    # With a global, and with a function or without.
    at = tl.arange(0, BLOCK)
    value = at + OFFSET
    if FN is not None:
        value = FN(value, *fn_args)
    tl.store(out + at, value, mask=at < n)


@triton.jit
def scaled(x, factor, summand):
    return x * factor + summand


module = SpecializationModule("templates", [("kernel", template_kernel)], {"fn": ClosureArg("FN", "fn_args")})


def test_specialization(device):
    specs = FnSpecs("scaled", scaled, ("factor", "summand"), ("summand",))
    made = module.get(fn=specs).kernel
    assert module.get(fn=specs).kernel is made and made.arg_names == ["out", "n", "factor", "summand", "BLOCK"]
    assert made.do_not_specialize == ["n", "summand"] and made.__name__ == "template_kernel_scaled"
    out = torch.zeros(16, dtype=torch.int32, device=device)
    made[(1,)](out, 10, 2, 1)
    assert out.tolist() == [(i + 5) * 2 + 1 if i < 10 else 0 for i in range(16)]
    plain = module.get().kernel
    assert plain is module.get(fn=FnSpecs.default()).kernel
    plain[(1,)](out, 16)
    assert out.tolist() == list(range(5, 21))
    with pytest.raises(ValueError):
        module.get(other=specs)


def test_places_are_those_of_the_original(device):
    made = module.get().kernel
    kernel = made.warmup(torch.int32, 16, grid=(1,))
    lines, first = inspect.getsourcelines(template_kernel.fn)
    line = first + next(i for i, text in enumerate(lines) if "tl.store" in text)
    assert f'reduce.py":{line}:5)' in kernel.asm["ttir"]
    assert made._source_place[0] == __file__ and made.fn.__code__.co_filename == __file__


def make_kernel():
    import types

    return specialize(
        template_kernel, types.ModuleType("made"), {"FN": None, "BLOCK": 8}, {"fn_args": []}, name="eight"
    )


@cacheable
def cacheable_kernel():
    return make_kernel()


def test_cacheable(device):
    assert (
        cacheable_kernel._fn_name == f"{__name__}.cacheable_kernel"
        and cacheable_kernel.fn.__name__ == "cacheable_kernel"
    )
    out = torch.zeros(16, dtype=torch.int32, device=device)
    cacheable_kernel[(1,)](out, 16)
    assert out.tolist() == [*range(5, 13), *[0] * 8]


def test_kernels_from_text(device):
    import types

    home = types.ModuleType("home")
    kernel = define_kernel(
        "def fill(out, n):\n    tl.store(out, n + START)\n", home, {"debug": False}, START=tl.constexpr(3)
    )
    assert home.fill is kernel
    out = torch.zeros(1, dtype=torch.int32, device=device)
    kernel[(1,)](out, 4)
    assert out.item() == 7
