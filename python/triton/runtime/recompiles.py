"""Why a launch compiled: what is new about it beside the kernels that the function has already.

`knobs.compilation.recompile_listener` is called with keywords `fn` (the jitted function) and `changes`: what differs from the kernel that is nearest, a list of `Change`; empty
where the function was never compiled in this process. `TRITON_EXPLAIN_RECOMPILES=1` prints the same.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

from .. import knobs
from .._utils import find_paths_if, get_iterable_path
from ..compiler import CompiledKernel
from ..compiler.entries import name_of


class Change(NamedTuple):
    """What differs. `kind` is type, alignment, constant, option, source or answer; `name` says of what."""

    kind: str
    name: str
    before: str
    now: str

    def __str__(self):
        return f"{self.kind} of {self.name}: {self.before} before, {self.now} now"


_NONE = "none"


def _facts(fn, src, options):
    """(kind, name) -> text of everything that tells one kernel of a function from another."""
    facts = {}
    types = list(src.signature.values())
    for path in find_paths_if(types, lambda path, ty: True):
        name = name_of(path, fn.arg_names)
        ty = get_iterable_path(types, path)
        if ty == "constexpr" or path in src.constants:
            value = src.constants.get(path)
            facts["constant", name] = getattr(value, "__name__", None) or repr(value)
        else:
            facts["type", name] = str(ty)
            attributes = dict(src.attrs.get(path) or ())
            facts["alignment", name] = f"a multiple of {attributes['tt.divisibility']}" if "tt.divisibility" in attributes else "unknown"  # fmt: skip
    for name, value in options.items():
        facts["option", name] = repr(value)
    return facts


def _changes(old, new):
    found = []
    for kind, name in dict.fromkeys([*old, *new]):
        before, now = old.get((kind, name), _NONE), new.get((kind, name), _NONE)
        # What a parameter that turned into a constant had of a type or an alignment says nothing more.
        is_implied = kind != "option" and _NONE in (before, now) and kind != "constant"
        if before != now and not is_implied:
            found.append(Change(kind, name, before, now))
    return found


def _of_kernel(fn, kernel, names):
    """The facts of a kernel that was compiled before; its metadata has the options."""
    return _facts(fn, kernel.src, {name: getattr(kernel.metadata, name, None) for name in names})


def is_asked():
    return knobs.compilation.recompile_listener is not None or knobs.compilation.explain_recompiles


def tell(fn, kernel_cache, key, src, options):
    """Says why `fn` is compiled now, for a source and options, beside the kernels that it has; one of the same key has seen another program."""
    kernels = [kernel for kernel in kernel_cache.values() if isinstance(kernel, CompiledKernel)]
    stale = kernel_cache.get(key)
    answers = getattr(stale, "answers", None)
    answer = answers.find_change(stale.src.all_constants()) if answers is not None else None
    options = vars(options)
    new = _facts(fn, src, options)
    differences = [_changes(_of_kernel(fn, kernel, options), new) for kernel in kernels]
    changes = min(differences, key=len) if differences else []
    if answer is not None:
        changes = [Change("answer", answer[0], str(answer[1]), str(answer[2]))]
    elif differences and not changes:
        changes = [Change("source", fn.__name__, "another", "this one")]
    if knobs.compilation.recompile_listener is not None:
        knobs.compilation.recompile_listener(fn=fn, changes=changes)
    if knobs.compilation.explain_recompiles:
        why = "; ".join(map(str, changes)) or "the first time in this process"
        print(f"triton: kernel '{fn.__name__}' is compiled: {why}", file=sys.stderr)
