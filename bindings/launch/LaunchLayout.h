// How a kernel's parameters become the block of arguments that its code reads.
//   In:  the types of the parameters (`"i32"`, `"*fp16"`, `"constexpr"`, `"tensordesc<fp16[64, 64]>"`, tuples of these), and what the compiler says of the code's
//        arguments: (name, type, offset, size, whether it may be stored to) each.
//   Out: a slot for each run-time argument; constexprs have none, tuples have one for each element.
// Whether code takes a descriptor as a tensor map or in parts shows in the types of its arguments.
#pragma once

#include "bindings/launch/DescriptorArgument.h"

#include <cstring>
#include <memory>
#include <string>

namespace triton::python {

/// One run-time argument of a caller: which parameter it comes from, and where it goes.
struct LaunchSlot {
  enum class Kind : uint8_t { Scalar, Pointer, TensorMap, Descriptor };
  uint16_t parameter;
  bool isStored;              // the kernel may store to what it leads to
  std::vector<uint16_t> path; // inside a tuple parameter; empty: the parameter itself
  Kind kind;
  TypeCode type;   // of a scalar
  uint32_t offset; // of its first part
  std::string name;
  DescriptorParts descriptor;
};

/// What a warm launch needs of most slots.
struct PlainSlot {
  enum class Kind : uint8_t { Other, Boolean, Integer32, Integer64, Real32, Pointer };
  Kind kind = Kind::Other; // Other: see the slot of the same index
  uint16_t parameter = 0;
  uint32_t offset = 0;

  /// Writes the argument into the block, eight bytes at most; false for what is not as usual: a number of another width, memory that is not `own`.
  bool pack(const Argument &argument, Memory own, std::byte *block) const {
    return packAs(kind, argument, own, block + offset);
  }
  /// The same for a kind that is known.
  static bool packAs(Kind kind, const Argument &argument, Memory own, std::byte *destination) {
    switch (kind) {
    case Kind::Boolean:
      std::memcpy(destination, &argument.bits, 1);
      return argument.kind == ArgumentKind::Boolean;
    case Kind::Integer32:
      std::memcpy(destination, &argument.bits, 4);
      return argument.kind == ArgumentKind::Integer && argument.type == TypeCode::I32;
    case Kind::Integer64:
      std::memcpy(destination, &argument.bits, 8);
      return argument.kind == ArgumentKind::Integer && argument.type != TypeCode::U64;
    case Kind::Real32: {
      if (argument.kind != ArgumentKind::Real)
        return false;
      auto rounded = float(argument.real);
      std::memcpy(destination, &rounded, 4);
      return true;
    }
    case Kind::Pointer:
      std::memcpy(destination, &argument.bits, 8);
      return argument.kind == ArgumentKind::Pointer && argument.memory == own;
    case Kind::Other:
      break;
    }
    return false;
  }
};

struct LaunchLayout {
  std::vector<LaunchSlot> slots;
  std::vector<PlainSlot> plain;  // one for each slot
  std::vector<uint16_t> others;  // the slots that are not plain
  std::vector<uint32_t> offsets; // of every argument of the code

  /// `tensorMaps`: as metadata's `tensordesc_meta` has it, one dict, or None, for each descriptor; empty if all are passed in parts. Null with an exception set.
  static std::unique_ptr<LaunchLayout> create(PyObject *signature, PyObject *codeArguments, PyObject *tensorMaps);
};

} // namespace triton::python
