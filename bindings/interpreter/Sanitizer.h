// Watching the memory accesses of launches, as Python sees it: `libtriton.sanitizer`.
#pragma once

#include <nanobind/nanobind.h>

namespace triton::python {

void addSanitizer(nanobind::module_ &module);

} // namespace triton::python
