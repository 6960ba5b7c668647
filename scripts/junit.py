"""JUnit XML, the one form in which all of ctest, GoogleTest, lit and pytest can say what happened: writes one case, counts files."""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def write(path, suite, name, failure=""):
    """Writes a suite with one case, failed if `failure` holds text."""
    root = ElementTree.Element(
        "testsuite", name=suite, tests="1", failures="1" if failure else "0", errors="0", skipped="0"
    )
    case = ElementTree.SubElement(root, "testcase", name=name, classname=suite)
    if failure:
        ElementTree.SubElement(case, "failure", message=failure)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    ElementTree.ElementTree(root).write(path)


def cases(path):
    """Yields (name, "passed" | "failed" | "skipped") for each case of a file; a file that cannot be read is one failed case."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError) as error:
        yield f"{path} ({error})", "failed"
        return
    for case in root.iter("testcase"):
        failed = case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail"
        skipped = case.find("skipped") is not None or case.get("status") in ("notrun", "disabled")
        name = "::".join(part for part in (case.get("classname"), case.get("name")) if part)
        yield name, "failed" if failed else "skipped" if skipped else "passed"


def main():
    """usage: junit.py FILE SUITE NAME [FAILURE]: writes one case"""
    write(*sys.argv[1:5])


if __name__ == "__main__":
    main()
