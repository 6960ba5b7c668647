// Makes a kernel that fails smaller, as long as it still fails.
#pragma once

#include "test/differential/RandomKernel.h"

#include <functional>

namespace triton::differential {

/// Takes ops out of `kernel` one by one, and what they made use of, and keeps each change after which `fails` still says so.
void reduce(RandomKernel &kernel, const std::function<bool(RandomKernel &)> &fails);

} // namespace triton::differential
