// Buffers that are filled as late as can be, so that fewer are alive at once.
#ifndef TRITON_COMPILER_GPU_PASSES_MEMORY_LATEBUFFERS_H
#define TRITON_COMPILER_GPU_PASSES_MEMORY_LATEBUFFERS_H

#include "compiler/gpu/Gpu.h"

namespace triton::gpu {

///   %x = ttg.local_alloc %a                              %y = …
///   ttng.fence_async_shared              becomes         %x = ttg.local_alloc %a
///   %y = …                                               ttng.fence_async_shared
///   ttng.warp_group_dot %x, …                            ttng.warp_group_dot %x, …
/// Values stay in registers until then. A buffer that a fence of its own follows gets another one, others stay before the next fence; those that
/// are filled anew, or used in another block only, stay where they are.
void fillBuffersLate(mlir::ModuleOp module);

} // namespace triton::gpu

#endif
