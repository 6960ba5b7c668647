// Operations that run code of the user's own, one group of elements at a time: `tt.map_elementwise` that branches or
// packs, and inline assembly.
#include "compiler/cpu/Lowering.h"
#include "compiler/cpu/Scalar.h"
#include "compiler/cpu/evaluate/Elementwise.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace triton::cpu {

/// Where element number `index` of a tensor of `shape` stands.
static Coordinates coordinatesOf(Value index, ArrayRef<int64_t> shape, Evaluator &evaluator) {
  int64_t size = 1;
  for (int64_t extent : shape)
    size *= extent;
  return evaluator.reshape({evaluator.at(index)}, {size}, shape);
}

LogicalResult Lowering::lowerMap(tensor::MapElementwiseOp map) {
  Location loc = map.getLoc();
  Scalar s{builder, loc};
  auto type = cast<RankedTensorType>(map.getSrcs()[0].getType());
  int64_t pack = map.getPack();
  Region &region = map.getScalarOp();
  LogicalResult status = success();
  evaluator.begin(1);
  emitLoop(s.i64(0), s.i64(type.getNumElements()), pack, loc, {}, [&](Value first, ValueRange) {
    SmallVector<Coordinates> places;
    for (int64_t i = 0; i < pack; ++i)
      places.push_back(coordinatesOf(s.add(first, i), type.getShape(), evaluator));
    unsigned argument = 0;
    for (Value source : map.getSrcs())
      for (const Coordinates &at : places)
        scalars.map(region.getArgument(argument++), evaluator.uniform(source, at));
    SmallVector<Type> types;
    for (Value result : map.getResults())
      types.append(pack, getRegisterType(getElementTypeOrSelf(result.getType())));
    // The region keeps its blocks.
    auto holder = scf::ExecuteRegionOp::create(builder, loc, types);
    {
      OpBuilder::InsertionGuard guard(builder);
      llvm::DenseMap<Block *, Block *> outer = std::move(blocks);
      blocks.clear();
      for (Block &block : region) {
        Block *copy = new Block();
        holder.getRegion().push_back(copy);
        blocks[&block] = copy;
        if (&block != &region.front())
          for (BlockArgument argument : block.getArguments())
            scalars.map(argument, copy->addArgument(getRegisterType(argument.getType()), argument.getLoc()));
      }
      for (Block &block : region) {
        builder.setInsertionPointToEnd(blocks[&block]);
        if (failed(lowerBlock(block)))
          status = failure();
        Operation *terminator = block.getTerminator();
        if (isa<tensor::MapElementwiseReturnOp>(terminator))
          scf::YieldOp::create(builder, loc, mapScalars(terminator->getOperands()));
        else if (failed(lowerBranch(terminator)))
          status = failure();
      }
      blocks = std::move(outer);
    }
    unsigned next = 0;
    for (Value result : map.getResults())
      for (const Coordinates &at : places)
        writeBuffer(bufferFor(result), at, holder.getResult(next++));
    return Values();
  });
  return failure(failed(status) || evaluator.failed());
}

LogicalResult Lowering::lowerInlineAssembly(tensor::ElementwiseInlineAsmOp assembly) {
  Location loc = assembly.getLoc();
  Scalar s{builder, loc};
  int64_t pack = assembly.getPackedElement(), size = 1;
  ArrayRef<int64_t> shape;
  for (Type type :
       llvm::concat<Type>(llvm::to_vector(assembly->getOperandTypes()), llvm::to_vector(assembly->getResultTypes())))
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      shape = tensor.getShape();
      size = tensor.getNumElements();
    }
  // Elements narrower than 32 bits share a register, as far as the pack goes.
  auto perRegister = [&](Type element) {
    int64_t bits = tensor::getElementBits(element);
    return std::min<int64_t>(std::max<int64_t>(32 / bits, 1), pack);
  };
  auto registerType = [&](Type element) -> Type {
    int64_t count = perRegister(element);
    Type type = getRegisterType(element);
    if (count == 1)
      return type;
    return builder.getIntegerType(count * tensor::getElementBits(element));
  };
  evaluator.begin(1);
  emitLoop(s.i64(0), s.i64(size), pack, loc, {}, [&](Value first, ValueRange) {
    SmallVector<Coordinates> places;
    for (int64_t i = 0; i < pack; ++i)
      places.push_back(coordinatesOf(s.add(first, i), shape, evaluator));
    Values operands;
    for (Value source : assembly.getArgs()) {
      Type element = getElementTypeOrSelf(source.getType());
      Type type = registerType(element);
      int64_t count = perRegister(element), bits = tensor::getElementBits(element);
      for (int64_t i = 0; i < pack; i += count) {
        Value packed;
        for (int64_t j = 0; j < count; ++j) {
          Value value = isa<RankedTensorType>(source.getType()) ? evaluator.uniform(source, places[i + j])
                                                                : scalars.lookup(source);
          if (count == 1) {
            packed = value;
            break;
          }
          Value wide = s.shiftLeft(s.resize(s.bitcast(value, builder.getIntegerType(bits)), type, false), j * bits);
          packed = packed ? s.bitOr(packed, wide) : wide;
        }
        operands.push_back(packed);
      }
    }
    SmallVector<Type> types;
    for (Value result : assembly.getResult()) {
      Type element = getElementTypeOrSelf(result.getType());
      types.append(pack / perRegister(element), registerType(element));
    }
    Type resultType =
        types.size() == 1 ? types[0] : Type(LLVM::LLVMStructType::getLiteral(builder.getContext(), types));
    Value results = LLVM::InlineAsmOp::create(builder, loc, resultType, operands, assembly.getAsmString(),
                                              assembly.getConstraints(), !assembly.getPure(), /*is_align_stack=*/false,
                                              LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
                        .getResult(0);
    unsigned next = 0;
    for (Value result : assembly.getResult()) {
      Type element = getElementTypeOrSelf(result.getType());
      int64_t count = perRegister(element), bits = tensor::getElementBits(element);
      for (int64_t i = 0; i < pack; i += count, ++next) {
        Value packed =
            types.size() == 1 ? results : LLVM::ExtractValueOp::create(builder, loc, results, next).getResult();
        for (int64_t j = 0; j < count; ++j) {
          Value value = packed;
          if (count > 1)
            value = s.bitcast(s.resize(s.shiftRight(packed, j * bits), builder.getIntegerType(bits)),
                              getRegisterType(element));
          if (isa<RankedTensorType>(result.getType()))
            writeBuffer(bufferFor(result), places[i + j], value);
          else
            scalars.map(result, value);
        }
      }
    }
    return Values();
  });
  return checked();
}

} // namespace triton::cpu
