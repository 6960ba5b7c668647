// One argument of a launch from C or C++, as bytes in the block that the kernel reads.
#pragma once

#include "api/Arguments.h"
#include "compiler/artifact/Artifact.h"

namespace triton {

/// Writes it as its run-time type asks.
void packArgument(const triton_argument &argument, const artifact::Argument &slot, char *block);

} // namespace triton
