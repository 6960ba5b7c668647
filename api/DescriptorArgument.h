// Tensor descriptors as arguments of C and C++ programs: what they must be, and the parts that code takes in their place.
#pragma once

#include "api/Arguments.h"
#include "compiler/artifact/Artifact.h"

namespace triton {

/// What is wrong with a descriptor, by the rules of Python's `TensorDescriptor`.
llvm::Error checkDescriptor(const triton_descriptor &descriptor);

/// Writes a descriptor into an argument block: as a tensor map, or as pointer, shape, strides and padding; then shape and strides as the language sees them.
/// `slot` and `map` are the first of the artifact's arguments and formats that are the descriptor's, and are moved behind them.
llvm::Error packDescriptor(const triton_descriptor &descriptor, const artifact::Artifact &artifact, size_t &slot,
                           size_t &map, char *block);

} // namespace triton
