// The parameters of a kernel, as its `KernelParam` objects say them.
#pragma once

#include "bindings/Reference.h"
#include "dispatch/Parameter.h"

#include <string>
#include <vector>

namespace triton::python {

struct KernelParameter {
  Reference name, defaultValue; // the name is interned; no default: null
  dispatch::Parameter facts;
  bool isKeywordOnly = false, isVariadic = false; // it is given by its name alone; it takes all further arguments
  bool align() const { return facts.specializesValue && facts.specializesAlignment; }
};

/// Of a list of KernelParam objects; false with an exception set.
bool readParameters(PyObject *params, std::vector<KernelParameter> &out);

} // namespace triton::python
