// The function around a kernel's code.
//   In:  `tt.func`.
//   Out: for a kernel, `func.func @name(args, grid, begin, end, arena)`: reads the arguments once, then runs programs
//   begin to end - 1
//        of the linear grid. For a function that kernels call, a private `func.func` that also takes the program's
//        place in the grid.
#include "compiler/cpu/Lowering.h"
#include "compiler/cpu/Pipeline.h"
#include "compiler/cpu/Scalar.h"
#include "compiler/cpu/evaluate/Elementwise.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace triton::cpu {

Lowering::Lowering(tensor::FuncOp function, const HostTarget &target, Waiting waiting)
    : function(function), target(target), builder(function.getContext()), evaluator(builder, target, scalars, buffers),
      waiting(waiting) {}

LogicalResult Lowering::run() {
  plan = makePlan(function, accesses);
  if (failed(function.isPrivate() ? lowerDeviceFunction() : lowerKernel()))
    return failure();
  if (entry) // a mere declaration has none
    lowerCombinedAsserts();
  return success();
}

LogicalResult Lowering::lowerKernel() {
  Location loc = function.getLoc();
  MLIRContext *context = function.getContext();
  auto pointer = LLVM::LLVMPointerType::get(context);
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  builder.setInsertionPoint(function);
  auto type = builder.getFunctionType({pointer, pointer, i64, i64, pointer}, {});
  auto lowered = func::FuncOp::create(builder, loc, function.getName(), type);
  entry = lowered.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  Scalar s{builder, loc};
  Memory memory(builder, target, loc);
  arena = entry->getArgument(4);

  // Arguments lie like the members of a C structure.
  int64_t offset = 0;
  for (BlockArgument argument : function.getArguments()) {
    if (!isa<IntegerType, FloatType, tensor::PointerType>(argument.getType()))
      return function.emitError() << "the CPU target cannot pass an argument of type " << argument.getType();
    int64_t bytes = getStorageBytes(argument.getType());
    offset = int64_t(llvm::alignTo(offset, bytes));
    Value address = LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), entry->getArgument(0),
                                        ArrayRef<LLVM::GEPArg>{int32_t(offset)});
    Value stored = LLVM::LoadOp::create(builder, loc, getStorageType(argument.getType()), address, bytes);
    scalars.map(argument, memory.fromStorage(stored, argument.getType()));
    offset += bytes;
  }
  for (int axis = 0; axis < 3; ++axis) {
    Value address =
        LLVM::GEPOp::create(builder, loc, pointer, i32, entry->getArgument(1), ArrayRef<LLVM::GEPArg>{axis});
    programCount[axis] = LLVM::LoadOp::create(builder, loc, i32, address, 4);
  }

  auto programs = scf::ForOp::create(builder, loc, entry->getArgument(2), entry->getArgument(3), s.i64(1));
  func::ReturnOp::create(builder, loc);
  builder.setInsertionPoint(programs.getBody()->getTerminator());
  Value linear = programs.getInductionVar();
  Value columns = s.resize(programCount[0], i64, false), rows = s.resize(programCount[1], i64, false);
  Value row = arith::DivUIOp::create(builder, loc, linear, columns);
  programId[0] = s.resize(s.sub(linear, s.mul(row, columns)), i32);
  Value plane = arith::DivUIOp::create(builder, loc, row, rows);
  programId[1] = s.resize(s.sub(row, s.mul(plane, rows)), i32);
  programId[2] = s.resize(plane, i32);
  if (failed(lowerBody(function.getBody(), programs.getBody())))
    return failure();
  lowered->setAttr(arenaBytesName, builder.getI64IntegerAttr(arenaBytes));
  if (waiting.forPrograms)
    lowered->setAttr(waitsForProgramsName, builder.getUnitAttr());
  if (waiting.polls)
    lowered->setAttr(pollsName, builder.getUnitAttr());
  function.erase();
  return success();
}

LogicalResult Lowering::lowerDeviceFunction() {
  Location loc = function.getLoc();
  Type i32 = builder.getI32Type();
  SmallVector<Type> inputs, results;
  for (Type type : function.getArgumentTypes()) {
    if (isa<RankedTensorType>(type))
      return function.emitError() << "a function that is not inlined takes scalars only, got " << type;
    inputs.push_back(getRegisterType(type));
  }
  for (Type type : function.getResultTypes()) {
    if (isa<RankedTensorType>(type))
      return function.emitError() << "a function that is not inlined returns scalars only, got " << type;
    results.push_back(getRegisterType(type));
  }
  size_t own = inputs.size();
  inputs.append(6, i32);
  builder.setInsertionPoint(function);
  auto lowered = func::FuncOp::create(builder, loc, function.getName(), builder.getFunctionType(inputs, results));
  lowered.setPrivate();
  if (function.isExternal()) {
    function.erase();
    return success();
  }
  entry = lowered.addEntryBlock();
  for (auto [argument, value] : llvm::zip(function.getArguments(), entry->getArguments()))
    scalars.map(argument, value);
  for (int axis = 0; axis < 3; ++axis) {
    programId[axis] = entry->getArgument(own + axis);
    programCount[axis] = entry->getArgument(own + 3 + axis);
  }
  builder.setInsertionPointToStart(entry);
  if (failed(lowerBody(function.getBody(), nullptr)))
    return failure();
  function.erase();
  return success();
}

LogicalResult Lowering::lowerBody(Region &body, Block *into) {
  auto leave = [&](Operation *terminator) {
    if (into)
      return; // falls through to the next program
    func::ReturnOp::create(builder, terminator->getLoc(), mapScalars(terminator->getOperands()));
  };
  if (body.hasOneBlock()) {
    if (failed(lowerBlock(body.front())))
      return failure();
    leave(body.front().getTerminator());
    return success();
  }
  // Several blocks: their graph is kept. Inside of the loop over programs it needs an operation that can hold it.
  Region *region = entry->getParent();
  if (into) {
    auto holder = scf::ExecuteRegionOp::create(builder, function.getLoc(), TypeRange());
    region = &holder.getRegion();
  }
  llvm::SetVector<Block *> order = getBlocksSortedByDominance(body);
  for (Block *block : order) {
    if (!into && block == &body.front()) {
      blocks[block] = entry;
      continue;
    }
    Block *copy = new Block();
    region->push_back(copy);
    blocks[block] = copy;
    if (block == &body.front())
      continue;
    for (BlockArgument argument : block->getArguments())
      if (!isa<RankedTensorType>(argument.getType()))
        scalars.map(argument, copy->addArgument(getRegisterType(argument.getType()), argument.getLoc()));
  }
  OpBuilder::InsertionGuard guard(builder);
  for (Block *block : order) {
    builder.setInsertionPointToEnd(blocks[block]);
    if (failed(lowerBlock(*block)))
      return failure();
    Operation *terminator = block->getTerminator();
    if (!isa<tensor::ReturnOp>(terminator)) {
      if (failed(lowerBranch(terminator)))
        return failure();
    } else if (into) {
      scf::YieldOp::create(builder, terminator->getLoc());
    } else {
      leave(terminator);
    }
  }
  return success();
}

LogicalResult Lowering::lowerCall(tensor::CallOp call) {
  Values operands = mapScalars(call.getOperands());
  if (operands.size() != call.getNumOperands())
    return call.emitError() << "a function that is not inlined takes scalars only";
  operands.append(std::begin(programId), std::end(programId));
  operands.append(std::begin(programCount), std::end(programCount));
  SmallVector<Type> results;
  for (Type type : call.getResultTypes())
    results.push_back(getRegisterType(type));
  auto lowered = func::CallOp::create(builder, call.getLoc(), call.getCallee(), results, operands);
  for (auto [from, to] : llvm::zip_equal(call.getResults(), lowered.getResults()))
    scalars.map(from, to);
  return success();
}

} // namespace triton::cpu
