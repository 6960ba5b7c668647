// The rules of casts, inline assembly and products of matrices.
#include "compiler/tensor/rules/Rules.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::tensor {

LogicalResult checkBitcast(Type from, Type to, EmitError error) {
  Type source = getElementTypeOrSelf(from), target = getElementTypeOrSelf(to);
  if (getShape(from) != getShape(to))
    return error() << "cannot bitcast shape [" << getShape(from) << "] to shape [" << getShape(to) << "]";
  if (isa<PointerType>(source) != isa<PointerType>(target))
    return error() << "cannot bitcast between a pointer and a number: " << from << " to " << to;
  unsigned sourceBits = getElementBits(from), targetBits = getElementBits(to);
  if (sourceBits != targetBits)
    return error() << "cannot bitcast data-type of size " << sourceBits << " to data-type of size " << targetBits;
  return success();
}

LogicalResult checkFpToFp(Type from, Type to, std::optional<RoundingMode> rounding, EmitError error) {
  if (getShape(from) != getShape(to))
    return error() << "cannot convert shape [" << getShape(from) << "] to shape [" << getShape(to) << "]";
  bool narrows = getElementBits(to) < getElementBits(from);
  if (rounding && !narrows)
    return error() << "a rounding mode is only for truncating fp conversions, not for " << from << " to " << to;
  if (!rounding && narrows)
    return error() << "a truncating conversion needs a rounding mode: " << from << " to " << to;
  return success();
}

unsigned printedIndexWidth(int64_t size) {
  unsigned width = 0;
  for (int64_t reached = 1; reached < size; reached *= 10)
    ++width;
  return width;
}

/// How many registers values of these types take for one group: elements narrower than 32 bits share one. None where booleans share, which targets do their own way.
static std::optional<int64_t> countRegisters(TypeRange types, int64_t packedElements) {
  int64_t count = 0;
  for (Type type : types) {
    if (getElementTypeOrSelf(type).isInteger(1) && packedElements > 1)
      return std::nullopt;
    int64_t perRegister = std::max<int64_t>(32 / getElementBits(type), 1);
    count += packedElements / std::min(perRegister, packedElements);
  }
  return count;
}

/// The `$` of the text name operands; code generators end the process at one that names none.
static LogicalResult checkReferences(StringRef text, int64_t operandCount, EmitError error) {
  for (StringRef rest = text.drop_until([](char c) { return c == '$'; }); !rest.empty();
       rest = rest.drop_until([](char c) { return c == '$'; })) {
    rest = rest.drop_front();
    if (rest.consume_front("$"))
      continue;
    bool isBraced = rest.consume_front("{");
    int64_t number = 0;
    if (rest.consumeInteger(10, number) || number >= operandCount || (isBraced && !rest.contains('}')))
      return error() << "inline assembly has a '$' in its assembly that names none of its " << operandCount
                     << " operands: write '$$' for the character itself";
  }
  return success();
}

static LogicalResult checkConstraints(const InlineAsm &assembly, TypeRange operands, TypeRange results,
                                      EmitError error) {
  int64_t outputs = 0, inputs = 0;
  for (StringRef constraint : llvm::split(assembly.constraints, ','))
    if (!constraint.trim().empty() && !constraint.trim().starts_with("~"))
      ++(constraint.trim().starts_with("=") ? outputs : inputs);
  std::optional<int64_t> wantedOutputs = countRegisters(results, assembly.packedElements);
  std::optional<int64_t> wantedInputs = countRegisters(operands, assembly.packedElements);
  if (wantedOutputs && wantedInputs && (outputs != *wantedOutputs || inputs != *wantedInputs))
    return error() << "inline assembly has constraints \"" << assembly.constraints << "\" for " << outputs
                   << " outputs and " << inputs << " inputs, but its values take " << *wantedOutputs << " and "
                   << *wantedInputs << " registers";
  return checkReferences(assembly.text, outputs + inputs, error);
}

LogicalResult checkInlineAsm(const InlineAsm &assembly, TypeRange operands, TypeRange results, EmitError error) {
  const int64_t packedElements = assembly.packedElements;
  if (results.empty())
    return error() << "inline assembly needs at least one output";
  if (packedElements < 1)
    return error() << "inline assembly needs a positive pack, got " << packedElements;
  SmallVector<Type> all(operands);
  llvm::append_range(all, results);
  for (Type type : all) {
    if (getShape(type) != getShape(all[0]))
      return error() << "inline assembly needs operands and results of one shape, got [" << getShape(all[0])
                     << "] and [" << getShape(type) << "]";
    int64_t elements = ShapedType::getNumElements(getShape(type));
    if (isa<RankedTensorType>(type) && elements % packedElements != 0)
      return error() << "inline assembly: the number of elements, " << elements << ", must be a multiple of pack, "
                     << packedElements;
  }
  return checkConstraints(assembly, operands, results, error);
}

/// Whether a dot of these operand types may accumulate in `element`.
static bool canAccumulateIn(Type operand, Type element) {
  if (operand.isInteger(8))
    return element.isInteger(32);
  if (operand.isF16() || isFloat8(operand))
    return element.isF16() || element.isF32();
  if (operand.isF64())
    return element.isF64();
  return element.isF32();
}

static LogicalResult checkDotShapes(RankedTensorType a, RankedTensorType b, EmitError error) {
  if (a.getRank() != b.getRank() || a.getRank() < 2 || a.getRank() > 3)
    return error() << "both inputs must be either 2D or 3D, got shapes [" << a.getShape() << "] and [" << b.getShape()
                   << "]";
  if (a.getRank() == 3 && a.getDimSize(0) != b.getDimSize(0))
    return error() << "first input shape ([" << a.getShape() << "]) and second input shape ([" << b.getShape()
                   << "]) must have the same batch dimension";
  return success();
}

static RankedTensorType productType(RankedTensorType a, RankedTensorType b, int64_t rows, int64_t columns,
                                    Type element) {
  SmallVector<int64_t> shape(a.getShape().drop_back(2));
  shape.append({rows, columns});
  return RankedTensorType::get(shape, element);
}

FailureOr<RankedTensorType> inferDot(RankedTensorType a, RankedTensorType b, Type element, EmitError error) {
  if (failed(checkDotShapes(a, b, error)))
    return failure();
  if (a.getShape().back() != b.getDimSize(b.getRank() - 2))
    return error() << "first input shape ([" << a.getShape() << "]) and second input shape ([" << b.getShape()
                   << "]) are not compatible for matmul (second index of first shape (" << a.getShape().back()
                   << ") must be equal to first index of second shape (" << b.getDimSize(b.getRank() - 2) << "))";
  Type lhs = a.getElementType(), rhs = b.getElementType();
  if (lhs != rhs && !(isFloat8(lhs) && isFloat8(rhs)))
    return error() << "both operands must be same dtype, got " << lhs << " and " << rhs;
  if (!lhs.isInteger(8) && !isa<FloatType>(lhs))
    return error() << "unsupported dot operand dtype " << lhs;
  if (element.isBF16())
    return error() << "out_dtype=bfloat16 is unsupported, use out_dtype=float32 and cast the result";
  if (!canAccumulateIn(lhs, element))
    return error() << "a dot of " << lhs << " operands cannot accumulate in " << element;
  return productType(a, b, a.getDimSize(a.getRank() - 2), b.getShape().back(), element);
}

LogicalResult checkAccumulator(RankedTensorType product, Type accumulator, EmitError error) {
  if (getShape(accumulator) != product.getShape())
    return error() << "the accumulator must have the shape of the product [" << product.getShape() << "], got ["
                   << getShape(accumulator) << "]";
  if (getElementTypeOrSelf(accumulator) != product.getElementType())
    return error() << "the accumulator must be " << product.getElementType() << ", got "
                   << getElementTypeOrSelf(accumulator);
  return success();
}

static bool isStoredAs(ScaleDotElemType format, Type element) {
  switch (format) {
  case ScaleDotElemType::E2M1:
    return element.isInteger(8);
  case ScaleDotElemType::E4M3:
    return isa<Float8E4M3FNType>(element);
  case ScaleDotElemType::E5M2:
    return isa<Float8E5M2Type>(element);
  case ScaleDotElemType::BF16:
    return element.isBF16();
  case ScaleDotElemType::FP16:
    return element.isF16();
  case ScaleDotElemType::E2M3:
  case ScaleDotElemType::E3M2:
    return false;
  }
  return false;
}

static LogicalResult checkScaledStorage(const ScaledOperand &operand, EmitError error) {
  StringRef format = stringifyScaleDotElemType(operand.format);
  if (operand.format == ScaleDotElemType::E2M3 || operand.format == ScaleDotElemType::E3M2)
    return error() << "NYI: unsupported format " << format;
  if (!isStoredAs(operand.format, operand.type.getElementType()))
    return error() << "unexpected dtype for " << format << ": " << operand.type.getElementType();
  if (!operand.packedAlongK && operand.format != ScaleDotElemType::E2M1)
    return error() << "only mxfp4 inputs can be packed along a dimension different than K, not " << format;
  return success();
}

/// How many elements along K share a scale of this type where shapes do not say otherwise.
static int64_t usualScaleGroup(const ScaledOperand &operand) {
  return operand.scale.getElementType().isInteger(8) ? 32 : 16;
}

/// The scales of `operand`: of each matrix of a batch, `rows` by `groups`.
static SmallVector<int64_t> scaleShape(const ScaledOperand &operand, int64_t rows, int64_t groups) {
  SmallVector<int64_t> shape(operand.type.getShape().drop_back(2));
  shape.append({rows, groups});
  return shape;
}

/// That the scales of `operand` are not `rows` by `groups`.
static LogicalResult wrongScaleShape(StringRef name, const ScaledOperand &operand, int64_t rows, int64_t groups,
                                     EmitError error) {
  auto sizes = llvm::map_range(operand.scale.getShape(), [](int64_t size) { return std::to_string(size); });
  return error() << name << " must be a tensor of shape [" << ArrayRef<int64_t>(scaleShape(operand, rows, groups))
                 << "]. Got ['" << llvm::join(sizes, "', '") << "']"; // sizes as clients know them: constexprs, printed
}

/// How many elements along K share a scale: 16 or 32, as the shapes say; 0 without scales.
static FailureOr<int64_t> scaleGroup(StringRef name, const ScaledOperand &operand, int64_t rows, int64_t k,
                                     EmitError error) {
  if (!operand.scale)
    return 0;
  for (int64_t group : {16, 32})
    if (k % group == 0 && operand.scale.getShape() == ArrayRef<int64_t>(scaleShape(operand, rows, k / group)))
      return group;
  return wrongScaleShape(name, operand, rows, k / usualScaleGroup(operand), error);
}

FailureOr<RankedTensorType> inferDotScaled(ScaledOperand lhs, ScaledOperand rhs, EmitError error) {
  if (failed(checkDotShapes(lhs.type, rhs.type, error)) || failed(checkScaledStorage(lhs, error)) ||
      failed(checkScaledStorage(rhs, error)))
    return failure();
  int64_t rank = lhs.type.getRank();
  // What two packed elements hold counts twice along the dimension they are packed in.
  auto logical = [](const ScaledOperand &operand, int64_t dim, bool alongK) {
    bool packed = operand.format == ScaleDotElemType::E2M1 && operand.packedAlongK == alongK;
    return operand.type.getDimSize(dim) * (packed ? 2 : 1);
  };
  int64_t m = logical(lhs, rank - 2, false), n = logical(rhs, rank - 1, false);
  int64_t k = logical(lhs, rank - 1, true), otherK = logical(rhs, rank - 2, true);
  if (k != otherK)
    return error() << "reduction dimension should pack the same number of elements, got " << k << " for lhs ["
                   << lhs.type.getShape() << "] and " << otherK << " for rhs [" << rhs.type.getShape() << "]";
  FailureOr<int64_t> lhsGroup = scaleGroup("lhs_scale", lhs, m, k, error);
  FailureOr<int64_t> rhsGroup = failed(lhsGroup) ? lhsGroup : scaleGroup("rhs_scale", rhs, n, k, error);
  if (failed(rhsGroup))
    return failure();
  // Groups are the same on both sides: the side whose type usually has others is wrong.
  if (*lhsGroup && *rhsGroup && *lhsGroup != *rhsGroup)
    return *lhsGroup != usualScaleGroup(lhs) ? wrongScaleShape("lhs_scale", lhs, m, k / *rhsGroup, error)
                                             : wrongScaleShape("rhs_scale", rhs, n, k / *lhsGroup, error);
  return productType(lhs.type, rhs.type, m, n, Float32Type::get(lhs.type.getContext()));
}

} // namespace triton::tensor
