// What dots of every vendor read alike.
#pragma once

#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/tensor/Tensor.h"

namespace triton::gluon {

/// accumulator + a b, where both operands are in registers, laid out for the accumulator.
mlir::FailureOr<frontend::Value> multiplyRegisters(frontend::Emitter &emitter, const frontend::Value &a,
                                                   const frontend::Value &b, const frontend::Value &accumulator,
                                                   tensor::InputPrecision precision);
/// The format of an operand whose elements have scales: e2m1, e4m3 or e5m2.
mlir::FailureOr<tensor::ScaleDotElemType> readScaledFormat(frontend::Emitter &emitter, const frontend::Value &value,
                                                           llvm::StringRef what);

} // namespace triton::gluon
