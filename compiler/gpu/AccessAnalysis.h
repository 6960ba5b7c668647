// What memory accesses need to know about pointers, offsets and masks: which elements are neighbours in memory, how they are aligned,
// which are equal.
//   In:  tensor IR, with or without layouts: argument attributes, hints and assumptions included.
//   Out: facts per value, and how wide an access of a tensor with a layout may be.
// A forward dataflow over integers and pointers, scalars and tensors alike, through loops, branches and calls.
#pragma once

#include "compiler/gpu/AccessTransfer.h"
#include "compiler/layout/LinearLayout.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/IR/Value.h"

#include <memory>

namespace triton::gpu {

class AccessAnalysis {
public:
  /// Of everything under `root`, as it is now: whoever changes IR makes a new analysis.
  explicit AccessAnalysis(mlir::Operation *root, Runs runs = Runs::Promised);
  AccessAnalysis(AccessAnalysis &&);
  ~AccessAnalysis();

  /// Of a value in code that is never reached: nothing is known.
  const AccessFacts &of(mlir::Value value);

  /// How many consecutive registers of the layout of `pointers`, a power of two of them, address consecutive elements from an aligned
  /// address: the widest vector that one thread may access at once, not limited by any instruction. A scalar: 1.
  unsigned vectorElements(mlir::Value pointers);
  /// How many consecutive registers of the layout of `mask` hold the same value.
  unsigned maskElements(mlir::Value mask);

private:
  std::unique_ptr<mlir::DataFlowSolver> solver;
};

/// How many consecutive registers of `layout` address consecutive elements from an aligned address, if pointers in it have these facts.
unsigned vectorElements(const AccessFacts &facts, const layout::LinearLayout &layout);
/// How many consecutive registers of `layout` hold the same value, if a mask in it has these facts.
unsigned maskElements(const AccessFacts &facts, const layout::LinearLayout &layout);

} // namespace triton::gpu
