"""Loads plug-ins: their interface is `include/triton/plugin.h`."""

from __future__ import annotations

import ctypes
import hashlib
import os

from ._C import libtriton
from ._plugins import libraries, operations

API_VERSION = 1001


class _Pass(ctypes.Structure):
    RUN = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p), ctypes.c_size_t, ctypes.POINTER(ctypes.c_void_p))  # fmt: skip
    _fields_ = [("name", ctypes.c_char_p), ("version", ctypes.c_char_p), ("run", RUN)]


class _Operation(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("source", ctypes.c_char_p)]


class _Info(ctypes.Structure):
    _fields_ = [
        ("api_version", ctypes.c_uint32), ("name", ctypes.c_char_p), ("version", ctypes.c_char_p), ("passes", ctypes.POINTER(_Pass)), ("pass_count", ctypes.c_size_t),
        ("ops", ctypes.POINTER(_Operation)), ("op_count", ctypes.c_size_t), ("triton_version", ctypes.c_char_p),
    ]  # fmt: skip


def _take_text(address):
    """Text from malloc, which is freed."""
    try:
        return ctypes.string_at(address).decode("utf-8", "replace")
    finally:
        free = ctypes.CDLL(None).free
        free.argtypes = [ctypes.c_void_p]
        free(address)


def _add_pass(described):
    name, run = described.name.decode(), described.run

    def transform(arguments, text):
        texts = (ctypes.c_char_p * max(len(arguments), 1))(*(argument.encode() for argument in arguments))
        error = ctypes.c_void_p()
        result = run(text.encode(), texts, len(arguments), ctypes.byref(error))
        if not result:
            raise RuntimeError(
                f"the pass '{name}' failed: {_take_text(error.value) if error.value else 'it does not say why'}"
            )
        return _take_text(result)

    def add(pm, args=()):
        arguments = [str(argument) for argument in args]
        pm.add_function(name, lambda text: transform(arguments, text))

    add.__name__, add.__doc__ = name, f"Adds the pass '{name}' of a plug-in to a pass manager."
    setattr(libtriton.passes.plugin, name, add)


def _check_version(path, info, version):
    """Raises unless a plug-in was made for this Triton."""
    if info.api_version != API_VERSION:
        raise ImportError(
            f"the plug-in {path} has interface {info.api_version}, this Triton {API_VERSION}: plug-ins that pass MLIR's C++ objects, as those for the Triton of OpenAI do, "
            "cannot be loaded here (docs/how-to/write-a-plugin.md)"
        )
    made_for, mode = info.triton_version.decode(), os.environ.get("TRITON_PLUGIN_VERSION_CHECK", "").lower()
    if mode in ("0", "off", "false", "n", "no"):
        return
    fits = made_for == version if mode in ("1", "on", "true", "y", "yes") else made_for.split("+")[0] == version.split("+")[0]  # fmt: skip
    if not fits:
        raise ImportError(f"the plug-in {path} is made for Triton {made_for}, this is {version}; TRITON_PLUGIN_VERSION_CHECK=0 loads it all the same")  # fmt: skip


def load(paths, version):
    """Loads the plug-ins that a list of paths, separated as in PATH, names. What cannot be loaded is an ImportError."""
    for path in filter(None, paths.split(os.pathsep)):
        try:
            library = ctypes.CDLL(path)
            get_info = library.tritonGetPluginInfo
        except (OSError, AttributeError) as error:
            raise ImportError(f"the plug-in {path} cannot be loaded: {error}") from error
        get_info.restype = ctypes.POINTER(_Info)
        info = get_info().contents
        _check_version(path, info, version)
        with open(path, "rb") as file:
            libraries[path] = hashlib.sha256(file.read()).hexdigest()
        for index in range(info.pass_count):
            _add_pass(info.passes[index])
        for index in range(info.op_count):
            operations[info.ops[index].name.decode()] = info.ops[index].source.decode()
