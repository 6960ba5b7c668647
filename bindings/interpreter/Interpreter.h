// `triton._C.libtriton.interpreter`: sessions in which operations on tensors are done at once.
#pragma once

#include <nanobind/nanobind.h>

namespace triton::python {

void addInterpreter(nanobind::module_ &module);

} // namespace triton::python
