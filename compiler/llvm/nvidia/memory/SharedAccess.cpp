#include "compiler/llvm/nvidia/memory/SharedAccess.h"

#include "compiler/layout/MatrixAccess.h"
#include "compiler/layout/SharedVectors.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

#include <map>

using namespace triton::layout;

namespace triton::nvidia {

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

/// ldmatrix or stmatrix, where that is what the access is. Its rows must be aligned to 16 bytes wherever the buffer is cut or padded.
static std::optional<MatrixAccess> matrixAccess(const SharedPlace &place, const SharedVectors &plan,
                                                unsigned elementBits) {
  unsigned row = 128 / elementBits;
  if (place.skew) {
    auto *known = llvm::dyn_cast<llvm::ConstantInt>(place.skew);
    if (!known || known->getZExtValue() % row)
      return std::nullopt;
  }
  for (auto [interval, padding] : place.padding)
    if (interval % row || padding % row)
      return std::nullopt;
  auto access = planMatrixAccess(plan.map, elementBits);
  // One piece is one word of each lane: no better than a plain access, unless that would take halves.
  if (access && !access->transposed && access->pieces < (elementBits == 32 ? 4u : 2u))
    return std::nullopt;
  return access;
}

static llvm::Value *rowAddress(Emitter &emitter, const SharedPlace &place, const MatrixAccess &access, uint64_t offset,
                               unsigned elementBits) {
  uint64_t bits = 0;
  for (const LinearLayout::Input &input : access.address.inputs())
    for (const Coordinates &basis : input.bases)
      bits |= basis[0];
  return elementAddress(emitter, place, emitter.applyThread(access.address)[0], bits, offset, elementBits);
}

static llvm::Intrinsic::ID matrixIntrinsic(bool load, const MatrixAccess &access) {
  namespace I = llvm::Intrinsic;
  static constexpr I::ID table[2][2][3] = {
      {{I::nvvm_stmatrix_sync_aligned_m8n8_x1_b16, I::nvvm_stmatrix_sync_aligned_m8n8_x2_b16,
        I::nvvm_stmatrix_sync_aligned_m8n8_x4_b16},
       {I::nvvm_stmatrix_sync_aligned_m8n8_x1_trans_b16, I::nvvm_stmatrix_sync_aligned_m8n8_x2_trans_b16,
        I::nvvm_stmatrix_sync_aligned_m8n8_x4_trans_b16}},
      {{I::nvvm_ldmatrix_sync_aligned_m8n8_x1_b16, I::nvvm_ldmatrix_sync_aligned_m8n8_x2_b16,
        I::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16},
       {I::nvvm_ldmatrix_sync_aligned_m8n8_x1_trans_b16, I::nvvm_ldmatrix_sync_aligned_m8n8_x2_trans_b16,
        I::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16}}};
  return table[load][access.transposed][llvm::Log2_32(access.pieces)];
}

static void storeMatrices(Emitter &emitter, const SharedPlace &place, const SharedVectors &plan,
                          const MatrixAccess &access, llvm::ArrayRef<llvm::Value *> values) {
  llvm::IRBuilder<> &builder = emitter.builder;
  unsigned bits = memoryBits(values[0]->getType());
  for (const MatrixAccess::Instruction &instruction : access.instructions) {
    llvm::SmallVector<llvm::Value *> arguments{rowAddress(emitter, place, access, instruction.offset, bits)};
    for (const std::vector<uint64_t> &word : instruction.elements) {
      llvm::Value *vector = llvm::PoisonValue::get(llvm::FixedVectorType::get(builder.getIntNTy(bits), word.size()));
      for (auto [index, offset] : llvm::enumerate(word))
        vector = builder.CreateInsertElement(vector, toMemory(emitter, values[plan.registerAt.at(offset)]), index);
      arguments.push_back(builder.CreateBitCast(vector, builder.getInt32Ty()));
    }
    emitter.intrinsic(matrixIntrinsic(false, access), arguments, {builder.getPtrTy(3)});
  }
}

static Registers loadMatrices(Emitter &emitter, const SharedPlace &place, const SharedVectors &plan,
                              const MatrixAccess &access, llvm::Type *element) {
  llvm::IRBuilder<> &builder = emitter.builder;
  unsigned bits = memoryBits(element);
  std::map<uint64_t, llvm::Value *> elements;
  for (const MatrixAccess::Instruction &instruction : access.instructions) {
    llvm::Value *address = rowAddress(emitter, place, access, instruction.offset, bits);
    llvm::Value *loaded = emitter.intrinsic(matrixIntrinsic(true, access), {address}, {builder.getPtrTy(3)});
    for (auto [piece, word] : llvm::enumerate(instruction.elements)) {
      llvm::Value *raw = access.pieces > 1 ? builder.CreateExtractValue(loaded, piece) : loaded;
      llvm::Value *vector =
          builder.CreateBitCast(raw, llvm::FixedVectorType::get(builder.getIntNTy(bits), word.size()));
      for (auto [index, offset] : llvm::enumerate(word))
        elements[offset] = fromMemory(emitter, builder.CreateExtractElement(vector, index), element);
    }
  }
  Registers result;
  for (uint64_t offset : plan.offsets)
    result.push_back(elements.at(offset));
  return result;
}

void storeRegisters(Emitter &emitter, const SharedPlace &place, const LinearLayout &map,
                    llvm::ArrayRef<llvm::Value *> values) {
  llvm::IRBuilder<> &builder = emitter.builder;
  unsigned bits = memoryBits(values[0]->getType());
  SharedVectors plan = planSharedVectors(map, bits, place.padding);
  if (auto matrices = matrixAccess(place, plan, bits); matrices && emitter.target().capability >= 90)
    return storeMatrices(emitter, place, plan, *matrices, values);
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
  if (auto matrices = matrixAccess(place, plan, bits); matrices && emitter.target().hasMatrixLoads())
    return loadMatrices(emitter, place, plan, *matrices, element);
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

void clusterBarrier(Emitter &emitter) {
  emitter.intrinsic(llvm::Intrinsic::nvvm_barrier_cluster_arrive_aligned, {});
  emitter.intrinsic(llvm::Intrinsic::nvvm_barrier_cluster_wait_aligned, {});
}

/// Elements side by side in the shared memory of another CTA, as an integer of all their bits.
static llvm::Value *loadRemote(Emitter &emitter, llvm::Value *address, llvm::Value *cta, unsigned bytes) {
  llvm::IRBuilder<> &builder = emitter.builder;
  unsigned words = bytes / 4;
  std::string text = "{ .reg .b32 a; mapa.shared::cluster.u32 a, $" + std::to_string(std::max(1u, words)) + ", $" +
                     std::to_string(std::max(1u, words) + 1) + "; ld.shared::cluster";
  std::string constraints;
  llvm::Type *result;
  if (words == 0) {
    text += bytes == 2 ? ".b16 $0, [a]; }" : ".u8 $0, [a]; }";
    constraints = "=h";
    result = builder.getInt16Ty();
  } else {
    std::string names = "$0";
    constraints = "=r";
    for (unsigned i = 1; i < words; ++i) {
      names += ", $" + std::to_string(i);
      constraints += ",=r";
    }
    text += words == 1 ? ".b32 $0, [a]; }" : ".v" + std::to_string(words) + ".b32 {" + names + "}, [a]; }";
    llvm::SmallVector<llvm::Type *> types(words, builder.getInt32Ty());
    result = words == 1 ? types[0] : llvm::StructType::get(emitter.context(), types);
  }
  llvm::Value *loaded =
      emitter.inlineAsm(text, constraints + ",r,r,~{memory}", result,
                        {builder.CreatePtrToInt(address, builder.getInt32Ty()), cta}, AsmEffects::SideEffect);
  if (words == 0)
    return builder.CreateTrunc(loaded, builder.getIntNTy(8 * bytes));
  if (words == 1)
    return loaded;
  llvm::Value *all = llvm::PoisonValue::get(llvm::FixedVectorType::get(builder.getInt32Ty(), words));
  for (unsigned i = 0; i < words; ++i)
    all = builder.CreateInsertElement(all, builder.CreateExtractValue(loaded, i), i);
  return builder.CreateBitCast(all, builder.getIntNTy(8 * bytes));
}

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
    llvm::Value *loaded = loadRemote(emitter, address, emitter.apply(ctas, reg)[0], width * bits / 8);
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
    llvm::Value *loaded = loadRemote(emitter, address, cta, width * bits / 8);
    llvm::Value *vector = builder.CreateBitCast(loaded, llvm::FixedVectorType::get(builder.getIntNTy(bits), width));
    for (uint64_t i = 0; i < width; ++i)
      elements[offset | i] = fromMemory(emitter, builder.CreateExtractElement(vector, i), element);
  }
  Registers result;
  for (uint64_t offset : plan.offsets)
    result.push_back(elements.at(offset));
  return result;
}

} // namespace triton::nvidia
