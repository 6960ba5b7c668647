// The arguments of `tl.range` and `range`: bounds of one type, and what is asked of the loop.
#include "compiler/frontend/emitter/LoopRange.h"
#include "compiler/frontend/Operations.h"
#include "compiler/frontend/values/Folding.h"
#include "compiler/frontend/values/Literals.h"
#include "compiler/tensor/NonNegative.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/TripCount.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"

using namespace triton;
using namespace triton::frontend;
using llvm::failure;
using llvm::SmallVector;
using llvm::StringRef;
using mlir::FailureOr;

FailureOr<Value> KernelEmitter::loopBound(const Value &value, StringRef which) {
  Value bound = value;
  if (bound.isTensor() && bound.type().isBlock() && bound.type().elementCount() == 1) {
    auto scalar = callBuiltin(*findMethod("item"), CallArguments{{bound}, {}});
    if (failed(scalar))
      return failure();
    bound = *scalar;
  }
  if (bound.isTensor() && bound.type().isBlock())
    return error("TypeError") << "For "
                              << (which == "start" ? "lower bound"
                                  : which == "end" ? "upper bound"
                                                   : "step")
                              << " must be a scalar, got " << bound.type().str();
  const bool isInteger = bound.is<Integer>() || bound.is<bool>() ||
                         (bound.isTensor() && bound.type().isScalar() && bound.type().isInteger());
  if (!isInteger)
    return error("TypeError") << "for loop bounds and step must all be integer scalars, the " << which << " is of type "
                              << (bound.isTensor() ? bound.type().str() : classNameOf(bound));
  return toTensor(*this, bound);
}

mlir::NamedAttribute triton::frontend::disableLicm(mlir::OpBuilder &builder) {
  namespace LLVM = mlir::LLVM;
  mlir::MLIRContext *context = builder.getContext();
  context->loadDialect<LLVM::LLVMDialect>();
  auto licm = LLVM::LoopLICMAttr::get(context, builder.getBoolAttr(true), {});
  auto annotation =
      LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, {}, {}, licm, {}, {}, {}, {}, {}, {}, {}, {}, {});
  return {builder.getStringAttr("llvm.loop_annotation"), annotation};
}

static mlir::NamedAttribute named(mlir::OpBuilder &builder, StringRef name, mlir::Attribute value) {
  return {builder.getStringAttr(name), value};
}

/// Gives the range its count. `direction`, if there is one, is negative where the range descends.
void KernelEmitter::countIterations(LoopRange &range, mlir::Value direction) {
  namespace arith = mlir::arith;
  mlir::Value low = range.begin, high = range.end, magnitude = range.step;
  const auto zero = [&](mlir::Type type) -> mlir::Value {
    return arith::ConstantOp::create(opBuilder, location(), opBuilder.getIntegerAttr(type, 0));
  };
  if (range.descends)
    std::swap(low, high);
  if (direction) {
    mlir::Value descends =
        arith::CmpIOp::create(opBuilder, location(), arith::CmpIPredicate::slt, direction, zero(direction.getType()));
    mlir::Value negated = arith::SubIOp::create(opBuilder, location(), zero(magnitude.getType()), magnitude);
    magnitude = arith::SelectOp::create(opBuilder, location(), descends, negated, magnitude);
    low = arith::SelectOp::create(opBuilder, location(), descends, range.end, range.begin);
    high = arith::SelectOp::create(opBuilder, location(), descends, range.begin, range.end);
  }
  const bool isUnsigned = !range.type.isSigned() && range.type.bitWidth() == 64;
  range.count =
      tensor::createTripCount(opBuilder, location(), low, high, magnitude, isUnsigned, opBuilder.getI64Type());
}

FailureOr<KernelEmitter::LoopRange> KernelEmitter::loopRange(const BoundArguments &arguments,
                                                             const Signature &signature) {
  LoopRange range;
  Value begin = Value::integer(0), end = arguments[0], step = Value::integer(1);
  if (!arguments[1].isNone()) {
    begin = arguments[0];
    end = arguments[1];
  }
  if (!arguments[2].isNone())
    step = arguments[2];
  std::optional<Type> constantType = step.isNumber() ? literalType(step) : std::nullopt;
  if (auto *constant = step.getIf<Integer>()) {
    if (*constant == 0)
      return error("ValueError") << "range() step must not be zero";
    if ((range.descends = *constant < 0))
      step = Value::integer(-*constant);
  }
  auto beginBound = loopBound(begin, "start"), endBound = loopBound(end, "end");
  auto stepBound = range.descends && constantType ? constantOf(*this, step, *constantType) : loopBound(step, "step");
  if (failed(beginBound) || failed(endBound) || failed(stepBound))
    return failure();
  range.type = promoteIntegers(promoteIntegers(beginBound->type(), endBound->type()), stepBound->type());
  const bool isUnsigned = !range.type.isSigned(), isLong = range.type.bitWidth() == 64;
  const Type held = !isUnsigned || isLong ? range.type : range.type.bitWidth() == 32 ? Type::int64() : Type::int32();
  std::pair<Value *, mlir::Value *> bounds[] = {
      {&*beginBound, &range.begin}, {&*endBound, &range.end}, {&*stepBound, &range.step}};
  if (range.descends) // what is counted from comes first
    std::swap(bounds[0], bounds[1]);
  for (auto [bound, place] : bounds) {
    const bool isMagnitude = range.descends && bound == &*stepBound && !(held == bound->type());
    auto typed = isMagnitude ? constantOf(*this, step, held) : cast(*this, *bound, held);
    if (failed(typed))
      return failure();
    *place = typed->get<TensorValue>().ir;
    if (showsSteps() && typed->type() == bound->type())
      *place = mlir::arith::BitcastOp::create(opBuilder, location(), (*place).getType(), *place);
  }
  if (step.isTensor() && options().debug) {
    const Value moves = *binary(*this, BinaryOperation::Ne, *stepBound, zeroOf(*this, stepBound->type()));
    tensor::AssertOp::create(opBuilder, location(), moves.get<TensorValue>().ir, "range() step must not be zero");
  }
  const mlir::Value ownStep = stepBound->get<TensorValue>().ir;
  const bool mayDescend = step.isTensor() && stepBound->type().isSigned() && !tensor::isCount(ownStep);
  const bool isFar =
      range.descends && step.get<Integer>() > frontend::rangeOf(held).second; // the magnitude of the least number
  if (mayDescend || isFar || (isUnsigned && isLong))
    countIterations(range, mayDescend ? ownStep : mlir::Value());
  if (showsSteps()) // what the variable holds before the loop
    poison(range.begin.getType());

  auto integerOption = [&](StringRef name, StringRef attribute) -> llvm::LogicalResult {
    const Value &value = arguments[signature.indexOf(name)];
    if (value.isNone())
      return llvm::success();
    auto *number = value.getIf<Integer>();
    auto small = number ? toInt64(*number) : std::nullopt;
    if (!small || *small != static_cast<int32_t>(*small))
      return error("TypeError") << name << " of range must be a constexpr integer, got " << value.str();
    range.attributes.push_back(named(opBuilder, attribute, opBuilder.getI32IntegerAttr(*small)));
    return llvm::success();
  };
  auto flagOption = [&](StringRef name, llvm::function_ref<mlir::NamedAttribute()> attribute) -> llvm::LogicalResult {
    const Value &value = arguments[signature.indexOf(name)];
    if (!value.isCompileTime())
      return error("TypeError") << name << " of range must be a constexpr";
    auto isSet = truth(value);
    if (!isSet)
      return fail(isSet.takeError());
    if (*isSet)
      range.attributes.push_back(attribute());
    return llvm::success();
  };
  auto unitOption = [&](StringRef name) {
    return flagOption(name, [&] { return named(opBuilder, ("tt." + name).str(), opBuilder.getUnitAttr()); });
  };
  if (failed(integerOption("num_stages", tensor::numStagesName)) ||
      failed(integerOption("loop_unroll_factor", tensor::loopUnrollFactorName)) ||
      failed(unitOption("disallow_acc_multi_buffer")) || failed(unitOption("flatten")) ||
      failed(unitOption("warp_specialize")) ||
      failed(flagOption("disable_licm", [&] { return disableLicm(opBuilder); })))
    return failure();
  return range;
}
