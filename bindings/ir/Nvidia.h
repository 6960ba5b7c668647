// `libtriton.nvidia`: what clients and tutorials use of it beside the compiler, above all cuBLAS as a baseline.
#pragma once

#include <nanobind/nanobind.h>

namespace triton::python {

void addNvidia(nanobind::module_ &module);

} // namespace triton::python
