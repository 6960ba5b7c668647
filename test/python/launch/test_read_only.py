"""Arrays that say that they are read-only: kernels that store to them are not launched, kernels that only load from them are."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

pytestmark = pytest.mark.cpu_only


@triton.jit
def copy(source, target, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(target + at, tl.load(source + at, at < n), at < n)


@triton.jit
def count(source, counter):
    tl.atomic_add(counter, tl.load(source))


@triton.jit
def copy_pair(pair, n: tl.constexpr):
    at = tl.arange(0, n)
    tl.store(pair[1] + at, tl.load(pair[0] + at))


@triton.jit
def copy_block(source, target):
    target.store([0, 0], source.load([0, 0]))


@triton.jit(noinline=True)
def put(pointer, value):
    tl.store(pointer, value)


@triton.jit
def put_by_call(source, target):
    put(target, tl.load(source))


@triton.jit
def put_by_choice(a, b, flag):
    pointer = a
    if tl.load(flag) > 0:
        pointer = b
    for _ in range(2):
        tl.store(pointer, 1.0)
        pointer += 1


def frozen(size=16, dtype=np.float32):
    array = np.arange(size, dtype=dtype)
    array.setflags(write=False)
    return array


def memory_map(tmp_path):
    np.arange(16, dtype=np.float32).tofile(tmp_path / "data")
    return np.memmap(tmp_path / "data", np.float32, "r")


class Versioned:
    """Only DLPack, in a version that says whether memory is read-only."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, max_version=None):
        return self.array.__dlpack__(max_version=max_version)


class Interface:
    """Only the array interface."""

    def __init__(self, array):
        self.__array_interface__ = array.__array_interface__


KINDS = {
    "flag": lambda path: frozen(),
    "bytes": lambda path: np.frombuffer(np.arange(16, dtype=np.float32).tobytes(), np.float32),
    "map": memory_map,
    "interface": lambda path: Interface(frozen()),
    "broadcast": lambda path: np.broadcast_to(np.float32(3), 16),
}
if int(np.__version__.split(".")[0]) >= 2:  # earlier ones do not hand out read-only arrays by DLPack
    KINDS["dlpack"] = lambda path: Versioned(frozen())


@pytest.mark.parametrize("kind", KINDS)
def test_stores_are_refused_and_loads_are_not(kind, tmp_path):
    fixed, out = KINDS[kind](tmp_path), np.zeros(16, np.float32)
    copy[(1,)](np.ones(16, np.float32), out, 16, 16)  # of arrays that may be written
    for _ in range(3):  # cold, warm, repeated
        with pytest.raises(ValueError, match=r"argument 'target' is read-only \(.*\), and the kernel stores to it"):
            copy[(1,)](out, fixed, 16, 16)
        copy[(1,)](fixed, out, 1, 16)
        copy[(1,)](np.ones(16, np.float32), np.zeros(16, np.float32), 16, 16)


def test_a_map_keeps_its_file(tmp_path):
    fixed = memory_map(tmp_path)
    with pytest.raises(ValueError, match="argument 'target'"):
        copy[(1,)](np.ones(16, np.float32), fixed, 16, 16)
    assert np.fromfile(tmp_path / "data", np.float32).tolist() == list(range(16))


def test_the_flag_may_change_between_launches():
    x, out = np.ones(16, np.float32), np.zeros(16, np.float32)
    for _ in range(4):
        copy[(1,)](x, out, 16, 16)
    out[:] = 0
    out.setflags(write=False)
    with pytest.raises(ValueError, match="argument 'target'"):
        copy[(1,)](x, out, 16, 16)
    out.setflags(write=True)
    assert not out.any()
    copy[(1,)](x, out, 16, 16)
    assert out.all()


def test_atomics_store():
    counter = frozen(1, np.int32)
    with pytest.raises(ValueError, match="argument 'counter'"):
        count[(1,)](np.ones(1, np.int32), counter)
    count[(1,)](counter, np.zeros(1, np.int32))


def test_elements_of_tuples():
    for _ in range(2):
        with pytest.raises(ValueError, match=r"argument 'pair\.1'"):
            copy_pair[(1,)]((np.ones(16, np.float32), frozen()), 16)
        copy_pair[(1,)]((frozen(), np.ones(16, np.float32)), 16)


def test_descriptors():
    def describe(array):
        descriptor = TensorDescriptor.from_tensor(torch.zeros(4, 4), [4, 4])
        descriptor.base = array.reshape(4, 4)
        return descriptor

    for _ in range(2):
        with pytest.raises(ValueError, match="argument 'target'"):
            copy_block[(1,)](describe(np.ones(16, np.float32)), describe(frozen()))
        copy_block[(1,)](describe(frozen()), describe(np.ones(16, np.float32)))


def test_calls_and_choices_are_seen_through():
    with pytest.raises(ValueError, match="argument 'target'"):
        put_by_call[(1,)](frozen(), frozen())
    put_by_call[(1,)](frozen(), np.ones(1, np.float32))
    for arguments in ((frozen(), np.ones(4, np.float32)), (np.ones(4, np.float32), frozen())):
        with pytest.raises(ValueError, match="argument '[ab]'"):
            put_by_choice[(1,)](*arguments, frozen())


def test_a_kernel_from_the_cache_is_refused_too(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    for _ in range(2):  # compiled, then found on disk
        copy._forget_launches()
        copy.device_caches.clear()
        with pytest.raises(ValueError, match="argument 'target'"):
            copy[(1,)](np.ones(16, np.float32), frozen(), 16, 16)


def test_compiled_kernels_launched_by_hand():
    kernel = copy[(1,)](np.ones(16, np.float32), np.zeros(16, np.float32), 16, 16)
    with pytest.raises(ValueError, match="argument 'target'"):
        kernel[(1, 1, 1)](np.ones(16, np.float32), frozen(), 16, 16)
    kernel[(1, 1, 1)](frozen(), np.zeros(16, np.float32), 16, 16)


def test_metadata_says_which_arguments_are_stored_to():
    kernel = copy[(1,)](np.ones(16, np.float32), np.zeros(16, np.float32), 16, 16)
    assert [(name, stored) for name, _, _, _, stored in kernel.metadata.argument_layout] == [
        ("source", False),
        ("target", True),
        ("n", False),
    ]


def test_interpreted_kernels_are_stopped_too(monkeypatch, tmp_path):
    from triton.runtime.errors import InterpreterError
    from triton.runtime.interpreter import InterpretedFunction

    interpreted = InterpretedFunction(copy.fn)
    fixed, out = memory_map(tmp_path), np.zeros(16, np.float32)
    with pytest.raises(InterpreterError, match="argument 'target' is read-only, and the kernel stores to it"):
        interpreted[(1,)](out, fixed, 16, 16)
    interpreted[(1,)](fixed, out, 16, 16)
    assert out.tolist() == list(range(16))
    view = out[:]
    view.setflags(write=False)
    interpreted[(1,)](view, out, 16, 16)  # the same memory, by an argument that may be written
