// The dialect `amdg`, in a namespace of its own: some of its ops are called as those of `ttng`.
#ifndef TRITON_COMPILER_GPU_DIALECT_AMDOPS_H
#define TRITON_COMPILER_GPU_DIALECT_AMDOPS_H

#include "compiler/gpu/Gpu.h"

#include "compiler/gpu/dialect/AmdDialect.h.inc"

namespace triton::gpu {
/// Marks a `tt.load` or `tt.store` whose pointers are one base plus 32-bit offsets, all of them within 2^31 bytes from the base where they are accessed.
inline constexpr llvm::StringLiteral bufferAccessName = "amdg.buffer";
} // namespace triton::gpu

#define GET_OP_CLASSES
#include "compiler/gpu/dialect/AmdOps.h.inc"

#endif
