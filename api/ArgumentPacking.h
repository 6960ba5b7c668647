// One argument of a launch from C++, as bytes in the block that the kernel reads.
#pragma once

#include <triton/triton.h>

#include "compiler/artifact/Artifact.h"

namespace triton {

/// Writes it as its run-time type asks.
void packArgument(const Argument &argument, const artifact::Argument &slot, char *block);

} // namespace triton
