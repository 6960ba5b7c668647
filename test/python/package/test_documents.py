"""What README.md and docs/ show is what the tools print. When this fails: scripts/update_docs.py, and read what changed."""

import re
import subprocess
import sys

import pytest
from places import BUILD, ROOT

TOOLS = BUILD / "bin"
DOCUMENTS = [path for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if path.exists()]
DOCUMENTS = [path for path in DOCUMENTS if "<!-- " in path.read_text()]

# Texts of the CPU target and of the tools, which a bundle does not have.
pytestmark = [
    pytest.mark.cpu_only,
    pytest.mark.skipif(
        not all((TOOLS / tool).exists() for tool in ("tritonc", "triton-opt", "triton-ast")), reason="needs the tools"
    ),
]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_shows_what_the_tools_print(path):
    check = subprocess.run(
        [sys.executable, ROOT / "scripts/update_docs.py", "--check", path], capture_output=True, text=True
    )
    assert check.returncode == 0, check.stdout + check.stderr


# Citations of docs/spec, as comments write them: "semantics.md 8.4", "gluon.md 4 to 7", "language.md, appendix C".
CITATION = re.compile(
    r"\b(?:(semantics|language|gluon|runtime|versions)\.md|(semantics)),? (?:sections? )?(?:(\d+(?:\.\d+)?)(?:(?: to |-)(\d+(?:\.\d+)?))?|[Aa]ppendix ([A-Z]))"
)
SOURCES = ("compiler", "dispatch", "runtime", "api", "embed", "bindings", "bin", "include", "python", "test", "scripts")
SUFFIXES = {".h", ".cpp", ".td", ".py", ".mlir"}


def cited_sections(text):
    for named, alone, first, last, appendix in CITATION.findall(text):
        page = named or alone
        if appendix:
            yield page, f"Appendix {appendix}"
        elif last and "." not in first + last:
            yield from ((page, str(number)) for number in range(int(first), int(last) + 1))
        elif last:
            yield from ((page, first), (page, last))
        else:
            yield page, first


def headings(page):
    text = (ROOT / "docs/spec" / f"{page}.md").read_text()
    return {found[1] for found in re.finditer(r"^##+ (\d+(?:\.\d+)?|Appendix [A-Z])\b", text, re.MULTILINE)}


def test_citations_are_understood():
    text = "(semantics.md 13), (semantics 8.4), (gluon.md 4 to 6), semantics.md sections 8-9, (language.md, appendix C) (language.md Appendix A), language.md gives"
    assert list(cited_sections(text)) == [
        ("semantics", "13"), ("semantics", "8.4"), ("gluon", "4"), ("gluon", "5"), ("gluon", "6"), ("semantics", "8"), ("semantics", "9"),
        ("language", "Appendix C"), ("language", "Appendix A"),
    ]  # fmt: skip


def test_cited_sections_of_the_specification_are_there():
    paths = [path for folder in SOURCES for path in sorted((ROOT / folder).rglob("*")) if path.suffix in SUFFIXES]
    cited = {(path, section) for path in paths for section in cited_sections(path.read_text(errors="replace"))}
    assert len(cited) > 10, "the sources cite docs/spec in another form than this test reads"
    known = {page: headings(page) for page in ("semantics", "language", "gluon", "runtime", "versions")}
    missing = [f"{path}: {page}.md {section}" for path, (page, section) in sorted(cited) if section not in known[page]]
    assert not missing, "\n".join(missing)
