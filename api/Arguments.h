// The arguments of a launch as C programs hand them over: what can be wrong with them, and what they say.
#pragma once

#include "api/Border.h"
#include "dispatch/Argument.h"
#include "dispatch/Problem.h"

#include "llvm/ADT/ArrayRef.h"

namespace triton {

using Arguments = llvm::ArrayRef<triton_argument>;

/// A problem that dispatch/ has found.
llvm::Error toError(const dispatch::Outcome &outcome);

/// The arguments as an array whose texts and descriptors can be read, each of a known kind and type; an error names the first that is not.
llvm::Expected<Arguments> checkArguments(const triton_argument *arguments, size_t count);

/// Of a string, which comes in two kinds.
inline bool isText(const triton_argument &argument) {
  return argument.kind == TRITON_ARGUMENT_STRING || argument.kind == TRITON_ARGUMENT_TEXT;
}
inline llvm::StringRef textOf(const triton_argument &argument) {
  return argument.kind == TRITON_ARGUMENT_TEXT ? toStringRef(*argument.value.text)
                                               : llvm::StringRef(argument.value.string);
}

/// What a pointer or a descriptor's tensor consists of: a triton_data_type.
inline int32_t elementOf(int32_t type) { return type & ~(TRITON_CONST | TRITON_READ_ONLY | TRITON_ROUNDS_TO_TF32); }
inline int32_t elementOf(const triton_argument &argument) { return elementOf(argument.type); }
inline int32_t elementOf(const triton_descriptor &descriptor) { return elementOf(descriptor.type); }
inline bool isConst(const triton_argument &argument) {
  return argument.kind == TRITON_ARGUMENT_POINTER && argument.type & TRITON_CONST;
}
/// Of a triton_data_type, whose numbers are those of dispatch's enumeration without void.
inline dispatch::ScalarType scalarTypeOf(int32_t type) {
  using dispatch::ScalarType;
  static_assert(ScalarType(TRITON_INT1 + 1) == ScalarType::Int1 &&
                ScalarType(TRITON_FLOAT8E5 + 1) == ScalarType::Float8E5 &&
                ScalarType(TRITON_FLOAT64 + 1) == ScalarType::Float64);
  return ScalarType(elementOf(type) + 1);
}

/// What is known of it; of a descriptor, what is known of its tensor.
dispatch::Argument factsOf(const triton_argument &argument);

inline llvm::StringRef nameOf(const triton_argument &argument) {
  return argument.name ? llvm::StringRef(argument.name) : llvm::StringRef();
}

inline llvm::ArrayRef<int64_t> shapeOf(const triton_descriptor &descriptor) {
  return {descriptor.shape, descriptor.rank};
}
inline llvm::ArrayRef<int64_t> stridesOf(const triton_descriptor &descriptor) {
  return {descriptor.strides, descriptor.stride_count};
}
inline llvm::ArrayRef<int64_t> blockOf(const triton_descriptor &descriptor) {
  return {descriptor.block, descriptor.block_count};
}

} // namespace triton
