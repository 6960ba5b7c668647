// What a mask is made of.
//   In:  a mask (a tensor of i1) and the dimension that vectors run along.
//   Out: the comparisons `index < bound` it is a conjunction of that hold up to some element along that dimension and
//   fail from there on,
//        so that loops can be split there instead of testing every vector.
#pragma once

#include "compiler/tensor/AccessAnalysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace triton::cpu {

/// `cmpi` with an index that steps by 1 along `dimension` (of its own operands) and a bound that is the same along it.
struct PrefixTerm {
  mlir::Value compare;
  int dimension;
  llvm::SmallVector<int> dimensions; // of the nest, for each dimension of the comparison; -1 where its size is 1
  mlir::Value index, bound;
  bool isSigned, includesBound; // index <= bound

  bool operator==(const PrefixTerm &other) const { return compare == other.compare && dimension == other.dimension; }
};

/// The terms among the conjuncts of `mask`. `dimensions[d]` says which dimension of the nest dimension `d` of `mask`
/// is, -1 for none; `along` is the one vectors run along. Looks through views; stops at tensors for which `isLeaf`
/// holds.
llvm::SmallVector<PrefixTerm> findPrefixTerms(mlir::Value mask, llvm::ArrayRef<int> dimensions, int along,
                                              tensor::AccessAnalysis &accesses,
                                              llvm::function_ref<bool(mlir::Value)> isLeaf);

/// For each dimension of the source of a view, the dimension of the nest that `dimensions` gives for the view's result.
/// Nothing if `op` is no view.
std::optional<std::pair<mlir::Value, llvm::SmallVector<int>>> mapThroughView(mlir::Value tensor,
                                                                             llvm::ArrayRef<int> dimensions);

} // namespace triton::cpu
