// `libtriton.cache`: the directory of compiled kernels, seals, and the Redis client.
#pragma once

#include <nanobind/nanobind.h>

namespace triton::python {

void addCache(nanobind::module_ &module);

} // namespace triton::python
