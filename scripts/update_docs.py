"""Keeps what the documents show true: runs the commands they quote, and puts what those print where the documents show it.

usage: update_docs.py [--check] [FILE…]      (default: README.md and docs/**/*.md)

A code block is made by the comment before it:
    <!-- output of: COMMAND -->      what the shell command prints; the build's tools are on its path, the root is its folder
    <!-- errors of: COMMAND -->      what it prints as errors, and it must fail
    <!-- output of the program -->   what the Python code block before it prints
    <!-- text of: FILE -->           a file of the repository
--check changes nothing, and fails with the difference when a document shows something else.
"""

import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("TRITON_BUILD", ROOT / "build"))
VENV = Path(os.environ.get("TRITON_VENV", ROOT / ".venv"))

BLOCK = re.compile(
    r"<!-- (output of: .*?|errors of: .*?|output of the program|text of: .*?) -->\n\n?```(\w*)\n(.*?)```\n", re.DOTALL
)
PYTHON = re.compile(r"```python\n(.*?)```\n", re.DOTALL)


def run(command, fails=False):
    environment = {
        **os.environ,
        "PATH": f"{BUILD / 'bin'}:{VENV / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "python"),
        "TRITON_BUILD": str(BUILD),
        "NO_COLOR": "1",
    }
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    if done.returncode != int(fails):
        raise SystemExit(f"{command}: exit code {done.returncode}\n{done.stderr}")
    return done.stderr if fails else done.stdout


def run_program(text):
    with tempfile.TemporaryDirectory() as folder:
        # A kernel's text is read from its file, so there must be one.
        path = Path(folder) / "program.py"
        path.write_text(text)
        return run(f"python {path}")


def produce(instruction, before):
    """What the block must hold."""
    kind, _, argument = instruction.partition(": ")
    if kind == "text of":
        return (ROOT / argument).read_text()
    if kind in ("output of", "errors of"):
        return run(argument, fails=kind == "errors of")
    programs = PYTHON.findall(before)
    if not programs:
        raise SystemExit("'output of the program' stands before any Python block")
    return run_program(programs[-1])


def updated(text):
    def replace(match):
        content = produce(match[1], text[: match.start()]).rstrip("\n")
        content = "\n".join(line.rstrip() for line in content.splitlines())
        return f"<!-- {match[1]} -->\n```{match[2]}\n{content}\n```\n"

    return BLOCK.sub(replace, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("files", nargs="*", type=Path)
    arguments = parser.parse_args()
    stale = False
    for path in arguments.files or [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        old = path.read_text()
        new = updated(old)
        if new == old:
            continue
        stale = True
        if arguments.check:
            sys.stdout.writelines(
                difflib.unified_diff(old.splitlines(True), new.splitlines(True), str(path), "what the tools print")
            )
        else:
            path.write_text(new)
            print(f"updated {path}")
    return 1 if stale and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
