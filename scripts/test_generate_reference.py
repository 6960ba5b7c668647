"""The stubs and the reference page are what the registry says, and cover the package as it is."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("triton")

ROOT = Path(__file__).resolve().parent.parent
LANGUAGE = ROOT / "python" / "triton" / "language"


def names_of(stub):
    """The names that a stub defines or shows."""
    names = set()
    for node in ast.parse(stub.read_text()).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, (ast.AnnAssign, ast.Assign)):
            names.add((node.target if isinstance(node, ast.AnnAssign) else node.targets[0]).id)
    return names


def test_up_to_date():
    run = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "generate_reference.py"), "--check"], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr


def test_the_package_stub_shows_every_public_name():
    import triton.language as tl

    assert set(tl.__all__) - names_of(LANGUAGE / "__init__.pyi") == set()


@pytest.mark.parametrize("module", ["core", "math", "standard", "random", "target_info"])
def test_module_stubs_show_every_public_name(module):
    import importlib

    found = importlib.import_module(f"triton.language.{module}")
    public = {name for name in vars(found) if not name.startswith("_")}
    assert (
        public - names_of(LANGUAGE / f"{module}.pyi") - {"define", "get_int_dtype", "libtriton", "constexpr_function"}
        == set()
    )


def test_methods_of_tensors():
    tree = ast.parse((LANGUAGE / "core.pyi").read_text())
    tensor = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "tensor")
    methods = {node.name: node for node in tensor.body if isinstance(node, ast.FunctionDef)}
    assert {"sum", "to", "reshape", "atomic_add", "exp", "__add__", "cumsum", "split"} <= set(methods)
    assert ast.unparse(methods["sum"].args) == "self, axis=None, keep_dims=False, dtype=None"
    assert ast.get_docstring(methods["sum"])


def test_what_only_core_has_is_not_at_the_top():
    import triton.language as tl

    assert not hasattr(tl, "item") and hasattr(tl.core, "item")


def test_the_page_shows_what_the_compiler_knows():
    text = (ROOT / "docs" / "reference" / "language.md").read_text()
    assert "### `tl.load(pointer, mask=None, other=None," in text and "## Atomics" in text and "`tanh`" in text
