// How a kernel's parameters become the block of arguments that its code reads.
//   In:  the types of the parameters (`"i32"`, `"*fp16"`, `"constexpr"`, `"tensordesc<fp16[64, 64]>"`, tuples of these), and what the compiler says of the code's
//        arguments: (name, type, offset, size) each.
//   Out: a slot for each run-time argument; constexprs have none, tuples have one for each element.
// Whether code takes a descriptor as a tensor map or in parts shows in the types of its arguments.
#pragma once

#include "bindings/DescriptorArgument.h"

#include <memory>

namespace triton::python {

/// One run-time argument of a caller: which parameter it comes from, and where it goes.
struct LaunchSlot {
  enum class Kind : uint8_t { Scalar, Pointer, TensorMap, Descriptor };
  uint16_t parameter;
  std::vector<uint16_t> path; // inside a tuple parameter; empty: the parameter itself
  Kind kind;
  TypeCode type;   // of a scalar
  uint32_t offset; // of its first part
  DescriptorParts descriptor;
};

/// What a warm launch needs of most slots.
struct PlainSlot {
  enum class Kind : uint8_t { Other, Integer32, Real32, Pointer };
  Kind kind; // Other: see the slot of the same index
  uint16_t parameter;
  uint32_t offset;
};

struct LaunchLayout {
  std::vector<LaunchSlot> slots;
  std::vector<PlainSlot> plain;  // one for each slot
  std::vector<uint32_t> offsets; // of every argument of the code

  /// `tensorMaps`: as metadata's `tensordesc_meta` has it, one dict, or None, for each descriptor; empty if all are passed in parts. Null with an exception set.
  static std::unique_ptr<LaunchLayout> create(PyObject *signature, PyObject *codeArguments, PyObject *tensorMaps);
};

} // namespace triton::python
