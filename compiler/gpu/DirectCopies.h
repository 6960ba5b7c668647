// Copies that AMD's GPUs make from global memory to LDS without registers.
//   A wave's lanes write side by side: lane l writes the l-th piece of a row of pieces whose place the wave has once. So nothing is swizzled within such a row. Rows of the tensor that are read together lie in
//   different ones, and each of those is followed by a gap of one piece, which puts them into different banks.
#ifndef TRITON_COMPILER_GPU_DIRECTCOPIES_H
#define TRITON_COMPILER_GPU_DIRECTCOPIES_H

#include "compiler/gpu/Gpu.h"
#include "compiler/gpu/Target.h"

namespace triton::gpu {

/// Marks an `async_copy_global_to_local` whose pointers lie as its instructions want them; i32: bytes of a piece.
inline constexpr llvm::StringLiteral directCopyName = "amdg.direct";
/// Attribute of AMD's modules, i32: 1 where copies are to be direct wherever the architecture has such, 0 where none is. Else they are where pieces of 16 bytes can be copied.
inline constexpr llvm::StringLiteral directCopiesName = "ttg.direct-copies";

/// Beside the mark of an access of a buffer (`bufferAccessName`): the base is the kernel's argument, and offsets from that are meant.
inline constexpr llvm::StringLiteral bufferOfArgumentName = "amdg.of_argument";

/// Whether a load reads memory anew each time it runs: it is volatile or `.cv`. LLVM takes what an instruction of buffers reads for what stays there, so such loads are none.
bool readsAnew(tensor::LoadOp load);

/// The argument that a tensor of pointers is made of at 32-bit offsets, if `tt.pointer_range = 32` says that it points to less than 2^31 bytes; null otherwise. What is the same for all
/// elements, how far a loop has moved its pointers for instance, may be wider.
mlir::Value smallArgument(mlir::Value pointers);

/// The largest pieces, in bytes, that loops of the module copy directly and that are no larger than `most`; 0 if there are none.
unsigned directPiece(mlir::ModuleOp module, const AmdArchitecture &architecture, unsigned most = 16);

/// A buffer for values of a type that are neighbours along `fastest`, for pieces of `bytes`; null if there are too few of them for all lanes.
mlir::Attribute directBuffer(mlir::RankedTensorType type, unsigned fastest, unsigned bytes, unsigned lanes);

/// The layout of pointers by which pieces of `bytes` fill a buffer side by side; null if threads would have to share one.
mlir::Attribute directLayout(MemDescType buffer, unsigned bytes, unsigned lanes, unsigned warps);

} // namespace triton::gpu

#endif
