"""Building C and C++ code into Python extensions and libraries at run time, for drivers of backends that need it."""

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


# language -> (variable that names its compiler, compilers to look for, endings of files, flags)
_LANGUAGES = {
    "c": ("CC", ("gcc", "clang"), (".c",), ()),
    "c++": ("CXX", ("g++", "clang++"), (".cpp", ".cc", ".cxx"), ("-std=c++17",)),
}


def _compiler(language) -> str:
    variable, known, _, _ = _LANGUAGES[language]
    given = knobs.build.cc if language == "c" else os.environ.get(variable)
    found = given or next(filter(None, map(shutil.which, known)), None)
    if not found:
        raise RuntimeError(
            f"Failed to find {language.upper()} compiler. Please specify via {variable} environment variable or set triton.knobs.build.impl."
        )
    return found


def _language_from_filename(source_name: str) -> str:
    ending = os.path.splitext(source_name)[1]
    for language, (_, _, endings, _) in _LANGUAGES.items():
        if ending in endings:
            return language
    raise ValueError(f"{source_name} is neither C nor C++ by its name")


def _library_flag(library: str) -> str:
    is_file = library.endswith(".a") or ".so" in library
    return f"-l:{library}" if is_file else f"-l{library}"


def _build(name, src, srcdir, library_dirs, include_dirs, libraries, ccflags, language="c") -> str:
    """Compiles the file `src`; gives the path of the extension."""
    if knobs.build.impl is not None:
        return knobs.build.impl(name, src, srcdir, library_dirs, include_dirs, libraries)
    out = os.path.join(srcdir, f"{name}{sysconfig.get_config_var('EXT_SUFFIX')}")
    include_dirs = [*include_dirs, srcdir, sysconfig.get_paths()["include"], *knobs.build.backend_dirs]
    command = [_compiler(language), src, "-O3", "-shared", "-fPIC", "-Wno-psabi", *_LANGUAGES[language][3], "-o", out]
    command += [_library_flag(library) for library in libraries]
    command += [f"-L{folder}" for folder in library_dirs] + [f"-I{folder}" for folder in include_dirs] + list(ccflags)
    subprocess.check_call(command, stdout=subprocess.DEVNULL)
    return out


def link(source, out, flags) -> str:
    """Makes a shared library of an object; gives its path."""
    subprocess.check_call([_compiler("c"), source, "-shared", "-o", out, *flags], stdout=subprocess.DEVNULL)
    return out


def _load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    if not spec or not spec.loader:
        raise RuntimeError(f"Failed to load newly compiled {name} from {path}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
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


def _build_or_find(src, name, settings, language, file_name, use):
    """What `use(path)` makes of the library that a source makes: of a copy of the one that was built before or, where that is none, of a new one."""
    text = json.dumps([src, platform_key(), language, *settings])
    key = hashlib.sha256(text.encode("utf-8")).hexdigest()
    cache = get_cache_manager(key)
    with tempfile.TemporaryDirectory() as folder:
        content = _stored(cache, name, file_name)
        if content is not None:
            # From a copy: who else writes into the cache cannot put another file in its place after it was checked.
            copy = os.path.join(folder, file_name)
            with open(copy, "wb") as file:
                file.write(content)
            try:
                return use(copy, cache.get_file(file_name) or copy)
            except (RuntimeError, ImportError):
                warnings.warn(f"Failed to load cached {file_name}, building it again")
        source = os.path.join(folder, name + _LANGUAGES[language][2][0])
        with open(source, "w") as file:
            file.write(src)
        built = _build(name, source, folder, *(setting or [] for setting in settings), language)
        with open(built, "rb") as file:
            _store(cache, name, file_name, key, file.read())
        return use(built, cache.get_file(file_name) or built)


def _check_language(language):
    if language not in _LANGUAGES:
        raise ValueError(f"helpers are built from {' and '.join(_LANGUAGES)}, not {language!r}")


def compile_module_from_src(src, name, library_dirs=None, include_dirs=None, libraries=None, ccflags=None, language="c"):
    """The extension module that source makes; built once, then taken from the cache."""
    _check_language(language)

    def load(path, stored):
        module = _load(name, path)
        module.__file__ = stored  # what it was loaded from is a copy that goes
        return module

    file_name = f"{name}{sysconfig.get_config_var('EXT_SUFFIX')}"
    return _build_or_find(src, name, (library_dirs, include_dirs, libraries, ccflags), language, file_name, load)


def compile_so_from_src(src, name, library_dirs=None, include_dirs=None, libraries=None, ccflags=None, language="c"):
    """The path, in the cache, of the shared library that source makes."""
    _check_language(language)
    file_name = f"{name}{sysconfig.get_config_var('EXT_SUFFIX')}"

    def place(path, stored):
        if stored == path:  # which goes with its folder
            raise RuntimeError(f"{file_name} cannot be stored in {knobs.cache.dir}")
        return stored

    return _build_or_find(src, name, (library_dirs, include_dirs, libraries, ccflags), language, file_name, place)


def _from_file(compile, src_path, name, *settings):
    with open(src_path) as file:
        return compile(file.read(), name, *settings, language=_language_from_filename(str(src_path)))


def compile_module_from_file(src_path, name, library_dirs=None, include_dirs=None, libraries=None, ccflags=None):
    """The extension module that a file makes, C or C++ by its ending."""
    return _from_file(compile_module_from_src, src_path, name, library_dirs, include_dirs, libraries, ccflags)


def compile_so_from_file(src_path, name, library_dirs=None, include_dirs=None, libraries=None, ccflags=None):
    """The path of the shared library that a file makes, C or C++ by its ending."""
    return _from_file(compile_so_from_src, src_path, name, library_dirs, include_dirs, libraries, ccflags)
