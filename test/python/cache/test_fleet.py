"""Four processes of one job (gloo): what one compiles or measures, all have."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import triton
import triton.language as tl
from triton import knobs
from triton._C.libtriton import cache as native
from triton.runtime import fleet

pytestmark = [pytest.mark.runs, pytest.mark.cpu_only]
RANKS = 4


@triton.jit
def plain(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n) + 1, mask=offsets < n)


BLOCKS = (16, 32, 64, 128, 256, 512, 1024)


def tuned(**options):
    return triton.autotune([triton.Config({"BLOCK": block}) for block in BLOCKS], key=["n"], **options)(plain)


def grid(meta):
    return (triton.cdiv(meta["n"], meta["BLOCK"]),)


def launch(kernel, n=2048, **options):
    x, out = np.arange(n, dtype=np.float32), np.zeros(n, np.float32)
    kernel[grid](x, out, n, **options)
    np.testing.assert_array_equal(out, x + 1)


# What a rank does: each of these runs in every process, and gives what the test wants to know.


def compiles():
    """How many kernels were compiled here, of two."""
    seen = []
    knobs.compilation.listener = lambda **event: seen.append(event["cache_hit"])
    launch(plain, BLOCK=64)
    launch(plain, BLOCK=128)
    return {"compiled": seen.count(False), "found": seen.count(True)}


def tunes():
    """What was measured here, and what was chosen."""
    kernel, measured = tuned(), []
    bench = kernel._bench

    def counting(*args, config, **meta):
        measured.append(config.kwargs["BLOCK"])
        return bench(*args, config=config, **meta)

    kernel._bench = counting
    launch(kernel)
    return {
        "measured": measured,
        "best": kernel.best_config.kwargs["BLOCK"],
        "timings": list(kernel.configs_timings.values()),
    }


def tunes_with_a_clock():
    """A clock of the user's sees every configuration in every process."""
    rank, measured = int(os.environ["RANK"]), []

    def clock(call, quantiles):
        call()
        measured.append(1)
        return [abs(len(measured) - rank) + 1.0] * 3  # each process would choose another one

    kernel = tuned(do_bench=clock)
    launch(kernel)
    return {"measured": len(measured), "best": kernel.best_config.kwargs["BLOCK"]}


def tunes_while_one_dies():
    """The last rank dies while it measures."""
    rank, kernel = int(os.environ["RANK"]), tuned()
    if rank == RANKS - 1:
        kernel._bench = lambda *args, config, **meta: os.kill(os.getpid(), signal.SIGKILL)
    begin = time.monotonic()
    launch(kernel)
    return {"best": kernel.best_config.kwargs["BLOCK"], "seconds": time.monotonic() - begin}


def tunes_alone():
    """The others never launch the kernel."""
    if os.environ["RANK"] != "2":
        return {}
    kernel = tuned()
    launch(kernel)
    return {"timings": len(kernel.configs_timings)}


def fails():
    @triton.jit
    def wrong(x_ptr):
        tl.static_assert(False, "never")

    try:
        wrong[(1,)](np.zeros(1, np.float32))
    except triton.TritonError as error:
        return {"error": "never" in str(error)}
    return {}


def run_rank(scenario, folder):
    import torch.distributed as distributed

    distributed.init_process_group("gloo")
    distributed.barrier()
    answer = globals()[scenario]()
    current = fleet.current()
    answer["made"] = current.made if current else None
    (Path(folder) / os.environ["RANK"]).write_text(json.dumps(answer))
    survivors = scenario != "tunes_while_one_dies"
    if survivors:
        distributed.barrier()  # the store is rank 0's
    else:
        deadline = time.monotonic() + 30
        while os.environ["RANK"] == "0" and len(os.listdir(folder)) < RANKS - 1 and time.monotonic() < deadline:
            time.sleep(0.05)
    os._exit(0)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def run_job(tmp_path):
    """Runs a scenario in four processes, each with a cache of its own; gives their answers by rank, None where one has died."""

    def run(scenario, **variables):
        port = free_port()
        answers = tmp_path / "answers"
        answers.mkdir()
        processes = []
        for rank in range(RANKS):
            environment = {
                **os.environ, "RANK": str(rank), "WORLD_SIZE": str(RANKS), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
                "TRITON_CACHE_DIR": str(tmp_path / f"cache{rank}"), "TRITON_AUTOTUNING_THREADS": "1", **variables,
            }  # fmt: skip
            command = [sys.executable, __file__, scenario, str(answers)]
            processes.append(subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True))
        errors = [process.communicate(timeout=300)[1] for process in processes]
        found = [answers / str(rank) for rank in range(RANKS)]
        assert any(path.exists() for path in found), "\n".join(errors)
        return [json.loads(path.read_text()) if path.exists() else None for path in found]

    return run


def test_each_kernel_is_compiled_once(run_job):
    answers = run_job("compiles")
    assert sum(answer["compiled"] for answer in answers) == 2
    assert all(answer["compiled"] + answer["found"] == 2 for answer in answers)


def test_alone_where_nobody_wants_help(run_job):
    answers = run_job("compiles", TRITON_FLEET="0")
    assert [answer["compiled"] for answer in answers] == [2] * RANKS


def test_configurations_are_divided(run_job):
    answers = run_job("tunes")
    measured = [block for answer in answers for block in answer["measured"]]
    assert sorted(measured) == sorted(BLOCKS)
    assert len({answer["best"] for answer in answers}) == 1
    assert all(
        answer["timings"] == answers[0]["timings"] and len(answer["timings"]) == len(BLOCKS) for answer in answers
    )


def test_users_clocks_are_not_divided(run_job):
    answers = run_job("tunes_with_a_clock")
    assert len({answer["best"] for answer in answers}) == 1
    assert all(answer["measured"] in (0, len(BLOCKS)) for answer in answers)  # none where the choice was known


def test_a_rank_that_dies_delays_the_others_for_seconds(run_job):
    *answers, dead = run_job("tunes_while_one_dies")
    assert dead is None and len({answer["best"] for answer in answers}) == 1
    assert all(
        answer["seconds"] < 60 for answer in answers
    )  # a machine that is busy; without help it would be for ever


def test_a_kernel_of_one_rank(run_job):
    answers = run_job("tunes_alone")
    assert answers[2]["timings"] == len(BLOCKS)


def test_errors_are_everybodys(run_job):
    assert all(answer["error"] for answer in run_job("fails"))


def test_redis_is_the_board(run_job, tmp_path):
    if shutil.which("redis-server") is None or not native.Redis.is_available():
        pytest.skip("no redis-server, or a build without hiredis")
    port = free_port()
    server = subprocess.Popen(["redis-server", "--port", str(port), "--save", "", "--dir", str(tmp_path)], stdout=subprocess.DEVNULL)  # fmt: skip
    try:
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
        answers = run_job(
            "tunes", TRITON_REDIS_HOST="127.0.0.1", TRITON_REDIS_PORT=str(port), TRITON_CACHE_MANAGER="triton.runtime.cache:RemoteCacheManager",
            TRITON_REMOTE_CACHE_BACKEND="triton.runtime.cache:RedisRemoteCacheBackend",
        )  # fmt: skip
        board = fleet.RedisBoard.__new__(fleet.RedisBoard)
        board.job, board.redis = "a job", native.Redis("127.0.0.1", port)
        assert board.put_first("key", b"one") == board.put_first("key", b"two") == board.get("key") == b"one"
    finally:
        server.kill()
        server.wait()
    assert sorted(block for answer in answers for block in answer["measured"]) == sorted(BLOCKS)
    assert len({answer["best"] for answer in answers}) == 1


class DictBoard(dict):
    """A board for processes that are objects."""

    def put(self, key, value):
        self[key] = value

    def put_first(self, key, value):
        return self.setdefault(key, value)


def test_work_of_the_dead_is_done_by_others(monkeypatch):
    monkeypatch.setattr(fleet, "_PATIENCE", 0.2)
    board = DictBoard({"thing/claim/0": b"9-gone"})
    living = fleet.Fleet(board, 0, 2)
    assert living.once("thing", lambda: b"made") is None and board["thing"] == b"made" and living.made == 1
    assert fleet.Fleet(board, 1, 2).once("thing", lambda: b"again") == b"made"


def test_boards_that_forget(monkeypatch):
    """A group that is only played, for tracing, has a store that keeps nothing: nobody is waited for."""

    class Forgetful(DictBoard):
        def put_first(self, key, value):
            return b"somebody"

        def get(self, key):
            return None

    monkeypatch.setattr(fleet, "_PATIENCE", 0.05)
    alone = fleet.Fleet(Forgetful(), 0, 8)
    assert not alone.works() and fleet.Fleet(DictBoard(), 0, 8).works()
    assert alone.share(["a", "b"], lambda keys: {key: b"made" for key in keys}).keys() == {"a", "b"} and alone.made == 2


def test_played_groups_are_no_jobs():
    code = """
import numpy as np, torch.distributed as distributed, triton, triton.language as tl
from torch.testing._internal.distributed.fake_pg import FakeStore
from triton.runtime import fleet
distributed.init_process_group("fake", store=FakeStore(), rank=0, world_size=4)
assert fleet.current() is None
"""
    pytest.importorskip("torch.testing._internal.distributed.fake_pg")
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_failures_are_not_waited_for():
    board = DictBoard()
    first, second = fleet.Fleet(board, 0, 2), fleet.Fleet(board, 1, 2)

    def fail():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        first.once("thing", fail)
    assert second.once("thing", lambda: b"unused") is None


def test_files_survive_the_board():
    files = {"a.json": "{}", "a.obj": bytes(range(256))}
    assert fleet.unpack(fleet.pack(files)) == {"a.json": b"{}", "a.obj": bytes(range(256))}


def test_first_that_runs(fresh_knobs, fresh_triton_cache):
    fresh_knobs.autotuning.first = True
    calls = []

    @triton.autotune(
        [triton.Config({"BLOCK": block}) for block in (3, 64, 128)], key=["n"], do_bench=lambda *args, **kwargs: calls.append(1), reset_to_zero=["out_ptr"],
    )  # fmt: skip
    @triton.jit
    def kernel(out_ptr, n, BLOCK: tl.constexpr):
        tl.static_assert(BLOCK != 3)
        tl.atomic_add(out_ptr, BLOCK)

    out = np.zeros(1, np.int32)
    kernel[(1,)](out, 5)
    assert out[0] == 64 and kernel.best_config.kwargs == {"BLOCK": 64} and calls == []
    kernel.configs = kernel.configs[:1] * 2
    with pytest.raises(triton.TritonError, match="none of the 2 configurations of kernel runs"):
        kernel[(1,)](out, 6)


if __name__ == "__main__":
    run_rank(*sys.argv[1:])
