"""The disk cache of compiled kernels: files under a directory per key, written whole or not at all."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import os
from abc import ABC, abstractmethod
from typing import Optional

from .. import __version__, knobs


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
    """Files in a directory. A writer writes elsewhere and renames, so readers never see half a file."""

    def __init__(self, key, override=False, dump=False):
        self.key = key
        self.lock_path = None
        root = knobs.cache.dump_dir if dump else knobs.cache.override_dir if override else knobs.cache.dir
        if not root:
            raise RuntimeError("Could not create or locate cache dir")
        self.cache_dir = os.path.join(root, key)
        if not override:
            self.lock_path = os.path.join(self.cache_dir, "lock")
            os.makedirs(self.cache_dir, exist_ok=True)

    def _make_path(self, filename) -> str:
        return os.path.join(self.cache_dir, filename)

    def has_file(self, filename) -> bool:
        return os.path.exists(self._make_path(filename))

    def get_file(self, filename) -> Optional[str]:
        return self._make_path(filename) if self.has_file(filename) else None

    def get_group(self, filename: str) -> Optional[dict[str, str]]:
        path = self.get_file(f"__grp__{filename}")
        if path is None:
            return None
        try:
            with open(path) as file:
                children = json.load(file).get("child_paths")
        except (OSError, ValueError):
            return None
        if not isinstance(children, dict):
            return None
        return {name: child for name, child in children.items() if os.path.exists(child)}

    def put_group(self, filename: str, group: dict[str, str]) -> str:
        return self.put(json.dumps({"child_paths": group}), f"__grp__{filename}", binary=False)

    def put(self, data, filename, binary=True) -> str:
        binary = isinstance(data, bytes)
        data = data if binary else str(data)
        path = self._make_path(filename)
        # A file, not a folder to hold one: removing a folder takes 5 ms on some file systems, six times per kernel.
        temporary = self._make_path(f"tmp.pid_{os.getpid()}_{os.urandom(16).hex()}")
        with open(temporary, "wb" if binary else "w") as file:
            file.write(data)
        os.replace(temporary, path)
        return path


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

    def __init__(self, key):
        import redis

        super().__init__(key)
        self._key_fmt = knobs.redis.key_format
        self._redis = redis.Redis(host=knobs.redis.host, port=knobs.redis.port)

    def _get_key(self, filename: str) -> str:
        return self._key_fmt.format(key=self.key, filename=filename)

    def get(self, filenames: list[str]) -> dict[str, bytes]:
        results = self._redis.mget([self._get_key(name) for name in filenames])
        return {name: data for name, data in zip(filenames, results) if data is not None}

    def put(self, filename: str, data: bytes):
        self._redis.set(self._get_key(filename), data)


class RemoteCacheManager(CacheManager):
    """Asks a remote backend first, and keeps what it gives in a local directory. Dumps and overrides stay local."""

    def __init__(self, key, override=False, dump=False):
        backend = knobs.cache.remote_manager_class
        if backend is None:
            raise RuntimeError(
                "Unable to instantiate RemoteCacheManager, TRITON_REMOTE_CACHE_BACKEND doesn't point to a valid class"
            )
        self._backend = backend(key)
        self._override, self._dump = override, dump
        self._file_cache_manager = FileCacheManager(key, override=override, dump=dump)

    @property
    def _is_local(self):
        return self._override or self._dump

    def get_file(self, filename: str) -> Optional[str]:
        if self._is_local:
            return self._file_cache_manager.get_file(filename)
        found = self._backend.get([filename])
        if filename not in found:
            return None
        return self._file_cache_manager.put(found[filename], filename)

    def put(self, data, filename: str, binary=True) -> str:
        if not self._is_local:
            self._backend.put(filename, data if isinstance(data, bytes) else str(data).encode("utf-8"))
        return self._file_cache_manager.put(data, filename, binary=binary)

    def get_group(self, filename: str) -> Optional[dict[str, str]]:
        if self._is_local:
            return self._file_cache_manager.get_group(filename)
        path = self.get_file(f"__grp__{filename}")
        if path is None:
            return None
        with open(path) as file:
            names = json.load(file).get("child_paths")
        if not names:
            return None
        found = self._backend.get(list(names))
        return {name: self._file_cache_manager.put(data, name) for name, data in found.items()}

    def put_group(self, filename: str, group: dict[str, str]):
        if self._is_local:
            return self._file_cache_manager.put_group(filename, group)
        return self.put(json.dumps({"child_paths": sorted(group)}), f"__grp__{filename}", binary=False)


def _base32(key):
    """A hexadecimal key as the name of a directory: RFC 4648, lower half of the alphabet's length, no padding."""
    return base64.b32encode(bytes.fromhex(key)).decode("utf-8").rstrip("=")


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
    """Identifies this build: the version, the sources of the package, and the native libraries by size and time."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    contents = []
    for folder in ("runtime", "compiler", "backends", "language"):
        for directory, subdirectories, files in os.walk(os.path.join(root, folder)):
            subdirectories.sort()
            for name in sorted(files):
                if name.endswith(".py"):
                    with open(os.path.join(directory, name), "rb") as file:
                        contents.append(hashlib.sha256(file.read()).hexdigest())
    from .._C import libtriton

    for library in libtriton.native_libraries():
        status = os.stat(library)
        contents.append(f"{os.path.basename(library)}:{status.st_size}:{status.st_mtime_ns}")
    return f"{__version__}-" + "-".join(contents)


def get_cache_key(src, backend, backend_options, env_vars):
    """What a compiled kernel is stored under, before hashing."""
    return f"{triton_key()}-{src.hash()}-{backend.hash()}-{backend_options.hash()}-{sorted(env_vars.items())}"
