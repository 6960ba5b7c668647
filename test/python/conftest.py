"""Shared by all Python tests: the device they run on, and a cache directory of their own."""

import os
import signal
import zlib

import pytest


def pytest_addoption(parser):
    parser.addoption("--device", default="cpu", help="where kernels run: cpu (default), cuda, sim:sm_90a or sim:gfx942")
    parser.addoption(
        "--compile-only", default="", help="compile for architectures (sm_90a,sm_80; gfx942) instead of running"
    )
    parser.addoption("--part", default="0/1", help="runs a part of the tests: 1/3 is the second of three")
    parser.addoption("--record", default="", help="writes what launches compute into this folder: see records.py")
    parser.addoption(
        "--rewrite-goldens", action="store_true", help="write the texts that golden tests compare with anew"
    )


def pytest_configure(config):
    config.addinivalue_line(
        "markers",
        "cpu_only: about the CPU target, about what is active without a GPU, or done by processes on the host",
    )
    config.addinivalue_line("markers", "runs: about what happens when kernels run; compiling them only shows nothing")
    config.addinivalue_line(
        "markers", "assembles: about the assembler or its code, which a simulated GPU has no need of"
    )
    # A shell that starts us in the background lets no process below it be interrupted, and tests wait for one that is.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # Also of the processes that tests start: their arrays are the host's. Tests of a GPU choose its driver themselves.
    os.environ.setdefault("TRITON_DEFAULT_BACKEND", "cpu")
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # which nobody needs to be told
    if config.getoption("--device") != "cpu" or config.getoption("--compile-only"):
        import devices

        devices.configure(config)
    if config.getoption("--record"):
        import records

        config.pluginmanager.register(records.Recorder(config.getoption("--record")), "triton-records")


def pytest_collection_modifyitems(config, items):
    index, count = map(int, config.getoption("--part").split("/"))
    items[:] = [item for item in items if zlib.crc32(item.nodeid.encode()) % count == index]


def pytest_runtest_setup(item):
    compiles_only = item.config.getoption("--compile-only")
    if item.config.getoption("--device").startswith("sim:") and item.get_closest_marker("assembles"):
        pytest.skip("about the assembler")
    if (item.config.getoption("--device") != "cpu" or compiles_only) and item.get_closest_marker("cpu_only"):
        pytest.skip("about the CPU target")
    if compiles_only and item.get_closest_marker("runs"):
        pytest.skip("about kernels that run")


@pytest.fixture(autouse=True)
def own_environment():
    """What a test, or torch in it, sets in the environment is gone after it."""
    before = dict(os.environ)
    yield
    for name in set(os.environ) - set(before):
        del os.environ[name]
    os.environ.update(before)


@pytest.fixture
def device(request):
    """cpu or cuda: a simulated GPU is one."""
    name = request.config.getoption("--device")
    return "cuda" if name.startswith("sim:") else name


@pytest.fixture
def vendor(request):
    """cpu, cuda or hip: whose code runs, or is only compiled."""
    name = request.config.getoption("--device")
    if architectures := request.config.getoption("--compile-only"):
        return "hip" if architectures.startswith("gfx") else "cuda"
    return "hip" if name.startswith("sim:gfx") else "cuda" if name.startswith("sim:") else name


@pytest.fixture
def cuda_driver():
    """NVIDIA's driver as programs use it, whatever the device of the other tests."""
    from triton.backends.nvidia.driver import CudaDriver
    from triton.runtime import driver

    before = driver._active
    driver.set_active(CudaDriver())
    yield
    driver._active = before


@pytest.fixture
def plain_driver(device, request):
    """The driver that programs use, where tests run with one that copies their arrays to the GPU: theirs are on the device."""
    if device == "cuda":
        request.getfixturevalue("cuda_driver")


@pytest.fixture
def stages(request):
    """The stages of the active target's kernels: text, and last the code."""
    from triton.runtime import driver

    assembly = ["amdgcn"] if request.config.getoption("--compile-only") else []  # simulated ones run LLVM IR
    of_backend = {
        "cuda": ["ttir", "ttgir", "llir", "ptx", "cubin"],
        "hip": ["ttir", "ttgir", "llir", *assembly, "hsaco"],
        "cpu": ["ttir", "llir", "obj"],
    }
    return of_backend[driver.active.get_current_target().backend]


@pytest.fixture(scope="session", autouse=True)
def cache_dir(tmp_path_factory):
    """No test finds what another run has compiled."""
    from triton import knobs

    knobs.cache.dir = str(tmp_path_factory.mktemp("triton-cache"))
    yield


@pytest.fixture
def fresh_triton_cache(tmp_path):
    """An empty cache directory for one test."""
    from triton import knobs

    with knobs.cache.scope(), knobs.runtime.scope():
        knobs.cache.dir = str(tmp_path)
        yield str(tmp_path)


@pytest.fixture
def fresh_knobs():
    """Knobs as they are without any setting, restored afterwards."""
    from triton import knobs

    groups = [name for name, value in vars(knobs).items() if isinstance(value, knobs.base_knobs)]
    before = {name: getattr(knobs, name) for name in groups}
    variables = {knob.key for group in before.values() for knob in group.knob_descriptors.values()}
    saved = {key: os.environ.pop(key) for key in variables if key in os.environ}
    for name, group in before.items():
        fresh = group.copy().reset()
        for hook, value in vars(fresh).items():
            if isinstance(value, knobs.HookChain):  # which a copy shares with the original
                setattr(fresh, hook, knobs.HookChain(value.reversed))
        setattr(knobs, name, fresh)
    os.environ["TRITON_CACHE_DIR"] = before["cache"].dir  # not the user's own
    if "TRITON_SIMULATE" in saved:  # the device stays what it is
        os.environ["TRITON_SIMULATE"] = saved["TRITON_SIMULATE"]
    yield knobs
    for name, group in before.items():
        setattr(knobs, name, group)
    for key in variables:
        os.environ.pop(key, None)
    os.environ.update(saved)
