"""Code goes when nobody holds the kernel any more, or when it is closed."""

import gc
import os
import weakref

import numpy as np
import pytest
import triton
import triton.language as tl
from triton import knobs
from triton.runtime.driver import driver

pytestmark = pytest.mark.runs


def make_kernel():
    @triton.jit
    def kernel(out, value, N: tl.constexpr):
        tl.store(out + tl.arange(0, N), value)

    return kernel


class Loads:
    """What hooks and the driver are told."""

    def __init__(self, monkeypatch, fresh_knobs):
        self.events = []
        fresh_knobs.runtime.kernel_unload_hook = knobs.HookChain()
        fresh_knobs.runtime.kernel_unload_hook.add(self.hook)
        monkeypatch.setattr(driver.active.utils, "unload_module", lambda module: self.events.append("module"))

    def hook(self, module, function, name, metadata_group, hash):
        assert module is not None and function is not None and hash
        self.events.append(name)


@pytest.fixture
def loads(monkeypatch, fresh_knobs):
    gc.collect()  # kernels of other tests
    return Loads(monkeypatch, fresh_knobs)


def launch(kernel, value=3):
    out = np.zeros(4, np.int32)
    compiled = kernel[(1,)](out, value, 4)
    assert out.tolist() == [value] * 4
    return compiled


def test_a_kernel_that_is_collected_is_unloaded(loads):
    kernel = make_kernel()
    compiled = weakref.ref(launch(kernel))
    gc.collect()
    assert loads.events == [] and compiled() is not None  # the function holds it
    del kernel
    gc.collect()
    assert compiled() is None and loads.events == ["kernel", "module"]


def test_close_and_launch_again(loads):
    kernel = make_kernel()
    compiled = launch(kernel)
    compiled.close()
    assert loads.events == ["kernel", "module"] and compiled.module is None and compiled.function is None
    compiled.close()
    assert len(loads.events) == 2
    assert launch(kernel, 5) is compiled and compiled.module is not None  # warm launches have forgotten the old code


def test_a_kernel_that_was_never_loaded_tells_nobody(loads):
    kernel = make_kernel()
    compiled = kernel.warmup(np.zeros(4, np.int32), 3, 4, grid=(1,))
    compiled.close()
    del kernel, compiled
    gc.collect()
    assert loads.events == []


def test_a_forked_child_unloads_nothing(loads):
    kernel = make_kernel()
    compiled = launch(kernel)
    child = os.fork()
    if child == 0:
        compiled.close()
        os._exit(len(loads.events))
    assert os.waitpid(child, 0)[1] == 0


def test_copies_have_nothing_to_unload(loads):
    compiled = launch(make_kernel())
    copy = compiled.__getstate__()
    assert copy["_loader"] is None and copy["module"] is None


def test_hooks_that_fail_do_not_stop_the_collector(loads, fresh_knobs):
    def fail(*args):
        raise RuntimeError("no")

    kernel = make_kernel()
    launch(kernel)
    fresh_knobs.runtime.kernel_unload_hook.add(fail)
    del kernel
    gc.collect()
    assert loads.events[0] == "kernel"


def test_code_stays_while_a_launch_needs_it():
    """The driver's own unloading: closing between launches changes no result."""
    kernel = make_kernel()
    for value in range(5):
        launch(kernel, value).close()
