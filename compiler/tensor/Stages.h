// What passes take for granted about the IR that they are given, and the passes that look before they run: a file or a list of passes may bring any
// IR to any pass.
#ifndef TRITON_COMPILER_TENSOR_STAGES_H
#define TRITON_COMPILER_TENSOR_STAGES_H

#include "compiler/tensor/rules/Rules.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace triton::tensor {

/// Whether kernels compute with it: a signless integer of 1, 8, 16, 32 or 64 bits, or a float of the language.
bool isNumber(mlir::Type type);

/// That values of `type` can be in kernels: numbers, pointers, descriptors, tensors of numbers or pointers, and what other dialects of the compiler add.
llvm::LogicalResult checkValueType(mlir::Type type, EmitError error);

/// That MLIR's own verifier can look at IR that was just read: that of `arith.select` takes a condition with a shape to mean a result with one.
llvm::LogicalResult checkVerifiable(mlir::Operation *root);

/// The types of all values in `root`, and of the functions in it.
llvm::LogicalResult checkKernelIr(mlir::Operation *root);
/// The same, and that no tensor has a layout yet.
llvm::LogicalResult checkTensorIr(mlir::Operation *root);

/// A pass on `Root`, `void` for any op, that runs on IR which `check` lets through, and fails with what it says on any other.
template <typename Root, auto check> class CheckedPass : public mlir::OperationPass<Root> {
public:
  using mlir::OperationPass<Root>::OperationPass;

protected:
  virtual void run() = 0;

private:
  void runOnOperation() final {
    if (failed(check(this->getOperation())))
      return this->signalPassFailure();
    run();
  }
};

} // namespace triton::tensor

#endif
