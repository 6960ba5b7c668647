// MLIR contexts, reused: making one and loading its dialects costs more than compiling a small kernel.
#pragma once

#include "mlir/IR/MLIRContext.h"

#include <memory>

namespace triton::driver {

/// A context that is this compile's alone until the lease ends. What was uniqued in it stays, so a context is thrown away after
/// a number of compiles.
class ContextLease {
public:
  ContextLease();
  ~ContextLease();
  ContextLease(const ContextLease &) = delete;
  mlir::MLIRContext &operator*() { return *context; }

private:
  std::unique_ptr<mlir::MLIRContext> context;
  unsigned uses;
  unsigned generation;
};

/// Contexts made so far are not lent again: they do not know the dialects of a target that has just been registered.
void forgetContexts();

} // namespace triton::driver
