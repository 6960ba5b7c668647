"""The disk cache of compiled kernels: files under a directory per key, written whole or not at all."""

from __future__ import annotations

import base64
import contextlib
import functools
import hashlib
import json
import os
import time
import warnings
from abc import ABC, abstractmethod
from typing import Optional

from .. import __version__, knobs
from .._C import libtriton
from .._C.libtriton import cache as native


class CacheManager(ABC):
    """Keeps the files of one key."""

    def __init__(self, key, override=False, dump=False):
        pass

    @abstractmethod
    def get_file(self, filename) -> Optional[str]:
        """Path of a file, or None."""

    @abstractmethod
    def put(self, data, filename, binary=True) -> str:
        """Stores a file; gives its path."""

    @abstractmethod
    def get_group(self, filename: str) -> Optional[dict[str, str]]:
        """name -> path of the files stored together under `filename`, or None."""

    @abstractmethod
    def put_group(self, filename: str, group: dict[str, str]):
        """Stores that these files belong together."""


class FileCacheManager(CacheManager):
    """Files in a directory that many processes may use: a file is there whole or not at all."""

    def __init__(self, key, override=False, dump=False):
        if not native.is_file_name(key):
            raise ValueError(f"the key of a cache entry names its folder, which '{key}' does not")
        self.key = key
        self.lock_path = None
        root = knobs.cache.dump_dir if dump else knobs.cache.override_dir if override else knobs.cache.dir
        if not root:
            raise RuntimeError("Could not create or locate cache dir")
        self.cache_dir = os.path.join(root, key)
        self._store = native.Store(root)
        self._limit = None if dump or override else limit()
        if not override:
            self.lock_path = os.path.join(self.cache_dir, "lock")
            with contextlib.suppress(OSError):  # where nothing can be written, what is there can still be read
                os.makedirs(self.cache_dir, exist_ok=True)

    def _make_path(self, filename) -> str:
        return os.path.join(self.cache_dir, filename)

    def has_file(self, filename) -> bool:
        return self._store.has(self.key, filename)

    def get_file(self, filename) -> Optional[str]:
        return self._make_path(filename) if self.has_file(filename) else None

    def get_group(self, filename: str) -> Optional[dict[str, str]]:
        children = parse_object(self._store.get(self.key, f"__grp__{filename}")).get("child_paths")
        if not isinstance(children, dict):
            return None
        self._store.touch(self.key)
        # Paths are written for others to read. What belongs to an entry lies in its folder, wherever that was when it was written.
        files = {name: os.path.basename(path) for name, path in children.items() if isinstance(path, str)}
        return {name: self._make_path(file) for name, file in files.items() if is_file_name(file) and self.has_file(file)}  # fmt: skip

    def put_group(self, filename: str, group: dict[str, str]) -> str:
        path = self.put(json.dumps({"child_paths": group}), f"__grp__{filename}", binary=False)
        if self._limit is not None:
            _bound(self._store, self._limit, sum(map(_size_of, [path, *group.values()])))
        return path

    def put(self, data, filename, binary=True) -> str:
        self._store.put(self.key, filename, data if isinstance(data, bytes) else str(data))
        return self._make_path(filename)


def _size_of(path):
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def is_file_name(name):
    """Whether a name that came from elsewhere names a file in a folder, and does not lead out of it."""
    try:
        return native.is_file_name(name)
    except TypeError:  # no text at all, or none that a file can be called by
        return False


def parse_object(content):
    """The JSON object that a file holds; an empty one if there is none, or it is damaged."""
    try:
        found = json.loads(content)
    except (TypeError, ValueError, RecursionError):  # the last where it is nested too deeply
        return {}
    return found if isinstance(found, dict) else {}


def secret() -> bytes:
    """What entries are signed with, from the file that `knobs.cache.secret_file` names; empty if it names none."""
    path = knobs.cache.secret_file
    if path is None:
        return b""
    try:
        return native.read_secret(os.fspath(path))
    except RuntimeError as error:
        raise RuntimeError(f"TRITON_CACHE_SECRET_FILE: {error}") from None


def seal(description: str, files=None) -> str:
    """The text of a JSON object, closed with the digests of `files` (name -> content) and its own, and signed if there is a secret."""
    return native.seal(description, files or {}, secret())


def find_damage(description: bytes, files=None, may_be_missing=False) -> str:
    """Why what was sealed is not what it was, or is a stranger's; empty if it is sound."""
    return native.find_damage(description, files or {}, may_be_missing, secret())


def limit():
    """The bytes that `knobs.cache.limit` allows; None if it sets no limit."""
    text = knobs.cache.limit
    if not text:
        return None
    size = native.parse_size(str(text))
    if size is None:
        raise RuntimeError(f"TRITON_CACHE_LIMIT must be a size such as 500M or 2G, got '{text}'")
    return size


class _Usage:
    """What this process believes a cache directory to hold. Others write too, so it looks again now and then."""

    LOOK_AGAIN_AFTER = 64  # stored kernels, or a sixteenth of those that there are: looking at one takes about 0.1 ms

    def __init__(self):
        self.bytes = None
        self.until_look = 0  # kernels to store

    def look(self, store):
        entries = [entry for entry in store.list() if entry.is_sealed]
        self.bytes = sum(entry.bytes for entry in entries)
        self.until_look = max(self.LOOK_AGAIN_AFTER, len(entries) // 16)


_usage: dict[str, _Usage] = {}


def _bound(store, limit, added):
    """Keeps a cache directory within `limit` bytes after `added` were stored."""
    usage = _usage.setdefault(store.root, _Usage())
    usage.until_look -= 1
    if usage.until_look < 0:
        usage.look(store)
    else:
        usage.bytes += added
    if usage.bytes > limit:
        # A tenth of room, so that a full cache is not gone through for every kernel.
        usage.bytes = store.prune(limit - limit // 10).bytes_after


class RemoteCacheBackend(ABC):
    """Keeps files elsewhere."""

    def __init__(self, key: str):
        self.key = key

    @abstractmethod
    def get(self, filenames: list[str]) -> dict[str, bytes]:
        """Those of the files that are there."""

    @abstractmethod
    def put(self, filename: str, data: bytes):
        """Stores a file."""


class RedisRemoteCacheBackend(RemoteCacheBackend):
    """Files in a Redis server."""

    _clients: dict = {}  # (process, host, port) -> connection; a forked child must not talk on its parent's

    def __init__(self, key):
        super().__init__(key)
        self._key_fmt = knobs.redis.key_format
        place = os.getpid(), knobs.redis.host, knobs.redis.port
        if place not in self._clients:
            self._clients[place] = native.Redis(knobs.redis.host, knobs.redis.port)
        self._redis = self._clients[place]

    def _get_key(self, filename: str) -> str:
        return self._key_fmt.format(key=self.key, filename=filename)

    def get(self, filenames: list[str]) -> dict[str, bytes]:
        results = self._redis.get([self._get_key(name) for name in filenames])
        return {name: data for name, data in zip(filenames, results) if data is not None}

    def put(self, filename: str, data: bytes):
        self._redis.put(self._get_key(filename), data)


class RemoteCacheManager(CacheManager):
    """Asks a remote backend first, and keeps what it gives in a local directory. Dumps and overrides stay local.

    A remote store that fails is left alone for a while: the local directory goes on serving.
    """

    RETRY_AFTER = 30  # seconds
    _resting: dict = {}  # backend class -> when it may be asked again

    def __init__(self, key, override=False, dump=False):
        backend = knobs.cache.remote_manager_class
        if backend is None:
            raise RuntimeError(
                "Unable to instantiate RemoteCacheManager, TRITON_REMOTE_CACHE_BACKEND doesn't point to a valid class"
            )
        self._kind = backend
        self._backend = None
        self._ask(lambda: setattr(self, "_backend", backend(key)), None)
        self._override, self._dump = override, dump
        self._file_cache_manager = FileCacheManager(key, override=override, dump=dump)

    @property
    def _is_local(self):
        return self._override or self._dump or self._backend is None or self._is_resting

    @property
    def _is_resting(self):
        return time.monotonic() < self._resting.get(self._kind, 0)

    def _ask(self, question, otherwise):
        """What the remote store answers; `otherwise` if it fails."""
        if self._is_resting:
            return otherwise
        try:
            return question()
        except Exception as error:  # of whatever client the backend uses
            self._resting[self._kind] = time.monotonic() + self.RETRY_AFTER
            warnings.warn(f"the remote cache of kernels is left alone for {self.RETRY_AFTER} s: {error}", stacklevel=4)
            return otherwise

    def get_file(self, filename: str) -> Optional[str]:
        found = {} if self._is_local else self._ask(lambda: self._backend.get([filename]), {})
        if filename in found:
            return self._file_cache_manager.put(found[filename], filename)
        return self._file_cache_manager.get_file(filename)

    def put(self, data, filename: str, binary=True) -> str:
        if not self._is_local:
            content = data if isinstance(data, bytes) else str(data).encode("utf-8")
            self._ask(lambda: self._backend.put(filename, content), None)
        return self._file_cache_manager.put(data, filename, binary=binary)

    def get_group(self, filename: str) -> Optional[dict[str, str]]:
        name = f"__grp__{filename}"
        content = {} if self._is_local else self._ask(lambda: self._backend.get([name]), {})
        names = _child_names(content.get(name))
        found = self._ask(lambda: self._backend.get(names), {}) if names else {}
        if not names or set(found) != set(names):
            return self._file_cache_manager.get_group(filename)
        group = {child: self._file_cache_manager.put(data, child) for child, data in found.items()}
        self._file_cache_manager.put_group(filename, group)  # for when the remote store is away
        return group

    def put_group(self, filename: str, group: dict[str, str]):
        if not self._is_local:
            text = json.dumps({"child_paths": sorted(group)})
            self._ask(lambda: self._backend.put(f"__grp__{filename}", text.encode("utf-8")), None)
        return self._file_cache_manager.put_group(filename, group)


def _child_names(content):
    """The names that a remote group lists; none if it is damaged, or one of them would be a file elsewhere."""
    names = parse_object(content).get("child_paths")
    return names if isinstance(names, list) and all(map(is_file_name, names)) else []


def _base32(key):
    """A hexadecimal key as the name of a directory: RFC 4648, lower half of the alphabet's length, no padding."""
    return base64.b32encode(bytes.fromhex(key)).decode("utf-8").rstrip("=")


def _base64(key):
    """The same in the alphabet of RFC 4648 that suits URLs and files, no padding."""
    return base64.urlsafe_b64encode(bytes.fromhex(key)).decode("utf-8").rstrip("=")


def _manager(key, **kind) -> CacheManager:
    return (knobs.cache.manager_class or FileCacheManager)(_base32(key), **kind)


def get_cache_manager(key) -> CacheManager:
    return _manager(key)


def get_override_manager(key) -> CacheManager:
    return _manager(key, override=True)


def get_dump_manager(key) -> CacheManager:
    return _manager(key, dump=True)


def make_so_cache_key(version_hash, signature, constants, ids, **kwargs):
    """A key for compiled helper libraries."""
    signature = {name: "ptr" if ty[0] == "*" else ty for name, ty in signature.items()}
    text = f"{version_hash}-{''.join(signature.values())}-{constants}-{ids}"
    for name, value in kwargs.items():
        text = f"{text}-{name}-{value}"
    return _base32(hashlib.sha256(text.encode("utf-8")).hexdigest())


@functools.lru_cache
def triton_key():
    """Identifies this build on every machine that runs it: the version, the sources of the package, and the ids of the native libraries."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folders = ("runtime", "compiler", "backends", "language")
    digests = [native.digest_files(os.path.join(root, folder), ".py") for folder in folders]
    identities = native.build_ids()
    if not all(identities):  # a linker that gives no ids: where and when the files were made will do
        statuses = [(path, os.stat(path)) for path in libtriton.native_libraries()]
        identities = [f"{os.path.basename(path)}:{status.st_size}:{status.st_mtime_ns}" for path, status in statuses]
    return "-".join([__version__, *digests, *identities])


# Variables that the native compiler gets to know as options, which are in its own part of a key.
_KNOWN_AS_OPTIONS = {
    "DISABLE_MMA_V3", "DISABLE_MMA_V5", "DISABLE_PTXAS_OPT", "TRITON_DEFAULT_FP_FUSION", "TRITON_F32_DEFAULT",
    "TRITON_OVERLAP_LAUNCHES", "TRITON_OVERRIDE_ARCH", "TRITON_OVERRIDE_PTX_VERSION", "TRITON_TENSOR_MAPS",
}  # fmt: skip


def keyed_variables(env_vars, is_shared):
    """The part of a key that says which variables change what a compile gives; `is_shared`: the key is one that other languages give the kernel, too."""
    variables = sorted((name, value) for name, value in env_vars.items() if not (is_shared and name in _KNOWN_AS_OPTIONS))  # fmt: skip
    return f"-{variables}" if variables else ""


def get_cache_key(src, backend, backend_options, env_vars):
    """What a compiled kernel is stored under, before hashing. Kernels of this package's backends have the key that C++ and C programs give them too."""
    shared = src.shared_key(backend, backend_options) if hasattr(src, "shared_key") else None
    key = shared or f"{triton_key()}-{src.hash()}-{backend.hash()}-{backend_options.hash()}"
    return key + keyed_variables(env_vars, shared is not None)
