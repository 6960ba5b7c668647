#include "compiler/cpu/Mask.h"

#include "compiler/tensor/Tensor.h"

using namespace mlir;

namespace triton::cpu {

std::optional<std::pair<Value, SmallVector<int>>> mapThroughView(Value tensor, ArrayRef<int> dimensions) {
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return std::nullopt;
  SmallVector<int> mapped(dimensions);
  if (auto expand = dyn_cast<tensor::ExpandDimsOp>(op)) {
    mapped.erase(mapped.begin() + expand.getAxis());
    return std::pair(expand.getSrc(), mapped);
  }
  if (auto broadcast = dyn_cast<tensor::BroadcastOp>(op)) {
    for (auto [d, size] : llvm::enumerate(cast<RankedTensorType>(broadcast.getSrc().getType()).getShape()))
      if (size == 1)
        mapped[d] = -1;
    return std::pair(broadcast.getSrc(), mapped);
  }
  if (auto trans = dyn_cast<tensor::TransOp>(op)) {
    for (auto [d, from] : llvm::enumerate(trans.getOrder()))
      mapped[from] = dimensions[d];
    return std::pair(trans.getSrc(), mapped);
  }
  if (auto reshape = dyn_cast<tensor::ReshapeOp>(op)) {
    // Only dimensions of size 1 come or go: the others keep their order. Otherwise no dimension corresponds.
    auto from = cast<RankedTensorType>(reshape.getSrc().getType()).getShape();
    auto to = cast<RankedTensorType>(tensor.getType()).getShape();
    SmallVector<int> source(from.size(), -1);
    size_t d = 0;
    bool same = true;
    for (size_t s = 0; s < from.size() && same; ++s) {
      if (from[s] == 1)
        continue;
      while (d < to.size() && to[d] == 1)
        ++d;
      same = d < to.size() && to[d] == from[s];
      if (same)
        source[s] = dimensions[d++];
    }
    if (!same)
      source.assign(from.size(), -1);
    return std::pair(reshape.getSrc(), source);
  }
  if (auto split = dyn_cast<tensor::SplitOp>(op)) {
    mapped.push_back(-1);
    return std::pair(split.getSrc(), mapped);
  }
  return std::nullopt;
}

SmallVector<PrefixTerm> findPrefixTerms(Value mask, ArrayRef<int> dimensions, int along,
                                        tensor::AccessAnalysis &accesses, llvm::function_ref<bool(Value)> isLeaf) {
  if (!mask || !isa<RankedTensorType>(mask.getType()) || isLeaf(mask))
    return {};
  if (auto source = mapThroughView(mask, dimensions))
    return findPrefixTerms(source->first, source->second, along, accesses, isLeaf);
  if (auto both = mask.getDefiningOp<arith::AndIOp>()) {
    SmallVector<PrefixTerm> terms = findPrefixTerms(both.getLhs(), dimensions, along, accesses, isLeaf);
    for (PrefixTerm &term : findPrefixTerms(both.getRhs(), dimensions, along, accesses, isLeaf))
      if (!llvm::is_contained(terms, term))
        terms.push_back(term);
    return terms;
  }
  auto compare = mask.getDefiningOp<arith::CmpIOp>();
  auto found = llvm::find(dimensions, along);
  if (!compare || found == dimensions.end())
    return {};
  int dimension = int(found - dimensions.begin());
  for (auto [d, size] : llvm::enumerate(cast<RankedTensorType>(mask.getType()).getShape()))
    if (dimensions[d] < 0 && size > 1)
      return {}; // regrouped on the way: its place in the nest is not known
  Value index = compare.getLhs(), bound = compare.getRhs();
  auto predicate = compare.getPredicate();
  using P = arith::CmpIPredicate;
  if (predicate == P::sgt || predicate == P::sge || predicate == P::ugt || predicate == P::uge) {
    std::swap(index, bound);
    predicate = predicate == P::sgt ? P::slt : predicate == P::sge ? P::sle : predicate == P::ugt ? P::ult : P::ule;
  }
  if (predicate != P::slt && predicate != P::sle && predicate != P::ult && predicate != P::ule)
    return {};
  if (accesses.steps(index)[dimension] != tensor::Step::constant(1) || !accesses.steps(bound)[dimension].isZero())
    return {};
  return {PrefixTerm{mask, dimension, SmallVector<int>(dimensions), index, bound,
                     predicate == P::slt || predicate == P::sle, predicate == P::sle || predicate == P::ule}};
}

} // namespace triton::cpu
