"""Holds our code for AMD GPUs against that of another Triton, which compiles for them without one.

python benchmarks/amd/compare_code.py --peer FOLDER [--arch gfx942] [--out table.md]

FOLDER holds the other package (a wheel from PyPI, unpacked). For each kernel of kernels.py, of both: matrix instructions in the loop that has most of them, bytes of LDS, the widest
accesses of global memory in bits, vector registers, which count as the waves that they leave room for, and spilled ones. All of it is read from the assembly, whose end describes the kernel.
"""

import argparse
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def loops_of(text):
    """The bodies of innermost loops: from a label to the first branch back to it."""
    lines = text.splitlines()
    place = {match[1]: index for index, line in enumerate(lines) if (match := re.match(r"(\.?\w+):", line))}
    spans = []
    for index, line in enumerate(lines):
        match = re.search(r"s_c?branch\w*\s+(\.?\w+)", line)
        if match and place.get(match[1], len(lines)) <= index:
            spans.append((place[match[1]], index))
    inner = [
        span
        for span in spans
        if not any(other != span and span[0] <= other[0] and other[1] <= span[1] for other in spans)
    ]
    return ["\n".join(lines[begin : end + 1]) for begin, end in inner]


MATRIX = re.compile(r"^\s*v_s?wmmac?_|^\s*v_mfma_|^\s*v_wmma_", re.M)
GLOBAL = re.compile(r"^\s*(?:global|buffer|flat)_(load|store)_(\w+)", re.M)
BITS = {"dwordx4": 128, "b128": 128, "dwordx3": 96, "b96": 96, "dwordx2": 64, "b64": 64, "dword": 32, "b32": 32}


def width(name):
    return next((bits for suffix, bits in BITS.items() if name.split("_")[0] == suffix or name.endswith(suffix)), 16)


def facts_of(assembly, shared):
    number = lambda key: int((re.search(rf"\.{key}:\s+(\d+)", assembly) or [0, 0])[1])  # noqa: E731
    body = assembly.split(".amdgpu_metadata")[0]
    accesses = GLOBAL.findall(body)
    widest = lambda kind: max((width(name) for each, name in accesses if each == kind), default=0)  # noqa: E731
    return {
        "matrix": max((len(MATRIX.findall(loop)) for loop in loops_of(body)), default=len(MATRIX.findall(body))),
        "lds": shared,
        "load": widest("load"),
        "store": widest("store"),
        "vgprs": number("vgpr_count"),
        "spills": number("vgpr_spill_count"),
        "instructions": len(re.findall(r"^\s+[sv]_|^\s+(?:ds|buffer|global|flat)_", body, re.M)),
    }


def apart(body):
    """What `body` gives, in a child: a compiler that aborts ends no other comparison."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with os.fdopen(writer, "w") as pipe:
            pipe.write(json.dumps(body()))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"error": "the compiler aborts"}


def compile_all(arch):
    sys.path.insert(0, HERE)
    import triton
    from kernels import KERNELS
    from triton.backends.compiler import GPUTarget

    target = GPUTarget("hip", arch, 64 if arch.startswith("gfx9") else 32)
    found = {}
    for name, function, types, constants, options in KERNELS:
        runtime = [each for each in function.arg_names if each not in constants]
        signature, attributes, values = {}, {}, {}
        for argument, ty in zip(runtime, types):
            ty, _, value = ty.partition("=")
            ty, _, divisor = ty.partition(":")
            place = (function.arg_names.index(argument),)
            if value:
                values[place], signature[argument] = int(value), "constexpr"
            else:
                signature[argument] = ty
                if divisor:
                    attributes[place] = [["tt.divisibility", int(divisor)]]
                if ty.startswith("*"):
                    attributes.setdefault(place, []).append(["tt.pointer_range", 32])
        for constant, value in constants.items():
            values[(function.arg_names.index(constant),)], signature[constant] = value, "constexpr"
        signature = {each: signature[each] for each in function.arg_names}

        def compile_one(function=function, signature=signature, values=values, attributes=attributes, options=options):
            try:
                source = triton.compiler.ASTSource(function, signature, values, attributes)
                kernel = triton.compile(source, target=target, options=options)
                return facts_of(kernel.asm["amdgcn"], kernel.metadata.shared)
            except Exception as error:  # noqa: BLE001
                return {"error": (str(error).strip() or repr(error)).splitlines()[-1][:80]}

        found[name] = apart(compile_one)
    print(json.dumps(found))


def run(arch, path=None):
    environment = {**os.environ, **({"PYTHONPATH": path, "TRITON_HOME": os.path.join(path, ".home")} if path else {})}
    done = subprocess.run(
        [sys.executable, __file__, "--compile", arch], env=environment, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def waves(registers):
    """How many waves of so many vector registers a SIMD of CDNA has room for: they come in eights, and eight waves are the most."""
    return min(8, 512 // max(8, -(-registers // 8) * 8))


def is_worse(ours, peer):
    """Why our code is worse, by the facts that the comparison is about."""
    reasons = []
    if ours["matrix"] > peer["matrix"] or (peer["matrix"] and not ours["matrix"]):
        reasons.append("matrix instructions")
    if ours["lds"] > peer["lds"]:
        reasons.append("LDS")
    if ours["load"] < peer["load"] or ours["store"] < peer["store"]:
        reasons.append("width")
    if waves(ours["vgprs"]) < waves(peer["vgprs"]):
        reasons.append("VGPRs")
    if ours["spills"] > peer["spills"]:
        reasons.append("spills")
    return reasons


def table(ours, peer):
    lines = [
        "| kernel | MFMA in the loop | LDS | load / store bits | VGPRs | spills | instructions | worse in |",
        "|---|---|---|---|---|---|---|---|",
    ]
    counts = [0, 0]
    for name, own in ours.items():
        other = peer[name]
        if "error" in own or "error" in other:
            lines.append(
                f"| {name} | {own.get('error', 'ours compiles')} | {other.get('error', 'peer compiles')} | | | | | |"
            )
            counts[1] += "error" in own
            counts[0] += "error" not in own
            continue
        reasons = is_worse(own, other)
        counts[bool(reasons)] += 1
        both = lambda key: f"{own[key]} / {other[key]}"  # noqa: E731
        accesses = f"{own['load']}, {own['store']} / {other['load']}, {other['store']}"
        lines.append(
            f"| {name} | {both('matrix')} | {both('lds')} | {accesses} | {both('vgprs')} | {both('spills')} | {both('instructions')} | {', '.join(reasons)} |"
        )
    return "\n".join([*lines, "", f"no worse: {counts[0]}, worse: {counts[1]}"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", help="the folder with the other package")
    parser.add_argument("--arch", default="gfx942")
    parser.add_argument("--out")
    parser.add_argument("--compile", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.compile:
        compile_all(given.compile)
        sys.exit()
    text = f"ours / peer, {given.arch}\n\n{table(run(given.arch), run(given.arch, given.peer))}"
    print(text)
    if given.out:
        with open(given.out, "w") as file:
            file.write(text + "\n")
