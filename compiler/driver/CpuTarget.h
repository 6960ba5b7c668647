// The CPU as a target: tensor IR -> loops over vectors -> object code for the host's processor or a named one.
#pragma once

#include "compiler/driver/Target.h"

namespace triton::driver {

std::unique_ptr<Target> createCpuTarget();

} // namespace triton::driver
