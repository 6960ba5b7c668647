"""What README.md and docs/ show is what the tools print. When this fails: scripts/update_docs.py, and read what changed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = Path(os.environ.get("TRITON_BUILD", ROOT / "build")) / "bin"
DOCUMENTS = [path for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if path.exists()]
DOCUMENTS = [path for path in DOCUMENTS if "<!-- " in path.read_text()]

# Texts of the CPU target and of the tools, which a bundle does not have.
pytestmark = [
    pytest.mark.cpu_only,
    pytest.mark.skipif(
        not all((TOOLS / tool).exists() for tool in ("tritonc", "triton-opt", "triton-ast")), reason="needs the tools"
    ),
]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_shows_what_the_tools_print(path):
    check = subprocess.run(
        [sys.executable, ROOT / "scripts/update_docs.py", "--check", path], capture_output=True, text=True
    )
    assert check.returncode == 0, check.stdout + check.stderr
