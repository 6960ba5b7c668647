// Atomic updates of memory. Each gives what was there before.
#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/frontend/builtins/Families.h"
#include "compiler/frontend/builtins/Pointers.h"
#include "compiler/frontend/builtins/Shape.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/rules/Rules.h"

using namespace mlir;
using triton::tensor::MemSemantic;
using triton::tensor::MemSyncScope;
using triton::tensor::RMWOp;

namespace triton::frontend {

static FailureOr<MemSemantic> readSemantic(Emitter &emitter, const Value &value) {
  if (value.isNone())
    return MemSemantic::AcquireRelease;
  FailureOr<std::string> name = readString(emitter, value, "sem");
  if (failed(name))
    return failure();
  if (std::optional<MemSemantic> semantic = tensor::symbolizeMemSemantic(*name))
    return *semantic;
  return emitter.error("ValueError")
         << "memory semantic \"" << *name
         << "\" not supported; it may be \"acquire\", \"release\", \"acq_rel\" or \"relaxed\"";
}

static FailureOr<MemSyncScope> readScope(Emitter &emitter, const Value &value) {
  if (value.isNone())
    return MemSyncScope::GPU;
  FailureOr<std::string> name = readString(emitter, value, "scope");
  if (failed(name))
    return failure();
  if (std::optional<MemSyncScope> scope = tensor::symbolizeMemSyncScope(*name))
    return *scope;
  return emitter.error("ValueError") << "memory semantic scope \"" << *name
                                     << "\" not supported; it may be \"gpu\", \"cta\" or \"sys\"";
}

static FailureOr<Value> readAtomicPointer(Emitter &emitter, const Value &value, llvm::StringRef function) {
  FailureOr<Value> pointer = readPointer(emitter, value, function);
  if (failed(pointer) || failed(checkWritable(emitter, pointer->type())))
    return failure();
  return pointer;
}

// The op for the element type: floats add differently, unsigned integers compare differently.
static RMWOp forElement(RMWOp op, Type element) {
  if (op == RMWOp::Add && element.isFloating())
    return RMWOp::FAdd;
  if (element.isFloating() || element.isSigned())
    return op;
  return op == RMWOp::Max ? RMWOp::UMax : op == RMWOp::Min ? RMWOp::UMin : op;
}

template <RMWOp operation> static FailureOr<Value> atomicUpdate(Emitter &emitter, const BoundArguments &arguments) {
  const std::string name =
      "atomic_" + (operation == RMWOp::Exchange ? std::string("xchg") : tensor::stringifyRMWOp(operation).str());
  FailureOr<Value> pointer = readAtomicPointer(emitter, arguments[0], name);
  if (failed(pointer))
    return failure();
  const Type element = pointer->type().pointee();
  const RMWOp op = forElement(operation, element);
  FailureOr<std::optional<Value>> mask = readMask(emitter, arguments[2]);
  FailureOr<MemSemantic> semantic = failed(mask) ? FailureOr<MemSemantic>() : readSemantic(emitter, arguments[3]);
  FailureOr<MemSyncScope> scope = failed(semantic) ? FailureOr<MemSyncScope>() : readScope(emitter, arguments[4]);
  if (failed(scope))
    return failure();
  // Asked first without operands: an element type that cannot be updated is the real mistake, not the value's conversion to it.
  const mlir::Type pointerIr = irOf(*pointer).getType(), accessed = tensor::getAccessedType(pointerIr);
  if (failed(tensor::inferAtomicRmw(op, pointerIr, accessed, {}, ruleErrors(emitter))))
    return failure();
  FailureOr<Value> value = cast(emitter, arguments[1], memoryForm(element));
  if (succeeded(value) && pointer->type().isBlock())
    value = broadcastTo(emitter, *value, pointer->type().shape(), pointer->type().layout());
  if (failed(value))
    return failure();
  mlir::Value maskIr;
  if (*mask) {
    FailureOr<Value> fitted = pointer->type().isBlock()
                                  ? broadcastTo(emitter, **mask, pointer->type().shape(), pointer->type().layout())
                                  : FailureOr<Value>(**mask);
    if (failed(fitted))
      return failure();
    maskIr = irOf(*fitted);
  } else if (emitter.showsSteps()) {
    maskIr = irOf(integerConstant(emitter, pointer->type().withElement(Type::int1()), 1));
  }
  FailureOr<mlir::Type> result = tensor::inferAtomicRmw(op, pointerIr, irOf(*value).getType(),
                                                        maskIr ? maskIr.getType() : mlir::Type(), ruleErrors(emitter));
  if (failed(result))
    return failure();
  auto update = tensor::AtomicRMWOp::create(emitter.builder(), emitter.location(), *result, op, irOf(*pointer),
                                            irOf(*value), maskIr, *semantic, *scope);
  return tensorOf(update, element);
}

static FailureOr<Value> compareAndSwap(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> pointer = readAtomicPointer(emitter, arguments[0], "atomic_cas");
  FailureOr<Value> compared = failed(pointer) ? pointer : toTensor(emitter, arguments[1]);
  FailureOr<Value> value = failed(compared) ? compared : toTensor(emitter, arguments[2]);
  FailureOr<MemSemantic> semantic = failed(value) ? FailureOr<MemSemantic>() : readSemantic(emitter, arguments[3]);
  FailureOr<MemSyncScope> scope = failed(semantic) ? FailureOr<MemSyncScope>() : readScope(emitter, arguments[4]);
  if (failed(scope))
    return failure();
  FailureOr<mlir::Type> result = tensor::inferAtomicCas(irOf(*pointer).getType(), irOf(*compared).getType(),
                                                        irOf(*value).getType(), ruleErrors(emitter));
  if (failed(result))
    return failure();
  auto op = tensor::AtomicCASOp::create(emitter.builder(), emitter.location(), *result, irOf(*pointer), irOf(*compared),
                                        irOf(*value), *semantic, *scope);
  return tensorOf(op, pointer->type().pointee());
}

#define TRITON_ATOMIC(Name, Op, What)                                                                                  \
  {"triton.language.core",                                                                                             \
   "atomic_" Name,                                                                                                     \
   "(pointer, val, mask=None, sem=None, scope=None)",                                                                  \
   "Atomically " What " and gives what was there before.\n\n"                                                          \
   "`val` is converted to the pointers' element type and broadcast to their shape. Where `mask` is false nothing "     \
   "happens and the result is undefined.\n"                                                                            \
   "`sem` is \"acq_rel\" (default), \"acquire\", \"release\" or \"relaxed\"; `scope` is \"gpu\" (default), \"cta\" "   \
   "or \"sys\".",                                                                                                      \
   atomicUpdate<RMWOp::Op>,                                                                                            \
   true}

llvm::ArrayRef<Builtin> atomicBuiltins() {
  static const Builtin table[] = {
      TRITON_ATOMIC("add", Add, "adds `val` to memory"),
      TRITON_ATOMIC("max", Max, "stores the larger of memory and `val`"),
      TRITON_ATOMIC("min", Min, "stores the smaller of memory and `val`"),
      TRITON_ATOMIC("and", And, "stores the bitwise and of memory and `val`"),
      TRITON_ATOMIC("or", Or, "stores the bitwise or of memory and `val`"),
      TRITON_ATOMIC("xor", Xor, "stores the exclusive or of memory and `val`"),
      TRITON_ATOMIC("xchg", Exchange, "stores `val`"),
      {"triton.language.core", "atomic_cas", "(pointer, cmp, val, sem=None, scope=None)",
       "Atomically stores `val` where memory holds `cmp`, and gives what was there before.\n\n"
       "`cmp` and `val` already have the element type and shape of the pointers; elements are 16, 32 or 64 bits wide.",
       compareAndSwap, true},
  };
  return table;
}

#undef TRITON_ATOMIC

} // namespace triton::frontend
