// `libtriton.compile`, `libtriton.compile_ir` and the Artifact they give.
#pragma once

#include <nanobind/nanobind.h>

namespace triton::python {

void addCompile(nanobind::module_ &module);

} // namespace triton::python
