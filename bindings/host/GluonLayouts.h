// `libtriton.gluon_layouts`: the table from which `triton.experimental.gluon.language` makes its classes of layouts, and what they ask the compiler.
#pragma once

#include <nanobind/nanobind.h>

namespace triton::python {

void addGluonLayouts(nanobind::module_ &module);

} // namespace triton::python
