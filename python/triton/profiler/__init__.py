"""The profiler, known as Proton: how long kernels run, by the scopes and functions that launched them.

    import triton.profiler as proton

    proton.start("matmul", hook="triton")
    with proton.scope("warm-up"):
        ...
    proton.finalize()  # writes matmul.hatchet, which proton-viewer shows

The measuring is native; `triton.profiler.viewer` reads the files. `triton.profiler.language` marks the parts of a kernel.
"""

from . import context, data, hooks, language, mode, specs
from .profile import DEFAULT_PROFILE_NAME, activate, deactivate, finalize, profile, start
from .scope import cpu_timed_scope, enter_scope, exit_scope, scope
from .state import enter_state, exit_state, metadata_state, state

__all__ = [
    "activate", "context", "cpu_timed_scope", "data", "deactivate", "enter_scope", "enter_state", "exit_scope", "exit_state", "finalize", "hooks",
    "language", "metadata_state", "mode", "profile", "scope", "specs", "start", "state", "DEFAULT_PROFILE_NAME",
]  # fmt: skip
