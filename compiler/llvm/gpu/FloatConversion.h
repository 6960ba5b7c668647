// Conversions between all float formats of the language.
//   In:  registers of one format; 8-bit floats as i8.
//   Out: registers of another. Neighbours are converted together where an instruction takes pairs.
// Narrowing to 8 bits saturates: what is too large becomes the largest finite value, NaN stays NaN. Other formats overflow as IEEE says.
#pragma once

#include "compiler/llvm/gpu/Emitter.h"
#include "compiler/tensor/Tensor.h"

namespace triton::simt {

Registers convertFloats(Emitter &emitter, llvm::ArrayRef<llvm::Value *> values, mlir::Type from, mlir::Type to,
                        tensor::RoundingMode rounding = tensor::RoundingMode::NearestEven);

/// Whether the hardware has no arithmetic at all for this type: it is widened first.
bool isStorageOnly(mlir::Type type);

} // namespace triton::simt
