"""What environment variables change in the code of kernels, for every backend of this package."""

from __future__ import annotations

import os

from .._C.libtriton import getenv_bool


def code_options():
    """What changes the code, as options of the native compiler. Their variables are part of every key."""
    options: dict = {}
    if getenv_bool("DISABLE_LLVM_OPT", False):
        options["optimise_llvm"] = False
    elif os.environ.get("DISABLE_LLVM_OPT", "").lower() not in ("", "0", "off", "false"):
        options["llvm_flags"] = [flag.strip() for flag in os.environ["DISABLE_LLVM_OPT"].split(",") if flag.strip()]
    if os.environ.get("LLVM_PASS_PLUGIN_PATH"):
        options["llvm_plugin"] = os.environ["LLVM_PASS_PLUGIN_PATH"]
    if getenv_bool("DISABLE_MMA_V3", False):
        options["use_wgmma"] = False
    if getenv_bool("DISABLE_MMA_V5", False):
        options["use_tcgen05"] = False
    return options
