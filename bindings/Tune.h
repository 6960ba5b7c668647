// `libtriton.tuning`: what triton.autotune and triton.testing.do_bench rest on.
#pragma once

#include <nanobind/nanobind.h>

namespace triton::python {

void addTune(nanobind::module_ &module);

} // namespace triton::python
