// What the attributes of several layouts are checked for alike.
#ifndef TRITON_COMPILER_GPU_DIALECT_LAYOUTCHECKS_H
#define TRITON_COMPILER_GPU_DIALECT_LAYOUTCHECKS_H

#include "compiler/gpu/Gpu.h"
#include "compiler/tensor/rules/Rules.h"

namespace triton::gpu {

using tensor::EmitError;

llvm::LogicalResult checkPowersOfTwo(llvm::StringRef name, llvm::ArrayRef<int64_t> values, EmitError error);
/// Each of 0..rank-1 once.
llvm::LogicalResult checkOrder(llvm::ArrayRef<unsigned> order, EmitError error);
/// Flat bases of `rank` numbers that are not negative.
llvm::LogicalResult checkBases(llvm::StringRef name, llvm::ArrayRef<int64_t> flat, int64_t rank, EmitError error);
/// What layouts with phases need; `name` is the layout's.
llvm::LogicalResult checkPhases(llvm::StringRef name, llvm::ArrayRef<int64_t> phases, llvm::ArrayRef<unsigned> order,
                                llvm::ArrayRef<int64_t> cluster, EmitError error);
/// A tensor that a layout of `rank` can be laid over: of that rank, every size a power of two.
llvm::LogicalResult checkTensorShape(int64_t rank, llvm::ArrayRef<int64_t> shape, EmitError error);

/// The map with these inputs, given by flat bases.
layout::LinearLayout makeLinear(llvm::ArrayRef<std::pair<llvm::StringRef, llvm::ArrayRef<int64_t>>> inputs,
                                int64_t rank);

} // namespace triton::gpu

#endif
