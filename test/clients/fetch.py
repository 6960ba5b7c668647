"""Downloads packages that hold Triton kernels, and unpacks those of their Python files that mention Triton, and the constants those share.

python test/clients/fetch.py [PACKAGE…]     to the folder TRITON_CLIENTS, build/clients of the repository if that is not set
"""

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

VERSIONS = {"vllm": "0.32.0", "sglang": "0.5.23", "lightllm": "0.0.1"}
PLATFORMS = [f"manylinux_2_{minor}_x86_64" for minor in (17, 24, 28, 31, 34, 35)] + ["manylinux2014_x86_64", "any"]


def folder():
    default = Path(__file__).resolve().parents[2] / "build" / "clients"
    return Path(os.environ.get("TRITON_CLIENTS", default))


def fetch(package):
    """The folder with the package's files."""
    place = folder() / f"{package}-{VERSIONS[package]}"
    if place.exists():
        return place
    with tempfile.TemporaryDirectory() as temporary:
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--no-deps",
            "--only-binary=:all:",
            "--python-version",
            "3.11",
        ]
        for platform in PLATFORMS:
            command += ["--platform", platform]
        subprocess.run([*command, "-d", temporary, f"{package}=={VERSIONS[package]}"], check=True)
        (wheel,) = Path(temporary).glob("*.whl")
        unpack(wheel, place)
    return place


def unpack(wheel, place):
    partial = place.with_name(place.name + ".partial")
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(".py"):
                text = archive.read(name)
                if b"triton" in text.lower() or name.endswith(("math_utils.py", "scalar_type.py")):
                    path = partial / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(text)
    partial.rename(place)


if __name__ == "__main__":
    for name in sys.argv[1:] or VERSIONS:
        print(fetch(name))
