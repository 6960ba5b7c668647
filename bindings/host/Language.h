// `libtriton.language_names` and `libtriton.language_entry`: the registry of the language, from which the package makes its `tl` objects.
#pragma once

#include <nanobind/nanobind.h>

namespace triton::python {

void addLanguage(nanobind::module_ &module);

} // namespace triton::python
