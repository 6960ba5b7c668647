// Registers of all threads to and from shared memory, by any linear map and with the widest accesses it allows.
#pragma once

#include "compiler/gpu/Gpu.h"
#include "compiler/llvm/gpu/Emitter.h"

namespace triton::simt {

/// Where an element lies: `base` + bytes of (the map's output ^ skew), where the map goes from register, lane, warp to an offset in elements.
struct SharedPlace {
  llvm::Value *base;           // ptr addrspace(3)
  llvm::Value *skew = nullptr; // i32, in elements; null: 0
  /// (interval, padding), in elements, powers of two: `padding` unused elements after each `interval`.
  llvm::SmallVector<std::pair<unsigned, unsigned>> padding = {};
};

/// Bits that an element takes in memory: i1 is a byte, pointers are 64 bits.
unsigned memoryBits(llvm::Type *type);
/// An element as memory holds it, and back.
llvm::Value *toMemory(Emitter &emitter, llvm::Value *value);
llvm::Value *fromMemory(Emitter &emitter, llvm::Value *value, llvm::Type *type);

void storeRegisters(Emitter &emitter, const SharedPlace &place, const layout::LinearLayout &map,
                    llvm::ArrayRef<llvm::Value *> values);
Registers loadRegisters(Emitter &emitter, const SharedPlace &place, const layout::LinearLayout &map,
                        llvm::Type *element);

/// Waits for all threads of the cluster, and sees what they wrote.
void clusterBarrier(Emitter &emitter);
/// From the shared memory of CTA number `ctas`(register, lane, warp, block), at the same place there.
Registers loadFromCluster(Emitter &emitter, const SharedPlace &place, const layout::LinearLayout &map,
                          const layout::LinearLayout &ctas, llvm::Type *element);

/// From the shared memory of one CTA, the same for all registers.
Registers loadFromCta(Emitter &emitter, const SharedPlace &place, const layout::LinearLayout &map, llvm::Value *cta,
                      llvm::Type *element);

/// An address in two parts, the second of which an instruction can add by itself.
struct SplitAddress {
  llvm::Value *pointer;
  int64_t bytes;
};
/// As `elementAddress`, the constant part apart.
SplitAddress splitAddress(Emitter &emitter, const SharedPlace &place, llvm::Value *dynamic, uint64_t dynamicBits,
                          uint64_t constant, unsigned elementBits);

/// The address of one element at an offset: `dynamic` (null: 0) ^ `constant`. `dynamicBits` are those that may be set in `dynamic`.
llvm::Value *elementAddress(Emitter &emitter, const SharedPlace &place, llvm::Value *dynamic, uint64_t dynamicBits,
                            uint64_t constant, unsigned elementBits);

/// Of a value that is a buffer.
SharedPlace placeOf(Emitter &emitter, mlir::Value buffer);
/// register, lane, warp of a tensor -> offset in a buffer of its shape. Nullopt if the buffer does not hold every element.
std::optional<layout::LinearLayout> offsetsOf(Emitter &emitter, mlir::RankedTensorType type, gpu::MemDescType buffer);

} // namespace triton::simt
