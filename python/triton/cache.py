"""Looks after the cache of compiled kernels.

    python -m triton.cache ls                      what is stored: kernel, target, size, when it was last used
    python -m triton.cache show ENTRY              one entry: what was asked for, its metadata, its files
    python -m triton.cache show ENTRY --stage llir one stage's text or bytes, to standard output
    python -m triton.cache prune --limit 500M      removes what was not used for longest; --limit 0: everything
    python -m triton.cache verify [--remove]       checks every entry; damaged ones, and with a secret those of strangers, are named or removed

What no seal says to be the cache's is never removed. `--dir` names another directory than the cache: a bundle, say. ENTRY is the first letters of an entry's name or hash, or a kernel's name.
"""

from __future__ import annotations

import argparse
import base64
import sys
import time

from . import knobs
from ._C.libtriton import cache as native
from .runtime.cache import find_damage, limit, parse_object


def _description(store, entry):
    """(name, description as text, the same as a dict) of the kernel in an entry; None if there is none or it cannot be read."""
    names = [file[: -len(".json")] for file in entry.files if file.endswith(".json")]
    names = [name for name in names if not name.startswith("__grp__") and not name.endswith(".autotune")]
    if len(names) != 1:
        return None
    text = store.get(entry.name, f"{names[0]}.json")
    return names[0], text, parse_object(text)


def damage_of(store, entry):
    """What is wrong with an entry; empty if nothing is, or if it holds no kernel."""
    if not entry.is_sealed:
        return "its description is missing or damaged"
    found = _description(store, entry)
    if found is None:
        return ""
    name, text, values = found
    if text is None:
        return f"{name}.json cannot be read"
    others = [file for file in entry.files if file.startswith(name + ".") and file != f"{name}.json"]
    contents = {file: store.get(entry.name, file) for file in others}
    damage = find_damage(text, {file: content for file, content in contents.items() if content is not None})
    if damage:
        return damage
    key = values.get("bundle_key", values.get("hash", ""))
    return "" if _entry_name(key) == entry.name else "it lies under the key of another kernel"


def _part(values, name):
    """An object in a description; an empty one if it is anything else."""
    part = values.get(name)
    return part if isinstance(part, dict) else {}


def _entry_name(key):
    try:
        return base64.b32encode(bytes.fromhex(key)).decode().rstrip("=")
    except (TypeError, ValueError):  # no key
        return ""


def _size_text(size):
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"


def _age_text(nanoseconds):
    seconds = max(0, time.time() - nanoseconds / 1e9)
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


def list_entries(store, out):
    entries = store.list()
    for entry in entries:
        found = _description(store, entry)
        name, _, values = found or (", ".join(entry.files[:2]) or "(empty)", None, {})
        target = _part(values, "target")
        place = f"{target.get('backend')}:{target.get('arch')}" if target else "-"
        print(f"{entry.name[:16]}  {_size_text(entry.bytes):>10}  {_age_text(entry.last_used):>7}  {place:<14} {name}", file=out)  # fmt: skip
    total = _size_text(sum(entry.bytes for entry in entries))
    print(f"{len(entries)} entries, {total} in {store.root}", file=out)
    return 0


def _find(store, wanted):
    entries = store.list()
    if len(wanted) == 64 and all(digit in "0123456789abcdef" for digit in wanted):
        wanted = _entry_name(wanted)
    found = [entry for entry in entries if entry.name.startswith(wanted)]
    if not found:
        found = [entry for entry in entries if any(file == f"{wanted}.json" for file in entry.files)]
    if len(found) != 1:
        names = "".join(f"\n  {entry.name}" for entry in found)
        none = f"no entry of {store.root} has a name that begins with '{wanted}', or holds a kernel of that name"
        raise SystemExit(f"error: {len(found)} entries for '{wanted}'{names}" if found else f"error: {none}")
    return found[0]


def show_entry(store, wanted, stage, out):
    entry = _find(store, wanted)
    found = _description(store, entry)
    if found is None:
        raise SystemExit(f"error: entry {entry.name} holds no kernel: {', '.join(entry.files)}")
    name, _, values = found
    if stage:
        content = store.get(entry.name, f"{name}.{stage}")
        if content is None:
            raise SystemExit(f"error: {name} has no stage '{stage}'; it has: {', '.join(_stages(entry, name))}")
        out.flush()
        out.buffer.write(content)
        return 0
    print(f"{name}  {entry.name}", file=out)
    request = _part(values, "request")
    values.pop("request", None)
    for title, part in (("asked for", request), ("metadata", values)):
        print(f"\n{title}", file=out)
        for key, value in part.items():
            if key not in ("digests", "signature", "checksum", "text"):
                print(f"  {key:<26} {value}", file=out)
    print("\nfiles", file=out)
    for file in entry.files:
        print(f"  {file:<26} {_size_text(len(store.get(entry.name, file) or b''))}", file=out)
    print(f"\n{damage_of(store, entry) or 'sound'}", file=out)
    return 0


def _stages(entry, name):
    return [file[len(name) + 1 :] for file in entry.files if file.startswith(name + ".") and not file.endswith(".json")]


def _prune_limit(text):
    """The bytes that may stay, as the option says or, without it, the environment."""
    if text is None:
        try:
            size = limit()
        except RuntimeError as error:
            raise SystemExit(f"error: {error}") from None
        if size is None:
            raise SystemExit("error: how much may stay? --limit 500M, say; --limit 0 removes everything")
        return size
    size = native.parse_size(text)
    if size is None:
        raise SystemExit(f"error: --limit takes a size such as 500M or 2G, not '{text}'")
    return size


def prune(store, size, out):
    summary = store.prune(size)
    print(
        f"{len(summary.removed)} entries removed, {_size_text(summary.bytes_before)} before, {_size_text(summary.bytes_after)} now",
        file=out,
    )
    return 0


def verify(store, remove, out):
    damaged = left = 0
    entries = store.list()
    for entry in entries:
        damage = damage_of(store, entry)
        if not damage:
            continue
        damaged += 1
        outcome = ""
        if remove and entry.is_sealed:
            store.remove(entry.name)
            outcome = " (removed)"
        elif remove:
            outcome = " (left alone: no seal says that it is the cache's)"
        left += outcome != " (removed)"
        print(f"{entry.name}: {damage}{outcome}", file=out)
    print(f"{len(entries)} entries, {damaged} damaged", file=out)
    return 1 if left else 0


def main(arguments=None, out=None):
    out = out or sys.stdout
    parser = argparse.ArgumentParser(
        prog="python -m triton.cache", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dir", help="directory (default: the cache, TRITON_CACHE_DIR)")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("ls", help="what is stored")
    show = commands.add_parser("show", help="one entry")
    show.add_argument("entry")
    show.add_argument("--stage", help="print this stage: ttir, llir, obj, …")
    pruning = commands.add_parser("prune", help="remove what was not used for longest")
    pruning.add_argument("--limit", help="how much may stay (default: TRITON_CACHE_LIMIT)")
    checking = commands.add_parser("verify", help="check every entry")
    checking.add_argument("--remove", action="store_true", help="remove damaged entries")
    given = parser.parse_args(arguments)
    store = native.Store(given.dir or knobs.cache.dir)
    if given.command == "ls":
        return list_entries(store, out)
    if given.command == "show":
        return show_entry(store, given.entry, given.stage, out)
    if given.command == "prune":
        return prune(store, _prune_limit(given.limit), out)
    return verify(store, given.remove, out)


if __name__ == "__main__":
    sys.exit(main())
