// What is known of an argument of a launch, whichever language it comes from.
// Surfaces turn their own objects into this; specialisation, the key of a launch and the packed arguments come from it, so that an object is looked at once.
#pragma once

#include "dispatch/ScalarType.h"

#include <cstring>
#include <span>
#include <string>

namespace triton::dispatch {

enum class ArgumentKind : uint8_t {
  None,
  Boolean,
  Integer,
  Real,
  Pointer,
  Constexpr, // a value of compile time alone: a text, a type
  Callable,  // a jitted function
  Tuple,
  Descriptor,
  Unknown
};

/// Whose memory a pointer leads to, as far as the object says.
enum class Memory : uint8_t { Host, Device, Unknown };

struct Argument {
  ArgumentKind kind = ArgumentKind::Unknown;
  ScalarType type = noScalarType; // integers: the smallest of i32, i64 and u64; pointers: of the element
  bool isReadOnly = false;        // pointers: who owns the memory says so
  Memory memory = Memory::Host;   // pointers
  bool isSmall = false; // pointers: to the begin of memory of less than 2^31 bytes, as far as its owner has it
  union {
    uint64_t bits; // None, booleans, integers (two's complement), pointers
    double real;
  };
  Argument() : bits(0) {}

  void setBoolean(bool value) {
    kind = ArgumentKind::Boolean;
    type = ScalarType::Int1;
    bits = value;
  }
  /// An integer that fits in 32 bits.
  void setInteger32(int64_t value) {
    kind = ArgumentKind::Integer;
    type = ScalarType::Int32;
    bits = uint64_t(value);
  }
  void setInteger(int64_t value) {
    setInteger32(value);
    if (value < INT32_MIN || value > INT32_MAX)
      type = ScalarType::Int64;
  }
  void setNatural(uint64_t value) {
    setInteger(int64_t(value));
    if (value > INT64_MAX)
      type = ScalarType::UInt64;
  }
  void setReal(double value) {
    kind = ArgumentKind::Real;
    type = ScalarType::Float32;
    real = value;
  }
  void setPointer(uint64_t address, ScalarType element) {
    kind = ArgumentKind::Pointer;
    type = element;
    bits = address;
  }

  /// Kind, type and whether it is read-only, as one number of 24 bits.
  uint32_t traits() const {
    uint32_t word;
    std::memcpy(&word, this, sizeof(word));
    return word & 0xffffff;
  }
  bool isOne() const { return kind == ArgumentKind::Integer && bits == 1; }
  bool isDivisibleBy16() const { return bits % 16 == 0; }
};

/// As signatures write it: `i32`, `*fp16`. For numbers and pointers.
std::string typeOf(const Argument &argument);
/// `tensordesc<fp16[64, 64]>`
std::string descriptorType(ScalarType element, std::span<const int64_t> block);

} // namespace triton::dispatch
