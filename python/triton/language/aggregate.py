"""`core._aggregate`: classes whose instances are structs of kernel values."""

import functools
import inspect

from .._C import libtriton
from .callables import ConstexprFunction, JITCallable
from .constants import constexpr
from .types import base_type
from .values import base_value
from .values import tuple as kernel_tuple


class _aggregate_type(base_type):
    """The type of an aggregate: its class and the types of its fields."""

    def __init__(self, base_cls, fields):
        self.base_cls = base_cls
        self.fields = fields

    def __eq__(self, other):
        return isinstance(other, _aggregate_type) and (self.base_cls, self.fields) == (other.base_cls, other.fields)

    def __hash__(self):
        return hash((self.base_cls, tuple(self.fields)))

    def mangle(self):
        name = f"{self.base_cls.__module__}.{self.base_cls.__qualname__}"
        return f"{name}<{', '.join(ty.mangle() for _, ty in self.fields)}>"


def _bindable(function):
    """A jitted function of interpreter mode, as a method."""
    return lambda self, *args, **kwargs: function(self, *args, **kwargs)


def _as_kernel_value(annotation, value):
    """In interpreter mode constants and tuples are Python's own; a field holds what it would hold in a kernel."""
    if annotation is kernel_tuple and isinstance(value, (tuple, list)):
        return kernel_tuple(value)
    if annotation is constexpr and not isinstance(value, base_value):
        return value if isinstance(value, constexpr) else constexpr(value)
    return value


def _check(cls, name, value):
    annotation = cls._aggregate_fields.get(name)
    if annotation is None:
        raise AttributeError(f"{cls.__name__} has no attribute '{name}'")
    if not isinstance(value, annotation):
        raise TypeError(f"Expected {annotation} for attribute '{name}', got {type(value)}")


def _aggregate(cls):
    """Class decorator: the annotations are the fields, the functions the methods; `__init__` runs while a kernel is compiled."""
    fields = dict(cls.__dict__.get("__annotations__", {}) or inspect.get_annotations(cls))

    def __init__(self, *args, _semantic=None, _generator=None, **kwargs):
        original = cls.__init__.fn if isinstance(cls.__init__, ConstexprFunction) else cls.__init__
        parameters = inspect.signature(original).parameters
        hidden = {"_semantic": _semantic, "_generator": _generator}
        kwargs |= {name: value for name, value in hidden.items() if name in parameters}
        original(self, *args, **kwargs)
        for name in fields:
            if not hasattr(self, name):
                raise AttributeError(f"Expected {cls.__name__} to have attribute '{name}'")

    def __setattr__(self, name, value):
        if libtriton.interpreter.is_active():
            value = _as_kernel_value(fields.get(name), value)
        _check(type(self), name, value)
        object.__setattr__(self, name, value)

    def value_type(self):
        return _aggregate_type(type(self), [(name, getattr(self, name).type) for name in fields])

    namespace = {
        "__init__": __init__,
        "__setattr__": __setattr__,
        "type": property(value_type),
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__doc__": cls.__doc__,
        "__triton_builtin__": True,
        "__triton_aggregate__": True,
        "_aggregate_fields": fields,
        "_original_init": cls.__init__,
        "hash_attrs": [cls.__init__] if isinstance(cls.__init__, ConstexprFunction) else [],
    }
    for name, member in inspect.getmembers(cls):
        is_interpreted = hasattr(member, "__triton_interpreted__")
        is_function = inspect.isfunction(member) or isinstance(member, JITCallable)
        if name in ("__init__", "__setattr__") or not (is_function or is_interpreted):
            continue
        namespace[name] = _bindable(member) if is_interpreted else cls.__dict__.get(name, member)
        if isinstance(member, JITCallable):
            namespace["hash_attrs"].append(member)
    made = type(cls.__name__, (base_value,), namespace)
    functools.update_wrapper(made, cls, assigned=("__name__",), updated=())
    return made


def _restore_aggregate(cls, attributes):
    """An instance with these fields, without running its `__init__`."""
    instance = cls.__new__(cls)
    for name, value in attributes.items():
        object.__setattr__(instance, name, value)
    return instance
