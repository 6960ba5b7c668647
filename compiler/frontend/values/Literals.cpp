#include "compiler/frontend/values/Literals.h"

#include "compiler/frontend/Operations.h"
#include "compiler/frontend/emitter/Emitter.h"
#include "compiler/frontend/values/Folding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace triton::frontend {

std::optional<Integer> asInteger(const Value &number) {
  if (const auto *boolean = number.getIf<bool>())
    return Integer(*boolean);
  if (const auto *integer = number.getIf<Integer>())
    return *integer;
  return std::nullopt;
}

std::pair<Integer, Integer> rangeOf(Type type) {
  const unsigned width = type.bitWidth();
  if (type.isSigned())
    return {fromBits(llvm::APInt::getSignedMinValue(width), true),
            fromBits(llvm::APInt::getSignedMaxValue(width), true)};
  return {Integer(0), fromBits(llvm::APInt::getMaxValue(width), false)};
}

static ScalarKind literalKind(const Integer &value) {
  for (ScalarKind kind : {ScalarKind::Int32, ScalarKind::UInt32, ScalarKind::Int64, ScalarKind::UInt64}) {
    const auto [low, high] = rangeOf(Type::scalar(kind));
    if (value >= low && value <= high)
      return kind;
  }
  return ScalarKind::Void;
}

static ScalarKind literalKind(double value) {
  const double magnitude = std::fabs(value);
  const bool fitsFloat32 =
      value == 0 || !std::isfinite(value) ||
      (magnitude >= std::numeric_limits<float>::min() && magnitude <= std::numeric_limits<float>::max());
  return fitsFloat32 ? ScalarKind::Float32 : ScalarKind::Float64;
}

std::optional<Type> literalType(const Value &number) {
  if (number.is<bool>())
    return Type::int1();
  if (const auto *real = number.getIf<double>())
    return Type::scalar(literalKind(*real));
  const ScalarKind kind = literalKind(number.get<Integer>());
  if (kind == ScalarKind::Void)
    return std::nullopt;
  return Type::scalar(kind);
}

static Value makeConstant(Emitter &emitter, Type type, TypedAttr element) {
  TypedAttr attribute = element;
  if (auto tensor = dyn_cast<RankedTensorType>(type.toIr(emitter.context()))) {
    if (emitter.showsSteps())
      arith::ConstantOp::create(emitter.builder(), emitter.location(), element);
    attribute = DenseElementsAttr::get(tensor, ArrayRef<Attribute>(element));
  }
  return Value::tensor(arith::ConstantOp::create(emitter.builder(), emitter.location(), attribute), type);
}

static FailureOr<Value> floatConstant(Emitter &emitter, const Value &number, Type type) {
  double value = number.is<double>() ? number.get<double>() : toDouble(*asInteger(number));
  if (value == 0 && !emitter.options().version.has(LanguageRule::NegativeZero))
    value = 0;
  if (type.isFloat8() && value != 0) {
    FailureOr<Value> wide = floatConstant(emitter, number, type.withElement(Type::float32()));
    return failed(wide) ? wide : frontend::cast(emitter, *wide, type.element());
  }
  auto element = cast<FloatType>(type.element().toIr(emitter.context()));
  llvm::APFloat converted(value);
  bool losesInformation = false;
  converted.convert(element.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInformation);
  return makeConstant(emitter, type, FloatAttr::get(element, converted));
}

FailureOr<Value> constantOf(Emitter &emitter, const Value &number, Type type) {
  assert(number.isNumber() && !type.isPointerLike() && "constants are numbers");
  if (type.isFloating())
    return floatConstant(emitter, number, type);
  const auto *real = number.getIf<double>();
  if (real && *real != 0 && !type.isBool())
    return emitter.error("TypeError") << "cannot make the float " << number.str() << " a constant of the integer type "
                                      << type.element().str();
  const Integer value = real ? Integer(*real != 0) : *asInteger(number);
  const unsigned width = type.bitWidth();
  const llvm::APInt bits = type.isBool() ? llvm::APInt(1, value != 0) : toBits(value, width);
  return makeConstant(emitter, type, IntegerAttr::get(IntegerType::get(emitter.context(), width), bits));
}

Value integerConstant(Emitter &emitter, Type type, int64_t value) {
  assert(type.isInteger() && "an integer constant of an integer type");
  return *constantOf(emitter, Value::integer(value), type);
}

Value zeroOf(Emitter &emitter, Type type) { return *constantOf(emitter, Value::integer(0), type); }

FailureOr<Value> toTensor(Emitter &emitter, const Value &value) {
  if (value.isTensor())
    return value;
  if (!value.isNumber())
    return emitter.error("TypeError")
               .hint(value.isNone() ? "a function that returns nothing gives None, and so does an argument that is None"
                                    : "")
           << "cannot convert " << value.str() << " of type " << classNameOf(value) << " to tensor";
  std::optional<Type> type = literalType(value);
  if (!type)
    return emitter.error("ValueError") << "nonrepresentable integer " << value.str() << ": it needs more than 64 bits";
  return constantOf(emitter, value, *type);
}

// Elements of a tuple that are None stay None, so they are not asked to become tensors.
FailureOr<Value> materialize(Emitter &emitter, const Value &value) {
  if (value.isNumber())
    return toTensor(emitter, value);
  if (value.is<std::string>() || value.is<EllipsisValue>() || value.is<std::shared_ptr<const Function>>() ||
      value.is<const Builtin *>() || value.is<std::shared_ptr<const SliceValue>>() || value.is<ModuleValue>() ||
      value.is<HostObject>() || value.is<std::shared_ptr<const BoundMethod>>())
    return emitter.error("TypeError").hint("annotate the variable as tl.constexpr to keep the value at compile time")
           << "cannot convert " << value.str() << " of type " << classNameOf(value) << " to tensor";
  const TupleValue *tuple = value.tuple();
  if (!tuple)
    return value;
  std::vector<Value> elements;
  for (const Value &element : tuple->elements) {
    // Functions in a tuple are passed around by kernels that take closures apart.
    if (!element.isNumber() && !element.tuple()) {
      elements.push_back(element);
      continue;
    }
    FailureOr<Value> converted = materialize(emitter, element);
    if (failed(converted))
      return failure();
    elements.push_back(*converted);
  }
  return Value::tuple(std::move(elements), tuple->fields, tuple->hostClass);
}

} // namespace triton::frontend
