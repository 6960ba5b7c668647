"""Loaded into pytest by conformance.py: where kernels of the peer's tests run, and what counts as a test of its tutorials.

TRITON_CONFORMANCE   cpu, cuda, sim:sm_90a (a simulated GPU), or an architecture such as sm_90a: kernels are compiled for it and do not run
                     (test/python/devices.py)
"""

import os
import re
import runpy
import sys
from pathlib import Path

import pytest

TEST_FUNCTION = re.compile(r"^def test_", re.MULTILINE)


class Program(pytest.Item):
    """A tutorial without tests: a program that must run to its end. Its benchmarks are left out."""

    def runtest(self):
        import triton.testing

        triton.testing.Mark.run = lambda *arguments, **options: None
        sys.argv = [str(self.path)]
        runpy.run_path(str(self.path), run_name="__main__")

    def reportinfo(self):
        return self.path, 0, self.name


class ProgramFile(pytest.File):
    def collect(self):
        yield Program.from_parent(self, name="program")


def pytest_pycollect_makemodule(module_path, parent):
    is_tutorial = "tutorials" in Path(module_path).parts
    if is_tutorial and not TEST_FUNCTION.search(Path(module_path).read_text()):
        return ProgramFile.from_parent(parent, path=module_path)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item):
    """Tests marked `forked` rely on an end of their process for what they changed in knobs."""
    knobs = getattr(sys.modules.get("triton"), "knobs", None)
    if hasattr(knobs, "refresh_knobs"):
        knobs.refresh_knobs()


def pytest_configure(config):
    device = os.environ.get("TRITON_CONFORMANCE", "cpu")
    if device.startswith(("sm_", "sim:")):
        folder = str(Path(__file__).resolve().parent.parent / "test" / "python")
        sys.path.append(folder)
        import devices

        while folder in sys.path:  # it holds files with the names of files under test
            sys.path.remove(folder)
        runs = device.startswith("sim:")
        plugin = devices.DevicePlugin(device if runs else "cpu", None if runs else device)
        config.pluginmanager.register(plugin, "triton-device")
        devices.make_tensors_on_the_host()
