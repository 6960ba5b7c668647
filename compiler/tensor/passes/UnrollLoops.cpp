// Unrolls the loops that ask for it.
//
//   scf.for %i = %zero to %n step %one : i32 {
//     body(%i)
//   } {tt.loop_unroll_factor = 2 : i32}
// becomes
//   scf.for %i = %zero to %even step %two : i32 {
//     body(%i)
//     body(%i + 1)
//   }
//   scf.for %i = %even to %n step %one : i32 {
//     body(%i)
//   }
//
// The second loop does what is left over and is not unrolled again. A factor below 2 means no unrolling, one that would
// make more than a thousand ops is cut. Loops inside of other loops go first, so that an outer loop copies what is already
// unrolled. Unless their bounds are constants, loops count their iterations first: a multiple of their own step might
// wrap.
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/TripCount.h"
#include "compiler/tensor/passes/Passes.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::tensor {

#define GEN_PASS_DEF_UNROLLLOOPS
#include "compiler/tensor/passes/Passes.h.inc"

namespace {

/// As much of `factor` as keeps the unrolled body at a size that is still worth compiling: LLVM takes the square of it for a sum of that many values.
int64_t limit(scf::ForOp loop, int64_t factor) {
  constexpr int64_t mostOps = 1024;
  int64_t ops = 0;
  loop.getBody()->walk([&](Operation *) { ++ops; });
  return std::min(factor, std::max<int64_t>(mostOps / ops, 1));
}

/// Whether nothing wraps in the loop's own type, also `copies` steps at a time.
bool isFarFromOverflow(scf::ForOp loop, int64_t copies) {
  llvm::APInt lower, upper, step;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) || lower.isNegative() || !hasPositiveStep(loop) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) || upper.isNegative() ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) || step.isNegative())
    return false;
  constexpr unsigned enough = 128;
  return (upper.zext(enough) + step.zext(enough) * copies).isSignedIntN(step.getBitWidth());
}

struct UnrollLoops : impl::UnrollLoopsBase<UnrollLoops> {
  void run() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      if (loop->hasAttr(loopUnrollFactorName))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      auto factor = dyn_cast<IntegerAttr>(loop->getAttr(loopUnrollFactorName));
      loop->removeAttr(loopUnrollFactorName);
      // A loop that cannot be unrolled stays as it is: the factor is a hint.
      int64_t copies = factor ? limit(loop, factor.getInt()) : 1;
      if (copies <= 1)
        continue;
      if (!isFarFromOverflow(loop, copies)) {
        IRRewriter rewriter(loop.getContext());
        countIterations(rewriter, loop);
      }
      (void)loopUnrollByFactor(loop, copies);
    }
  }
};

} // namespace

} // namespace triton::tensor
