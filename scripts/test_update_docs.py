"""Documents are rewritten from what their commands print, and the check sees a stale one."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import update_docs  # noqa: E402


def test_a_command_fills_its_block():
    text = "before\n<!-- output of: printf 'a\\nb' -->\n```text\nold\n```\nafter\n"
    assert update_docs.updated(text) == "before\n<!-- output of: printf 'a\\nb' -->\n```text\na\nb\n```\nafter\n"


def test_a_program_fills_its_block():
    text = "```python\nprint(6 * 7)\n```\n<!-- output of the program -->\n```\n```\n"
    assert "```\n42\n```" in update_docs.updated(text)


def test_a_failure_is_shown_only_where_it_is_meant():
    shown = update_docs.updated("<!-- errors of: echo wrong >&2; false -->\n```\n```\n")
    assert "```\nwrong\n```" in shown
    for broken in (
        "<!-- output of: false -->",
        "<!-- errors of: true -->",
        "```python\n1 / 0\n```\n<!-- output of the program -->",
    ):
        with pytest.raises(SystemExit):
            update_docs.updated(broken + "\n```\n```\n")


def test_blocks_without_an_instruction_are_left_alone():
    text = "```text\nmine\n```\n"
    assert update_docs.updated(text) == text


def test_check_reports_a_stale_document(tmp_path):
    document = tmp_path / "page.md"
    document.write_text("<!-- output of: echo new -->\n```\nold\n```\n")
    run = lambda *arguments: subprocess.run(
        [sys.executable, update_docs.__file__, *arguments, document], capture_output=True, text=True
    )
    check = run("--check")
    assert check.returncode == 1 and "-old\n+new\n" in check.stdout
    assert run().returncode == 0 and "new" in document.read_text()
    assert run("--check").returncode == 0
