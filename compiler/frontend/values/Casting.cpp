// Conversions between element types (semantics 11).
#include "compiler/frontend/values/Casting.h"

#include "compiler/frontend/Operations.h"
#include "compiler/frontend/emitter/Emitter.h"
#include "compiler/frontend/values/Literals.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using triton::tensor::RoundingMode;

namespace triton::frontend {

LogicalResult checkTypeSupported(Emitter &emitter, Type type) {
  if (!type.isFloat8())
    return success();
  const std::string name = type.element().str();
  const std::vector<std::string> &supported = emitter.options().supportedFp8;
  if (llvm::is_contained(supported, name))
    return success();
  return emitter.error("ValueError") << "type " << name
                                     << " not supported in this architecture; the supported fp8 dtypes are ("
                                     << llvm::join(supported, ", ") << ")";
}

namespace {
/// One conversion: the operand, and the type its elements shall have.
struct Conversion {
  Emitter &emitter;
  mlir::Value ir;
  Type from, to; // both with the operand's shape

  template <typename Op> Value make() const {
    return Value::tensor(Op::create(emitter.builder(), emitter.location(), to.toIr(emitter.context()), ir), to);
  }

  Value floatToFloat(std::optional<RoundingMode> rounding) const {
    auto attribute =
        rounding ? tensor::RoundingModeAttr::get(emitter.context(), *rounding) : tensor::RoundingModeAttr();
    return Value::tensor(
        tensor::FpToFpOp::create(emitter.builder(), emitter.location(), to.toIr(emitter.context()), ir, attribute), to);
  }
  Value isNonZero() const {
    const auto zero = zeroOf(emitter, from).get<TensorValue>().ir;
    OpBuilder &builder = emitter.builder();
    if (from.isFloating())
      return Value::tensor(arith::CmpFOp::create(builder, emitter.location(), arith::CmpFPredicate::UNE, ir, zero), to);
    return Value::tensor(arith::CmpIOp::create(builder, emitter.location(), arith::CmpIPredicate::ne, ir, zero), to);
  }
  FailureOr<Value> through(ScalarKind middle, std::optional<std::string> rounding = std::nullopt) const {
    FailureOr<Value> half = frontend::cast(emitter, Value::tensor(ir, from), Type::scalar(middle), rounding);
    return failed(half) ? half : frontend::cast(emitter, *half, to.element());
  }
  FailureOr<Value> reject() const {
    return emitter.error("TypeError") << "cannot cast " << from.str() << " to " << to.str();
  }

  FailureOr<Value> bitcast() const;
  FailureOr<Value> betweenFloats(std::optional<RoundingMode> rounding) const;
  FailureOr<Value> float8E4B15(std::optional<RoundingMode> rounding) const;
  Value betweenIntegers() const;
  FailureOr<Value> fromPointer() const;
};
} // namespace

FailureOr<Value> Conversion::bitcast() const {
  if (from.bitWidth() != to.bitWidth())
    return emitter.error("ValueError") << "cannot bitcast data of size " << from.bitWidth() << " ("
                                       << from.element().str() << ") to data of size " << to.bitWidth() << " ("
                                       << to.element().str() << ")";
  if (from.isInteger() && to.isInteger())
    return Value::tensor(ir, to);
  return make<tensor::BitcastOp>();
}

// e4m3 with bias 15 is converted to and from f16; f32 gets there toward zero, so that the last step is the only rounding to nearest.
FailureOr<Value> Conversion::float8E4B15(std::optional<RoundingMode> rounding) const {
  const bool widens = from.scalarKind() == ScalarKind::Float8E4B15;
  const ScalarKind other = (widens ? to : from).scalarKind();
  if (other == ScalarKind::BFloat16)
    return reject();
  if (other == ScalarKind::Float16)
    return floatToFloat(widens ? std::optional<RoundingMode>() : rounding.value_or(RoundingMode::NearestEven));
  if (widens)
    return through(ScalarKind::Float16);
  return through(ScalarKind::Float16, other == ScalarKind::Float32 || other == ScalarKind::Float64
                                          ? std::optional<std::string>("rtz")
                                          : std::nullopt);
}

FailureOr<Value> Conversion::betweenFloats(std::optional<RoundingMode> rounding) const {
  if (from.scalarKind() == ScalarKind::Float8E4B15 || to.scalarKind() == ScalarKind::Float8E4B15)
    return float8E4B15(rounding);
  const bool narrows = to.bitWidth() < from.bitWidth();
  const bool isEightBit = from.isFloat8() || to.isFloat8();
  if (isEightBit) {
    // No direct conversion with f64, nor between two 8-bit formats: f32 holds both exactly.
    if (from.bitWidth() == 64 || to.bitWidth() == 64 || (from.isFloat8() && to.isFloat8()))
      return through(ScalarKind::Float32);
    return floatToFloat(narrows ? std::optional(rounding.value_or(RoundingMode::NearestEven)) : std::nullopt);
  }
  if (rounding == RoundingMode::TowardZero)
    return floatToFloat(rounding);
  const auto isHalf = [](Type type) { return type.bitWidth() == 16; };
  if (isHalf(from) && to.scalarKind() != ScalarKind::Float32)
    return through(ScalarKind::Float32);
  return narrows ? make<arith::TruncFOp>() : make<arith::ExtFOp>();
}

Value Conversion::betweenIntegers() const {
  if (to.isBool())
    return isNonZero();
  if (from.bitWidth() == to.bitWidth())
    return emitter.showsSteps() ? make<arith::BitcastOp>() : Value::tensor(ir, to);
  if (from.bitWidth() > to.bitWidth())
    return make<arith::TruncIOp>();
  return from.isSigned() ? make<arith::ExtSIOp>() : make<arith::ExtUIOp>();
}

FailureOr<Value> Conversion::fromPointer() const {
  if (to.isPointerLike())
    return make<tensor::BitcastOp>();
  if (!to.isInteger() || (to.bitWidth() != 64 && !to.isBool()))
    return reject();
  const Conversion address{emitter, ir, from, from.withElement(Type::int64())};
  Value integer = address.make<tensor::PtrToIntOp>();
  if (!to.isBool())
    return Value::tensor(integer.get<TensorValue>().ir, to);
  return Conversion{emitter, integer.get<TensorValue>().ir, address.to, to}.isNonZero();
}

static FailureOr<std::optional<RoundingMode>> roundingMode(Emitter &emitter, const std::optional<std::string> &name,
                                                           Type from, Type to) {
  if (!name)
    return std::optional<RoundingMode>();
  std::optional<RoundingMode> mode = tensor::symbolizeRoundingMode(*name);
  if (!mode)
    return emitter.error("ValueError") << "rounding mode '" << *name
                                       << "' is not supported; the supported modes are 'rtne' and 'rtz'";
  if (!from.isFloating() || !to.isFloating() || to.bitWidth() >= from.bitWidth())
    return emitter.error("ValueError") << "fp_downcast_rounding should be set only for truncating fp conversions, got "
                                       << from.element().str() << " to " << to.element().str();
  return mode;
}

static bool isBlockPointer(Type type) { return type.isPointer() && type.pointee().isBlock(); }

FailureOr<Value> cast(Emitter &emitter, const Value &value, Type toType, std::optional<std::string> rounding,
                      bool bitcast) {
  FailureOr<Value> source = toTensor(emitter, value);
  if (failed(source))
    return failure();
  const auto &[ir, from] = source->get<TensorValue>();
  const Type element = toType.element();
  if (from.element() == element)
    return *source;
  const bool isCastable = element.isScalar() ? element.scalarKind() != ScalarKind::Void : element.isPointer();
  if (!isCastable || isBlockPointer(from) || isBlockPointer(element))
    return emitter.error("TypeError") << "cannot cast " << from.str() << " to " << element.str();
  if (failed(checkTypeSupported(emitter, element)))
    return failure();
  const Type to = from.withElement(element);
  const Conversion conversion{emitter, ir, from, to};
  if (bitcast && !from.isPointerLike() && !to.isPointerLike())
    return conversion.bitcast();
  FailureOr<std::optional<RoundingMode>> mode = roundingMode(emitter, rounding, from, to);
  if (failed(mode))
    return failure();

  if (from.isPointerLike())
    return conversion.fromPointer();
  if (to.isPointerLike())
    return from.isInteger() && from.bitWidth() == 64 ? conversion.make<tensor::IntToPtrOp>() : conversion.reject();
  if (from.isFloating() && to.isFloating())
    return conversion.betweenFloats(*mode);
  if (from.isFloat8() || to.isFloat8())
    return conversion.reject();
  if (from.isInteger() && to.isInteger())
    return conversion.betweenIntegers();
  if (to.isBool())
    return conversion.isNonZero();
  if (to.isFloating())
    return from.isSigned() ? conversion.make<arith::SIToFPOp>() : conversion.make<arith::UIToFPOp>();
  if (from.bitWidth() == 16)
    return conversion.through(ScalarKind::Float32);
  return to.isSigned() ? conversion.make<arith::FPToSIOp>() : conversion.make<arith::FPToUIOp>();
}

FailureOr<Value> toBoolean(Emitter &emitter, const Value &value) { return cast(emitter, value, Type::int1()); }

} // namespace triton::frontend
