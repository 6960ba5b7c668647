// `libtriton.ir`: modules as clients walk them.
#pragma once

#include <nanobind/nanobind.h>

namespace triton::python {

void addIr(nanobind::module_ &module);

} // namespace triton::python
