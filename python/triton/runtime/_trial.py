"""Launches of kernels in a process of their own, where they may crash or hang: what an illegal access does to a GPU's context, it does to the child's.

The parent compiles, so that the child needs nothing of the user's program: it gets code, a grid and arguments, launches once, and says how it went.
It sees the very tensors of a GPU, through handles that PyTorch shares between processes; tensors of the host are copied.

    python -m triton.runtime._trial      is the child: requests on standard input, answers on standard output
"""

from __future__ import annotations

import io
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
import time

from ..backends import backends
from ..compiler import CompiledKernel
from .driver import driver
from .jit import JITFunction


class Signature:
    """All that a launcher wants to know of a kernel's source."""

    fn = None

    def __init__(self, signature):
        self.signature = signature


def _plain(value):
    """Named tuples, whose classes are the user's, as tuples."""
    return tuple(map(_plain, value)) if isinstance(value, tuple) else value


def _without_constants(ty, value):
    """Arguments as the code takes them: constants are part of it, and may be anything."""
    if isinstance(ty, tuple):
        return tuple(map(_without_constants, ty, value))
    return None if ty == "constexpr" else value


def prepare(fn, args, current):
    """(compiled kernel, grid, all parameters) of `fn.run(*args, **current)`, which is not launched."""
    inner = fn
    while not isinstance(inner, JITFunction):
        inner = inner.fn
    seen = []
    inner.pre_run_hooks.append(lambda *args, **kwargs: seen.append((args, kwargs)))
    try:
        kernel = fn.run(*args, **{**current, "warmup": True})
    finally:
        inner.pre_run_hooks.pop()
    binder = inner.device_caches[driver.active.get_current_device()][4]
    bound, _, _ = binder(*seen[-1][0], **seen[-1][1])
    grid = current["grid"]
    return kernel, grid(bound) if callable(grid) else grid, list(bound.values())


def describe(kernel, grid, values):
    """The request to launch a compiled kernel with all its parameters, as bytes. Fails if something in it cannot be sent."""
    copy = CompiledKernel.__new__(CompiledKernel)
    copy.__dict__.update(kernel.__getstate__())
    types = {name: _plain(ty) for name, ty in kernel.src.signature.items()}
    copy.src = Signature(types)
    extension = kernel.metadata.binary_ext
    copy.asm = type(kernel.asm)({extension: kernel.asm[extension]})
    values = [_without_constants(ty, _plain(value)) for ty, value in zip(types.values(), values)]
    grid = tuple(int(grid[index]) if index < len(grid) else 1 for index in range(3))
    buffer = io.BytesIO()
    _pickler(buffer).dump((kernel.metadata.target.backend, copy, grid, values))
    return buffer.getvalue()


def _pickler(buffer):
    """Pickles tensors of a GPU as handles, others whole."""
    if "torch" not in sys.modules:
        return pickle.Pickler(buffer)
    import torch
    from torch.multiprocessing.reductions import reduce_tensor

    class Pickler(pickle.Pickler):
        def reducer_override(self, value):
            is_on_device = isinstance(value, torch.Tensor) and value.is_cuda
            return reduce_tensor(value.detach()) if is_on_device else NotImplemented

    return Pickler(buffer)


class TrialProcess:
    """The child, started when it is first needed and again after a kernel has taken it along."""

    def __init__(self):
        self.process = None

    def harm_of(self, request, seconds):
        """What a launch does to its process: None, or a text such as 'it dies of SIGSEGV'. Starting the child is not counted."""
        if self.process is None or self.process.poll() is not None:
            self._start()
        pipe = self.process.stdin
        try:
            pipe.write(struct.pack("<Q", len(request)) + request)
            pipe.flush()
        except BrokenPipeError:
            return self._end()
        answer = self._read_line(seconds)
        if answer is None:
            self.close()
            return f"it does not end within {seconds:g} s"
        if answer == "":
            return self._end()
        if answer == "ok":
            return None
        self.close()  # nothing more can run in a broken context
        return answer

    def _start(self):
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        paths = [root, *filter(None, sys.path)]  # the native library may lie elsewhere than the package
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))}
        command = [sys.executable, "-m", "triton.runtime._trial"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
        if self._read_line(120) != "ready":
            raise RuntimeError(f"the process that tries configurations does not start: {self._end()}")

    def _read_line(self, seconds):
        """A line of the child's, without its end; '' if it has ended, None if it says nothing for so long."""
        deadline = time.monotonic() + seconds
        text = b""
        while not text.endswith(b"\n"):
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                return None
            part = os.read(self.process.stdout.fileno(), 4096)
            if not part:
                return ""
            text += part
        return text.decode("utf-8", "replace").strip()

    def _end(self):
        code = self.process.wait()
        self.process = None
        return f"it dies of {signal.Signals(-code).name}" if code < 0 else f"its process ends with status {code}"

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process = None


def _serve(requests, answers):
    """The child: launches what it is asked to, until there is nothing more to read."""
    answers.write(b"ready\n")
    while True:
        header = requests.read(8)
        if len(header) < 8:
            return
        backend, kernel, grid, values = pickle.loads(requests.read(struct.unpack("<Q", header)[0]))
        _use_driver(backend)
        wait = driver.active.get_device_interface().synchronize
        answer = "ok"
        try:
            kernel[grid](*values)
            wait()
        except Exception:
            try:
                wait()  # an exception does no harm, unless nothing works any more: the measurement will see it
            except Exception as error:
                answer = f"it breaks the device's context: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
        answers.write(answer.encode("utf-8", "replace") + b"\n")
        if answer != "ok":
            os._exit(1)


def _use_driver(backend):
    if driver.active.get_current_target().backend != backend:
        name = {"cuda": "nvidia", "hip": "amd"}.get(backend, backend)
        driver.set_active(backends[name].driver())


if __name__ == "__main__":
    import faulthandler
    import resource

    faulthandler.disable()  # its death is an answer, not news
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what kernels print is not an answer
    # The module under its own name, which the requests are pickled with.
    from triton.runtime import _trial

    _trial._serve(sys.stdin.buffer, answers)
