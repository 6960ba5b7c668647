// How often an `scf.for` runs.
//
// Here, as in Python, `scf.for %i = %lower to %upper step %step` runs for lower, lower + step, … below upper as numbers of any size: no sum
// wraps. It does not run at all for a step that is not positive. MLIR computes `upper - lower` and `i + step` in the loop's own type, where
// both can wrap: then it deletes loops, or never leaves them. Whoever lowers or rewrites loops asks here whether that can happen.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir {
class RewritePatternSet;
}

namespace triton::tensor {

/// Whether the step is known to be positive.
bool hasPositiveStep(mlir::scf::ForOp loop);

/// Whether `i + step` in the last iteration may be more than the loop's type holds.
bool mayStepBeyond(mlir::scf::ForOp loop);

/// How often a loop runs from `lower` to below `upper` by `step`, whose bits are read as an unsigned number. Zero for a step of zero. The
/// count is of type `counter`, and the largest of its signed numbers where it would be more.
mlir::Value createTripCount(mlir::OpBuilder &builder, mlir::Location location, mlir::Value lower, mlir::Value upper,
                            mlir::Value step, bool isUnsigned, mlir::Type counter);

/// Makes the loop count its iterations from 0 by 1, and compute its variable from that. Nothing wraps in such a loop whatever is done to it
/// by a factor that fits. The count has 64 bits unless the lower bound says that the loop's own type will do.
void countIterations(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop);

/// `countIterations` for loops with constant bounds that are further apart than a signed number of their type can say. MLIR takes those for
/// empty, so these patterns go before its own.
void populateWideLoopPatterns(mlir::RewritePatternSet &patterns);

} // namespace triton::tensor
