// The plan of each op that moves values between threads. Allocation asks how much shared memory it takes, code generation carries it out: both
// ask here, so they mean the same plan.
#ifndef TRITON_COMPILER_GPU_EXCHANGEPLANS_H
#define TRITON_COMPILER_GPU_EXCHANGEPLANS_H

#include "compiler/gpu/Gpu.h"
#include "compiler/layout/Conversion.h"
#include "compiler/layout/Gather.h"
#include "compiler/layout/ThreadProgram.h"

namespace triton::gpu {

/// Bits an element takes in shared memory: i1 is a byte, pointers are 64 bits.
unsigned getMemoryBits(mlir::Type element);

/// How many bits of each element go through shared memory at a time: all, unless those of all elements would not fit. Where not even bytes of them
/// do, the plan is that of one part of the elements: those with the same value in all `cuts`. The parts are converted one after the other.
struct ConvertPlan : layout::ConversionPlan {
  unsigned pieceBits;
  llvm::SmallVector<layout::CommonRegisterBit> cuts;
};
ConvertPlan getPlan(ConvertLayoutOp op);

/// What each CTA does with the elements it holds, and the bits of its number that tell apart CTAs whose results must then be combined; nullopt if
/// those hold different results.
struct ReducePlan {
  layout::ThreadProgram program;
  std::optional<unsigned> ctas;
};
ReducePlan getPlan(tensor::ReduceOp op);

/// A layout that cannot be scanned is left for one that can and returned to.
struct ScanPlan {
  layout::ThreadProgram program;
  std::optional<layout::LinearLayout> through;
};
ScanPlan getPlan(tensor::ScanOp op);

/// A source that is spread over CTAs is collected first: `through` is its layout then. Through shared memory go so many bits of each element at a
/// time: all, unless those of all elements would not fit.
struct GatherPlan : layout::GatherPlan {
  std::optional<layout::LinearLayout> through;
  unsigned pieceBits;
};
GatherPlan getPlan(tensor::GatherOp op);

/// Whether the result of `tt.cat` is more than the registers of its operands side by side.
bool needsBuffer(tensor::CatOp op);
/// Whether other threads than the one that does the atomic access of an element need its result.
bool needsBuffer(tensor::AtomicRMWOp op);
bool needsBuffer(tensor::AtomicCASOp op);

} // namespace triton::gpu

#endif
