// Does what MLIR's canonicaliser does, and keeps it from deleting loops whose bounds lie far apart.
//
//   %low = arith.constant -2000000000 : i32
//   %high = arith.constant 2000000000 : i32
//   scf.for %i = %low to %high step %step : i32 { body(%i) }
// becomes
//   scf.for %n = %zero to %count step %one : i64 { body(%low + %n * %step) }
//
// MLIR 22 takes the first loop for an empty one, since the difference of its bounds is negative in 32 bits. Bounds become constants while it
// simplifies, so the rewriting has to happen there too: all pipelines run this pass where they would run the canonicaliser.
#include "compiler/tensor/TripCount.h"
#include "compiler/tensor/passes/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace triton::tensor {

#define GEN_PASS_DEF_SIMPLIFY
#include "compiler/tensor/passes/Passes.h.inc"

namespace {

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
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal(true).setRegionSimplificationLevel(GreedySimplifyRegionLevel::Normal);
    (void)applyPatternsGreedily(getOperation(), patterns, config); // what is not simple yet stays as it is
  }

  FrozenRewritePatternSet patterns;
};

} // namespace

} // namespace triton::tensor
