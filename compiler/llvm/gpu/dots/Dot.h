// What the lowerings of dots share: which register holds which element, and 32-bit words of several elements.
#pragma once

#include "compiler/llvm/gpu/Emitter.h"

#include "compiler/gpu/Gpu.h"

namespace triton::simt {

/// The registers of a tensor by the element that they hold in lane 0 of warp 0. Indices wrap around: where a tensor is smaller than an
/// instruction, the instruction's further rows and columns are copies.
class RegisterIndex {
public:
  explicit RegisterIndex(const layout::LinearLayout &map);
  unsigned at(llvm::ArrayRef<int64_t> element) const;
  /// The element that a register holds there.
  const layout::Coordinates &element(unsigned reg) const { return elements[reg]; }
  unsigned size() const { return elements.size(); }

private:
  uint64_t flatten(llvm::ArrayRef<int64_t> element) const;

  layout::Coordinates shape;
  std::vector<layout::Coordinates> elements;
  llvm::DenseMap<uint64_t, unsigned> registers;
};

/// Elements, lowest first, as one i32; f32 as its bits.
llvm::Value *packWord(Emitter &emitter, llvm::ArrayRef<llvm::Value *> elements);
/// The inverse, into elements of `type`.
Registers unpackWord(Emitter &emitter, llvm::Value *word, llvm::Type *type);

llvm::LogicalResult emitFmaDot(Emitter &emitter, tensor::DotOp dot);

} // namespace triton::simt
