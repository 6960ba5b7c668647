"""Where kernels are only compiled, comparisons let a test go on to its next kernel. Without torch there is nothing to test with."""

import importlib.util

if importlib.util.find_spec("torch") is None:
    collect_ignore_glob = ["test_*.py"]


def pytest_configure(config):
    if config.getoption("--compile-only"):
        from triton_kernels import testing

        testing.assert_close = testing.assert_equal = lambda *args, **kwargs: None
