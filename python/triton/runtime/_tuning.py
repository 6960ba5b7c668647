"""Parts of tuning: compiling all configurations at the same time, trying one where it can do no harm, and showing how far it is."""

from __future__ import annotations

import faulthandler
import os
import queue
import resource
import signal
import sys
import threading
import time

from .. import knobs


class Progress:
    """One line on a terminal that says how far the tuning of a kernel is; nothing where nobody watches."""

    def __init__(self, name, total, stream=None):
        self.name, self.total = name, total
        self.stream = stream or sys.stderr
        self.is_shown = total > 1 and not knobs.autotuning.print and self._is_terminal()
        self.best = float("inf")
        self.width = 0

    def _is_terminal(self):
        try:
            return self.stream.isatty()
        except (AttributeError, ValueError):
            return False

    def show(self, done, what):
        if not self.is_shown:
            return
        best = "" if self.best == float("inf") else f", best {self.best:.4g} ms"
        text = f"tuning {self.name}: {done} of {self.total} configurations {what}{best}"
        self.stream.write("\r" + text.ljust(self.width))
        self.stream.flush()
        self.width = len(text)

    def measured(self, done, timing):
        self.best = min(self.best, timing if isinstance(timing, (int, float)) else timing[0])
        self.show(done, "measured")

    def close(self):
        if self.is_shown and self.width:
            self.stream.write("\r" + " " * self.width + "\r")
            self.stream.flush()


def thread_count():
    return knobs.autotuning.threads or os.cpu_count() or 1


def compile_all(compile_one, configs, progress):
    """Calls `compile_one(config)` for all, several at a time. What it raises is left for the measurement to raise again.

    Gives the configurations whose compile did not end within `knobs.autotuning.timeout` seconds after it began; their threads are left behind.
    """
    tasks: queue.SimpleQueue = queue.SimpleQueue()
    for config in configs:
        tasks.put(config)
    began, done = {}, set()
    changed = threading.Condition()

    def work():
        while True:
            try:
                config = tasks.get_nowait()
            except queue.Empty:
                return
            with changed:
                began[id(config)] = time.monotonic()
            try:
                compile_one(config)
            except Exception:
                pass
            with changed:
                done.add(id(config))
                changed.notify_all()

    def start():
        try:
            threading.Thread(target=work, name="triton-tuning", daemon=True).start()
        except RuntimeError:  # the system has no more threads
            return False
        return True

    lost: list = []
    threads = sum(start() for _ in range(min(thread_count(), len(configs))))
    if threads == 0:
        return lost  # each is compiled when it is measured
    with changed:
        while len(done) + len(lost) < len(configs):
            progress.show(len(done), "compiled")
            changed.wait(0.5)
            now = time.monotonic()
            for config in configs:
                start_time = began.get(id(config))
                is_running = start_time is not None and id(config) not in done and config not in lost
                if is_running and now - start_time > knobs.autotuning.timeout:
                    lost.append(config)
                    if not start():  # another one takes its place
                        return lost
    return lost


def harm_of(call, seconds):
    """What `call()` would do to this process, found out in a child of it: None, or a text such as 'it hangs'."""
    child = os.fork()
    if child == 0:
        code = 0
        try:
            faulthandler.disable()  # its death is an answer, not news
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            call()
        except BaseException:
            code = 1  # an exception does no harm: the measurement will see it
        os._exit(code)
    deadline = time.monotonic() + seconds
    pause = 0.0005
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return f"it does not end within {seconds:g} s"
        time.sleep(pause)
        pause = min(pause * 2, 0.05)
    if os.WIFSIGNALED(status):
        return f"it dies of {signal.Signals(os.WTERMSIG(status)).name}"
    return None
