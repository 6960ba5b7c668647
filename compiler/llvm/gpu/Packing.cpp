#include "compiler/llvm/gpu/Packing.h"

#include "llvm/Support/raw_ostream.h"

namespace triton::simt {

llvm::Value *pack(llvm::IRBuilderBase &builder, llvm::ArrayRef<llvm::Value *> values) {
  auto *type = llvm::FixedVectorType::get(values[0]->getType(), values.size());
  llvm::Value *whole = nullptr;
  for (auto [index, value] : llvm::enumerate(values)) {
    auto *part = llvm::dyn_cast<llvm::ExtractElementInst>(value);
    auto *place = part ? llvm::dyn_cast<llvm::ConstantInt>(part->getIndexOperand()) : nullptr;
    if (!place || place->getZExtValue() != index || part->getVectorOperandType() != type ||
        (whole && whole != part->getVectorOperand())) {
      whole = nullptr;
      break;
    }
    whole = part->getVectorOperand();
  }
  if (whole)
    return whole;
  llvm::Value *vector = llvm::PoisonValue::get(type);
  for (auto [index, value] : llvm::enumerate(values))
    vector = builder.CreateInsertElement(vector, value, builder.getInt32(index));
  return vector;
}

llvm::SmallVector<llvm::Value *, 8> unpack(llvm::IRBuilderBase &builder, llvm::Value *vector) {
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(vector->getType());
  if (!type)
    return {vector};
  llvm::SmallVector<llvm::Value *, 8> values;
  for (unsigned index = 0; index < type->getNumElements(); ++index)
    values.push_back(builder.CreateExtractElement(vector, builder.getInt32(index)));
  return values;
}

llvm::Value *bitCast(llvm::IRBuilderBase &builder, llvm::Value *value, llvm::Type *type) {
  if (value->getType() == type)
    return value;
  bool fromPointer = value->getType()->isPtrOrPtrVectorTy(), toPointer = type->isPtrOrPtrVectorTy();
  if (fromPointer && toPointer)
    return builder.CreateAddrSpaceCast(value, type);
  if (fromPointer)
    return bitCast(builder, builder.CreatePtrToInt(value, builder.getInt64Ty()), type);
  if (toPointer)
    return builder.CreateIntToPtr(bitCast(builder, value, builder.getInt64Ty()), type);
  return builder.CreateBitCast(value, type);
}

llvm::StructType *resultsType(llvm::ArrayRef<llvm::Type *> types) {
  constexpr size_t few = 8;
  llvm::LLVMContext &context = types.front()->getContext();
  if (types.size() <= few)
    return llvm::StructType::get(context, types);
  std::string name;
  llvm::raw_string_ostream text(name);
  for (llvm::ArrayRef<llvm::Type *> left = types; !left.empty();) {
    const size_t run = left.take_while([&](llvm::Type *type) { return type == left.front(); }).size();
    text << (name.empty() ? "" : ".") << *left.front() << "x" << run;
    left = left.drop_front(run);
  }
  llvm::StructType *known = llvm::StructType::getTypeByName(context, name);
  return known ? known : llvm::StructType::create(context, types, name);
}

unsigned storageBits(llvm::Type *type) {
  if (type->isPointerTy())
    return 64;
  return std::max(8u, static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue()));
}

llvm::Type *storageType(llvm::IRBuilderBase &builder, llvm::Type *type) {
  return type->isIntegerTy(1) ? builder.getInt8Ty() : type->isPointerTy() ? builder.getInt64Ty() : type;
}

llvm::Value *toStorage(llvm::IRBuilderBase &builder, llvm::Value *value) {
  if (value->getType()->isIntegerTy(1))
    return builder.CreateZExt(value, builder.getInt8Ty());
  if (value->getType()->isPointerTy())
    return builder.CreatePtrToInt(value, builder.getInt64Ty());
  return value;
}

llvm::Value *fromStorage(llvm::IRBuilderBase &builder, llvm::Value *value, llvm::Type *type) {
  if (type->isIntegerTy(1))
    return builder.CreateICmpNE(value, builder.getInt8(0));
  return bitCast(builder, value, type);
}

llvm::SmallVector<llvm::Value *, 8> toWords(llvm::IRBuilderBase &builder, llvm::ArrayRef<llvm::Value *> values,
                                            unsigned bits) {
  llvm::SmallVector<llvm::Value *, 8> stored, words;
  for (llvm::Value *value : values)
    stored.push_back(toStorage(builder, value));
  unsigned width = storageBits(values[0]->getType());
  auto *word = builder.getIntNTy(bits);
  if (width > bits) {
    for (llvm::Value *value : stored)
      for (llvm::Value *part : unpack(builder, bitCast(builder, value, llvm::FixedVectorType::get(word, width / bits))))
        words.push_back(part);
    return words;
  }
  unsigned count = bits / width;
  assert(values.size() % count == 0 && "the values do not fill whole words");
  for (unsigned first = 0; first < values.size(); first += count) {
    llvm::ArrayRef<llvm::Value *> group = llvm::ArrayRef(stored).slice(first, count);
    words.push_back(bitCast(builder, count == 1 ? group[0] : pack(builder, group), word));
  }
  return words;
}

llvm::SmallVector<llvm::Value *, 8> fromWords(llvm::IRBuilderBase &builder, llvm::ArrayRef<llvm::Value *> words,
                                              llvm::Type *type) {
  unsigned width = storageBits(type), bits = storageBits(words[0]->getType());
  llvm::Type *stored = storageType(builder, type);
  llvm::SmallVector<llvm::Value *, 8> values;
  if (width > bits) {
    unsigned count = width / bits;
    for (unsigned first = 0; first < words.size(); first += count)
      values.push_back(fromStorage(builder, bitCast(builder, pack(builder, words.slice(first, count)), stored), type));
    return values;
  }
  for (llvm::Value *word : words) {
    if (width == bits) {
      values.push_back(fromStorage(builder, bitCast(builder, word, stored), type));
      continue;
    }
    for (llvm::Value *part : unpack(builder, bitCast(builder, word, llvm::FixedVectorType::get(stored, bits / width))))
      values.push_back(fromStorage(builder, part, type));
  }
  return values;
}

} // namespace triton::simt
