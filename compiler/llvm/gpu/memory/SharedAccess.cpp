#include "compiler/llvm/gpu/memory/SharedAccess.h"

#include "compiler/layout/SharedVectors.h"

#include <map>

using namespace triton::layout;

namespace triton::simt {

unsigned memoryBits(llvm::Type *type) {
  if (type->isPointerTy())
    return 64;
  return std::max<unsigned>(8, llvm::PowerOf2Ceil(type->getPrimitiveSizeInBits().getFixedValue()));
}

llvm::Value *toMemory(Emitter &emitter, llvm::Value *value) {
  llvm::IRBuilder<> &builder = emitter.builder;
  llvm::Type *memory = builder.getIntNTy(memoryBits(value->getType()));
  if (value->getType()->isPointerTy())
    return builder.CreatePtrToInt(value, memory);
  if (value->getType()->isIntegerTy())
    return builder.CreateZExt(value, memory);
  return builder.CreateBitCast(value, memory);
}

llvm::Value *fromMemory(Emitter &emitter, llvm::Value *value, llvm::Type *type) {
  llvm::IRBuilder<> &builder = emitter.builder;
  if (type->isPointerTy())
    return builder.CreateIntToPtr(value, type);
  if (type->isIntegerTy())
    return builder.CreateTrunc(value, type);
  return builder.CreateBitCast(value, type);
}

SplitAddress splitAddress(Emitter &emitter, const SharedPlace &place, llvm::Value *dynamic, uint64_t dynamicBits,
                          uint64_t constant, unsigned elementBits) {
  llvm::IRBuilder<> &builder = emitter.builder;
  if (place.skew) {
    if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(place.skew)) {
      constant ^= known->getZExtValue();
    } else {
      dynamic = dynamic ? builder.CreateXor(dynamic, place.skew) : place.skew;
      dynamicBits = ~uint64_t(0);
    }
  }
  // Padding is no linear map: it is added to the whole offset.
  uint64_t added = place.padding.empty() ? constant & ~dynamicBits : 0;
  uint64_t flipped = constant & ~added;
  llvm::Value *address = place.base;
  if (flipped)
    dynamic =
        dynamic ? builder.CreateXor(dynamic, emitter.i32(flipped)) : static_cast<llvm::Value *>(emitter.i32(flipped));
  if (dynamic) {
    llvm::Value *offset = dynamic;
    for (auto [interval, padding] : place.padding) {
      llvm::Value *gaps = builder.CreateLShr(dynamic, llvm::Log2_32(interval));
      offset = builder.CreateAdd(offset, builder.CreateMul(gaps, emitter.i32(padding)));
    }
    address = builder.CreatePtrAdd(address, builder.CreateMul(offset, emitter.i32(elementBits / 8)));
  }
  return {address, static_cast<int64_t>(added * elementBits / 8)};
}

llvm::Value *elementAddress(Emitter &emitter, const SharedPlace &place, llvm::Value *dynamic, uint64_t dynamicBits,
                            uint64_t constant, unsigned elementBits) {
  auto [pointer, bytes] = splitAddress(emitter, place, dynamic, dynamicBits, constant, elementBits);
  // Last, so that it becomes the immediate offset of the access.
  return bytes ? emitter.builder.CreatePtrAdd(pointer, emitter.i32(bytes)) : pointer;
}

void storeRegisters(Emitter &emitter, const SharedPlace &place, const LinearLayout &map,
                    llvm::ArrayRef<llvm::Value *> values) {
  llvm::IRBuilder<> &builder = emitter.builder;
  unsigned bits = memoryBits(values[0]->getType());
  SharedVectors plan = planSharedVectors(map, bits, place.padding);
  if (emitter.machine.storeMatrices(emitter, place, plan, values))
    return;
  llvm::Value *thread = plan.threadBits ? emitter.applyThread(plan.map)[0] : nullptr;
  uint64_t width = uint64_t(1) << plan.vectorBits;
  auto *vectorType = llvm::FixedVectorType::get(builder.getIntNTy(bits), width);
  for (auto [offset, reg] : plan.registerAt) {
    if (offset % width)
      continue;
    llvm::Value *stored = toMemory(emitter, values[reg]);
    if (width > 1) {
      llvm::Value *vector = llvm::PoisonValue::get(vectorType);
      for (uint64_t i = 0; i < width; ++i)
        vector = builder.CreateInsertElement(vector, toMemory(emitter, values[plan.registerAt.at(offset | i)]), i);
      stored = vector;
    }
    emitter.storeShared(stored, elementAddress(emitter, place, thread, plan.threadBits, offset, bits),
                        width * bits / 8);
  }
}

Registers loadRegisters(Emitter &emitter, const SharedPlace &place, const LinearLayout &map, llvm::Type *element) {
  llvm::IRBuilder<> &builder = emitter.builder;
  unsigned bits = memoryBits(element);
  SharedVectors plan = planSharedVectors(map, bits, place.padding);
  if (auto loaded = emitter.machine.loadMatrices(emitter, place, plan, element))
    return *loaded;
  llvm::Value *thread = plan.threadBits ? emitter.applyThread(plan.map)[0] : nullptr;
  uint64_t width = uint64_t(1) << plan.vectorBits;
  llvm::Type *memory = builder.getIntNTy(bits);
  llvm::Type *loadedType = width > 1 ? llvm::FixedVectorType::get(memory, width) : memory;
  std::map<uint64_t, llvm::Value *> elements;
  for (auto [offset, reg] : plan.registerAt) {
    if (offset % width)
      continue;
    llvm::Value *address = elementAddress(emitter, place, thread, plan.threadBits, offset, bits);
    llvm::Value *loaded = emitter.loadShared(loadedType, address, width * bits / 8);
    for (uint64_t i = 0; i < width; ++i)
      elements[offset | i] = fromMemory(emitter, width > 1 ? builder.CreateExtractElement(loaded, i) : loaded, element);
  }
  Registers result;
  for (uint64_t offset : plan.offsets)
    result.push_back(elements.at(offset));
  return result;
}

void clusterBarrier(Emitter &emitter) { emitter.machine.clusterBarrier(emitter); }

Registers loadFromCluster(Emitter &emitter, const SharedPlace &place, const LinearLayout &map, const LinearLayout &ctas,
                          llvm::Type *element) {
  llvm::IRBuilder<> &builder = emitter.builder;
  unsigned bits = memoryBits(element);
  SharedVectors plan = planSharedVectors(map, bits, place.padding);
  llvm::Value *thread = plan.threadBits ? emitter.applyThread(plan.map)[0] : nullptr;
  // Registers by CTA and offset: neighbours must come from one CTA.
  std::map<std::pair<int64_t, uint64_t>, unsigned> at;
  for (auto [reg, offset] : llvm::enumerate(plan.offsets))
    at.emplace(std::pair(ctas.apply({{"register", static_cast<int64_t>(reg)}})[0], offset), reg);
  uint64_t width = uint64_t(1) << plan.vectorBits;
  auto fits = [&](uint64_t width) {
    return llvm::all_of(at, [&](const auto &each) {
      for (uint64_t i = 0; i < width; ++i)
        if (!at.count({each.first.first, (each.first.second & ~(width - 1)) | i}))
          return false;
      return true;
    });
  };
  while (width > 1 && !fits(width))
    width /= 2;
  std::map<std::pair<int64_t, uint64_t>, llvm::Value *> elements;
  for (auto [key, reg] : at) {
    auto [cta, offset] = key;
    if (offset % width)
      continue;
    llvm::Value *address = elementAddress(emitter, place, thread, plan.threadBits, offset, bits);
    llvm::Value *loaded = emitter.machine.loadFromCta(emitter, address, emitter.apply(ctas, reg)[0], width * bits / 8);
    llvm::Value *vector = builder.CreateBitCast(loaded, llvm::FixedVectorType::get(builder.getIntNTy(bits), width));
    for (uint64_t i = 0; i < width; ++i)
      elements[{cta, offset | i}] = fromMemory(emitter, builder.CreateExtractElement(vector, i), element);
  }
  Registers result;
  for (auto [reg, offset] : llvm::enumerate(plan.offsets))
    result.push_back(elements.at({ctas.apply({{"register", static_cast<int64_t>(reg)}})[0], offset}));
  return result;
}

Registers loadFromCta(Emitter &emitter, const SharedPlace &place, const LinearLayout &map, llvm::Value *cta,
                      llvm::Type *element) {
  llvm::IRBuilder<> &builder = emitter.builder;
  unsigned bits = memoryBits(element);
  SharedVectors plan = planSharedVectors(map, bits, place.padding);
  llvm::Value *thread = plan.threadBits ? emitter.applyThread(plan.map)[0] : nullptr;
  uint64_t width = uint64_t(1) << plan.vectorBits;
  std::map<uint64_t, llvm::Value *> elements;
  for (auto [offset, reg] : plan.registerAt) {
    if (offset % width)
      continue;
    llvm::Value *address = elementAddress(emitter, place, thread, plan.threadBits, offset, bits);
    llvm::Value *loaded = emitter.machine.loadFromCta(emitter, address, cta, width * bits / 8);
    llvm::Value *vector = builder.CreateBitCast(loaded, llvm::FixedVectorType::get(builder.getIntNTy(bits), width));
    for (uint64_t i = 0; i < width; ++i)
      elements[offset | i] = fromMemory(emitter, builder.CreateExtractElement(vector, i), element);
  }
  Registers result;
  for (uint64_t offset : plan.offsets)
    result.push_back(elements.at(offset));
  return result;
}

} // namespace triton::simt
