"""Looks whether wheels run where their names say: which versions of glibc's functions the libraries in them need, and which other libraries.

check_wheel.py WHEEL…
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

SYSTEM = re.compile(r"(libc|libm|libdl|libpthread|librt|ld-linux-\S+)\.so\.\d+")  # what every Linux with glibc has


def _version(text):
    return tuple(map(int, text.split(".")))


def needs(path):
    """(newest version of glibc, names of libraries) that a shared library asks for."""

    def read(option):
        return subprocess.run(["readelf", "-W", option, path], check=True, capture_output=True, text=True).stdout

    versions = re.findall(r"GLIBC_([0-9.]+)", read("--version-info"))
    libraries = re.findall(r"\(NEEDED\).*\[(.+)\]", read("--dynamic"))
    return max(map(_version, versions), default=(0,)), libraries


def problems_of(wheel):
    """What keeps a wheel from running on some machine that its name promises."""
    promised = re.search(r"manylinux_(\d+)_(\d+)_", wheel.name)
    if not promised:
        return [f"{wheel.name} promises no glibc"]
    limit = tuple(map(int, promised.groups()))
    found = []
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as folder:
        members = [name for name in archive.namelist() if re.search(r"\.so(\.\d+)*$", name)]
        own = {Path(name).name for name in members}
        for name in members:
            glibc, libraries = needs(archive.extract(name, folder))
            if glibc > limit:
                found.append(
                    f"{name} needs glibc {'.'.join(map(str, glibc))}, and the wheel promises {'.'.join(map(str, limit))}"
                )
            found += [
                f"{name} needs {other}" for other in libraries if other not in own and not SYSTEM.fullmatch(other)
            ]
    return found or ([] if members else [f"{wheel.name} has no libraries"])


def main(paths):
    bad = False
    for wheel in map(Path, paths):
        problems = problems_of(wheel)
        bad = bad or bool(problems)
        print(f"{wheel.name}: {'; '.join(problems) or 'runs where it says'}, {wheel.stat().st_size / 1e6:.1f} MB")
    return int(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
