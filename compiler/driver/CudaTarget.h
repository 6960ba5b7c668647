// NVIDIA GPUs as a target: tensor IR -> GPU IR -> LLVM IR -> PTX -> cubin.
#pragma once

#include "compiler/driver/Target.h"

namespace triton::driver {

std::unique_ptr<Target> createCudaTarget();

} // namespace triton::driver
