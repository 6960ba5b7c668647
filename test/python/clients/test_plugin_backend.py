"""A backend of another package, from its entry point to a launch: its stages are Python functions, its device a list of what was launched."""

import os
import subprocess
import sys
import textwrap

import pytest
from places import PACKAGES

# Where the Triton under test lies: a bundle is elsewhere.

COMPILER = """
import json
from collections import Counter
from dataclasses import dataclass
from triton._C.libtriton import ir, passes
from triton.backends.compiler import BaseBackend, GPUTarget

@dataclass(frozen=True)
class TallyOptions:
    num_warps: int = 1
    num_ctas: int = 1
    num_stages: int = 1
    debug: bool = False
    enable_fp_fusion: bool = True
    launch_cooperative_grid: bool = False
    extern_libs: tuple = ()
    ir_override: str = None
    instrumentation_mode: str = ""
    beads: int = 10

    def hash(self):
        return str(self)

class TallyBackend(BaseBackend):
    binary_ext = "beads"
    supports_target = staticmethod(lambda target: target.backend == "tally")
    def hash(self): return "tally-1"
    def parse_options(self, options):
        return TallyOptions(**{name: value for name, value in options.items() if name in TallyOptions.__dataclass_fields__ and value is not None})
    def load_dialects(self, context): pass
    def get_module_map(self): return {}
    def pack_metadata(self, metadata): return (metadata.num_warps, metadata.beads)
    def get_codegen_implementation(self, options): return {}

    @staticmethod
    def make_ttir(module, metadata, options):
        manager = ir.pass_manager(module.context)
        passes.common.add_canonicalizer(manager)
        passes.common.add_cse(manager)
        manager.run(module, "make_ttir")
        return module

    @staticmethod
    def make_counts(module, metadata, options):
        counts = Counter()
        module.walk(lambda op: counts.update([op.get_name()]))
        metadata["shared"] = 5
        metadata["op_count"] = sum(counts.values())
        return json.dumps(counts)

    def add_stages(self, stages, options, language):
        stages["ttir"] = lambda module, metadata: self.make_ttir(module, metadata, options)
        stages["counts"] = lambda module, metadata: self.make_counts(module, metadata, options)
        stages["beads"] = lambda text, metadata: b"\\x00" + text.encode()
"""

DRIVER = """
from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase

launched = []

class Utils:
    def load_binary(self, name, kernel, shared, device):
        assert kernel[0] == 0 and shared == 5
        return "module", "function " + name, 0, 0, 1024
    def get_device_properties(self, device):
        return {"max_shared_mem": 100, "multiprocessor_count": 1}

class Launcher:
    def __init__(self, src, metadata):
        self.name = metadata.name
    def __call__(self, x, y, z, stream, function, packed, launch_metadata, enter, exit, *arguments):
        launched.append((function, (x, y, z), packed, arguments))

class TallyDriver(DriverBase):
    launcher_cls = Launcher
    def __init__(self):
        super().__init__()
        self.utils = Utils()
    is_active = classmethod(lambda cls: True)
    def map_python_to_cpp_type(self, ty): return ty
    def get_current_target(self): return GPUTarget("tally", 1, 1)
    def get_current_device(self): return 0
    def get_current_stream(self, device): return 0
    def get_active_torch_device(self): return None
    def get_benchmarker(self): return None
"""

PROGRAM = """
import numpy as np
import triton
import triton.language as tl
import tally_backend.driver as device
from triton import knobs

@triton.jit
def add(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, tl.load(x_ptr + offsets) + n + n * 0)

hits = []
knobs.compilation.listener = lambda **event: hits.append(event["cache_hit"])
x = np.zeros(16, np.float32)
for _ in range(3):
    kernel = add[(2, 3)](x, 7, BLOCK=16, beads=20)
assert hits == [False], hits
assert [entry[:3] for entry in device.launched] == [("function add", (2, 3, 1), (1, 20))] * 3, device.launched
assert device.launched[0][3][0] is x and device.launched[0][3][1:] == (7, 16)
assert list(kernel.asm) == ["source", "ttir", "counts", "beads"] and "tt.load" in kernel.asm["ttir"]
assert kernel.metadata.op_count > 5 and kernel.metadata.shared == 5 and kernel.metadata.beads == 20
add.device_caches.clear()
again = add[(1,)](x, 7, BLOCK=16, beads=20)
assert hits == [False, True] and again.asm["counts"] == kernel.asm["counts"] and again.kernel == kernel.kernel
seen = []
knobs.runtime.add_stages_inspection_hook = lambda backend, stages, options, language, arch: (seen.append((arch, list(stages))), stages.__setitem__("beads", lambda text, metadata: b"\\x00mine"))
assert add[(1,)](x, 9, BLOCK=32).kernel == b"\\x00mine" and seen == [(1, ["ttir", "counts", "beads"])]
try:
    add[(1,)](x, 9, BLOCK=32, no_such_option=1)
except KeyError as error:
    assert "no_such_option" in str(error)
else:
    raise AssertionError
try:
    add[(1,)](x, 9, BLOCK=3)
except triton.CompilationError:
    print("all as it should be")
"""


@pytest.fixture
def plugin(tmp_path):
    package = tmp_path / "tally_backend"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "compiler.py").write_text(textwrap.dedent(COMPILER))
    (package / "driver.py").write_text(textwrap.dedent(DRIVER))
    info = tmp_path / "tally-1.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text("[triton.backends]\ntally = tally_backend\n")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    return program


def test_from_entry_point_to_launch(plugin, tmp_path):
    path = os.pathsep.join([str(tmp_path), PACKAGES])
    environment = {**os.environ, "PYTHONPATH": path, "TRITON_CACHE_DIR": str(tmp_path / "cache")}
    environment.pop("TRITON_DEFAULT_BACKEND")  # the plugin's driver is to be found
    environment["CUDA_VISIBLE_DEVICES"] = ""  # and no other
    environment.pop("TRITON_SIMULATE", None)
    result = subprocess.run([sys.executable, plugin], env=environment, capture_output=True, text=True)
    assert result.returncode == 0 and result.stdout == "all as it should be\n", result.stdout + result.stderr
