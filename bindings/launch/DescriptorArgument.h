// Tensor descriptors (`TensorDescriptor` objects) as arguments, read without running Python code.
#pragma once

#include "bindings/Reference.h"
#include "bindings/launch/Argument.h"
#include "dispatch/Descriptor.h"

#include <vector>

namespace triton::python {

/// A descriptor as an object says it.
struct DescriptorArgument {
  Reference object; // the tensor
  Reference holder; // keeps the tensor's memory alive
  dispatch::Descriptor facts;

  /// False with an exception set if it is no descriptor of `rank` dimensions.
  bool read(PyObject *descriptor, unsigned rank);
  /// Writes the parts to the argument block, with the tensor at `address`; false with an exception set.
  bool pack(const dispatch::DescriptorParts &parts, uint64_t address, std::byte *block) const;
};

/// What specialisation looks at: the type of the elements, and the shape of blocks. False, with or without an exception, if it cannot be told without Python.
bool readDescriptorType(PyObject *descriptor, ScalarType &element, std::vector<int64_t> &block);
/// The shape of its blocks; false with an exception set.
bool readBlockShape(PyObject *descriptor, std::vector<int64_t> &block);

} // namespace triton::python
