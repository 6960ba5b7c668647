// What runs beside the threads: copies that do not wait, barriers that count them, fences between the two ways to shared memory.
#include "compiler/frontend/builtins/Pointers.h"
#include "compiler/gluon/builtins/Buffers.h"
#include "compiler/gluon/builtins/Families.h"
#include "compiler/tensor/Rules.h"

#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

namespace triton::gluon {

using namespace frontend;
using frontend::Type;
using frontend::Value;

static LogicalResult needs(Emitter &emitter, int capability, StringRef what) {
  if (emitter.options().capability >= capability)
    return success();
  return emitter.error("ValueError") << what << " needs sm_" << capability << " or newer, this is sm_"
                                     << emitter.options().capability;
}

// mbarriers.

static FailureOr<Value> readBarrier(Emitter &emitter, const Value &value) {
  FailureOr<Value> barrier = readShared(emitter, value, "mbarrier");
  if (failed(barrier))
    return failure();
  gpu::MemDescType type = bufferTypeOf(*barrier);
  if (type.getRank() != 1 || type.getShape()[0] != 1 || !type.getElementType().isInteger(64))
    return emitter.error("ValueError") << "barrier allocation must be a descriptor of 1xi64 type, got "
                                       << barrier->type().str();
  return barrier;
}

static FailureOr<Value> init(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> barrier = readBarrier(emitter, arguments[0]);
  FailureOr<int64_t> count = failed(barrier) ? FailureOr<int64_t>() : readInteger(emitter, arguments[1], "count");
  if (failed(count))
    return failure();
  if (*count < 1)
    return emitter.error("ValueError") << "a barrier needs a count of at least 1, got " << *count;
  gpu::InitBarrierOp::create(emitter.builder(), emitter.location(), bufferOf(*barrier), *count);
  return Value::none();
}

static FailureOr<Value> invalidate(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> barrier = readBarrier(emitter, arguments[0]);
  if (failed(barrier))
    return failure();
  gpu::InvalBarrierOp::create(emitter.builder(), emitter.location(), bufferOf(*barrier));
  return Value::none();
}

static FailureOr<Value> expect(Emitter &emitter, const BoundArguments &arguments) {
  if (failed(needs(emitter, 90, "mbarrier.expect")))
    return failure();
  FailureOr<Value> barrier = readBarrier(emitter, arguments[0]);
  FailureOr<int64_t> bytes = failed(barrier) ? FailureOr<int64_t>() : readInteger(emitter, arguments[1], "bytes");
  FailureOr<mlir::Value> predicate =
      failed(bytes) ? FailureOr<mlir::Value>() : readPredicate(emitter, arguments[2], "pred");
  if (failed(predicate))
    return failure();
  gpu::BarrierExpectOp::create(emitter.builder(), emitter.location(), bufferOf(*barrier), *bytes, *predicate);
  return Value::none();
}

static FailureOr<Value> arriveAt(Emitter &emitter, const Value &value, int64_t count, const Value &predicateValue) {
  FailureOr<Value> barrier = readBarrier(emitter, value);
  if (failed(barrier))
    return failure();
  if (count < 1)
    return emitter.error("ValueError") << "arrive needs a count of at least 1, got " << count;
  FailureOr<mlir::Value> predicate = mlir::Value();
  if (const bool *constant = predicateValue.getIf<bool>(); !constant || !*constant)
    predicate = readPredicate(emitter, predicateValue, "pred");
  if (failed(predicate))
    return failure();
  gpu::ArriveBarrierOp::create(emitter.builder(), emitter.location(), bufferOf(*barrier), count, *predicate,
                               /*perWarpGroup=*/false);
  return Value::none();
}

static FailureOr<Value> arrive(Emitter &emitter, const BoundArguments &arguments) {
  return arriveAt(emitter, arguments[0], 1, arguments[1]);
}

static FailureOr<Value> arriveCounted(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<int64_t> count = readInteger(emitter, arguments[1], "count");
  return failed(count) ? FailureOr<Value>() : arriveAt(emitter, arguments[0], *count, arguments[2]);
}

static FailureOr<Value> wait(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> barrier = readBarrier(emitter, arguments[0]);
  FailureOr<mlir::Value> phase =
      failed(barrier) ? FailureOr<mlir::Value>() : readScalar32(emitter, arguments[1], "phase");
  FailureOr<mlir::Value> predicate =
      failed(phase) ? FailureOr<mlir::Value>() : readPredicate(emitter, arguments[2], "pred");
  FailureOr<std::vector<Value>> buffers =
      failed(predicate) ? FailureOr<std::vector<Value>>() : readSequence(emitter, arguments[3], "deps");
  if (failed(buffers))
    return failure();
  SmallVector<mlir::Value> deps;
  for (const Value &buffer : *buffers) {
    FailureOr<Value> dep = readShared(emitter, buffer, "deps");
    if (failed(dep))
      return failure();
    deps.push_back(bufferOf(*dep));
  }
  gpu::WaitBarrierOp::create(emitter.builder(), emitter.location(), bufferOf(*barrier), *phase, *predicate, deps);
  return Value::none();
}

// Copies by threads.

static FailureOr<Value> copyToShared(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> buffer = readShared(emitter, arguments[0], "smem");
  FailureOr<Value> pointer =
      failed(buffer) ? FailureOr<Value>() : readPointer(emitter, arguments[1], "async_copy_global_to_shared");
  FailureOr<std::optional<Value>> mask =
      failed(pointer) ? FailureOr<std::optional<Value>>() : readMask(emitter, arguments[2]);
  if (failed(mask))
    return failure();
  const Type target = buffer->type();
  std::vector<Value> operands = {*pointer};
  if (*mask)
    operands.push_back(**mask);
  FailureOr<std::vector<Value>> all = broadcastTogether(emitter, operands);
  if (failed(all))
    return failure();
  const Type pointers = (*all)[0].type();
  if (pointers.shape() != target.shape())
    return emitter.error("ValueError") << "async_copy_global_to_shared: the buffer's shape ["
                                       << llvm::interleaved(target.shape()) << "] and the pointers' shape ["
                                       << llvm::interleaved(pointers.shape()) << "] must match";
  if (!(pointers.pointee() == target.element()))
    return emitter.error("ValueError") << "async_copy_global_to_shared: the buffer holds " << target.element().str()
                                       << ", the pointers point to " << pointers.pointee().str();
  FailureOr<std::string> cache = readString(emitter, arguments[3], "cache_modifier"),
                         eviction = readString(emitter, arguments[4], "eviction_policy");
  FailureOr<bool> isVolatile = readBoolean(emitter, arguments[5], "volatile");
  if (failed(cache) || failed(eviction) || failed(isVolatile))
    return failure();
  using tensor::CacheModifier, tensor::EvictionPolicy;
  auto modifier = *cache == ""      ? std::optional(CacheModifier::None)
                  : *cache == ".ca" ? std::optional(CacheModifier::CA)
                  : *cache == ".cg" ? std::optional(CacheModifier::CG)
                                    : std::nullopt;
  auto policy = *eviction == ""              ? std::optional(EvictionPolicy::Normal)
                : *eviction == "evict_first" ? std::optional(EvictionPolicy::EvictFirst)
                : *eviction == "evict_last"  ? std::optional(EvictionPolicy::EvictLast)
                                             : std::nullopt;
  if (!modifier)
    return emitter.error("ValueError") << "cache_modifier \"" << *cache
                                       << "\" not supported; it may be \"\", \".ca\" or \".cg\"";
  if (!policy)
    return emitter.error("ValueError") << "eviction_policy \"" << *eviction << "\" not supported";
  gpu::AsyncCopyGlobalToLocalOp::create(
      emitter.builder(), emitter.location(), gpu::AsyncTokenType::get(emitter.context()), irOf((*all)[0]),
      bufferOf(*buffer), *mask ? irOf((*all)[1]) : mlir::Value(), mlir::Value(), *modifier, *policy, *isVolatile);
  return Value::none();
}

static FailureOr<Value> commitGroup(Emitter &emitter, const BoundArguments &) {
  gpu::AsyncCommitGroupOp::create(emitter.builder(), emitter.location(), gpu::AsyncTokenType::get(emitter.context()),
                                  ValueRange());
  return Value::none();
}

static FailureOr<Value> waitGroup(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<int64_t> pending = readInteger(emitter, arguments[0], "num_outstanding");
  if (failed(pending))
    return failure();
  gpu::AsyncWaitOp::create(emitter.builder(), emitter.location(), gpu::AsyncTokenType::get(emitter.context()),
                           ValueRange(), *pending);
  return Value::none();
}

static FailureOr<Value> copyArrive(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> barrier = readBarrier(emitter, arguments[0]);
  FailureOr<bool> increments =
      failed(barrier) ? FailureOr<bool>() : readBoolean(emitter, arguments[1], "increment_count");
  if (failed(increments))
    return failure();
  gpu::AsyncCopyMbarrierArriveOp::create(emitter.builder(), emitter.location(), bufferOf(*barrier), !*increments);
  return Value::none();
}

// The copy engine.

static FailureOr<Value> fence(Emitter &emitter, const BoundArguments &arguments) {
  if (failed(needs(emitter, 90, "fence_async_shared")))
    return failure();
  FailureOr<bool> cluster = readBoolean(emitter, arguments[0], "cluster");
  if (failed(cluster))
    return failure();
  gpu::FenceAsyncSharedOp::create(emitter.builder(), emitter.location(), *cluster);
  return Value::none();
}

static FailureOr<const DescriptorValue *> readDescriptor(Emitter &emitter, const Value &value) {
  if (const DescriptorValue *descriptor = value.descriptor())
    return descriptor;
  return emitter.error("TypeError") << "tensor_desc must be a tensor descriptor, got " << value.str();
}

static FailureOr<SmallVector<mlir::Value>> readCoordinates(Emitter &emitter, const Value &value,
                                                           const DescriptorValue &descriptor) {
  FailureOr<std::vector<Value>> given = readSequence(emitter, value, "coord");
  if (failed(given))
    return failure();
  if (size_t rank = descriptor.type.descriptorBlock().shape().size(); given->size() != rank)
    return emitter.error("ValueError") << "coord needs " << rank << " offsets, got " << given->size();
  SmallVector<mlir::Value> coordinates;
  for (const Value &offset : *given) {
    FailureOr<mlir::Value> scalar = readScalar32(emitter, offset, "coord");
    if (failed(scalar))
      return failure();
    coordinates.push_back(*scalar);
  }
  return coordinates;
}

static FailureOr<Value> tmaLoad(Emitter &emitter, const BoundArguments &arguments) {
  if (failed(needs(emitter, 90, "tma.async_copy_global_to_shared")))
    return failure();
  FailureOr<const DescriptorValue *> descriptor = readDescriptor(emitter, arguments[0]);
  FailureOr<SmallVector<mlir::Value>> coordinates =
      failed(descriptor) ? FailureOr<SmallVector<mlir::Value>>() : readCoordinates(emitter, arguments[1], **descriptor);
  FailureOr<Value> barrier = failed(coordinates) ? FailureOr<Value>() : readBarrier(emitter, arguments[2]);
  FailureOr<Value> result = failed(barrier) ? FailureOr<Value>() : readShared(emitter, arguments[3], "result");
  FailureOr<mlir::Value> predicate =
      failed(result) ? FailureOr<mlir::Value>() : readPredicate(emitter, arguments[4], "pred");
  if (failed(predicate))
    return failure();
  gpu::AsyncTmaCopyGlobalToLocalOp::create(emitter.builder(), emitter.location(), (*descriptor)->ir, *coordinates,
                                           bufferOf(*barrier), bufferOf(*result), *predicate);
  return Value::none();
}

static FailureOr<Value> tmaStore(Emitter &emitter, const BoundArguments &arguments) {
  if (failed(needs(emitter, 90, "tma.async_copy_shared_to_global")))
    return failure();
  FailureOr<const DescriptorValue *> descriptor = readDescriptor(emitter, arguments[0]);
  FailureOr<SmallVector<mlir::Value>> coordinates =
      failed(descriptor) ? FailureOr<SmallVector<mlir::Value>>() : readCoordinates(emitter, arguments[1], **descriptor);
  FailureOr<Value> source = failed(coordinates) ? FailureOr<Value>() : readShared(emitter, arguments[2], "src");
  if (failed(source))
    return failure();
  gpu::AsyncTmaCopyLocalToGlobalOp::create(emitter.builder(), emitter.location(), (*descriptor)->ir, *coordinates,
                                           bufferOf(*source));
  return Value::none();
}

/// The rows of a gather or scatter, and the column they begin at.
static FailureOr<std::pair<mlir::Value, mlir::Value>> readRows(Emitter &emitter, const Value &rows,
                                                               const Value &column) {
  if (const int capability = emitter.options().capability; capability < 100)
    return emitter.error("ValueError") << "gathers and scatters of the copy engine need sm_100, this is sm_"
                                       << capability;
  FailureOr<Value> offsets = readBlock(emitter, rows, "x_offsets");
  FailureOr<mlir::Value> start = failed(offsets) ? FailureOr<mlir::Value>() : readScalar32(emitter, column, "y_offset");
  if (failed(start))
    return failure();
  if (const Type type = offsets->type(); type.shape().size() != 1 || !(type.element() == Type::int32()))
    return emitter.error("ValueError") << "x_offsets must be one dimension of int32, got " << type.str();
  return std::pair(irOf(*offsets), *start);
}

static FailureOr<Value> gather(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<const DescriptorValue *> descriptor = readDescriptor(emitter, arguments[0]);
  FailureOr<std::pair<mlir::Value, mlir::Value>> rows = failed(descriptor)
                                                            ? FailureOr<std::pair<mlir::Value, mlir::Value>>()
                                                            : readRows(emitter, arguments[1], arguments[2]);
  FailureOr<Value> barrier = failed(rows) ? FailureOr<Value>() : readBarrier(emitter, arguments[3]);
  FailureOr<Value> result = failed(barrier) ? barrier : readShared(emitter, arguments[4], "result");
  FailureOr<mlir::Value> predicate =
      failed(result) ? FailureOr<mlir::Value>() : readPredicate(emitter, arguments[5], "pred");
  if (failed(predicate))
    return failure();
  gpu::AsyncTmaGatherOp::create(emitter.builder(), emitter.location(), (*descriptor)->ir, rows->first, rows->second,
                                bufferOf(*barrier), bufferOf(*result), *predicate);
  return Value::none();
}

static FailureOr<Value> scatter(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<const DescriptorValue *> descriptor = readDescriptor(emitter, arguments[0]);
  FailureOr<std::pair<mlir::Value, mlir::Value>> rows = failed(descriptor)
                                                            ? FailureOr<std::pair<mlir::Value, mlir::Value>>()
                                                            : readRows(emitter, arguments[1], arguments[2]);
  FailureOr<Value> source = failed(rows) ? FailureOr<Value>() : readShared(emitter, arguments[3], "src");
  if (failed(source))
    return failure();
  gpu::AsyncTmaScatterOp::create(emitter.builder(), emitter.location(), (*descriptor)->ir, rows->first, rows->second,
                                 bufferOf(*source));
  return Value::none();
}

static FailureOr<Value> storeWait(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<int64_t> pending = readInteger(emitter, arguments[0], "pendings");
  if (failed(pending))
    return failure();
  gpu::TmaStoreWaitOp::create(emitter.builder(), emitter.location(), *pending, /*written=*/false);
  return Value::none();
}

static FailureOr<Value> makeDescriptor(Emitter &emitter, const BoundArguments &arguments) {
  if (failed(needs(emitter, 90, "tma.make_tensor_descriptor")))
    return failure();
  FailureOr<Value> base = readPointer(emitter, arguments[0], "make_tensor_descriptor");
  FailureOr<std::vector<Value>> shape = readSequence(emitter, arguments[1], "shape"),
                                strides = readSequence(emitter, arguments[2], "strides");
  FailureOr<std::vector<int64_t>> block = readIntegers(emitter, arguments[3], "block_shape");
  FailureOr<Attribute> layout = readLayout(emitter, arguments[4]);
  FailureOr<std::optional<tensor::PaddingOption>> padding = readPadding(emitter, arguments[5]);
  if (failed(base) || failed(shape) || failed(strides) || failed(block) || failed(layout) || failed(padding))
    return failure();
  const size_t rank = shape->size();
  if (rank < 1 || rank > 5)
    return emitter.error("ValueError") << "a tensor descriptor has 1 to 5 dimensions, got " << rank;
  if (strides->size() != rank || block->size() != rank)
    return emitter.error("ValueError") << "shape, strides and block_shape must have one length, got " << rank << ", "
                                       << strides->size() << " and " << block->size();
  auto nvmma = dyn_cast<gpu::NvmmaSharedAttr>(*layout);
  if (!nvmma)
    return emitter.error("TypeError") << "a tensor descriptor needs an NVMMASharedLayout, got " << arguments[4].str();
  const Type element = memoryForm(base->type().pointee());
  if (int64_t bytes = block->back() * element.bitWidth() / 8; bytes < 16)
    return emitter.error("ValueError") << "the last dimension of block_shape must be at least 16 bytes, got " << bytes;
  if (std::optional<Integer> last = asInteger(strides->back()); !last || *last != 1)
    return emitter.error("ValueError") << "the last stride must be the constant 1, got " << strides->back().str();
  if (*padding == tensor::PaddingOption::Nan && !element.isFloating())
    return emitter.error("ValueError") << "nan padding is for floats, not for " << element.str();
  // One row is for gathers and scatters, whose buffers have several.
  const bool isRow = rank == 2 && block->front() == 1;
  if (!isRow && failed(nvmma.checkShape(*block, ruleErrors(emitter))))
    return failure();
  auto convert = [&](std::vector<Value> &values, Type type, SmallVector<mlir::Value> &ir) -> LogicalResult {
    for (Value &value : values) {
      FailureOr<Value> tensor = toTensor(emitter, value);
      FailureOr<Value> converted = failed(tensor) ? tensor : frontend::cast(emitter, *tensor, type);
      if (failed(converted))
        return failure();
      value = *converted;
      ir.push_back(irOf(value));
    }
    return success();
  };
  SmallVector<mlir::Value> shapeIr, stridesIr;
  if (failed(convert(*shape, Type::int32(), shapeIr)) || failed(convert(*strides, Type::int64(), stridesIr)))
    return failure();
  const Type type = Type::descriptor(Type::block(element, *block, *layout), std::vector<Type>(rank, Type::int32()),
                                     std::vector<Type>(rank, Type::int64()));
  mlir::Value ir =
      tensor::MakeTensorDescOp::create(emitter.builder(), emitter.location(), type.toIr(emitter.context()), irOf(*base),
                                       shapeIr, stridesIr, padding->value_or(tensor::PaddingOption::Zero));
  return Value(Value::Storage(std::make_shared<const DescriptorValue>(DescriptorValue{ir, type, *shape, *strides})));
}

#define NVIDIA "triton.experimental.gluon.language.nvidia."

llvm::ArrayRef<Builtin> asyncBuiltins() {
  static const Builtin table[] = {
      {NVIDIA "ampere.mbarrier", "init", "(mbarrier, count)", "Makes a barrier of `count` arrivals per phase.", init},
      {NVIDIA "ampere.mbarrier", "invalidate", "(mbarrier)", "Ends a barrier, so that its memory can be reused.",
       invalidate},
      {NVIDIA "ampere.mbarrier", "arrive", "(mbarrier, *, pred=True)", "Arrives once at a barrier.", arrive},
      {NVIDIA "ampere.mbarrier", "wait", "(mbarrier, phase, pred=True, deps=())",
       "Waits until the phase of parity `phase` is complete; `deps` live until then.", wait},
      {NVIDIA "hopper.mbarrier", "expect", "(mbarrier, bytes, pred=True)",
       "Arrives once, and lets the phase wait for `bytes` of copies that name the barrier.", expect},
      {NVIDIA "hopper.mbarrier", "arrive", "(mbarrier, *, count=1, pred=True)", "Arrives `count` times.",
       arriveCounted},
      {NVIDIA "ampere.async_copy", "async_copy_global_to_shared",
       "(smem, pointer, mask=None, cache_modifier=\"\", eviction_policy=\"\", volatile=False)",
       "Copies from global to shared memory without registers, and does not wait. Where `mask` is false zeros are "
       "written.",
       copyToShared},
      {NVIDIA "ampere.async_copy", "commit_group", "()", "Closes the group of copies begun since the last one.",
       commitGroup},
      {NVIDIA "ampere.async_copy", "wait_group", "(num_outstanding=0)",
       "Waits until at most that many of the newest groups are still copying.", waitGroup},
      {NVIDIA "ampere.async_copy", "mbarrier_arrive", "(mbarrier, increment_count=True)",
       "Every thread arrives once its copies begun before are complete.", copyArrive},
      {NVIDIA "hopper", "fence_async_shared", "(cluster=False)",
       "What was written to shared memory before is seen by asynchronous readers after.", fence},
      {NVIDIA "hopper.tma", "async_copy_global_to_shared", "(tensor_desc, coord, barrier, result, pred=True)",
       "Copies the block at `coord` into a buffer; its bytes count towards the barrier's phase.", tmaLoad},
      {NVIDIA "hopper.tma", "async_copy_shared_to_global", "(tensor_desc, coord, src)",
       "Copies a buffer to the block at `coord`.", tmaStore},
      {NVIDIA "blackwell.tma", "async_gather", "(tensor_desc, x_offsets, y_offset, barrier, result, pred=True)",
       "Copies one row for each of `x_offsets`, from column `y_offset` on, into a buffer.", gather},
      {NVIDIA "blackwell.tma", "async_scatter", "(tensor_desc, x_offsets, y_offset, src)",
       "Copies the rows of a buffer to those that `x_offsets` names.", scatter},
      {NVIDIA "hopper.tma", "store_wait", "(pendings)",
       "Waits until at most that many of the newest stores still read shared memory.", storeWait},
      {NVIDIA "hopper.tma", "make_tensor_descriptor",
       "(base, shape, strides, block_shape, layout, padding_option=\"zero\")", "Describes a tensor in memory.",
       makeDescriptor},
  };
  return table;
}

} // namespace triton::gluon
