// What tensor IR means, on dense arrays: the reference that compiled code is held against, and what debugging mode runs.
//   In:  IR of `tt`, `arith`, `math`, `scf` and `cf`, as the frontend emits it or after any pass on it.
//   Out: the arrays an op or function gives, memory as a kernel leaves it, or failure after one diagnostic at the op.
// One program after the other, each element by its own: plain rather than fast. What the language leaves open is a fixed choice here: a
// masked-off load without `other` is 0, reductions combine from the first element on, and a poison value is 0.
#pragma once

#include "compiler/interpreter/Array.h"
#include "compiler/interpreter/Memory.h"
#include "compiler/tensor/Tensor.h"

namespace triton::interpreter {

/// Where a program stands in its launch grid.
struct Program {
  std::array<int32_t, 3> id = {0, 0, 0};
  std::array<int32_t, 3> grid = {1, 1, 1};
};

using Arrays = llvm::SmallVector<Array, 2>;

class Interpreter {
public:
  /// `output` receives what kernels print.
  Interpreter(const Memory &memory, llvm::raw_ostream &output) : memory(memory), output(output) {}

  /// Runs `kernel` once for each program of `grid`, x fastest. Arguments are scalars; pointers are addresses of the host.
  mlir::LogicalResult launch(tensor::FuncOp kernel, llvm::ArrayRef<Array> arguments, std::array<int32_t, 3> grid);

  /// What one op gives for `operands`, standing for itself: regions are run, memory is accessed. For elementwise ops, operands may also be
  /// of another shape than the op says, one lane per element.
  mlir::FailureOr<Arrays> evaluate(mlir::Operation *op, llvm::ArrayRef<Array> operands);

  /// The results of `function`, as part of `program`.
  mlir::FailureOr<Arrays> call(tensor::FuncOp function, llvm::ArrayRef<Array> arguments);

  /// Which program ops are part of when they ask.
  Program program;

private:
  using Environment = llvm::DenseMap<mlir::Value, Array>;

  /// Runs `region` from its entry with `arguments`; what its terminator passes on. `loop` says which op it was that ended it.
  mlir::FailureOr<Arrays> runRegion(mlir::Region &region, llvm::ArrayRef<Array> arguments, Environment &environment);
  mlir::LogicalResult runOp(mlir::Operation &op, Environment &environment);
  mlir::FailureOr<Arrays> runFor(mlir::Operation *op, Environment &environment);
  mlir::FailureOr<Arrays> runWhile(mlir::Operation *op, Environment &environment);
  mlir::FailureOr<Arrays> runIf(mlir::Operation *op, Environment &environment);
  mlir::FailureOr<Arrays> runSwitch(mlir::Operation *op, Environment &environment);
  mlir::FailureOr<Arrays> runReduce(tensor::ReduceOp op, llvm::ArrayRef<Array> operands, Environment &environment);
  mlir::FailureOr<Arrays> runScan(tensor::ScanOp op, llvm::ArrayRef<Array> operands, Environment &environment);
  mlir::FailureOr<Arrays> runMap(tensor::MapElementwiseOp op, llvm::ArrayRef<Array> operands, Environment &environment);
  /// `region` for each lane of `arguments`, all at once where its ops are elementwise.
  mlir::FailureOr<Arrays> runLanes(mlir::Region &region, llvm::ArrayRef<Array> arguments, Environment &environment);

  const Memory &memory;
  llvm::raw_ostream &output;
  unsigned depth = 0; // of calls
};

} // namespace triton::interpreter
