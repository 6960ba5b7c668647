// The variables that a kernel was compiled with, kept so that a warm launch can tell without Python whether they are still the same.
#pragma once

#include "bindings/Reference.h"

#include <vector>

namespace triton::python {

/// `scope` is a dict, a cell, or a class. Only values that cannot change under the same identity are recorded, so identity is enough. No value: there is none.
struct RecordedGlobal {
  Reference scope, name, value;
  bool isUnchanged() const;
};

/// Adds a variable, unless it is part of this package. False if its value may change under the same identity. `value` null: there is none.
bool record(Reference scope, PyObject *name, PyObject *value, std::vector<RecordedGlobal> &out);

/// Whether an object says the same for good: numbers, text, types, functions, modules, classes, and tuples and constexprs of these; constants of the user's that cannot be assigned to.
bool isUnchanging(PyObject *object);

/// The globals that the source of `kernel` mentions. False, without an exception, if a launch must go on asking Python about them.
bool recordGlobals(PyObject *kernel, std::vector<RecordedGlobal> &out);

} // namespace triton::python
