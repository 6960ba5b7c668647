// Dots by AMD's matrix instructions, MFMA and WMMA, with and without scales, and the layouts of scales.
#include "compiler/frontend/builtins/ScaledOperand.h"
#include "compiler/frontend/builtins/Shape.h"
#include "compiler/frontend/values/Casting.h"
#include "compiler/gluon/builtins/Buffers.h"
#include "compiler/gluon/builtins/Dots.h"
#include "compiler/gluon/builtins/Families.h"
#include "compiler/gpu/DotPlan.h"
#include "compiler/gpu/dialect/Views.h"
#include "compiler/tensor/Microscaling.h"

#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

namespace triton::gluon {

using namespace frontend;
using frontend::Type;
using frontend::Value;

template <typename LayoutT>
static FailureOr<Value> readAccumulator(Emitter &emitter, const Value &value, StringRef what) {
  FailureOr<Value> accumulator =
      failed(needsAmd(emitter, what)) ? FailureOr<Value>() : readBlock(emitter, value, "acc");
  if (succeeded(accumulator) && !isa_and_nonnull<LayoutT>(accumulator->type().layout()))
    return emitter.error("AssertionError") << "acc of " << what << " has another layout: " << accumulator->type().str();
  return accumulator;
}

template <typename LayoutT> static FailureOr<Value> multiply(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> accumulator =
      readAccumulator<LayoutT>(emitter, arguments[2], std::is_same_v<LayoutT, gpu::MfmaAttr> ? "mfma" : "wmma");
  return failed(accumulator)
             ? accumulator
             : multiplyRegisters(emitter, arguments[0], arguments[1], *accumulator, tensor::InputPrecision::IEEE);
}

/// Where the scales of an operand lie.
static FailureOr<gpu::LinearAttr> scaleLayout(Emitter &emitter, gpu::DotOperandAttr operand, ArrayRef<int64_t> shape) {
  if (gpu::LinearAttr layout = gpu::scaleEncoding(operand.getParent(), operand.getOpIdx(), shape))
    return layout;
  return emitter.error("ValueError") << "only operands of matrix cores have scales";
}

static FailureOr<Value> getScaleLayout(Emitter &emitter, const BoundArguments &arguments) {
  layoutPolicy().loadDialects(*emitter.context()); // the host asks too, outside of any kernel
  FailureOr<Attribute> layout = readLayout(emitter, arguments[0], "dot_operand_layout");
  FailureOr<std::vector<int64_t>> shape =
      failed(layout) ? FailureOr<std::vector<int64_t>>() : readShapeOf(emitter, arguments[1]);
  if (failed(shape))
    return failure();
  auto operand = dyn_cast<gpu::DotOperandAttr>(*layout);
  if (!operand || shape->size() != 2)
    return emitter.error("ValueError") << "scales are those of a DotOperandLayout, in a matrix, got "
                                       << arguments[0].str() << " and [" << llvm::interleaved(*shape) << "]";
  FailureOr<gpu::LinearAttr> scales = scaleLayout(emitter, operand, *shape);
  return failed(scales) ? FailureOr<Value>() : makeLayoutObject(emitter, *scales, *shape);
}

/// The scales of an operand: a tensor, or one number for all of them, 1 for None.
static FailureOr<Value> readScale(Emitter &emitter, const Value &value, const Value &operand, unsigned index,
                                  tensor::ScaleDotElemType format) {
  const Type type = operand.type();
  if (value.isTensor() && value.type().isBlock())
    return value;
  const int64_t packed = format == tensor::ScaleDotElemType::E2M1 ? 2 : 1;
  const int64_t rows = type.shape()[index], depth = type.shape()[1 - index] * packed;
  const SmallVector<int64_t> shape = {rows, depth / 32};
  FailureOr<gpu::LinearAttr> layout = scaleLayout(emitter, cast<gpu::DotOperandAttr>(type.layout()), shape);
  if (failed(layout))
    return failure();
  const Type scales = Type::block(Type::scalar(ScalarKind::UInt8), shape, *layout);
  if (value.isNone())
    return constantOf(emitter, Value::integer(int64_t(127)), scales);
  if (value.isNumber())
    return constantOf(emitter, value, scales);
  FailureOr<Value> scalar = toTensor(emitter, value);
  if (succeeded(scalar))
    scalar = frontend::cast(emitter, *scalar, scales.element());
  return failed(scalar) ? scalar : broadcastTo(emitter, *scalar, shape, *layout);
}

/// An operand of a scaled dot in registers. Its layout is that of some accumulator, whose shape along K may be another than the dot's: fp4 is packed.
static FailureOr<Value> readOperand(Emitter &emitter, const Value &value, unsigned index) {
  const char *name = index == 0 ? "a" : "b";
  FailureOr<Value> block = readBlock(emitter, value, name);
  if (failed(block))
    return failure();
  auto operand = dyn_cast_or_null<gpu::DotOperandAttr>(block->type().layout());
  if (!operand || operand.getOpIdx() != index || !isa<gpu::MfmaAttr, gpu::WmmaAttr>(operand.getParent()))
    return emitter.error("AssertionError") << name << " must be in DotOperandLayout(" << index
                                           << ", layout of matrix cores, ...), got " << block->type().str();
  return block;
}

template <typename LayoutT> static FailureOr<Value> multiplyScaled(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> accumulator = readAccumulator<LayoutT>(
      emitter, arguments[6], std::is_same_v<LayoutT, gpu::MfmaAttr> ? "mfma_scaled" : "wmma_scaled");
  FailureOr<Value> a = failed(accumulator) ? accumulator : readOperand(emitter, arguments[0], 0);
  FailureOr<Value> b = failed(a) ? a : readOperand(emitter, arguments[3], 1);
  if (failed(b))
    return failure();
  FailureOr<tensor::ScaleDotElemType> formatA = readScaledFormat(emitter, arguments[2], "a_format"),
                                      formatB = readScaledFormat(emitter, arguments[5], "b_format");
  if (failed(formatA) || failed(formatB))
    return failure();
  a = asFormat(emitter, *a, *formatA);
  b = failed(a) ? a : asFormat(emitter, *b, *formatB);
  if (failed(b))
    return failure();
  FailureOr<Value> scaleA = readScale(emitter, arguments[1], *a, 0, *formatA);
  FailureOr<Value> scaleB = failed(scaleA) ? scaleA : readScale(emitter, arguments[4], *b, 1, *formatB);
  if (failed(scaleB))
    return failure();
  const Type type = accumulator->type();
  zeroOf(emitter, type.element()); // as multiplyRegisters does
  auto op = tensor::DotScaledOp::create(emitter.builder(), emitter.location(), irOf(*accumulator).getType(), irOf(*a),
                                        irOf(*b), irOf(*accumulator), irOf(*scaleA), irOf(*scaleB), *formatA, *formatB,
                                        /*fastMath=*/false, /*lhs_k_pack=*/true, /*rhs_k_pack=*/true);
  return Value::tensor(op, type);
}

/// Small floats times the exponents of `scale`, element by element. No instruction is asked for: the product is one of f32, rounded once.
static FailureOr<Value> upcastScaled(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> source =
      failed(needsAmd(emitter, "scaled_upcast")) ? FailureOr<Value>() : readBlock(emitter, arguments[0], "src");
  FailureOr<Value> scale = failed(source) ? source : readBlock(emitter, arguments[1], "scale");
  FailureOr<Type> element = failed(scale) ? FailureOr<Type>() : readType(emitter, arguments[2], "elem_type");
  if (failed(element))
    return failure();
  const bool isNarrow = *element == Type::scalar(ScalarKind::Float16) || *element == Type::scalar(ScalarKind::BFloat16);
  if (!isNarrow)
    return emitter.error("ValueError") << "Expected elem_type to be fp16 or bf16 but got " << element->str();
  const Type type = source->type(), factor = scale->type().element();
  if (!factor.isInteger() || factor.bitWidth() != 8)
    return emitter.error("ValueError") << "scale must hold exponents as int8 or uint8, got " << scale->type().str();
  OpBuilder &builder = emitter.builder();
  Location loc = emitter.location();
  mlir::Value wide = irOf(*source);
  if (type.element().isInteger()) { // two numbers of 4 bits in a byte
    FailureOr<int64_t> axis =
        arguments[3].isNone() ? FailureOr<int64_t>(int64_t(-1)) : readInteger(emitter, arguments[3], "axis");
    if (failed(axis))
      return failure();
    const int64_t dim = *axis < 0 ? *axis + int64_t(type.shape().size()) : *axis;
    FailureOr<RankedTensorType> unpacked =
        gpu::inferFp4ToFp(irTypeOf(*source), builder.getBF16Type(), dim, ruleErrors(emitter));
    if (failed(unpacked))
      return failure();
    wide = gpu::Fp4ToFpOp::create(builder, loc, *unpacked, wide, static_cast<uint32_t>(dim));
    wide = arith::ExtFOp::create(builder, loc, unpacked->clone(builder.getF32Type()), wide);
  } else if (type.element().isFloating() && type.element().bitWidth() == 8) {
    wide = tensor::FpToFpOp::create(builder, loc, irTypeOf(*source).clone(builder.getF32Type()), wide,
                                    tensor::RoundingModeAttr());
  } else {
    return emitter.error("ValueError") << "src must hold floats of 4 or 8 bits, got " << type.str();
  }
  auto result = cast<RankedTensorType>(wide.getType());
  if (irTypeOf(*scale).getShape() != result.getShape() || irTypeOf(*scale).getEncoding() != result.getEncoding())
    return emitter.error("ValueError") << "scale must have the shape and the layout of the result, "
                                       << tensorOf(wide, *element).type().str() << ", got " << scale->type().str();
  mlir::Value product = arith::MulFOp::create(builder, loc, wide, tensor::scalesAsFloats(builder, loc, irOf(*scale)));
  return tensorOf(arith::TruncFOp::create(builder, loc, result.clone(element->toIr(emitter.context())), product),
                  *element);
}

#define AMD "triton.experimental.gluon.language.amd."

llvm::ArrayRef<Builtin> amdDotBuiltins() {
  static const Builtin table[] = {
      {AMD "cdna3", "mfma", "(a, b, acc)", "acc + a b by matrix cores.", multiply<gpu::MfmaAttr>},
      {AMD "cdna3", "scaled_upcast", "(src, scale, elem_type, axis=None)",
       "Floats of 8 bits, or two of 4 bits in each byte along `axis`, times 2^(scale - 127), as float16 or bfloat16.",
       upcastScaled},
      {AMD "cdna4", "mfma_scaled", "(a, a_scale, a_format, b, b_scale, b_format, acc)",
       "The same for operands whose groups of 32 elements have scales.", multiplyScaled<gpu::MfmaAttr>},
      {AMD "cdna4", "get_mfma_scale_layout", "(dot_operand_layout, shape, scale_factor=32)", "The layout of scales.",
       getScaleLayout},
      {AMD "rdna3", "wmma", "(a, b, acc)", "acc + a b by matrix cores.", multiply<gpu::WmmaAttr>},
      {AMD "rdna4", "wmma", "(a, b, acc)", "acc + a b by matrix cores.", multiply<gpu::WmmaAttr>},
      {AMD "gfx1250", "wmma", "(a, b, acc)", "acc + a b by matrix cores.", multiply<gpu::WmmaAttr>},
      {AMD "gfx1250", "wmma_scaled", "(a, a_scale, a_format, b, b_scale, b_format, acc)",
       "The same for operands whose groups of 32 elements have scales.", multiplyScaled<gpu::WmmaAttr>},
      {AMD "gfx1250", "get_wmma_scale_layout", "(dot_operand_layout, shape, scale_factor=32)", "The layout of scales.",
       getScaleLayout},
  };
  return table;
}

} // namespace triton::gluon
