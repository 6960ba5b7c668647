"""`triton_kernels.matmul` in its three modes, against its twin, and what stands around it in Triton 3.7 to 3.9."""

import pytest
import torch
from triton_kernels.matmul import (
    FlexCtx,
    FnSpecs,
    FusedActivation,
    InapplicableConstraint,
    OptFlags,
    PrecisionConfig,
    make_opt_flags,
    matmul,
    matmul_set_idle_sms,
    matmul_torch,
    reset_opt_flags,
    reset_opt_flags_constraints,
    scoped_opt_flags,
    scoped_opt_flags_constraints,
)
from triton_kernels.matmul_ogs import matmul_ogs
from triton_kernels.numerics import InFlexData, OutFlexData
from triton_kernels.numerics_details.mxfp import downcast_to_mxfp, downcast_to_mxfp_torch, upcast_from_mxfp
from triton_kernels.reduce import reduce, reduce_torch
from triton_kernels.swiglu import PrecisionConfig as SwigluConfig
from triton_kernels.swiglu import swiglu_fn, swiglu_torch
from triton_kernels.target_info import cuda_capability_geq
from triton_kernels.tensor import (
    FP4,
    Tensor,
    convert_layout,
    empty,
    is_tma_compliant,
    make_ragged_tensor_metadata,
    wrap_torch_tensor,
)
from triton_kernels.tensor_details import dtype as types
from triton_kernels.tensor_details.layout import (
    BlackwellActMXScaleLayout,
    BlackwellMX4ValueShuffledLayout,
    BlackwellMXScaleLayout,
    BlackwellMXValueLayout,
    CDNA4MXScaleLayout,
    GFX1250MXScaleLayout,
    HopperMXScaleLayout,
    HopperMXValueLayout,
    StridedLayout,
)
from triton_kernels.testing import assert_close, make_random_tensor
from triton_kernels.topk import topk


class Format:
    def __init__(self, name):
        self.has_mx_scale, self.is_mxfloat4 = name.startswith("mx"), "e2m1" in name
        self.torch_dtype = torch.uint8 if self.is_mxfloat4 else getattr(torch, name.removeprefix("mx"))


@pytest.fixture(autouse=True)
def no_constraints():
    yield
    reset_opt_flags()
    reset_opt_flags_constraints()


def random(shape, name, device, **options):
    form = Format(name)
    options = {"n_slices": 5, "ragged_dim": None, **options}
    axis = options.pop("axis", -1) if form.has_mx_scale else options.pop("axis", None) and None
    return make_random_tensor(shape=shape, dtype=form, device=device, mxfp_dim=axis, **options)


def check(a, b, bias, *given, device, config=None, **options):
    config = PrecisionConfig() if config is None else config
    found = matmul(a, b, bias, *given, precision_config=config, **options)
    options.pop("c", None)
    assert_close(matmul_torch(a, b, bias, *given, precision_config=config, **options), found, maxtol=3e-2)
    return found


@pytest.mark.parametrize("split_k", [1, 3])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_dense_and_batched(dtype, split_k, device):
    if dtype == "float64" and device != "cpu":
        pytest.skip("matrix units of doubles are few")
    with scoped_opt_flags_constraints({"split_k": split_k}):
        for n_slices, squeezes in ((1, True), (3, False)):
            a, _, _ = random((50, 160), dtype, device, n_slices=n_slices, squeeze_batch_dim=squeezes)
            b, _, _ = random((160, 40), dtype, device, n_slices=n_slices, squeeze_batch_dim=squeezes)
            check(a, b, torch.randn(*b.shape[:-2], 40, device=device), device=device)


@pytest.mark.parametrize("split_k", [1, 2])
@pytest.mark.parametrize("gathers", [False, True])
@pytest.mark.parametrize("scatters", [False, True])
def test_ragged_rows(gathers, scatters, split_k, device):
    m = 60
    a, _, metadata = random((m, 96), "bfloat16", device, ragged_dim=0)
    b, _, _ = random((96, 40), "bfloat16", device)
    gather = torch.randint(0, m, (m,), dtype=torch.int32).to(device) if gathers else None
    scatter = torch.randperm(m).int().to(device) if scatters else None
    gammas, bias = torch.rand(m, device=device), torch.randn(5, 40, device=device)
    with scoped_opt_flags_constraints({"split_k": split_k}):
        check(a, b, bias, metadata, None, gather, scatter, gammas=gammas, device=device)


def test_slots_that_go_nowhere_and_slots_that_meet(device):
    a, _, metadata = random((6, 32), "float32", device, n_slices=2, ragged_dim=0)
    b, _, _ = random((32, 16), "float32", device, n_slices=2)
    scatter = torch.tensor([5, -1, 0, 1, 2, -1], dtype=torch.int32, device=device)
    found = check(a, b, None, metadata, None, None, scatter, device=device)
    assert not found[3:5].any()
    slots = matmul_torch(a, b, None, metadata)
    meeting = torch.tensor([0, 1, 0, 1, -1, 0], dtype=torch.int32, device=device)
    out = matmul(a, b, None, metadata, scatter_indx=meeting, c=torch.empty(2, 16, device=device))
    assert_close(torch.stack([slots[0] + slots[2] + slots[5], slots[1] + slots[3]]), out)


@pytest.mark.parametrize("padded", ["a", "b"])
@pytest.mark.parametrize(
    "formats", [("float16", "float16"), ("bfloat16", "mxfloat4_e2m1"), ("mxfloat8_e4m3fn", "mxfloat8_e4m3fn")]
)
def test_ragged_sums(formats, padded, device):
    left, right = formats
    both = left.startswith("mx")
    if right.startswith("mx") and padded == "a" and not both:
        pytest.skip("operands with MX scales are the padded ones")
    a, a_scale, a_metadata = random((40, 300), left, device, ragged_dim=1, ragged_padding=both or padded == "a")
    b, b_scale, b_metadata = random(
        (300, 48), right, device, ragged_dim=0, ragged_padding=both or padded == "b", axis=-2
    )
    out = torch.bfloat16 if both else None
    config = PrecisionConfig(a_mx_scale=a_scale, b_mx_scale=b_scale, out_dtype=out)
    assert check(a, b, None, a_metadata, b_metadata, config=config, device=device).shape == (5, 40, 48)


def test_a_ragged_sum_without_padding():
    a, _, a_metadata = random((8, 64), "float16", "cpu", ragged_dim=1)
    b, _, b_metadata = random((64, 8), "float16", "cpu", ragged_dim=0)
    with pytest.raises(AssertionError, match="at least one operand is padded"):
        matmul(a, b, None, a_metadata, b_metadata)


@pytest.mark.parametrize(
    "formats", [("bfloat16", "mxfloat4_e2m1"), ("mxfloat8_e4m3fn", "mxfloat4_e2m1"), ("bfloat16", "mxfloat8_e4m3fn")]
)
@pytest.mark.parametrize("swizzles", [False, True])
def test_mx_weights(formats, swizzles, device):
    left, right = formats
    if swizzles and "e2m1" not in right:
        pytest.skip("layouts for 4-bit weights")
    if swizzles and cuda_capability_geq(10, 0):
        pytest.skip("layouts for Hopper")
    layouts = {}
    if swizzles:
        layouts = {
            "value_hbm_swizzling": HopperMXValueLayout(mx_axis=-2),
            "scale_hbm_swizzling": HopperMXScaleLayout(mx_axis=-2, num_warps=4),
        }
    a, a_scale, metadata = random((50, 128), left, device, ragged_dim=0)
    b, b_scale, _ = random((128, 128), right, device, axis=-2, **layouts)
    config = PrecisionConfig(a_mx_scale=a_scale, b_mx_scale=b_scale, out_dtype=torch.bfloat16)
    check(a, b, None, metadata, config=config, device=device)


def test_nvfp4_weights(device):
    w = torch.randn(64, 48, device=device)
    values, scales = downcast_to_mxfp(w, torch.uint8, 0, torch.float8_e4m3fn)
    assert scales.shape == (4, 48) and values.shape == (32, 48)
    x, factor = torch.randn(20, 64, device=device).bfloat16(), torch.tensor(0.5, device=device)
    config = PrecisionConfig(b_mx_scale=scales, b_mx_tensor_scale=factor, b_microblock_size=16)
    real = upcast_from_mxfp(values, scales, torch.float32, 0, tensor_scale=0.5)
    assert (real * 2 - w).abs().max() < 0.3 * w.abs().max()
    assert_close(x.float() @ real, matmul(x, values, None, precision_config=config).float())


def test_activations_and_the_earlier_name(device):
    a, _, metadata = random((40, 64), "float16", device, ragged_dim=0)
    b, _, _ = random((64, 64), "float16", device)
    swiglu = FusedActivation(FnSpecs("swiglu", swiglu_fn, ("alpha", "limit"), reduction_n=2), (1.1, 1.4))
    found = matmul(a, b, None, metadata, fused_activation=swiglu)
    expected = swiglu_torch(matmul_torch(a, b, None, metadata).float(), 1.1, SwigluConfig(1.4)).half()
    assert_close(expected, found)
    assert torch.equal(matmul_ogs(a[:7], b[0], None), matmul(a[:7], b[0], None))


# Flags


def test_flags_for_sizes():
    config = PrecisionConfig()
    matmul_set_idle_sms(24)
    flags = make_opt_flags(
        types.FP16, types.FP16, types.FP16, config, 1, 1024, 1024, 1024, None, False, False, 1, False, False, None
    )
    assert flags.idle_sms == 24 and flags.split_k == 1
    reset_opt_flags_constraints()
    with scoped_opt_flags_constraints({"split_k": 6, "max_allowable_mn": 100}):
        assert make_opt_flags(torch.float16, torch.float16, torch.float16, config, 1, 256, 256, 256).split_k == 1
        with pytest.raises(InapplicableConstraint):
            make_opt_flags(torch.float16, torch.float16, torch.float16, config, 1, 8, 8, 256, can_use_split_k=False)
    with scoped_opt_flags(OptFlags(16, 32, 64, 4, 2, 8, 1, "", 1, False, 0, 1, None)):
        assert make_opt_flags(torch.float16, torch.float16, torch.float16, config, 1, 8, 8, 8).block_k == 64
    assert make_opt_flags(torch.float16, torch.float16, torch.float16, config, 1, 8, 8, 8).block_k != 64


# Tensors and layouts


def test_types_equal_those_of_torch():
    assert types.FP16 == torch.float16 and torch.float16 == types.FP16 and types.FP8_E5M2 != torch.float8_e4m3fn
    assert types.dtype_to_torch_dtype(FP4) == torch.uint8 and types.torch_dtype_to_dtype(torch.uint8) == types.UINT8
    for name in "UINT8 INT16 INT32 INT64 FP8_E4M3FN FP8_E4M3FNUZ FP8_E5M2 BF16 FP16 FP32 FP64".split():
        ours = getattr(types, name)
        assert types.torch_dtype_to_dtype(types.dtype_to_torch_dtype(ours)) == ours
        assert ours.bitwidth == 8 * types.dtype_to_torch_dtype(ours).itemsize


LAYOUTS = {
    "BlackwellMXScale": (BlackwellMXScaleLayout(), (3, 12, 60)),
    "CDNA4MXScale": (CDNA4MXScaleLayout(), (10, 254, 60)),
    "GFX1250MXScale": (GFX1250MXScaleLayout(), (3, 2, 36)),
    "HopperMXScale": (HopperMXScaleLayout(mx_axis=-1, num_warps=4), (256, 64)),
    "HopperMXValue": (HopperMXValueLayout(-2, 3), (64, 128)),
    "BlackwellMXValue": (BlackwellMXValueLayout(), (2, 32, 48)),
    "BlackwellMX4ValueShuffled": (BlackwellMX4ValueShuffledLayout(block_k=32, block_n=64), (2, 40, 100)),
    "Strided": (StridedLayout(-2), (3, 4)),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_transformations_there_and_back(name):
    layout, shape = LAYOUTS[name]
    data = torch.randint(0, 256, shape, dtype=torch.uint8)
    transformation = layout.make_transformation(shape, is_fp4=False)
    moved = transformation.swizzle_data(data)
    assert torch.equal(transformation.unswizzle_data(moved), data)
    cls, options = layout
    assert layout == type(layout)(**layout.options()) and cls is type(layout) and isinstance(options, dict)
    assert layout.can_preserve_storage_as(layout, len(shape)) and not layout.can_preserve_storage_as(
        StridedLayout(-1), 2
    )


@pytest.mark.parametrize("sizes", [[17, 0, 33, 5], [1, 2, 3, 4, 5]])
def test_scales_of_ragged_activations(sizes):
    metadata = make_ragged_tensor_metadata(torch.tensor(sizes, dtype=torch.int32), 100)
    x = torch.randn(100, 15)
    for layout, data in (
        (BlackwellActMXScaleLayout(ragged_metadata=metadata), x),
        (BlackwellActMXScaleLayout(), x[None]),
    ):
        transformation = layout.make_transformation(data.shape, is_fp4=False)
        moved = transformation.swizzle_data(data)
        assert moved.shape[-2:] == (2, 256) and torch.equal(transformation.unswizzle_data(moved), data)


def test_conversion_by_objects():
    packed = wrap_torch_tensor(torch.randint(0, 256, (64, 32), dtype=torch.uint8).mT, dtype=FP4)
    hopper = convert_layout(packed, HopperMXValueLayout(mx_axis=-2, mma_version=3))
    assert convert_layout(hopper, HopperMXValueLayout(mx_axis=-2, mma_version=3)) is hopper
    assert torch.equal(convert_layout(hopper, StridedLayout()).data, packed.data)
    assert is_tma_compliant(packed) == bool(cuda_capability_geq(9, 0))
    made = empty([4, 6], FP4, "cpu")
    assert isinstance(made, Tensor) and made.shape == [4, 6] and made.data.shape == (4, 3)


# Others


@pytest.mark.parametrize("block, scale_type", [(16, torch.uint8), (16, torch.float8_e4m3fn), (32, torch.float8_e4m3fn)])
def test_microblocks(block, scale_type, device):
    x = torch.randn(5, 64, device=device)
    values, scales = downcast_to_mxfp(x, torch.uint8, 1, scale_type, block)
    twin = downcast_to_mxfp_torch(x, torch.uint8, 1, scale_type, block)
    assert torch.equal(values, twin[0]) and scales.dtype == scale_type and scales.shape == (5, 64 // block)
    assert (upcast_from_mxfp(values, scales, torch.float32, 1) - x).abs().max() < 0.35 * x.abs().max()


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_sums_have_gradients(dim, device):
    mask = (torch.rand(3, 4, 5, device=device) > 0.3).to(torch.int8)
    left = torch.randn(3, 4, 5, device=device, requires_grad=True)
    right = left.detach().clone().requires_grad_(True)
    found, _ = reduce(left, dim=dim, mask=mask, x_flex=None, y_flex=None)
    expected, _ = reduce_torch(right, dim=dim, mask=mask)
    torch.testing.assert_close(found, expected)
    gradient = torch.randn_like(expected)
    found.backward(gradient)
    expected.backward(gradient)
    torch.testing.assert_close(left.grad, right.grad)


def test_sums_of_some_rows_with_one_factor(device):
    x = torch.randn(2, 6, 32, device=device)
    y = torch.zeros(6, 32, device=device)
    found, _ = reduce(x, 0, x_global_scale=2.0, y=y, unpadded_batch_size=4)
    torch.testing.assert_close(found[:4], 2 * x.sum(0)[:4])
    assert not found[4:].any()
    values, scales = reduce(
        x, 0, y_has_mx=True, y_mx_scale_dtype=torch.float8_e4m3fn, y_microblock_size=16, y_value_pack_factor=2
    )
    assert values.shape == (6, 16) and scales.shape == (6, 2) and scales.dtype == torch.float8_e4m3fn


def test_masks_are_tensors_of_bits(device):
    chosen = topk(torch.randn(7, 13, device=device), 4)
    assert chosen.mask.dtype == types.BIT and chosen.mask.shape == [7, 13]
    metadata = make_ragged_tensor_metadata(chosen.mask_metadata.col_sum, 28)
    assert metadata.n_slices == 13 and metadata.n_blocks(13, 28, 16) >= 1 and metadata.expected_slice_size is None


def test_the_reference_stores_flexpoint_as_kernels_do(device):
    """Bit for bit: random numbers of 8 bits have exact sums, and both divide by the expected scale and leave the one that would have fitted."""
    a, _, metadata = random((70, 96), "float8_e5m2", device, n_slices=3, ragged_dim=0)
    b, _, _ = random((96, 40), "float8_e5m2", device, n_slices=3, transpose=True)
    scale = torch.tensor([1.25], device=device)
    results, scales = [], []
    for function in (matmul, matmul_torch):
        actual = torch.zeros(1, device=device)
        out = OutFlexData(torch.float8_e5m2, torch.tensor([4.0], device=device), actual)
        flex = FlexCtx(InFlexData(torch.float8_e5m2, scale), InFlexData(torch.float8_e5m2, scale), out)
        config = PrecisionConfig(flex_ctx=flex, out_dtype=torch.float8_e5m2)
        results.append(function(a, b, None, metadata, precision_config=config))
        scales.append(actual)
    assert_close(*results)
    assert scales[0].item() > 0 and (scales[0] - scales[1]).abs().max() < 1e-10
