// What memory accesses need to know about pointers, offsets and masks: which elements are neighbours in memory, how they are aligned,
// which are equal, and by what they step.
//   In:  tensor IR, with or without layouts: argument attributes, hints and assumptions included.
//   Out: facts per value.
// Facts are about integers and pointers, scalars and tensors alike. How ops change them is said once (AccessTransfer.h). There are two ways to ask:
//   AccessAnalysis(root)   a forward dataflow over everything under `root`, through loops, branches and calls. For whoever decides about a whole
//                          kernel, as the GPU's layouts do.
//   AccessAnalysis()       computes what it is asked for, from the ops it is made of. Takes values that are made meanwhile, and knows nothing of what
//                          loops and branches carry. For lowerings, as the CPU's is.
#pragma once

#include "compiler/tensor/AccessTransfer.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/IR/Value.h"

#include <memory>

namespace triton::tensor {

class AccessAnalysis {
public:
  AccessAnalysis();
  /// Of everything under `root`, as it is now: whoever changes IR makes a new analysis.
  explicit AccessAnalysis(mlir::Operation *root, Runs runs = Runs::Promised);
  AccessAnalysis(AccessAnalysis &&);
  ~AccessAnalysis();

  /// Of a value in code that is never reached: nothing is known. The reference holds as long as the analysis.
  const AccessFacts &of(mlir::Value value);

  /// One step per dimension of `tensor`; none for a scalar.
  Steps steps(mlir::Value tensor);
  /// Whether every element of `tensor` is the same.
  bool isUniform(mlir::Value tensor);
  /// Whether all dimensions have affine steps, so that the first element and the steps give the whole range.
  bool isAffine(mlir::Value tensor);

private:
  const AccessFacts &compute(mlir::Value value);

  std::unique_ptr<mlir::DataFlowSolver> solver;                       // null: on demand
  llvm::DenseMap<mlir::Value, std::unique_ptr<AccessFacts>> onDemand; // what has been asked for
};

} // namespace triton::tensor
