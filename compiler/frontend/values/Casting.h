// What conversions check that other places check too.
#pragma once

#include "compiler/frontend/values/Type.h"

#include "mlir/Support/LLVM.h"

namespace triton::frontend {

class Emitter;

/// An error if the elements are of an 8-bit float type that the target does not have.
mlir::LogicalResult checkTypeSupported(Emitter &emitter, Type type);

} // namespace triton::frontend
