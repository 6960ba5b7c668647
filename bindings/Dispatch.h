// What Python asks of dispatch/: the table of scalar types, parameters and their annotations, and how arguments specialise.
#pragma once

#include <nanobind/nanobind.h>

namespace triton::python {

void addDispatch(nanobind::module_ &module);

} // namespace triton::python
