// An op on numbers done on every register of its operands: alone, in pairs, or in f32 where the type is narrower.
#include "compiler/llvm/gpu/Elementwise.h"
#include "compiler/llvm/gpu/FloatConversion.h"
#include "compiler/llvm/gpu/Packing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::simt {

llvm::FastMathFlags fastMathFlags(const Emitter &emitter, Operation *op) {
  llvm::FastMathFlags flags;
  flags.setAllowContract(emitter.options.fuseMultiplyAdd);
  auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
  if (!fast || !fast.getFastMathFlagsAttr())
    return flags;
  arith::FastMathFlags own = fast.getFastMathFlagsAttr().getValue();
  auto has = [&](arith::FastMathFlags flag) { return arith::bitEnumContainsAll(own, flag); };
  flags.setAllowReassoc(has(arith::FastMathFlags::reassoc));
  flags.setNoNaNs(has(arith::FastMathFlags::nnan));
  flags.setNoInfs(has(arith::FastMathFlags::ninf));
  flags.setNoSignedZeros(has(arith::FastMathFlags::nsz));
  flags.setAllowReciprocal(has(arith::FastMathFlags::arcp));
  if (has(arith::FastMathFlags::contract))
    flags.setAllowContract(true);
  return flags;
}

Registers onEachRegister(Emitter &emitter, Operation *op, bool inPairs, ScalarFunction function) {
  llvm::SmallVector<Registers> operands;
  size_t count = 1;
  for (Value operand : op->getOperands()) {
    operands.push_back(Registers(emitter.registers(operand)));
    count = std::max(count, operands.back().size());
  }
  llvm::IRBuilderBase::FastMathFlagGuard guard(emitter.builder);
  emitter.builder.setFastMathFlags(fastMathFlags(emitter, op));
  auto at = [](const Registers &registers, size_t index) { return registers[registers.size() == 1 ? 0 : index]; };
  Registers results;
  llvm::SmallVector<llvm::Value *, 4> arguments;
  size_t step = inPairs && count % 2 == 0 ? 2 : 1;
  for (size_t index = 0; index < count; index += step) {
    arguments.clear();
    for (const Registers &registers : operands)
      arguments.push_back(step == 1 ? at(registers, index)
                                    : pack(emitter.builder, {at(registers, index), at(registers, index + 1)}));
    llvm::Value *result = function(arguments);
    if (!result)
      return {};
    llvm::append_range(results, unpack(emitter.builder, result));
  }
  return results;
}

Registers onSingles(Emitter &emitter, Operation *op, ScalarFunction function) {
  Type single = Float32Type::get(op->getContext());
  llvm::SmallVector<Registers> operands;
  size_t count = 1;
  for (Value operand : op->getOperands()) {
    Type type = getElementTypeOrSelf(operand.getType());
    Registers registers(emitter.registers(operand));
    operands.push_back(isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32
                           ? convertFloats(emitter, registers, type, single)
                           : registers);
    count = std::max(count, registers.size());
  }
  llvm::IRBuilderBase::FastMathFlagGuard guard(emitter.builder);
  emitter.builder.setFastMathFlags(fastMathFlags(emitter, op));
  Registers results;
  llvm::SmallVector<llvm::Value *, 4> arguments;
  for (size_t index = 0; index < count; ++index) {
    arguments.clear();
    for (const Registers &registers : operands)
      arguments.push_back(registers[registers.size() == 1 ? 0 : index]);
    llvm::Value *result = function(arguments);
    if (!result)
      return {};
    results.push_back(result);
  }
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32 ? convertFloats(emitter, results, single, type)
                                                                   : results;
}

} // namespace triton::simt
