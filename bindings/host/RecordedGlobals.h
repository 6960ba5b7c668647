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

/// What launches of `compiled` depend on, as `triton.compiler.host` finds it. False, perhaps with an exception, if a launch must go on asking Python.
bool recordGlobals(PyObject *jitFunction, PyObject *compiled, std::vector<RecordedGlobal> &out);

} // namespace triton::python
