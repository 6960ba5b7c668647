// How the registers of a tensor of pointers are accessed: which together, from which address, by which thread.
//   In:  pointers and an optional mask, scalars or tensors with a layout.
//   Out: groups of registers. Each element that a thread holds is in one group, copies left out.
// Addresses are a pointer register plus a constant wherever the access analysis knows how far registers lie apart, so that a thread computes
// few addresses and instructions carry the offsets.
#pragma once

#include "compiler/llvm/gpu/Emitter.h"

namespace triton::simt {

struct AccessGroup {
  unsigned first, count; // registers first … first + count - 1 lie one behind the other in memory
  llvm::Value *pointer;  // to the first of them, less
  int64_t offset;        // bytes

  /// The address itself.
  llvm::Value *address(Emitter &emitter) const;
};

struct AccessPlan {
  unsigned width; // registers of a group
  llvm::SmallVector<AccessGroup> groups;
  llvm::SmallVector<unsigned> holder; // for each register the first one of this thread that holds the same element
};

/// Groups of at most `maxBytes`. `mask` may be null.
AccessPlan planAccess(Emitter &emitter, mlir::Value pointers, mlir::Value mask, unsigned maxBytes);

/// Whether this thread is the one that writes its elements of `type`, of all threads that hold them; for a scalar, the first of the
/// program. Null if every thread is.
llvm::Value *isWriter(Emitter &emitter, mlir::Type type);

/// Both, where null is true.
llvm::Value *conjunction(Emitter &emitter, llvm::Value *a, llvm::Value *b);

} // namespace triton::simt
