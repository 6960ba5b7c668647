"""Triton kernels written as Gluon kernels: the same values on a GPU, compiled without one (--compile-only sm_90a)."""

import importlib.util
import sys

import pytest
import torch
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor as GluonDescriptor
from triton.tools.tensor_descriptor import TensorDescriptor
from triton.tools.triton_to_gluon_translater.translator import convert_triton_to_gluon
from triton.tools.triton_to_gluon_translater.translator_helpers import convert_host_descriptor

ROWS = tl.constexpr(32)


def translate(kernel, tmp_path):
    path = tmp_path / "translated.py"
    path.write_text(convert_triton_to_gluon([kernel]))
    spec = importlib.util.spec_from_file_location("translated", path)
    module = sys.modules["translated"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, kernel.__name__)


@triton.jit
def scaled(x, factor: tl.constexpr):
    return x * factor


@triton.jit
def shapes_kernel(x_ptr, out_ptr, COLUMNS: tl.constexpr):
    rows, columns = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    x = tl.load(x_ptr + rows[:, None] * COLUMNS + columns[None, :])
    turned = tl.trans(x.reshape(COLUMNS, ROWS)).reshape(ROWS * COLUMNS // 2, 2)
    a, b = turned.split()
    total = tl.sum(x, axis=1) + tl.zeros([ROWS], tl.float32)
    result = scaled((a + b).reshape(ROWS, COLUMNS // 2), 3) + total[:, None]
    tl.store(out_ptr + rows[:, None] * (COLUMNS // 2) + tl.arange(0, COLUMNS // 2)[None, :], result)


def shapes(x):
    turned = x.reshape(x.shape[1], x.shape[0]).T.reshape(-1, 2)
    return 3 * turned.sum(1).reshape(x.shape[0], -1) + x.sum(1)[:, None]


@triton.jit
def dot_kernel(a_ptr, b_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    product = tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at))
    tl.store(out_ptr + at, tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at), acc=product))


@triton.jit
def moved_kernel(source, target):
    target.store([0, 0], source.load([0, 0]))


def on_gpu():
    return triton.runtime.driver.active.get_current_target().backend == "cuda"


def compiled(kernel, signature, constants):
    return triton.compile(kernel.ASTSource(kernel, signature, constants), target=GPUTarget("cuda", 90, 32)).asm["ptx"]


def test_names_and_constants_come_along():
    text = convert_triton_to_gluon([shapes_kernel])
    assert "ROWS = gl.constexpr(32)" in text and text.count("@gluon.jit") == 2
    assert "def shapes_kernel(x_ptr, out_ptr, COLUMNS: gl.constexpr):" in text and "def scaled(" in text
    assert "tl.load" not in text and "tl.constexpr" not in text


@pytest.mark.parametrize("kernel", [shapes_kernel, dot_kernel])
def test_kernels_compile(kernel, tmp_path):
    made = translate(kernel, tmp_path)
    if kernel is shapes_kernel:
        ptx = compiled(made, {"x_ptr": "*fp32", "out_ptr": "*fp32", "COLUMNS": "constexpr"}, {"COLUMNS": 64})
        assert "bar.sync" in ptx  # sums over warps, and conversions
    else:
        pointers = {"a_ptr": "*fp16", "b_ptr": "*fp16", "out_ptr": "*fp32"}
        ptx = compiled(made, {**pointers, "N": "constexpr"}, {"N": 64})
        assert "mma.sync.aligned.m16n8k16" in ptx


def test_shapes(tmp_path):
    if not on_gpu():
        pytest.skip("Gluon kernels run on GPUs")
    x = torch.randn(32, 64)
    out = torch.zeros(32, 32)
    translate(shapes_kernel, tmp_path)[(1,)](x, out, 64)
    torch.testing.assert_close(out, shapes(x))


def test_dots(tmp_path):
    if not on_gpu():
        pytest.skip("Gluon kernels run on GPUs")
    a, b = (torch.randn(64, 64).to(torch.float16) for _ in range(2))
    out = torch.zeros(64, 64)
    translate(dot_kernel, tmp_path)[(1,)](a, b, out, 64)
    torch.testing.assert_close(out, 2 * (a.float() @ b.float()), rtol=1e-3, atol=1e-3)


def test_descriptors(tmp_path):
    x, y = torch.randn(64, 64).to(torch.float16), torch.zeros(64, 64, dtype=torch.float16)
    source, target = (convert_host_descriptor(TensorDescriptor.from_tensor(each, [64, 64])) for each in (x, y))
    assert isinstance(source, GluonDescriptor) and source.layout.swizzle_byte_width == 128
    if not on_gpu():
        pytest.skip("Gluon kernels run on GPUs")
    translate(moved_kernel, tmp_path)[(1,)](source, target)
    assert torch.equal(x, y)


def test_the_name_of_newer_releases(tmp_path):
    from triton.tools import triton_to_gluon_translator as newer

    assert newer.convert_triton_to_gluon([scaled], newer.TranslatorTarget.SM90) == convert_triton_to_gluon([scaled])
    with pytest.raises(ValueError, match="translated for NVIDIA GPUs, not for gfx942"):
        newer.convert_triton_to_gluon([scaled], newer.TranslatorTarget.GFX942)
    with pytest.raises(ValueError, match="is not of the form module.path:object"):
        newer.translate_paths(["triton.language"])


def test_slices_are_translated(tmp_path, monkeypatch):
    from triton.tools.slice_kernel import main

    (tmp_path / "sliced_kernels.py").write_text(
        "import triton\nimport triton.language as tl\n\n\n@triton.autotune([triton.Config({'N': 64})], key=[])\n@triton.jit\n"
        "def kernel(x, N: tl.constexpr):\n    tl.store(x + tl.arange(0, N), 1)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    main(
        ["sliced_kernels:kernel", "--translate-to-gluon", "--target", "sm90", "--output-path", str(tmp_path / "out.py")]
    )
    text = (tmp_path / "out.py").read_text()
    assert "@gluon.jit" in text and "def kernel(x, N: gl.constexpr)" in text
    with pytest.raises(SystemExit, match="error: sliced_kernels has no 'other'"):
        main(["sliced_kernels:other", "--translate-to-gluon"])
