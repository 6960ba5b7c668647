// `libtriton.ir.pass_manager` and `libtriton.passes`: pipelines that a plugin backend or an inspection hook puts together.
#pragma once

#include <nanobind/nanobind.h>

namespace triton::python {

void addPasses(nanobind::module_ &module);

} // namespace triton::python
