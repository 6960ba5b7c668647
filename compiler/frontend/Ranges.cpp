// The three ranges of `for`: `range`, `tl.range` with its options, and `tl.static_range`, which unrolls.
#include "compiler/frontend/Folding.h"
#include "compiler/frontend/KernelEmitter.h"
#include "compiler/frontend/Operations.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/STLExtras.h"

using namespace triton;
using namespace triton::frontend;
using llvm::failure;
using llvm::SmallVector;
using llvm::StringRef;
using mlir::FailureOr;

/// More copies of a body than this would not end in code anyone can use.
static constexpr int64_t maxUnrolledIterations = 1 << 16;

FailureOr<Value> KernelEmitter::loopBound(const Value &value, StringRef which) {
  Value bound = value;
  if (bound.isTensor() && bound.type().isBlock() && bound.type().elementCount() == 1) {
    auto scalar = callBuiltin(*findMethod("item"), CallArguments{{bound}, {}});
    if (failed(scalar))
      return failure();
    bound = *scalar;
  }
  const bool isInteger = bound.is<Integer>() || bound.is<bool>() ||
                         (bound.isTensor() && bound.type().isScalar() && bound.type().isInteger());
  if (!isInteger)
    return error("TypeError") << "for loop bounds and step must all be integer scalars, the " << which << " is of type "
                              << (bound.isTensor() ? bound.type().str() : classNameOf(bound));
  return toTensor(*this, bound);
}

static mlir::NamedAttribute named(mlir::OpBuilder &builder, StringRef name, mlir::Attribute value) {
  return {builder.getStringAttr(name), value};
}

FailureOr<KernelEmitter::LoopRange> KernelEmitter::loopRange(const BoundArguments &arguments,
                                                             const Signature *signature) {
  LoopRange range;
  Value begin = Value::integer(0), end = arguments[0], step = Value::integer(1);
  if (!arguments[1].isNone()) {
    begin = arguments[0];
    end = arguments[1];
  }
  if (!arguments[2].isNone())
    step = arguments[2];
  if (auto *constant = step.getIf<Integer>()) {
    if (*constant == 0)
      return error("ValueError") << "range() step must not be zero";
    if ((range.descends = *constant < 0))
      step = Value::integer(-*constant);
  }
  auto beginBound = loopBound(begin, "start"), endBound = loopBound(end, "end"), stepBound = loopBound(step, "step");
  if (failed(beginBound) || failed(endBound) || failed(stepBound))
    return failure();
  range.type = promoteIntegers(promoteIntegers(beginBound->type(), endBound->type()), stepBound->type());
  for (auto [bound, place] : {std::pair(&*beginBound, &range.begin), std::pair(&*endBound, &range.end),
                              std::pair(&*stepBound, &range.step)}) {
    auto typed = cast(*this, *bound, range.type);
    if (failed(typed))
      return failure();
    *place = typed->get<TensorValue>().ir;
  }
  if (!signature)
    return range;

  auto integerOption = [&](StringRef name, StringRef attribute) -> llvm::LogicalResult {
    const Value &value = arguments[signature->indexOf(name)];
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
    const Value &value = arguments[signature->indexOf(name)];
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
      failed(unitOption("warp_specialize")) || failed(flagOption("disable_licm", [&] { return disableLicm(); })))
    return failure();
  return range;
}

mlir::NamedAttribute KernelEmitter::disableLicm() {
  namespace LLVM = mlir::LLVM;
  context()->loadDialect<LLVM::LLVMDialect>();
  auto licm = LLVM::LoopLICMAttr::get(context(), opBuilder.getBoolAttr(true), {});
  auto annotation =
      LLVM::LoopAnnotationAttr::get(context(), {}, {}, {}, {}, {}, licm, {}, {}, {}, {}, {}, {}, {}, {}, {});
  return {opBuilder.getStringAttr("llvm.loop_annotation"), annotation};
}

Flow KernelEmitter::emitStaticRange(const syntax::For *loop, const BoundArguments &arguments,
                                    const Signature &signature) {
  auto giveUp = [&]() -> Flow {
    makeUnknown(assigned.of(loop));
    return {};
  };
  static constexpr llvm::StringLiteral which[] = {"start", "end", "step"};
  for (unsigned i = 0; i < 3; ++i)
    if (const Value &value = arguments[i]; !value.isNone() && !value.is<Integer>() && !value.is<bool>()) {
      const bool onlyEnd = i == 0 && arguments[1].isNone();
      (void)(error(loop->iter->range, "AssertionError")
             << (onlyEnd ? which[1] : which[i]) << " of static_range must be a constexpr integer, got " << value.str());
      return giveUp();
    }
  auto integer = [&](unsigned i, int64_t otherwise) {
    const Value &value = arguments[i];
    return value.isNone() ? Integer(otherwise) : value.is<bool>() ? Integer(value.get<bool>()) : value.get<Integer>();
  };
  const Integer begin = arguments[1].isNone() ? Integer(0) : integer(0, 0),
                end = arguments[1].isNone() ? integer(0, 0) : integer(1, 0);
  const Integer step = integer(2, 1);
  if (step == 0) {
    (void)(error(loop->iter->range, "ValueError") << "range() step must not be zero");
    return giveUp();
  }
  const Integer distance = step > 0 ? end - begin : begin - end;
  const Integer count = distance > 0 ? ceilDiv(distance, abs(step)) : Integer(0);
  if (count > maxUnrolledIterations) {
    (void)(error(loop->iter->range, "ValueError")
           << "static_range would unroll " << toString(count) << " iterations, more than " << maxUnrolledIterations);
    return giveUp();
  }
  const StringRef variable = llvm::cast<syntax::Name>(loop->target)->id;
  const llvm::ArrayRef<StringRef> names = assigned.of(loop->body);
  std::vector<StringRef> all(names.begin(), names.end());
  if (!llvm::is_contained(all, variable))
    all.push_back(variable);
  // From iteration `i` on; iterations behind one that may have returned are guarded like any code behind it.
  std::function<Flow(int64_t)> emitFrom = [&](int64_t i) -> Flow {
    for (; i < int64_t(count); ++i) {
      frame->scope.bind(
          variable,
          {.value = Value::integer(begin + step * Integer(i)), .range = loop->target->range, .isConstexpr = true});
      const unsigned errorsBefore = diagnostics.errors();
      Flow flow = emitStatements(loop->body);
      if (flow.kind == Flow::Kind::Returns || diagnostics.errors() != errorsBefore)
        return flow;
      if (flow.kind == Flow::Kind::MayReturn)
        return i + 1 == int64_t(count)
                   ? flow
                   : emitGuarded(std::move(flow), all, /*isFunctionBody=*/false, [&] { return emitFrom(i + 1); });
    }
    return {};
  };
  const unsigned errorsBefore = diagnostics.errors();
  Flow flow = emitFrom(0);
  if (diagnostics.errors() != errorsBefore)
    makeUnknown(names);
  return flow;
}
