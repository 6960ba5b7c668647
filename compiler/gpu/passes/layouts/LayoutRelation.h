// How the layouts of an op's operands and results hang together: each is tied to the one layout that the op has (its slot) by a relation
// that can be followed both ways.
//
//   %r = "tt.reduce"(%x) <{axis = 1}>       slot: the layout of %x;   %x: the same;   %r: its slice without dimension 1
#pragma once

#include "compiler/gpu/Gpu.h"

namespace triton::gpu {

/// The layout of one tensor, told by the layout of a slot.
struct LayoutRelation {
  enum class Kind {
    Same,
    Slice,        // without dimension `axis`
    Transposed,   // dimensions in `order`
    Reshaped,     // the same elements in the tensor's own shape
    Joined,       // with a last dimension of size 2 in registers
    Concatenated, // twice as long along dimension 0, the second half in other registers
    Fixed,        // `layout`, whatever the slot's
    Any           // the op takes it as it comes
  } kind = Kind::Same;
  unsigned axis = 0;
  llvm::SmallVector<int32_t> order;
  mlir::Attribute layout;

  /// The layout of a tensor of `type` when the slot, a tensor of type `slot`, is in `layout`. Null for `Any`, and where there is none.
  mlir::Attribute follow(mlir::Attribute layout, mlir::RankedTensorType slot, mlir::RankedTensorType type) const;
  /// The layout of the slot that puts the tensor into `layout`; null if no layout does, or none can be told.
  mlir::Attribute trace(mlir::Attribute layout, mlir::RankedTensorType slot, mlir::RankedTensorType type) const;
};

/// Of the tensors of an op without carried values. The slot is a tensor of type `slotType`.
LayoutRelation relationOf(mlir::OpOperand &operand, CtaThreads threads);
LayoutRelation relationOf(mlir::OpResult result, CtaThreads threads);
/// The tensor whose layout is that of the op; null for an op that ties nothing together.
mlir::RankedTensorType slotType(mlir::Operation *op);

/// Whether the op works in this layout of its slot.
bool isLegal(mlir::Operation *op, mlir::RankedTensorType slot, mlir::Attribute layout);

/// The layout of what nothing else decides.
mlir::Attribute defaultLayout(mlir::Operation *op, mlir::RankedTensorType type, CtaThreads threads);

} // namespace triton::gpu
