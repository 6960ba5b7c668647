"""What a tool's version is remembered by, and when it is asked again."""

import os

import pytest
from triton import _tool_versions as versions
from triton import knobs
from triton._C.libtriton import cache as native


@pytest.fixture
def tool(tmp_path):
    """A tool that counts how often it is started."""
    with knobs.cache.scope():
        knobs.cache.dir = str(tmp_path / "cache")
        path = tmp_path / "tool"

        def write(version):
            path.write_text(f"#!/bin/sh\necho x >> {tmp_path}/starts\necho release {version}\n")
            path.chmod(0o755)
            versions.version_text.cache_clear()

        def ask():
            versions.version_text.cache_clear()  # as a new process would
            text = versions.version_text(str(path))
            starts = tmp_path / "starts"
            return text, len(starts.read_text().split()) if starts.exists() else 0

        yield path, write, ask
        versions.version_text.cache_clear()


def test_started_once(tool):
    _, write, ask = tool
    write("1.0")
    assert ask() == ("release 1.0\n", 1)
    assert ask() == ("release 1.0\n", 1)


def test_another_tool_in_its_place(tool):
    path, write, ask = tool
    write("1.0")
    ask()
    write("10.0")
    os.utime(path, ns=(1, 1))
    assert ask() == ("release 10.0\n", 2)


def test_damaged_records_count_as_none(tool, tmp_path):
    _, write, ask = tool
    write("1.0")
    ask()
    (record,) = (tmp_path / "cache").glob("tool-*.txt")
    for damage in (b"", b"\xff\xfe", record.read_bytes().replace(b"1.0", b"2.0"), record.read_bytes()[:-3]):
        before = ask()[1]
        record.write_bytes(damage)
        assert ask() == ("release 1.0\n", before + 1)


def test_directories_that_cannot_be_written(tool, tmp_path):
    _, write, ask = tool
    (tmp_path / "cache").write_text("a file where the directory should be")
    write("1.0")
    assert ask() == ("release 1.0\n", 1) and ask() == ("release 1.0\n", 1)  # the process remembers


def test_no_such_tool(tmp_path):
    assert versions.version_text(str(tmp_path / "none")) is None


def test_a_record_that_is_no_plain_file(tool, tmp_path):
    _, write, ask = tool
    write("1.0")
    ask()
    (record,) = (tmp_path / "cache").glob("tool-*.txt")
    content = record.read_bytes()
    record.unlink()
    os.mkfifo(record)
    assert ask() == ("release 1.0\n", 2) and record.is_file()
    (tmp_path / "elsewhere").write_bytes(content)
    record.unlink()
    record.symlink_to(tmp_path / "elsewhere")
    assert ask() == ("release 1.0\n", 3) and not record.is_symlink()


@pytest.mark.assembles
def test_tools_of_the_native_compiler(tool, tmp_path, monkeypatch):
    """They change when ptxas does, whose release stays the same, and when what libdevice holds does."""
    path, write, _ = tool
    library = tmp_path / "libdevice.10.bc"
    monkeypatch.setenv("TRITON_PTXAS_PATH", str(path))
    monkeypatch.setenv("TRITON_LIBDEVICE_PATH", str(library))
    library.write_text("1")
    seen = []
    for change in (lambda: write("13.0, V13.0.1"), lambda: write("13.0, V13.0.10"), lambda: library.write_text("2")):
        change()
        seen.append(native.tools_of("cuda", "sm_90a"))
        assert seen[-1] == native.tools_of("cuda", "sm_90a")
    assert len(set(seen)) == 3 and None not in seen
    path.unlink()
    without = native.tools_of("cuda", "sm_90a")  # nvJitLink assembles if the machine has it, or a driver that is loaded
    assert without is None or without.startswith(("nvJitLink", "driver"))
    assert native.tools_of("beads", "") is None


def test_libraries_count_by_what_they_hold_now(tmp_path):
    from triton.backends.nvidia.compiler import file_hash

    path = tmp_path / "library.bc"
    path.write_text("1")
    before = file_hash(str(path))
    assert file_hash(str(path)) == before
    path.write_text("2")
    os.utime(path, ns=(1, 1))
    assert file_hash(str(path)) != before
    with pytest.raises(FileNotFoundError):
        file_hash(str(tmp_path / "none"))
