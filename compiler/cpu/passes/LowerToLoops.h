// Tensor IR to loops over vectors: see the source.
#pragma once

#include "compiler/cpu/Target.h"

#include <memory>

namespace mlir {
class Pass;
}

namespace triton::cpu {

std::unique_ptr<mlir::Pass> createLowerToLoops(const HostTarget &target);
/// Makes `--cpu-lower-to-loops` known to triton-opt.
void registerLowerToLoops();

} // namespace triton::cpu
