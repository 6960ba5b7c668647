// How wide an access of a tensor with a layout may be: what the analysis of tensor IR knows, seen through the layout.
#pragma once

#include "compiler/layout/LinearLayout.h"
#include "compiler/tensor/AccessAnalysis.h"

namespace triton::gpu {

using tensor::AccessFacts;
using tensor::Runs;

class AccessAnalysis : public tensor::AccessAnalysis {
public:
  explicit AccessAnalysis(mlir::Operation *root, Runs runs = Runs::Promised) : tensor::AccessAnalysis(root, runs) {}

  /// How many consecutive registers of the layout of `pointers`, a power of two of them, address consecutive elements from an aligned
  /// address: the widest vector that one thread may access at once, not limited by any instruction. A scalar: 1.
  unsigned vectorElements(mlir::Value pointers);
  /// How many consecutive registers of the layout of `mask` hold the same value.
  unsigned maskElements(mlir::Value mask);
};

/// How many consecutive registers of `layout` address consecutive elements from an aligned address, if pointers in it have these facts.
unsigned vectorElements(const AccessFacts &facts, const layout::LinearLayout &layout);
/// How many consecutive registers of `layout` hold the same value, if a mask in it has these facts.
unsigned maskElements(const AccessFacts &facts, const layout::LinearLayout &layout);

} // namespace triton::gpu
