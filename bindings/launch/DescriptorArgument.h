// Tensor descriptors (`TensorDescriptor` objects) as arguments, read without running Python code: what decides which kernel they get, and the parts that code
// takes in their place.
#pragma once

#include "bindings/Reference.h"
#include "bindings/launch/Argument.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace triton::python {

/// How a tensor map of the copy engine is made from a descriptor, besides address, shape and strides.
struct TensorMapFormat {
  int swizzle, elementBytes, elementType; // the driver's numbers
  bool hasTwoPerByte;                     // 4-bit numbers: a row has twice as many as the tensor has bytes
  std::vector<uint32_t> box;
};

/// Where the parts of one descriptor stand in the argument block: a tensor map, or pointer, shape, strides and whether loads pad with NaN; then, either way, shape
/// (32 bits each) and strides (64 bits each).
struct DescriptorParts {
  unsigned rank = 0;
  std::optional<TensorMapFormat> map;
  std::vector<uint32_t> offsets;
  size_t count() const { return (map ? 1 : 2 + 2 * rank) + 2 * rank; }
};

/// A descriptor as an object says it.
struct DescriptorArgument {
  Reference object; // the tensor
  Argument base;
  Reference holder; // keeps the tensor's memory alive
  unsigned rank = 0;
  int64_t shape[5], strides[5];
  bool padsWithNan = false;

  /// False with an exception set if it is no descriptor of `rank` dimensions.
  bool read(PyObject *descriptor, unsigned rank);
  /// Writes the parts to the argument block, with the tensor at `address`; false with an exception set.
  bool pack(const DescriptorParts &parts, uint64_t address, std::byte *block) const;
};

/// What specialisation looks at: the type of the elements, and the shape of blocks. False, with or without an exception, if it cannot be told without Python.
bool readDescriptorType(PyObject *descriptor, TypeCode &element, std::vector<int64_t> &block);

} // namespace triton::python
