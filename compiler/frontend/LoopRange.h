// What a `for` over a range of run-time bounds needs to know.
#pragma once

#include "compiler/frontend/KernelEmitter.h"

namespace triton::frontend {

/// What a `range` asks for.
struct KernelEmitter::LoopRange {
  mlir::Value begin, end, step;
  Type type = Type::int32();
  bool descends = false; // a constant negative step: `step` is its magnitude
  llvm::SmallVector<mlir::NamedAttribute> attributes;
};

/// What tells LLVM to leave a loop's invariant code where it is.
mlir::NamedAttribute disableLicm(mlir::OpBuilder &builder);

} // namespace triton::frontend
