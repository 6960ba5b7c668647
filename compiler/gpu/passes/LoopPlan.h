// What pipelining does to a loop, decided before anything is changed.
//   In:  an `scf.for` with layouts, its number of stages.
//   Out: which loads become copies into a ring of buffers, which products stay in flight, how far ahead copies run.
#pragma once

#include "compiler/gpu/AccessAnalysis.h"
#include "compiler/gpu/Gpu.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace triton::gpu {

/// A load whose values reach a product: copied to shared memory iterations ahead, without registers.
struct RingCopy {
  tensor::LoadOp load;
  mlir::Attribute layout; // of the buffers
  /// The buffer that the load fills: it goes, its users take the ring's. Null if the values are wanted in registers.
  LocalAllocOp filled;
};

struct LoopPlan {
  llvm::SmallVector<RingCopy> copies;
  /// Products whose result is only what they add to next time: one stays in flight into the next iteration.
  llvm::SmallVector<WarpGroupDotOp> inFlight;
  /// What computes addresses and masks of the copies, in the order of the loop; runs with them, ahead of the rest.
  llvm::SetVector<mlir::Operation *> ahead;
  unsigned buffers = 0;  // of each ring
  unsigned distance = 0; // iterations that copies run ahead

  explicit operator bool() const { return !copies.empty(); }
};

/// Empty if there is nothing to gain or something stands in the way.
LoopPlan planLoop(mlir::scf::ForOp loop, unsigned numStages, AccessAnalysis &access);

} // namespace triton::gpu
