// Replaces elementary functions by arithmetic: see the source for what becomes of each.
#pragma once

#include "compiler/cpu/Target.h"

#include <memory>

namespace mlir {
class Pass;
}

namespace triton::cpu {

std::unique_ptr<mlir::Pass> createExpandMath(const HostTarget &target);
/// Makes `--cpu-expand-math` known to triton-opt.
void registerExpandMath();

} // namespace triton::cpu
