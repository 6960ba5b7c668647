#include "compiler/tensor/NonNegative.h"

#include "compiler/tensor/Tensor.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::tensor {

namespace {

/// One question, with what it takes for granted: a loop-carried value is not negative when it starts so and, if it is
/// so before an iteration, is so after it.
class Question {
public:
  bool isNonNegative(Value value) {
    if (!granted.insert(value).second)
      return true;
    if (++steps > 64)
      return false;
    llvm::APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return constant.isNonNegative();
    return isa<BlockArgument>(value) ? isArgument(cast<BlockArgument>(value)) : isResult(cast<OpResult>(value));
  }

private:
  bool areAll(ValueRange values) {
    return llvm::all_of(values, [&](Value value) { return isNonNegative(value); });
  }

  bool isArgument(BlockArgument argument) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop)
      return false;
    if (argument == loop.getInductionVar())
      return isNonNegative(loop.getLowerBound());
    return isCarried(loop, argument.getArgNumber() - loop.getNumInductionVars());
  }

  bool isCarried(scf::ForOp loop, unsigned index) {
    return isNonNegative(loop.getInitArgs()[index]) &&
           isNonNegative(loop.getBody()->getTerminator()->getOperand(index));
  }

  bool isResult(OpResult result) {
    return llvm::TypeSwitch<Operation *, bool>(result.getOwner())
        .Case<GetProgramIdOp, GetNumProgramsOp, arith::ExtUIOp>([](auto) { return true; })
        .Case<arith::AddIOp, arith::MulIOp, arith::DivSIOp, arith::MinSIOp, arith::ExtSIOp, arith::IndexCastOp>(
            [&](Operation *op) { return areAll(op->getOperands()); })
        .Case<arith::RemSIOp, arith::ShRSIOp, arith::ShRUIOp, arith::DivUIOp>(
            [&](Operation *op) { return isNonNegative(op->getOperand(0)); })
        .Case<arith::MaxSIOp, arith::AndIOp>([&](Operation *op) {
          // Either operand will do, and what was taken for granted while asking about one says nothing about the other.
          auto before = granted;
          if (isNonNegative(op->getOperand(0)))
            return true;
          granted = before;
          return isNonNegative(op->getOperand(1));
        })
        .Case<arith::SelectOp>(
            [&](auto op) { return isNonNegative(op.getTrueValue()) && isNonNegative(op.getFalseValue()); })
        .Case<scf::ForOp>([&](auto loop) { return isCarried(loop, result.getResultNumber()); })
        .Case<scf::IfOp>([&](auto op) {
          return isNonNegative(op.thenYield().getOperand(result.getResultNumber())) &&
                 isNonNegative(op.elseYield().getOperand(result.getResultNumber()));
        })
        .Default(false);
  }

  llvm::SmallDenseSet<Value, 16> granted;
  unsigned steps = 0;
};

} // namespace

bool isNonNegative(Value value) { return Question().isNonNegative(value); }

bool isCount(Value value) {
  llvm::APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.isNonNegative();
  return isa_and_present<GetProgramIdOp, GetNumProgramsOp>(value.getDefiningOp());
}

} // namespace triton::tensor
