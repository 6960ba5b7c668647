// Dots: by threads (FMA), by tensor cores from registers (mma.sync), by tensor cores from shared memory (wgmma).
#include "compiler/gluon/builtins/Dots.h"

#include "compiler/frontend/builtins/Shape.h"
#include "compiler/gluon/builtins/Buffers.h"
#include "compiler/gluon/builtins/Families.h"
#include "compiler/tensor/rules/Rules.h"

using namespace mlir;

namespace triton::gluon {

using namespace frontend;
using frontend::Type;
using frontend::Value;
using tensor::InputPrecision;

static constexpr llvm::StringLiteral accumulatorClass =
    "triton.experimental.gluon.language.nvidia.hopper.warpgroup_mma_accumulator";

static FailureOr<InputPrecision> readPrecision(Emitter &emitter, const Value &value) {
  FailureOr<std::string> name = value.isNone() ? FailureOr<std::string>(emitter.options().defaultDotPrecision)
                                               : readString(emitter, value, "precision");
  if (failed(name))
    return failure();
  std::optional<InputPrecision> precision = tensor::symbolizeInputPrecision(*name);
  if (!precision)
    return emitter.error("ValueError") << "precision '" << *name << "' not supported";
  return *precision;
}

/// An operand in registers, laid out for the accumulator.
static FailureOr<Value> readOperand(Emitter &emitter, const Value &value, unsigned index, Attribute accumulator) {
  const char *name = index == 0 ? "a" : "b";
  FailureOr<Value> block = readBlock(emitter, value, name);
  if (failed(block))
    return failure();
  auto operand = dyn_cast_or_null<gpu::DotOperandAttr>(block->type().layout());
  if (!operand || operand.getOpIdx() != index || operand.getParent() != accumulator)
    return emitter.error("AssertionError")
           << name << " must be in DotOperandLayout(" << index << ", layout of acc, ...), got " << block->type().str();
  return block;
}

FailureOr<Value> multiplyRegisters(Emitter &emitter, const Value &left, const Value &right, const Value &accumulator,
                                   InputPrecision precision) {
  const Type type = accumulator.type();
  FailureOr<Value> a = readOperand(emitter, left, 0, type.layout());
  FailureOr<Value> b = failed(a) ? a : readOperand(emitter, right, 1, type.layout());
  if (failed(b))
    return failure();
  FailureOr<RankedTensorType> product =
      tensor::inferDot(irTypeOf(*a), irTypeOf(*b), type.element().toIr(emitter.context()), ruleErrors(emitter));
  if (failed(product))
    return failure();
  if (product->getShape() != type.shape())
    return emitter.error("ValueError") << "acc has shape " << type.str() << ", but a and b make another";
  zeroOf(emitter, type.element()); // where there is no accumulator, sums begin with it
  return Value::tensor(tensor::DotOp::create(emitter.builder(), emitter.location(), irOf(accumulator).getType(),
                                             irOf(*a), irOf(*b), irOf(accumulator), precision, 0u),
                       type);
}

static FailureOr<Value> multiply(Emitter &emitter, const BoundArguments &arguments, InputPrecision precision) {
  FailureOr<Value> accumulator = readBlock(emitter, arguments[2], "acc");
  return failed(accumulator) ? accumulator
                             : multiplyRegisters(emitter, arguments[0], arguments[1], *accumulator, precision);
}

FailureOr<tensor::ScaleDotElemType> readScaledFormat(Emitter &emitter, const Value &value, StringRef what) {
  FailureOr<std::string> name = readString(emitter, value, what);
  if (failed(name))
    return failure();
  std::optional<tensor::ScaleDotElemType> format;
  if (*name == "e2m1" || *name == "e4m3" || *name == "e5m2")
    format = tensor::symbolizeScaleDotElemType(*name);
  if (!format)
    return emitter.error("AssertionError") << what << " must be e2m1, e4m3 or e5m2, got " << *name;
  return *format;
}

static FailureOr<Value> mmaV2(Emitter &emitter, const BoundArguments &arguments) {
  if (failed(needs(emitter, 80, "mma_v2")))
    return failure();
  FailureOr<InputPrecision> precision = readPrecision(emitter, arguments[3]);
  if (failed(precision))
    return failure();
  auto mma = dyn_cast_or_null<gpu::MmaAttr>(arguments[2].isTensor() ? arguments[2].type().layout() : Attribute());
  if (!mma || mma.getVersionMajor() != 2)
    return emitter.error("AssertionError")
           << "acc must be in an NVMMADistributedLayout of version 2, got " << arguments[2].type().str();
  return multiply(emitter, arguments, *precision);
}

static FailureOr<Value> dotFma(Emitter &emitter, const BoundArguments &arguments) {
  if (!arguments[2].isTensor() || !isa_and_nonnull<gpu::BlockedAttr>(arguments[2].type().layout()))
    return emitter.error("AssertionError") << "acc must be in a BlockedLayout, got " << arguments[2].type().str();
  if (arguments[0].isTensor() && arguments[0].type().isBlock()) {
    const Type a = arguments[0].type(), accumulator = arguments[2].type();
    if (a.shape().back() * accumulator.elementCount() > (int64_t(1) << 19))
      emitter.warn("UserWarning",
                   "large dot FMA instruction: it is unrolled into as many multiplications as there are");
  }
  return multiply(emitter, arguments, InputPrecision::TF32); // threads multiply as exactly as floats are
}

// wgmma.

static Value accumulatorValue(mlir::Value ir, const Type &type) {
  return Value::handle(ir,
                       Type::handle(accumulatorClass.str(), type.element(), type.shape(), type.layout(), ir.getType()));
}

/// A tensor, or what a product that was not waited for gives.
static FailureOr<std::pair<mlir::Value, Type>> readAccumulator(Emitter &emitter, const Value &value, StringRef what) {
  if (value.isTensor() && value.type().isBlock())
    return std::pair(irOf(value), value.type());
  if (value.is<HandleValue>() && value.type().className() == accumulatorClass) {
    const Type type = value.type();
    return std::pair(bufferOf(value), Type::block(type.element(), type.shape(), type.layout()));
  }
  return emitter.error("TypeError") << what << " must be a tensor or an accumulator, got " << value.str();
}

static FailureOr<Value> warpgroupMma(Emitter &emitter, const BoundArguments &arguments) {
  if (emitter.options().capability / 10 != 9)
    return emitter.error("ValueError") << "warpgroup_mma is for sm_90, this is sm_" << emitter.options().capability;
  FailureOr<std::pair<mlir::Value, Type>> accumulator = readAccumulator(emitter, arguments[2], "acc");
  if (failed(accumulator))
    return failure();
  auto [sum, type] = *accumulator;
  auto mma = dyn_cast_or_null<gpu::MmaAttr>(type.layout());
  if (!mma || !mma.isWgmma())
    return emitter.error("AssertionError")
           << "acc must be in an NVMMADistributedLayout of version 3, got " << type.str();
  mlir::Value a;
  if (arguments[0].isTensor()) {
    FailureOr<Value> operand = readOperand(emitter, arguments[0], 0, type.layout());
    if (failed(operand))
      return failure();
    a = irOf(*operand);
  } else {
    FailureOr<Value> operand = readShared(emitter, arguments[0], "a");
    if (failed(operand))
      return failure();
    a = bufferOf(*operand);
  }
  const Type left = arguments[0].type();
  const int64_t depth = left.shape().back();
  FailureOr<Value> b = readShared(emitter, arguments[1], "b");
  FailureOr<InputPrecision> precision = failed(b) ? FailureOr<InputPrecision>() : readPrecision(emitter, arguments[4]);
  FailureOr<bool> isAsync = failed(precision) ? FailureOr<bool>() : readBoolean(emitter, arguments[6], "is_async");
  if (failed(isAsync))
    return failure();
  int64_t limit = left.element().isFloat8() ? emitter.options().maxImpreciseAccDefault : 0;
  if (!arguments[5].isNone()) {
    FailureOr<int64_t> given = readInteger(emitter, arguments[5], "max_num_imprecise_acc");
    if (failed(given))
      return failure();
    if (*given > depth)
      return emitter.error("ValueError") << "max_num_imprecise_acc (" << *given << ") must be <= K (" << depth << ")";
    limit = *given;
  }
  FailureOr<mlir::Value> useAccumulator = readPredicate(emitter, arguments[3], "use_acc");
  if (failed(useAccumulator))
    return failure();
  auto op = gpu::WarpGroupDotOp::create(emitter.builder(), emitter.location(), sum.getType(), a, bufferOf(*b), sum,
                                        *useAccumulator, *precision, static_cast<uint32_t>(limit), *isAsync);
  return *isAsync ? accumulatorValue(op.getD(), type) : Value::tensor(op.getD(), type);
}

static FailureOr<Value> warpgroupInit(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> value = readBlock(emitter, arguments[0], "value of warpgroup_mma_init");
  return failed(value) ? value : FailureOr<Value>(accumulatorValue(irOf(*value), value->type()));
}

static FailureOr<Value> warpgroupWait(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<int64_t> pending = readInteger(emitter, arguments[0], "num_outstanding");
  if (failed(pending))
    return failure();
  if (arguments[1].isNone())
    return emitter.error("ValueError") << "warpgroup_mma_wait deps must be given";
  FailureOr<std::vector<Value>> deps = readSequence(emitter, arguments[1], "deps");
  if (failed(deps))
    return failure();
  if (deps->empty())
    return emitter.error("ValueError") << "warpgroup_mma_wait needs at least one of what it waits for";
  SmallVector<mlir::Value> inputs;
  std::vector<Type> types;
  for (const Value &dep : *deps) {
    if (dep.is<HandleValue>() && dep.type().className() == sharedClass) {
      inputs.push_back(bufferOf(dep));
      types.push_back(dep.type());
      continue;
    }
    FailureOr<std::pair<mlir::Value, Type>> read = readAccumulator(emitter, dep, "deps");
    if (failed(read))
      return failure();
    inputs.push_back(read->first);
    types.push_back(read->second);
  }
  auto op = gpu::WarpGroupDotWaitOp::create(emitter.builder(), emitter.location(), ValueRange(inputs).getTypes(),
                                            inputs, *pending);
  std::vector<Value> results;
  for (auto [result, type] : llvm::zip(op.getOutputs(), types))
    results.push_back(type.isHandle() ? Value::handle(result, type) : Value::tensor(result, type));
  return results.size() == 1 ? results[0] : Value::tuple(std::move(results));
}

#define NVIDIA "triton.experimental.gluon.language.nvidia."

llvm::ArrayRef<Builtin> dotBuiltins() {
  static const Builtin table[] = {
      {"triton.experimental.gluon.language._core", "dot_fma", "(a, b, acc)",
       "acc + a b, by the threads' own multiplications.", dotFma},
      {NVIDIA "ampere", "mma_v2", "(a, b, acc, input_precision=None)", "acc + a b by tensor cores, from registers.",
       mmaV2},
      {NVIDIA "hopper", "warpgroup_mma",
       "(a, b, acc, *, use_acc=True, precision=None, max_num_imprecise_acc=None, is_async=False)",
       "acc + a b, or a b where `use_acc` is false, by the tensor cores of four warps, from shared memory.",
       warpgroupMma},
      {NVIDIA "hopper", "warpgroup_mma_init", "(value)", "A tensor as an accumulator.", warpgroupInit},
      {NVIDIA "hopper", "warpgroup_mma_wait", "(num_outstanding=0, deps=None)",
       "Waits until at most that many of the newest products are still running; gives `deps` as they are then.",
       warpgroupWait},
  };
  return table;
}

} // namespace triton::gluon
