// Loops that go on until somebody else has written something: locks, barriers of all programs, flags.
#pragma once

#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace triton::cpu {

/// What the runtime must know of a kernel.
struct Waiting {
  bool forPrograms = false; // its programs may wait for each other
  bool polls = false;       // it asks, in loops that may never end by themselves, whether to stop
};

/// A loop in a function that is not inlined counts for all kernels.
Waiting waitingOf(tensor::FuncOp kernel);

/// Whether the loop ends only when memory has changed, which may be never. That is also so where a plain load decides: the program
/// is wrong then, and its user wants to stop it.
bool mayNeverEnd(mlir::scf::WhileOp loop);

} // namespace triton::cpu
