// Accesses of global memory by a base and 32-bit offsets, and copies into shared memory, as AMD's GPUs have them.
#include "compiler/frontend/builtins/Pointers.h"
#include "compiler/frontend/builtins/Shape.h"
#include "compiler/frontend/values/Casting.h"
#include "compiler/gluon/builtins/Buffers.h"
#include "compiler/gluon/builtins/Families.h"
#include "compiler/gpu/dialect/AmdOps.h"

using namespace mlir;

namespace triton::gluon {

using namespace frontend;
using frontend::Type;
using frontend::Value;
namespace amd = gpu::amd;

namespace {
/// A base, offsets from it, and what depends on their shape.
struct BufferAccess {
  Value base, offsets;
  Type element;

  /// The type of the elements accessed.
  Type type() const { return offsets.type().withElement(element); }
};
} // namespace

static FailureOr<BufferAccess> readAccess(Emitter &emitter, const Value &pointer, const Value &offsetValue,
                                          StringRef what) {
  if (failed(needsAmd(emitter, what)))
    return failure();
  FailureOr<Value> base = readPointer(emitter, pointer, what);
  FailureOr<Value> offsets = failed(base) ? base : readBlock(emitter, offsetValue, "offsets");
  if (failed(offsets))
    return failure();
  if (base->type().isBlock())
    return emitter.error("ValueError") << what << " takes one pointer and offsets, got " << base->type().str();
  if (!(offsets->type().element() == Type::int32()) && !(offsets->type().element() == Type::scalar(ScalarKind::UInt32)))
    return emitter.error("ValueError") << "offsets must be int32 or uint32, got " << offsets->type().str();
  return BufferAccess{*base, *offsets, base->type().pointee()};
}

/// A mask in the shape of the offsets; null for None.
static FailureOr<mlir::Value> readMaskOf(Emitter &emitter, const Value &value, const Type &like) {
  if (value.isNone())
    return mlir::Value();
  FailureOr<Value> mask = toTensor(emitter, value);
  if (succeeded(mask) && !mask->type().element().isBool())
    mask = toBoolean(emitter, *mask);
  if (succeeded(mask))
    mask = broadcastTo(emitter, *mask, like.shape(), like.layout());
  return failed(mask) ? FailureOr<mlir::Value>() : FailureOr<mlir::Value>(irOf(*mask));
}

/// Elements in place of those that are masked off; null for None.
static FailureOr<mlir::Value> readOther(Emitter &emitter, const Value &value, const Type &like) {
  if (value.isNone())
    return mlir::Value();
  FailureOr<Value> other = toTensor(emitter, value);
  if (succeeded(other))
    other = frontend::cast(emitter, *other, like.element());
  if (succeeded(other))
    other = broadcastTo(emitter, *other, like.shape(), like.layout());
  return failed(other) ? FailureOr<mlir::Value>() : FailureOr<mlir::Value>(irOf(*other));
}

static FailureOr<Value> bufferLoad(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<BufferAccess> access = readAccess(emitter, arguments[0], arguments[1], "buffer_load");
  FailureOr<mlir::Value> mask =
      failed(access) ? FailureOr<mlir::Value>() : readMaskOf(emitter, arguments[2], access->type());
  FailureOr<mlir::Value> other = failed(mask) ? mask : readOther(emitter, arguments[3], access->type());
  FailureOr<tensor::CacheModifier> cache =
      failed(other) ? FailureOr<tensor::CacheModifier>() : readLoadCache(emitter, arguments[4]);
  if (failed(cache))
    return failure();
  const Type type = access->type();
  return Value::tensor(amd::BufferLoadOp::create(emitter.builder(), emitter.location(), type.toIr(emitter.context()),
                                                 irOf(access->base), irOf(access->offsets), *mask, *other, *cache),
                       type);
}

static FailureOr<Value> bufferStore(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<BufferAccess> access = readAccess(emitter, arguments[1], arguments[2], "buffer_store");
  FailureOr<Value> value = failed(access) ? FailureOr<Value>() : readBlock(emitter, arguments[0], "stored_value");
  FailureOr<mlir::Value> mask =
      failed(value) ? FailureOr<mlir::Value>() : readMaskOf(emitter, arguments[3], access->type());
  FailureOr<tensor::CacheModifier> cache =
      failed(mask) ? FailureOr<tensor::CacheModifier>() : readStoreCache(emitter, arguments[4]);
  if (failed(cache))
    return failure();
  if (!(value->type() == access->type()))
    return emitter.error("ValueError") << "stores " << access->type().str() << ", got " << value->type().str();
  amd::BufferStoreOp::create(emitter.builder(), emitter.location(), irOf(*value), irOf(access->base),
                             irOf(access->offsets), *mask, *cache);
  return Value::none();
}

template <tensor::RMWOp operation>
static FailureOr<Value> bufferUpdate(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<BufferAccess> access = readAccess(emitter, arguments[0], arguments[1], "buffer_atomic");
  if (failed(access))
    return failure();
  const Type type = access->type();
  FailureOr<Value> value = arguments[2].isNumber() ? constantOf(emitter, arguments[2], type)
                                                   : frontend::cast(emitter, arguments[2], access->element);
  if (succeeded(value))
    value = broadcastTo(emitter, *value, type.shape(), type.layout());
  FailureOr<mlir::Value> mask = failed(value) ? FailureOr<mlir::Value>() : readMaskOf(emitter, arguments[3], type);
  if (failed(mask))
    return failure();
  FailureOr<tensor::MemSemantic> semantic = readSemantic(emitter, arguments[4]);
  FailureOr<tensor::MemSyncScope> scope =
      failed(semantic) ? FailureOr<tensor::MemSyncScope>() : readScope(emitter, arguments[5]);
  if (failed(scope))
    return failure();
  return Value::tensor(amd::BufferAtomicRMWOp::create(emitter.builder(), emitter.location(),
                                                      type.toIr(emitter.context()),
                                                      updateOf(operation, access->element), *semantic, *scope,
                                                      irOf(*value), irOf(access->base), irOf(access->offsets), *mask),
                       type);
}

// Copies into shared memory.

static FailureOr<Value> copyToShared(Emitter &emitter, const BoundArguments &arguments) {
  if (failed(needsAmd(emitter, "copies into shared memory")))
    return failure();
  FailureOr<Value> buffer = readShared(emitter, arguments[0], "dest");
  FailureOr<Value> pointers = failed(buffer) ? buffer : readPointer(emitter, arguments[1], "async_copy");
  if (failed(pointers))
    return failure();
  const Type target = buffer->type(), source = pointers->type();
  if (source.shape() != target.shape() || !(source.pointee() == target.element()))
    return emitter.error("ValueError") << "a copy moves as many elements of one type: the buffer is " << target.str()
                                       << ", the pointers are " << source.str();
  const Type moved = Type::block(source.pointee(), source.shape(), source.layout());
  FailureOr<mlir::Value> mask = readMaskOf(emitter, arguments[2], moved);
  FailureOr<mlir::Value> other = failed(mask) ? mask : readOther(emitter, arguments[3], moved);
  FailureOr<tensor::CacheModifier> cache =
      failed(other) ? FailureOr<tensor::CacheModifier>() : readLoadCache(emitter, arguments[4]);
  if (failed(cache))
    return failure();
  gpu::AsyncCopyGlobalToLocalOp::create(emitter.builder(), emitter.location(),
                                        gpu::AsyncTokenType::get(emitter.context()), irOf(*pointers), bufferOf(*buffer),
                                        *mask, *other, *cache, tensor::EvictionPolicy::Normal,
                                        /*isVolatile=*/false);
  return Value::none();
}

static FailureOr<Value> bufferToShared(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> buffer = readShared(emitter, arguments[0], "dest");
  FailureOr<BufferAccess> access = failed(buffer)
                                       ? FailureOr<BufferAccess>()
                                       : readAccess(emitter, arguments[1], arguments[2], "buffer_load_to_shared");
  FailureOr<mlir::Value> mask =
      failed(access) ? FailureOr<mlir::Value>() : readMaskOf(emitter, arguments[3], access->type());
  FailureOr<mlir::Value> other = failed(mask) ? mask : readOther(emitter, arguments[4], access->type());
  FailureOr<tensor::CacheModifier> cache =
      failed(other) ? FailureOr<tensor::CacheModifier>() : readLoadCache(emitter, arguments[5]);
  if (failed(cache))
    return failure();
  amd::BufferLoadToLocalOp::create(emitter.builder(), emitter.location(), gpu::AsyncTokenType::get(emitter.context()),
                                   bufferOf(*buffer), irOf(access->base), irOf(access->offsets), *mask, *other, *cache);
  return Value::none();
}

static FailureOr<Value> commitGroup(Emitter &emitter, const BoundArguments &) {
  return failed(needsAmd(emitter, "async_copy.commit_group")) ? FailureOr<Value>() : commitCopies(emitter);
}

static FailureOr<Value> waitGroup(Emitter &emitter, const BoundArguments &arguments) {
  return failed(needsAmd(emitter, "async_copy.wait_group")) ? FailureOr<Value>() : waitForCopies(emitter, arguments[0]);
}

static FailureOr<Value> loadRelaxed(Emitter &emitter, const BoundArguments &arguments) {
  if (failed(needsAmd(emitter, "async_copy.load_shared_relaxed")))
    return failure();
  FailureOr<Value> buffer = readShared(emitter, arguments[0], "smem");
  if (failed(buffer))
    return failure();
  const Type type = buffer->type();
  FailureOr<Attribute> layout = readTensorLayout(emitter, arguments[1], type.shape());
  if (failed(layout))
    return failure();
  const Type result = Type::block(type.element(), type.shape(), *layout);
  auto op = gpu::LocalLoadOp::create(emitter.builder(), emitter.location(), result.toIr(emitter.context()),
                                     bufferOf(*buffer));
  op->setAttr("ttg.amdg.syncedViaAsyncWait", emitter.builder().getBoolAttr(true));
  return Value::tensor(op, result);
}

#define AMD "triton.experimental.gluon.language.amd."
#define UPDATE "(ptr, offsets, value, mask=None, sem=None, scope=None)"

llvm::ArrayRef<Builtin> amdBufferBuiltins() {
  using tensor::RMWOp;
  static const Builtin table[] = {
      {AMD "cdna3", "buffer_load", "(ptr, offsets, mask=None, other=None, cache=None)",
       "Reads elements at offsets from a base.", bufferLoad},
      {AMD "cdna3", "buffer_store", "(stored_value, ptr, offsets, mask=None, cache=None)",
       "Writes elements at offsets from a base.", bufferStore},
      {AMD "cdna3", "buffer_atomic_add", UPDATE, "Adds atomically, and gives what was there.",
       bufferUpdate<RMWOp::Add>},
      {AMD "cdna3", "buffer_atomic_and", UPDATE, "The bits of both, atomically; gives what was there.",
       bufferUpdate<RMWOp::And>},
      {AMD "cdna3", "buffer_atomic_max", UPDATE, "The larger, atomically; gives what was there.",
       bufferUpdate<RMWOp::Max>},
      {AMD "cdna3", "buffer_atomic_min", UPDATE, "The smaller, atomically; gives what was there.",
       bufferUpdate<RMWOp::Min>},
      {AMD "cdna3", "buffer_atomic_or", UPDATE, "The bits of either, atomically; gives what was there.",
       bufferUpdate<RMWOp::Or>},
      {AMD "cdna3", "buffer_atomic_xchg", UPDATE, "The new value, atomically; gives what was there.",
       bufferUpdate<RMWOp::Exchange>},
      {AMD "cdna3", "buffer_atomic_xor", UPDATE, "The bits of one, atomically; gives what was there.",
       bufferUpdate<RMWOp::Xor>},
      {AMD "cdna4.async_copy", "global_load_to_shared", "(dest, ptr, mask=None, other=None, cache_modifier=\"\")",
       "Copies from global to shared memory without registers.", copyToShared},
      {AMD "cdna4.async_copy", "buffer_load_to_shared",
       "(dest, ptr, offsets, mask=None, other=None, cache_modifier=\"\")", "The same from offsets to a base.",
       bufferToShared},
      {AMD "cdna4.async_copy", "commit_group", "()", "Closes the group of copies begun since the last one.",
       commitGroup},
      {AMD "cdna4.async_copy", "wait_group", "(num_outstanding=0)",
       "Waits until at most that many of the newest groups are still copying.", waitGroup},
      {AMD "cdna4.async_copy", "load_shared_relaxed", "(smem, layout)",
       "Reads a buffer without waiting for copies that a wait has seen complete.", loadRelaxed},
      {AMD "gfx1250.async_copy", "commit_group", "()", "Closes the group of copies begun since the last one.",
       commitGroup},
      {AMD "gfx1250.async_copy", "wait_group", "(num_outstanding=0)",
       "Waits until at most that many of the newest groups are still copying.", waitGroup},
      {AMD "gfx1250.async_copy", "global_to_shared", "(smem, pointer, mask=None, other=None, cache_modifier=\"\")",
       "Copies from global to shared memory without registers.", copyToShared},
  };
  return table;
}

} // namespace triton::gluon
