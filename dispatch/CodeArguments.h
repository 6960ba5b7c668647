// The block of arguments that code reads.
#pragma once

#include "compiler/artifact/Artifact.h"

namespace triton::dispatch {

/// Fills `offset` and `size` from the types by the layout rules of a C struct; gives the bytes of the whole block.
uint32_t layOutArguments(std::vector<artifact::Argument> &arguments);

} // namespace triton::dispatch
