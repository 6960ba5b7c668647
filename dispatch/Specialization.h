// What a kernel is compiled for: a parameter and an argument give a type, a constant, or a hint.
// The rules: None and the integer 1 become constants; integers and addresses say whether they are divisible by 16, addresses whether 32 bits reach everywhere in their memory; an annotation
// decides the type. A parameter that does not specialise takes its argument's type alone.
#pragma once

#include "dispatch/Argument.h"
#include "dispatch/Parameter.h"

namespace triton::dispatch {

struct Specialization {
  bool isConstant = false;   // the kernel knows the value, and is not given it
  bool looksAtValue = false; // whether it is divisible by 16 counts
  bool isDivisible = false;
  bool isSmall = false; // where the target asks for it
  std::string type;     // of an argument at run time: `i32`, `*kfp16`
};

/// `type`: the argument's own, as signatures write it. For all kinds but tuples and descriptors, whose parts count.
Specialization specialize(const Parameter &parameter, const Argument &argument, std::string_view type);
inline Specialization specialize(const Parameter &parameter, const Argument &argument) {
  return specialize(parameter, argument, typeOf(argument));
}

// The same as numbers, which are found and compared fast: two arguments with equal tags specialise equally. Tags are finer than specialisations: that memory is
// read-only counts, though it leads to the same kernel, for whether that may have it is found out when it is first launched.

/// Kind, type and whether it is read-only. Numbers below 64 are free for other parts of keys.
inline uint64_t baseTagOf(const Argument &argument) { return 64 + uint64_t(argument.traits()) * 256; }
/// Of a number, a pointer or None at a parameter that specialises on everything; 0 for other kinds.
inline uint64_t tagOf(const Argument &argument) {
  const uint64_t base = baseTagOf(argument);
  switch (argument.kind) {
  case ArgumentKind::Integer:
    return base | uint64_t(argument.isOne()) << 32 | uint64_t(argument.isDivisibleBy16()) << 33;
  case ArgumentKind::Pointer:
    return base | uint64_t(argument.isDivisibleBy16()) << 33 | uint64_t(argument.isSmall) << 34;
  case ArgumentKind::None:
  case ArgumentKind::Boolean:
  case ArgumentKind::Real:
    return base;
  default:
    return 0;
  }
}
/// The bits of a tag that count for a parameter.
inline uint64_t tagMask(bool specializesValue, bool specializesAlignment) {
  return ~(uint64_t(!specializesValue) << 32 | uint64_t(!specializesValue || !specializesAlignment) << 33 |
           uint64_t(!specializesValue) << 34);
}

} // namespace triton::dispatch
