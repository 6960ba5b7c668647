"""Layouts: which thread holds which element of a tensor, and where in memory an element of a buffer lies.

They are values of the host: compared by value, printed as they are written, and usable as compile-time arguments. Their fields, defaults and checks
are the compiler's (`compiler/gluon/LayoutClasses`), which has the same classes for hosts without Python; here they become frozen dataclasses.
`_layouts.pyi` shows them as text.
"""

from __future__ import annotations

import dataclasses
import inspect

from ...._C.libtriton import gluon_layouts as _native
from ....language.composite_types import constexpr_type
from ....runtime.jit import constexpr_function


def _hashable(value):
    return tuple(_hashable(element) for element in value) if isinstance(value, list) else value


class _Layout:
    """What all layouts have in common."""

    def _fields(self):
        return [getattr(self, field.name) for field in dataclasses.fields(self)]

    def _set(self, arguments):
        for field, value in zip(dataclasses.fields(self), _native.make(self._class, arguments)):
            is_pair = field.type == "tuple[int, int]"
            object.__setattr__(self, field.name, tuple(value) if is_pair else value)

    def __post_init__(self):
        self._set(self._fields())

    def __hash__(self):
        return hash((type(self).__name__, *map(_hashable, self._fields())))

    def mangle(self):
        """How the layout is written in the names of functions."""
        return _native.symbol(self._class, self._fields())

    @property
    def type(self):
        return constexpr_type(self)


class DistributedLayout(_Layout):
    """Of tensors, which lie in the registers of threads."""

    @property
    def rank(self):
        raise NotImplementedError


class SharedLayout(_Layout):
    """Of buffers in shared memory."""


def _property(name):
    return property(lambda self: _native.property(self._class, self._fields(), name))


def _field(name, annotation, default):
    if not default:
        return name, annotation
    (value,) = default
    if isinstance(value, list):
        return name, annotation, dataclasses.field(default_factory=list)
    return name, annotation, dataclasses.field(default=value)


def _signature(parameters):
    return inspect.Signature(
        [
            inspect.Parameter(
                name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=default[0] if default else inspect.Parameter.empty,
            )
            for name, _, default in parameters
        ]
    )


def _bound(signature, args, kwargs):
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return list(bound.arguments.values())


def _constructor(parameters):
    """Of a class whose constructor takes other arguments than its fields."""
    signature = _signature(parameters)

    def __init__(self, *args, **kwargs):
        self._set(_bound(signature, args, kwargs))

    __init__.__signature__ = signature
    return __init__


def _function(owner, name, documentation, parameters):
    signature = _signature(parameters)

    def call(*args, **kwargs):
        result = _native.call(owner, name, _bound(signature, args, kwargs))
        return CLASSES[owner](*result) if owner else result

    call.__name__, call.__qualname__, call.__doc__ = name, f"{owner}.{name}" if owner else name, documentation
    call.__module__, call.__signature__ = __name__, signature
    return constexpr_function(call)


def _class(name, module, base, documentation, fields, parameters, properties):
    members = {"__module__": __name__, "__doc__": documentation, "__hash__": _Layout.__hash__, "_class": name}
    members |= {name: _property(name) for name in properties}
    members |= {
        name: staticmethod(function) for (owner, name), function in _FUNCTIONS.items() if owner == members["_class"]
    }
    base = CLASSES.get(base) or globals()[base]
    if fields != parameters:
        made = type(name, (base,), members | {"__init__": _constructor(parameters)})
    else:
        fields = [_field(*field) for field in fields]
        made = dataclasses.make_dataclass(name, fields, bases=(base,), namespace=members, frozen=True, eq=True)
    made.__module__ = module
    return made


CLASSES = {}
_FUNCTIONS = {(owner, name): _function(owner, name, *rest) for owner, name, *rest in _native.functions()}
for _described in _native.classes():
    CLASSES[_described[0]] = _class(*_described)
del _described

# What has another module finds it there.
globals().update({name: made for name, made in CLASSES.items() if made.__module__ == __name__})
globals().update({name: function for (owner, name), function in _FUNCTIONS.items() if not owner})
