"""Every error of semantics.md 16.2, with the whole text a user sees.

diagnostics/<topic>.py holds the kernels, each with one mistake (helpers begin with an underscore); diagnostics/<topic>.txt the texts, rewritten by

    python -m pytest test/python/language/test_diagnostics.py --rewrite-goldens
"""

import importlib.util
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent / "diagnostics"
TOPICS = sorted(path.stem for path in FOLDER.glob("*.py"))
# What is wrong here shows when values meet, so it shows in interpreter mode too; syntax and scopes there are Python's own.
TOPICS_OF_VALUES = ["dot", "memory", "shapes", "types"]


def arguments():
    import torch

    types = dict(p="int32", f="float32", h="float16", d="float64", b="int8", u="uint8", w="uint32", c="int32")
    return {name: torch.zeros(64, dtype=getattr(torch, dtype)) for name, dtype in types.items()} | {"n": 7, "x": 1.5}


def cases(topic):
    """Name, function and arguments of each case of a topic."""
    spec = importlib.util.spec_from_file_location(f"diagnostics_{topic}", FOLDER / f"{topic}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    known = arguments()
    for name, fn in vars(module).items():
        if name.startswith("_") or inspect.isclass(fn) or getattr(fn, "__module__", None) != module.__name__:
            continue
        names = fn.arg_names if hasattr(fn, "arg_names") else inspect.signature(fn).parameters
        yield name, fn, {key: known[key] for key in names if key in known}


def failure(fn, values):
    """What a launch raises."""
    try:
        fn[(1,)](**values) if hasattr(fn, "arg_names") else fn(**values)
    except Exception as error:
        return error
    return None


def text_of(error):
    """The class and text of an error, without the parts of paths that differ between machines."""
    if error is None:
        return "no error"
    inner = error
    while inner.__cause__ is not None and getattr(inner, "error_message", "") is None:
        inner = inner.__cause__
    text = getattr(error, "diagnostic", None) or str(error)
    return f"{type(inner).__name__}\n" + re.sub(r"\S*/diagnostics/| at 0x\w+", "", text).rstrip()


def sections(topic):
    parts = re.split(r"^=== (\w+): ", (FOLDER / f"{topic}.txt").read_text(), flags=re.M)[1:]
    return {name: text.rstrip("\n") for name, text in zip(parts[::2], parts[1::2], strict=True)}


@pytest.mark.parametrize("topic", TOPICS)
def test_texts(topic, request, vendor):
    found = {name: text_of(failure(fn, values)) for name, fn, values in cases(topic)}
    if request.config.getoption("--rewrite-goldens"):
        texts = [f"=== {name}: {text}\n" for name, text in found.items()]
        (FOLDER / f"{topic}.txt").write_text("\n".join(texts))
    expected = sections(topic)
    assert list(found) == list(expected)
    on_cpu = request.config.getoption("--device") == "cpu" and not request.config.getoption("--compile-only")
    for name, text in found.items():
        if name.endswith("_on_cpu") and not on_cpu:
            continue
        if name == "unknown_precision" and vendor == "hip":  # lists fewer of them
            continue
        assert text == expected[name], name
        assert text != "no error", name
        assert not re.search(r"'(i\d+|f\d+|bf16|tensor<.*>)'", text), f"{name} names a type of the IR"


@pytest.mark.cpu_only
@pytest.mark.parametrize("topic", TOPICS_OF_VALUES)
def test_interpreter_mode_says_the_same(topic):
    run = subprocess.run(
        [sys.executable, __file__, topic], capture_output=True, text=True, env={**os.environ, "TRITON_INTERPRET": "1"}
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    for name, text in sections(topic).items():
        if name not in COMPILER_ONLY:
            message = re.search(r"error: (.*)", text)[1]
            assert message in found[name], f"{name}: {found[name]}"


# The text of assembly is read by the code generator; tuples of Python have operators of their own.
COMPILER_ONLY = {"inline_asm_on_cpu", "inline_asm_of_floats_on_cpu", "unary_minus_tuple"}


def messages(topic):
    """In interpreter mode: what each case of a topic says, twice, since an error must not change what the next one says."""
    texts = {}
    for name, fn, values in cases(topic):
        seen = []
        for _ in range(2):
            error, chain = failure(fn, values), []
            while error is not None:
                chain.append(str(error))
                error = error.__cause__
            seen.append("\n".join(chain))
        texts[name] = seen[0] if seen[0] == seen[1] else f"{seen[0]}\nthen\n{seen[1]}"
    return texts


if __name__ == "__main__":
    print(json.dumps(messages(sys.argv[1])))
