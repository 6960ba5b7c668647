"""The backends: those of this package, and those that other packages add through the entry point group `triton.backends`."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from dataclasses import dataclass
from typing import Type

from .._C import libtriton
from .compiler import BaseBackend, GPUTarget
from .driver import DriverBase, GPUDriver  # noqa: F401


@dataclass(frozen=True)
class Backend:
    compiler: Type[BaseBackend]
    driver: Type[DriverBase]


def _only_subclass(module, base):
    """The one concrete subclass of `base` that a module defines or imports."""
    found = [
        cls
        for cls in vars(module).values()
        if inspect.isclass(cls) and issubclass(cls, base) and not inspect.isabstract(cls)
    ]
    found = [cls for cls in dict.fromkeys(found) if cls is not base]
    if len(found) != 1:
        names = ", ".join(cls.__name__ for cls in found) or "none"
        raise RuntimeError(f"expected one concrete subclass of {base.__name__} in {module.__name__}, found {names}")
    return found[0]


def _load(package):
    compiler = importlib.import_module(f"{package}.compiler")
    driver = importlib.import_module(f"{package}.driver")
    return Backend(_only_subclass(compiler, BaseBackend), _only_subclass(driver, DriverBase))


def _entry_points(group):
    """name -> package of an entry point group. Reads the few files itself: importlib.metadata costs more to import than all of this package."""
    found = {}
    for folder in dict.fromkeys(sys.path):
        try:
            distributions = [
                entry.path for entry in os.scandir(folder or ".") if entry.name.endswith((".dist-info", ".egg-info"))
            ]
        except OSError:
            continue
        for distribution in distributions:
            try:
                with open(os.path.join(distribution, "entry_points.txt"), encoding="utf-8") as file:
                    text = file.read()
            except OSError:
                continue
            if f"[{group}]" not in text:
                continue
            section = text.split(f"[{group}]", 1)[1].split("\n[", 1)[0]
            for line in section.splitlines():
                name, separator, package = line.partition("=")
                if separator:
                    found.setdefault(name.strip(), package.strip())
    return found


def _is_built(name):
    """Whether the compiler has the target of a backend of this package: those for GPUs can be left out."""
    try:
        libtriton.target_facts({"amd": "hip", "nvidia": "cuda"}.get(name, name))
    except ValueError:
        return False
    return True


def _discover():
    root = os.path.dirname(__file__)
    own = sorted(
        name for name in os.listdir(root) if os.path.isfile(os.path.join(root, name, "driver.py")) and _is_built(name)
    )
    found = {name: _load(f"{__name__}.{name}") for name in own}
    if os.environ.get("TRITON_BACKENDS_IN_TREE") == "1":
        return found
    for name, package in _entry_points("triton.backends").items():
        # Another Triton installed beside this one names backends of its own in our namespace: those are not ours.
        if name not in found and not package.startswith(f"{__name__}."):
            found[name] = _load(package)
    return found


backends: dict[str, Backend] = _discover()


def make_backend(target: GPUTarget):
    """The one backend that compiles for `target`."""
    fitting = [backend.compiler for backend in backends.values() if backend.compiler.supports_target(target)]
    if len(fitting) != 1:
        known = "" if fitting else f" The backends are {', '.join(sorted(backends))}."
        raise RuntimeError(
            f"{len(fitting)} compatible backends for target ({target.backend}) ({fitting}). There should only be one.{known}"
        )
    return fitting[0](target)
