"""What CONTRIBUTING.md promises of the sources, where reading them can tell."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = ("compiler", "dispatch", "runtime", "api", "embed", "bindings", "bin")


def lines_with(pattern, *folders):
    """(path from the root, line) of code, tests and comments left out, in which the pattern is found."""
    found = []
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in (".cpp", ".h") or re.search(r"(Test|Fuzz)\.(cpp|h)$", path.name):
                continue
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                if re.search(pattern, line.split("//")[0]):
                    found.append(
                        (path.relative_to(ROOT).as_posix(), f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
                    )
    return found


# What stands below `pattern` in CONTRIBUTING.md is found in these files only.
RULES = {
    "a mutex of the process is a ForkMutex; CUDA does not survive a fork": (
        r"^\s*static (constinit |inline )*std::\w*mutex\b",
        LIBRARY,
        ("compiler/support/ForkMutex.cpp", "runtime/cuda/", "runtime/gpu/"),
    ),
    "Python's lock is taken, and let go of, through InterpreterLock.h": (
        r"\bPyGILState_(Ensure|Release)|\bPyEval_(Save|Restore)Thread|Py_BEGIN_ALLOW_THREADS|gil_scoped",
        ("bindings",),
        ("bindings/InterpreterLock.",),
    ),
    "only bindings/ and include/triton throw": (
        r"\bthrow\b",
        tuple(folder for folder in LIBRARY if folder != "bindings"),
        ("api/Tune.cpp",),  # readies the library's unwinder to catch what a program throws, and catches it itself
    ),
    "programs are started by ChildProcess.h": (
        r"\b(v?fork|posix_spawnp?|execvp?|popen|system|ExecuteAndWait|ExecuteNoWait)\(",
        LIBRARY,
        ("compiler/support/ChildProcess.cpp",),
    ),
    "signal handlers are set for as long as a compile runs": (
        r"\b(signal|sigaction|alarm|setitimer)\(",
        LIBRARY,
        ("compiler/driver/CrashReproducer.cpp",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
def test_rule(rule):
    pattern, folders, allowed = RULES[rule]
    wrong = [text for path, text in lines_with(pattern, *folders) if not path.startswith(allowed)]
    assert not wrong, f"{rule}:\n" + "\n".join(wrong)


def test_patterns_see_what_they_look_for():
    """A rule that nothing breaks must still be able to fail: what is allowed shows that the pattern works."""
    for rule, (pattern, folders, allowed) in RULES.items():
        if allowed:
            assert lines_with(pattern, *folders), rule
    assert re.search(RULES["only bindings/ and include/triton throw"][0], "  throw std::runtime_error(text);")


# Paths that the documents name, as `folder/file`; what stands for several is a pattern, `<target>` and `…` stand for anything.
PATH = re.compile(r"`([\w.-]+/[^`\s]*)`")


def named_paths():
    folders = {path.name for path in ROOT.iterdir() if path.is_dir()} - {"build"}
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))):
        for number, line in enumerate(page.read_text().splitlines(), 1):
            for path in PATH.findall(line):
                if path.split("/")[0] in folders and not re.search(r"[<…]", path):
                    yield f"{page.relative_to(ROOT)}:{number}", path


def test_paths_in_documents_are_there():
    missing = []
    for place, path in named_paths():
        if "check-conformance" in place:
            continue  # names folders of another checkout
        braces = re.match(r"(.*)\{(.*)\}(.*)", path)
        for each in [braces[1] + part + braces[3] for part in braces[2].split(",")] if braces else [path]:
            each = each.split(":")[0].rstrip("/")
            if not any(True for _ in ROOT.glob(each)) and not any(True for _ in ROOT.glob(f"{each}.*")):
                missing.append(f"{place}: {each}")
    assert not missing, "\n".join(missing)


def says_what_it_is(path):
    """Whether a file begins with a comment; a source may leave that to the header of its name, or to the one that lists the submodules of Python's."""
    with path.open(errors="replace") as file:
        first = file.readline()
    if path.suffix == ".py":
        return not first or first.startswith(('"""', "#"))
    if path.suffix == ".cpp" and (path.with_suffix(".h").exists() or first == '#include "bindings/Submodules.h"\n'):
        return True
    return first.startswith(("//", "/*"))


def test_files_say_what_they_are(tmp_path):
    paths = [path for top in (*LIBRARY, "include", "simulator", "python") for path in sorted((ROOT / top).rglob("*"))]
    paths = [
        path for path in paths if path.suffix in (".cpp", ".h", ".td", ".def", ".py") and "Test.cpp" not in path.name
    ]
    assert len(paths) > 1000
    assert [path.relative_to(ROOT).as_posix() for path in paths if not says_what_it_is(path)] == []
    (tmp_path / "Silent.cpp").write_text("#include <vector>\n")
    assert not says_what_it_is(tmp_path / "Silent.cpp")


def test_decisions_are_listed():
    """docs/decisions/README.md names every page, and a page begins with the number of its file."""
    pages = sorted((ROOT / "docs/decisions").glob("[0-9]*.md"))
    listed = re.findall(r"\[(\d{4})\]\((\d{4}[\w-]*\.md)\)", (ROOT / "docs/decisions/README.md").read_text())
    assert sorted(name for _, name in listed) == [page.name for page in pages]
    assert all(number == name[:4] for number, name in listed), listed
    assert [page.name for page in pages if not page.read_text().startswith(f"# {page.name[:4]}: ")] == []


# Folders with a README that tells, in the order of processing, where to begin reading.
ROOMS = ["compiler/frontend", "compiler/tensor", "compiler/cpu", "compiler/driver", "compiler/interpreter"]
ROOMS += ["bindings", "runtime", "dispatch", "api", "embed", "python/triton"]
ROOMS += ["compiler/gpu", "compiler/gpu/passes", "compiler/llvm/gpu", "compiler/llvm/nvidia", "compiler/llvm/amd"]
ROOMS += ["compiler/syntax", "compiler/layout", "compiler/support", "compiler/gluon", "compiler/gpu/dialect"]


def is_there(room, name):
    """A file, by its name alone where the line says which folder it is in; or a link to another one."""
    if name.startswith(".."):
        return (room / name).exists()
    folders = [room.glob(name) if "/" in name else room.rglob(name), ROOT.glob(name)]
    return any(True for found in folders for _ in found)


@pytest.mark.parametrize("room", ROOMS)
def test_files_in_readmes_are_there(room):
    text = (ROOT / room / "README.md").read_text()
    names = re.findall(r"`([\w./*-]+\.(?:h|cpp|py|td|mlir)|[\w/]+/)`", text) + re.findall(r"\]\(([\w./-]+)\)", text)
    missing = [name for name in names if not is_there(ROOT / room, name.rstrip("/"))]
    assert names and not missing, f"{room}/README.md names {', '.join(missing)}"


def test_big_rooms_are_told_of():
    """A folder of the library has a README, or one above it that tells of it, and families get rooms before it has many more than forty files."""
    for top in LIBRARY:
        for folder in [ROOT / top, *(path for path in (ROOT / top).rglob("*") if path.is_dir())]:
            room = folder.relative_to(ROOT).as_posix()
            count = sum(path.suffix in (".cpp", ".h", ".td", ".def", ".py") for path in folder.iterdir())
            assert count <= 40, f"{room} has {count} files: give a family of them a room"
            assert count <= 30 or room in ROOMS or f"`{folder.name}/`" in (folder.parent / "README.md").read_text(), (
                room
            )
