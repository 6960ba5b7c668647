// The attributes by which passes on GPU IR leave something to later ones that no op says. No user writes them. All are here, with who writes and
// who reads them; `gpu-check-stage` looks that each is only where this table says, and that there are no others.
//
//   attribute               on                         written by             read by                              until
//   gpu.left_in_registers   tt.dot                     gpu-transpose-dots     DotPlan: layouts, gpu-lower-dots     gpu-lower-dots
//   gpu.pinned              ttng.warp_group_dot_wait   gpu-pipeline-loops     code generation                      code
//   gpu.per_warp            ttng.arrive_barrier        gpu-pipeline-loops     gpu-insert-barriers, code generation code
//   gpu.meets               ttng.wait_barrier          gpu-pipeline-loops     gpu-insert-barriers                  code
//   allocation.room         ttg.convert_layout         gpu-allocate-shared    ExchangePlans: scratch, code         code
//   gpu.partition_state     the module                 gpu-allocate-shared    code generation                      code
//   gpu.shared_only         ttg.barrier                gpu-insert-barriers    code generation                      code
#ifndef TRITON_COMPILER_GPU_PRIVATEATTRIBUTES_H
#define TRITON_COMPILER_GPU_PRIVATEATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace triton::gpu {

/// On a dot whose operand A is to be read from registers, although it is loaded: it lies in memory as wgmma does not read it.
inline constexpr llvm::StringLiteral leftInRegistersName = "gpu.left_in_registers";
/// On a wait that must not be done earlier: there is work to do before it, which its last input is the result of.
inline constexpr llvm::StringLiteral pinnedName = "gpu.pinned";
/// On an arrival: one lane of each warp arrives, for what all its lanes did.
inline constexpr llvm::StringLiteral perWarpName = "gpu.per_warp";
/// On a wait: every thread has arrived for that phase, behind its accesses to the buffers that the wait names (`deps`) and behind a proxy fence;
/// for these buffers it is like a barrier of all threads.
inline constexpr llvm::StringLiteral meetsName = "gpu.meets";
/// On a conversion: the bytes that it may take, where it may not take what it would.
inline constexpr llvm::StringLiteral allocationRoomName = "allocation.room";
/// On the module: where in shared memory the number of the `ttg.warp_specialize` lies whose partitions are to run.
inline constexpr llvm::StringLiteral partitionStateName = "gpu.partition_state";

/// On a barrier: it is there for accesses of shared memory alone. Those that users write are for all memory.
inline constexpr llvm::StringLiteral sharedOnlyName = "gpu.shared_only";

/// The stages of GPU IR, by what has been decided when one ends.
enum class Stage {
  Layouts, // every tensor has a layout
  Loops,   // loops are pipelined, descriptors are TMA's: what `ttgir` shows
  Code     // buffers have offsets, barriers are in place: what code is generated from
};

/// Where attributes may be: behind these stages, the first to the last.
struct PrivateAttribute {
  llvm::StringLiteral name;
  Stage first, last;
};
inline constexpr PrivateAttribute privateAttributes[] = {
    {leftInRegistersName, Stage::Layouts, Stage::Layouts},
    {pinnedName, Stage::Loops, Stage::Code},
    {perWarpName, Stage::Loops, Stage::Code},
    {meetsName, Stage::Loops, Stage::Code},
    {allocationRoomName, Stage::Code, Stage::Code},
    {partitionStateName, Stage::Code, Stage::Code},
    {sharedOnlyName, Stage::Loops, Stage::Code},
};

} // namespace triton::gpu

#endif
