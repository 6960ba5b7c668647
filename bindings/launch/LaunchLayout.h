// The packing plan of a kernel, from what its metadata says.
#pragma once

#include "bindings/Reference.h"
#include "dispatch/ArgumentLayout.h"

namespace triton::python {

using dispatch::ArgumentLayout;
using dispatch::ArgumentSlot;
using dispatch::PlainSlot;

/// `signature`: a list of the type of each parameter, a text or a tuple of types. Of the metadata counts `argument_layout`, (name, type, offset, size, whether it may be
/// stored to) of each argument of the code, and `tensordesc_meta`, if it has that: one dict, or None, for each descriptor. Null with an exception set.
std::unique_ptr<ArgumentLayout> readLayout(PyObject *signature, PyObject *metadata);

} // namespace triton::python
