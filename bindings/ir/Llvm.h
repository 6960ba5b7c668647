// `libtriton.llvm`: LLVM's steps one by one, under the names that backends of other packages call.
#pragma once

#include <nanobind/nanobind.h>

namespace triton::python {

void addLlvm(nanobind::module_ &module);

} // namespace triton::python
