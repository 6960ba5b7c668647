"""Where the repository, what is built of it, and the package that is tested lie."""

import os
from pathlib import Path

import triton

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TRITON_BUILD") or ROOT / "build").absolute()
TRITONC = BUILD / "bin" / "tritonc"
PACKAGES = str(Path(triton.__file__).resolve().parents[1])
