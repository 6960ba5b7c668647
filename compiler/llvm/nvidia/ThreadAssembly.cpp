// Assembly that every thread runs once, each element that it holds being an operand of its own, and a buffer its address.
#include "compiler/gpu/dialect/ExplicitOps.h"
#include "compiler/llvm/gpu/Packing.h"
#include "compiler/llvm/gpu/memory/SharedAccess.h"
#include "compiler/llvm/nvidia/Families.h"

#include "llvm/IR/InlineAsm.h"

using namespace mlir;
using namespace triton;
using namespace triton::nvidia;

/// What assembly sees of a value.
static Registers operandsOf(Emitter &emitter, Value value) {
  auto buffer = dyn_cast<gpu::MemDescType>(value.getType());
  if (!buffer || isa<gpu::TensorMemoryAttr>(buffer.getMemorySpace()))
    return Registers(emitter.registers(value));
  llvm::Value *address = elementAddress(emitter, placeOf(emitter, value), nullptr, 0, 0, buffer.getElementBits());
  return {emitter.builder.CreatePtrToInt(address, emitter.builder.getInt32Ty())};
}

namespace {
/// The registers that the constraints name, outputs and inputs.
struct AsmRegisters {
  llvm::SmallVector<llvm::Type *> outputs, inputs;
};
} // namespace

static FailureOr<AsmRegisters> readConstraints(Emitter &emitter, gpu::InlineAsmOp op) {
  llvm::StringRef text = op.getConstraints();
  llvm::InlineAsm::ConstraintInfoVector constraints = llvm::InlineAsm::ParseConstraints(text);
  if (constraints.empty() && !text.empty())
    return op.emitOpError() << "has constraints that cannot be read: \"" << text << "\"";
  AsmRegisters registers;
  for (const llvm::InlineAsm::ConstraintInfo &constraint : constraints) {
    if (constraint.Type == llvm::InlineAsm::isClobber)
      continue;
    const bool isOutput = constraint.Type == llvm::InlineAsm::isOutput;
    llvm::StringRef code = constraint.Codes.size() == 1 ? llvm::StringRef(constraint.Codes[0]) : llvm::StringRef();
    unsigned tied = 0;
    llvm::Type *type = !isOutput && !code.getAsInteger(10, tied) && tied < registers.outputs.size()
                           ? registers.outputs[tied]
                           : emitter.machine.registerOf(emitter, code);
    if (!type || constraint.isIndirect || constraint.Type == llvm::InlineAsm::isLabel)
      return op.emitOpError() << "has a constraint that names no PTX register in \"" << text
                              << "\": expected one of b, h, r, l, f, d";
    (isOutput ? registers.outputs : registers.inputs).push_back(type);
  }
  return registers;
}

static unsigned bitsOf(llvm::Type *type) { return type->getPrimitiveSizeInBits().getFixedValue(); }

/// An element in the register that its constraint names, and back.
static llvm::Value *toRegister(Emitter &emitter, llvm::Value *element, llvm::Type *type) {
  llvm::IRBuilder<> &builder = emitter.builder;
  llvm::Value *word = toWords(builder, {element}, storageBits(element->getType()))[0];
  if (type->isIntegerTy(1))
    return builder.CreateTrunc(word, type);
  return builder.CreateBitCast(builder.CreateZExtOrTrunc(word, builder.getIntNTy(bitsOf(type))), type);
}

static llvm::Value *fromRegister(Emitter &emitter, llvm::Value *value, llvm::Type *element) {
  llvm::IRBuilder<> &builder = emitter.builder;
  llvm::Value *word = builder.CreateBitCast(value, builder.getIntNTy(bitsOf(value->getType())));
  return fromWords(builder, {builder.CreateZExtOrTrunc(word, builder.getIntNTy(storageBits(element)))}, element)[0];
}

static llvm::LogicalResult emitAssembly(Emitter &emitter, gpu::InlineAsmOp op) {
  FailureOr<AsmRegisters> named = readConstraints(emitter, op);
  if (failed(named))
    return failure();
  llvm::SmallVector<llvm::Value *> elements;
  for (Value value : op.getArgs())
    llvm::append_range(elements, operandsOf(emitter, value));
  llvm::SmallVector<llvm::Type *> results;
  for (Type type : op->getResultTypes())
    llvm::append_range(results, emitter.registerTypes(type));
  if (named->outputs.size() != results.size() || named->inputs.size() != elements.size())
    return op.emitOpError() << "has constraints \"" << op.getConstraints() << "\" for " << named->outputs.size()
                            << " outputs and " << named->inputs.size() << " inputs, but its values take "
                            << results.size() << " and " << elements.size() << " registers";
  llvm::SmallVector<llvm::Value *> operands;
  for (auto [element, type] : llvm::zip_equal(elements, named->inputs))
    operands.push_back(toRegister(emitter, element, type));
  llvm::Type *resultType = named->outputs.empty()       ? emitter.builder.getVoidTy()
                           : named->outputs.size() == 1 ? named->outputs[0]
                                                        : llvm::StructType::get(emitter.context(), named->outputs);
  auto *signature = llvm::FunctionType::get(resultType, named->inputs, /*isVarArg=*/false);
  if (llvm::Error error = llvm::InlineAsm::verify(signature, op.getConstraints()))
    return op.emitOpError() << "has constraints \"" << op.getConstraints()
                            << "\" that do not fit: " << llvm::toString(std::move(error));
  // What is not pure may well be a matter between lanes.
  llvm::Value *called = emitter.inlineAsm(op.getAsmString(), op.getConstraints(), resultType, operands,
                                          op.getPure() ? AsmEffects::None : AsmEffects::Convergent);
  size_t next = 0;
  for (Value value : op.getResults()) {
    Registers registers;
    for (llvm::Type *type : emitter.registerTypes(value.getType())) {
      llvm::Value *word = results.size() == 1 ? called : emitter.builder.CreateExtractValue(called, next);
      registers.push_back(fromRegister(emitter, word, type));
      ++next;
    }
    emitter.define(value, std::move(registers));
  }
  return success();
}

Emitted triton::nvidia::emitThreadAssembly(Emitter &emitter, Operation *op) {
  auto assembly = dyn_cast<gpu::InlineAsmOp>(op);
  return assembly ? Emitted(emitAssembly(emitter, assembly)) : std::nullopt;
}
