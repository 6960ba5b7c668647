// Where an operation was written, out of its location.
#pragma once

#include "compiler/support/SourceMap.h"

#include "mlir/IR/Location.h"

namespace triton::tensor {

/// The innermost place first, then the calls that inlining went through. Of locations fused into one, the first that has a place.
PlaceChain placesOf(mlir::Location location);

} // namespace triton::tensor
