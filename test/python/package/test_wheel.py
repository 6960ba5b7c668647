"""Libraries that run on an old glibc: stubs, shims, and how wheels are looked at."""

import os
import re
import shutil
import subprocess
import sys
import zipfile

import pytest
from places import ROOT

COMPILER = [shutil.which("clang++-22") or "clang++-22", "-fuse-ld=lld"]

pytestmark = [
    pytest.mark.cpu_only,
    pytest.mark.skipif(not shutil.which("clang++-22") or not shutil.which("readelf"), reason="needs the build's tools"),
]
sys.path.insert(0, str(ROOT / "scripts"))

PROGRAM = """
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <thread>
#include <dlfcn.h>
#include <malloc.h>
#include <sys/stat.h>

static thread_local int own = 3;

extern "C" int check() {
  std::mutex mutex;
  std::condition_variable condition;
  int sum = 0;
  std::thread other([&] { sum += own; std::lock_guard lock(mutex); condition.notify_all(); });
  {
    std::unique_lock lock(mutex);
    auto begin = std::chrono::steady_clock::now();
    condition.wait_for(lock, std::chrono::milliseconds(50), [] { return false; });
    if (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(45)) return 1;
  }
  other.join();
  try { throw std::runtime_error("caught"); } catch (const std::exception &) { sum += 4; }
  struct stat place;
  if (stat("/", &place) || !S_ISDIR(place.st_mode) || lstat("/proc/self/exe", &place) || !S_ISLNK(place.st_mode)) return 2;
  if (fstat(1, &place) || !std::filesystem::is_directory("/usr")) return 3;
  if (std::random_device()() == std::random_device()() && std::random_device()() == std::random_device()()) return 4;
  if (mallinfo2().arena == 0 || !dlsym(RTLD_DEFAULT, "malloc")) return 5;
  volatile double two = 2;
  return sum == 7 && std::pow(two, 10) == 1024 && std::exp2(two) == 4 && std::hypot(3 * two / 2, 2 * two) == 5 ? 0 : 6;
}
"""


@pytest.fixture(scope="module")
def old_library(tmp_path_factory):
    """A library with everything that has changed since glibc 2.28, linked for that."""
    folder = tmp_path_factory.mktemp("glibc")
    subprocess.run([sys.executable, ROOT / "scripts/glibc_stubs.py", "2.28", folder / "stubs", *COMPILER], check=True)
    (folder / "program.cpp").write_text(PROGRAM)
    subprocess.run([*COMPILER[:1], "-x", "c", "-fPIC", "-fno-builtin", "-Werror", "-Wall", "-Wextra", "-c", ROOT / "cmake/GlibcShims.c", "-o", folder / "shims.o"], check=True)  # fmt: skip
    command = [*COMPILER, "-std=c++20", "-shared", "-fPIC", "-static-libstdc++", "-static-libgcc", "-Wl,-z,defs", folder / "program.cpp", folder / "shims.o",
               f"-L{folder / 'stubs'}", "-Wl,--push-state,--no-as-needed", "-lpthread", "-ldl", "-Wl,--pop-state", "-o", folder / "libold.so"]  # fmt: skip
    subprocess.run(command, check=True)
    return folder / "libold.so"


def test_a_library_for_an_old_glibc_runs(old_library):
    check = "import ctypes, sys; sys.exit(ctypes.CDLL(sys.argv[1]).check())"
    assert subprocess.run([sys.executable, "-c", check, old_library]).returncode == 0


def test_it_needs_no_more_than_it_says(old_library):
    import check_wheel

    version, libraries = check_wheel.needs(old_library)
    assert (2, 14) <= version <= (2, 28) and {"libc.so.6", "libpthread.so.0", "libdl.so.2"} <= set(libraries)


def test_wheels_are_looked_at(old_library, tmp_path):
    import check_wheel

    def wheel(name, *files):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for path, inside in files:
                archive.write(path, inside)
        return check_wheel.problems_of(tmp_path / name)

    assert wheel("triton-3.9.0-cp311-cp311-manylinux_2_28_x86_64.whl", (old_library, "triton/lib/libold.so")) == []
    (problem,) = wheel("triton-3.9.0-cp311-cp311-manylinux_2_5_x86_64.whl", (old_library, "triton/lib/libold.so"))
    assert re.search(r"needs glibc 2\.\d+, and the wheel promises 2.5", problem)
    assert wheel("triton-3.9.0-cp311-cp311-linux_x86_64.whl") and wheel(
        "triton-3.9.0-cp311-cp311-manylinux_2_28_x86_64.whl"
    )


def test_newest_version_that_is_old_enough():
    import glibc_stubs

    listing = """
     1: 0000000000000000     0 FUNC    GLOBAL DEFAULT  UND other@GLIBC_2.2.5 (2)
    10: 00000000000a1b10   200 FUNC    GLOBAL DEFAULT   15 memcpy@GLIBC_2.2.5
    11: 00000000000a1b20   200 FUNC    GLOBAL DEFAULT   15 memcpy@@GLIBC_2.14
    12: 00000000000a1b30   200 FUNC    GLOBAL DEFAULT   15 arc4random@@GLIBC_2.36
    13: 00000000001f0000     8 OBJECT  WEAK   DEFAULT   33 environ@@GLIBC_2.2.5
"""
    found = glibc_stubs.read_symbols(listing, "GLIBC_2.28")
    assert found == {"memcpy": ("GLIBC_2.14", "FUNC"), "environ": ("GLIBC_2.2.5", "OBJECT")}


# torch -> what it says of triton, and the stamp that takes its place.
PINS = {
    "2.11.0": ("triton==3.6.0", "3.6.0"),
    "2.12.1": ("triton==3.7.1", "3.7.1"),
    "2.13.0": ("triton==3.7.1", "3.7.1"),
    "2.14.1": ("triton~=3.8.0", "3.8.0"),
    "2.15.0": ("triton~=3.9.0", "3.9.0"),
}


def check_beside(folder, torch, pin, stamp):
    """What `pip check` says of a wheel of this stamp beside torch, both by their metadata."""
    environment = folder / f"{torch}-{stamp}"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    (site,) = (environment / "lib").glob("python*/site-packages")
    for name, version, requirements in (("torch", torch, [pin]), ("triton", f"{stamp}+cpp", [])):
        information = site / f"{name}-{version}.dist-info"
        information.mkdir()
        lines = [
            "Metadata-Version: 2.1",
            f"Name: {name}",
            f"Version: {version}",
            *(f"Requires-Dist: {text}" for text in requirements),
        ]
        (information / "METADATA").write_text("\n".join(lines) + "\n")
    alone = {
        name: value for name, value in os.environ.items() if name != "PYTHONPATH"
    }  # where a source checkout says its version
    command = [sys.executable, "-m", "pip", "--python", environment / "bin" / "python", "check"]
    return subprocess.run(command, capture_output=True, text=True, env=alone)


@pytest.mark.parametrize("torch", PINS)
def test_stamps_fit_the_torch_that_pins_them(torch, tmp_path):
    pin, stamp = PINS[torch]
    done = check_beside(tmp_path, torch, pin, stamp)
    assert done.returncode == 0, done.stdout + done.stderr
    other = "3.6.0" if stamp != "3.6.0" else "3.9.0"
    assert "has requirement triton" in check_beside(tmp_path, torch, pin, other).stdout


@pytest.mark.parametrize("stamp", ["3.6.0", "3.7.1", "3.8.0", "3.9.0"])
def test_the_wheel_has_the_stamps_version(tmp_path, stamp):
    """What `pip wheel .` asks of the build backend first: a newer backend that refuses pyproject.toml shows here."""
    pytest.importorskip("scikit_build_core")
    prepare = f"import scikit_build_core.build as b; print(b.prepare_metadata_for_build_wheel({str(tmp_path)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", prepare],
        cwd=ROOT,
        env={**os.environ, "TRITON_STAMP": stamp},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == f"triton-{stamp}+cpp.dist-info"
    assert f"Version: {stamp}+cpp" in (tmp_path / f"triton-{stamp}+cpp.dist-info" / "METADATA").read_text().splitlines()
