"""What `tool --version` prints, remembered across processes: starting a tool takes longer than a whole warm start should.

The text is kept in the cache directory under the tool's real path, size and time of change, and says its own digest: a file that is damaged, or of another
tool, is as good as none.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import tempfile

from . import knobs
from ._C.libtriton import cache as native


def _digest(text):
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _remembered(path):
    """The text in a file, or None."""
    digest, _, text = (native.read_plain_file(path) or b"").decode("utf-8", "replace").partition("\n")
    return text if digest == _digest(text) else None


def _remember(path, text):
    with contextlib.suppress(OSError):  # a directory that cannot be written costs the next process a little time
        os.makedirs(os.path.dirname(path), exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix="tmp.")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(f"{_digest(text)}\n{text}")
        os.replace(temporary, path)


@functools.lru_cache
def version_text(path):
    """None if the tool cannot be run."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    identity = f"{os.path.realpath(path)}\n{status.st_size}\n{status.st_mtime_ns}"
    record = os.path.join(knobs.cache.dir, f"tool-{_digest(identity)[:32]}.txt")
    text = _remembered(record)
    if text is None:
        import subprocess

        try:
            output = subprocess.check_output([path, "--version"], stderr=subprocess.STDOUT, timeout=30)
        except (OSError, subprocess.SubprocessError):
            return None
        text = output.decode("utf-8", "replace")
        _remember(record, text)
    return text
