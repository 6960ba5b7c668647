#include "compiler/llvm/nvidia/memory/Matrices.h"

#include "compiler/layout/MatrixAccess.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

#include <map>

using namespace triton::layout;

namespace triton::nvidia {

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

bool storeMatrices(Emitter &emitter, const SharedPlace &place, const SharedVectors &plan,
                   llvm::ArrayRef<llvm::Value *> values) {
  auto access = matrixAccess(place, plan, memoryBits(values[0]->getType()));
  if (!access || emitter.target().capability < 90)
    return false;
  storeMatrices(emitter, place, plan, *access, values);
  return true;
}

std::optional<Registers> loadMatrices(Emitter &emitter, const SharedPlace &place, const SharedVectors &plan,
                                      llvm::Type *element) {
  auto access = matrixAccess(place, plan, memoryBits(element));
  return access && emitter.target().hasMatrixLoads()
             ? std::optional(loadMatrices(emitter, place, plan, *access, element))
             : std::nullopt;
}

} // namespace triton::nvidia
