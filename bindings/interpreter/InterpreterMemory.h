// Accesses to host memory by arrays of addresses, for interpreters written in Python: `load`, `store`, `atomic_rmw`, `atomic_cas`.
#pragma once

#include <nanobind/nanobind.h>

namespace triton::python {

void addInterpreterMemory(nanobind::module_ &interpreter);

} // namespace triton::python
