// Ops of `ttg` and `ttng` that only kernels write: what reads or lowers these includes this, all else is spared.
#ifndef TRITON_COMPILER_GPU_DIALECT_EXPLICITOPS_H
#define TRITON_COMPILER_GPU_DIALECT_EXPLICITOPS_H

#include "compiler/gpu/Gpu.h"

#define GET_OP_CLASSES
#include "compiler/gpu/dialect/ExplicitOps.h.inc"
#define GET_OP_CLASSES
#include "compiler/gpu/dialect/ExplicitNvidiaOps.h.inc"

namespace triton::gpu {

/// TMA's copies with this attribute are made once for all CTAs that hold the same part of the buffer.
inline constexpr llvm::StringLiteral multicastName = "multicast";

/// What caches are asked to keep of a load, store or copy: a dictionary of `l1`, `l2_primary`, `l2_secondary`, `l2_fraction` and `l2_prefetch_size`.
inline constexpr llvm::StringLiteral cachePolicyName = "cachePolicy";

/// The type of `src[..., indices, ...]` along `axis`: the shape and layout of the indices.
mlir::FailureOr<mlir::RankedTensorType> inferLocalGather(MemDescType buffer, mlir::RankedTensorType indices,
                                                         int64_t axis,
                                                         llvm::function_ref<mlir::InFlightDiagnostic()> error);

} // namespace triton::gpu

#endif
