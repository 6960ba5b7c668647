// Environment variables as the native layer reads them.
#pragma once

#include <nanobind/nanobind.h>

namespace triton::python {

void addEnvironment(nanobind::module_ &module);

} // namespace triton::python
