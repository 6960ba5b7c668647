// Operands of scaled products.
#pragma once

#include "compiler/frontend/emitter/Emitter.h"
#include "compiler/tensor/Tensor.h"

namespace triton::frontend {

/// An operand as floats of `format`; it may be given as their bits.
mlir::FailureOr<Value> asFormat(Emitter &emitter, const Value &value, tensor::ScaleDotElemType format);

} // namespace triton::frontend
