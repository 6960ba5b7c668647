// `libtriton.cuda`: NVIDIA's driver as the Python package uses it.
#pragma once

#include <nanobind/nanobind.h>

namespace triton::python {

void addCuda(nanobind::module_ &module);

} // namespace triton::python
