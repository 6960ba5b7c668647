// Scratch memory: on the stack as long as it is small, else in the arena that each worker thread brings.
#include "compiler/cpu/Lowering.h"
#include "compiler/cpu/Scalar.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace triton::cpu {

/// A worker's stack is at least 8 MiB; this much of it stays in the second-level cache.
static constexpr int64_t stackLimit = 256 << 10;

Value Lowering::allocate(int64_t bytes, Location loc) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(entry);
  // Vector reads that pick scattered lanes may run past the last element, by less than they read of the buffer itself.
  bytes = int64_t(llvm::alignTo(bytes + std::min<int64_t>(bytes, 1024), 64));
  Scalar s{builder, loc};
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  if (!arena || stackBytes + bytes <= stackLimit) {
    stackBytes += bytes;
    return LLVM::AllocaOp::create(builder, loc, pointer, builder.getI8Type(), s.i64(bytes), 64);
  }
  Value offset = s.i64(arenaBytes);
  arenaBytes += bytes;
  return LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), arena, ArrayRef<LLVM::GEPArg>{offset});
}

Value Lowering::borrow(int64_t bytes, Location loc) {
  auto found = spare.find(bytes);
  return found == spare.end() || found->second.empty() ? allocate(bytes, loc) : found->second.pop_back_val();
}

/// A buffer for `type` that has no memory yet.
static Buffer layOut(RankedTensorType type) {
  Buffer buffer;
  buffer.element = type.getElementType();
  buffer.strides.resize(type.getRank());
  int64_t stride = 1;
  for (int64_t d = type.getRank(); d-- > 0;) {
    buffer.strides[d] = type.getDimSize(d) == 1 ? 0 : stride;
    stride *= type.getDimSize(d);
  }
  return buffer;
}

static int64_t bytesOf(RankedTensorType type) { return type.getNumElements() * getStorageBytes(type.getElementType()); }

Buffer Lowering::makeBuffer(RankedTensorType type, Location loc) {
  Buffer buffer = layOut(type);
  buffer.pointer = allocate(bytesOf(type), loc);
  return buffer;
}

Buffer Lowering::borrowBuffer(RankedTensorType type, Location loc) {
  Buffer buffer = layOut(type);
  buffer.pointer = borrow(bytesOf(type), loc);
  return buffer;
}

void Lowering::giveBack(const Buffer &buffer, RankedTensorType type) { giveBack(buffer.pointer, bytesOf(type)); }

Buffer &Lowering::bufferFor(Value tensor) {
  auto found = buffers.find(tensor);
  if (found == buffers.end())
    found = buffers.try_emplace(tensor, makeBuffer(cast<RankedTensorType>(tensor.getType()), tensor.getLoc())).first;
  return found->second;
}

} // namespace triton::cpu
