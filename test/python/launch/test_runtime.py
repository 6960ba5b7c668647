"""Around launches: compiling in the background, cache managers, drivers, backends of other packages, allocators, mock tensors."""

import contextvars
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton.runtime.cache import FileCacheManager, RemoteCacheBackend, _base32, get_cache_manager


def define():
    @triton.jit
    def kernel(out_ptr, N: tl.constexpr):
        tl.store(out_ptr, N)

    return kernel


def test_async_compile(fresh_triton_cache):
    kernel, out = define(), np.zeros(1, np.int32)
    with ThreadPoolExecutor(2) as executor, triton.AsyncCompileMode(executor) as mode:
        futures = [kernel.warmup(out, N, grid=(1,)) for N in (1, 2, 3, 3)]
        assert all(isinstance(future, triton.FutureKernel) for future in futures)
        assert futures[2] is futures[3] and len(mode.future_kernels) == 3
        kernel[(1,)](out, 2)  # waits for its own compile only
        assert out[0] == 2
        with pytest.raises(RuntimeError, match="Another AsyncCompileMode is already active"):
            with triton.AsyncCompileMode(executor):
                pass
    assert len(kernel.device_caches[0][0]) == 3
    assert kernel[(1,)](out, 3) is futures[2].kernel and out[0] == 3
    assert futures[0].metadata is futures[0].kernel.metadata and not mode.future_kernels and not mode.raw_futures


def test_failed_futures_leave_nothing_behind():
    from concurrent.futures import Future

    failed, cleaned = Future(), []
    failed.set_exception(ValueError("no"))
    with ThreadPoolExecutor(1) as executor:
        mode = triton.AsyncCompileMode(executor, ignore_errors=True)
        with mode:
            mode._submit = lambda compile: failed
            mode.submit("key", lambda: None, lambda kernel: None, lambda: cleaned.append(1))
    assert cleaned == [1]


def test_async_compile_errors(fresh_triton_cache):
    @triton.jit
    def bad(out_ptr):
        tl.static_assert(False, "never")

    out = np.zeros(1, np.int32)
    with ThreadPoolExecutor(1) as executor:
        with pytest.raises(triton.CompilationError, match="never"):
            with triton.AsyncCompileMode(executor):
                bad.warmup(out, grid=(1,))
        with triton.AsyncCompileMode(executor, ignore_errors=True):
            bad.warmup(out, grid=(1,))


def test_threads_compile_at_the_same_time(fresh_triton_cache):
    kernels, out = [define() for _ in range(8)], np.zeros(1, np.int32)
    with ThreadPoolExecutor(4) as executor:
        compiled = list(executor.map(lambda kernel: kernel.warmup(out, 7, grid=(1,)), kernels))
    assert len({kernel.hash for kernel in compiled}) == 1


def test_file_cache_manager(fresh_triton_cache):
    manager = get_cache_manager("ab" * 32)
    assert isinstance(manager, FileCacheManager) and manager.cache_dir.endswith(_base32("ab" * 32))
    assert manager.get_file("x") is None and manager.get_group("x.json") is None
    paths = {name: manager.put(data, name) for name, data in (("a.txt", "text"), ("b.bin", b"\0\1"))}
    manager.put_group("x.json", paths)
    assert manager.get_group("x.json") == paths and open(paths["b.bin"], "rb").read() == b"\0\1"
    import os

    os.remove(paths["a.txt"])
    assert manager.get_group("x.json") == {"b.bin": paths["b.bin"]}
    assert len(_base32("ab" * 32)) == 52


class DictionaryBackend(RemoteCacheBackend):
    """A remote store that is a dict."""

    store = {}

    def get(self, filenames):
        return {name: self.store[self.key, name] for name in filenames if (self.key, name) in self.store}

    def put(self, filename, data):
        self.store[self.key, filename] = data


def test_remote_cache(fresh_knobs, tmp_path):
    fresh_knobs.cache.dir = str(tmp_path / "one")
    fresh_knobs.cache.manager_class = triton.runtime.cache.RemoteCacheManager
    with pytest.raises(RuntimeError, match="TRITON_REMOTE_CACHE_BACKEND"):
        get_cache_manager("00" * 32)
    fresh_knobs.cache.remote_manager_class = DictionaryBackend
    seen = []
    fresh_knobs.compilation.listener = lambda **event: seen.append(event["cache_hit"])
    kernel, out = define(), np.zeros(1, np.int32)
    kernel[(1,)](out, 5)
    kernel.device_caches.clear()
    fresh_knobs.cache.dir = str(tmp_path / "two")  # another machine: everything comes from the remote store
    kernel[(1,)](out, 5)
    assert seen == [False, True] and out[0] == 5


def test_driver_config(device):
    config = triton.runtime.driver
    active, default = config.active, config.default
    try:
        config.set_active("something")
        assert config.active == "something"
        config.reset_active()
        assert config.active is config.default is default
    finally:
        config.set_active(active)
    assert (active is default) == (device == "cpu")  # which is what tests of a GPU have as their default
    memory = "cpu" if triton.knobs.runtime.simulate else device
    assert active.get_current_device() == 0 and active.get_active_torch_device().type == memory
    assert active.utils.get_device_properties(0)["multiprocessor_count"] >= 1


def test_backend_of_another_package(tmp_path, monkeypatch):
    monkeypatch.delenv("TRITON_DEFAULT_BACKEND")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")  # or two drivers are active
    monkeypatch.delenv("TRITON_SIMULATE", raising=False)
    package = tmp_path / "abacus_backend"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "compiler.py").write_text(
        textwrap.dedent("""
        from triton.backends.compiler import BaseBackend
        class AbacusBackend(BaseBackend):
            binary_ext = "beads"
            supports_target = staticmethod(lambda target: target.backend == "abacus")
            def hash(self): return "abacus"
            def parse_options(self, options): return options
            def add_stages(self, stages, options, language): pass
            def load_dialects(self, context): pass
            def get_module_map(self): return {}
        """)
    )
    (package / "driver.py").write_text(
        textwrap.dedent("""
        from triton.backends.driver import DriverBase
        class AbacusDriver(DriverBase):
            is_active = classmethod(lambda cls: True)
            def map_python_to_cpp_type(self, ty): return ty
            def get_current_target(self): return None
            def get_active_torch_device(self): return None
            def get_benchmarker(self): return None
        """)
    )
    info = tmp_path / "abacus-1.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text("[console_scripts]\na = b:c\n\n[triton.backends]\nabacus = abacus_backend\n")
    code = """
import triton
from triton.backends import backends
from triton.backends.compiler import GPUTarget
assert sorted(backends) == ["abacus", "amd", "cpu", "nvidia"], backends
assert type(triton.runtime.driver.active).__name__ == "AbacusDriver"
assert triton.compiler.make_backend(GPUTarget("abacus", 1, 1)).hash() == "abacus"
"""
    subprocess.run([sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{code}"], check=True)


def test_allocators():
    contextvars.Context().run(check_allocators)  # other tests of this process have set theirs


def check_allocators():
    from triton.runtime import _allocation

    assert isinstance(_allocation._allocator.get(), _allocation.NullAllocator)
    with pytest.raises(RuntimeError, match="no allocator was set"):
        _allocation._allocator.get()(1, 1, None)
    triton.set_allocator(lambda size, alignment, stream: size)
    assert _allocation._allocator.get()(3, 1, None) == 3


def test_mock_tensor():
    mock = triton.MockTensor.wrap_dtype(torch.float16)
    assert mock.data_ptr() == 0 and mock.dtype is torch.float16 and triton.MockTensor.wrap_dtype(3) == 3
    assert triton.MockTensor(torch.int8, [2, 3, 4]).stride() == (12, 4, 1)


def test_tensor_descriptor_checks():
    from triton.tools.tensor_descriptor import TensorDescriptor

    x = torch.zeros(8, 16)
    assert TensorDescriptor.from_tensor(x, [4, 8]).strides == [16, 1]
    for tensor, block in ((x, [4]), (x.T, [4, 4]), (x, [3, 4])):
        with pytest.raises((AssertionError, ValueError)):
            TensorDescriptor.from_tensor(tensor, block)


def test_annotations():
    from triton.runtime.jit import KernelParam, _normalize_ty

    expected = {
        "tl.int32": "i32", "fp16*": "*fp16", "*fp16": "*fp16", "const *fp32": "*kfp32", "*kfp32": "*kfp32",
        "int64_t": "i64", "tl.constexpr": "constexpr", tl.float64: "fp64", tl.pointer_type(tl.int8): "*i8", int: "i32",
        bool: "u1", float: "fp32", tl.const: "const",
    }  # fmt: skip
    for annotation, text in expected.items():
        assert _normalize_ty(annotation) == text

    def function(a: tl.constexpr, b: "tl.constexpr", c: tl.const, d: torch.Tensor, e: int = 3):
        pass

    import inspect

    params = [KernelParam(i, p, False, False) for i, p in enumerate(inspect.signature(function).parameters.values())]
    assert [p.is_constexpr for p in params] == [True, True, False, False, False]
    assert [p.is_const for p in params] == [False, False, True, False, False]
    assert [p.annotation_type for p in params] == ["", "", "", "", "i32"] and params[4].default == 3


def test_utilities():
    from triton._utils import (
        canonicalize_dtype,
        canonicalize_ptr_dtype,
        find_paths_if,
        get_iterable_path,
        validate_block_shape,
    )

    nested = [1, (2, [3, "x"]), "x"]
    paths = find_paths_if(nested, lambda path, leaf: leaf == "x")
    assert paths == [(1, 1, 1), (2,)] and get_iterable_path(nested, paths[0]) == "x"
    assert (
        canonicalize_dtype(torch.float16)
        == canonicalize_dtype(tl.float16)
        == canonicalize_dtype(np.dtype("float16"))
        == "fp16"
    )
    assert canonicalize_ptr_dtype(torch.bool, True) == "*ku1"
    assert validate_block_shape([4, 8]) == 32
    with pytest.raises(ValueError, match="exceeds triton maximum tensor numel"):
        validate_block_shape([2**21])


@pytest.mark.parametrize(
    "change, message",
    [
        ({"strides": [32]}, "rank mismatch in a tensor descriptor: shape [8, 32], strides [32], block [8, 16]"),
        ({"shape": [1] * 6, "strides": [1] * 6, "block_shape": [1] * 6}, "1 to 5 dimensions are possible"),
        ({"base": 4}, "base must be 16-byte aligned"),
        ({"block_shape": [8, 12]}, "Shape element 1 must be a power of 2"),
        ({"strides": [31, 1]}, "strides must be 16-byte aligned in a tensor descriptor, got [31, 1] elements of 4 bytes"),
        ({"strides": [32, 2]}, "Last dimension must be contiguous"),
        ({"shape": [0, 32]}, "shape must be positive in a tensor descriptor, got [0, 32]"),
        ({"padding": "nan", "base": 0}, "Padding option `nan` is only supported for floating point tensors"),
        ({"padding": "one"}, "Illegal value for padding"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_descriptors_of_hosts_are_checked(change, message):
    """By the rules that C and C++ programs hear of; programs in Python expect an assertion."""
    torch = pytest.importorskip("torch")
    from triton.tools.tensor_descriptor import TensorDescriptor

    memory = torch.zeros(8 * 32 + 1, dtype=torch.int32)
    given = {"base": 0, "shape": [8, 32], "strides": [32, 1], "block_shape": [8, 16], **change}
    given["base"] = memory[given["base"] // 4 :]
    with pytest.raises(AssertionError) as caught:
        TensorDescriptor(**given)
    assert str(caught.value).startswith(message)
