#include "compiler/llvm/gpu/InlineAssembly.h"

#include "compiler/llvm/gpu/Packing.h"

#include "llvm/IR/InlineAsm.h"

using namespace mlir;

namespace triton::simt {

namespace {

/// How elements of one type fill the assembly's registers.
struct Filling {
  llvm::Type *element;
  unsigned bits;        // of an element
  unsigned perRegister; // elements in one register
  unsigned registers;   // for one group

  Filling(Emitter &emitter, Type type, unsigned pack)
      : element(emitter.type(type)), bits(storageBits(element)), perRegister(std::min(std::max(32 / bits, 1u), pack)),
        registers(pack / perRegister) {}
};

class InlineAssembly {
public:
  InlineAssembly(Emitter &emitter, tensor::ElementwiseInlineAsmOp op)
      : emitter(emitter), builder(emitter.builder), op(op), pack(op.getPackedElement()) {
    for (Type type : op->getResultTypes())
      outputs.emplace_back(emitter, type, pack);
    for (Value value : op.getArgs())
      inputs.emplace_back(emitter, value.getType(), pack);
  }

  llvm::LogicalResult emit() {
    if (failed(readConstraints()))
      return failure();
    llvm::SmallVector<Registers> arguments, results(op->getNumResults());
    size_t count = 1;
    for (Value value : op.getArgs()) {
      arguments.push_back(Registers(emitter.registers(value)));
      count = std::max(count, arguments.back().size());
    }
    if (arguments.empty())
      count = emitter.registerTypes(op->getResultTypes()[0]).size();
    for (size_t first = 0; first < count; first += pack) {
      llvm::SmallVector<llvm::Value *> operands;
      for (auto [filling, registers] : llvm::zip_equal(inputs, arguments)) {
        // A thread that holds fewer elements than a group fills it with copies.
        Registers group;
        for (size_t index = first; index < first + pack; ++index)
          group.push_back(registers[std::min(index, registers.size() - 1)]);
        for (llvm::Value *word : toWords(builder, group, filling.bits * filling.perRegister)) {
          auto converted = toOperand(word, operandTypes[operands.size()]);
          if (failed(converted))
            return failure();
          operands.push_back(*converted);
        }
      }
      llvm::SmallVector<llvm::Value *> words = call(operands);
      size_t next = 0;
      for (auto [filling, result] : llvm::zip_equal(outputs, results)) {
        Registers group;
        for (unsigned index = 0; index < filling.registers; ++index)
          group.push_back(fromOperand(words[next++], filling.bits * filling.perRegister));
        Registers elements = fromWords(builder, group, filling.element);
        for (size_t index = first; index < std::min<size_t>(first + pack, count); ++index)
          result.push_back(elements[index - first]);
      }
    }
    for (auto [value, registers] : llvm::zip_equal(op.getResults(), results))
      emitter.define(value, registers);
    return success();
  }

private:
  llvm::LogicalResult readConstraints() {
    llvm::StringRef text = op.getConstraints();
    size_t wantedOutputs = 0, wantedInputs = 0;
    for (const Filling &filling : outputs)
      wantedOutputs += filling.registers;
    for (const Filling &filling : inputs)
      wantedInputs += filling.registers;
    llvm::InlineAsm::ConstraintInfoVector constraints = llvm::InlineAsm::ParseConstraints(text);
    if (constraints.empty() && !text.empty())
      return op.emitOpError() << "has constraints that cannot be read: \"" << text << "\"";
    for (const llvm::InlineAsm::ConstraintInfo &constraint : constraints) {
      if (constraint.Type == llvm::InlineAsm::isClobber)
        continue;
      bool isOutput = constraint.Type == llvm::InlineAsm::isOutput;
      llvm::Type *type = constraint.hasMatchingInput() && !isOutput ? nullptr
                         : constraint.Codes.size() == 1 ? emitter.machine.registerOf(emitter, constraint.Codes[0])
                                                        : nullptr;
      unsigned tied = 0;
      if (!isOutput && constraint.Codes.size() == 1 && !llvm::StringRef(constraint.Codes[0]).getAsInteger(10, tied) &&
          tied < resultTypes.size())
        type = resultTypes[tied];
      if (!type || constraint.isIndirect || constraint.Type == llvm::InlineAsm::isLabel)
        return op.emitOpError() << "has a constraint that names no " << emitter.machine.assembly() << " register in \""
                                << text << "\": expected one of " << emitter.machine.constraints();
      (isOutput ? resultTypes : operandTypes).push_back(type);
    }
    if (resultTypes.size() != wantedOutputs || operandTypes.size() != wantedInputs)
      return op.emitOpError() << "has constraints \"" << text << "\" for " << resultTypes.size() << " outputs and "
                              << operandTypes.size() << " inputs, but its values take " << wantedOutputs << " and "
                              << wantedInputs << " registers";
    for (auto [filling, size] : {std::pair(&outputs, &resultTypes), std::pair(&inputs, &operandTypes)}) {
      size_t next = 0;
      for (const Filling &value : *filling)
        for (unsigned index = 0; index < value.registers; ++index, ++next) {
          unsigned bits = (*size)[next]->getPrimitiveSizeInBits().getFixedValue();
          bool fits = value.element->isIntegerTy(1) ? true : value.bits * value.perRegister <= bits;
          if (!fits)
            return op.emitOpError() << "puts " << value.bits * value.perRegister << " bits into a register of " << bits
                                    << " by its constraints \"" << text << "\"";
        }
    }
    resultType = resultTypes.empty()       ? builder.getVoidTy()
                 : resultTypes.size() == 1 ? resultTypes[0]
                                           : llvm::StructType::get(emitter.context(), resultTypes);
    auto *signature = llvm::FunctionType::get(resultType, operandTypes, /*isVarArg=*/false);
    if (llvm::Error error = llvm::InlineAsm::verify(signature, text))
      return op.emitOpError() << "has constraints \"" << text
                              << "\" that do not fit: " << llvm::toString(std::move(error));
    return success();
  }

  FailureOr<llvm::Value *> toOperand(llvm::Value *word, llvm::Type *type) {
    if (type->isIntegerTy(1))
      return builder.CreateTrunc(word, type);
    unsigned bits = type->getPrimitiveSizeInBits().getFixedValue();
    return builder.CreateBitCast(builder.CreateZExtOrTrunc(word, builder.getIntNTy(bits)), type);
  }

  llvm::Value *fromOperand(llvm::Value *value, unsigned bits) {
    unsigned own = value->getType()->getPrimitiveSizeInBits().getFixedValue();
    return builder.CreateZExtOrTrunc(builder.CreateBitCast(value, builder.getIntNTy(own)), builder.getIntNTy(bits));
  }

  llvm::SmallVector<llvm::Value *> call(llvm::ArrayRef<llvm::Value *> operands) {
    // What is not pure may well be a matter between lanes.
    llvm::Value *result = emitter.inlineAsm(op.getAsmString(), op.getConstraints(), resultType, operands,
                                            op.getPure() ? AsmEffects::None : AsmEffects::Convergent);
    llvm::SmallVector<llvm::Value *> words;
    for (unsigned index = 0; index < resultTypes.size(); ++index)
      words.push_back(resultTypes.size() == 1 ? result : builder.CreateExtractValue(result, index));
    return words;
  }

  Emitter &emitter;
  llvm::IRBuilder<> &builder;
  tensor::ElementwiseInlineAsmOp op;
  unsigned pack;
  llvm::SmallVector<Filling> outputs, inputs;
  llvm::SmallVector<llvm::Type *> resultTypes, operandTypes;
  llvm::Type *resultType = nullptr;
};

} // namespace

llvm::LogicalResult emitInlineAssembly(Emitter &emitter, tensor::ElementwiseInlineAsmOp op) {
  return InlineAssembly(emitter, op).emit();
}

} // namespace triton::simt
