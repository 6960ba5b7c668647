"""A compiled kernel: its stages, its metadata, and how it is loaded and launched."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from operator import itemgetter

from .. import knobs
from .._C import libtriton
from ..backends import make_backend  # noqa: F401  (part of this module's interface)
from ..errors import OutOfResources
from ..runtime.driver import driver
from .entries import read_group
from .sources import ASTSource


@functools.lru_cache
def max_shared_mem(device):
    """Bytes of shared memory that one program may have."""
    utils = driver.active.utils
    if hasattr(utils, "max_shared_mem"):  # a driver that answers this without asking for all the others
        return utils.max_shared_mem(device)
    return utils.get_device_properties(device)["max_shared_mem"]


class LazyDict:
    """A dict some of whose entries are computed when it is read."""

    def __init__(self, data):
        self.data = data
        self.extras = []

    def get(self):
        for function, args in self.extras:
            self.data = self.data | function(*args)
        self.extras.clear()
        return self.data

    def add(self, func, args):
        self.extras.append((func, args))


class AsmDict(dict):
    """The stages of a kernel; what costs extra is made when it is asked for."""

    options: dict = {}  # how the native compiler was called
    metadata = signature = None  # of the kernel, and the types of all its parameters

    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            return default

    def __missing__(self, key):
        if key == "asm" and "obj" in self:
            self[key] = self._assembly()
        elif key in ("so", "launcher.so") and "obj" in self:
            from ..tools import nativert

            self[key] = (
                nativert.kernel_library(self.metadata.name, self["obj"])
                if key == "so"
                else nativert.launcher_library(self.metadata, self.signature)
            )
        elif key == "sass" and "cubin" in self:
            from ..tools.disasm import get_sass

            self[key] = get_sass(self["cubin"])
        else:
            raise KeyError(f"Unknown key: '{key}'")
        return self[key]

    def _assembly(self):
        options = {**self.options, "emit_assembly": True}
        return libtriton.compile_ir("ttir", "kernel.ttir", self["ttir"], options).stages["asm"]


class _Metadata(tuple):
    """What `namedtuple` makes, made in a tenth of its time: the first launch of a process waits for it."""

    __slots__ = ()
    _fields = ()

    def __new__(cls, **values):
        return cls._make(values[name] for name in cls._fields)

    @classmethod
    def _make(cls, values):
        return super().__new__(cls, values)

    def _asdict(self):
        return dict(zip(self._fields, self))

    def _replace(self, **values):
        if unknown := values.keys() - set(self._fields):
            raise ValueError(f"Got unexpected field names: {sorted(unknown)}")
        return _make_metadata({**self._asdict(), **values})

    def __reduce__(self):
        return _make_metadata, (self._asdict(),)  # its class is in no module

    def __repr__(self):
        return f"KernelMetadata({', '.join(f'{name}={value!r}' for name, value in zip(self._fields, self))})"


class _MetadataClasses(dict):
    """Field names -> the class with them, so that metadata of equal fields is of one class."""

    def __missing__(self, fields):
        getters = {name: property(itemgetter(index)) for index, name in enumerate(fields)}
        made = type("KernelMetadata", (_Metadata,), {"__slots__": (), "_fields": fields, **getters})
        self[fields] = made
        return made


_metadata_classes = _MetadataClasses()


def _make_metadata(values):
    return _metadata_classes[tuple(sorted(values))](**values)


def _read_files(group):
    """(metadata, stages) from the files of a kernel."""
    name = next(os.path.splitext(file)[0] for file in group if file.endswith(".json"))
    found = read_group(group, name)
    if found is None:
        raise ValueError(f"the files of kernel '{name}' are not what was stored")
    return found[:2]


class CompiledKernel:
    """A kernel for one target and one specialisation: its stages in `asm`, facts in `metadata`, and `run` to launch it."""

    def __init__(self, src, metadata_group, hash, _loaded=None):
        metadata, stages = _loaded or _read_files(metadata_group)
        self.metadata = _make_metadata(metadata)
        backend = make_backend(self.metadata.target)
        self.packed_metadata = backend.pack_metadata(self.metadata)
        self.src = src
        self.answers = getattr(src, "answers", None)  # of the program, to what the kernel asked when it was compiled
        self.hash = hash
        self.name = self.metadata.name
        self.metadata_group = metadata_group
        self.asm = AsmDict(stages)
        self.asm.options, self.asm.metadata, self.asm.signature = (
            self.metadata.native_options,
            self.metadata,
            src.signature,
        )
        self.kernel = self.asm.get(self.metadata.binary_ext)
        self.module = None
        self.function = None
        self._run = None
        self._loader = None  # (utils of the driver that loaded the code, process in which it did)

    def _init_handles(self):
        """Loads the code and makes the launcher, once."""
        if self.module is not None:
            return
        failed = self.__dict__.get("_failed_resource")
        if failed is not None:
            raise self._out_of_resources(*failed)
        device = driver.active.get_current_device()
        run = driver.active.launcher_cls(self.src, self.metadata)
        utils = driver.active.utils
        if self.metadata.target.backend != "cpu":  # where shared memory is a thread's scratch, taken from the heap
            self._need(self.metadata.shared, max_shared_mem(device), "shared memory")
        self._tell(knobs.runtime.kernel_load_start_hook)
        self.module, self.function, self.n_regs, self.n_spills, self.n_max_threads = utils.load_binary(
            self.name, self.kernel, self.metadata.shared, device
        )
        if self.metadata.target.backend != "cpu":
            threads = self.metadata.num_warps * self.metadata.target.warp_size
            try:
                self._need(threads, self.n_max_threads, "threads")
            except OutOfResources:
                self.module = self.function = None
                raise
        self._run = run
        self._loader = utils, os.getpid()
        self._tell(knobs.runtime.kernel_load_end_hook)

    def close(self):
        """Unloads the code; a later launch loads it again. Happens by itself when nobody holds the kernel any more."""
        loader, self._loader = self.__dict__.get("_loader"), None
        if loader is None or loader[1] != os.getpid():  # a forked child has not loaded it
            return
        self._tell(knobs.runtime.kernel_unload_hook)
        module, self.module, self.function, self._run = self.module, None, None, None
        getattr(loader[0], "unload_module", lambda module: None)(module)  # drivers of other packages may lack it

    def __del__(self):
        if not sys.is_finalizing():  # then drivers may be gone before the kernel
            with contextlib.suppress(Exception):  # nobody could catch it
                self.close()

    def _need(self, required, limit, name):
        """Raises OutOfResources, now and at every later launch, if the device has less than the kernel needs."""
        if required > limit:
            self._failed_resource = (required, limit, name)
            raise self._out_of_resources(required, limit, name)

    def _out_of_resources(self, required, limit, name):
        """The error, with a look at the kernel as the compiler's own errors have it."""
        error = OutOfResources(required, limit, name)
        fn = getattr(self.src, "fn", None)
        if hasattr(error, "add_note") and hasattr(fn, "_source_place"):
            file, line, column = fn._source_place
            head = " " * column + fn.src.partition("\n")[0]
            error.add_note(
                f"{file}:{line}:{column + 1}: note: needed by this kernel\n{line:5} | {head}\n      | {' ' * column}^"
            )
        return error

    def __getstate__(self):
        # Code is loaded in one process only; so are the objects that the kernel asked about.
        return {**self.__dict__, "module": None, "function": None, "_run": None, "_loader": None, "answers": None}

    def _tell(self, hook):
        if hook is not None:
            hook(self.module, self.function, self.name, self.metadata_group, self.hash)

    @property
    def _run(self):
        return self.__dict__.get("_run")

    @_run.setter
    def _run(self, value):
        if self.__dict__.get("_run") is not None:  # warm launches go on with what they have seen
            getattr(getattr(self.src, "fn", None), "_forget_launches", lambda: None)()
        self.__dict__["_run"] = value

    @property
    def run(self):
        """The launcher: (grid x, y, z, stream, function, packed metadata, launch metadata, enter hook, exit hook, *parameters)."""
        if self._run is None:
            self._init_handles()
        return self._run

    @run.setter
    def run(self, value):
        self._run = value

    def launch_metadata(self, grid, stream, *args):
        """What launch hooks are given; None without a hook."""
        if knobs.runtime.launch_enter_hook is None:
            return None
        self._init_handles()
        result = LazyDict({"name": self.name, "function": self.function, "stream": stream})
        if isinstance(self.src, ASTSource) and self.src.fn.launch_metadata is not None:
            arguments = dict(zip(self.src.fn.arg_names, args))
            result.add(self.src.fn.launch_metadata, (grid, self.metadata, arguments))
        return result

    def __getitem__(self, grid):
        """`kernel[grid](*args)`: launches with all parameters, constexprs included."""
        self._init_handles()

        def runner(*args, stream=None):
            if stream is None:
                stream = driver.active.get_current_stream(driver.active.get_current_device())
            metadata = self.launch_metadata(grid, stream, *args)
            hooks = knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook
            self.run(grid[0], grid[1], grid[2], stream, self.function, self.packed_metadata, metadata, *hooks, *args)

        return runner
