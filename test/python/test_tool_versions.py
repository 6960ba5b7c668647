"""What a tool's version is remembered by, and when it is asked again."""

import os

import pytest
from triton import _tool_versions as versions
from triton import knobs


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
    assert ask() == ("release 1.0\n", 1) and ask() == ("release 1.0\n", 2)


def test_no_such_tool(tmp_path):
    assert versions.version_text(str(tmp_path / "none")) is None
