"""Where kernels are only compiled, comparisons let a test go on to its next kernel."""


def pytest_configure(config):
    if config.getoption("--compile-only"):
        from triton_kernels import testing

        testing.assert_close = testing.assert_equal = lambda *args, **kwargs: None
