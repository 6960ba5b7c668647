"""The version of a wheel, for scikit-build-core (pyproject.toml): the stamp in TRITON_STAMP, or the newest, with the label `+cpp`."""

import os
import re

NEWEST = "3.9.0"


def dynamic_metadata(field, settings=None):
    assert field == "version", field
    stamp = os.environ.get("TRITON_STAMP") or NEWEST
    if not re.fullmatch(r"3\.[6-9]\.\d+", stamp):
        raise ValueError(f"TRITON_STAMP must be 3.6.0, 3.7.1, 3.8.0 or 3.9.0, got '{stamp}'")
    return f"{stamp}+cpp"
