"""Where the kernels of the tests run.

--device cpu             on the processor (default)
--device cuda            on the GPU. Tests make their arrays in host memory: each launch copies what it is given to the device, waits, and
                         copies it back, so that one test serves all devices, and an error shows at the launch it belongs to
--device sim:sm_90a      on a simulated GPU of this architecture, or sim:gfx942 (docs/how-to/run-without-a-gpu.md): its memory is the host's
--compile-only sm_90a    nowhere: kernels are compiled and assembled for this architecture, launches do nothing, and a test passes
                         unless a compile fails that the test does not expect to fail. With several, sm_90a,sm_80, tests see the first
                         one, and what compiles for it is compiled for the others too. AMD's likewise: gfx942,gfx1250
"""

import contextlib
import ctypes
import os
import re
import sys
import tempfile
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import triton
from triton import runtime
from triton.backends.amd import driver as amd
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia import driver as nvidia
from triton.backends.nvidia.compiler import sm_arch_from_capability
from triton.compiler.sources import ASTSource, IRSource
from triton.runtime.jit import TensorWrapper
from triton.tools.tensor_descriptor import HostDescriptor

sys.path.append(str(Path(__file__).resolve().parents[2] / "scripts"))
from shard_plugin import LostDevice  # noqa: E402


class OnDevice:
    """What stands for an array of the host in a launch."""

    is_cpu = False

    def __init__(self, address, dtype):
        self.address, self.dtype = address, dtype

    def data_ptr(self):
        return self.address


class Mirror:
    """Copies on the device of the memory that one launch touches: one for each allocation of the host, so that views still overlap."""

    def __init__(self):
        self.copies = []  # (begin, end, bytes on the host, bytes on the device)

    def address_of(self, pointer, host):
        """The address on the device that belongs to `pointer`, which lies in the bytes `host` (a flat uint8 tensor)."""
        begin = host.data_ptr()
        for known_begin, known_end, _, device in self.copies:
            if known_begin <= pointer < known_end:
                return device.data_ptr() + pointer - known_begin
        shift = begin % 256  # addresses keep their alignment
        device = torch.empty(shift + max(host.numel(), 1), dtype=torch.uint8, device="cuda")[shift:]
        device[: host.numel()].copy_(host)
        self.copies.append((begin, begin + max(host.numel(), 1), host, device))
        return device.data_ptr() + pointer - begin

    def copy_back(self):
        for _, _, host, device in self.copies:
            host.copy_(device[: host.numel()])

    def argument(self, value):
        if isinstance(value, TensorWrapper):
            moved = self.argument(value.base)
            return OnDevice(moved.address, value.dtype) if isinstance(moved, OnDevice) else value
        if isinstance(value, torch.Tensor):
            if not value.is_cpu:
                return value
            storage = value.detach().untyped_storage()
            host = torch.empty(0, dtype=torch.uint8).set_(storage)
            return OnDevice(self.address_of(value.data_ptr(), host), value.dtype)
        if isinstance(value, HostDescriptor):
            parts = ("shape", "strides", "block_shape", "padding")
            return SimpleNamespace(base=self.argument(value.base), **{name: getattr(value, name) for name in parts})
        if isinstance(value, tuple):
            elements = map(self.argument, value)
            return type(value)(*elements) if hasattr(value, "_fields") else tuple(elements)
        if isinstance(value, np.generic) or isinstance(value, type):
            return value
        if not isinstance(value, np.ndarray):
            if hasattr(value, "__array_interface__"):
                value = np.asarray(value)
            elif hasattr(value, "__dlpack__"):
                value = np.from_dlpack(value)
            else:
                return value
        return self.array(value)

    def array(self, array):
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        begin, end = np.lib.array_utils.byte_bounds(owner) if hasattr(np.lib, "array_utils") else np.byte_bounds(owner)
        memory = np.frombuffer(_view(begin, end - begin), dtype=np.uint8)[: end - begin]
        return OnDevice(self.address_of(array.ctypes.data, torch.from_numpy(memory)), array.dtype)


def _view(address, size):
    """Memory of the host, writable even where the array over it is not."""
    return (ctypes.c_uint8 * max(size, 1)).from_address(address)


@contextlib.contextmanager
def words_of_the_device():
    """Adds to an error of the device what the device has written about it to standard error: the message of a failed assertion."""
    with tempfile.TemporaryFile() as file:
        saved = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield
        except RuntimeError as error:
            file.seek(0)
            raise RuntimeError(f"{file.read().decode(errors='replace')}{error}") from error
        finally:
            os.dup2(saved, 2)
            os.close(saved)
            file.seek(0)
            os.write(2, file.read())


class MirroringDriver(nvidia.CudaDriver):
    """The GPU's driver, for kernels whose arguments lie in host memory."""

    @staticmethod
    def launcher_cls(src, metadata):
        launcher = nvidia.CudaLauncher(src, metadata)

        def launch(*arguments):
            mirror = Mirror()
            parameters = [mirror.argument(argument) for argument in arguments[9:]]
            launcher(*arguments[:9], *parameters)
            if torch.cuda.is_current_stream_capturing():
                return  # into a graph, of arguments on the device: there is nothing to wait for
            with words_of_the_device() if metadata.debug else contextlib.nullcontext():
                torch.cuda.synchronize()
            mirror.copy_back()

        return launch


def target_of(architecture):
    """sm_90a or gfx942 as a target; None if it is neither."""
    if found := re.fullmatch(r"sm_?(\d+)a?", architecture):
        return GPUTarget("cuda", int(found.group(1)), 32)
    if re.fullmatch(r"gfx[0-9a-f]+", architecture):
        return GPUTarget("hip", architecture, 64 if architecture.startswith("gfx9") else 32)
    return None


class CompileOnlyUtils:
    """What `CompiledKernel` asks of a driver, answered without a device."""

    def __init__(self, target):
        self.target = target

    def load_binary(self, name, binary, shared, device):
        assert binary, f"{name} has no code"
        return 1, 1, 0, 0, 1024

    def get_device_properties(self, device):
        return {"max_shared_mem": 232448, "max_num_regs": 65536, "multiprocessor_count": 132,
                "warpSize": self.target.warp_size, "sm_clock_rate": 1, "mem_clock_rate": 1, "mem_bus_width": 1}  # fmt: skip

    def set_printf_fifo_size(self, size):
        pass


class CompileOnlyDriver:
    """Compiles for a GPU that is not there."""

    launches = 0

    def __init__(self, target):
        self.utils = CompileOnlyUtils(target)
        self.target = target
        self.get_current_device = lambda: 0
        self.set_current_device = lambda device: None
        self.get_current_stream = lambda device=None: 0
        self.get_device_capability = lambda device=None: divmod(target.arch, 10) if target.backend == "cuda" else (9, 4)

    def launcher_cls(self, src, metadata):
        self.launcher(src, metadata)  # the arguments must fit the code

        def launch(*arguments):
            CompileOnlyDriver.launches += 1

        return launch

    @classmethod
    @contextlib.contextmanager
    def pretend(cls, target):
        """What kernels ask about their target is answered for another one."""
        active = runtime.driver.active
        if not isinstance(active, cls):
            yield
            return
        before, active.target = active.target, target
        try:
            yield
        finally:
            active.target = before

    def get_current_target(self):
        return self.target

    def get_active_torch_device(self):
        return torch.device("cpu")


class CompileOnlyCuda(CompileOnlyDriver, nvidia.CudaDriver):
    launcher = nvidia.CudaLauncher


class CompileOnlyHip(CompileOnlyDriver, amd.HIPDriver):
    launcher = amd.HIPLauncher


def compile_only_driver(target):
    return (CompileOnlyHip if target.backend == "hip" else CompileOnlyCuda)(target)


def is_about_architecture(error):
    phrases = (
        "not supported in this architecture",
        "needs compute capability",
        "requires NVIDIA SM90",
        " or newer, this is sm_",
        # AMD's GPUs
        "it has no clusters",
        "input_precision must be one of [ieee, bf16x3, bf16x6",
        "no library defines the function '__nv_",
    )
    return any(words in str(error) for words in phrases)


class CompileWatch:
    """Compiles for further architectures too, and remembers the errors of compiles, to tell them from those of a test whose kernels did not
    run."""

    def __init__(self, others):
        self.errors = threading.local()
        self.others = others
        for owner in (ASTSource, IRSource):
            self.wrap(owner)

    def wrap(self, owner):
        original = owner.compile_native

        def compile_native(source, options):
            try:
                artifact = original(source, options)
                # Later stages are for one architecture.
                for target in self.others:
                    if options["target"] == target.backend and source.ext == "ttir":
                        self.compile_for(target, original, source, options)
                return artifact
            except Exception as error:
                self.errors.seen = (*getattr(self.errors, "seen", ()), error)
                raise

        owner.compile_native = compile_native

    @staticmethod
    def compile_for(target, compile_native, source, options):
        if target.backend == "cuda":
            if options["num_ctas"] > 1 and target.arch < 90:
                return
            architecture = sm_arch_from_capability(target.arch)
            own = {"arch": architecture, "code_arch": architecture}
        else:
            if options["num_warps"] * target.warp_size > 1024:
                return
            architecture = target.arch
            own = {"arch": architecture} | {name: target.warp_size for name in ("warp_size",) if name in options}
        try:
            with CompileOnlyDriver.pretend(target):
                compile_native(source, {**options, **own})
        except Exception as error:
            if not CompileWatch.of_chain(error, is_about_architecture):
                print(f"failed for {architecture}", file=sys.stderr)
                raise

    def is_from_compile(self, error):
        seen = getattr(self.errors, "seen", ())
        return self.of_chain(error, lambda cause: any(cause is known for known in seen)) is not None

    @staticmethod
    def of_chain(error, wanted):
        """The first of an error and its causes that is `wanted`."""
        chain = set()
        while error is not None and id(error) not in chain:
            if wanted(error):
                return error
            chain.add(id(error))
            error = error.__cause__ or error.__context__
        return None


class DevicePlugin:
    """Chooses the driver, and what a failure means there. `architectures`: kernels are compiled for them and do not run."""

    def __init__(self, device, architectures):
        self.watch = None
        self.simulates = device.startswith("sim:")
        if architectures:
            targets = [target_of(architecture) for architecture in architectures.split(",")]
            if not all(targets) or len({target.backend for target in targets}) != 1:
                raise pytest.UsageError(
                    f"--compile-only takes architectures of one maker, such as sm_90a,sm_80 or gfx942,gfx1100, not '{architectures}'"
                )
            first, *others = targets
            runtime.driver.set_active(compile_only_driver(first))
            self.watch = CompileWatch(others)
        elif self.simulates:
            triton.knobs.runtime.simulate = os.environ["TRITON_SIMULATE"] = device.removeprefix("sim:")
            runtime.driver.set_active(amd.HIPDriver() if device.startswith("sim:gfx") else nvidia.CudaDriver())
            triton.set_allocator(lambda size, align, stream: empty_bytes(size, torch.uint8))
            make_tensors_on_the_host()
        elif device == "cuda":
            if not torch.cuda.is_available():
                raise pytest.UsageError("--device cuda needs a GPU; --compile-only sm_90a does not")
            runtime.driver.set_active(MirroringDriver())
            triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.uint8, device="cuda"))

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem):
        if self.watch is None and not self.simulates:
            return (yield)
        try:
            return (yield)
        except Exception as error:
            if missing := CompileWatch.of_chain(error, is_about_architecture):
                pytest.skip(str(missing).splitlines()[0])
            if self.watch is None or self.watch.is_from_compile(error):
                raise
            return True  # what it computed is not there
        except pytest.fail.Exception:
            if self.watch is None:
                raise
            return True


def empty_bytes(size, dtype):
    """Memory of the host, aligned as an allocation of a GPU is."""
    memory = torch.empty(size + 512, dtype=dtype)
    return memory[-memory.data_ptr() % 512 :][:size]


def on_the_host(value):
    """The host's device where a value names CUDA's."""
    is_device = isinstance(value, (str, torch.device)) and str(value).split(":")[0] == "cuda"
    return torch.device("cpu") if is_device else value


class OnTheHost(torch.overrides.TorchFunctionMode):
    """Makes tensors in host memory where a program asks for CUDA's, on a machine that has none."""

    def __torch_function__(self, function, types, arguments=(), options=None):
        if function is torch.Tensor.cuda:
            return arguments[0]
        options = {name: on_the_host(value) for name, value in (options or {}).items()}
        is_flat = len(arguments) == 1 and type(arguments[0]) is int
        if function is torch.empty and options.get("dtype") in (torch.int8, torch.uint8) and is_flat:
            return empty_bytes(arguments[0], options["dtype"])
        return function(*map(on_the_host, arguments), **options)


def make_tensors_on_the_host():
    """For programs that name CUDA's device and ask torch what it can, where kernels are compiled and do not run, or run on a simulated GPU."""
    OnTheHost().__enter__()
    torch.cuda.get_device_capability = lambda device=None: runtime.driver.active.get_device_capability(0)
    torch.cuda.get_device_name = lambda device=None: "a GPU that is not there"
    torch.cuda.synchronize = lambda device=None: None


def configure(config):
    plugin = DevicePlugin(config.getoption("--device"), config.getoption("--compile-only"))
    config.pluginmanager.register(plugin, "triton-device")
    if not config.pluginmanager.has_plugin("shard_plugin"):  # of scripts/run_sharded.py
        config.pluginmanager.register(LostDevice(), "triton-lost-device")
