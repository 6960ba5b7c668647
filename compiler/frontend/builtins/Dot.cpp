// Products of matrices.
#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/frontend/builtins/Families.h"
#include "compiler/frontend/builtins/ScaledOperand.h"
#include "compiler/frontend/builtins/Shape.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/rules/Rules.h"

#include "llvm/Support/InterleavedRange.h"

using namespace mlir;
using triton::tensor::InputPrecision;
using triton::tensor::ScaleDotElemType;

namespace triton::frontend {

static FailureOr<InputPrecision> readPrecision(Emitter &emitter, const Value &precision, const Value &allowTf32) {
  if (!precision.isNone() && !allowTf32.isNone())
    return emitter.error("ValueError") << "only one of input_precision and allow_tf32 can be specified";
  const LanguageOptions &options = emitter.options();
  std::string name = options.defaultDotPrecision;
  if (!precision.isNone()) {
    FailureOr<std::string> given = readString(emitter, precision, "input_precision");
    if (failed(given))
      return failure();
    name = llvm::StringRef(*given).lower();
  } else if (!allowTf32.isNone()) {
    FailureOr<bool> allowed = readBoolean(emitter, allowTf32, "allow_tf32");
    if (failed(allowed))
      return failure();
    if (!*allowed)
      name = "ieee";
  }
  std::optional<InputPrecision> result = tensor::symbolizeInputPrecision(name);
  if (!result || !llvm::is_contained(options.allowedDotPrecisions, name))
    return emitter.error("AssertionError")
           << "input_precision must be one of [" << llvm::join(options.allowedDotPrecisions, ", ") << "], got " << name;
  return *result;
}

static bool isOperandType(Type type) {
  return type.isFloat8() || type.isStandardFloating() || type.scalarKind() == ScalarKind::Int8;
}

static LogicalResult checkOperandTypes(Emitter &emitter, Type lhs, Type rhs) {
  for (const Type &type : {lhs, rhs})
    if (!isOperandType(type) || type.isPointer())
      return emitter.error("AssertionError")
             << "unsupported dtype " << type.str() << " in tl.dot: operands may be int8, fp8, fp16, bf16, fp32 or fp64";
  if (!(lhs == rhs) && !(lhs.isFloat8() && rhs.isFloat8()))
    return emitter.error("AssertionError")
           << "both operands must be same dtype. Got " << lhs.str() << " and " << rhs.str();
  return success();
}

static LogicalResult checkLeastSizes(Emitter &emitter, Type lhs, Type rhs) {
  const LanguageOptions &options = emitter.options();
  const int64_t leastK = options.leastDotK(lhs.bitWidth());
  ArrayRef<int64_t> a = lhs.shape(), b = rhs.shape();
  const int64_t m = a[a.size() - 2], k = a.back(), n = b.back();
  if (m >= options.minDotM && n >= options.minDotN && k >= leastK)
    return success();
  return emitter.error("AssertionError") << "Input shapes should have M >= " << options.minDotM
                                         << ", N >= " << options.minDotN << " and K >= " << leastK << "; got M = " << m
                                         << ", N = " << n << ", K = " << k;
}

/// None: what the accumulator holds, or float32 without one.
static FailureOr<Type> readOutDtype(Emitter &emitter, const Value &value, const Value &accumulator, Type operand) {
  if (!value.isNone())
    return readType(emitter, value, "out_dtype");
  if (accumulator.isTensor() && !accumulator.type().isPointerLike())
    return accumulator.type().element();
  return operand.scalarKind() == ScalarKind::Int8      ? Type::int32()
         : operand.scalarKind() == ScalarKind::Float64 ? operand
                                                       : Type::float32();
}

// What a dot of these operands accumulates in.
static FailureOr<Type> resultElement(Emitter &emitter, Type operand, Type outDtype) {
  if (operand.scalarKind() == ScalarKind::Int8)
    return Type::int32();
  if (outDtype.scalarKind() == ScalarKind::BFloat16)
    return emitter.error("ValueError") << "out_dtype=bfloat16 is unsupported. Please use out_dtype=float32/float16 and "
                                          "cast with `.to(tl.bfloat16)`";
  if (operand.scalarKind() == ScalarKind::Float64)
    return operand;
  if (operand.scalarKind() == ScalarKind::Float32 || operand.scalarKind() == ScalarKind::BFloat16)
    return Type::float32();
  if (llvm::is_contained({ScalarKind::Float16, ScalarKind::Float32}, outDtype.scalarKind()))
    return outDtype;
  return emitter.error("ValueError") << "operands of type " << operand.element().str()
                                     << " accumulate in fp32 or fp16, got out_dtype " << outDtype.str();
}

// Ranks above 3 become one batch dimension.
static FailureOr<Value> withOneBatch(Emitter &emitter, const Value &value) {
  const Type type = value.type();
  ArrayRef<int64_t> shape = type.shape();
  if (shape.size() <= 3)
    return value;
  int64_t batch = 1;
  for (int64_t size : shape.drop_back(2))
    batch *= size;
  return reshapeTo(emitter, value, {batch, shape[shape.size() - 2], shape.back()});
}

static FailureOr<Value> readAccumulator(Emitter &emitter, const Value &value, Type result, Type outDtype) {
  if (value.isNone())
    return zeroOf(emitter, result);
  FailureOr<Value> accumulator = readBlock(emitter, value, "acc");
  if (failed(accumulator))
    return failure();
  const Type type = accumulator->type();
  if (type.shape() != result.shape())
    return emitter.error("AssertionError")
           << "the accumulator must have the shape of the product [" << llvm::interleaved(result.shape()) << "], got ["
           << llvm::interleaved(type.shape()) << "]";
  const std::string sums = outDtype == result.element()
                               ? std::string()
                               : "these operands accumulate in " + result.element().str() +
                                     ", so out_dtype and the accumulator's dtype must be " + result.element().str();
  if (!(type.element() == outDtype))
    return emitter.error("AssertionError")
           << "the accumulator's dtype " << type.element().str() << " must be out_dtype, which is " << outDtype.str()
           << "; pass out_dtype=" << type.element().str() << ", or cast it" << (sums.empty() ? "" : "; ") << sums;
  if (!sums.empty())
    return emitter.error("AssertionError") << sums << ", got " << outDtype.str();
  return accumulator;
}

static FailureOr<int64_t> readImpreciseLimit(Emitter &emitter, const Value &value, Type lhs, Type rhs) {
  const Type left = lhs;
  const int64_t k = left.shape().back();
  const bool isFloat8 = lhs.isFloat8() && rhs.isFloat8();
  if (value.isNone())
    return isFloat8 ? emitter.options().maxImpreciseAccDefault : 0;
  FailureOr<int64_t> limit = readInteger(emitter, value, "max_num_imprecise_acc");
  if (failed(limit))
    return failure();
  if (isFloat8 && *limit > k)
    return emitter.error("ValueError") << "max_num_imprecise_acc (" << *limit << ") must be <= K (" << k << ")";
  return limit;
}

static void warnDeprecatedFloat8(Emitter &emitter, Type lhs, Type rhs) {
  for (const Type &type : {lhs.element(), rhs.element()})
    if (llvm::is_contained(emitter.options().deprecatedFp8Dot, type.str()))
      return emitter.warn(
          "UserWarning",
          "the use of " + type.str() +
              " is deprecated on Hopper and later architectures: products compute it in float16, which is slow");
}

// e4m3 with bias 15 has no product of its own: it is computed in f16.
static FailureOr<Value> upcastE4B15(Emitter &emitter, const Value &value) {
  return value.type().scalarKind() == ScalarKind::Float8E4B15 ? cast(emitter, value, Type::scalar(ScalarKind::Float16))
                                                              : FailureOr<Value>(value);
}

static LogicalResult checkRanks(Emitter &emitter, Type lhs, Type rhs) {
  ArrayRef<int64_t> a = lhs.shape(), b = rhs.shape();
  if (a.size() != b.size() || a.size() < 2)
    return emitter.error("AssertionError") << "both inputs of dot must have one rank of at least 2; got shapes ["
                                           << llvm::interleaved(a) << "] and [" << llvm::interleaved(b) << "]";
  if (a.drop_back(2) != b.drop_back(2))
    return emitter.error("AssertionError")
           << "first input shape ([" << llvm::interleaved(a) << "]) and second input shape ([" << llvm::interleaved(b)
           << "]) must have the same batch shape";
  return success();
}

static FailureOr<Value> dot(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> lhs = readBlock(emitter, arguments[0], "first input of dot");
  FailureOr<Value> rhs = failed(lhs) ? lhs : readBlock(emitter, arguments[1], "second input of dot");
  if (failed(rhs))
    return failure();
  FailureOr<InputPrecision> precision = readPrecision(emitter, arguments[3], arguments[4]);
  FailureOr<Type> outDtype =
      failed(precision) ? FailureOr<Type>() : readOutDtype(emitter, arguments[6], arguments[2], lhs->type().element());
  if (failed(outDtype) || failed(checkOperandTypes(emitter, lhs->type().element(), rhs->type().element())) ||
      failed(checkRanks(emitter, lhs->type(), rhs->type())))
    return failure();
  warnDeprecatedFloat8(emitter, lhs->type(), rhs->type());
  lhs = upcastE4B15(emitter, *lhs);
  rhs = upcastE4B15(emitter, *rhs);
  if (failed(lhs) || failed(rhs))
    return failure();
  // One of two different f8 types may just have become f16: the other follows.
  if (lhs->type().isFloat8() != rhs->type().isFloat8()) {
    Value &narrow = lhs->type().isFloat8() ? *lhs : *rhs;
    FailureOr<Value> widened = cast(emitter, narrow, Type::scalar(ScalarKind::Float16));
    if (failed(widened))
      return failure();
    narrow = *widened;
  }
  FailureOr<Type> element = resultElement(emitter, lhs->type().element(), *outDtype);
  if (failed(element) || failed(checkLeastSizes(emitter, lhs->type(), rhs->type())))
    return failure();
  FailureOr<int64_t> limit = readImpreciseLimit(emitter, arguments[5], lhs->type(), rhs->type());
  if (failed(limit))
    return failure();

  const Type left = lhs->type(), right = rhs->type();
  SmallVector<int64_t> shape(left.shape());
  shape.back() = right.shape().back();
  FailureOr<Value> flatLhs = withOneBatch(emitter, *lhs), flatRhs = withOneBatch(emitter, *rhs);
  if (failed(flatLhs) || failed(flatRhs))
    return failure();
  FailureOr<RankedTensorType> product =
      tensor::inferDot(irTypeOf(*flatLhs), irTypeOf(*flatRhs), element->toIr(emitter.context()), ruleErrors(emitter));
  if (failed(product) || failed(tensor::checkShape(shape, ruleErrors(emitter))))
    return failure();
  FailureOr<Value> accumulator = readAccumulator(emitter, arguments[2], Type::block(*element, shape), *outDtype);
  FailureOr<Value> flatAccumulator = failed(accumulator) ? accumulator : withOneBatch(emitter, *accumulator);
  if (failed(flatAccumulator))
    return failure();
  auto op = tensor::DotOp::create(emitter.builder(), emitter.location(), *product, irOf(*flatLhs), irOf(*flatRhs),
                                  irOf(*flatAccumulator), *precision, static_cast<uint32_t>(*limit));
  return reshapeTo(emitter, tensorOf(op, *element), shape);
}

static FailureOr<ScaleDotElemType> readFormat(Emitter &emitter, const Value &value, llvm::StringRef what) {
  FailureOr<std::string> name = readString(emitter, value, what);
  if (failed(name))
    return failure();
  std::optional<ScaleDotElemType> format = tensor::symbolizeScaleDotElemType(*name);
  if (!format)
    return emitter.error("ValueError") << "invalid " << what << " '" << *name
                                       << "': it may be e2m1, e4m3, e5m2, bf16 or fp16";
  if (*format == ScaleDotElemType::E2M3 || *format == ScaleDotElemType::E3M2)
    return emitter.error("AssertionError") << what << " " << *name << " is not implemented";
  return *format;
}

FailureOr<Value> asFormat(Emitter &emitter, const Value &value, ScaleDotElemType format) {
  const auto storage = [&]() -> ScalarKind {
    switch (format) {
    case ScaleDotElemType::E4M3:
      return ScalarKind::Float8E4NV;
    case ScaleDotElemType::E5M2:
      return ScalarKind::Float8E5;
    case ScaleDotElemType::BF16:
      return ScalarKind::BFloat16;
    case ScaleDotElemType::FP16:
      return ScalarKind::Float16;
    default:
      return ScalarKind::UInt8;
    }
  }();
  const ScalarKind kind = value.type().scalarKind();
  if (kind == storage)
    return value;
  const bool isBits = (kind == ScalarKind::UInt8 && Type::scalar(storage).bitWidth() == 8) ||
                      (kind == ScalarKind::UInt16 && Type::scalar(storage).bitWidth() == 16);
  if (!isBits)
    return emitter.error("AssertionError") << "unexpected dtype for " << tensor::stringifyScaleDotElemType(format).str()
                                           << ": got " << value.type().element().str();
  return cast(emitter, value, Type::scalar(storage), std::nullopt, /*bitcast=*/true);
}

namespace {
/// One side of a scaled product, read.
struct ScaledSide {
  Value value;
  std::optional<Value> scale;
  ScaleDotElemType format;
  bool packedAlongK;

  tensor::ScaledOperand rule() const {
    return {irTypeOf(value), scale ? irTypeOf(*scale) : RankedTensorType(), format, packedAlongK};
  }
  mlir::Value scaleIr() const { return scale ? irOf(*scale) : mlir::Value(); }
};
} // namespace

static FailureOr<ScaledSide> readSide(Emitter &emitter, const Value &value, const Value &scale, const Value &format,
                                      const Value &pack, llvm::StringRef side) {
  FailureOr<Value> block = readBlock(emitter, value, side);
  FailureOr<ScaleDotElemType> kind =
      failed(block) ? FailureOr<ScaleDotElemType>() : readFormat(emitter, format, (side + "_format").str());
  FailureOr<bool> packedAlongK =
      failed(kind) ? FailureOr<bool>() : readBoolean(emitter, pack, (side + "_k_pack").str());
  FailureOr<Value> typed = failed(packedAlongK) ? FailureOr<Value>() : asFormat(emitter, *block, *kind);
  if (failed(typed))
    return failure();
  std::optional<Value> scaleBlock;
  if (!scale.isNone()) {
    FailureOr<Value> given = readBlock(emitter, scale, (side + "_scale").str());
    if (failed(given))
      return failure();
    const ScalarKind element = given->type().scalarKind();
    if (element != ScalarKind::UInt8 && element != ScalarKind::Float8E4NV)
      return emitter.error("AssertionError")
             << side << "_scale must be uint8 (e8m0) or fp8e4nv, got " << given->type().element().str();
    scaleBlock = *given;
  }
  return ScaledSide{*typed, scaleBlock, *kind, *packedAlongK};
}

static FailureOr<Value> dotScaled(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<ScaledSide> lhs = readSide(emitter, arguments[0], arguments[1], arguments[2], arguments[8], "lhs");
  FailureOr<ScaledSide> rhs =
      failed(lhs) ? lhs : readSide(emitter, arguments[3], arguments[4], arguments[5], arguments[9], "rhs");
  FailureOr<bool> fastMath = failed(rhs) ? FailureOr<bool>() : readBoolean(emitter, arguments[7], "fast_math");
  FailureOr<Type> outDtype = failed(fastMath) ? FailureOr<Type>() : readType(emitter, arguments[10], "out_dtype");
  if (failed(outDtype))
    return failure();
  if (!(*outDtype == Type::float32()))
    return emitter.error("AssertionError")
           << "dot_scaled gives fp32: out_dtype " << outDtype->str() << " is not supported";
  FailureOr<RankedTensorType> product = tensor::inferDotScaled(lhs->rule(), rhs->rule(), ruleErrors(emitter));
  if (failed(product) || failed(tensor::checkShape(product->getShape(), ruleErrors(emitter))))
    return failure();
  FailureOr<Value> accumulator =
      readAccumulator(emitter, arguments[6], Type::block(Type::float32(), product->getShape()), *outDtype);
  if (failed(accumulator))
    return failure();
  auto op = tensor::DotScaledOp::create(emitter.builder(), emitter.location(), *product, irOf(lhs->value),
                                        irOf(rhs->value), irOf(*accumulator), lhs->scaleIr(), rhs->scaleIr(),
                                        lhs->format, rhs->format, *fastMath, lhs->packedAlongK, rhs->packedAlongK);
  return tensorOf(op, Type::float32());
}

llvm::ArrayRef<Builtin> dotBuiltins() {
  static const Builtin table[] = {
      {"triton.language.core", "dot",
       "(input, other, acc=None, input_precision=None, allow_tf32=None, max_num_imprecise_acc=None, "
       "out_dtype=None)",
       "The matrix product of two blocks, plus `acc`.\n\n"
       "Shapes are [M, K] and [K, N], with a leading batch dimension in common, if any. Operands have one dtype of "
       "int8, float16, bfloat16, float32, float64, or are 8-bit floats. int8 accumulates in int32, float16 and 8-bit "
       "floats in `out_dtype`, float64 in float64, the rest in float32. `out_dtype=None` means what `acc` has, or "
       "float32.\n"
       "`input_precision` says how float32 operands are read: \"tf32\", \"tf32x3\", \"ieee\", \"bf16x3\" or "
       "\"bf16x6\". `allow_tf32` is its deprecated form.",
       dot},
      {"triton.language.core", "dot_scaled",
       "(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=None, fast_math=False, lhs_k_pack=True, "
       "rhs_k_pack=True, out_dtype=tl.float32)",
       "The product of two matrices in microscaling formats, plus `acc`, in float32.\n\n"
       "Formats are \"e2m1\" (two per uint8, the first in the low bits), \"e4m3\", \"e5m2\", \"bf16\" and \"fp16\". A "
       "scale is None or a block [M or N, K / group], with the leading dimension of its operand if that is a batch: "
       "uint8 exponents or float8e4nv, one for each group of 16 or 32 elements along K; shapes say which, and scales "
       "of both sides have the same.",
       dotScaled},
  };
  return table;
}

} // namespace triton::frontend
