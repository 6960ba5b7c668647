// Moves parts of long blocks into functions of their own: see the source.
#pragma once

#include <memory>

namespace mlir {
class Pass;
}

namespace triton::cpu {

std::unique_ptr<mlir::Pass> createSplitLongBlocks();
/// Makes `--cpu-split-long-blocks` known to triton-opt.
void registerSplitLongBlocks();

} // namespace triton::cpu
