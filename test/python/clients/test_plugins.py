"""Plug-ins in C++: the example's pass and operation, versions, and libraries that are none."""

import os
import shutil
import subprocess
import sys

import pytest
import triton
from places import ROOT

COMPILER = shutil.which("g++") or shutil.which("clang++")
pytestmark = [
    pytest.mark.runs,
    pytest.mark.cpu_only,
    pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler"),
]

PROGRAM = """
import numpy as np, triton, triton.language as tl
from triton import knobs
from triton._C.libtriton import ir, passes

@tl.core.builtin
def multiply_and_keep(x, y, _semantic=None):
    return tl.tensor(_semantic.builder.multiply_and_keep([x.handle, y.handle]), x.type)

@triton.jit
def operation(x_ptr, out_ptr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    x = tl.load(x_ptr + offsets)
    tl.store(out_ptr + offsets, multiply_and_keep(x, x))

@triton.jit
def add(x_ptr, out_ptr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    x = tl.load(x_ptr + offsets)
    tl.store(out_ptr + offsets, x + 2 * x)

def run(kernel):
    x, out = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    kernel[(1,)](x, out, 4)
    return out.tolist()

def replace(arguments):
    def hook(backend=None, stages=None, options=None, language=None, capability=None):
        if stages is None:
            return "replace", str(arguments)
        make_ttir = stages["ttir"]
        def with_pass(source, metadata):
            module = make_ttir(source, metadata)
            manager = ir.pass_manager(module.context)
            passes.plugin.replace_additions(manager, arguments)
            manager.run(module, "plugin")
            return module
        stages["ttir"] = with_pass
    knobs.runtime.add_stages_inspection_hook = hook
    add.device_caches.clear()

print(run(operation))
print(run(add))
replace([])
print(run(add))
replace(["arith.mulf"])
print(run(add))
for wrong in (["a", "b"], ["no.such_op"]):
    replace(wrong)
    try:
        run(add)
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
"""


def build(folder, *flags, source=ROOT / "examples/plugin/plugin.cpp"):
    path = folder / "libexample.so"
    command = [COMPILER, "-std=c++17", "-shared", "-fPIC", f"-I{ROOT / 'include'}", *flags, source, "-o", path]
    subprocess.run(command, check=True)
    return path


def run(code, folder, paths, **variables):
    script = folder / "program.py"
    script.write_text(code)
    environment = {
        **os.environ,
        "TRITON_PLUGIN_PATHS": str(paths),
        "TRITON_CACHE_DIR": str(folder / "cache"),
        **variables,
    }
    return subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True)


def test_example(tmp_path):
    library = build(tmp_path, f'-DMADE_FOR="{triton.__version__}"')
    done = run(PROGRAM, tmp_path, library)
    assert done.returncode == 0, done.stderr
    operation, plain, replaced, named, *errors = done.stdout.splitlines()
    assert operation == "[0.0, 2.0, 6.0, 12.0]" and plain == "[0.0, 3.0, 6.0, 9.0]"
    assert replaced == "[0.0, -1.0, -2.0, -3.0]" and named == "[0.0, 2.0, 8.0, 18.0]"
    assert "the pass 'replace_additions' failed: replace_additions takes one argument, got 2" in errors[0]
    assert len(errors) == 2 and "no.such_op" in done.stdout + done.stderr or "Parse" in errors[1]


def test_versions(tmp_path):
    library = build(tmp_path, '-DMADE_FOR="3.0.0"')
    refused = run("import triton", tmp_path, library)
    assert refused.returncode != 0 and "is made for Triton 3.0.0" in refused.stderr
    assert run("import triton", tmp_path, library, TRITON_PLUGIN_VERSION_CHECK="0").returncode == 0
    library = build(tmp_path, f'-DMADE_FOR="{triton.__version__}+label"')
    assert run("import triton", tmp_path, library).returncode == 0
    assert "+label" in run("import triton", tmp_path, library, TRITON_PLUGIN_VERSION_CHECK="1").stderr


def test_what_is_no_plugin(tmp_path):
    assert "cannot be loaded" in run("import triton", tmp_path, tmp_path / "nothing.so").stderr
    (tmp_path / "empty.cpp").write_text("")
    library = build(tmp_path, source=tmp_path / "empty.cpp")
    assert "tritonGetPluginInfo" in run("import triton", tmp_path, library).stderr
    (tmp_path / "other.cpp").write_text(
        'extern "C" const void *tritonGetPluginInfo() { static const unsigned info[32] = {2}; return info; }'
    )
    library = build(tmp_path, source=tmp_path / "other.cpp")
    assert "has interface 2, this Triton 1001" in run("import triton", tmp_path, library).stderr
