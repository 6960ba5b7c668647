// `ttg.warp_specialize`: how it is written, built and checked.
#include "compiler/gpu/Gpu.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace triton::gpu {

WarpSpecializePartitionsOp WarpSpecializeOp::getPartitionOp() {
  Region &holder = getPartitionOpHolder();
  return holder.empty() || holder.front().empty() ? WarpSpecializePartitionsOp()
                                                  : dyn_cast<WarpSpecializePartitionsOp>(holder.front().front());
}

MutableArrayRef<Region> WarpSpecializeOp::getPartitionRegions() {
  return getPartitionOp() ? getPartitionOp()->getRegions() : MutableArrayRef<Region>();
}

int32_t WarpSpecializeOp::getTotalPartitionWarps() { return llvm::sum_of(getPartitionNumWarps(), 0); }

SmallVector<unsigned> WarpSpecializeOp::getStoredCaptures() {
  SmallVector<unsigned> result;
  for (auto [index, capture] : llvm::enumerate(getExplicitCaptures())) {
    auto argument = dyn_cast<BlockArgument>(capture);
    bool isParameter =
        argument && isa<FunctionOpInterface>(argument.getOwner()->getParentOp()) && argument.getOwner()->isEntryBlock();
    Operation *definition = capture.getDefiningOp();
    bool isFixed = definition && (isa<LocalAllocOp>(definition) || definition->hasTrait<OpTrait::ConstantLike>());
    if (!isParameter && !isFixed)
      result.push_back(index);
  }
  return result;
}

bool WarpSpecializeOp::isOnlyOne() {
  auto function = dyn_cast<FunctionOpInterface>((*this)->getParentOp());
  if (!function || !llvm::hasSingleElement(function.getFunctionBody()))
    return false;
  WalkResult others = function->walk(
      [&](WarpSpecializeOp other) { return other == *this ? WalkResult::advance() : WalkResult::interrupt(); });
  return !others.wasInterrupted();
}

/// Fills the second region of an op with the op that holds `partitions`.
static void holdPartitions(OpBuilder &builder, Location location, Region &holder,
                           MutableArrayRef<std::unique_ptr<Region>> partitions) {
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&holder);
  OperationState state(location, WarpSpecializePartitionsOp::getOperationName());
  for (std::unique_ptr<Region> &partition : partitions)
    state.addRegion(std::move(partition));
  builder.create(state);
}

void WarpSpecializeOp::build(OpBuilder &builder, OperationState &state, TypeRange results, ValueRange captures,
                             ArrayRef<int32_t> partitionNumWarps) {
  build(builder, state, results, captures, builder.getDenseI32ArrayAttr(partitionNumWarps), DenseI32ArrayAttr(),
        DenseI32ArrayAttr(), DenseI32ArrayAttr());
  SmallVector<std::unique_ptr<Region>> partitions;
  SmallVector<Location> locations(captures.size(), state.location);
  for (size_t index = 0; index < partitionNumWarps.size(); ++index) {
    partitions.push_back(std::make_unique<Region>());
    partitions.back()->emplaceBlock().addArguments(captures.getTypes(), locations);
  }
  state.regions[0]->emplaceBlock();
  holdPartitions(builder, state.location, *state.regions[1], partitions);
}

ParseResult WarpSpecializeOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> captures;
  SMLoc captureLocation = parser.getCurrentLocation();
  if (parser.parseOperandList(captures, AsmParser::Delimiter::Paren) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseKeyword("default") ||
      parser.parseRegion(*result.addRegion()))
    return failure();
  SmallVector<std::unique_ptr<Region>> partitions;
  SmallVector<int32_t> numWarps;
  // Where parsing fails, partitions go before the rest of the text, whose ops may use what they define.
  llvm::scope_exit forgetUses([&] {
    for (const std::unique_ptr<Region> &partition : partitions)
      for (Block &block : *partition)
        block.dropAllDefinedValueUses();
  });
  while (succeeded(parser.parseOptionalKeyword(("partition" + Twine(partitions.size())).str()))) {
    SmallVector<OpAsmParser::Argument> arguments;
    if (parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren, /*allowType=*/true) ||
        parser.parseKeyword("num_warps") || parser.parseLParen() || parser.parseInteger(numWarps.emplace_back()) ||
        parser.parseRParen() || parser.parseRegion(*partitions.emplace_back(std::make_unique<Region>()), arguments))
      return failure();
  }
  FunctionType types;
  if (parser.parseColonType(types) ||
      parser.resolveOperands(captures, types.getInputs(), captureLocation, result.operands))
    return failure();
  result.addTypes(types.getResults());
  result.addAttribute(getPartitionNumWarpsAttrName(result.name), parser.getBuilder().getDenseI32ArrayAttr(numWarps));
  OpBuilder builder(parser.getContext());
  forgetUses.release();
  holdPartitions(builder, result.location, *result.addRegion(), partitions);
  return success();
}

void WarpSpecializeOp::print(OpAsmPrinter &printer) {
  printer << "(" << getExplicitCaptures() << ")";
  printer.printOptionalAttrDictWithKeyword(getOperation()->getAttrs(), {getPartitionNumWarpsAttrName()});
  printer.printNewline();
  printer << "default ";
  printer.printRegion(getDefaultRegion(), /*printEntryBlockArgs=*/false);
  for (auto [index, region, numWarps] : llvm::enumerate(getPartitionRegions(), getPartitionNumWarps())) {
    printer.printNewline();
    printer << "partition" << index << "(";
    llvm::interleaveComma(region.getArguments(), printer,
                          [&](BlockArgument argument) { printer.printRegionArgument(argument); });
    printer << ") num_warps(" << numWarps << ") ";
    printer.printRegion(region, /*printEntryBlockArgs=*/false);
  }
  printer << " : ";
  printer.printFunctionalType(getOperation());
}

LogicalResult WarpSpecializeOp::verify() {
  WarpSpecializePartitionsOp partitions = getPartitionOp();
  if (!partitions)
    return emitOpError() << "needs " << WarpSpecializePartitionsOp::getOperationName() << " in its second region";
  size_t count = partitions->getNumRegions();
  if (getPartitionNumWarps().size() != count)
    return emitOpError() << "has " << count << " partitions and numbers of warps for " << getPartitionNumWarps().size();
  for (auto [index, numWarps] : llvm::enumerate(getPartitionNumWarps()))
    if (numWarps <= 0 || !llvm::isPowerOf2_32(numWarps))
      return emitOpError() << "partition " << index << " must have a number of warps that is a power of two, got "
                           << numWarps;
  for (auto [name, list] : {std::pair("requestedRegisters", getRequestedRegisters()),
                            std::pair("warpGroupStartIds", getWarpGroupStartIds())})
    if (list && list->size() != count)
      return emitOpError() << "has " << count << " partitions and " << name << " for " << list->size();
  if (auto registers = getActualRegisters(); registers && registers->size() != count + 1)
    return emitOpError() << "has " << count << " partitions and a default region, and actualRegisters for "
                         << registers->size();
  if ((*this)->getParentOfType<WarpSpecializeOp>())
    return emitOpError() << "cannot be inside of another one";
  return success();
}

LogicalResult WarpSpecializeOp::verifyRegions() {
  for (auto [index, region] : llvm::enumerate(getPartitionRegions()))
    if (TypeRange(region.getArgumentTypes()) != TypeRange(getOperandTypes()))
      return emitOpError() << "partition " << index << " must take the captures (" << getOperandTypes() << "), got ("
                           << TypeRange(region.getArgumentTypes()) << ")";
  for (Block &block : getDefaultRegion())
    if (auto yield = dyn_cast<WarpYieldOp>(block.getTerminator());
        yield && TypeRange(yield.getOperandTypes()) != TypeRange(getResultTypes()))
      return yield.emitOpError() << "must yield (" << getResultTypes() << "), got (" << yield.getOperandTypes() << ")";
  return success();
}

} // namespace triton::gpu
