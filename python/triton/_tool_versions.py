"""NVIDIA's tools: where Python packages put them, and what they print of their versions. The native compiler finds them, and remembers what they say."""

from __future__ import annotations

import functools
import os
import sys

from . import knobs
from ._C import libtriton


@functools.lru_cache
def toolkit_folders():
    """Folders laid out like a CUDA toolkit: this package's own, and those of NVIDIA's Python packages."""
    folders = [os.path.join(os.path.dirname(__file__), "backends", "nvidia")]
    packages = ("cu13", "cuda_nvcc", "cuda_cuobjdump", "cuda_nvdisasm", "nvjitlink", "cu12")
    folders += [os.path.join(root, "nvidia", package) for root in sys.path for package in packages]
    return [folder for folder in folders if os.path.isdir(folder)]


@functools.lru_cache
def find_tool(name):
    """Its path; empty if it is nowhere."""
    return libtriton.find_tool(name, toolkit_folders())


@functools.lru_cache
def version_text(path):
    """What `path --version` prints; None if it cannot be run."""
    return libtriton.tool_version(path, knobs.cache.dir)
