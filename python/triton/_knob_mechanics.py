"""How a knob works: data descriptors that answer from a Python value or from the environment. The knobs themselves are in `triton.knobs`."""

from __future__ import annotations

import importlib
import os
from contextlib import contextmanager


class Env:
    """Assigned to a knob, it gives control back to the environment."""


env = Env()


def should_propagate():
    """Replaced by `triton.knobs`, which owns the flag."""
    return True


def getenv(key, default=None):
    return os.environ.get(key, default)


def is_true(text):
    return text is not None and text.lower() in ("1", "y", "on", "yes", "true")


def toenv(val):
    """What a value looks like in the environment, as a 1-tuple; None if it cannot be there."""
    if val is None:
        return (None,)
    if isinstance(val, bool):
        return ("1" if val else "0",)
    if isinstance(val, str):
        return (val,)
    return (str(val),) if isinstance(val, int) else None


def setenv(key, value):
    if not should_propagate():
        return
    if value is None:
        os.environ.pop(key, None)
    else:
        os.environ[key] = value


class env_base:
    """A knob that an environment variable backs."""

    def __init__(self, key):
        self.key = key

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, group, owner=None):
        if group is None:
            return self
        values = group.__dict__
        return self.adopt(values[self.name]) if self.name in values else self.read(getenv(self.key))

    def __set__(self, group, value):
        if isinstance(value, Env):
            group.__dict__.pop(self.name, None)
            return
        problem = self.problem_of(value)
        if problem:
            raise TypeError(f"knobs.{type(group).__name__.removesuffix('_knobs')}.{self.name} {problem}, got {value!r}")
        group.__dict__[self.name] = value
        mirrored = toenv(value)
        if mirrored:
            setenv(self.key, mirrored[0])

    def __delete__(self, group):
        group.__dict__.pop(self.name, None)

    def get(self):
        """What the environment says."""
        return self.read(getenv(self.key))

    def transform(self, value):
        """What a value assigned in Python reads back as."""
        return self.adopt(value)

    def __class_getitem__(cls, types):
        return cls  # annotations say what a knob takes and gives

    def read(self, text):
        """The value that the variable's text means; `text` is None when it is not set."""
        raise NotImplementedError

    def adopt(self, value):
        """The value that a value assigned in Python reads back as."""
        return value

    def problem_of(self, value):
        """Why a value cannot be assigned in Python: "must be an int"; None if it can."""
        return None


def _must_be_text(value):
    return None if value is None or isinstance(value, (str, os.PathLike)) else "must be text"


def _must_be_flag(value):
    return None if value is None or isinstance(value, int) else "must be True or False"


class env_str(env_base):
    def __init__(self, key, default):
        super().__init__(key)
        self.default = default

    def read(self, text):
        return self.default if text is None else text

    def problem_of(self, value):
        return _must_be_text(value)


class env_str_callable_default(env_base):
    def __init__(self, key, default_factory):
        super().__init__(key)
        self.default_factory = default_factory

    def read(self, text):
        return self.default_factory() if text is None else text

    def problem_of(self, value):
        return _must_be_text(value)


class env_bool(env_base):
    def __init__(self, key, default=False):
        super().__init__(key)
        self.default = default

    def read(self, text):
        return self.default if text is None else is_true(text)

    def problem_of(self, value):
        return _must_be_flag(value)


class env_int(env_base):
    def __init__(self, key, default=0):
        super().__init__(key)
        self.default = default

    def read(self, text):
        if not text:
            return self.default
        try:
            number = int(text)
        except ValueError as error:
            raise RuntimeError(f"Unable to use {self.key}={text}: expected int, 0 or more") from error
        if self.problem_of(number):
            raise RuntimeError(f"Unable to use {self.key}={text}: expected int, 0 or more")
        return number

    def problem_of(self, value):
        return None if isinstance(value, int) and 0 <= value < 2**31 else "must be an int, 0 or more"


class env_opt_str(env_base):
    def read(self, text):
        return text

    def problem_of(self, value):
        return _must_be_text(value)


class env_opt_bool(env_base):
    def read(self, text):
        return None if text is None else is_true(text)

    def problem_of(self, value):
        return _must_be_flag(value)


class env_class(env_base):
    """`MODULE:CLASS`, a class one of whose bases has a given name."""

    def __init__(self, key, base_class_name):
        super().__init__(key)
        self.base_class_name = base_class_name

    def read(self, text):
        if text is None:
            return None
        module, separator, name = text.partition(":")
        if not separator or not name:
            raise RuntimeError(f"Unable to read {self.key}: '{text}' isn't of the form MODULE:CLASS")
        found = getattr(importlib.import_module(module), name, None)
        if not isinstance(found, type):
            raise RuntimeError(f"Unable to find a class '{text}'")
        if not any(base.__name__ == self.base_class_name for base in found.__mro__):
            raise RuntimeError(f"'{text}' is not a subclass of {self.base_class_name}")
        return found


class base_knobs:
    """A group of knobs."""

    @property
    def knob_descriptors(self):
        return {
            name: knob
            for cls in reversed(type(self).__mro__)
            for name, knob in vars(cls).items()
            if isinstance(knob, env_base)
        }

    @property
    def knobs(self):
        return {name: getattr(self, name) for name in self.knob_descriptors}

    def copy(self):
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def reset(self):
        """Drops every value assigned in Python."""
        for name in self.knob_descriptors:
            self.__dict__.pop(name, None)
        return self

    @contextmanager
    def scope(self):
        """Restores the group's values, and its environment variables, on exit."""
        values = dict(self.__dict__)
        variables = {knob.key: getenv(knob.key) for knob in self.knob_descriptors.values()}
        try:
            yield
        finally:
            self.__dict__.clear()
            self.__dict__.update(values)
            for key, text in variables.items():
                if text is None:
                    os.environ.pop(key, None)
                else:
                    os.environ[key] = text
