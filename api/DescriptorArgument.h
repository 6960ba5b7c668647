// Tensor descriptors as arguments of C and C++ programs.
#pragma once

#include "api/Arguments.h"
#include "dispatch/Descriptor.h"

namespace triton {

/// What is wrong with a descriptor.
llvm::Error checkDescriptor(const triton_descriptor &descriptor);

/// Writes a descriptor into an argument block.
llvm::Error packDescriptor(const triton_argument &argument, const dispatch::DescriptorParts &parts, std::byte *block);

} // namespace triton
