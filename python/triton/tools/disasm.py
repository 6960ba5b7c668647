"""The machine code of a cubin as text: instructions with their scheduling, and labels where branches go."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import tempfile

from .. import knobs

FNAME_RE = re.compile(r"^\s*Function\s*:\s*(\S+)")
FLINE_RE = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(.*?);\s*/\*\s*0x([0-9a-f]{16})\s*\*/")
SLINE_RE = re.compile(r"^\s*/\*\s*0x([0-9a-f]{16})\s*\*/")
BRA_RE = re.compile(r"\b(?:BRA|BSSY|CALL\.REL\S*|BRX\S*|WARPSYNC\S*|SSY|PBK)\b[^;]*?(?:`\(\.L_x_\d+\)|0x([0-9a-f]+))")


def path_to_cuobjdump():
    """(path, version) of the tool."""
    tool = knobs.nvidia.cuobjdump
    return tool.path, tool.version


def parseCtrl(sline: str) -> str:
    """The scheduling in an instruction's second line: barriers it waits for, barrier it sets when it has read, when it has written, yield, cycles to stall."""
    control = int(SLINE_RE.match(sline)[1], 16) >> 41
    stall = control & 0xF
    yields = (control >> 4) & 1
    write, read, wait = (control >> 5) & 7, (control >> 8) & 7, (control >> 11) & 0x3F
    return ":".join(
        [
            f"{wait:02d}" if wait else "--",
            "-" if read == 7 else str(read),
            "-" if write == 7 else str(write),
            "-" if yields else "Y",
            f"{stall:x}",
        ]
    )


def processSassLines(fline: str, sline: str, labels: dict[int, int]):
    """(scheduling, assembly) of one instruction, whose two lines these are; notes where it branches to in `labels`."""
    text = FLINE_RE.match(fline)[2].strip()
    target = BRA_RE.search(text)
    if target and target[1]:
        labels.setdefault(int(target[1], 16), len(labels))
    return parseCtrl(sline), text + ";"


def format_sass(listing: str, fun=None):
    """The first function (or the one named) of what `cuobjdump -sass` printed; None if there is none."""
    lines = listing.splitlines()
    starts = [(index, found[1]) for index, found in enumerate(map(FNAME_RE.match, lines)) if found]
    starts = [start for start in starts if fun is None or start[1] == fun]
    if not starts:
        return None
    index, name = starts[0]
    instructions, labels = [], {}
    for first, second in zip(lines[index + 1 :], lines[index + 2 :]):
        if FNAME_RE.match(first):
            break
        found = FLINE_RE.match(first)
        if found and SLINE_RE.match(second):
            instructions.append((int(found[1], 16), *processSassLines(first, second, labels)))
    numbers = {address: number for number, address in enumerate(sorted(labels))}
    text = [f"Function:{name}"]
    for address, control, assembly in instructions:
        if address in numbers:
            text.append(f"LBB{numbers[address]}:")
        assembly = re.sub(
            r"0x([0-9a-f]+)(?=[^,]*;$)",
            lambda found: f"LBB{numbers[int(found[1], 16)]}" if int(found[1], 16) in numbers and BRA_RE.search(assembly) else found[0],
            assembly,
        )  # fmt: skip
        text.append(f"{control}\t{assembly}")
    return "\n".join(text) + "\n"


def extract(file_path, fun):
    """The same from a cubin file."""
    command = [path_to_cuobjdump()[0], "-sass", *(["-fun", fun] if fun else []), file_path]
    return format_sass(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


@functools.lru_cache
def get_sass(cubin_asm, fun=None):
    """The same from a cubin's bytes."""
    descriptor, path = tempfile.mkstemp()
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(cubin_asm)
        return extract(path, fun)
    finally:
        os.remove(path)
