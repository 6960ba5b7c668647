// What a `for` over a range of run-time bounds needs to know.
#pragma once

#include "compiler/frontend/emitter/KernelEmitter.h"

namespace triton::frontend {

/// What a `range` asks for. Bounds and step are numbers that hold what the program wrote, also where the variable's type does not: 64 bits for
/// unsigned numbers of 32.
struct KernelEmitter::LoopRange {
  mlir::Value begin, end, step;
  Type type = Type::int32(); // of the variable
  bool descends = false;     // a constant negative step: `step` is its magnitude
  mlir::Value
      count; // the number of iterations, where the direction is known at run time only, or no signed number holds the bounds
  llvm::SmallVector<mlir::NamedAttribute> attributes;
};

/// What tells LLVM to leave a loop's invariant code where it is.
mlir::NamedAttribute disableLicm(mlir::OpBuilder &builder);

} // namespace triton::frontend
