"""Makes libraries to link with, so that what is linked runs on an older glibc than this machine's.

    glibc_stubs.py 2.28 FOLDER      libc.so, libm.so, … in FOLDER

Each has the symbols of this machine's library in the newest version that the older glibc has, and no code. Symbols that are newer are left out: they are what
cmake/GlibcShims.c defines, or an error of the linker. Functions that the C library took over from libpthread and libdl since then are found in those at run time.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

LIBRARIES = ["libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"]
OTHERS = ["libpthread.so.0", "libdl.so.2", "librt.so.1"]  # nothing is linked from them, but they must be loaded
SYMBOL = re.compile(r"^\s*\d+:\s+[0-9a-f]+\s+\S+\s+(\w+)\s+\w+\s+\w+\s+(\w+)\s+([^@\s]+)@{1,2}(GLIBC_[0-9.]+)")


def version_of(text):
    return tuple(int(part) for part in text.removeprefix("GLIBC_").split("."))


def read_symbols(listing, limit):
    """name -> (version, kind) of the newest version of each symbol that is not newer than `limit`."""
    found = {}
    for line in listing.splitlines():
        matched = SYMBOL.match(line)
        if not matched or matched.group(2) == "UND":
            continue
        kind, _, name, version = matched.groups()
        is_better = name not in found or version_of(version) > version_of(found[name][0])
        if version_of(version) <= version_of(limit) and is_better:
            found[name] = version, kind
    return found


def assembly(symbols):
    lines = []
    for index, (name, (version, kind)) in enumerate(sorted(symbols.items())):
        section = ".data" if kind == "OBJECT" else '.section .tdata,"awT"' if kind == "TLS" else ".text"
        form = {"OBJECT": "object", "TLS": "tls_object"}.get(kind, "function")
        lines += [
            section,
            f".globl stub{index}",
            f".type stub{index},%{form}",
            f"stub{index}: .quad 0",
            f".size stub{index},8",
        ]
        lines.append(f".symver stub{index},{name}@@{version}")
    return "\n".join(lines) + '\n.section .note.GNU-stack,"",%progbits\n'


def version_script(symbols):
    """Versions build on each other from the oldest on."""
    versions = sorted({version for version, _ in symbols.values()}, key=version_of)
    nodes = [f"{version} {{}}{' ' + before if before else ''};" for before, version in zip([None, *versions], versions)]
    return "\n".join(nodes) + "\nHIDDEN { local: *; };\n"


def make_stub(compiler, name, symbols, folder):
    (folder / f"{name}.s").write_text(assembly(symbols))
    (folder / f"{name}.map").write_text(version_script(symbols))
    command = [*compiler, "-shared", "-nostdlib", f"-Wl,-soname,{name}", f"-Wl,--version-script={folder / name}.map", "-o", folder / name, folder / f"{name}.s"]  # fmt: skip
    subprocess.run(command, check=True)


def main(limit, folder, *compiler):
    compiler, folder = list(compiler) or ["cc"], Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name in [*LIBRARIES, *OTHERS]:
        path = subprocess.run(
            [*compiler, f"-print-file-name={name}"], check=True, capture_output=True, text=True
        ).stdout.strip()
        if not Path(path).is_absolute():
            continue
        listing = subprocess.run(
            ["readelf", "-W", "--dyn-syms", path], check=True, capture_output=True, text=True
        ).stdout
        make_stub(compiler, name, {} if name in OTHERS else read_symbols(listing, f"GLIBC_{limit}"), folder)
        if not name.startswith("ld-"):
            link = folder / (name.split(".so")[0] + ".so")
            link.unlink(missing_ok=True)
            link.symlink_to(name)
    # Parts of the C library are linked in; the loader is asked for threads' variables.
    parts = subprocess.run(
        [*compiler, "-print-file-name=libc_nonshared.a"], check=True, capture_output=True, text=True
    ).stdout.strip()
    loader = next(path for path in sorted(folder.glob("ld-linux*.so.?")))
    (folder / "libc.so").unlink()
    (folder / "libc.so").write_text(f"GROUP ( {folder / 'libc.so.6'} {parts} AS_NEEDED ( {loader} ) )\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
