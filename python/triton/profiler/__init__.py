"""The profiler, known as Proton: how long kernels run, by the scopes and functions that launched them.

    import triton.profiler as proton

    proton.start("matmul", hook="triton")
    with proton.scope("warm-up"):
        ...
    proton.finalize()  # writes matmul.hatchet, which proton-viewer shows

The measuring is native; `triton.profiler.viewer` reads the files.
"""

from .session import DEFAULT_PROFILE_NAME, activate, deactivate, finalize, profile, start
from .scope import cpu_timed_scope, enter_scope, exit_scope, scope
from .state import enter_state, exit_state, state

__all__ = [
    "activate", "cpu_timed_scope", "deactivate", "enter_scope", "enter_state", "exit_scope", "exit_state", "finalize", "profile", "scope", "start", "state",
]  # fmt: skip
