// What caches are asked to keep of an access.
#pragma once

#include "compiler/llvm/nvidia/Families.h"

namespace triton::nvidia {

/// The qualifiers of an access and the operand they need.
struct CachePolicy {
  std::string qualifiers;      // `.L1::evict_last.L2::cache_hint.L2::128B`
  llvm::Value *hint = nullptr; // i64, or null
};

/// Of the second cache: a share of the lines gets one priority, the others another.
llvm::Value *createPolicy(Emitter &emitter, llvm::StringRef primary, llvm::StringRef secondary, float fraction);

/// What the op's attribute says; nullopt if it has none.
std::optional<CachePolicy> cachePolicyOf(Emitter &emitter, mlir::Operation *op);

} // namespace triton::nvidia
