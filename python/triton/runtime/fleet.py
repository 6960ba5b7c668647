"""Processes of one job that work for each other: one compiles a kernel and all get it, each measures some configurations and all take the same one.

A job is a process group of torch.distributed with more than one rank; its store is the board on which ranks leave what they have done. Where the cache of kernels is in
Redis, that is the board. Nobody waits in a barrier: who needs something takes it from the board, or claims it and makes it, or waits for who has claimed it. A rank that
works says so twice a second; one that falls silent for seconds has died, and what it had claimed is free again. Of two results the first on the board counts.

What fails here only costs the help of the others: each process can do everything alone.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time
import warnings

from .. import knobs
from .._C.libtriton import cache as native

_BEAT, _PATIENCE = 0.5, 3.0  # seconds: between signs of life, and without one until a rank counts as dead
_PAUSES = 0.01, 0.25  # seconds between looks at the board: at first, and at last, since there may be hundreds who look
_ATTEMPTS = 3  # that others may have died of, until a process does everything itself
_LARGEST = 64 * 2**20  # bytes: what is larger is not left on the board
_FAILED = b"!"  # in place of a result: everybody is to try for himself


class StoreBoard:
    """The board of a process group: its store, over a connection of its own where there can be one."""

    def __init__(self, store):
        import torch.distributed as distributed

        with contextlib.suppress(Exception):  # of the kinds of stores some cannot
            store = store.clone()
        self.store = distributed.PrefixStore("triton", store)

    def get(self, key):
        return bytes(self.store.get(key)) if self.store.check([key]) else None

    def put(self, key, value):
        self.store.set(key, value)

    def put_first(self, key, value):
        """Stores a value unless there is one; gives the one that is there."""
        return bytes(self.store.compare_set(key, "", value))


class RedisBoard:
    """The board of a job that has its cache in Redis. What is left there goes after an hour."""

    _LIFETIME = 3600  # seconds

    def __init__(self, job):
        self.job = job
        self.redis = native.Redis(knobs.redis.host, knobs.redis.port)

    def _key(self, key):
        return f"triton-fleet:{self.job}:{key}"

    def get(self, key):
        return self.redis.get([self._key(key)])[0]

    def put(self, key, value):
        self.redis.put(self._key(key), value)

    def put_first(self, key, value):
        self.redis.put_first(self._key(key), value, self._LIFETIME)
        return self.get(key) or value


class _Signs:
    """Signs of life: this process's, while it works on what it has claimed, and those of others."""

    def __init__(self, board, name):
        self.board, self.name = board, name
        self.lock = threading.Lock()
        self.working = 0
        self.is_beating = False
        self.seen: dict = {}  # claim -> (last sign of who made it, when it was new)

    @contextlib.contextmanager
    def given(self):
        with self.lock:
            self.working += 1
            if not self.is_beating:
                self.is_beating = True
                threading.Thread(target=self._beat, name="triton-fleet", daemon=True).start()
        try:
            yield
        finally:
            with self.lock:
                self.working -= 1

    def _beat(self):
        while True:
            with self.lock:
                self.is_beating = self.working > 0
                if not self.is_beating:
                    return
            with contextlib.suppress(Exception):  # the others will think that this process has died, and do without it
                self.board.put(f"alive/{self.name}", str(time.time_ns()).encode())
            time.sleep(_BEAT)

    def is_silent(self, name, claim):
        """Whether a process has given no sign for so long, since this one waits for what it has claimed, that it counts as dead."""
        now, sign = time.monotonic(), self.board.get(f"alive/{name}")
        if claim not in self.seen or self.seen[claim][0] != sign:
            self.seen[claim] = sign, now
        return now - self.seen[claim][1] > _PATIENCE


class Fleet:
    """A job, as one of its processes sees it."""

    def __init__(self, board, rank, size):
        self.board, self.rank, self.size = board, rank, size
        self.name = f"{rank}-{os.urandom(4).hex()}".encode()
        self.signs = _Signs(board, self.name.decode())
        self.made = 0  # how much of what was claimed this process has made

    def works(self):
        """Whether the board keeps what is put there: stores of groups that are only played do not."""
        place = f"hello/{self.name.decode()}"
        return self.board.put_first(place, self.name) == self.name == self.board.get(place)

    def agree(self, key, value: bytes) -> bytes:
        """What all processes have for this key: the first that was proposed."""
        return self.board.put_first(key, value)

    def find(self, key):
        """What somebody has left; None if nobody has."""
        return self.board.get(key)

    def _claim(self, key, attempt):
        """(whether it is this process's to make, whether who has claimed it has died)"""
        claim = f"{key}/claim/{attempt}"
        owner = self.board.put_first(claim, self.name)
        if owner == self.name:
            return True, False
        return False, self.signs.is_silent(owner.decode(), claim)

    def share(self, items, make):
        """key -> value of what is named by `items`, whoever makes it. `make(keys)` makes those that this process has claimed, a few at a time."""
        items = list(items)
        start = self.rank * len(items) // self.size
        order = items[start:] + items[:start]
        results: dict = {}
        attempts = dict.fromkeys(items, 0)
        at_once = -(-len(items) // self.size)
        pause = _PAUSES[0]
        while len(results) < len(items):
            claimed = []
            for key in order:
                if key in results:
                    continue
                value = self.board.get(key)
                if value is not None:
                    results[key] = value
                    continue
                is_ours, is_dead = self._claim(key, attempts[key])
                attempts[key] += is_dead
                if is_ours or attempts[key] > _ATTEMPTS:
                    claimed.append(key)
                if len(claimed) == at_once:
                    break
            if claimed:
                results.update(self._make(claimed, make))
                pause = _PAUSES[0]
            elif len(results) < len(items):
                time.sleep(pause)
                pause = min(1.5 * pause, _PAUSES[1])
        return results

    def _make(self, keys, make):
        with self.signs.given():
            try:
                values = make(keys)
            except BaseException:
                for key in keys:
                    self.board.put_first(key, _FAILED)
                raise
        self.made += len(keys)
        return {
            key: self.board.put_first(key, value if len(value) <= _LARGEST else _FAILED)
            for key, value in values.items()
        }

    def once(self, key, make):
        """What `make()` gives, called by one process of the job; None where it failed there, or this is the process."""
        made = False

        def make_it(keys):
            nonlocal made
            made = True
            return {key: make()}

        value = self.share([key], make_it)[key]
        return None if made or value == _FAILED else value


_current: tuple = (None, None)  # (what it was made for, Fleet)


def _find_board():
    """(what tells this job from others, function that makes its board, rank, number of ranks); None where there is no job."""
    torch = sys.modules.get("torch")
    distributed = getattr(torch, "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None
    rank, size = distributed.get_rank(), distributed.get_world_size()
    backend = knobs.cache.remote_manager_class
    store = distributed.distributed_c10d._get_default_store()
    if backend is not None and backend.__name__ == "RedisRemoteCacheBackend":
        # Ranks of one job have the same address to meet at, which no other job has at the same time.
        job = "-".join(os.environ.get(name, "") for name in ("MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID"))
        return (os.getpid(), id(store), "redis"), lambda: RedisBoard(job), rank, size
    return (os.getpid(), id(store)), lambda: StoreBoard(store), rank, size


def current():
    """The job that this process is part of, or None."""
    global _current
    if not knobs.runtime.fleet:
        return None
    try:
        found = _find_board()
        if found is None or found[3] < 2:
            return None
        identity, make_board, rank, size = found
        if _current[0] != identity:
            made = Fleet(make_board(), rank, size)
            _current = identity, made if made.works() else None
    except Exception as error:
        leave(error)
    return _current[1]


def leave(error):
    """Goes on alone: the board does not answer any more."""
    global _current
    if _current[1] is not None:
        warnings.warn(f"kernels are compiled and tuned by each process for itself from here on: {error}", stacklevel=3)
    _current = (_current[0], None)


# Kernels.


def pack(files):
    """The files of a kernel as one value of the board."""
    contents = {
        name: content.encode() if isinstance(content, str) else bytes(content) for name, content in files.items()
    }
    head = json.dumps({name: len(content) for name, content in contents.items()}).encode()
    return len(head).to_bytes(8, "little") + head + b"".join(contents.values())


def unpack(value):
    """The files again: name -> bytes. They prove themselves when they are read."""
    end = 8 + int.from_bytes(value[:8], "little")
    files, begin = {}, end
    for name, size in json.loads(value[8:end]).items():
        files[name] = value[begin : begin + size]
        begin += size
    return files


def compile_once(hash, compile):
    """What `compile()` gives, files of a kernel and the kernel, where this process is the one of the job that compiles it; the files alone where another was."""
    fleet = current()
    if fleet is None:
        return compile()
    compiled = None

    def make():
        nonlocal compiled
        compiled = compile()
        return pack(compiled[0])

    try:
        value = fleet.once(f"kernel/{hash}", make)
    except Exception as error:
        if compiled is None and not _is_of_board(error):
            raise
        leave(error)
        return compiled or compile()
    if compiled is not None:
        return compiled
    return compile() if value is None else (unpack(value), None)


def _is_of_board(error):
    """Whether an error is the board's, not the compiler's."""
    distributed = getattr(sys.modules.get("torch"), "distributed", None)
    kinds = [getattr(distributed, name, None) for name in ("DistStoreError", "DistNetworkError", "DistError")]
    return isinstance(error, (ConnectionError, *filter(None, kinds)))


# Tuning.


def measure_together(key, configs, measure):
    """Config -> timings: each process of the job measures some. `measure(configs)` gives the timings of those."""
    fleet = current()
    if fleet is None:
        return measure(configs)
    by_key = {f"tune/{key}/{index}": config for index, config in enumerate(configs)}

    def make(keys):
        timings = measure([by_key[key] for key in keys])
        return {key: json.dumps(timings[by_key[key]]).encode() for key in keys}

    try:
        found = fleet.share(by_key, make)
    except Exception as error:
        if not _is_of_board(error):
            raise
        leave(error)
        return measure(configs)
    again = [by_key[key] for key, value in found.items() if value == _FAILED]
    known = {by_key[key]: json.loads(value) for key, value in found.items() if value != _FAILED}
    return {**known, **(measure(again) if again else {})}


def agree_on(key, winner, timings):
    """(index of the winner, timings of all) that the whole job has for this key: these, or what another proposed before. None for what is not known yet."""
    fleet = current()
    if fleet is None:
        return winner, timings
    try:
        place = f"tune/{key}/winner"
        text = fleet.find(place) if winner is None else fleet.agree(place, json.dumps([winner, timings]).encode())
        return (None, None) if text is None else tuple(json.loads(text))
    except Exception as error:
        leave(error)
        return winner, timings
