"""Kernels far larger than people write by hand, in threads with little stack: they compile, and compute what they say."""

import importlib.util
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
import triton
import triton.language as tl

pytestmark = pytest.mark.cpu_only

SMALL_STACK = 512 << 10


def in_small_thread(work):
    """What `work` returns in a thread with a stack of half a megabyte."""
    outcome = []

    def run():
        try:
            outcome.append((work(), None))
        except BaseException as error:  # noqa: BLE001  (raised again by whoever asked)
            outcome.append((None, error))

    before = threading.stack_size(SMALL_STACK)
    try:
        thread = threading.Thread(target=run)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    result, error = outcome[0]
    if error is not None:
        raise error
    return result


def kernel_of(tmp_path, body, name="large", header=""):
    """The jitted `kernel(x, y, n)` of a file whose body, after `o` and `a`, are these lines."""
    path = tmp_path / f"{name}.py"
    lines = ["import triton", "import triton.language as tl", "", header, "@triton.jit", "def kernel(x, y, n):"]
    lines += [f"    {line}" for line in ["o = tl.arange(0, 128)", "a = tl.load(x + o)", *body, "tl.store(y + o, a)"]]
    path.write_text("\n".join(lines) + "\n")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


@triton.jit
def halve_and_add(x, y, N: tl.constexpr):
    o = tl.arange(0, 16)
    a = tl.load(x + o)
    for i in tl.static_range(N):
        a = a * 0.5 + i
    tl.store(y + o, a)


def test_unrolled_chain_of_20000_statements():
    x = np.arange(16, dtype=np.float32)
    y = np.zeros_like(x)
    in_small_thread(lambda: halve_and_add[(1,)](x, y, 20000))
    expected = x
    for i in range(20000):
        expected = expected * np.float32(0.5) + np.float32(i)
    np.testing.assert_array_equal(y, expected)


def test_chain_of_20000_scalar_statements(tmp_path):
    kernel = kernel_of(tmp_path, [*(f"n = (n + {i}) ^ (n << 1)" for i in range(20000)), "a = (o + n).to(tl.float32)"])
    x, y = np.zeros(128, np.float32), np.zeros(128, np.float32)
    in_small_thread(lambda: kernel[(1,)](x, y, 5))
    n = np.int32(5)
    with np.errstate(over="ignore"):
        for i in range(20000):
            n = (n + np.int32(i)) ^ np.int32(n << np.int32(1))
        expected = (np.arange(128, dtype=np.int32) + n).astype(np.float32)
    np.testing.assert_array_equal(y, expected)


# What each statement does to `a`, given the number of the statement; `x` holds twice 128 numbers.
STATEMENTS = {
    "loads": ("a += tl.load(x + o + {i} % 128)", lambda a, x, i: a + x[i % 128 :][:128]),
    "masked loads": (
        "a += tl.load(x + o + {i} % 100, mask=o + {i} % 100 < n, other=1.0)",
        lambda a, x, i: a + np.where(np.arange(128) + i % 100 < 77, x[i % 100 :][:128], np.float32(1)),
    ),
    "stores that may alias": (
        "tl.store(x + o + {i} % 8, tl.load(x + o) * 0.5 + {i})",
        lambda a, x, i: (x.__setitem__(slice(i % 8, i % 8 + 128), x[:128] * np.float32(0.5) + np.float32(i)), a)[1],
    ),
    "reductions": (
        "a = a * 0.5 + tl.max(a, axis=0) * 0.5",
        lambda a, x, i: a * np.float32(0.5) + a.max() * np.float32(0.5),
    ),
    "branches": (
        "a = a * 0.5 if n > {i} else a + 1.0",
        lambda a, x, i: a * np.float32(0.5) if 77 > i else a + np.float32(1),
    ),
    "atomics": (
        "tl.atomic_add(x + o + {i} % 8, a)",
        lambda a, x, i: (x.__setitem__(slice(i % 8, i % 8 + 128), x[i % 8 : i % 8 + 128] + a), a)[1],
    ),
}


@pytest.mark.parametrize("kind", STATEMENTS)
def test_many_statements_of_a_kind(kind, tmp_path):
    line, meaning = STATEMENTS[kind]
    count = 600
    kernel = kernel_of(tmp_path, [line.format(i=i) for i in range(count)])
    x = np.random.default_rng(0).standard_normal(256).astype(np.float32)
    y, known = np.zeros(128, np.float32), x.copy()
    in_small_thread(lambda: kernel[(1,)](x, y, 77))
    expected = known[:128].copy()
    for i in range(count):
        expected = meaning(expected, known, i)
    np.testing.assert_allclose(y, expected, rtol=1e-5)
    np.testing.assert_allclose(x, known, rtol=1e-5)


def test_products_in_a_chain(tmp_path):
    path = ["p = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]", "b = tl.load(x + p)", "c = b"]
    path += ["c = tl.dot(c, b, input_precision='ieee')"] * 60 + ["tl.store(y + p, c)", "a = tl.load(y + o)"]
    kernel = kernel_of(tmp_path, path)
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((16, 16)))[0].astype(np.float32)
    y = np.zeros((16, 16), np.float32)
    in_small_thread(lambda: kernel[(1,)](turn, y, 0))
    expected = turn
    for _ in range(60):
        expected = expected @ turn
    np.testing.assert_allclose(y, expected, atol=1e-4)


def test_what_many_iterations_carry(tmp_path):
    """A loop that carries hundreds of blocks, some of which need others' old values."""
    count = 200
    names = [f"v{i}" for i in range(count)]
    body = [f"{name} = a + {i}" for i, name in enumerate(names)]
    body += ["for j in range(n):"]
    body += [f"    t{i} = v{(i + 1) % count} * 0.5" for i in range(count)]
    body += [f"    v{i} = t{i}" for i in range(count)]
    body += [f"a = a + {name}" for name in names]
    kernel = kernel_of(tmp_path, body)
    x, y = np.arange(128, dtype=np.float32), np.zeros(128, np.float32)
    in_small_thread(lambda: kernel[(1,)](x, y, 3))
    values = [x + np.float32(i) for i in range(count)]
    for _ in range(3):
        values = [values[(i + 1) % count] * np.float32(0.5) for i in range(count)]
    expected = x
    for value in values:
        expected = expected + value
    np.testing.assert_allclose(y, expected, rtol=1e-5)


def test_long_expressions_in_small_threads(tmp_path):
    kernel = kernel_of(tmp_path, ["a = " + " + ".join(["a"] * 900), "b = " + "(" * 150 + "a" + ")" * 150, "a = b"])
    x, y = np.ones(128, np.float32), np.zeros(128, np.float32)
    in_small_thread(lambda: kernel[(1,)](x, y, 0))
    np.testing.assert_array_equal(y, 900.0)


def test_errors_of_the_walk_for_dependencies_have_a_place(tmp_path):
    deep = sys.getrecursionlimit() * 6 // 10  # which other tests' libraries change
    kernel = kernel_of(tmp_path, ["b = 1", "a = a + " + "-" * deep + "b"])
    x = np.ones(128, np.float32)
    with pytest.raises(triton.CompilationError, match="nested too deeply") as error:
        kernel[(1,)](x, x, 0)
    assert error.value.node.lineno == 5 and "a = a + ---" in str(error.value)


def test_calls_nested_too_deeply_for_the_thread_are_an_error(tmp_path):
    header = "\n".join(
        [
            "@triton.jit",
            "def down(a, N: tl.constexpr):",
            "    return down(a, N + 1)",
            "",
        ]
    )
    kernel = kernel_of(tmp_path, ["a = down(a, 0)"], header=header)
    x = np.ones(128, np.float32)
    with pytest.raises(triton.CompilationError, match="nested too deeply"):
        in_small_thread(lambda: kernel[(1,)](x, x, 0))


def test_types_that_grow_are_an_error_with_a_place(tmp_path):
    header = "\n".join(["@triton.jit", "def grow(a):", "    return grow((a, a))", ""])
    kernel = kernel_of(tmp_path, ["a = grow(a)"], header=header)
    x = np.ones(128, np.float32)
    with pytest.raises(triton.CompilationError, match=r"more than 65536 values") as error:
        kernel[(1,)](x, x, 0)
    assert "return grow((a, a))" in error.value.diagnostic


def test_no_room_for_a_stack_is_an_error(tmp_path):
    """With addresses limited, the compile says what it could not get."""
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent(
            """
        import resource
        import numpy as np
        import triton, triton.language as tl

        @triton.jit
        def kernel(x):
            o = tl.arange(0, 16)
            tl.store(x + o, tl.load(x + o) + 1)

        x = np.zeros(16, np.float32)
        pages = int(open("/proc/self/statm").read().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * 4096 + (32 << 20),) * 2)
        try:
            kernel[(1,)](x)
        except RuntimeError as error:
            print(error)
        """
        )
    )
    result = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert "cannot reserve" in result.stdout and "stack of the compiler" in result.stdout, result
