// The questions that the compiler asks about live Python objects, and how each is answered: the one way from kernel code to the program around it.
// All functions need the interpreter lock.
#pragma once

#include "bindings/Reference.h"

#include <triton/embed.h>

#include <span>
#include <string_view>

namespace triton::python {

struct HostQuestion {
  enum class Kind : uint8_t {
    Argument,   // a compile-time argument of the kernel; only recorded, never asked
    Lookup,     // operand: a jitted function; the value of its free name `name`
    Attribute,  // `operand.name`
    Import,     // `name` of the module that the operand names
    Call,       // operands: callable, tuple of arguments, dict of keywords
    Code,       // operand: a callable that emits code; what its own code and the variables it reads are
    IsInstance, // operands: object, class
    Binary,     // operands: left, right; `name` is the operator's number, likewise below
    Unary,
    Subscript, // operands: object, index
    Length,
    Truth,
    Iterate,  // the elements, as a tuple
    Describe, // the object's text in messages
  };
  Kind kind;
  PyObject *name = nullptr; // text, or the number of an operator; none for most
  std::span<PyObject *const> operands;
};

/// A new reference. Null without an exception: there is no such name or attribute.
PyObject *answer(const HostQuestion &question);

/// Where a free name of a Python function is kept: the cell of a captured variable, or the dict of its globals, borrowed; null if it is defined nowhere.
PyObject *scopeOfName(PyObject *function, PyObject *name);

} // namespace triton::python
