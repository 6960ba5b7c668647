"""The class that programs which run on many kinds of GPUs import, and ask whether it is there for theirs."""

from ..compiler import BaseBackend, GPUTarget


class HIPBackend(BaseBackend):
    """Compiles for no target, and is none of `triton.backends.backends`. Arguments are specialised as for other GPUs."""

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return False
