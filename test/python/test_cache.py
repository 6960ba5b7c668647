"""The disk cache under attack, its bounds, its tools, bundles, overrides and a real Redis server. Nothing wrong is ever loaded, nothing raises where compiling would do."""

import contextlib
import io
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import time
import warnings

import numpy as np
import pytest
import triton
import triton.language as tl
from triton import cache as cache_tool
from triton._C.libtriton import cache as native
from triton.runtime.cache import _base32
from triton.runtime.errors import CacheMissError

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def define():
    @triton.jit
    def stored(out_ptr, N: tl.constexpr):
        tl.store(out_ptr, N * 10)

    return stored


def launch(kernel, N, **options):
    out = np.zeros(1, np.int32)
    compiled = kernel[(1,)](out, N, **options)
    assert out[0] == N * 10
    return compiled


@contextlib.contextmanager
def counting(knobs):
    """How many compiles were served from the cache and how many were not."""
    seen = []
    before, knobs.compilation.listener = knobs.compilation.listener, lambda **event: seen.append(event["cache_hit"])
    yield seen
    knobs.compilation.listener = before


def files_of(directory, compiled):
    folder = os.path.join(directory, _base32(compiled.hash))
    return folder, sorted(os.listdir(folder))


def relaunch(kernel, knobs, N=3):
    kernel.device_caches.clear()
    with counting(knobs) as seen:
        launch(kernel, N)
    return seen


# Damage.


def test_entries_are_served_and_sealed(fresh_triton_cache, fresh_knobs, stages):
    fresh_knobs.cache.dir = fresh_triton_cache
    kernel = define()
    first = launch(kernel, 3)
    folder, files = files_of(fresh_triton_cache, first)
    sealed = {f"stored.{stage}" for stage in (*stages, "source")}
    assert files == sorted({"__grp__stored.json", "stored.json"} | sealed)
    description = json.load(open(os.path.join(folder, "stored.json")))
    assert set(description["digests"]) == sealed
    assert description["request"]["constants"] == {"N": "3"}
    assert relaunch(kernel, fresh_knobs) == [True]
    assert not {"request", "digests", "checksum"} & set(first.metadata._fields)


@pytest.mark.parametrize("attack", ["truncate", "flip", "empty", "remove", "directory"])
def test_damaged_files(attack, fresh_triton_cache, fresh_knobs, stages):
    fresh_knobs.cache.dir = fresh_triton_cache
    kernel = define()
    folder, files = files_of(fresh_triton_cache, launch(kernel, 3))
    generator = random.Random(7)
    for name in files:
        path = os.path.join(folder, name)
        content = open(path, "rb").read()
        if attack == "truncate":
            os.truncate(path, generator.randrange(len(content)))
        elif attack == "flip":
            place = generator.randrange(len(content))
            flipped = bytes([content[place] ^ (1 << generator.randrange(8))])
            open(path, "wb").write(content[:place] + flipped + content[place + 1 :])
        elif attack == "empty":
            os.truncate(path, 0)
        else:
            os.remove(path)
        if attack == "directory":
            os.mkdir(path)
        if attack == "remove" and not name.endswith((".json", stages[-1])):  # what launches do without
            assert relaunch(kernel, fresh_knobs) == [True], name
        elif not (attack == "flip" and name.startswith("__grp__")):  # some bits of a path may be any
            assert relaunch(kernel, fresh_knobs) == [False], name
        else:
            relaunch(kernel, fresh_knobs)
        if attack == "directory":
            os.rmdir(path)
            relaunch(kernel, fresh_knobs)
        assert relaunch(kernel, fresh_knobs) == [True], name  # it was stored again


def test_deleted_stages(fresh_triton_cache, fresh_knobs, stages):
    """A stage that is gone is gone from `asm` and from the group; without the code, it is compiled again."""
    fresh_knobs.cache.dir = fresh_triton_cache
    kernel = define()
    folder, _ = files_of(fresh_triton_cache, launch(kernel, 3))
    os.remove(os.path.join(folder, "stored.ttir"))
    assert relaunch(kernel, fresh_knobs) == [True]
    kernel.device_caches.clear()
    compiled = launch(kernel, 3)
    assert "ttir" not in compiled.asm and "llir" in compiled.asm
    assert sorted(compiled.metadata_group) == sorted(f"stored.{end}" for end in ("json", "source", *stages[1:]))
    os.remove(os.path.join(folder, f"stored.{stages[-1]}"))
    assert relaunch(kernel, fresh_knobs) == [False] and relaunch(kernel, fresh_knobs) == [True]
    assert os.path.exists(os.path.join(folder, "stored.ttir"))


def test_every_bit_of_the_code_matters(fresh_triton_cache, fresh_knobs, stages):
    fresh_knobs.cache.dir = fresh_triton_cache
    kernel = define()
    folder, _ = files_of(fresh_triton_cache, launch(kernel, 3))
    path = os.path.join(folder, f"stored.{stages[-1]}")
    content = open(path, "rb").read()
    for place in random.Random(1).sample(range(len(content)), 25):
        open(path, "wb").write(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        assert relaunch(kernel, fresh_knobs) == [False]


def test_swapped_entries(fresh_triton_cache, fresh_knobs, stages):
    fresh_knobs.cache.dir = fresh_triton_cache
    kernel = define()
    one, two = (files_of(fresh_triton_cache, launch(kernel, N))[0] for N in (3, 4))
    for name in (f"stored.{stages[-1]}", "stored.json", None):  # a file, the description, the whole folder
        paths = [folder if name is None else os.path.join(folder, name) for folder in (one, two)]
        os.rename(paths[0], paths[0] + ".aside")
        os.rename(paths[1], paths[0])
        os.rename(paths[0] + ".aside", paths[1])
        kernel.device_caches.clear()
        with counting(fresh_knobs) as seen:
            launch(kernel, 3), launch(kernel, 4)
        if name is not None:  # groups name their files by whole paths, which lead to the right ones even so
            assert seen == [False, False], name
    store = native.Store(fresh_triton_cache)
    damage = {cache_tool.damage_of(store, entry) for entry in store.list()}
    assert damage == {"it lies under the key of another kernel"}


# Places where nothing can be stored.


@contextlib.contextmanager
def tmpfs(path, options):
    os.makedirs(path, exist_ok=True)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", path], capture_output=True).returncode:
        pytest.skip("mounting a small disk needs root")
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", path], check=True)


def test_full_disk(tmp_path, fresh_knobs):
    with tmpfs(str(tmp_path / "small"), "size=64k") as small:
        with contextlib.suppress(OSError), open(os.path.join(small, "ballast"), "wb", buffering=0) as ballast:
            while True:
                ballast.write(b"x" * 4096)
        fresh_knobs.cache.dir = os.path.join(small, "cache")
        kernel = define()
        with pytest.warns(UserWarning, match="is not stored: cannot write.*No space left"):
            launch(kernel, 3)
        launch(kernel, 3)  # from memory
        left = [name for _, _, names in os.walk(fresh_knobs.cache.dir) for name in names]
        assert not any(name.startswith("tmp.") for name in left)
        os.remove(os.path.join(small, "ballast"))
        kernel.device_caches.clear()
        launch(kernel, 3)
        assert relaunch(kernel, fresh_knobs) == [True]


def test_disk_fills_up_midway(tmp_path, fresh_knobs):
    """Only some of an entry's files fit."""
    with tmpfs(str(tmp_path / "small"), "size=16k") as small:
        fresh_knobs.cache.dir = small
        kernel = define()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for N in range(2, 8):
                launch(kernel, N)
            kernel.device_caches.clear()
            for N in range(2, 8):
                launch(kernel, N)


def test_read_only_directory(tmp_path, fresh_knobs):
    with tmpfs(str(tmp_path / "disk"), "size=1m") as disk:
        fresh_knobs.cache.dir = disk
        kernel = define()
        launch(kernel, 3)
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        assert relaunch(kernel, fresh_knobs) == [True]  # it can be read
        with pytest.warns(UserWarning, match="Read-only file system"):
            assert relaunch(kernel, fresh_knobs, N=4) == [False]


def test_a_file_where_the_directory_should_be(tmp_path, fresh_knobs):
    (tmp_path / "file").write_text("")
    fresh_knobs.cache.dir = str(tmp_path / "file")
    with pytest.warns(UserWarning, match="Not a directory"):
        launch(define(), 3)


# Many processes.

WORKER = """
import sys, numpy as np, triton, triton.language as tl
@triton.jit
def shared(out_ptr, N: tl.constexpr):
    tl.store(out_ptr, N * 10)
out = np.zeros(1, np.int32)
order = list(range(2, 10))
import random; random.Random(int(sys.argv[1])).shuffle(order)
for N in order:
    shared[(1,)](out, N)
    assert out[0] == N * 10, (out, N)
print("done")
"""


@pytest.mark.cpu_only
def test_processes_killed_at_any_moment(tmp_path):
    script = tmp_path / "worker.py"
    script.write_text(WORKER)
    directory = tmp_path / "cache"
    environment = {**os.environ, "TRITON_CACHE_DIR": str(directory), "TRITON_CPU_MAX_THREADS": "1"}
    environment["PYTHONPATH"] = os.path.join(ROOT, "python") + os.pathsep + environment.get("PYTHONPATH", "")
    generator = random.Random(3)

    def start(seed):
        return subprocess.Popen(
            [sys.executable, str(script), str(seed)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    begin = time.monotonic()
    assert start(0).wait() == 0
    alone = time.monotonic() - begin
    shutil.rmtree(directory)
    finished = killed = 0
    for wave in range(4):
        workers = [start(wave * 8 + index) for index in range(8)]
        # Eight at a time on few cores: somewhere between the import and the last kernel.
        begin = time.monotonic()
        deadlines = sorted(begin + alone * generator.uniform(0.5, 5) for _ in range(6))
        for victim, deadline in zip(workers, deadlines):
            time.sleep(max(0, deadline - time.monotonic()))
            victim.send_signal(signal.SIGKILL)
        for worker in workers:
            out, error = worker.communicate(timeout=300)
            assert worker.returncode in (0, -signal.SIGKILL), error
            if worker.returncode == 0:
                assert out.strip() == "done", error
                finished += 1
            else:
                killed += 1
    assert finished >= 8 and killed >= 1
    # What is there is sound, or part of an entry whose writer died before it described it.
    store = native.Store(str(directory))
    whole = [entry for entry in store.list() if "shared.json" in entry.files]
    assert len(whole) == 8 and not any(cache_tool.damage_of(store, entry) for entry in whole)


# Bounds and tools.


def test_limit(fresh_triton_cache, fresh_knobs):
    fresh_knobs.cache.dir = fresh_triton_cache
    kernel = define()
    launch(kernel, 2)
    store = native.Store(fresh_triton_cache)
    size = sum(entry.bytes for entry in store.list())
    fresh_knobs.cache.limit = str(4 * size)
    names = {2: {entry.name for entry in store.list()}}
    for N in range(3, 12):
        launch(kernel, N)
        kernel.device_caches.clear()
        launch(kernel, 2)  # used all the time, so it stays
        kernel.device_caches.clear()
    assert sum(entry.bytes for entry in store.list()) <= 4 * size
    assert names[2] <= {entry.name for entry in store.list()}
    fresh_knobs.cache.limit = "much"
    with pytest.raises(RuntimeError, match="TRITON_CACHE_LIMIT must be a size"):
        launch(kernel, 50)


def run_tool(*arguments):
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    code = cache_tool.main(list(arguments), out)
    out.flush()
    return code, out.buffer.getvalue().decode()


def test_tool(fresh_triton_cache, fresh_knobs, stages):
    fresh_knobs.cache.dir = fresh_triton_cache
    kernel = define()
    compiled = [launch(kernel, N) for N in (3, 4)]
    code, text = run_tool("ls")
    assert code == 0 and text.count(" stored\n") == 2 and "2 entries" in text
    assert f"{triton.runtime.driver.active.get_current_target().backend}:" in text
    entry = _base32(compiled[0].hash)
    code, text = run_tool("show", entry[:20])
    assert code == 0 and "'N': '3'" in text and f"stored.{stages[-1]}" in text and "sound" in text
    assert run_tool("show", compiled[0].hash)[1] == text
    code, text = run_tool("show", entry, "--stage", "ttir")
    assert "tt.func public @stored" in text
    with pytest.raises(SystemExit, match="2 entries for 'stored'"):
        run_tool("show", "stored")
    with pytest.raises(SystemExit, match=f"has no stage 'beads'; it has: {', '.join(sorted([*stages, 'source']))}"):
        run_tool("show", entry, "--stage", "beads")
    assert run_tool("verify") == (0, "2 entries, 0 damaged\n")
    os.truncate(os.path.join(fresh_triton_cache, entry, "stored.llir"), 3)
    code, text = run_tool("verify")
    assert code == 1 and f"{entry}: stored.llir is damaged" in text
    assert run_tool("verify", "--remove")[0] == 0 and run_tool("verify") == (0, "1 entries, 0 damaged\n")
    assert "1 entries removed" in run_tool("prune", "--limit", "0")[1] and os.listdir(fresh_triton_cache) == []
    with pytest.raises(SystemExit, match="takes a size"):
        run_tool("prune", "--limit", "some")


def test_tool_as_a_command(fresh_triton_cache):
    environment = {**os.environ, "PYTHONPATH": os.path.join(ROOT, "python"), "TRITON_CACHE_DIR": fresh_triton_cache}
    result = subprocess.run(
        [sys.executable, "-m", "triton.cache", "ls"], env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0 and result.stdout.startswith("0 entries"), result.stderr


# Dumps and overrides.


def test_dump_and_override(tmp_path, fresh_knobs, capfd, stages):
    fresh_knobs.cache.dir = str(tmp_path / "cache")
    fresh_knobs.cache.dump_dir = str(tmp_path / "dump")
    fresh_knobs.cache.override_dir = str(tmp_path / "override")
    fresh_knobs.compilation.dump_ir = True
    kernel = define()
    compiled = launch(kernel, 3)
    folder = tmp_path / "dump" / _base32(compiled.src.hash())
    assert {f"stored.{stage}" for stage in stages} <= set(os.listdir(folder))
    fresh_knobs.compilation.dump_ir = False
    fresh_knobs.compilation.override = fresh_knobs.compilation.always_compile = True
    shutil.copytree(folder, tmp_path / "override" / folder.name)
    target = tmp_path / "override" / folder.name
    originals = {f"stored.{stage}": (target / f"stored.{stage}").read_text() for stage in stages[:-1]}
    for name in originals:
        for file in os.listdir(target):
            os.remove(target / file)
        assert "30" in originals[name]
        (target / name).write_text(originals[name].replace("30", "77"))
        kernel.device_caches.clear()
        out = np.zeros(1, np.int32)
        kernel[(1,)](out, 3)
        assert out[0] == 77, name
        assert f"Overriding kernel with file {target / name}" in capfd.readouterr().out
    kernel.device_caches.clear()
    for name in reversed(originals):
        for file in os.listdir(target):
            os.remove(target / file)
        (target / name).write_text("nonsense")
        with pytest.raises(RuntimeError, match="cannot be read|line 1 of the LLVM IR|PTX must have exactly one"):
            launch(kernel, 3)


def test_ir_override_option(tmp_path, fresh_triton_cache):
    kernel = define()
    path = tmp_path / "mine.ttir"
    path.write_text(launch(kernel, 3).asm["ttir"].replace("30", "55"))
    out = np.zeros(1, np.int32)
    kernel[(1,)](out, 3, ir_override=str(path))
    assert out[0] == 55
    launch(kernel, 3)


def test_store_binary_only(fresh_triton_cache, fresh_knobs, stages):
    fresh_knobs.cache.dir = fresh_triton_cache
    fresh_knobs.compilation.store_binary_only = True
    kernel = define()
    _, files = files_of(fresh_triton_cache, launch(kernel, 3))
    assert set(files) == {"__grp__stored.json", "stored.json", f"stored.{stages[-1]}"}
    assert relaunch(kernel, fresh_knobs) == [True]


# Bundles.


def test_bundle(tmp_path, fresh_knobs, stages):
    fresh_knobs.cache.dir = str(tmp_path / "cache")
    fresh_knobs.cache.record = str(tmp_path / "recorded")
    kernel = define()
    hashes = [launch(kernel, N).hash for N in (3, 4)]
    shutil.move(tmp_path / "recorded", tmp_path / "shipped")
    fresh_knobs.cache.record = None
    fresh_knobs.cache.dir = str(tmp_path / "elsewhere")
    fresh_knobs.cache.bundle = str(tmp_path / "missing") + os.pathsep + str(tmp_path / "shipped")
    fresh_knobs.cache.strict = True
    kernel = define()
    with counting(fresh_knobs) as seen:
        assert [launch(kernel, N).hash for N in (3, 4)] == hashes
    assert seen == [True, True] and not (tmp_path / "elsewhere").exists()
    with pytest.raises(CacheMissError, match=r"kernel '.*stored' .* constant N: (3|4) is stored, 5 is needed"):
        launch(kernel, 5)
    with pytest.raises(CacheMissError, match="option num_warps: 4 is stored, 8 is needed"):
        launch(kernel, 3, num_warps=8)
    with pytest.raises(CacheMissError, match=r"type of out_ptr: \*i32 is stored, \*i64 is needed"):
        kernel[(1,)](np.zeros(1, np.int64), 3)

    @triton.jit
    def other(out_ptr, N: tl.constexpr):
        tl.store(out_ptr, N)

    with pytest.raises(CacheMissError, match="no version of it is in"):
        other[(1,)](np.zeros(1, np.int32), 3)
    kernel._unsafe_update_src(kernel.src.replace("N * 10", "N * 11"))
    kernel.device_caches.clear()
    with pytest.raises(CacheMissError, match="its source, a function it calls or a constexpr global"):
        launch(kernel, 3)
    fresh_knobs.cache.strict = False
    for folder in (tmp_path / "shipped").iterdir():  # a damaged bundle is no reason not to compile
        os.truncate(folder / f"stored.{stages[-1]}", 10)
    kernel = define()
    assert relaunch(kernel, fresh_knobs) == [False]


def test_bundle_is_recorded_from_cache_hits(tmp_path, fresh_knobs):
    fresh_knobs.cache.dir = str(tmp_path / "cache")
    kernel = define()
    launch(kernel, 3)
    kernel.device_caches.clear()
    fresh_knobs.cache.record = str(tmp_path / "recorded")
    launch(kernel, 3)
    store = native.Store(str(tmp_path / "recorded"))
    assert len(store.list()) == 1 and cache_tool.damage_of(store, store.list()[0]) == ""


# Remote stores.


@pytest.fixture
def redis_server(tmp_path):
    if shutil.which("redis-server") is None or not native.Redis.is_available():
        pytest.skip("no redis-server, or a build without hiredis")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def start():
        server = subprocess.Popen(
            ["redis-server", "--port", str(port), "--save", "", "--dir", str(tmp_path)], stdout=subprocess.DEVNULL
        )
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                return server
            time.sleep(0.02)
        raise RuntimeError("redis-server does not start")

    servers = [start()]
    yield port, servers, start
    for server in servers:
        server.kill()
        server.wait()


@pytest.fixture
def redis_cache(redis_server, fresh_knobs, tmp_path):
    from triton.runtime.cache import RedisRemoteCacheBackend, RemoteCacheManager

    fresh_knobs.redis.host, fresh_knobs.redis.port = "127.0.0.1", redis_server[0]
    fresh_knobs.cache.manager_class = RemoteCacheManager
    fresh_knobs.cache.remote_manager_class = RedisRemoteCacheBackend
    fresh_knobs.cache.dir = str(tmp_path / "here")
    RemoteCacheManager._resting.clear()
    yield fresh_knobs
    RemoteCacheManager._resting.clear()


def test_redis(redis_server, redis_cache, tmp_path):
    kernel = define()
    launch(kernel, 3)
    redis_cache.cache.dir = str(tmp_path / "another machine")
    assert relaunch(kernel, redis_cache) == [True]
    client = native.Redis("127.0.0.1", redis_server[0])
    assert client.get(["nothing"]) == [None]
    client.put("bytes", b"\0\1" * 1000)
    assert client.get(["bytes", "nothing"]) == [b"\0\1" * 1000, None]


def test_damage_in_redis(redis_server, redis_cache, tmp_path, stages):
    kernel = define()
    entry = _base32(launch(kernel, 3).hash)
    client = native.Redis("127.0.0.1", redis_server[0])
    for name in (f"stored.{stages[-1]}", "stored.json", "__grp__stored.json"):
        client.put(f"triton:{entry}:{name}", b"nonsense")
        redis_cache.cache.dir = str(tmp_path / f"without {name}")
        assert relaunch(kernel, redis_cache) == [False], name


def test_redis_dies_midway(redis_server, redis_cache):
    from triton.runtime.cache import RemoteCacheManager

    _, servers, start = redis_server
    kernel = define()
    launch(kernel, 3)
    servers[0].kill()
    servers[0].wait()
    with pytest.warns(UserWarning, match="the remote cache of kernels is left alone for 30 s: Redis"):
        assert relaunch(kernel, redis_cache) == [True]  # from the local directory
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert relaunch(kernel, redis_cache, N=4) == [False]  # not asked again so soon
    servers.append(start())
    RemoteCacheManager._resting.clear()
    assert relaunch(kernel, redis_cache, N=5) == [False]
    assert native.Redis("127.0.0.1", redis_server[0]).get(["x"]) == [None]


def test_redis_stops_answering(redis_server, redis_cache):
    _, servers, _ = redis_server
    kernel = define()
    servers[0].send_signal(signal.SIGSTOP)
    begin = time.monotonic()
    with pytest.warns(UserWarning, match="left alone"):
        launch(kernel, 3)
    assert time.monotonic() - begin < 10
    servers[0].send_signal(signal.SIGCONT)


def test_no_redis_at_all(fresh_knobs, tmp_path):
    from triton.runtime.cache import RedisRemoteCacheBackend, RemoteCacheManager

    fresh_knobs.redis.host, fresh_knobs.redis.port = "127.0.0.1", 1
    fresh_knobs.cache.manager_class, fresh_knobs.cache.remote_manager_class = (
        RemoteCacheManager,
        RedisRemoteCacheBackend,
    )
    fresh_knobs.cache.dir = str(tmp_path)
    RemoteCacheManager._resting.clear()
    with pytest.warns(UserWarning, match="left alone"):
        launch(define(), 3)
    RemoteCacheManager._resting.clear()


def test_triton_key_changes_entries(fresh_triton_cache):
    """The key of a build is part of an entry's, so another compiler does not use what this one made."""
    code = textwrap.dedent("""
        from triton.runtime import cache
        print(cache.triton_key())
    """)
    environment = {**os.environ, "PYTHONPATH": os.path.join(ROOT, "python")}
    keys = {subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True).stdout for _ in range(2)}  # fmt: skip
    assert len(keys) == 1 and triton.__version__ in keys.pop()
