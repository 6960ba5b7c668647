// The packing plan of a kernel, from what its metadata says.
#pragma once

#include "bindings/Reference.h"
#include "dispatch/ArgumentLayout.h"

namespace triton::python {

using dispatch::ArgumentLayout;
using dispatch::ArgumentSlot;
using dispatch::PlainSlot;

/// `signature`: the type of each parameter, a text or a tuple of types. `codeArguments`: (name, type, offset, size, whether it may be stored to) of each argument of
/// the code. `tensorMaps`: as metadata's `tensordesc_meta` has it, one dict, or None, for each descriptor; empty if all are passed in parts. Null with an exception
/// set.
std::unique_ptr<ArgumentLayout> readLayout(PyObject *signature, PyObject *codeArguments, PyObject *tensorMaps);

} // namespace triton::python
