"""Calls kernels with arguments that are made up from a signature, keeps what they write, and compares that between runs.

Every pointer points into a stretch of its own, values all around it and zeros behind them: what a kernel reaches with small indices and strides is
defined, and the same in every run.
"""

import json
import mmap
import zlib

import torch
from signatures import value_of

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16, "i32": torch.int32, "i64": torch.int64, "i8": torch.int8,
          "u8": torch.uint8, "i1": torch.bool, "u16": torch.uint16, "u32": torch.uint32, "u64": torch.uint64, "fp8e4nv": torch.float8_e4m3fn}  # fmt: skip
BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
BEFORE, COUNT = 1 << 19, 5 << 19  # values before the one pointed to, and in all
STRETCH = 64 << 20  # bytes
STRIDES = (1, 128, 8192, 131072)
TOLERANCES = {torch.float32: 2e-3, torch.float8_e4m3fn: 0.15}
known = {}


def contents(kind, slot):
    if (kind, slot) not in known:
        generator = torch.Generator().manual_seed(zlib.crc32(f"{kind} {slot}".encode()))
        if kind in ("fp32", "bf16", "fp16", "fp8e4nv"):
            values = (torch.randn(COUNT, generator=generator) * 0.5).to(DTYPES[kind])
        else:
            bottom, top = {"i1": (0, 2), "u8": (0, 128)}.get(kind, (1, 4))  # not zero: kernels divide by what they load
            values = torch.randint(bottom, top, (COUNT,), generator=generator).to(BITS[DTYPES[kind].itemsize])
        known[kind, slot] = values.view(torch.uint8)
    return known[kind, slot]


def strides(names):
    """Of names that differ in their last part, the last one gets 1."""
    groups, found = {}, {}
    for name in names:
        if "stride" in name.lower():
            groups.setdefault(name.rsplit("_", 1)[0] if name.count("_") > 1 else name[:-1], []).append(name)
    for group in groups.values():
        for place, name in enumerate(reversed(group)):
            found[name] = STRIDES[min(place, len(STRIDES) - 1)]
    return found


def call(kernel, signature, device, programs):
    """Runs so many programs. What they wrote: argument -> (places, bits, dtype)."""
    pointers = [name for name, kind in signature.items() if kind.startswith("*")]
    size = max(len(pointers), 1) * STRETCH
    memory = (
        torch.zeros(size, dtype=torch.uint8, device=device)
        if device == "cuda"
        else torch.frombuffer(mmap.mmap(-1, size), dtype=torch.uint8)
    )
    arguments, held, steps = {}, {}, strides(signature)
    for name, kind in signature.items():
        if kind.startswith("="):
            arguments[name] = value_of(kind)
        elif kind.startswith("*"):
            values = contents(kind[1:], len(held))
            part = memory[len(held) * STRETCH :][: values.numel()]
            part.copy_(values)
            held[name] = part, values
            arguments[name] = part.view(DTYPES[kind[1:]])[BEFORE:]
        elif kind == "fp32":
            arguments[name] = 0.5
        elif kind == "i1":
            arguments[name] = True
        else:
            arguments[name] = steps.get(name) or (40 if zlib.crc32(name.encode()) % 2 else 32)
    kernel[(programs, 1, 1)](**arguments)
    written = {}
    for name, (part, values) in held.items():
        dtype = DTYPES[signature[name][1:]]
        now, before = (each.cpu().view(BITS[dtype.itemsize]) for each in (part, values))
        places = (now != before).nonzero().flatten()[:200000]
        if places.numel():
            written[name] = places.int(), now[places].clone(), str(dtype).removeprefix("torch.")
    return written


def differences(one, other):
    """What two runs wrote differently, in words."""
    found = []
    for name in sorted({*one, *other}):
        if name not in one or name not in other:
            found.append(f"{name} is written by one only")
            continue
        (places, values, kind), (other_places, other_values, _) = one[name], other[name]
        here, there = torch.isin(places, other_places), torch.isin(other_places, places)
        alone = int((~here).sum() + (~there).sum())
        if alone > 0.01 * len(places) + 2:
            found.append(f"{name}: {alone} of {len(places)} places are written by one only")
        dtype = getattr(torch, kind)
        wrong = values[here] != other_values[there]
        if dtype.is_floating_point:
            numbers, others = (each.view(dtype).float() for each in (values[here], other_values[there]))
            tolerance = TOLERANCES.get(dtype, 4e-2)
            wrong &= ~torch.isclose(numbers, others, rtol=tolerance, atol=tolerance, equal_nan=True)
        if wrong.float().mean() > 0.002:
            found.append(f"{name}: {int(wrong.sum())} of {len(wrong)} values differ")
    return found


def read_signatures(path):
    return json.loads(path.read_text()) if path.exists() else {}
