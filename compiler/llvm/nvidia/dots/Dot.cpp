// Dots: by mma.sync, by wgmma, or by scalar multiply-adds, as the layout of the accumulator says.
#include "compiler/llvm/nvidia/dots/Dot.h"

#include "compiler/llvm/nvidia/Families.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::nvidia {

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

llvm::StringRef multiplicandName(Type element) {
  return llvm::TypeSwitch<Type, llvm::StringRef>(element)
      .Case<Float16Type>([](auto) { return "f16"; })
      .Case<BFloat16Type>([](auto) { return "bf16"; })
      .Case<Float32Type>([](auto) { return "tf32"; })
      .Case<Float64Type>([](auto) { return "f64"; })
      .Case<Float8E4M3FNType>([](auto) { return "e4m3"; })
      .Case<Float8E5M2Type>([](auto) { return "e5m2"; })
      .Case<IntegerType>([](IntegerType type) { return type.getWidth() == 8 ? "s8" : ""; })
      .Default([](Type) { return ""; });
}

llvm::Value *callTogether(Emitter &emitter, llvm::StringRef text, llvm::StringRef constraints, llvm::Type *result,
                          llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::Value *call = emitter.inlineAsm(text, constraints, result, arguments, AsmEffects::None);
  llvm::cast<llvm::CallInst>(call)->setConvergent();
  return call;
}

static llvm::LogicalResult emitTensorDot(Emitter &emitter, tensor::DotOp dot) {
  Attribute layout = cast<RankedTensorType>(dot.getD().getType()).getEncoding();
  if (auto mma = dyn_cast_or_null<gpu::MmaAttr>(layout)) {
    if (mma.isWgmma())
      return dot.emitError() << "a dot by wgmma takes its operands from shared memory";
    return emitMmaDot(emitter, dot);
  }
  return emitFmaDot(emitter, dot);
}

Emitted emitDot(Emitter &emitter, Operation *op) {
  if (auto dot = dyn_cast<tensor::DotOp>(op))
    return emitTensorDot(emitter, dot);
  if (auto dot = dyn_cast<gpu::WarpGroupDotOp>(op))
    return emitWarpGroupDot(emitter, dot);
  if (auto wait = dyn_cast<gpu::WarpGroupDotWaitOp>(op))
    return emitWarpGroupDotWait(emitter, wait);
  return std::nullopt;
}

} // namespace triton::nvidia
