// Where a rule puts its error while an op is being built or parsed: at the op's place, or nowhere when nobody asked.
#ifndef TRITON_COMPILER_TENSOR_RULES_INFERERROR_H
#define TRITON_COMPILER_TENSOR_RULES_INFERERROR_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

#include <optional>

namespace triton::tensor {

inline auto errorAt(std::optional<mlir::Location> location) {
  return [location] { return location ? mlir::emitError(*location) : mlir::InFlightDiagnostic(); };
}

} // namespace triton::tensor

#endif
