#include "compiler/interpreter/Interpreter.h"

#include "compiler/interpreter/Operations.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::interpreter {

/// The values of `values`, in order.
static Arrays lookUp(ValueRange values, const DenseMap<Value, Array> &environment) {
  Arrays arrays;
  for (Value value : values)
    arrays.push_back(environment.at(value));
  return arrays;
}

static void bindAll(ValueRange values, ArrayRef<Array> arrays, DenseMap<Value, Array> &environment) {
  assert(values.size() == arrays.size() && "an op gives as many arrays as it has results");
  for (auto [value, array] : llvm::zip_equal(values, arrays))
    environment[value] = array;
}

LogicalResult Interpreter::launch(tensor::FuncOp kernel, ArrayRef<Array> arguments, std::array<int32_t, 3> grid) {
  program.grid = grid;
  // Whatever goes wrong, say in which program.
  ScopedDiagnosticHandler handler(kernel.getContext(), [&](Diagnostic &diagnostic) {
    diagnostic.attachNote() << "in program (" << program.id[0] << ", " << program.id[1] << ", " << program.id[2] << ")";
    return failure();
  });
  for (int32_t z = 0; z < grid[2]; ++z)
    for (int32_t y = 0; y < grid[1]; ++y)
      for (int32_t x = 0; x < grid[0]; ++x) {
        program.id = {x, y, z};
        if (failed(call(kernel, arguments)))
          return failure();
      }
  return success();
}

FailureOr<Arrays> Interpreter::call(tensor::FuncOp function, ArrayRef<Array> arguments) {
  if (function.isExternal())
    return function.emitOpError() << "has no body to run";
  if (function.getNumArguments() != arguments.size())
    return function.emitOpError() << "takes " << function.getNumArguments() << " arguments, got " << arguments.size();
  // Each call takes a few frames of the host's stack.
  constexpr unsigned deepest = 1000;
  if (depth == deepest)
    return function.emitOpError() << "is called " << deepest << " calls deep";
  ++depth;
  Environment environment;
  auto results = runRegion(function.getBody(), arguments, environment);
  --depth;
  return results;
}

FailureOr<Arrays> Interpreter::runRegion(Region &region, ArrayRef<Array> arguments, Environment &environment) {
  Block *block = &region.front();
  Arrays passed(arguments);
  while (true) {
    bindAll(block->getArguments(), passed, environment);
    for (Operation &op : block->without_terminator())
      if (failed(runOp(op, environment)))
        return failure();
    Operation *terminator = block->getTerminator();
    auto goTo = [&](Block *next, ValueRange values) {
      passed = lookUp(values, environment);
      block = next;
    };
    if (auto branch = dyn_cast<cf::BranchOp>(terminator)) {
      goTo(branch.getDest(), branch.getDestOperands());
    } else if (auto branch = dyn_cast<cf::CondBranchOp>(terminator)) {
      if (environment.at(branch.getCondition()).unsignedAt(0))
        goTo(branch.getTrueDest(), branch.getTrueDestOperands());
      else
        goTo(branch.getFalseDest(), branch.getFalseDestOperands());
    } else if (terminator->getNumSuccessors() == 0) {
      return lookUp(terminator->getOperands(), environment);
    } else {
      return terminator->emitOpError() << "cannot be interpreted";
    }
  }
}

LogicalResult Interpreter::runOp(Operation &op, Environment &environment) {
  auto results =
      llvm::TypeSwitch<Operation *, FailureOr<Arrays>>(&op)
          .Case<scf::ForOp>([&](auto) { return runFor(&op, environment); })
          .Case<scf::WhileOp>([&](auto) { return runWhile(&op, environment); })
          .Case<scf::IfOp>([&](auto) { return runIf(&op, environment); })
          .Case<scf::IndexSwitchOp>([&](auto) { return runSwitch(&op, environment); })
          .Case<scf::ExecuteRegionOp>([&](auto region) { return runRegion(region.getRegion(), {}, environment); })
          .Case<tensor::ReduceOp>(
              [&](auto reduce) { return runReduce(reduce, lookUp(op.getOperands(), environment), environment); })
          .Case<tensor::ScanOp>(
              [&](auto scan) { return runScan(scan, lookUp(op.getOperands(), environment), environment); })
          .Case<tensor::MapElementwiseOp>(
              [&](auto map) { return runMap(map, lookUp(op.getOperands(), environment), environment); })
          .Default([&](Operation *) { return evaluate(&op, lookUp(op.getOperands(), environment)); });
  if (failed(results))
    return failure();
  bindAll(op.getResults(), *results, environment);
  return success();
}

/// Zeros, as many as a value of this type is made of.
static Array makePoison(Type type) {
  auto pointer = dyn_cast<tensor::PointerType>(type);
  auto block = pointer ? dyn_cast<RankedTensorType>(pointer.getPointeeType()) : RankedTensorType();
  if (block)
    return Array(type, {}, std::vector<uint64_t>(1 + 3 * block.getRank()));
  if (auto descriptor = dyn_cast<tensor::TensorDescType>(type))
    return Array(type, {}, std::vector<uint64_t>(3 + 2 * descriptor.getBlockType().getRank()));
  return Array::splat(type, 0);
}

FailureOr<Arrays> Interpreter::evaluate(Operation *op, ArrayRef<Array> operands) {
  for (auto family : {evaluateArith, evaluateMath, evaluateShape, evaluateProduct})
    if (Answer answer = family(op, operands))
      return *answer;
  if (Answer answer = evaluateMemory(op, operands, memory))
    return *answer;
  if (Answer answer = evaluateDebug(op, operands, program, output))
    return *answer;
  auto scalar = [&](uint64_t bits) { return Arrays{Array::splat(op->getResult(0).getType(), bits)}; };
  Environment none;
  return llvm::TypeSwitch<Operation *, FailureOr<Arrays>>(op)
      .Case<tensor::GetProgramIdOp>([&](auto ask) { return scalar(program.id[static_cast<unsigned>(ask.getAxis())]); })
      .Case<tensor::GetNumProgramsOp>(
          [&](auto ask) { return scalar(program.grid[static_cast<unsigned>(ask.getAxis())]); })
      .Case<tensor::DebugBarrierOp>([](auto) { return Arrays{}; })
      .Case<ub::PoisonOp>([&](auto poison) { return Arrays{makePoison(poison.getType())}; })
      .Case<tensor::ReduceOp>([&](auto reduce) { return runReduce(reduce, operands, none); })
      .Case<tensor::ScanOp>([&](auto scan) { return runScan(scan, operands, none); })
      .Case<tensor::MapElementwiseOp>([&](auto map) { return runMap(map, operands, none); })
      .Case<tensor::CallOp>([&](auto callOp) -> FailureOr<Arrays> {
        auto callee = SymbolTable::lookupNearestSymbolFrom<tensor::FuncOp>(op, callOp.getCalleeAttr());
        if (!callee)
          return op->emitOpError() << "calls '" << callOp.getCallee() << "', which is not a function";
        return call(callee, operands);
      })
      .Default([](Operation *op) { return op->emitOpError() << "cannot be interpreted"; });
}

FailureOr<Arrays> Interpreter::runFor(Operation *op, Environment &environment) {
  auto loop = cast<scf::ForOp>(op);
  const Array &low = environment.at(loop.getLowerBound()), &high = environment.at(loop.getUpperBound());
  bool isUnsigned = loop.getUnsignedCmp();
  auto number = [&](const Array &value) -> __int128 {
    return isUnsigned ? static_cast<__int128>(value.unsignedAt(0)) : static_cast<__int128>(value.signedAt(0));
  };
  __int128 place = number(low), end = number(high), step = number(environment.at(loop.getStep()));
  Type type = low.element();
  Arrays carried = lookUp(loop.getInitArgs(), environment);
  for (; place < end && step > 0; place += step) {
    Arrays arguments{Array(type, {}, {truncate(type, uint64_t(place))})};
    llvm::append_range(arguments, carried);
    auto next = runRegion(loop.getRegion(), arguments, environment);
    if (failed(next))
      return failure();
    carried = std::move(*next);
  }
  return carried;
}

FailureOr<Arrays> Interpreter::runWhile(Operation *op, Environment &environment) {
  auto loop = cast<scf::WhileOp>(op);
  Arrays carried = lookUp(loop.getInits(), environment);
  while (true) {
    auto passed = runRegion(loop.getBefore(), carried, environment);
    if (failed(passed))
      return failure();
    // The first value of `scf.condition` says whether there is another iteration, the others are what it is about.
    bool goesOn = passed->front().unsignedAt(0);
    carried.assign(passed->begin() + 1, passed->end());
    if (!goesOn)
      return carried;
    auto next = runRegion(loop.getAfter(), carried, environment);
    if (failed(next))
      return failure();
    carried = std::move(*next);
  }
}

FailureOr<Arrays> Interpreter::runIf(Operation *op, Environment &environment) {
  auto branch = cast<scf::IfOp>(op);
  if (environment.at(branch.getCondition()).unsignedAt(0))
    return runRegion(branch.getThenRegion(), {}, environment);
  if (branch.getElseRegion().empty())
    return Arrays{};
  return runRegion(branch.getElseRegion(), {}, environment);
}

FailureOr<Arrays> Interpreter::runSwitch(Operation *op, Environment &environment) {
  auto branch = cast<scf::IndexSwitchOp>(op);
  int64_t value = environment.at(branch.getArg()).signedAt(0);
  for (auto [index, choice] : llvm::enumerate(branch.getCases()))
    if (choice == value)
      return runRegion(branch.getCaseRegions()[index], {}, environment);
  return runRegion(branch.getDefaultRegion(), {}, environment);
}

} // namespace triton::interpreter
