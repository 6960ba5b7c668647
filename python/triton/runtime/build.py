"""Building C code into Python extensions at run time, for drivers of backends that need it."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sysconfig
import tempfile
import warnings

from .. import knobs
from .cache import get_cache_manager


@functools.lru_cache
def platform_key() -> str:
    """What compiled code depends on besides its source."""
    return ",".join(
        [platform.machine(), platform.system(), *platform.architecture(), sysconfig.get_config_var("EXT_SUFFIX")]
    )


def _compiler() -> str:
    found = knobs.build.cc or shutil.which("gcc") or shutil.which("clang")
    if not found:
        raise RuntimeError(
            "Failed to find C compiler. Please specify via CC environment variable or set triton.knobs.build.impl."
        )
    return found


def _library_flag(library: str) -> str:
    is_file = library.endswith(".a") or ".so" in library
    return f"-l:{library}" if is_file else f"-l{library}"


def _build(name, src, srcdir, library_dirs, include_dirs, libraries, ccflags) -> str:
    """Compiles the C file `src`; gives the path of the extension."""
    if knobs.build.impl is not None:
        return knobs.build.impl(name, src, srcdir, library_dirs, include_dirs, libraries)
    out = os.path.join(srcdir, f"{name}{sysconfig.get_config_var('EXT_SUFFIX')}")
    include_dirs = [*include_dirs, srcdir, sysconfig.get_paths()["include"], *knobs.build.backend_dirs]
    command = [_compiler(), src, "-O3", "-shared", "-fPIC", "-Wno-psabi", "-o", out]
    command += [_library_flag(library) for library in libraries]
    command += [f"-L{folder}" for folder in library_dirs] + [f"-I{folder}" for folder in include_dirs] + list(ccflags)
    subprocess.check_call(command, stdout=subprocess.DEVNULL)
    return out


def _load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    if not spec or not spec.loader:
        raise RuntimeError(f"Failed to load newly compiled {name} from {path}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compile_module_from_src(src, name, library_dirs=None, include_dirs=None, libraries=None, ccflags=None):
    """The extension module that C source makes; built once, then taken from the cache."""
    key = hashlib.sha256((src + platform_key()).encode("utf-8")).hexdigest()
    cache = get_cache_manager(key)
    file_name = f"{name}{sysconfig.get_config_var('EXT_SUFFIX')}"
    path = cache.get_file(file_name)
    if path is not None:
        try:
            return _load(name, path)
        except (RuntimeError, ImportError):
            warnings.warn(f"Failed to load cached {file_name}, building it again")
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, f"{name}.c")
        with open(source, "w") as file:
            file.write(src)
        built = _build(name, source, folder, library_dirs or [], include_dirs or [], libraries or [], ccflags or [])
        with open(built, "rb") as file:
            path = cache.put(file.read(), file_name, binary=True)
    return _load(name, path)
