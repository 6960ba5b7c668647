"""The host of kernels: answers what the compiler asks about the program's live objects, and keeps the answers.

The frontend is a function of the kernel's source, the types and constants of its arguments, and the answers of the host. So a kernel compiled earlier is what a compile
would give now if the same questions, asked in the same order, get the same answers. Example:

    import conf                                   0  lookup kernel "conf"         module conf
    @triton.jit                                   1  attribute #0 "G"             int 3
    def kernel(out):                              2  lookup kernel "scale"        constexpr_function m.scale
        tl.store(out, scale(conf.G))              3  call #2 (3,) {}              int 6

Operands are earlier answers (#0) or plain values. An answer is compared by its fingerprint. While kernels run in one process, most questions need not be asked again: where
an answer is kept (a dict of globals, a module, a class) is watched. The rest (a function of the user's that reads the environment, an attribute of an object that can
change) is asked at every launch.

`bindings/host/PythonHost.h` calls the functions of this module, and turns objects into values of kernel code and back.
"""

from __future__ import annotations

import importlib
import operator
import sys
import types
import warnings
from typing import Any, NamedTuple

from .. import knobs
from .._utils import announce_change
from ..backends import make_backend
from ..language import core
from ..language.callables import ConstexprFunction, JITCallable
from .fingerprints import code_key, fingerprint, is_of_package, is_unchanging, memory_key, parts_of, pure_reads

ABSENT = object()  # the answer where there is no such name or attribute


# Questions and how each is answered.


def _scope_of(function, name):
    """Where a free name of a function is kept: the cell of a captured variable, or the dict of its globals; None if it is defined nowhere."""
    if isinstance(function, types.FunctionType):
        for free, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            if free == name and current(cell, name) is not ABSENT:
                return cell
    return function.__globals__ if name in function.__globals__ else None


def current(scope, name):
    """What is kept there now, in a dict, a cell or a class."""
    if isinstance(scope, dict):
        return scope.get(name, ABSENT)
    if isinstance(scope, types.CellType):
        try:
            return scope.cell_contents
        except ValueError:  # not assigned yet
            return ABSENT
    return next((vars(base)[name] for base in scope.__mro__ if name in vars(base)), ABSENT)


def _look_up(name, function):
    scope = _scope_of(function.fn, name)
    return ABSENT if scope is None else current(scope, name)


def _attribute(name, owner):
    try:
        return getattr(owner, name)
    except AttributeError as error:
        if isinstance(error.name, str) and error.name != name:  # what went wrong in the code that computes it
            raise
        return ABSENT


_OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv, "%": operator.mod, "**": operator.pow,
    "<<": operator.lshift, ">>": operator.rshift, "&": operator.and_, "|": operator.or_, "^": operator.xor, "@": operator.matmul,
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_UNARY_OPERATORS = {"-": operator.neg, "+": operator.pos, "~": operator.invert, "not": operator.not_}

# Question -> function of its name and its operands. The name is that of a variable, an attribute or an operator; most questions have none.
_ANSWERS = {
    "lookup": _look_up,
    "attribute": _attribute,
    "import": lambda name, module: getattr(importlib.import_module(module), name),
    "call": lambda _, callable, args, kwargs: callable(*args, **kwargs),
    "code": lambda _, callable: code_key(callable),
    "is_instance": lambda _, value, cls: isinstance(value, cls),
    "binary": lambda name, lhs, rhs: _OPERATORS[name](lhs, rhs),
    "unary": lambda name, operand: _UNARY_OPERATORS[name](operand),
    "subscript": lambda _, value, index: value[index],
    "length": lambda _, value: len(value),
    "truth": lambda _, value: bool(value),
    "iterate": lambda _, value: tuple(value),
    "describe": lambda _, value: repr(value),
}


def _ask(answers, kind, name, operands):
    found = _ANSWERS[kind](name, *operands)
    if answers is not None:
        answers.add(kind, name, operands, found)
    return found


# What the native half calls; `answers` are those that the compile records, or None.


def ask(answers, kind, name, operands):
    """(answer,), or () if there is none."""
    found = _ask(answers, kind, name, operands)
    return () if found is ABSENT else (found,)


def look_up(answers, function, name):
    """(value, whether kernels may read it) of a free name; () if it is not defined."""
    found = _ask(answers, "lookup", name, (function,))
    return () if found is ABSENT else (found, _is_readable(found))


def _is_named_tuple_class(value):
    return isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields")


def _has_mark(value, *names):
    try:
        return any(getattr(value, name, False) for name in names)
    except Exception:  # of an object of the user's that answers for any name
        return False


def _is_marked(value):
    """Whether it is a builtin or an aggregate, or a method of one."""
    return _has_mark(value, "__triton_builtin__", "__triton_aggregate__")


def _is_readable(value):
    """Modules, jitted and compile-time functions, what belongs to the language, aggregate and NamedTuple classes, None. Everything else must be wrapped in tl.constexpr."""
    if value is None or isinstance(value, (types.ModuleType, core.constexpr, JITCallable)) or _is_marked(value):
        return True
    # A jitted function in interpreter mode, which the function of a scan or a reduction calls.
    if _has_mark(value, "__triton_interpreted__"):
        return True
    module = getattr(value, "__module__", None)
    is_of_language = isinstance(module, str) and module.startswith(
        ("triton.language", "triton.experimental.gluon.language")
    )
    return is_of_language or _is_named_tuple_class(value) or bool(knobs.compilation.allow_non_constexpr_globals)


def way_to_call(callable):
    """(whether arguments are wrapped as functions that emit code want them, function that makes the call).

    NamedTuple classes make a tuple of whatever they get; builtins of users, aggregates and their methods emit code; constexpr functions and everything else compute on
    compile-time values.
    """
    if _is_named_tuple_class(callable):
        return True, _make_tuple
    emits = _is_marked(callable) or (not isinstance(callable, ConstexprFunction) and core._takes_semantic(callable))
    return (True, _emit) if emits else (False, _compute)


def _make_tuple(answers, callable, args, kwargs):
    return callable(*args, **kwargs)


def _emit(answers, callable, args, kwargs):
    core._add_hidden_arguments(callable, kwargs)
    if answers is not None:
        # It cannot be called again to see whether it gives the same: what it consists of is recorded instead.
        _ask(answers, "code", None, (callable,))
    return callable(*args, **kwargs)


def _compute(answers, callable, args, kwargs):
    return _ask(answers, "call", None, (callable, args, kwargs))


def describe(answers, value):
    """Its text in messages."""
    try:
        return _ask(answers, "describe", None, (value,))
    except Exception:
        return f"<{type(value).__name__} object>"


def key(value):
    """What tells one object from another in the keys of specialised functions."""
    try:
        return memory_key(value)
    except Exception:
        return f"object@{id(value)}"


def write(text):
    if sys.stdout is not None:
        sys.stdout.write(text)


def warn(category, file, line, message):
    if category == "FutureWarning":  # of what a later release takes away
        return announce_change(message)
    cls = DeprecationWarning if category == "DeprecationWarning" else UserWarning
    warnings.warn_explicit(message, cls, file or "<triton>", line)


def watched_places(function, kernel):
    """[(dict, cell or class, name, value)] that a launch of a compiled kernel depends on, a place without a value where there is none; None if Python must be asked."""
    places: list[tuple] = []
    for (name, _), (_, owner) in function.used_global_vals.items():
        scope = owner if isinstance(owner, dict) else owner.cells[name]
        value = current(scope, name)
        if value is ABSENT or not _record(scope, name, value, places):
            return None
    for group, name in make_backend(kernel.metadata.target).code_knobs:
        values = vars(group)
        places.append((values, name, values[name]) if name in values else (values, name))
    if kernel.answers is None:
        return places
    watched = kernel.answers.watched()
    return None if watched is None else places + [place[:2] if place[2] is ABSENT else place for place in watched]


# Answers.


class Change(NamedTuple):
    """A question whose answer is not what it was."""

    expression: str  # "conf.G"
    before: str  # the answers, as users know them; "<deleted>" if there is none
    now: str
    is_variable: bool  # a global, captured or module variable that holds a plain value


class Step(NamedTuple):
    """A question that was asked."""

    kind: str
    name: str | None
    operands: tuple
    encoded: list  # the operands as JSON has them
    answer: Any
    fingerprint: str
    shown: str | None  # the answer as it was, if it can change in place


def _shown(value):
    try:
        return "<deleted>" if value is ABSENT else str(value)
    except Exception:
        return ""


def _is_variable(value):
    """Whether users call it a variable: what is defined by `def`, `class` and `import` is none."""
    plain = value.value if isinstance(value, core.constexpr) else value  # which can be called if what is in it can
    return not isinstance(plain, types.ModuleType) and not callable(plain)


def _is_json(value):
    return value is None or type(value) in (bool, int, float, str)


class Answers:
    """What a kernel asked the program around it while it was compiled, with the answers: the proof that a stored kernel is still the right one."""

    def __init__(self, function, constants):
        """`constants`: the compile-time arguments of `function` by their paths."""
        self.function = function
        self.steps: list[Step] = []
        self._known: dict = {}  # a question -> its step
        self._origins: dict = {}  # id of an object -> ["ref", step, part, ...]
        self._kept: list = []  # those objects
        self._watched: list | None = (
            None  # `watched` when the questions were last asked again; None: they have not been, or have to be each time
        )
        self._register(function, ["ref", -1])
        for path in sorted(constants):
            self._append("argument", repr(path), (constants[path],), [], constants[path])

    def to_json(self):
        """The questions and the fingerprints of their answers, as JSON can hold them."""
        return [[step.kind, step.name, step.encoded, step.fingerprint] for step in self.steps]

    # Objects as JSON has them.

    def _encode(self, value):
        """ABSENT if the object comes from nowhere that could be asked again."""
        if _is_json(value):
            return value
        if id(value) in self._origins:
            return self._origins[id(value)]
        if isinstance(value, core.dtype):
            return ["dtype", value.name] if core._SCALAR_OBJECTS.get(value.name) is value else ABSENT
        if type(value) in (tuple, list):
            tag, parts = type(value).__name__, list(value)
        elif isinstance(value, tuple):
            tag, parts = "named", [type(value), *value]
        elif type(value) is dict:
            tag, parts = "dict", [part for item in value.items() for part in item]
        elif isinstance(value, slice):
            tag, parts = "slice", [value.start, value.stop, value.step]
        else:
            return ABSENT
        encoded = [self._encode(part) for part in parts]
        return ABSENT if any(part is ABSENT for part in encoded) else [tag, *encoded]

    def _decode(self, encoded):
        """Fails if there is no such object any more."""
        if not isinstance(encoded, list):
            return encoded
        tag, *rest = encoded
        if tag == "ref":
            index, *names = rest
            found = self.function if index == -1 else self.steps[index].answer
            if not -1 <= index < len(self.steps) or found is ABSENT:
                raise LookupError(f"there is no answer {index}")
            for name in names:
                found = dict(parts_of(found))[name]
            return found
        if tag == "dtype":
            return core._SCALAR_OBJECTS[rest[0]]
        parts = [self._decode(part) for part in rest]
        if tag == "named":
            return parts[0](*parts[1:])
        if tag == "dict":
            return dict(zip(parts[::2], parts[1::2]))
        return {"tuple": tuple, "list": list, "slice": lambda bounds: slice(*bounds)}[tag](parts)

    # Recording.

    def _register(self, value, path):
        if _is_json(value) or value is ABSENT:
            return
        self._kept.append(value)
        for name, part in parts_of(value):
            if part is not value:
                self._register(part, [*path, name])
        self._origins.setdefault(id(value), path)

    def _append(self, kind, name, operands, encoded, answer):
        text = "none" if answer is ABSENT else fingerprint(answer)
        question = kind, name, repr(encoded)
        index = self._known.get(question)
        if index is None or self.steps[index].fingerprint != text:
            index = self._known[question] = len(self.steps)
            shown = _shown(answer) if isinstance(answer, core.constexpr) else None
            self.steps.append(Step(kind, name, operands, encoded, answer, text, shown))
        self._register(answer, ["ref", index])  # another object with the same value: later questions are about it

    def add(self, kind, name, operands, answer):
        """Adds a question. One whose operands come from code that runs only while a kernel is compiled is left out: that code is a question of its own."""
        encoded = [self._encode(operand) for operand in operands]
        if not any(operand is ABSENT for operand in encoded):
            self._append(kind, name, operands, encoded, answer)
        elif kind == "call" and encoded[0] is not ABSENT:  # so is now a function that was given such a value
            self.add("code", None, operands[:1], code_key(operands[0]))

    # Messages.

    def _expression_of(self, value):
        path = self._origins.get(id(value))
        return "..." if path is None or path[1] < 0 else self._expression(self.steps[path[1]])

    def _expression(self, step):
        if step.kind == "lookup":
            return step.name
        if step.kind == "argument":
            return f"argument {step.name}"
        subject = self._expression_of(step.operands[0])
        forms = {"attribute": f"{subject}.{step.name}", "call": f"{subject}(...)", "code": f"the code of {subject}", "subscript": f"{subject}[...]"}  # fmt: skip
        return forms.get(step.kind, f"the value of {subject}")

    # Asking again.

    @classmethod
    def replay(cls, function, constants, asked):
        """Asks the questions that `to_json` gave anew: (the Answers, None), or (None, what has changed)."""
        try:
            answers = cls(function, constants)
            return answers._replay(asked)
        except Exception:  # the program has changed much, or what is stored is damaged
            return None, Change("what is stored about it", "", "", False)

    def _replay(self, asked):
        argument_count = len(self.steps)
        if len(asked) < argument_count:
            raise ValueError("arguments are missing")
        for index, (kind, name, encoded, text) in enumerate(asked):
            if (index < argument_count) != (kind == "argument"):
                raise ValueError("arguments come first")
            if index >= argument_count:
                operands = tuple(map(self._decode, encoded))
                self._append(kind, name, operands, encoded, _ANSWERS[kind](name, *operands))
            step = self.steps[index]
            if step.fingerprint != text:
                is_outer = kind == "lookup" or (kind == "attribute" and isinstance(step.operands[0], types.ModuleType))
                is_variable = is_outer and (step.answer is ABSENT or _is_variable(step.answer))
                return None, Change(self._expression(step), text, _shown(step.answer), is_variable)
        return self, None

    def find_change(self, constants):
        """The Change of the first answer that is another one now; None if all hold for these constants."""
        if self._watched is not None and all(current(scope, name) is value for scope, name, value in self._watched):
            try:  # what is left are the arguments
                now = Answers(self.function, constants).steps
                if [step.fingerprint for step in now] == [step.fingerprint for step in self.steps[: len(now)]]:
                    return None
            except Exception:
                pass
        fresh, change = Answers.replay(self.function, constants, self.to_json())
        if fresh is not None:
            # Perhaps equal values in other objects. From now on these are the ones to watch: places say what holds only while the answers are known to.
            self.__dict__.update(fresh.__dict__)
            self._watched = self.watched()
            return None
        for step in self.steps:
            if change.before == step.fingerprint and change.expression == self._expression(step):
                before = step.shown or _shown(step.answer)
                if before != change.now:  # else it was changed in place
                    change = change._replace(before=before)
                was_variable = step.answer is ABSENT or _is_variable(step.answer)
                change = change._replace(is_variable=change.is_variable and was_variable)
        return change

    # What need not be asked again.

    def watched(self):
        """[(scope, name, value)] of the places that answers are kept in; None if some question has to be asked at every launch."""
        places: list = []
        try:
            if not all(_watch(step, places) for step in self.steps):
                return None
        except Exception:
            return None
        return list({(id(scope), name): (scope, name, value) for scope, name, value in places}.values())


def _record(scope, name, value, places):
    """Adds a variable, unless it is part of this package, where nobody replaces it. False if its value may change under the same identity."""
    if value is not ABSENT and not is_unchanging(value):
        return False
    if isinstance(value, (type, types.FunctionType, types.ModuleType, JITCallable)):
        module = getattr(value, "__name__" if isinstance(value, types.ModuleType) else "__module__", None)
        if isinstance(module, str) and is_of_package(module):
            return True
    _record_constexprs(value, places)
    places.append((scope, name, value))
    return True


def _record_constexprs(value, places):
    """A `constexpr` is an object whose value can be assigned to: that is kept, too, also for those in tuples."""
    if type(value) is tuple:
        for element in value:
            _record_constexprs(element, places)
    elif isinstance(value, core.constexpr):
        _record_constexprs(value.value, places)
        places.append((vars(value), "value", value.value))


def _watch_scope(scope, name, places):
    return _record(scope, name, current(scope, name), places)


def _watch_reads(callable, places):
    reads = pure_reads(callable)
    return reads is not None and all(_watch_scope(scope, name, places) for scope, name in reads)


def _watch(step, places):
    """Adds where the answer to a question is kept; False if the question has to be asked at every launch."""
    if step.kind in ("argument", "import", "is_instance"):
        return True
    owner = step.operands[0]
    if step.kind == "lookup":
        return _watch_scope(_scope_of(owner.fn, step.name) or owner.fn.__globals__, step.name, places)
    if step.kind == "attribute":
        if isinstance(owner, types.ModuleType):
            is_kept = current(vars(owner), step.name) is step.answer
            return is_kept and _watch_scope(vars(owner), step.name, places)
        is_settled = step.answer is ABSENT or is_unchanging(step.answer)
        if not isinstance(owner, type):
            return is_settled and is_unchanging(owner)
        if hasattr(owner, "__members__"):  # an enum
            return True
        kept = current(owner, step.name)
        places.append((owner, step.name, kept))
        return is_settled and kept is not ABSENT
    if step.kind == "call":
        return is_unchanging(step.operands[1]) and _watch_reads(owner, places)
    if step.kind == "code":
        return _watch_reads(owner, places)
    return all(map(is_unchanging, step.operands))
