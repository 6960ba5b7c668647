// A driver whose devices are the simulator's: kernels are PTX, run on the host's processor before the launch returns, and take memory of the host.
//   In:  an architecture (sm_90a).
//   Out: a table like that of NVIDIA's library, so that everything above it is as on a GPU.
#pragma once

#include "runtime/cuda/DriverApi.h"

namespace triton::runtime::cuda {

/// What `Driver::setLibrary` takes instead of a path: "simulator:sm_90a".
inline constexpr llvm::StringLiteral simulatorPrefix = "simulator:";

/// One for the process: the architecture of the first call counts.
llvm::Expected<std::unique_ptr<const DriverApi>> simulatedDriver(llvm::StringRef architecture);

} // namespace triton::runtime::cuda
