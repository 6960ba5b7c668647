// Options of a compile as Python gives them.
//   In:  a dict by the names that users know.
//   Out: embed::Options. An option of a wrong type throws a TypeError, one that cannot be a ValueError, and either names it.
#pragma once

#include <triton/embed.h>

#include <nanobind/nanobind.h>

namespace triton::python {

embed::Options readOptions(const nanobind::dict &options);

} // namespace triton::python
