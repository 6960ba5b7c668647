// The global and captured variables that a kernel was compiled with, kept so that a warm launch can tell without Python whether they are still the same.
#pragma once

#include "bindings/Reference.h"

#include <vector>

namespace triton::python {

/// `scope` is a dict or a cell. Only values that cannot change under the same identity are recorded, so identity is enough.
struct RecordedGlobal {
  Reference scope, name, value;
  bool isUnchanged() const;
};

/// False, without an exception, if a launch must go on asking Python about the globals.
bool recordGlobals(PyObject *kernel, std::vector<RecordedGlobal> &out);

} // namespace triton::python
