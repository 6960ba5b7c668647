// Dots: by mma.sync, by wgmma, or by scalar multiply-adds, as the layout of the accumulator says.
#include "compiler/llvm/gpu/dots/Dot.h"

#include "compiler/llvm/gpu/Families.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::simt {

RegisterIndex::RegisterIndex(const layout::LinearLayout &map) {
  for (const layout::LinearLayout::Output &output : map.outputs())
    shape.push_back(output.size);
  for (unsigned reg = 0; reg < map.inputSize("register"); ++reg) {
    elements.push_back(map.apply({{"register", reg}}));
    registers.try_emplace(flatten(elements.back()), reg);
  }
}

uint64_t RegisterIndex::flatten(llvm::ArrayRef<int64_t> element) const {
  uint64_t index = 0;
  for (auto [size, coordinate] : llvm::zip_equal(shape, element))
    index = index * size + (coordinate & (size - 1));
  return index;
}

unsigned RegisterIndex::at(llvm::ArrayRef<int64_t> element) const {
  auto found = registers.find(flatten(element));
  assert(found != registers.end() && "operands are laid out for the accumulator");
  return found->second;
}

/// Two floats that are rounded to 16 bits, as one vector: there is an instruction for both. Null if they are something else.
static llvm::Value *roundTogether(llvm::IRBuilder<> &builder, llvm::ArrayRef<llvm::Value *> elements) {
  if (elements.size() != 2)
    return nullptr;
  llvm::Value *wide = llvm::PoisonValue::get(llvm::FixedVectorType::get(builder.getFloatTy(), 2));
  for (auto [i, element] : llvm::enumerate(elements)) {
    auto *rounding = llvm::dyn_cast<llvm::FPTruncInst>(element);
    if (!rounding || !rounding->getSrcTy()->isFloatTy())
      return nullptr;
    wide = builder.CreateInsertElement(wide, rounding->getOperand(0), i);
  }
  return builder.CreateFPTrunc(wide, llvm::FixedVectorType::get(elements.front()->getType(), 2));
}

llvm::Value *packWord(Emitter &emitter, llvm::ArrayRef<llvm::Value *> elements) {
  llvm::IRBuilder<> &builder = emitter.builder;
  if (llvm::Value *rounded = roundTogether(builder, elements))
    return builder.CreateBitCast(rounded, builder.getInt32Ty());
  llvm::Value *word = elements.front();
  if (elements.size() > 1) {
    word = llvm::PoisonValue::get(llvm::FixedVectorType::get(elements.front()->getType(), elements.size()));
    for (auto [i, element] : llvm::enumerate(elements))
      word = builder.CreateInsertElement(word, element, i);
  }
  return builder.CreateBitCast(word, builder.getInt32Ty());
}

Registers unpackWord(Emitter &emitter, llvm::Value *word, llvm::Type *type) {
  llvm::IRBuilder<> &builder = emitter.builder;
  unsigned count = 32 / type->getPrimitiveSizeInBits().getFixedValue();
  if (count == 1)
    return {builder.CreateBitCast(word, type)};
  llvm::Value *vector = builder.CreateBitCast(word, llvm::FixedVectorType::get(type, count));
  Registers elements;
  for (unsigned i = 0; i < count; ++i)
    elements.push_back(builder.CreateExtractElement(vector, i));
  return elements;
}

Emitted emitDot(Emitter &emitter, Operation *op) {
  auto dot = dyn_cast<tensor::DotOp>(op);
  if (!dot)
    return std::nullopt;
  if (Emitted emitted = emitter.machine.emitDot(emitter, dot))
    return emitted;
  return emitFmaDot(emitter, dot);
}

} // namespace triton::simt
