// What an op does to memory, and where the pointers it does it through come from.
#pragma once

#include "compiler/support/AccessChecker.h"
#include "compiler/tensor/Tensor.h"

#include <optional>

namespace triton::tensor {

struct MemoryAccess {
  Access::Kind kind;
  bool acquires, releases;    // see Access
  mlir::Value pointers, mask; // through pointers, block pointers or a descriptor; no mask: null
};

/// Nullopt for an op that does not access memory.
std::optional<MemoryAccess> accessOf(mlir::Operation *op);

/// The atomic update that a reduction into a block of `element`s by a descriptor is; nullopt where there is none.
std::optional<RMWOp> updateOf(DescriptorReduceKind kind, mlir::Type element);

/// What is to be said about an access that goes wrong.
AccessSite siteOf(mlir::Operation *op, const MemoryAccess &access);

} // namespace triton::tensor
