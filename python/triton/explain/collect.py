"""Gathers what there is to say about a compiled kernel: its source, every stage with the lines it comes from, layouts, figures, times."""

from __future__ import annotations

import json
import os

from .. import knobs
from .._C import libtriton
from .._C.libtriton import cache as native_cache
from ..backends import make_backend
from ..cache import _description, _find
from ..compiler.entries import describe_request
from ..tools.disasm import get_sass
from . import lines

_MARGIN = 3  # lines around what is shown of a file


def _source_lines(function):
    """(file, {number: text}) of a jitted function's own lines, and of its whole file for callees in it."""
    file, first, _ = function._source_place
    try:
        with open(file, encoding="utf-8") as stream:
            every = dict(enumerate(stream.read().splitlines(), 1))
    except OSError:
        every = {}
    own = range(first, first + len(function.src.rstrip().splitlines()))
    if not all(number in every for number in own):
        every = dict(zip(own, function.src.splitlines()))
    return file, every, own


def _stage_lines(stages, file):
    """Each stage's lines with the line of `file` that each comes from, 0 if from none."""
    shown = []
    for name, content in stages.items():
        if not isinstance(content, str):
            continue
        texts, places = lines.of_stage(name, content)
        same = [place[1] if place and os.path.basename(place[0]) == os.path.basename(file) else 0 for place in places]
        shown.append({"name": name, "lines": list(map(list, zip(texts, same)))})
    return shown


def _layouts(stages):
    if not stages.get("ttgir"):
        return []
    try:
        return libtriton.ir.parse_mlir_text(stages["ttgir"]).layouts()
    except RuntimeError:
        return []


def _figures(artifact, target, options):
    """Rows of (name, value) about the code."""
    known = json.loads(artifact.description)
    figures = [("target", f"{target.backend} {target.arch}".strip())]
    binary = artifact.stages.get("cubin") or artifact.stages.get("obj") or b""
    figures.append(("code", f"{len(binary)} bytes with all that belongs to it"))
    if target.backend == "cpu":
        figures.append(("scratch per thread", f"{known['shared']} bytes"))
    else:
        threads = known["num_warps"] * target.warp_size
        figures += [("threads", threads), ("shared memory", f"{known['shared']} bytes")]
        registers = known.get("registers", 0)
        if registers:
            share, limit = libtriton.cuda.occupancy(f"sm_{target.arch}", registers, known["shared"], threads)
            spills = known.get("spill_bytes", 0)
            figures += [("registers per thread", registers), ("spills", f"{spills} bytes"), ("occupancy", f"{share:.0%}, limited by {limit}")]  # fmt: skip
    figures += [(name, options[name]) for name in ("num_warps", "num_stages", "num_ctas", "debug") if name in options]
    return [[name, str(value)] for name, value in figures]


def explain_artifact(artifact, function, target, options, request):
    """The page's data of one compiled kernel."""
    stages = {name: content for name, content in artifact.stages.items()}
    if isinstance(stages.get("cubin"), bytes):
        sass = _sass(stages["cubin"])
        if sass:
            stages["sass"] = sass
    file, every, own = _source_lines(function)
    shown = _stage_lines(stages, file)
    used = {number for stage in shown for _, number in stage["lines"] if number}
    wanted = set(own) | {near for number in used for near in range(number - _MARGIN, number + _MARGIN + 1)}
    return {
        "name": artifact.name,
        "file": file,
        "source": [[number, every[number]] for number in sorted(wanted) if number in every],
        "request": request,
        "figures": _figures(artifact, target, options),
        "times": [[name, microseconds] for name, microseconds in artifact.times],
        "stages": shown,
        "layouts": _layouts(artifact.stages),
    }


def add_counters(kernels, counts):
    """What a simulated GPU counted, beside the lines of the kernels: instructions of warps, sectors of a request, bank conflicts, bytes."""
    for kernel in kernels:
        lines = {}
        for each in counts:
            file, _, line = each["place"].rpartition(":")
            if each["kernel"] == kernel["name"] and os.path.basename(file) == os.path.basename(kernel["file"]):
                lines.setdefault(int(line), []).append(each)
        kernel["counters"] = [[line, _describe_counters(lines[line])] for line in sorted(lines)]


def _describe_counters(families):
    def total(name):
        return sum(each[name] for each in families)

    parts = [f"{each['executions']} {each['family']}" for each in families]
    if total("requests"):
        parts.append(f"{total('sectors') / total('requests'):.1f} sectors a request, {total('global_bytes')} bytes of global memory")  # fmt: skip
    if total("passes") > total("needed_passes"):
        parts.append(f"bank conflicts: {total('passes')} passes for {total('needed_passes')}")
    if total("shared_bytes"):
        parts.append(f"{total('shared_bytes')} bytes of shared memory")
    return ", ".join(parts)


def _sass(cubin):
    try:
        return get_sass(cubin)
    except (RuntimeError, OSError):
        return None


def explain_source(src, target, options):
    """The same for an ASTSource: compiled again, with every line kept in mind."""
    backend = make_backend(target)
    parsed = backend.parse_options(options)
    native_options = {**backend.native_options(parsed), "keep_locations": True, "emit_assembly": True}
    artifact = src.compile_native(native_options)
    request = describe_request(src, target, parsed, {})
    return explain_artifact(artifact, src.fn, target, native_options, {"signature": request["signature"], "constants": request["constants"], "attributes": request["attributes"]})  # fmt: skip


def explain_entry(wanted, directory=None):
    """The same for an entry of the cache, from what is stored: lines are known where a stage names them."""
    store = native_cache.Store(directory or knobs.cache.dir)
    entry = _find(store, wanted)
    found = _description(store, entry)
    if found is None:
        raise SystemExit(f"error: entry {entry.name} holds no kernel")
    name, _, values = found
    stages = {}
    for file in entry.files:
        extension = os.path.splitext(file)[1][1:]
        if file.startswith(name + ".") and extension in ("source", "ttir", "ttgir", "llir", "ptx", "asm", "amdgcn"):
            stages[extension] = (store.get(entry.name, file) or b"").decode("utf-8", "replace")
    request = values.get("request", {})
    target = values.get("target", {})
    source_file, first = request.get("file", ""), request.get("line", 1)
    figures = [["target", f"{target.get('backend', '')} {target.get('arch', '')}"]]
    figures += [[key, str(values[key])] for key in ("num_warps", "num_stages", "shared", "triton_version", "hash") if key in values]  # fmt: skip
    return {
        "name": values.get("name", name),
        "file": source_file,
        "source": [[number, text] for number, text in enumerate(request.get("text", "").splitlines(), first)],
        "request": {key: request.get(key, {}) for key in ("signature", "constants", "attributes")},
        "figures": figures,
        "times": [],
        "stages": _stage_lines({key: stages[key] for key in ("source", "ttir", "ttgir", "llir", "ptx", "asm", "amdgcn") if key in stages}, source_file or "no file"),
        "layouts": _layouts(stages),
    }  # fmt: skip


def to_json(kernels):
    """Data for a script element: nothing in it ends the element."""
    return json.dumps(kernels, separators=(",", ":"), default=str).replace("</", "<\\/").replace("<!--", "<\\!--")
