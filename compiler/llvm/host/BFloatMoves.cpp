// Each instruction that only moves is rebuilt on integers between bit casts of its operands and its result; the casts of
// neighbours cancel in the optimiser.
#include "compiler/llvm/host/BFloatMoves.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

static bool isBFloat(Type *type) { return type->getScalarType()->isBFloatTy(); }

static Type *asInteger(Type *type) {
  Type *element = Type::getInt16Ty(type->getContext());
  if (auto *vector = dyn_cast<VectorType>(type))
    return VectorType::get(element, vector->getElementCount());
  return element;
}

/// `value`, as integers if it is bf16.
static Value *integers(IRBuilder<> &builder, Value *value) {
  return isBFloat(value->getType()) ? builder.CreateBitCast(value, asInteger(value->getType())) : value;
}

/// The instruction on integers. Null if it does more than move.
static Value *rebuild(IRBuilder<> &builder, Instruction &instruction) {
  auto operand = [&](unsigned i) { return integers(builder, instruction.getOperand(i)); };
  if (instruction.isAtomic())
    return nullptr;
  if (auto *load = dyn_cast<LoadInst>(&instruction)) {
    auto *result = builder.CreateAlignedLoad(asInteger(load->getType()), load->getPointerOperand(), load->getAlign(),
                                             load->isVolatile());
    result->copyMetadata(*load);
    return result;
  }
  if (auto *store = dyn_cast<StoreInst>(&instruction)) {
    auto *result =
        builder.CreateAlignedStore(operand(0), store->getPointerOperand(), store->getAlign(), store->isVolatile());
    result->copyMetadata(*store);
    return result;
  }
  if (auto *select = dyn_cast<SelectInst>(&instruction))
    return builder.CreateSelect(select->getCondition(), operand(1), operand(2));
  if (isa<FreezeInst>(instruction))
    return builder.CreateFreeze(operand(0));
  if (isa<InsertElementInst>(instruction))
    return builder.CreateInsertElement(operand(0), operand(1), operand(2));
  if (isa<ExtractElementInst>(instruction))
    return builder.CreateExtractElement(operand(0), operand(1));
  if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction))
    return builder.CreateShuffleVector(operand(0), operand(1), shuffle->getShuffleMask());
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call)
    return nullptr;
  switch (call->getIntrinsicID()) {
  case Intrinsic::masked_load:
    return builder.CreateMaskedLoad(asInteger(call->getType()), operand(0), call->getParamAlign(0).valueOrOne(),
                                    operand(1), operand(2));
  case Intrinsic::masked_gather:
    return builder.CreateMaskedGather(asInteger(call->getType()), operand(0), call->getParamAlign(0).valueOrOne(),
                                      operand(1), operand(2));
  case Intrinsic::masked_store:
    return builder.CreateMaskedStore(operand(0), operand(1), call->getParamAlign(1).valueOrOne(), operand(2));
  case Intrinsic::masked_scatter:
    return builder.CreateMaskedScatter(operand(0), operand(1), call->getParamAlign(1).valueOrOne(), operand(2));
  default:
    return nullptr;
  }
}

void triton::host::moveBFloatsAsIntegers(Function &function) {
  SmallVector<Instruction *> moves;
  SmallVector<PHINode *> merges;
  for (Instruction &instruction : instructions(function)) {
    bool touches = isBFloat(instruction.getType()) ||
                   any_of(instruction.operands(), [](const Use &use) { return isBFloat(use->getType()); });
    if (!touches)
      continue;
    if (auto *merge = dyn_cast<PHINode>(&instruction))
      merges.push_back(merge);
    else
      moves.push_back(&instruction);
  }
  for (Instruction *instruction : moves) {
    IRBuilder<> builder(instruction);
    Value *result = rebuild(builder, *instruction);
    if (!result)
      continue;
    if (!instruction->getType()->isVoidTy())
      instruction->replaceAllUsesWith(
          isBFloat(instruction->getType()) ? builder.CreateBitCast(result, instruction->getType()) : result);
    instruction->eraseFromParent();
  }
  for (PHINode *merge : merges) {
    IRBuilder<> builder(merge);
    PHINode *result = builder.CreatePHI(asInteger(merge->getType()), merge->getNumIncomingValues());
    SmallDenseMap<BasicBlock *, Value *> incoming; // a block with two edges here must bring the same value on both
    for (unsigned i = 0; i < merge->getNumIncomingValues(); ++i) {
      BasicBlock *from = merge->getIncomingBlock(i);
      Value *&value = incoming[from];
      if (!value) {
        IRBuilder<> atEnd(from->getTerminator());
        value = integers(atEnd, merge->getIncomingValue(i));
      }
      result->addIncoming(value, from);
    }
    builder.SetInsertPoint(merge->getParent(), merge->getParent()->getFirstInsertionPt());
    merge->replaceAllUsesWith(builder.CreateBitCast(result, merge->getType()));
    merge->eraseFromParent();
  }
}
