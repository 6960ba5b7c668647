// `libtriton.linear_layout`.
#pragma once

#include <nanobind/nanobind.h>

namespace triton::python {

void addLayout(nanobind::module_ &module);

} // namespace triton::python
