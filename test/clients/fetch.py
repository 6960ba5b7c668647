"""Downloads packages that hold Triton kernels, and unpacks those of their Python files that mention Triton, and the constants those share.

python test/clients/fetch.py [PACKAGE…]     to the folder TRITON_CLIENTS, build/clients of the repository if that is not set
"""

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

# What one imports, and the wheel it comes in.
WHEELS = {
    "vllm": "vllm==0.32.0",
    "sglang": "sglang==0.5.23",
    "lightllm": "lightllm==0.0.1",
    "lmdeploy": "lmdeploy==0.18.0",
    "fla": "fla-core==0.6.0",
    "liger_kernel": "liger-kernel==0.8.5",
    "unsloth": "unsloth==2026.10.9",
    "unsloth_zoo": "unsloth-zoo==2026.10.9",
    "torchao": "torchao==0.18.0",
    "xformers": "xformers==0.0.35",
    "bitsandbytes": "bitsandbytes==0.50.2",
    "conch": "conch-triton-kernels==1.3",
    "cut_cross_entropy": "cut-cross-entropy==25.1.1",
    "sageattention": "sageattention==1.0.6",
    "accelerated_scan": "accelerated-scan==0.3.1",
    "flag_gems": "flag-gems==5.0.2",
}
PLATFORMS = [f"manylinux_2_{minor}_x86_64" for minor in (17, 24, 28, 31, 34, 35)] + ["manylinux2014_x86_64", "any"]


def folder():
    default = Path(__file__).resolve().parents[2] / "build" / "clients"
    return Path(os.environ.get("TRITON_CLIENTS", default))


def fetch(package):
    """The folder with the package's files."""
    wheel = WHEELS[package]
    place = folder() / wheel.replace("==", "-")
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
        subprocess.run([*command, "-d", temporary, wheel], check=True)
        (archive,) = Path(temporary).glob("*.whl")
        unpack(archive, place)
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
    for name in sys.argv[1:] or WHEELS:
        print(fetch(name))
