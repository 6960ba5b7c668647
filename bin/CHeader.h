// A C header for a kernel's object file: the argument block, and a function that packs it and runs a grid.
#pragma once

#include "compiler/artifact/Artifact.h"

#include <string>

namespace triton {

/// Without the function that runs a grid for a kernel whose programs wait for each other: on one thread it would not end.
std::string makeCHeader(const artifact::Artifact &artifact);

} // namespace triton
