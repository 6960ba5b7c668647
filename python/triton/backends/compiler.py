"""What a backend's compiler must offer."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from dataclasses import dataclass
from enum import Enum
from typing import Union


@dataclass(frozen=True)
class GPUTarget:
    """What code is generated for: ("cuda", 90, 32), ("hip", "gfx942", 64), ("cpu", "znver3", 1)."""

    backend: str
    arch: Union[int, str]
    warp_size: int


class Language(Enum):
    """The input language of a kernel."""

    TRITON = 0
    GLUON = 1


class BaseBackend(metaclass=ABCMeta):
    """Turns kernels into code for one kind of target."""

    supports_native_tensor_specialization = True
    specializes_storage = False  # whether keys of tensors say ("S") that their memory has less than 2^31 bytes
    code_knobs: tuple = ()  # (group, name) of knobs that choose code, and that launches look at again
    instrumentation = None

    def __init__(self, target: GPUTarget) -> None:
        assert self.supports_target(target), f"{type(self).__name__} does not compile for {target}"
        self.target = target

    @staticmethod
    @abstractmethod
    def supports_target(target: GPUTarget) -> bool: ...

    @abstractmethod
    def hash(self) -> str:
        """A text that changes whenever generated code may."""

    @abstractmethod
    def parse_options(self, options: dict) -> object:
        """The frozen options object; unknown keys are ignored."""

    @abstractmethod
    def add_stages(self, stages: dict, options: object, language: Language) -> None:
        """Fills `stages`: extension -> function (input, metadata) -> output, in order."""

    @abstractmethod
    def load_dialects(self, context) -> None: ...

    @abstractmethod
    def get_module_map(self) -> dict: ...

    @staticmethod
    def parse_attr(desc):
        """A specialisation key as attributes of the argument."""
        return [["tt.divisibility", 16]] if "D" in desc else []

    @staticmethod
    def get_int_specialization(arg, **kwargs):
        return "D" if arg % 16 == 0 and kwargs.get("align", False) else ""

    @staticmethod
    def get_tensor_specialization(arg, **kwargs):
        return "D" if arg.data_ptr() % 16 == 0 and kwargs.get("align", False) else ""
