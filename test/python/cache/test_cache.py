"""The disk cache under attack, its bounds, its tools, bundles, overrides and a real Redis server. Nothing wrong is ever loaded, nothing raises where compiling would do."""

import contextlib
import io
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import stat
import subprocess
import sys
import textwrap
import time
import warnings

import numpy as np
import pytest
import triton
import triton.language as tl
from places import PACKAGES, ROOT
from triton import cache as cache_tool
from triton._C.libtriton import cache as native
from triton.runtime.cache import RemoteCacheBackend, _base32
from triton.runtime.errors import CacheMissError

# Where the Triton under test lies: a bundle is elsewhere.


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
        if attack in ("remove", "directory") and not name.endswith((".json", stages[-1])):  # what launches do without
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


def swap(one, two):
    os.rename(one, one + ".aside")
    os.rename(two, one)
    os.rename(one + ".aside", two)


def test_swapped_entries(fresh_triton_cache, fresh_knobs, stages):
    fresh_knobs.cache.dir = fresh_triton_cache
    kernel = define()
    one, two = (files_of(fresh_triton_cache, launch(kernel, N))[0] for N in (3, 4))
    for name in (f"stored.{stages[-1]}", "stored.json", ""):  # a file, the description, the whole folder
        swap(os.path.join(one, name).rstrip("/"), os.path.join(two, name).rstrip("/"))
        kernel.device_caches.clear()
        with counting(fresh_knobs) as seen:
            launch(kernel, 3), launch(kernel, 4)
        assert seen == [False, False], name
    swap(one, two)
    store = native.Store(fresh_triton_cache)
    damage = {cache_tool.damage_of(store, entry) for entry in store.list()}
    assert damage == {"it lies under the key of another kernel"}


def test_an_entry_moves_with_its_folder(tmp_path, fresh_knobs):
    """The paths in a group are those of the place it was written at."""
    fresh_knobs.cache.dir = str(tmp_path / "here")
    kernel = define()
    launch(kernel, 3)
    shutil.move(tmp_path / "here", tmp_path / "elsewhere")
    fresh_knobs.cache.dir = str(tmp_path / "elsewhere")
    assert relaunch(kernel, fresh_knobs) == [True]


@pytest.mark.parametrize("kind", ["pipe", "device", "link", "link to a pipe", "socket"])
def test_no_plain_files(kind, fresh_triton_cache, fresh_knobs, stages, tmp_path, monkeypatch):
    """Whatever lies in the place of a file, or of the folder: it is compiled again, and nothing hangs or is written through."""
    fresh_knobs.cache.dir = fresh_triton_cache
    kernel = define()
    folder, files = files_of(fresh_triton_cache, launch(kernel, 3))
    for path in [*(os.path.join(folder, name) for name in files), folder]:
        original = tmp_path / "original"
        shutil.rmtree(original, ignore_errors=True)
        original.unlink(missing_ok=True)
        os.rename(path, original)
        if kind == "pipe":
            os.mkfifo(path)
        elif kind == "device":
            try:
                os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 5))  # /dev/zero
            except PermissionError:
                pytest.skip("making devices needs root")
        elif kind == "link":
            os.symlink(original, path)
        elif kind == "socket":
            with monkeypatch.context() as patch, socket.socket(socket.AF_UNIX) as server:
                patch.chdir(os.path.dirname(path))  # addresses are short
                server.bind(os.path.basename(path))
        else:
            pipe = tmp_path / "pipe"
            pipe.unlink(missing_ok=True)
            os.mkfifo(pipe)
            os.symlink(pipe, path)
        before = {file.name: file.stat().st_mtime_ns for file in original.iterdir()} if path == folder else original.read_bytes()  # fmt: skip
        is_needed = path == folder or path.endswith((".json", stages[-1]))  # launches do without the other stages
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a folder which is none cannot be written to
            assert relaunch(kernel, fresh_knobs) == [not is_needed], path
        after = {file.name: file.stat().st_mtime_ns for file in original.iterdir()} if path == folder else original.read_bytes()  # fmt: skip
        assert before == after
        if path != folder and not is_needed:
            os.remove(path)
            os.rename(original, path)
        if path != folder:
            assert relaunch(kernel, fresh_knobs) == [True], path


NESTED = '{"child_paths": ' + "[" * 100_000 + "]" * 100_000 + "}"


@pytest.mark.parametrize(
    "content", [NESTED, '{"child_paths": {"stored.json": 3}}', '{"child_paths": [["x"]]}', "[" * 100_000]
)
def test_hostile_groups(content, fresh_triton_cache, fresh_knobs):
    fresh_knobs.cache.dir = fresh_triton_cache
    kernel = define()
    folder, _ = files_of(fresh_triton_cache, launch(kernel, 3))
    with open(os.path.join(folder, "__grp__stored.json"), "w") as file:
        file.write(content)
    assert relaunch(kernel, fresh_knobs) == [False] and relaunch(kernel, fresh_knobs) == [True]


@pytest.mark.parametrize("description", [NESTED, '{"binary_ext": 3}', '{"target": []}', '{"hash": ' + "[" * 900 + "]" * 900 + "}"])  # fmt: skip
def test_hostile_descriptions(description, tmp_path, fresh_knobs):
    """Sealed, as anybody can, and nonsense: in the cache, in a bundle, and for those who look into either."""
    fresh_knobs.cache.dir, fresh_knobs.cache.record = str(tmp_path / "cache"), str(tmp_path / "recorded")
    kernel = define()
    launch(kernel, 3)
    fresh_knobs.cache.record = None
    for path in tmp_path.glob("*/*/stored.json"):
        path.write_text(native.seal(description, {}))
    assert relaunch(kernel, fresh_knobs) == [False] and relaunch(kernel, fresh_knobs) == [True]
    fresh_knobs.cache.bundle, fresh_knobs.cache.dir = str(tmp_path / "recorded"), str(tmp_path / "other")
    assert relaunch(kernel, fresh_knobs) == [False]
    fresh_knobs.cache.strict = True
    with pytest.raises(CacheMissError):
        relaunch(kernel, fresh_knobs, N=5)
    assert run_tool("--dir", str(tmp_path / "recorded"), "ls")[0] == 0
    assert run_tool("--dir", str(tmp_path / "recorded"), "verify")[0] == 1


def test_groups_do_not_lead_out_of_the_entry(fresh_triton_cache, fresh_knobs, tmp_path):
    from triton.runtime.cache import FileCacheManager

    fresh_knobs.cache.dir = fresh_triton_cache
    manager = FileCacheManager("KEY")
    (tmp_path / "secret").write_text("secret")
    manager.put_group("x.json", {"a": str(tmp_path / "secret"), "b": manager.put("text", "b.txt"), "c": ".."})
    assert manager.get_group("x.json") == {"b": os.path.join(fresh_triton_cache, "KEY", "b.txt")}
    for name in ("../x", "/tmp/x", "a/b", ".."):
        with pytest.raises(OSError, match="is no name of a file in a cache"):
            manager.put("text", name)
        assert manager.get_file(name) is None and not manager.has_file(name)
        with pytest.raises(ValueError, match="the key of a cache entry names its folder"):
            FileCacheManager(name)


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
    environment["PYTHONPATH"] = PACKAGES + os.pathsep + environment.get("PYTHONPATH", "")
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


@pytest.mark.parametrize("text", ["much", "abc", "-1", "1.5G", "12 34"])
def test_limits_that_are_none(text, fresh_triton_cache, fresh_knobs):
    """Cold and warm, for kernels and for the tool."""
    fresh_knobs.cache.dir = fresh_triton_cache
    kernel = define()
    launch(kernel, 3)
    fresh_knobs.cache.limit = text
    for N in (3, 50):
        kernel.device_caches.clear()
        with pytest.raises(RuntimeError, match=f"TRITON_CACHE_LIMIT must be a size such as 500M or 2G, got '{text}'"):
            launch(kernel, N)
    with pytest.raises(SystemExit, match="error: TRITON_CACHE_LIMIT must be a size"):
        run_tool("prune")


def test_limit_and_tool_leave_alone_what_is_not_the_caches(fresh_triton_cache, fresh_knobs, tmp_path_factory):
    """Folders and files of the user's in the cache directory, links out of it, and other files in entries."""
    fresh_knobs.cache.dir = fresh_triton_cache
    outside = tmp_path_factory.mktemp("outside")
    shutil.copytree(ROOT / "docs/how-to", outside / "folder")
    kernel = define()
    folder, _ = files_of(fresh_triton_cache, launch(kernel, 3))
    shutil.copytree(folder, outside / "entry")
    root = pathlib.Path(fresh_triton_cache)
    (root / "thesis").mkdir()
    (root / "thesis" / "chapter.json").write_text("{}")
    (root / ("A" * 52)).mkdir()
    (root / ("A" * 52) / "notes.json").write_text("{}")
    (root / "mine.txt").write_text("mine")
    (pathlib.Path(folder) / "mine.txt").write_text("mine")
    for name in ("folder", "entry"):
        os.symlink(outside / name, root / name)
        os.symlink(outside / name, root / (name[0].upper() * 52))
        os.symlink(outside / name, root / "thesis" / name)

    def contents():
        kept = [path for path in [*outside.rglob("*"), *root.rglob("*")] if path.is_file()]
        return {path: path.read_bytes() for path in kept if "stored" not in path.name or outside in path.parents}

    before = contents()
    assert len(before) > 10
    for limit in ("1", "0"):
        fresh_knobs.cache.limit = limit
        for N in range(4, 7):
            launch(kernel, N)
            assert contents() == before
    run_tool("prune", "--limit", "0")
    code, text = run_tool("verify", "--remove")
    assert code == 1 and f"{'A' * 52}: its description is missing or damaged (left alone: no seal" in text
    own = [path for path in root.iterdir() if path.is_dir() and not path.is_symlink()]
    assert contents() == before and own and not any((path / "stored.json").exists() for path in own)
    with pytest.raises(OSError, match="no seal says that it is an entry"):
        native.Store(fresh_triton_cache).remove("thesis")


def test_killed_writers_leave_what_can_be_removed(fresh_triton_cache, fresh_knobs, monkeypatch):
    """Wherever a writer ends: what it wrote is not loaded, and pruning recognises it."""
    from triton.runtime.cache import FileCacheManager

    class Killed(BaseException):
        pass

    fresh_knobs.cache.dir = fresh_triton_cache
    put = FileCacheManager.put
    for survives in range(1, 20):
        left = iter([True] * survives)

        def dying_put(self, *arguments, left=left, **named):
            if not next(left, False):
                raise Killed
            return put(self, *arguments, **named)

        monkeypatch.setattr(FileCacheManager, "put", dying_put)
        kernel = define()
        try:
            launch(kernel, 3)
        except Killed:
            monkeypatch.setattr(FileCacheManager, "put", put)
            store = native.Store(fresh_triton_cache)
            assert [entry.is_sealed for entry in store.list()] == [True]
            store.prune(0)
            assert os.listdir(fresh_triton_cache) == [], survives
        else:
            break
    assert survives > 4


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
    with pytest.raises(SystemExit, match="how much may stay"):  # nothing is removed that nobody asked to remove
        run_tool("prune")
    with pytest.raises(SystemExit, match="no entry of .* begins with 'NOTHING'"):
        run_tool("show", "NOTHING")
    assert "1 entries removed" in run_tool("prune", "--limit", "0")[1] and os.listdir(fresh_triton_cache) == []
    with pytest.raises(SystemExit, match="takes a size"):
        run_tool("prune", "--limit", "some")


def test_tool_as_a_command(fresh_triton_cache):
    environment = {**os.environ, "PYTHONPATH": PACKAGES, "TRITON_CACHE_DIR": fresh_triton_cache}
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
    path.write_text(path.read_text().replace("55", "66"))  # it counts by its content
    define()[(1,)](out, 3, ir_override=str(path))
    assert out[0] == 66
    with pytest.raises(ValueError, match="ir_override: cannot read '.*missing.ttir'"):
        define()[(1,)](out, 3, ir_override=str(tmp_path / "missing.ttir"))


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


def test_a_bundle_whose_recorder_was_killed(tmp_path, fresh_knobs, stages):
    fresh_knobs.cache.dir, fresh_knobs.cache.record = str(tmp_path / "cache"), str(tmp_path / "recorded")
    kernel = define()
    launch(kernel, 3)
    (path,) = tmp_path.glob(f"recorded/*/stored.{stages[-1]}")
    path.unlink()
    kernel.device_caches.clear()
    launch(kernel, 3)
    assert path.exists()


# Secrets.


@pytest.fixture
def secret(tmp_path):
    def write(text, mode=0o600):
        path = tmp_path / f"secret {text.strip()}"
        path.write_text(text)
        path.chmod(mode)
        return str(path)

    return write


def test_entries_of_strangers(fresh_triton_cache, fresh_knobs, secret, stages):
    fresh_knobs.cache.dir = fresh_triton_cache
    kernel = define()
    compiled = launch(kernel, 3)  # by somebody without a secret
    folder, _ = files_of(fresh_triton_cache, compiled)
    fresh_knobs.cache.secret_file = secret("ours")
    assert relaunch(kernel, fresh_knobs) == [False] and relaunch(kernel, fresh_knobs) == [True]
    assert "signature" in json.load(open(os.path.join(folder, "stored.json")))
    assert "signature" not in compiled.metadata._fields
    fresh_knobs.cache.secret_file = secret("theirs")
    assert cache_tool.damage_of(*entry_of(fresh_triton_cache)) == "it is signed with another secret"
    assert relaunch(kernel, fresh_knobs) == [False] and relaunch(kernel, fresh_knobs) == [True]
    # A forger who has no secret can make the checksum right.
    fresh_knobs.cache.secret_file = secret("ours")
    contents = {name: open(os.path.join(folder, name), "rb").read() for name in os.listdir(folder)}
    described = {name: content for name, content in contents.items() if name.startswith("stored.") and name != "stored.json"}  # fmt: skip
    values = json.loads(contents["stored.json"])
    for field in ("digests", "signature", "checksum"):
        del values[field]
    with open(os.path.join(folder, "stored.json"), "w") as file:
        file.write(native.seal(json.dumps(values), described))
    assert cache_tool.damage_of(*entry_of(fresh_triton_cache)) == "it is not signed"
    assert relaunch(kernel, fresh_knobs) == [False]
    # Without a secret, and for pruning, what is signed is as good as what is not.
    fresh_knobs.cache.secret_file = None
    assert relaunch(kernel, fresh_knobs) == [True]
    assert "1 entries removed" in run_tool("prune", "--limit", "0")[1]


def entry_of(directory):
    store = native.Store(directory)
    (entry,) = store.list()
    return store, entry


def test_strangers_bundles_and_timings(tmp_path, fresh_knobs, secret):
    from triton.runtime.config import Config, read_timings, seal_timings

    fresh_knobs.cache.dir, fresh_knobs.cache.record = str(tmp_path / "cache"), str(tmp_path / "recorded")
    kernel = define()
    launch(kernel, 3)
    config = Config({"BLOCK": 32})
    (tmp_path / "timings").write_text(seal_timings((1,), [(config, [1.0, float("inf"), 2.0])]))
    assert read_timings(str(tmp_path / "timings")) == {config: [1.0, float("inf"), 2.0]}
    fresh_knobs.cache.record, fresh_knobs.cache.bundle = None, str(tmp_path / "recorded")
    fresh_knobs.cache.dir = str(tmp_path / "other")
    assert relaunch(kernel, fresh_knobs) == [True]
    fresh_knobs.cache.secret_file = secret("ours")
    assert relaunch(kernel, fresh_knobs) == [False]
    assert read_timings(str(tmp_path / "timings")) is None
    (tmp_path / "timings").write_text(seal_timings((1,), [(config, 1.0)]))
    assert read_timings(str(tmp_path / "timings")) == {config: 1.0}


def test_secrets_that_are_none(tmp_path, fresh_triton_cache, fresh_knobs, secret):
    fresh_knobs.cache.dir = fresh_triton_cache
    os.mkfifo(tmp_path / "pipe", 0o600)
    complaints = {
        str(tmp_path / "none"): "cannot be read: No such file or directory",
        str(tmp_path / "pipe"): "is no plain file",
        secret(" \n"): "is empty",
        secret("open", 0o644): "can be read by everybody or written by its group",
        "": "cannot be read",
    }
    for path, complaint in complaints.items():
        fresh_knobs.cache.secret_file = path
        with pytest.raises(RuntimeError, match=f"TRITON_CACHE_SECRET_FILE: the secret of the cache, .*{complaint}"):
            launch(define(), 3)


# Tuning files.


@pytest.mark.parametrize("content", ["nested", "pipe", "link", "unsealed"])
def test_hostile_tuning_files(content, tmp_path):
    from triton.runtime.config import Config, read_timings, seal_timings

    path = tmp_path / "x.autotune.json"
    sound = seal_timings((1,), [(Config({}), 1.0)])
    if content == "nested":
        path.write_text(native.seal(NESTED.replace("child_paths", "configs_timings"), {}))
    elif content == "pipe":
        os.mkfifo(path)
    elif content == "link":
        (tmp_path / "elsewhere").write_text(sound)
        path.symlink_to(tmp_path / "elsewhere")
    else:
        path.write_text(json.dumps({"configs_timings": [[{"kwargs": {}}, 1.0]]}))
    assert read_timings(str(path)) is None
    path.unlink()
    path.write_text(sound)
    assert read_timings(str(path)) == {Config({}): 1.0}


# Remote stores.


class HostileBackend(RemoteCacheBackend):
    """A server that says what it likes."""

    answers: dict = {}

    def get(self, filenames):
        return {name: self.answers[name] for name in filenames if name in self.answers}

    def put(self, filename, data):
        pass


@pytest.mark.parametrize("name", ["../escaped", "a/../../escaped", "/tmp/triton-escaped", "..", ".", "", "a\0b", "\ud800", 3, ["x"], "nested"])  # fmt: skip
def test_a_server_writes_nothing_outside_of_the_entry(name, tmp_path, fresh_knobs):
    from triton.runtime.cache import RemoteCacheManager

    fresh_knobs.cache.dir = str(tmp_path / "cache" / "here")
    fresh_knobs.cache.manager_class, fresh_knobs.cache.remote_manager_class = RemoteCacheManager, HostileBackend
    RemoteCacheManager._resting.clear()
    group = json.dumps({"child_paths": [name]})
    if name == "nested":
        group = NESTED
    HostileBackend.answers = {"__grp__stored.json": group.encode()}
    if isinstance(name, str):
        HostileBackend.answers[name] = b"escaped"
    kernel = define()
    launch(kernel, 3)
    assert not [path for path in tmp_path.rglob("*") if path.name == "escaped"] and not os.path.exists("/tmp/triton-escaped")  # fmt: skip
    HostileBackend.answers = {}
    assert relaunch(kernel, fresh_knobs) == [True]  # what was compiled was stored


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
    environment = {**os.environ, "PYTHONPATH": PACKAGES}
    keys = {subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True).stdout for _ in range(2)}  # fmt: skip
    assert len(keys) == 1 and triton.__version__ in keys.pop()
