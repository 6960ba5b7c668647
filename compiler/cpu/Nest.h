// What the parts of nest emission pass to each other.
#pragma once

#include "compiler/cpu/Lowering.h"
#include "compiler/cpu/Mask.h"

namespace triton::cpu {

/// The run of vectors, split: `terms` hold for all lanes up to `full`, a multiple of the vector's length, and nothing needs to be
/// computed from `end` on. Without terms, `full` and `end` are the run's size.
struct Segments {
  llvm::SmallVector<PrefixTerm> terms;
  mlir::Value full, end;
};

/// A store that goes to `buffer` first where `condition` holds: its target overlaps something that the nest still has to read.
struct Redirection {
  mlir::Value condition; // null: never
  Buffer buffer;
};

} // namespace triton::cpu
