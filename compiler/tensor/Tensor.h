// The dialect `tt`: types, attributes and ops of tensor IR. Include this to build or read it.
#ifndef TRITON_COMPILER_TENSOR_TENSOR_H
#define TRITON_COMPILER_TENSOR_TENSOR_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "compiler/tensor/dialect/Types.h"

#include "compiler/tensor/dialect/Dialect.h.inc"
#include "compiler/tensor/dialect/Enums.h.inc"

namespace triton::tensor {

/// The memory that kernels are given pointers into: what loads read and stores write.
struct GlobalMemory : mlir::SideEffects::Resource::Base<GlobalMemory> {
  llvm::StringRef getName() final { return "<GlobalMemory>"; }
};

/// The loop attributes that `tl.range` sets on `scf.for`.
inline constexpr llvm::StringLiteral loopUnrollFactorName = "tt.loop_unroll_factor";
inline constexpr llvm::StringLiteral numStagesName = "tt.num_stages";
/// The argument attribute that promises divisibility, and the hints on ops.
inline constexpr llvm::StringLiteral divisibilityName = "tt.divisibility";
inline constexpr llvm::StringLiteral contiguityName = "tt.contiguity";
inline constexpr llvm::StringLiteral constancyName = "tt.constancy";

} // namespace triton::tensor

#define GET_OP_CLASSES
#include "compiler/tensor/dialect/Ops.h.inc"

#endif
