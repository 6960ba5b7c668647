// Moves reductions of accumulators into the loops that accumulate: see the source.
#pragma once

#include <memory>

namespace mlir {
class Pass;
}

namespace triton::cpu {

std::unique_ptr<mlir::Pass> createReduceInsideLoops();
/// Makes `--cpu-reduce-inside-loops` known to triton-opt.
void registerReduceInsideLoops();

} // namespace triton::cpu
