"""`tl.target_info`: what the kernel is compiled for, as compile-time values. Outside of kernels they answer for the active driver's target."""

from .builtins import define

define(globals(), __name__)
del define


def _ask_about(target):
    """Lets the host ask each question of the module; `target()` is what the answers are about, or None."""

    def is_cuda():
        return target() is not None and target().backend == "cuda"

    def cuda_capability_geq(major, minor=0):
        return is_cuda() and target().arch >= 10 * major + minor

    def is_fpsan():
        return False  # a property of a compile

    def is_hip():
        return target() is not None and target().backend == "hip"

    def is_hip_cdna3():
        return is_hip() and target().arch == "gfx942"

    def is_hip_cdna4():
        return is_hip() and target().arch == "gfx950"

    def is_hip_gfx1250():
        return is_hip() and target().arch == "gfx1250"

    for answer in (is_cuda, cuda_capability_geq, is_fpsan, is_hip, is_hip_cdna3, is_hip_cdna4, is_hip_gfx1250):
        globals()[answer.__name__].answer = answer


_active_target = None  # of the runtime, which sets it: its drivers know the machine


def current_target():
    """The active driver's target: `backend`, `arch` and `warp_size`; None without a driver."""
    return None if _active_target is None else _active_target()


_ask_about(current_target)
del _ask_about
