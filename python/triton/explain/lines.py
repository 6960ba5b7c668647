"""Which line of the source each line of a stage comes from.

Every function here takes a stage's text and gives (lines to show, place of each): a place is (file, line) or None. What only says where something comes from
(`loc(…)`, `!dbg`, `.loc`) is left out of the lines.
"""

from __future__ import annotations

import os
import re

Place = "tuple[str, int] | None"

_FILE_LOCATION = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):\d+')
_ALIAS = re.compile(r"^(#loc\d*) = loc\((.*)\)$")
_USE = re.compile(r"\s*loc\((#loc\d*|unknown|.*?)\)\s*$")


def _resolve(text, aliases, depth=0):
    """The innermost place that a location names: of a call, what was called."""
    if depth > 20:
        return None
    found = _FILE_LOCATION.search(text)
    alias = re.search(r"#loc\d*", text)
    if found and (not alias or found.start() < alias.start()):
        return found[1], int(found[2])
    if alias:
        return _resolve(aliases.get(alias[0], ""), aliases, depth + 1) if alias[0] in aliases else None
    return None


def of_mlir(text):
    aliases = {found[1]: found[2] for found in map(_ALIAS.match, text.splitlines()) if found}
    lines, places = [], []
    for line in text.splitlines():
        if _ALIAS.match(line):
            continue
        found = _USE.search(line)
        places.append(_resolve(found[1], aliases) if found else None)
        shown = line[: found.start()] if found else line
        lines.append(re.sub(r" loc\((?:#loc\d*|unknown|\"[^\"]*\"\(#loc\d*\))\)", "", shown))
    return lines, places


_NODE = re.compile(r"^(!\d+) = (?:distinct )?!(DI\w+)\((.*)\)$")


def _field(text, name):
    found = re.search(rf"\b{name}: (\"(?:[^\"\\]|\\.)*\"|[^,)]+)", text)
    return found[1].strip('"') if found else None


def of_llvm(text):
    nodes = {found[1]: (found[2], found[3]) for found in map(_NODE.match, text.splitlines()) if found}

    def file_of(node):
        for _ in range(20):
            kind, fields = nodes.get(node, (None, ""))
            if kind == "DIFile":
                directory, name = _field(fields, "directory"), _field(fields, "filename") or ""
                return os.path.join(directory, name) if directory and not os.path.isabs(name) else name
            node = _field(fields, "file") or _field(fields, "scope") or ""
        return ""

    def place_of(node):
        kind, fields = nodes.get(node, (None, ""))
        if kind != "DILocation" or not _field(fields, "line") or _field(fields, "line") == "0":
            return None
        return file_of(_field(fields, "scope") or ""), int(_field(fields, "line"))

    lines, places = [], []
    for line in text.splitlines():
        if re.match(r"^(!\d+|!llvm\.\w+[\w.]*) = ", line):
            continue
        found = re.search(r",? !dbg (!\d+)", line)
        is_definition = line.startswith("define")
        places.append(place_of(found[1]) if found and not is_definition else None)
        lines.append(re.sub(r",? !dbg !\d+", "", line))
    while lines and not lines[-1]:
        lines.pop(), places.pop()
    return lines, places


_FILE_DIRECTIVE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?')
_LOC_DIRECTIVE = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)")


_DATA = re.compile(r"^\s*\.(long|quad|short|byte)\s")  # tables of constants: one line each


def of_assembly(text):
    """Of x86 assembly and of PTX: `.loc` counts from there on."""
    files, current = {}, None
    for line in text.splitlines():
        found = _FILE_DIRECTIVE.match(line)
        if found:
            folder, name = (found[2], found[3]) if found[3] else ("", found[2])
            files[found[1]] = os.path.join(folder, name)
    lines, places, is_skipped = [], [], False
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith(".section"):
            is_skipped = ".debug_" in stripped
        elif stripped.startswith((".text", ".data")):
            is_skipped = False
        location = _LOC_DIRECTIVE.match(line)
        if location:
            current = (files.get(location[1], ""), int(location[2])) if location[2] != "0" else None
        if is_skipped or location or _FILE_DIRECTIVE.match(line) or re.match(r"^\.?L(tmp|func_\w+|debug_\w+)\d*:", stripped) or re.match(r"^\$L__(tmp|func)\w*:", stripped):  # fmt: skip
            continue
        if lines and _DATA.match(line) and _DATA.match(lines[-1]) and stripped.split()[0] == lines[-1].split()[0]:
            lines[-1] += f", {stripped.split(None, 1)[1]}"
            continue
        is_code = bool(stripped) and not stripped.startswith((".", "//", "#", "{", "}")) and not stripped.endswith(":")
        lines.append(line.expandtabs(8))
        places.append(current if is_code else None)
    return lines, places


def of_text(text):
    lines = text.splitlines()
    return lines, [None] * len(lines)


def of_stage(name, text):
    """By what a stage holds."""
    if name in ("source", "ttir", "ttgir"):
        return of_mlir(text)
    if name == "llir":
        return of_llvm(text)
    return of_assembly(text) if name in ("asm", "ptx", "amdgcn") else of_text(text)
