"""`core._aggregate`: classes whose instances are structs of kernel values."""

import functools
import inspect
import sys

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


def _annotations_of(cls) -> dict:
    """The class's own, with those that are texts evaluated where the class was defined."""
    annotations = dict(cls.__dict__.get("__annotations__", {}) or inspect.get_annotations(cls))
    scope = vars(sys.modules[cls.__module__]) if cls.__module__ in sys.modules else {}
    return {name: eval(ty, scope, dict(vars(cls))) if isinstance(ty, str) else ty for name, ty in annotations.items()}


def _field_value(value):
    """What a plain value of Python is as a field: a tuple of the language, or a constant."""
    if isinstance(value, tuple):
        elements = [_field_value(element) for element in value]
        return kernel_tuple(type(value)(*elements) if hasattr(value, "_fields") else elements)
    return value if isinstance(value, base_value) else constexpr(value)


def _bind_fields(cls, args, kwargs) -> dict:
    """The fields of an instance that is made without an `__init__` of its own: Python's rules, Python's words."""
    names, name = list(cls._aggregate_fields), f"{cls.__name__}.__init__()"
    if len(args) > len(names):
        raise TypeError(f"{name} takes {len(names) + 1} positional arguments but {len(args) + 1} were given")
    bound = dict(zip(names, args))
    for keyword, value in kwargs.items():
        if keyword in bound:
            raise TypeError(f"{name} got multiple values for argument '{keyword}'")
        if keyword not in cls._aggregate_fields:
            raise TypeError(f"{name} got an unexpected keyword argument '{keyword}'")
        bound[keyword] = value
    bound = cls.__aggregate_defaults__ | bound
    for field in names:
        if field not in bound:
            raise TypeError(f"{name} missing required argument: '{field}'")
    return {field: _field_value(bound[field]) for field in names}


def _run_init(instance, init, args, kwargs, hidden):
    """The class's own `__init__`, with those of the hidden arguments that it takes."""
    function = init.fn if isinstance(init, ConstexprFunction) else init
    taken = inspect.signature(function).parameters
    function(instance, *args, **kwargs, **{name: value for name, value in hidden.items() if name in taken})


def _check_bases(cls) -> tuple:
    bases = tuple(base for base in cls.__bases__ if base is not object)
    for base in bases:
        if not getattr(base, "__triton_aggregate__", False):
            raise TypeError(f"Aggregates can only inherit from other aggregates, but got non-aggregate base: {base}")
    return bases


def _aggregate(cls):
    """Class decorator: the annotations are the fields, the functions the methods; an instance is a struct of kernel values.

    Without an `__init__`, arguments are the fields in order, and values that the class has for fields are their defaults. Instances do not
    change once they are made (before 3.8, methods of Python could change them).
    """
    bases = _check_bases(cls)
    own = _annotations_of(cls)
    fields, defaults = {}, {}
    for base in bases:
        fields |= base._aggregate_fields
        defaults |= base.__aggregate_defaults__
    fields |= own
    defaults |= {name: cls.__dict__[name] for name in own if name in cls.__dict__}
    init = cls.__dict__.get("__init__") or next((base._original_init for base in bases if base._original_init), None)

    def __init__(self, *args, _semantic=None, _generator=None, **kwargs):
        if init is not None:
            _run_init(self, init, args, kwargs, {"_semantic": _semantic, "_generator": _generator})
        else:
            for name, value in _bind_fields(type(self), args, kwargs).items():
                setattr(self, name, value)
        if type(self) is not made:  # called by the `__init__` of a class that inherits
            return
        for name in fields:
            if name not in self.__dict__:
                raise AttributeError(f"constructor for {cls.__name__} did not initialize attribute '{name}'")
        object.__setattr__(self, "_is_made", True)

    def __setattr__(self, name, value):
        if "_is_made" in self.__dict__ and libtriton.language_rule("ImmutableAggregates"):
            raise AttributeError(f"cannot assign to field '{name}' of {cls.__name__}: aggregates do not change, use aggregate_replace")  # fmt: skip
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
        "__aggregate_fields__": tuple(fields),
        "__aggregate_defaults__": defaults,
        "_aggregate_fields": fields,
        "_original_init": init,
        "hash_attrs": [init] if isinstance(init, ConstexprFunction) else [],
    }
    for name, member in inspect.getmembers(cls):
        is_interpreted = hasattr(member, "__triton_interpreted__")
        is_function = inspect.isfunction(member) or isinstance(member, JITCallable)
        if name in ("__init__", "__setattr__") or not (is_function or is_interpreted):
            continue
        namespace[name] = _bindable(member) if is_interpreted else cls.__dict__.get(name, member)
        if isinstance(member, JITCallable):
            namespace["hash_attrs"].append(member)
    made = type(cls.__name__, bases or (base_value,), namespace)
    functools.update_wrapper(made, cls, assigned=("__name__",), updated=())
    return made


def aggregate_replace(instance, *, _semantic=None, **changes):
    """An aggregate like `instance`, with other values in some fields."""
    cls = type(instance)
    if not getattr(cls, "__triton_aggregate__", False):
        raise TypeError(f"aggregate_replace() expects an aggregate instance, got {cls}")
    for name in changes:
        if name not in cls._aggregate_fields:
            raise TypeError(f"{cls.__name__} has no field '{name}'")
    fields = {name: getattr(instance, name) for name in cls._aggregate_fields}
    changes = {name: _field_value(value) for name, value in changes.items()}
    for name, value in changes.items():
        _check(cls, name, value)
    return _restore_aggregate(cls, fields | changes)


aggregate_replace.__triton_builtin__ = True


def _restore_aggregate(cls, attributes):
    """An instance with these fields, without running its `__init__`."""
    instance = cls.__new__(cls)
    for name, value in attributes.items():
        object.__setattr__(instance, name, value)
    object.__setattr__(instance, "_is_made", True)
    return instance
