// Lets kernels report their memory accesses: see the source.
#pragma once

#include <memory>

namespace mlir {
class Pass;
}

namespace triton::cpu {

/// On the `tt.print` that reports an access: bytes, kind and order as one number, and what is to be said about it.
inline constexpr char accessAttribute[] = "cpu.access", siteAttribute[] = "cpu.site";

std::unique_ptr<mlir::Pass> createCheckAccesses();
/// Makes `--cpu-check-accesses` known to triton-opt.
void registerCheckAccesses();

} // namespace triton::cpu
