// Updates of elements of shared memory are PTX's atomics, relaxed.
#include "compiler/llvm/gpu/memory/SharedAccess.h"
#include "compiler/llvm/gpu/memory/SharedIndexed.h"
#include "compiler/llvm/nvidia/Families.h"

using namespace mlir;
using namespace triton;
using namespace triton::nvidia;

/// `add.u32`: what PTX calls an update of elements of this type; empty if it has none.
static std::string updateName(tensor::RMWOp kind, llvm::Type *element, unsigned bits) {
  using Kind = tensor::RMWOp;
  const std::string width = std::to_string(bits);
  if (kind == Kind::FAdd && (element->isHalfTy() || element->isBFloatTy()))
    return std::string("add.noftz.") + (element->isHalfTy() ? "f16" : "bf16");
  if (bits < 32)
    return "";
  switch (kind) {
  case Kind::Add:
    return "add.u" + width;
  case Kind::FAdd:
    return "add.f" + width;
  case Kind::And:
    return "and.b" + width;
  case Kind::Or:
    return "or.b" + width;
  case Kind::Xor:
    return "xor.b" + width;
  case Kind::Exchange:
    return "exch.b" + width;
  case Kind::Max:
    return "max.s" + width;
  case Kind::Min:
    return "min.s" + width;
  case Kind::UMax:
    return "max.u" + width;
  case Kind::UMin:
    return "min.u" + width;
  }
  return "";
}

Emitted triton::nvidia::emitSharedUpdates(Emitter &emitter, Operation *any) {
  auto op = dyn_cast<gpu::LocalAtomicScatterRMWOp>(any);
  if (!op)
    return std::nullopt;
  llvm::Type *element = emitter.type(op.getDst().getType().getElementType());
  const unsigned bits = memoryBits(element);
  const std::string name = updateName(op.getKind(), element, bits);
  if (name.empty())
    return op.emitError() << "shared memory has no atomic '" << tensor::stringifyRMWOp(op.getKind())
                          << "' for elements of " << op.getDst().getType().getElementType();
  llvm::IRBuilder<> &builder = emitter.builder;
  llvm::Type *word = builder.getIntNTy(bits);
  const std::string constraint = bits == 64 ? "l" : bits == 32 ? "r" : "h";
  return updateIndexed(emitter, op, [&](llvm::Value *address, llvm::Value *value, llvm::Value *guard) {
    llvm::Value *old = emitter.inlineAsm("@$3 atom.shared." + name + " $0, [$1], $2;",
                                         "=" + constraint + ",r," + constraint + ",b,~{memory}", word,
                                         {builder.CreatePtrToInt(address, builder.getInt32Ty()),
                                          toMemory(emitter, value), guard ? guard : emitter.i1(true)},
                                         AsmEffects::SideEffect);
    return fromMemory(emitter, old, element);
  });
}
