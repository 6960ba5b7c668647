// How arguments become the block that a kernel's code reads: the packing plan.
//   In:  the types of a caller's arguments (`i32`, `*fp16`, `tensordesc<fp16[64, 64]>`), and what the artifact says of the code's arguments.
//   Out: a slot for each argument of the caller, and functions that fill one.
// Whether code takes a descriptor as a tensor map or in parts shows in the types of its arguments.
#pragma once

#include "dispatch/Argument.h"
#include "dispatch/Problem.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace triton::dispatch {

/// An argument of the code.
struct CodeArgument {
  std::string_view name, type;
  uint32_t offset = 0;
  bool isStored = true; // the kernel may store to what it leads to
};

/// Where a value of a signature type (`i32`, `*fp16`, `nvTmaDesc`) stands behind `end` bytes of a block, by the layout rules of a C struct: (offset, bytes).
std::pair<uint32_t, uint32_t> placeArgument(std::string_view type, uint32_t end);

/// How a tensor map of TMA is made from a descriptor, besides address, shape and strides.
struct TensorMapFormat {
  int swizzle = 0, elementBytes = 0, elementType = 0; // the driver's numbers
  bool hasTwoPerByte = false;                         // 4-bit numbers: a row has twice as many as the tensor has bytes
  std::vector<uint32_t> box;
};

/// Where the parts of one descriptor stand in the block: a tensor map, or pointer, shape, strides, whether loads pad with NaN, and whether they round to TF32; then,
/// either way, shape (32 bits each) and strides (64 bits each).
struct DescriptorParts {
  unsigned rank = 0;
  std::optional<TensorMapFormat> map;
  std::vector<uint32_t> offsets;
  size_t count() const { return (map ? 1 : 3 + 2 * rank) + 2 * rank; }
};

/// One argument of a caller: which of his arguments it is, and where it goes.
struct ArgumentSlot {
  enum class Kind : uint8_t { Scalar, Pointer, TensorMap, Descriptor };
  uint16_t parameter;
  bool isStored;              // the kernel may store to what it leads to
  std::vector<uint16_t> path; // inside a tuple; empty: the argument itself
  Kind kind;
  ScalarType type; // of a scalar
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
      return argument.kind == ArgumentKind::Integer && argument.type == ScalarType::Int32;
    case Kind::Integer64:
      std::memcpy(destination, &argument.bits, 8);
      return argument.kind == ArgumentKind::Integer && argument.type != ScalarType::UInt64;
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

struct ArgumentLayout {
  std::vector<ArgumentSlot> slots;
  std::vector<PlainSlot> plain;  // one for each slot
  std::vector<uint16_t> others;  // the slots that are not plain
  std::vector<uint32_t> offsets; // of every argument of the code
};

/// Takes the caller's arguments one by one, in order.
class ArgumentLayoutBuilder {
public:
  /// `maps`: one for each descriptor that is passed as a tensor map, without elements for those that are passed in parts; may end early. Both must outlive the
  /// builder.
  ArgumentLayoutBuilder(std::span<const CodeArgument> code, std::span<const std::optional<TensorMapFormat>> maps);
  /// `path`: the argument's place, then those inside of tuples.
  Outcome add(std::span<const uint16_t> path, std::string_view type);
  /// A problem if code and caller disagree about the number of arguments.
  Outcome finish() const;
  std::unique_ptr<ArgumentLayout> take() { return std::move(layout); }

private:
  CodeArgument next() { return taken < code.size() ? code[taken++] : (++taken, CodeArgument{"", "*void"}); }
  Outcome addDescriptor(std::string_view type, ArgumentSlot &slot);

  std::span<const CodeArgument> code;
  std::span<const std::optional<TensorMapFormat>> maps;
  size_t taken = 0, descriptors = 0;
  std::unique_ptr<ArgumentLayout> layout;
};

/// Why a number cannot be a scalar of a type.
enum class PackFault : uint8_t { None, NotANumber, NotAnInteger, DoesNotFit, NotAScalar };
/// Writes a number as a scalar of a type. Integers must fit, and any but 0 is true; floats are rounded to fp32 and fp16, and truncated to bf16, as the launchers of GPU
/// drivers do.
PackFault packScalar(ScalarType type, const Argument &argument, std::byte *destination);
/// `shown`: the argument's value if it does not fit, else what it is.
Problem problemOf(PackFault fault, ScalarType type, std::string_view shown);

} // namespace triton::dispatch
