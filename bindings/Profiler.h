// `libtriton.profiler`: what triton.profiler rests on.
#pragma once

#include <nanobind/nanobind.h>

namespace triton::python {

void addProfiler(nanobind::module_ &module);

} // namespace triton::python
