// What a Python object is, as far as the compiler can tell without asking it anything: text that is equal for equal values in every process.
// A number is its value, a tuple its elements, a jitted function its own source; a module or an object of the user's is only its name or class, because what
// kernels read of it are further questions. All functions need the interpreter lock.
#pragma once

#include "bindings/Reference.h"

#include <string>
#include <utility>
#include <vector>

namespace triton::python {

/// The objects that come with an object, each under a name: the compiler gets them without asking (elements of tuples, the value in a constexpr, defaults).
std::vector<std::pair<std::string, Reference>> partsOf(PyObject *object);

/// False with an exception set.
bool appendFingerprint(PyObject *object, std::string &text);

} // namespace triton::python
