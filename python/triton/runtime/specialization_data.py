"""One specialisation of a kernel as JSON text, which hooks are given and `JITFunction.preload` takes."""

from __future__ import annotations

import json

from ..language import core as tl


def serialize_specialization_data(name, signature, constants, attrs, options, key):
    """One specialisation as JSON text, for `JITFunction.preload`."""

    def plain(value):
        if isinstance(value, tl.constexpr):
            return {"constexpr": plain(value.value)}
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
    }
    return json.dumps(data, default=str)


def _tuples(item):
    """Lists as tuples, all the way down: JSON has no tuples."""
    return tuple(map(_tuples, item)) if isinstance(item, list) else item


def _constant(value):
    if isinstance(value, dict) and set(value) == {"constexpr"}:
        return tl.constexpr(_constant(value["constexpr"]))
    if isinstance(value, str) and tl.dtype.is_dtype(value):
        return tl.dtype(value)
    return _tuples(value)


def read_specialization_data(text, name, backend):
    """(key, signature, constants, options, attributes) from such a text; it must be of the function called `name`."""
    data = json.loads(text)
    if data["name"] != name:
        raise RuntimeError(f"Specialization data is for {data['name']} but trying to preload for {name}")
    constants = dict(zip(map(_tuples, data["constant_keys"]), map(_constant, data["constant_vals"])))
    attrs = dict(zip(map(_tuples, data["attrs_keys"]), data["attrs_vals"]))
    signature = {name: _tuples(ty) for name, ty in data["signature"].items()}
    options = backend.parse_options({name: _tuples(value) for name, value in data["options"].items()})
    return data["key"], signature, constants, options, attrs
