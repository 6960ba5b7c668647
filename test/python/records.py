"""What launches of the tests compute, written down on one device to be compared with another.

    pytest test/python/language --device cuda --record gpu            # on a machine with a GPU
    pytest test/python/language --device sim:sm_90a --record simulated
    python test/python/records.py gpu simulated                       # a table, and what differs

A record names the test, the number of the launch in it and its PTX, and holds the arrays that the launch has changed. Records are compared
where PTX and inputs are the same.
"""

import base64
import collections
import glob
import hashlib
import json
import os
import re
import sys
import zlib

import numpy as np
import torch

LIMIT = 1 << 16  # bytes of an array that are kept; of larger ones only the digest is


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def instructions(ptx):
    """PTX without what says where its source lies, and which version of PTX the assembler or driver takes."""
    about = re.compile(r"^\s*(\.version|\.file|\.loc|//|\$L__tmp|\.section|\.b\d+|\{|\})")
    return "\n".join(line for line in ptx.splitlines() if not about.match(line)).encode()


def arrays_of(value):
    """(name of the element type, bytes) of every array behind an argument."""
    if isinstance(value, tuple):
        return [array for element in value for array in arrays_of(element)]
    while not isinstance(value, (torch.Tensor, np.ndarray)) and hasattr(value, "base"):
        value = value.base  # of descriptors, and of tensors seen as another type
    if isinstance(value, torch.Tensor) and value.is_cpu:
        storage = torch.empty(0, dtype=torch.uint8).set_(value.detach().untyped_storage())
        return [(str(value.dtype).removeprefix("torch."), storage.numpy())]
    if isinstance(value, np.ndarray):
        while isinstance(value.base, np.ndarray):
            value = value.base
        if value.flags.c_contiguous or value.flags.f_contiguous:
            return [(value.dtype.name, value.reshape(-1, order="A").view(np.uint8))]
    return []


class Recorder:
    """Writes records into a folder, a file for each process."""

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        self.file = open(os.path.join(folder, f"{os.getpid()}.jsonl"), "a")  # noqa: SIM115
        self.test, self.launches = "", 0
        from triton.compiler.kernel import CompiledKernel

        load, recorder = CompiledKernel._init_handles, self

        def load_and_record(kernel):
            is_new = kernel.module is None
            load(kernel)
            if is_new and "ptx" in kernel.asm:
                kernel._run = recorder.recording(kernel._run, kernel.name, digest(instructions(kernel.asm["ptx"])))

        CompiledKernel._init_handles = load_and_record

    def recording(self, run, name, ptx):
        def launch(*arguments):
            arrays = [array for argument in arguments[9:] for array in arrays_of(argument)]
            inputs = [digest(data) for _, data in arrays]
            run(*arguments)
            outputs = []
            for (dtype, data), before in zip(arrays, inputs, strict=True):
                after = digest(data)
                kept = data.tobytes() if after != before and data.size <= LIMIT else b""
                outputs.append([dtype, after, base64.b64encode(zlib.compress(kept)).decode() if kept else ""])
            record = {"test": self.test, "launch": self.launches, "kernel": name, "ptx": ptx,
                      "inputs": digest("".join(inputs).encode()), "outputs": outputs}  # fmt: skip
            self.launches += 1
            print(json.dumps(record), file=self.file, flush=True)

        return launch

    def pytest_runtest_logstart(self, nodeid):
        self.test, self.launches = nodeid, 0


def read(folder):
    records = {}
    for path in glob.glob(os.path.join(folder, "**", "*.jsonl"), recursive=True):
        with open(path) as file:
            for line in file:
                record = json.loads(line)
                test = record["test"][record["test"].find("test/python/") :]  # the tree may lie in another folder
                records[test, record["launch"]] = record
    return records


def values(dtype, data):
    """The numbers of an array as float64; None where they are not floats."""
    kind = getattr(torch, dtype, None)
    if kind is None or not kind.is_floating_point:
        return None
    return torch.frombuffer(bytearray(data), dtype=kind).double().numpy()


def difference(dtype, one, other):
    """How far two arrays are apart, relative to the largest number in them; None where they are not floats, or not finite in the same places."""
    left, right = values(dtype, one), values(dtype, other)
    if left is None:
        return None
    finite = np.isfinite(left)
    if not np.array_equal(left[~finite], right[~finite], equal_nan=True) or not np.isfinite(right[finite]).all():
        return None
    if not finite.any():
        return 0.0
    return float(np.abs(left[finite] - right[finite]).max() / max(np.abs(left[finite]).max(), 1e-30))


BOUNDS = (20, 14, 10)  # of differences, in bits
COLUMNS = ["equal", *(f"within 2^-{bits}" for bits in BOUNDS), "different", "only digests", "other code", "other inputs", "not run"]  # fmt: skip


def compare(one, other):
    """(column, how far apart)."""
    if one["ptx"] != other["ptx"]:
        return "other code", 0.0
    if one["inputs"] != other["inputs"]:
        return "other inputs", 0.0
    worst = 0.0
    for (dtype, left_digest, left), (_, right_digest, right) in zip(one["outputs"], other["outputs"], strict=True):
        if left_digest == right_digest:
            continue
        if not left or not right:
            return "only digests", 0.0
        apart = difference(dtype, zlib.decompress(base64.b64decode(left)), zlib.decompress(base64.b64decode(right)))
        if apart is None:
            return "different", float("inf")
        worst = max(worst, apart)
    if worst == 0:
        return "equal", worst
    return next((f"within 2^-{bits}" for bits in BOUNDS if worst <= 2.0**-bits), "different"), worst


def main(first, second):
    theirs, ours = read(first), read(second)
    table, notes = collections.defaultdict(collections.Counter), []
    for key, record in sorted(theirs.items()):
        group = key[0].split("::")[0].removeprefix("test/python/")
        column, apart = compare(record, ours[key]) if key in ours else ("not run", 0.0)
        table[group][column] += 1
        if column == "different":
            notes.append(f"- `{key[0]}`, launch {key[1]}: {apart:.2g} of the largest")
    print("| tests | launches | " + " | ".join(COLUMNS) + " |\n" + "|---" * (len(COLUMNS) + 2) + "|")
    total = collections.Counter()
    for group, row in [*sorted(table.items()), ("all", total)]:
        if row is not total:
            total.update(row)
        print(f"| {group} | {sum(row.values())} | " + " | ".join(str(row[name]) for name in COLUMNS) + " |")
    print("\n" + "\n".join(notes))


if __name__ == "__main__":
    main(*sys.argv[1:])
