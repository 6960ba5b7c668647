"""Compiled kernels as files: stored under a seal that shows any damage, gathered in bundles that run where there is no compiler.

An entry is a folder of plain files: `<name>.<stage>` for every stage, and `<name>.json` with the metadata, what was asked for (`request`), the digest of each file and
a checksum over all of that, signed where there is a secret. A bundle is a directory of such entries, under keys that hold on other machines and for other builds of the compiler.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os

from .. import knobs
from .._C.libtriton import cache as native
from .._C.libtriton import confirm_reads
from ..backends.compiler import GPUTarget
from ..errors import CacheMissError
from ..runtime.cache import _base32, find_damage, keyed_variables, parse_object, seal
from .host import Answers

_SEAL_FIELDS = ("request", "digests", "signature", "checksum")
# What the description of a kernel says besides its metadata, for surfaces of other languages: how to tell that it is still right, and which stages it has.
_PROOF_FIELDS = ("reads", "is_portable", "files", "stages", "architecture", "registers", "spill_bytes", "bundle_key")


def file_name(src):
    """What the files of a source's kernels are called, without the ending."""
    return src.name.encode("utf-8")[:150].decode("utf-8", "ignore")


def _source_of(src):
    """The text of the function, for those who look at a stored kernel; the folder it lay in is nobody's business."""
    if not hasattr(src, "fn") or getattr(src.fn, "fn", None) is None:
        return {}
    file, line, _ = src.fn._source_place
    return {"text": src.fn.src, "file": os.path.basename(file), "line": line}


def name_of(path, names):
    """An argument, or an element of one, as messages call it: `x`, `pair.1`; `names` are those of the parameters, where they are known."""
    head = names[path[0]] if names and path[0] < len(names) else str(path[0])
    return ".".join([head, *map(str, path[1:])])


def describe_request(src, target, options, variables):
    """What a compile was asked for, part by part, so that two of them can be compared; once it is done, also what the kernel asked the program."""
    names = getattr(getattr(src, "fn", None), "arg_names", None)

    def text_of(value):
        return value.cache_key if hasattr(value, "cache_key") else repr(value)

    return {
        **_source_of(src),
        "function": getattr(getattr(src, "fn", None), "_fn_name", src.name),
        "source": src.fn.cache_key if hasattr(src, "fn") else src.hash(),
        "signature": {str(name): str(ty) for name, ty in src.signature.items()},
        "constants": {name_of(path, names): text_of(value) for path, value in src.constants.items()},
        "attributes": {name_of(path, names): str(value) for path, value in src.attrs.items() if value},
        "options": {name: repr(value) for name, value in options.__dict__.items()},
        "target": f"{target.backend}:{target.arch}:{target.warp_size}",
        "variables": dict(variables),
        "answers": src.answers.to_json() if src.answers is not None else [],
    }


def make_files(name, stages, metadata, request):
    """file name -> content of a kernel's entry, `metadata` being all that its description says. The sealed description comes first, by which the files are known to
    be the cache's; the code comes last."""
    files = {}
    for extension, content in stages.items():
        if not knobs.compilation.store_binary_only or extension == metadata["binary_ext"]:
            files[f"{name}.{extension}"] = content
    text = json.dumps({**metadata, "request": request}, default=vars)
    return {f"{name}.json": seal(text, files), **files}


def store(manager, name, files):
    """Puts the files of an entry where `manager` keeps them; gives the group: file name -> path."""
    group = {file: manager.put(content, file, binary=isinstance(content, bytes)) for file, content in files.items()}
    manager.put_group(f"{name}.json", group)
    return group


def read(contents, name):
    """(metadata, stages, request) of an entry given as file name -> bytes; None unless it is what was stored. Stages may have been deleted, but for the code."""
    description = contents.get(f"{name}.json")
    if description is None:
        return None
    others = {file: content for file, content in contents.items() if file != f"{name}.json"}
    if find_damage(description, others, may_be_missing=True):
        return None
    try:
        return _open(parse_object(description), others, name)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):  # sealed, but no description of a kernel
        return None


def _open(metadata, others, name):
    if f"{name}.{metadata['binary_ext']}" not in others:
        return None
    stages = {}
    for file, content in others.items():
        extension = os.path.splitext(file)[1][1:]
        stages[extension] = content if extension == metadata["binary_ext"] else _text(content)
    proof = {field: metadata[field] for field in _PROOF_FIELDS if field in metadata}
    return open_metadata(metadata), stages, {**metadata.get("request", {}), "proof": proof}


def _text(content):
    """Stages are text but for those that are not."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content


def open_metadata(values):
    """Metadata as it was before it became JSON."""
    hidden = (*_SEAL_FIELDS, *_PROOF_FIELDS)
    values = {name: as_tuples(value) for name, value in values.items() if name not in hidden}
    target = values["target"]
    values["target"] = GPUTarget(target["backend"], target["arch"], target["warp_size"])
    values["tensordesc_meta"] = list(values.get("tensordesc_meta", ()))
    values["native_options"] = {name: as_tuples(value) for name, value in values.get("native_options", {}).items()}
    return values


def as_tuples(value):
    """JSON has no tuples: what was one becomes one again."""
    return tuple(map(as_tuples, value)) if isinstance(value, list) else value


def read_group(group, name):
    """The same from the paths of a group."""
    contents = {file: native.read_plain_file(path) for file, path in group.items()}
    return read({file: content for file, content in contents.items() if content is not None}, name)


def variants(key):
    """The keys that kernels of a key are stored under, which differ in what they read of the program: the first free one is taken."""
    return itertools.takewhile(bool, (native.variant(key, number) for number in itertools.count()))


def agree(src, request):
    """Whether the program answers what the kernel asked when it was compiled as it did then; if so, these are the source's answers."""
    if not hasattr(src, "fn"):
        return True
    if "answers" in request:
        src.answers, _ = Answers.replay(src.fn, src.all_constants(), request["answers"])
        return src.answers is not None
    # Stored by a program in another language, which asked in words that every host understands.
    proof, answers = request["proof"], Answers(src.fn, src.all_constants())
    is_right = proof["is_portable"] and confirm_reads(src.fn, list(map(tuple, proof["reads"])), answers)
    src.answers = answers if is_right else None
    return is_right


# Bundles.


def bundle_key(src, backend, options, variables):
    """The key of a kernel that holds on every machine its code runs on: what the compiler was is no part of it. C++ and C programs give it the same."""
    shared = src.shared_key(backend, options, for_bundle=True) if hasattr(src, "shared_key") else None
    text = shared
    if text is None:
        target = backend.target
        # The code of a CPU depends on every feature that the processor has.
        machine = backend.hash() if target.backend == "cpu" else f"{target.backend}:{target.arch}:{target.warp_size}"
        text = f"triton-bundle-{src.hash()}-{machine}-{_options_text(options)}"
    return hashlib.sha256((text + keyed_variables(variables, shared is not None)).encode("utf-8")).hexdigest()


def _digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def _options_text(options):
    """Options by their values; libraries by what is in them, but for the one that comes with the toolkit, which a bundle is made to do without."""
    values = dict(vars(options))
    libraries = dict(values.get("extern_libs") or ())
    libraries.pop("libdevice", None)
    values["extern_libs"] = {name: _digest(path) for name, path in libraries.items()}
    return str(sorted(values.items(), key=lambda item: item[0]))


def bundle_directories():
    return [path for path in (knobs.cache.bundle or "").split(os.pathsep) if path]


def _read_bundled(src, directory, key):
    """(files, (metadata, stages, request)) of the entry of a bundle; the latter None if there is none, or it is damaged."""
    bundle, name, entry = native.Store(directory), file_name(src), _base32(key)
    sealed = bundle.find(entry)
    files = [file for file in sealed.files if file.startswith(name + ".")] if sealed else []
    contents = {file: bundle.get(entry, file) for file in files}
    found = read({file: content for file, content in contents.items() if content is not None}, name)
    return files, found if found is not None and found[2]["proof"].get("bundle_key") == key else None


def find_in_bundles(src, key):
    """(metadata, stages, group) of a kernel that a bundle holds, or None."""
    for directory in bundle_directories():
        for variant in variants(key):
            files, found = _read_bundled(src, directory, variant)
            if found is None:
                break
            if agree(src, found[2]):
                folder = os.path.join(directory, _base32(variant))
                return found[0], found[1], {file: os.path.join(folder, file) for file in files}
    return None


def record(src, key, stages, metadata, request):
    """Adds a kernel to the bundle that is being recorded."""
    directory, name = knobs.cache.record, file_name(src)
    for variant in variants(key):
        _, found = _read_bundled(src, directory, variant)
        if found is None:
            break
        if found[2].get("answers") == request.get("answers"):
            return
    bundle = native.Store(directory)
    request = {field: value for field, value in request.items() if field != "proof"}
    for file, content in make_files(name, stages, {**metadata, "bundle_key": variant}, request).items():
        bundle.put(_base32(variant), file, content)


# Why a kernel is not there.


def _differences(stored, asked):
    """What two requests differ in, one text each."""
    found = []
    if stored.get("source") != asked["source"]:
        found.append("its source, a function it calls or a constexpr global it reads has changed")
    elif "change" in stored:
        found.append(stored["change"])
    if stored.get("target") != asked["target"]:
        found.append(f"target: {stored.get('target')} is stored, {asked['target']} is needed")
    kinds = {"signature": "type of", "constants": "constant", "attributes": "attributes of", "options": "option", "variables": "variable"}  # fmt: skip
    for part, kind in kinds.items():
        old, new = stored.get(part, {}), asked[part]
        for name in dict.fromkeys([*old, *new]):
            if old.get(name) != new.get(name):
                found.append(f"{kind} {name}: {old.get(name, 'none')} is stored, {new.get(name, 'none')} is needed")
    return found


def _stored_requests(src, directory):
    """What kernels with this name were compiled for; `change` is what the program now answers otherwise than then."""
    entries, file = native.Store(directory), f"{file_name(src)}.json"
    for entry in entries.list():
        if file not in entry.files:
            continue
        request = parse_object(entries.get(entry.name, file)).get("request")
        if not isinstance(request, dict):
            continue
        answers, change = Answers.replay(src.fn, src.all_constants(), request.get("answers")) if hasattr(src, "fn") else (None, None)  # fmt: skip
        yield {**request, "change": f"{change[0]} is not what it was: {change[2]} now"} if change else request


def surprise(src, request):
    """The error for a kernel that would have to be compiled where everything should be there: what it is, and what changed."""
    places = [*bundle_directories(), knobs.cache.dir]
    stored = [other for place in places for other in _stored_requests(src, place)]
    stored = [other for other in stored if other.get("function") == request["function"]]
    message = f"kernel '{request['function']}' is not stored and TRITON_STRICT_CACHE forbids to compile it"
    if not stored:
        return CacheMissError(f"{message}: no version of it is in {', '.join(places)}")
    nearest = min((_differences(other, request) for other in stored), key=len)
    reason = "; ".join(nearest) or "the compiler, or the processor it compiles for, is another one"
    return CacheMissError(f"{message}: {reason}")
