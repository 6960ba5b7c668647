// Does what MLIR's canonicaliser does, keeps it from deleting loops whose bounds lie far apart, and its time from growing with the cube of early returns.
//
//   %low = arith.constant -2000000000 : i32
//   %high = arith.constant 2000000000 : i32
//   scf.for %i = %low to %high step %step : i32 { body(%i) }
// becomes
//   scf.for %n = %zero to %count step %one : i64 { body(%low + %n * %step) }
//
// MLIR 22 takes the first loop for an empty one, since the difference of its bounds is negative in 32 bits. Bounds become constants while it
// simplifies, so the rewriting has to happen there too: all pipelines run this pass where they would run the canonicaliser.
//
// Early returns in a row are branches in branches:
//   scf.if %a { scf.if %b { scf.if %c { rest } } }
// For each change in the innermost one the canonicaliser looks at all of them again, and at each of those from top to bottom. More than 32 become one first,
// where no more than a few scalars are computed for each:
//   scf.if (%a and %b and %c) { rest }
#include "compiler/tensor/TripCount.h"
#include "compiler/tensor/passes/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace triton::tensor {

#define GEN_PASS_DEF_SIMPLIFY
#include "compiler/tensor/passes/Passes.h.inc"

namespace {

/// Whether an op may run although the branch that it stands in is not taken.
bool isCheapScalar(Operation &op) {
  return op.getNumRegions() == 0 && isPure(&op) && llvm::none_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

bool hasOneArm(scf::IfOp branch) { return branch.getNumResults() == 0 && !branch.elseBlock(); }

/// The branch that is all that `outer` does, but for a few scalars before it; null if there is more.
scf::IfOp onlyBranchIn(scf::IfOp outer) {
  constexpr unsigned mostScalars = 8;
  unsigned scalars = 0;
  for (Operation &op : *outer.thenBlock()) {
    if (auto inner = dyn_cast<scf::IfOp>(op))
      return hasOneArm(inner) && op.getNextNode() == outer.thenYield() ? inner : scf::IfOp();
    if (++scalars > mostScalars || !isCheapScalar(op))
      return {};
  }
  return {};
}

/// Makes one branch of a nest, from the outermost to the innermost.
void merge(ArrayRef<scf::IfOp> nest) {
  scf::IfOp outer = nest.front(), innermost = nest.back();
  OpBuilder builder(outer);
  Value condition = outer.getCondition();
  for (scf::IfOp inner : nest.drop_front()) {
    while (&inner->getBlock()->front() != inner)
      inner->getBlock()->front().moveBefore(outer);
    condition = arith::AndIOp::create(builder, inner.getLoc(), condition, inner.getCondition());
  }
  outer.getConditionMutable().assign(condition);
  Block *branches = outer.thenBlock();
  innermost.thenBlock()->moveBefore(branches);
  branches->erase();
}

void mergeDeepBranches(Operation *root) {
  constexpr size_t deep = 32;
  SmallVector<SmallVector<scf::IfOp>> nests;
  DenseSet<Operation *> seen;
  root->walk<WalkOrder::PreOrder>([&](scf::IfOp branch) {
    if (!hasOneArm(branch) || seen.contains(branch))
      return;
    SmallVector<scf::IfOp> nest;
    for (scf::IfOp next = branch; next; next = onlyBranchIn(next)) {
      seen.insert(next);
      nest.push_back(next);
    }
    if (nest.size() > deep)
      nests.push_back(std::move(nest));
  });
  for (ArrayRef<scf::IfOp> nest : llvm::reverse(nests)) // inner ones first: outer ones keep them
    merge(nest);
}

struct Simplify : impl::SimplifyBase<Simplify> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateWideLoopPatterns(set);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(set);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(set, context);
    patterns = std::move(set);
    return success();
  }

  void run() override {
    mergeDeepBranches(getOperation());
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal(true).setRegionSimplificationLevel(GreedySimplifyRegionLevel::Normal);
    (void)applyPatternsGreedily(getOperation(), patterns, config); // what is not simple yet stays as it is
  }

  FrozenRewritePatternSet patterns;
};

} // namespace

} // namespace triton::tensor
