// Scaled products as plain ones: see the source.
#pragma once

#include <memory>

namespace mlir {
class Pass;
}

namespace triton::cpu {

std::unique_ptr<mlir::Pass> createDecomposeScaledDot();
/// Makes `--cpu-decompose-scaled-dot` known to triton-opt.
void registerDecomposeScaledDot();

} // namespace triton::cpu
