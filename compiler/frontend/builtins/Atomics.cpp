// Atomic updates of memory. Each gives what was there before.
#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/frontend/builtins/Families.h"
#include "compiler/frontend/builtins/Pointers.h"
#include "compiler/frontend/builtins/Shape.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/rules/Rules.h"

#include "llvm/Support/InterleavedRange.h"

using namespace mlir;
using triton::tensor::MemSemantic;
using triton::tensor::MemSyncScope;
using triton::tensor::RMWOp;

namespace triton::frontend {

FailureOr<MemSemantic> readSemantic(Emitter &emitter, const Value &value) {
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

FailureOr<MemSyncScope> readScope(Emitter &emitter, const Value &value) {
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

RMWOp updateOf(RMWOp op, Type element) {
  if (op == RMWOp::Add && element.isFloating())
    return RMWOp::FAdd;
  if (element.isFloating() || element.isSigned())
    return op;
  return op == RMWOp::Max ? RMWOp::UMax : op == RMWOp::Min ? RMWOp::UMin : op;
}

/// Pointers to the same memory as unsigned integers.
static FailureOr<Value> asBits(Emitter &emitter, const Value &pointer) {
  const unsigned width = std::max(8u, unsigned(pointer.type().pointee().bitWidth()));
  const std::optional<ScalarKind> bits = dispatch::scalarTypeByName("uint" + std::to_string(width));
  assert(bits && "elements have 1 to 64 bits");
  return cast(emitter, pointer, Type::pointer(Type::scalar(*bits)));
}

template <RMWOp operation> static FailureOr<Value> atomicUpdate(Emitter &emitter, const BoundArguments &arguments) {
  const std::string name =
      "atomic_" + (operation == RMWOp::Exchange ? std::string("xchg") : tensor::stringifyRMWOp(operation).str());
  FailureOr<Value> pointer = readAtomicPointer(emitter, arguments[0], name);
  if (failed(pointer))
    return failure();
  const Type element = pointer->type().pointee();
  const RMWOp op = updateOf(operation, element);
  // The bits of floats are combined as those of integers.
  const bool combinesBits = operation == RMWOp::And || operation == RMWOp::Or || operation == RMWOp::Xor;
  const bool isOfBits =
      combinesBits && llvm::is_contained({ScalarKind::Float32, ScalarKind::Float64}, element.scalarKind());
  if (isOfBits)
    pointer = asBits(emitter, *pointer);
  if (failed(pointer))
    return failure();
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
  if (succeeded(value) && isOfBits)
    value = cast(emitter, *value, pointer->type().pointee(), std::nullopt, /*bitcast=*/true);
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
  return isOfBits ? cast(emitter, tensorOf(update, pointer->type().pointee()), element, std::nullopt, /*bitcast=*/true)
                  : tensorOf(update, element);
}

/// One of two orders, the first where none is said.
static FailureOr<MemSemantic> readOneOf(Emitter &emitter, const Value &value, MemSemantic first, MemSemantic second,
                                        llvm::StringRef function) {
  if (value.isNone())
    return first;
  FailureOr<std::string> name = readString(emitter, value, "sem");
  if (failed(name))
    return failure();
  std::optional<MemSemantic> semantic = tensor::symbolizeMemSemantic(*name);
  if (semantic == first || semantic == second)
    return *semantic;
  return emitter.error("ValueError") << function << " takes sem \"" << tensor::stringifyMemSemantic(first).str()
                                     << "\" or \"" << tensor::stringifyMemSemantic(second).str() << "\", got \""
                                     << *name << "\"";
}

namespace {
/// What atomic_load and atomic_store have in common, read: memory as unsigned integers of the elements' width.
struct AtomicAccess {
  Type element;
  Value pointer; // to unsigned integers
  mlir::Value mask;
  MemSemantic semantic;
  MemSyncScope scope;

  Type bits() const { return pointer.type().pointee(); }
};
} // namespace

static FailureOr<AtomicAccess> readAccess(Emitter &emitter, const Value &given, const Value &maskValue,
                                          const Value &sem, const Value &scopeValue, MemSemantic usual,
                                          llvm::StringRef function) {
  FailureOr<Value> pointer = readPointer(emitter, given, function);
  if (failed(pointer))
    return failure();
  const Type type = pointer->type(), element = type.pointee();
  if (isBlockPointer(type) || element.isPointer())
    return emitter.error("ValueError") << function << " takes pointers to numbers, got " << type.str();
  FailureOr<MemSemantic> semantic = readOneOf(emitter, sem, usual, MemSemantic::Relaxed, function);
  FailureOr<MemSyncScope> scope = failed(semantic) ? FailureOr<MemSyncScope>() : readScope(emitter, scopeValue);
  FailureOr<std::optional<Value>> mask =
      failed(scope) ? FailureOr<std::optional<Value>>() : readMask(emitter, maskValue);
  if (failed(mask))
    return failure();
  if (*mask && !type.isBlock() && (*mask)->type().isBlock())
    return emitter.error("ValueError") << "the mask of " << function << " has shape ["
                                       << llvm::interleaved((*mask)->type().shape()) << "], its pointer is a scalar";
  if (*mask && type.isBlock()) {
    FailureOr<Value> fitted = broadcastTo(emitter, **mask, type.shape(), type.layout());
    if (failed(fitted))
      return failure();
    *mask = *fitted;
  }
  FailureOr<Value> words = asBits(emitter, *pointer);
  if (failed(words))
    return failure();
  return AtomicAccess{element, *words, *mask ? irOf(**mask) : mlir::Value(), *semantic, *scope};
}

/// `value` in the type of the memory's elements again; bool is a byte there.
static FailureOr<Value> fromBits(Emitter &emitter, const Value &value, Type element) {
  return element.isBool() ? toBoolean(emitter, value) : cast(emitter, value, element, std::nullopt, /*bitcast=*/true);
}

/// What is there, by an update that changes nothing: one thread reads for all, and a GPU's caches are not asked.
static FailureOr<Value> updateNothing(Emitter &emitter, const AtomicAccess &access, const Value &words) {
  const mlir::Type accessed = tensor::getAccessedType(irOf(words).getType());
  const Type type = words.type().withElement(words.type().pointee());
  auto op = tensor::AtomicRMWOp::create(emitter.builder(), emitter.location(), accessed, RMWOp::Or, irOf(words),
                                        irOf(zeroOf(emitter, type)), access.mask, access.semantic, access.scope);
  return tensorOf(op, type.element());
}

/// The same of bytes and halves, which are parts of a word.
static FailureOr<Value> partOfWord(Emitter &emitter, const AtomicAccess &access) {
  const Integer allButTwoBits = (Integer(INT64_MAX) - Integer(1)) * Integer(2);
  const Type wide = Type::scalar(ScalarKind::UInt64), word = Type::scalar(ScalarKind::UInt32);
  FailureOr<Value> address = cast(emitter, access.pointer, wide);
  FailureOr<Value> base =
      failed(address) ? address : binary(emitter, BinaryOperation::And, *address, Value::integer(allButTwoBits));
  FailureOr<Value> words = failed(base) ? base : cast(emitter, *base, Type::pointer(word));
  FailureOr<Value> whole = failed(words) ? words : updateNothing(emitter, access, *words);
  FailureOr<Value> byte = failed(whole) ? whole : binary(emitter, BinaryOperation::And, *address, Value::integer(3));
  FailureOr<Value> shift = failed(byte) ? byte : binary(emitter, BinaryOperation::Mul, *byte, Value::integer(8));
  shift = failed(shift) ? shift : cast(emitter, *shift, word);
  FailureOr<Value> part = failed(shift) ? shift : binary(emitter, BinaryOperation::RShift, *whole, *shift);
  return failed(part) ? part : cast(emitter, *part, access.bits());
}

static FailureOr<Value> atomicLoad(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<AtomicAccess> access =
      readAccess(emitter, arguments[0], arguments[1], arguments[2], arguments[3], MemSemantic::Acquire, "atomic_load");
  if (failed(access))
    return failure();
  const Type bits = access->bits();
  FailureOr<Value> value = failure();
  if (emitter.options().backend == "cpu") {
    // A program is one thread, and what it reads may be memory that must not be written.
    auto op = tensor::LoadOp::create(emitter.builder(), emitter.location(), irOf(access->pointer), access->mask,
                                     mlir::Value(), tensor::CacheModifier::None, tensor::EvictionPolicy::Normal,
                                     /*isVolatile=*/true);
    value = tensorOf(op, bits);
  } else {
    value = bits.bitWidth() >= 32 ? updateNothing(emitter, *access, access->pointer) : partOfWord(emitter, *access);
  }
  return failed(value) ? value : fromBits(emitter, *value, access->element);
}

/// A GPU's store of a byte or a half, for which there is no exchange. The barrier brings what other threads wrote before.
static void storeNarrow(Emitter &emitter, const AtomicAccess &access, const Value &value, const Value &mask) {
  const std::string order = access.semantic == MemSemantic::Release ? "release" : "relaxed";
  const std::string text = "{ .reg .pred active; setp.ne.b32 active, $3, 0; @active st." + order + "." +
                           tensor::stringifyMemSyncScope(access.scope).str() + ".global.b" +
                           std::to_string(access.bits().bitWidth()) + " [$1], $2; mov.b32 $0, 0; }";
  if (access.semantic == MemSemantic::Release)
    tensor::DebugBarrierOp::create(emitter.builder(), emitter.location());
  tensor::ElementwiseInlineAsmOp::create(emitter.builder(), emitter.location(), irOf(mask).getType(), text, "=r,l,r,r",
                                         /*pure=*/false, /*packed_element=*/1,
                                         ValueRange{irOf(access.pointer), irOf(value), irOf(mask)});
}

static FailureOr<Value> atomicStore(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<AtomicAccess> access =
      readAccess(emitter, arguments[0], arguments[2], arguments[3], arguments[4], MemSemantic::Release, "atomic_store");
  if (failed(access) || failed(checkWritable(emitter, arguments[0].type())))
    return failure();
  const Type pointers = access->pointer.type();
  FailureOr<Value> value =
      access->element.isBool() ? toTensor(emitter, arguments[1]) : cast(emitter, arguments[1], access->element);
  if (succeeded(value) && access->element.isBool())
    value = toBoolean(emitter, *value);
  FailureOr<Value> bits = failed(value) ? value
                          : access->element.isBool()
                              ? cast(emitter, *value, access->bits())
                              : cast(emitter, *value, access->bits(), std::nullopt, /*bitcast=*/true);
  if (succeeded(bits) && pointers.isBlock())
    bits = broadcastTo(emitter, *bits, pointers.shape(), pointers.layout());
  if (failed(bits))
    return failure();
  if (bits->type().shape() != pointers.shape())
    return emitter.error("ValueError") << "val of atomic_store has shape [" << llvm::interleaved(bits->type().shape())
                                       << "], its pointer is a scalar";
  OpBuilder &builder = emitter.builder();
  if (access->bits().bitWidth() >= 32) {
    tensor::AtomicRMWOp::create(builder, emitter.location(), tensor::getAccessedType(irOf(access->pointer).getType()),
                                RMWOp::Exchange, irOf(access->pointer), irOf(*bits), access->mask, access->semantic,
                                access->scope);
    return Value::none();
  }
  if (emitter.options().backend != "cuda") {
    // AMD's stores of bytes and halves are whole, and written through to where other GPUs see them. What this program wrote before is
    // there first by the update's release.
    const bool isGpu = emitter.options().backend == "hip";
    if (isGpu && access->semantic == MemSemantic::Release && failed(partOfWord(emitter, *access)))
      return failure();
    tensor::StoreOp::create(builder, emitter.location(), irOf(access->pointer), irOf(*bits), access->mask,
                            isGpu ? tensor::CacheModifier::WT : tensor::CacheModifier::None,
                            tensor::EvictionPolicy::Normal);
    return Value::none();
  }
  const Type words = pointers.withElement(Type::int32());
  FailureOr<Value> wide = cast(emitter, *bits, Type::int32());
  FailureOr<Value> active =
      access->mask ? cast(emitter, Value::tensor(access->mask, pointers.withElement(Type::int1())), Type::int32())
                   : FailureOr<Value>(integerConstant(emitter, words, 1));
  if (failed(wide) || failed(active))
    return failure();
  storeNarrow(emitter, *access, *wide, *active);
  return Value::none();
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
  return tensorOf(op, value->type().element()); // as signed as the value, not as the memory
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
      {"triton.language.core", "atomic_load", "(pointer, mask=None, sem=None, scope=None)",
       "Reads memory, each element atomically.\n\n"
       "Where `mask` is false nothing is read and the result is undefined. `sem` is \"acquire\" (default) or "
       "\"relaxed\"; "
       "`scope` is \"gpu\" (default), \"cta\" or \"sys\".",
       atomicLoad, true},
      {"triton.language.core", "atomic_store", "(pointer, val, mask=None, sem=None, scope=None)",
       "Writes `val` to memory, each element atomically.\n\n"
       "`val` is converted to the pointers' element type and broadcast to their shape; where `mask` is false nothing "
       "is "
       "written. `sem` is \"release\" (default) or \"relaxed\"; `scope` is \"gpu\" (default), \"cta\" or \"sys\".",
       atomicStore, true},
  };
  return table;
}

#undef TRITON_ATOMIC

} // namespace triton::frontend
