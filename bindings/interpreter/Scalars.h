// Python numbers as the scalars of a kernel's argument block.
#pragma once

#include "bindings/launch/Argument.h"

#include <cstddef>

namespace triton::python {

/// Writes `argument` as a scalar of type `type`; false with a Python exception set when it does not fit.
bool packScalar(TypeCode type, PyObject *object, const Argument &argument, std::byte *destination);

} // namespace triton::python
