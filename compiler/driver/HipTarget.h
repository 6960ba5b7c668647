// The target "hip": AMD GPUs.
#pragma once

#include "compiler/driver/Target.h"

namespace triton::driver {

std::unique_ptr<Target> createHipTarget();

} // namespace triton::driver
