// Matrices of 8 x 16 bytes between registers and shared memory: ldmatrix and stmatrix.
#pragma once

#include "compiler/llvm/gpu/memory/SharedAccess.h"
#include "compiler/llvm/nvidia/Families.h"

#include "compiler/layout/SharedVectors.h"

namespace triton::nvidia {

/// False or nullopt where that is not what the access is.
bool storeMatrices(Emitter &emitter, const SharedPlace &place, const layout::SharedVectors &plan,
                   llvm::ArrayRef<llvm::Value *> values);
std::optional<Registers> loadMatrices(Emitter &emitter, const SharedPlace &place, const layout::SharedVectors &plan,
                                      llvm::Type *element);

} // namespace triton::nvidia
