#include "compiler/driver/EagerSession.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace triton;
using namespace triton::driver;
using mlir::failed;
using mlir::failure;
using mlir::FailureOr;

EagerSession::EagerSession(frontend::Host &host, const frontend::LanguageOptions &options)
    : options(options), host(host), interpreter(memory, outputStream), frame{.function = function} {
  function.name = function.qualifiedName = "interpreted";
  function.host = &host;
  emitter = std::make_unique<frontend::KernelEmitter>(*context, this->options, diagnostics);
  mlir::OpBuilder &builder = emitter->builder();
  builder.setInsertionPointToEnd(emitter->module().getBody());
  frame.op = tensor::FuncOp::create(builder, builder.getUnknownLoc(), function.name, builder.getFunctionType({}, {}));
  block = frame.op.addEntryBlock();
}

Diagnostics EagerSession::takeDiagnostics() { return std::exchange(diagnostics, Diagnostics()); }

void EagerSession::beginProgram(const interpreter::Program &program) {
  interpreter.program = program;
  memory.program = program.id;
  uint64_t programs = 1;
  for (int32_t extent : program.grid)
    programs *= uint64_t(extent);
  memory.waiting.beginProgram(program.id, programs - std::min(++begun, programs));
  arrays.clear();
  last = nullptr;
  while (!block->empty()) {
    block->back().dropAllUses();
    block->back().erase();
  }
}

static std::string exceptionOf(mlir::Operation *op) {
  if (mlir::isa<tensor::AssertOp, mlir::LLVM::AssumeOp>(op))
    return "AssertionError";
  const bool isForeign = mlir::isa<tensor::ElementwiseInlineAsmOp, tensor::ExternElementwiseOp>(op);
  return isForeign ? "NotImplementedError" : "";
}

/// Does what stands behind `last`. A host that comes back from a failure goes on after it.
mlir::LogicalResult EagerSession::interpret() {
  bool good = true;
  for (mlir::Operation *op = last             ? last->getNextNode()
                             : block->empty() ? nullptr
                                              : &block->front();
       op; op = op->getNextNode()) {
    last = op;
    interpreter::Arrays operands;
    for (mlir::Value operand : op->getOperands())
      operands.push_back(arrays.lookup(operand));
    FailureOr<interpreter::Arrays> results = failure();
    if (good)
      results = interpreter.evaluate(op, operands);
    if (good && failed(results))
      exception = exceptionOf(op);
    good = mlir::succeeded(results);
    for (auto [index, result] : llvm::enumerate(op->getResults()))
      arrays[result] = good ? (*results)[index] : interpreter::Array::splat(result.getType(), 0);
  }
  if (!output.empty())
    host.print(std::exchange(output, {}));
  return mlir::success(good);
}

FailureOr<frontend::Value> EagerSession::run(Emit emit) {
  emitter->resume(frame, block);
  exception.clear();
  auto handler = emitter->handleDiagnostics();
  FailureOr<frontend::Value> value = emit(*emitter);
  bool good = mlir::succeeded(value) && !diagnostics.hasErrors();
  if (failed(interpret()) || !good)
    return failure();
  return value;
}

frontend::Value EagerSession::scalar(const frontend::Type &type, uint64_t bits, llvm::StringRef name) {
  mlir::OpBuilder &builder = emitter->builder();
  builder.setInsertionPointToEnd(block);
  mlir::Location location = builder.getUnknownLoc();
  if (!name.empty())
    location = mlir::NameLoc::get(builder.getStringAttr(name));
  mlir::Type ir = type.toIr(builder.getContext());
  // A poison op has any type; its bits are set right here, not interpreted.
  auto op = mlir::ub::PoisonOp::create(builder, location, ir);
  arrays[op.getResult()] = interpreter::Array::splat(ir, bits);
  last = op;
  return frontend::Value::tensor(op.getResult(), type);
}

void EagerSession::setName(mlir::Value value, llvm::StringRef name) {
  if (value.getDefiningOp<mlir::ub::PoisonOp>())
    return; // an argument keeps the name of its parameter
  mlir::Location location = value.getLoc();
  if (auto named = mlir::dyn_cast<mlir::NameLoc>(location))
    location = named.getChildLoc();
  value.setLoc(mlir::NameLoc::get(mlir::StringAttr::get(value.getContext(), name), location));
}
