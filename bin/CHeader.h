// A C header for a kernel's object file: the argument block, and a function that packs it and runs a grid.
#pragma once

#include "compiler/artifact/Artifact.h"

#include <string>

namespace triton {

std::string makeCHeader(const artifact::Artifact &artifact);

} // namespace triton
