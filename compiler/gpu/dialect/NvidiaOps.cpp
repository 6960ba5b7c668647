// The ops of `ttng`: how they are checked, and what they do to memory.
#include "compiler/gpu/Gpu.h"

#include "compiler/tensor/rules/Rules.h"

using namespace mlir;

/// `[%token]` or `[]` for an op that gives a token, nothing for one that does not.
static ParseResult parseToken(OpAsmParser &parser, std::optional<OpAsmParser::UnresolvedOperand> &dependence,
                              Type &token) {
  if (failed(parser.parseOptionalLSquare()))
    return success();
  token = triton::gpu::AsyncTokenType::get(parser.getContext());
  if (succeeded(parser.parseOptionalRSquare()))
    return success();
  return failure(parser.parseOperand(dependence.emplace()) || parser.parseRSquare());
}

static void printToken(OpAsmPrinter &printer, Operation *, Value dependence, Type token) {
  if (!token)
    return;
  printer << "[";
  if (dependence)
    printer << dependence;
  printer << "]";
}

/// `, %barrier[%predicate], …`.
static ParseResult parseBarriersAndPredicates(OpAsmParser &parser,
                                              SmallVectorImpl<OpAsmParser::UnresolvedOperand> &barriers,
                                              SmallVectorImpl<OpAsmParser::UnresolvedOperand> &predicates) {
  while (succeeded(parser.parseOptionalComma()))
    if (parser.parseOperand(barriers.emplace_back()) || parser.parseLSquare() ||
        parser.parseOperand(predicates.emplace_back()) || parser.parseRSquare())
      return failure();
  return success();
}

static void printBarriersAndPredicates(OpAsmPrinter &printer, Operation *, OperandRange barriers,
                                       OperandRange predicates) {
  for (auto [barrier, predicate] : llvm::zip(barriers, predicates))
    printer << ", " << barrier << "[" << predicate << "]";
}

#define GET_OP_CLASSES
#include "compiler/gpu/dialect/NvidiaOps.cpp.inc"

namespace triton::gpu {

void WarpGroupDotOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand *operand : {&getAMutable(), &getBMutable()})
    if (isa<MemDescType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand, SharedMemory::get());
}

/// An operand as a tensor: its shape and elements.
static RankedTensorType asTensor(Type type) {
  if (auto buffer = dyn_cast<MemDescType>(type))
    return RankedTensorType::get(buffer.getShape(), buffer.getElementType());
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType());
}

LogicalResult WarpGroupDotOp::verify() {
  auto error = [&] { return emitOpError(); };
  auto accumulator = cast<RankedTensorType>(getD().getType());
  auto mma = dyn_cast_or_null<MmaAttr>(accumulator.getEncoding());
  if (!mma || !mma.isWgmma())
    return error() << "accumulates in a version 3 nvidia_mma layout, got " << accumulator;
  RankedTensorType a = asTensor(getA().getType()), b = asTensor(getB().getType());
  if (a.getRank() != 2 || b.getRank() != 2)
    return error() << "multiplies matrices, got shapes [" << a.getShape() << "] and [" << b.getShape() << "]";
  auto product = tensor::inferDot(a, b, accumulator.getElementType(), error);
  if (failed(product) || failed(tensor::checkAccumulator(*product, asTensor(accumulator), error)))
    return failure();
  if (accumulator.getDimSize(0) % 64 != 0)
    return error() << "needs a multiple of 64 rows, got " << accumulator.getDimSize(0);
  if (accumulator.getDimSize(1) % 8 != 0)
    return error() << "needs a multiple of 8 columns, got " << accumulator.getDimSize(1);
  for (Value operand : {Value(getA()), Value(getB())})
    if (auto buffer = dyn_cast<MemDescType>(operand.getType());
        buffer && !isa<NvmmaSharedAttr, SharedLinearAttr>(buffer.getEncoding()))
      return error() << "reads operands from buffers in nvmma_shared or shared_linear layouts, got " << buffer;
  if (auto tensor = dyn_cast<RankedTensorType>(getA().getType())) {
    auto operand = dyn_cast_or_null<DotOperandAttr>(tensor.getEncoding());
    if (!operand || operand.getOpIdx() != 0 || operand.getParent() != mma)
      return error() << "takes the left operand from registers in the dot_op layout of its accumulator, got " << tensor;
  }
  return success();
}

LogicalResult WarpGroupDotWaitOp::verify() {
  if (getInputs().empty())
    return emitOpError() << "needs the products it waits for";
  if (int32_t(getPendings()) < 0)
    return emitOpError() << "leaves a number of products pending, got " << int32_t(getPendings());
  return success();
}

} // namespace triton::gpu
