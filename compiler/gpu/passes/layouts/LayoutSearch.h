// Chooses the layouts of all slots together, so that what ops and conversions cost is least, about.
//   In:  the slots, what ties them, what layouts cost.
//   Out: one layout per slot.
// Anchors (memory accesses, dots) propose layouts; a proposal is followed along all ties, so that it says for every slot it reaches
// which layout would fit. Then, proposal by proposal, the slots that are better off with it change to it, all of them at once: which those
// are is a minimum cut. Until no proposal changes anything.
#pragma once

#include "compiler/gpu/passes/layouts/LayoutCost.h"

namespace triton::gpu {

class LayoutSearch {
public:
  LayoutSearch(const LayoutProblem &problem, AccessAnalysis &access, LayoutCost &cost);
  std::vector<mlir::Attribute> solve();

private:
  struct Edge {
    mlir::Value value;
    const LayoutTie *from, *to;
  };
  /// What one proposal says for the slots it reaches, by number. Others it does not know: a kernel may be of many parts that have nothing to do
  /// with each other.
  using Proposal = std::vector<std::pair<unsigned, mlir::Attribute>>;

  void collectProposals(AccessAnalysis &access);
  void propose(unsigned slot, mlir::Attribute layout);
  bool expand(const Proposal &proposal);
  bool refine(unsigned slot);
  int64_t edgeCost(const Edge &edge, mlir::Attribute from, mlir::Attribute to);
  /// Of these slots and edges.
  int64_t costOf(llvm::ArrayRef<unsigned> slots, llvm::ArrayRef<unsigned> ties,
                 llvm::ArrayRef<mlir::Attribute> layouts);
  mlir::Attribute follow(const LayoutTie &tie, mlir::Attribute layout, mlir::Value value);

  const LayoutProblem &problem;
  LayoutCost &cost;
  std::vector<Edge> edges;
  std::vector<llvm::SmallVector<unsigned>> edgesOf; // per slot
  std::vector<Proposal> proposals;
  llvm::DenseSet<std::pair<unsigned, mlir::Attribute>> proposed; // by any of them
  std::vector<mlir::Attribute> chosen;                           // at first, what each slot was proposed first
  // Of the proposal at hand; as long as there are slots, and empty between proposals.
  std::vector<mlir::Attribute> offered;
  std::vector<int> question;
  llvm::DenseMap<std::tuple<const LayoutTie *, mlir::Attribute, mlir::Type>, mlir::Attribute> followed;
};

} // namespace triton::gpu
