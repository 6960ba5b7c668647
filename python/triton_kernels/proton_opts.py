"""Whether kernels may wait for the device to tell a profiler how much they did."""

import os

_allow_sync = None


def launch_metadata_allow_sync():
    """True unless `PROTON_LAUNCH_METADATA_NOSYNC=1` is in the environment, or `set_launch_metadata_allow_sync` said otherwise."""
    if _allow_sync is None:
        return os.environ.get("PROTON_LAUNCH_METADATA_NOSYNC", "0") != "1"
    return _allow_sync


def set_launch_metadata_allow_sync(allow_sync):
    global _allow_sync
    _allow_sync = bool(allow_sync)
