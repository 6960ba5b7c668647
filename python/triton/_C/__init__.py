"""The native part. In an installed package the extension lies here; in a working tree it is found in the build folder."""

import os as _os

_built = _os.environ.get("TRITON_BUILD") or _os.path.join(_os.path.dirname(__file__), "..", "..", "..", "build")
_built = _os.path.abspath(_os.path.join(_built, "python", "triton", "_C"))
if _os.path.isdir(_built):
    __path__.append(_built)
