"""Checks that folders only include what stands above them: reads every #include, reports each arrow that points the wrong way.

usage: check_includes.py [--root DIR] [--junit FILE]

The order is that of the data, written down once in ORDER and EXCEPTIONS below; docs/architecture.md tells why.
"""

import argparse
import re
import sys
from pathlib import Path

import junit

# A folder of compiler/ may include itself and the folders before it in this list.
ORDER = [
    "support", "syntax", "layout", "tensor", "frontend", "interpreter", "gpu", "gluon", "cpu", "llvm", "artifact", "driver"
]  # fmt: skip

# Arrows that the order would allow and the architecture does not: (from, to) -> why.
EXCEPTIONS = {("cpu", "gpu"): "gpu/ and cpu/ do not know each other"}
EXCEPTIONS |= {
    (folder, "frontend"): "only gluon/ and driver/ know frontend/"
    for folder in ORDER
    if folder not in ("frontend", "gluon", "driver")
}

WITHOUT_MLIR = ("support", "syntax", "layout")

# A folder of runtime/ may include itself and the folders before it in this list.
RUNTIME_ORDER = ["driver", "cuda", "hip", "simulated", "gpu", "profiler", "host"]

# Likewise dispatch/, whose root knows neither runtime/ nor the rest of it.
DISPATCH_ORDER = ["", "launch", "tune"]

# What each surface may include beside itself. No surface knows another one: what two of them need stands below them.
SURFACES = {
    "api": ("public", "compiler", "runtime", "dispatch"),
    "embed": ("public", "compiler", "runtime", "dispatch"),
    "bin": ("compiler", "dispatch", "runtime"),
    "bindings": ("public", "dispatch"),
}
SUFFIXES = {".h", ".hpp", ".cpp", ".cc", ".c", ".inc", ".td"}
INCLUDE = re.compile(r'^\s*(?:#\s*)?include\s+["<]([^">]+)[">]')
PYTHON_HEADER = re.compile(r"^(Python\.h|nanobind/|pybind11/)")


def place(path):
    """The part of the tree that a path from the root belongs to: ("compiler", "tensor"), ("runtime", "host"), ("public", ""), …"""
    parts = Path(path).parts
    if parts[0] in ("compiler", "runtime", "dispatch", "simulator") and len(parts) > 2:
        return parts[0], parts[1]
    if parts[:2] == ("include", "triton") or parts[0] == "triton":
        return "public", ""
    return parts[0], ""


def named(area):
    return "include/triton" if area == "public" else area


def objection(source, header):
    """Why the file `source` must not include `header` (both paths from the root), or None when it may."""
    (area, folder), (to_area, to_folder) = place(source), place(header)
    if header == "triton/export.h":  # which marks what the library shows, wherever it stands
        return None
    if PYTHON_HEADER.match(header) and area != "bindings":
        return "only bindings/ knows Python"
    if area == "compiler":
        if folder in WITHOUT_MLIR and header.startswith("mlir/"):
            return f"compiler/{folder} does without MLIR"
        if to_area == "compiler":
            if folder not in ORDER or to_folder not in ORDER:
                unknown = folder if folder not in ORDER else to_folder
                return (
                    f"compiler/{unknown} has no place in the order of folders: give it one in scripts/check_includes.py"
                )
            if ORDER.index(to_folder) > ORDER.index(folder):
                return f"compiler/{to_folder} stands below compiler/{folder}"
            return EXCEPTIONS.get((folder, to_folder))
        if to_area == "dispatch" and folder in ("support", "syntax", "layout", "artifact"):
            return f"dispatch/ stands below compiler/{folder}"
        if to_area in ("runtime", "public", "test", *SURFACES):
            return f"compiler/ does not know {named(to_area)}/"
        if to_area == "dispatch" and to_folder:
            return "compiler/ knows only what stands at the root of dispatch/"
    if area == "dispatch":
        if header.startswith("mlir/"):
            return "dispatch/ does without MLIR"
        if to_area == "compiler" and to_folder not in ("support", "artifact"):
            return "dispatch/ knows only compiler/support and compiler/artifact"
        if to_area in ("public", "test", *SURFACES):
            return f"dispatch/ does not know {named(to_area)}/"
        if to_area == "dispatch" and DISPATCH_ORDER.index(to_folder) > DISPATCH_ORDER.index(folder):
            return f"dispatch/{to_folder} stands below dispatch/{folder or '.'}"
    if area == "simulator":
        if header.startswith(("llvm/", "mlir/")) and folder != "amdgcn":
            return "simulator/ does without LLVM and MLIR, but for amdgcn/, which reads LLVM IR"
        if to_folder == "amdgcn" and folder != "amdgcn":
            return "simulator/amdgcn stands on the rest of simulator/"
        if to_area in ("compiler", "runtime", "dispatch", "public", "test", *SURFACES):
            return f"simulator/ does not know {named(to_area)}/"
    if to_area == "simulator" and area not in ("simulator", "runtime", "test"):
        return "only runtime/ knows simulator/"
    if area == "runtime":
        if to_area == "compiler" and to_folder not in ("artifact", "support"):
            return "runtime/ knows only compiler/artifact and compiler/support"
        if to_area in ("public", "test", *SURFACES):
            return f"runtime/ does not know {named(to_area)}/"
        if to_area == "runtime":
            for each in (folder, to_folder):
                if each not in RUNTIME_ORDER:
                    return (
                        f"runtime/{each} has no place in the order of folders: give it one in scripts/check_includes.py"
                    )
            if RUNTIME_ORDER.index(to_folder) > RUNTIME_ORDER.index(folder):
                return f"runtime/{to_folder} stands below runtime/{folder}"
    if area in SURFACES and to_area != area and to_area in ("public", "compiler", "runtime", "dispatch", *SURFACES):
        if to_area not in SURFACES[area]:
            return f"{area}/ does not know {named(to_area)}/: it may include {', '.join(map(named, SURFACES[area]))}"
    if area == "public" and Path(source).suffix == ".h" and to_area in ("compiler", "runtime", "dispatch", *SURFACES):
        return "a public header shows nothing of the inside"
    return None


def reads_environment(source, line):
    """Whether a line below compiler/driver and dispatch/ reads the environment: what it says reaches the compiler and the runtime as options."""
    area, folder = place(source)
    is_below = (area == "compiler" and folder != "driver") or area in ("runtime", "simulator")
    # The simulated driver stands in for NVIDIA's, which has variables of its own too.
    is_allowed = source.endswith("Test.cpp") or source == "runtime/simulated/Simulation.cpp"
    return is_below and not is_allowed and "getenv" in line


def violations(root):
    """Yields (file, line number, header, reason) for each #include that points the wrong way, and each line that reads the environment and must not."""
    for top in ("compiler", "dispatch", "simulator", "runtime", "include", "api", "embed", "bindings", "bin"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in SUFFIXES or not path.is_file():
                continue
            source = path.relative_to(root).as_posix()
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                match = INCLUDE.match(line)
                reason = match and objection(source, match[1])
                if reason:
                    yield source, number, match[1], reason
                if reads_environment(source, line):
                    yield source, number, "the environment", "nothing below compiler/driver reads it"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--junit", type=Path)
    arguments = parser.parse_args()
    found = [
        f"{source}:{number}: includes {header}: {reason}"
        for source, number, header, reason in violations(arguments.root)
    ]
    print("\n".join(found) if found else "every #include points the right way")
    if arguments.junit:
        junit.write(arguments.junit, "checks", "include directions", "\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
