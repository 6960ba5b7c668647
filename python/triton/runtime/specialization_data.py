"""One specialisation of a kernel as JSON text, which hooks are given and `JITFunction.preload` takes."""

from __future__ import annotations

import json

from ..compiler.entries import as_tuples
from ..language import core as tl
from ..language.callables import JITCallable


def serialize_specialization_data(name, signature, constants, attrs, options, key, target=None):
    """One specialisation as JSON text, for `JITFunction.preload`."""

    def plain(value):
        if isinstance(value, tl.constexpr):
            return {"constexpr": plain(value.value)}
        if isinstance(value, JITCallable):
            return {"jit_function": f"{value.__module__}:{value.__qualname__}"}
        return str(value) if isinstance(value, tl.dtype) else value

    data = {
        "name": name,
        "signature": signature,
        "constant_keys": list(map(list, constants.keys())),
        "constant_vals": [plain(value) for value in constants.values()],
        "attrs_keys": list(map(list, attrs.keys())),
        "attrs_vals": list(attrs.values()),
        "options": options.__dict__,
        "key": key,
        "target": target and vars(target),
    }
    return json.dumps(data, default=str)


def _constant(value):
    if isinstance(value, dict) and set(value) == {"constexpr"}:
        return tl.constexpr(_constant(value["constexpr"]))
    if isinstance(value, dict) and set(value) == {"jit_function"}:
        found = JITCallable.known.get(value["jit_function"])
        if found is None:
            raise RuntimeError(
                f"Unable to resolve the jitted function {value['jit_function']}: its module is not imported"
            )
        return found
    if isinstance(value, str) and tl.dtype.is_dtype(value):
        return tl.dtype(value)
    return as_tuples(value)


def read_specialization_data(text, name, backend):
    """(key, signature, constants, options, attributes) from such a text; it must be of the function called `name`."""
    data = json.loads(text)
    if data["name"] != name:
        raise RuntimeError(f"Specialization data is for {data['name']} but trying to preload for {name}")
    target = data.get("target")
    if target is not None and target != vars(backend.target):
        raise RuntimeError(f"Specialization data is for {target} but trying to preload for {vars(backend.target)}")
    constants = dict(zip(map(as_tuples, data["constant_keys"]), map(_constant, data["constant_vals"])))
    attrs = dict(zip(map(as_tuples, data["attrs_keys"]), data["attrs_vals"]))
    signature = {name: as_tuples(ty) for name, ty in data["signature"].items()}
    options = backend.parse_options({name: as_tuples(value) for name, value in data["options"].items()})
    return data["key"], signature, constants, options, attrs
