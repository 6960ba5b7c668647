#include "compiler/llvm/gpu/BlockArguments.h"

#include "compiler/gpu/Gpu.h"
#include "compiler/llvm/gpu/dots/Dot.h"

using namespace mlir;

namespace triton::simt {

llvm::SmallVector<Registers> gatherRegisters(Emitter &emitter, mlir::ValueRange values) {
  llvm::SmallVector<Registers> all;
  for (Value value : values)
    all.push_back(Registers(emitter.registers(value)));
  return all;
}

/// Elements of a tensor-core operand that make up one word are carried as that word; 1 for what is carried as it is.
static unsigned elementsPerWord(Emitter &emitter, BlockArgument argument) {
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  auto layout = type ? dyn_cast_or_null<gpu::DotOperandAttr>(type.getEncoding()) : gpu::DotOperandAttr();
  if (!layout || !isa<gpu::MmaAttr>(layout.getParent()) || type.getElementTypeBitWidth() > 16)
    return 1;
  return 32 / emitter.type(type)->getPrimitiveSizeInBits().getFixedValue();
}

void defineAsPhis(Emitter &emitter, llvm::ArrayRef<BlockArgument> arguments) {
  llvm::SmallVector<Registers> all; // a block's phis come before everything else
  for (BlockArgument argument : arguments) {
    llvm::SmallVector<llvm::Type *> types = emitter.registerTypes(argument.getType());
    unsigned perWord = elementsPerWord(emitter, argument);
    Registers &phis = all.emplace_back();
    for (unsigned i = 0; i < types.size(); i += perWord)
      phis.push_back(emitter.builder.CreatePHI(perWord == 1 ? types[i] : emitter.builder.getInt32Ty(), 2));
  }
  for (auto [argument, phis] : llvm::zip_equal(arguments, all)) {
    Registers registers;
    for (llvm::Value *phi : phis)
      if (elementsPerWord(emitter, argument) == 1)
        registers.push_back(phi);
      else
        llvm::append_range(registers, unpackWord(emitter, phi, emitter.type(argument.getType())));
    emitter.define(argument, registers);
  }
}

/// The phi of the word that begins with `element`, as `defineAsPhis` unpacked it.
static llvm::PHINode *phiOf(llvm::Value *element) {
  auto *words = llvm::cast<llvm::ExtractElementInst>(element)->getVectorOperand();
  return llvm::cast<llvm::PHINode>(llvm::cast<llvm::BitCastInst>(words)->getOperand(0));
}

void addIncoming(Emitter &emitter, llvm::ArrayRef<BlockArgument> arguments, llvm::ArrayRef<Registers> values,
                 llvm::BasicBlock *from) {
  llvm::IRBuilder<>::InsertPointGuard guard(emitter.builder);
  if (llvm::Instruction *end = from->getTerminator())
    emitter.builder.SetInsertPoint(end);
  else
    emitter.builder.SetInsertPoint(from);
  for (auto [argument, registers] : llvm::zip_equal(arguments, values)) {
    llvm::ArrayRef<llvm::Value *> held = emitter.registers(argument), brought = registers;
    unsigned perWord = elementsPerWord(emitter, argument);
    for (unsigned i = 0; i < held.size(); i += perWord)
      if (perWord == 1)
        llvm::cast<llvm::PHINode>(held[i])->addIncoming(brought[i], from);
      else
        phiOf(held[i])->addIncoming(packWord(emitter, brought.slice(i, perWord)), from);
  }
}

} // namespace triton::simt
