"""Building C code into Python extensions at run time, for drivers of backends that need it."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sysconfig
import tempfile
import warnings

from .. import knobs
from .._C.libtriton import cache as native
from .cache import find_damage, get_cache_manager, seal


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


def _named_by_cache(module, cache, file_name):
    """The module, which knows where it is stored: what it was loaded from is a copy that goes."""
    module.__file__ = cache.get_file(file_name) or module.__file__
    return module


def _stored(cache, name, file_name):
    """The bytes of a module that was built before; None if there is none, or it is not as it was stored."""
    paths = cache.get_file(file_name), cache.get_file(f"{name}.json")
    content, description = (path and native.read_plain_file(path) for path in paths)
    if not content:
        return None
    if not description or find_damage(description, {file_name: content}):
        warnings.warn(f"Failed to load cached {file_name}, building it again: it is not what was stored")
        return None
    return content


def _store(cache, name, file_name, key, content):
    description = seal(json.dumps({"hash": key, "name": name}), {file_name: content})
    with contextlib.suppress(OSError):  # a full disk: the next process builds again
        cache.put(description, f"{name}.json", binary=False)
        cache.put(content, file_name, binary=True)


def compile_module_from_src(src, name, library_dirs=None, include_dirs=None, libraries=None, ccflags=None):
    """The extension module that C source makes; built once, then taken from the cache."""
    key = hashlib.sha256((src + platform_key()).encode("utf-8")).hexdigest()
    cache = get_cache_manager(key)
    file_name = f"{name}{sysconfig.get_config_var('EXT_SUFFIX')}"
    with tempfile.TemporaryDirectory() as folder:
        content = _stored(cache, name, file_name)
        if content is not None:
            # From a copy: who else writes into the cache cannot put another file in its place after it was checked.
            copy = os.path.join(folder, file_name)
            with open(copy, "wb") as file:
                file.write(content)
            try:
                return _named_by_cache(_load(name, copy), cache, file_name)
            except (RuntimeError, ImportError):
                warnings.warn(f"Failed to load cached {file_name}, building it again")
        source = os.path.join(folder, f"{name}.c")
        with open(source, "w") as file:
            file.write(src)
        built = _build(name, source, folder, library_dirs or [], include_dirs or [], libraries or [], ccflags or [])
        with open(built, "rb") as file:
            _store(cache, name, file_name, key, file.read())
        return _named_by_cache(_load(name, built), cache, file_name)
