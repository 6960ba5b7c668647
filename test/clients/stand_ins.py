"""Loads modules of packages that are not installed: those that hold Triton code for real, and stand-ins for everything else they import.

A stand-in answers whatever it is asked: attributes, calls, decorations, base classes. Questions about the device are answered for an NVIDIA GPU.
"""

import contextlib
import importlib.abc
import importlib.machinery
import sys
import types
from pathlib import Path

import torch
import triton
import triton.language as tl

ANSWERS = {
    **dict.fromkeys(("is_cuda", "is_cuda_alike", "is_sm90_supported", "has_triton"), lambda *_, **__: True),
    **dict.fromkeys(("cdiv", "ceil_div"), lambda a, b: -(-a // b)),
    **dict.fromkeys(("round_up", "align"), lambda a, b: -(-a // b) * b),
    "next_power_of_2": lambda n: 1 << (n - 1).bit_length(),
    "fp8_dtype": lambda: torch.float8_e4m3fn,
    "get_fp8_min_max": lambda: (-448.0, 448.0),
    "get_device_capability": lambda *_: (9, 0),
    "get_device_sm": lambda: 90,
    "num_compute_units": lambda *_: 132,
    "cached_triton_kernel": lambda *_: lambda decorated: decorated,
}
NO = ("is_", "_is_", "has_", "_has_", "support", "use_", "_use_", "get_bool")


def is_special(name):
    return name.startswith("__") and name.endswith("__")


class StandInMeta(type):
    def __getattr__(cls, name):
        if is_special(name):
            raise AttributeError(name)
        return StandIn(name)

    def __iter__(cls):
        return iter(())

    def __getitem__(cls, item):
        return cls

    def __or__(cls, other):
        return cls

    __ror__ = __or__


def class_named(name):
    def attribute(self, attribute_name):
        if is_special(attribute_name):
            raise AttributeError(attribute_name)
        return StandIn(attribute_name)

    members = {
        "__init__": lambda self, *_, **__: None,
        "__getattr__": attribute,
        "__init_subclass__": classmethod(lambda cls, **_: None),
        "__call__": lambda self, *arguments, **__: arguments[0] if len(arguments) == 1 else StandIn(name),
    }
    return StandInMeta(name, (), members)


def attribute_of(name):
    if is_special(name):
        raise AttributeError(name)
    return class_named(name) if name[:1].isupper() and not name.isupper() else StandIn(name)


class StandIn:
    """Of anything that is not a class."""

    def __init__(self, name):
        object.__setattr__(self, "_name", name)

    def __getattr__(self, name):
        return attribute_of(name)

    def __call__(self, *arguments, **keywords):
        if self._name in ANSWERS:
            return ANSWERS[self._name](*arguments, **keywords)
        if self._name.startswith(NO):
            return False
        if len(arguments) == 1 and not keywords and (callable(arguments[0]) or hasattr(arguments[0], "fn")):
            return arguments[0]  # as a decorator
        return StandIn(self._name)

    __bool__ = lambda self: False
    __int__ = __index__ = lambda self: 1
    __float__ = lambda self: 1.0
    __iter__ = lambda self: iter(())
    __len__ = lambda self: 0
    __getitem__ = lambda self, item: self
    __setitem__ = lambda self, item, value: None
    __contains__ = lambda self, item: False
    __enter__ = lambda self: self
    __exit__ = lambda self, *_: False
    __mro_entries__ = lambda self, bases: (class_named("Base"),)
    __eq__ = lambda self, other: self is other
    __hash__ = lambda self: id(self)
    __lt__ = __le__ = __gt__ = __ge__ = lambda self, other: False
    __or__ = __ror__ = lambda self, other: self
    __add__ = __radd__ = __sub__ = __mul__ = __rmul__ = __truediv__ = __floordiv__ = __rfloordiv__ = (
        lambda self, other: other
    )


class StandInModule(types.ModuleType):
    __iter__ = lambda self: iter(())

    def __getattr__(self, name):
        value = attribute_of(name)
        setattr(self, name, value)
        return value


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of the packages in `folders`, and whatever is not installed."""

    def __init__(self, folders):
        self.folders = folders  # of each package, the folder that holds it
        self.wanted = set()  # modules that must load

    def path_of(self, name):
        root, *rest = name.split(".")
        if root not in self.folders:
            return None
        base = Path(self.folders[root], root, *rest)
        for path in (base.with_suffix(".py"), base / "__init__.py"):
            if path.is_file():
                return path
        return None

    def find_spec(self, name, path=None, target=None):
        root = name.split(".")[0]
        if root not in self.folders and not name.startswith("triton.experimental"):
            if not self.is_asked_by_client() or root in sys.stdlib_module_names or self.is_installed(name):
                return None
        file = self.path_of(name)
        return importlib.machinery.ModuleSpec(name, self, is_package=file is None or file.name == "__init__.py")

    def is_asked_by_client(self):
        """Others look for what may be missing."""
        frame = sys._getframe(2)
        while frame and frame.f_code.co_filename.startswith("<frozen importlib"):
            frame = frame.f_back
        return frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in self.folders

    @staticmethod
    def is_installed(name):
        return importlib.machinery.PathFinder.find_spec(name.split(".")[0]) is not None

    def create_module(self, spec):
        return StandInModule(spec.name)

    def exec_module(self, module):
        name = module.__spec__.name
        if name == "vllm.triton_utils":
            from triton.language.extra import libdevice

            module.triton, module.tl, module.tldevice, module.HAS_TRITON = triton, tl, libdevice, True
            return
        file = self.path_of(name)
        if file is None:
            return
        module.__file__ = str(file)
        if file.name == "__init__.py" and name.count(".") < 2 and name not in self.wanted:
            return  # the top of a package imports all of it
        try:
            exec(compile(file.read_text(errors="replace"), str(file), "exec"), module.__dict__)
        except Exception:
            if name in self.wanted:
                raise  # of another one as much as was run will do

    def load(self, name):
        self.wanted.add(name)
        return importlib.import_module(name)


class Properties:
    """Of the GPU that modules ask about when there is none."""

    multi_processor_count, major, minor, warp_size = 132, 9, 0, 32
    total_memory, shared_memory_per_block_optin = 1 << 37, 232448
    name, gcnArchName = "NVIDIA H200", ""


def install(folders):
    finder = Finder(folders)
    sys.meta_path.insert(0, finder)
    if not torch.cuda.is_available():
        torch.cuda.get_device_capability = lambda *_: (9, 0)
        torch.cuda.get_device_name = lambda *_: Properties.name
        torch.cuda.current_device = lambda: 0
        torch.cuda.device = lambda *_: contextlib.nullcontext()
        torch.cuda.get_device_properties = torch.cpu.get_device_properties = lambda *_: Properties()
    return finder
