"""Compiling in the background: inside `with AsyncCompileMode(executor):` a first launch or warmup only submits the compile."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Callable, Optional

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

active_mode: ContextVar[Optional[AsyncCompileMode]] = ContextVar("active_mode", default=None)


class FutureKernel:
    """A kernel that is being compiled."""

    def __init__(self, finalize_compile: Callable, future: Future, cleanup: Callable = lambda: None):
        self.finalize_compile = finalize_compile
        self.kernel = None
        self.future = future
        self.cleanup = cleanup

    def __getattr__(self, name):
        """Whatever the kernel has, which is waited for."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.result(), name)

    def result(self, ignore_errors: bool = False):
        """Waits for the kernel and stores it where launches look."""
        if self.kernel is not None:
            return self.kernel
        try:
            kernel = self.future.result()
        except Exception:
            self.cleanup()
            if ignore_errors:
                return None
            raise
        self.finalize_compile(kernel)
        self.kernel = kernel
        return kernel


class AsyncCompileMode:
    """While it is active, compiles run in `executor`; leaving it waits for all of them."""

    def __init__(self, executor: Executor, *, ignore_errors: bool = False):
        self.executor = executor
        self.ignore_errors = ignore_errors
        self.raw_futures: list[Future] = []
        self.future_kernels: dict[str, FutureKernel] = {}

    def _submit(self, compile_fn):
        try:
            return self.executor.submit(compile_fn)
        except RuntimeError as error:
            if "can't start new thread" not in str(error):
                raise
        from concurrent.futures import Future

        raw: Future = Future()  # the system has no more threads: it is compiled here
        try:
            raw.set_result(compile_fn())
        except Exception as error:
            raw.set_exception(error)
        return raw

    def submit(self, key, compile_fn, finalize_fn, cleanup_fn=lambda: None):
        """The kernel to come for `key`; the same key is compiled once. `cleanup_fn()` is called if it fails."""
        future = self.future_kernels.get(key)
        if future is not None:
            return future
        raw = self._submit(compile_fn)
        self.raw_futures.append(raw)
        future = FutureKernel(finalize_fn, raw, cleanup_fn)
        raw._key = key
        self.future_kernels[key] = future
        return future

    def __enter__(self):
        if active_mode.get() is not None:
            raise RuntimeError("Another AsyncCompileMode is already active")
        self._token = active_mode.set(self)
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        from concurrent.futures import as_completed

        active_mode.reset(self._token)
        try:
            for raw in as_completed(self.raw_futures):
                self.future_kernels[raw._key].result(self.ignore_errors)
        finally:
            self.raw_futures.clear()
            self.future_kernels.clear()
