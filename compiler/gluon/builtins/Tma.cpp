// Blocks and rows that TMA moves between global and shared memory, and the descriptors it reads.
#include "compiler/frontend/builtins/Pointers.h"
#include "compiler/gluon/builtins/Buffers.h"
#include "compiler/gluon/builtins/Families.h"
#include "compiler/gpu/dialect/ExplicitOps.h"
#include "compiler/tensor/rules/Rules.h"

using namespace mlir;

namespace triton::gluon {

using namespace frontend;
using frontend::Type;
using frontend::Value;

FailureOr<const DescriptorValue *> readDescriptor(Emitter &emitter, const Value &value, StringRef what) {
  if (const DescriptorValue *descriptor = value.descriptor())
    return descriptor;
  return emitter.error("TypeError") << what << " must be a tensor descriptor, got " << value.str();
}

FailureOr<SmallVector<mlir::Value>> readCoordinates(Emitter &emitter, const Value &value,
                                                    const DescriptorValue &descriptor, StringRef what) {
  FailureOr<std::vector<Value>> given = readSequence(emitter, value, what);
  if (failed(given))
    return failure();
  if (size_t rank = descriptor.type.descriptorBlock().shape().size(); given->size() != rank)
    return emitter.error("ValueError") << what << " needs " << rank << " offsets, got " << given->size();
  SmallVector<mlir::Value> coordinates;
  for (const Value &offset : *given) {
    FailureOr<mlir::Value> scalar = readScalar32(emitter, offset, what);
    if (failed(scalar))
      return failure();
    coordinates.push_back(*scalar);
  }
  return coordinates;
}

/// Copies by TMA ask the second cache alone.
static LogicalResult setCachePolicy(Emitter &emitter, Operation *op, const Value &value) {
  FailureOr<DictionaryAttr> policy = readCachePolicy(emitter, value);
  if (failed(policy) || !*policy)
    return policy;
  if (!policy->get("l2_primary") || policy->get("l1") || policy->get("cache_modifier") ||
      policy->get("l2_prefetch_size"))
    return emitter.error("ValueError") << "copies by TMA take a policy of the second cache alone, got " << value.str();
  op->setAttr(gpu::cachePolicyName, *policy);
  return success();
}

static FailureOr<Value> tmaLoad(Emitter &emitter, const BoundArguments &arguments) {
  if (failed(needs(emitter, 90, "tma.async_copy_global_to_shared")))
    return failure();
  FailureOr<const DescriptorValue *> descriptor = readDescriptor(emitter, arguments[0], "tensor_desc");
  FailureOr<SmallVector<mlir::Value>> coordinates = failed(descriptor)
                                                        ? FailureOr<SmallVector<mlir::Value>>()
                                                        : readCoordinates(emitter, arguments[1], **descriptor, "coord");
  FailureOr<Value> barrier = failed(coordinates) ? FailureOr<Value>() : readBarrier(emitter, arguments[2]);
  FailureOr<Value> result = failed(barrier) ? FailureOr<Value>() : readShared(emitter, arguments[3], "result");
  FailureOr<mlir::Value> predicate =
      failed(result) ? FailureOr<mlir::Value>() : readPredicate(emitter, arguments[4], "pred");
  // CTAs that hold the same part share one copy.
  FailureOr<bool> isMulticast = failed(predicate) ? FailureOr<bool>() : readBoolean(emitter, arguments[5], "multicast");
  if (failed(isMulticast))
    return failure();
  auto op = gpu::AsyncTmaCopyGlobalToLocalOp::create(emitter.builder(), emitter.location(), (*descriptor)->ir,
                                                     *coordinates, bufferOf(*barrier), bufferOf(*result), *predicate);
  if (*isMulticast)
    op->setAttr(gpu::multicastName, emitter.builder().getUnitAttr());
  if (failed(setCachePolicy(emitter, op, arguments[6])))
    return failure();
  return Value::none();
}

static FailureOr<Value> tmaStore(Emitter &emitter, const BoundArguments &arguments) {
  if (failed(needs(emitter, 90, "tma.async_copy_shared_to_global")))
    return failure();
  FailureOr<const DescriptorValue *> descriptor = readDescriptor(emitter, arguments[0], "tensor_desc");
  FailureOr<SmallVector<mlir::Value>> coordinates = failed(descriptor)
                                                        ? FailureOr<SmallVector<mlir::Value>>()
                                                        : readCoordinates(emitter, arguments[1], **descriptor, "coord");
  FailureOr<Value> source = failed(coordinates) ? FailureOr<Value>() : readShared(emitter, arguments[2], "src");
  if (failed(source))
    return failure();
  auto op = gpu::AsyncTmaCopyLocalToGlobalOp::create(emitter.builder(), emitter.location(), (*descriptor)->ir,
                                                     *coordinates, bufferOf(*source));
  if (failed(setCachePolicy(emitter, op, arguments[3])))
    return failure();
  return Value::none();
}

template <tensor::DescriptorReduceKind kind>
static FailureOr<Value> tmaUpdate(Emitter &emitter, const BoundArguments &arguments) {
  if (failed(needs(emitter, 90, "tma.async_atomic")))
    return failure();
  FailureOr<const DescriptorValue *> descriptor = readDescriptor(emitter, arguments[0], "tensor_desc");
  FailureOr<SmallVector<mlir::Value>> coordinates = failed(descriptor)
                                                        ? FailureOr<SmallVector<mlir::Value>>()
                                                        : readCoordinates(emitter, arguments[1], **descriptor, "coord");
  FailureOr<Value> source = failed(coordinates) ? FailureOr<Value>() : readShared(emitter, arguments[2], "src");
  if (failed(source))
    return failure();
  gpu::AsyncTmaReduceOp::create(emitter.builder(), emitter.location(), kind, (*descriptor)->ir, *coordinates,
                                bufferOf(*source));
  return Value::none();
}

/// The rows of a gather or scatter.
static FailureOr<mlir::Value> readRows(Emitter &emitter, const Value &rows) {
  if (const int capability = emitter.options().capability; capability < 100)
    return emitter.error("ValueError") << "gathers and scatters by TMA need sm_100, this is sm_" << capability;
  FailureOr<Value> offsets = readBlock(emitter, rows, "x_offsets");
  if (failed(offsets))
    return failure();
  if (const Type type = offsets->type(); type.shape().size() != 1 || !(type.element() == Type::int32()))
    return emitter.error("ValueError") << "x_offsets must be one dimension of int32, got " << type.str();
  return irOf(*offsets);
}

static FailureOr<Value> gather(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<const DescriptorValue *> descriptor = readDescriptor(emitter, arguments[0], "tensor_desc");
  FailureOr<mlir::Value> rows = failed(descriptor) ? FailureOr<mlir::Value>() : readRows(emitter, arguments[1]);
  FailureOr<Value> barrier = failed(rows) ? FailureOr<Value>() : readBarrier(emitter, arguments[3]);
  FailureOr<Value> result = failed(barrier) ? barrier : readShared(emitter, arguments[4], "result");
  FailureOr<mlir::Value> predicate =
      failed(result) ? FailureOr<mlir::Value>() : readPredicate(emitter, arguments[5], "pred");
  FailureOr<mlir::Value> column = failed(predicate) ? predicate : readScalar32(emitter, arguments[2], "y_offset");
  if (failed(column))
    return failure();
  gpu::AsyncTmaGatherOp::create(emitter.builder(), emitter.location(), (*descriptor)->ir, *rows, *column,
                                bufferOf(*barrier), bufferOf(*result), *predicate);
  return Value::none();
}

static FailureOr<Value> scatter(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<const DescriptorValue *> descriptor = readDescriptor(emitter, arguments[0], "tensor_desc");
  FailureOr<mlir::Value> rows = failed(descriptor) ? FailureOr<mlir::Value>() : readRows(emitter, arguments[1]);
  FailureOr<mlir::Value> column = failed(rows) ? rows : readScalar32(emitter, arguments[2], "y_offset");
  FailureOr<Value> source = failed(column) ? FailureOr<Value>() : readShared(emitter, arguments[3], "src");
  if (failed(source))
    return failure();
  gpu::AsyncTmaScatterOp::create(emitter.builder(), emitter.location(), (*descriptor)->ir, *rows, *column,
                                 bufferOf(*source));
  return Value::none();
}

static FailureOr<Value> storeWait(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<int64_t> pending = readInteger(emitter, arguments[0], "pendings");
  FailureOr<bool> onlyRead = failed(pending) ? FailureOr<bool>() : readBoolean(emitter, arguments[1], "read_only");
  if (failed(onlyRead))
    return failure();
  gpu::TmaStoreWaitOp::create(emitter.builder(), emitter.location(), *pending, /*written=*/!*onlyRead);
  return Value::none();
}

LogicalResult checkCopied(Emitter &emitter, gpu::NvmmaSharedAttr layout) {
  if (layout.getFp4Padded())
    return emitter.error("ValueError") << "TMA does not pad: a buffer with fp4_padded is written by threads";
  return success();
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
    return emitter.error("AssertionError") << "Expected layout to be a NVMMASharedLayout, got " << arguments[4].str();
  if (failed(checkCopied(emitter, nvmma)))
    return failure();
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
      FailureOr<Value> converted =
          asInteger(value) ? constantOf(emitter, value, type) : frontend::cast(emitter, value, type);
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

#define TRITON_TMA_UPDATE(name, kind, what)                                                                            \
  {NVIDIA "hopper.tma", "async_atomic_" name, "(tensor_desc, coord, src)",                                             \
   "Writes the " what " of a buffer and the block at `coord` there, atomically.",                                      \
   tmaUpdate<tensor::DescriptorReduceKind::kind>}

llvm::ArrayRef<Builtin> tmaBuiltins() {
  static const Builtin table[] = {
      {NVIDIA "hopper.tma", "async_load",
       "(tensor_desc, coord, barrier, result, pred=True, multicast=False, cache_policy=None)",
       "Copies the block at `coord` into a buffer; its bytes count towards the barrier's phase.", tmaLoad},
      {NVIDIA "hopper.tma", "async_store", "(tensor_desc, coord, src, cache_policy=None)",
       "Copies a buffer to the block at `coord`.", tmaStore},
      {NVIDIA "hopper.tma", "async_copy_global_to_shared",
       "(tensor_desc, coord, barrier, result, pred=True, multicast=False, cache_policy=None)",
       "The old name of `async_load`.", tmaLoad},
      {NVIDIA "hopper.tma", "async_copy_shared_to_global", "(tensor_desc, coord, src, cache_policy=None)",
       "The old name of `async_store`.", tmaStore},
      TRITON_TMA_UPDATE("add", Add, "sums"),
      TRITON_TMA_UPDATE("min", Min, "smaller elements"),
      TRITON_TMA_UPDATE("max", Max, "larger elements"),
      TRITON_TMA_UPDATE("and", And, "common bits"),
      TRITON_TMA_UPDATE("or", Or, "bits of either"),
      TRITON_TMA_UPDATE("xor", Xor, "differing bits"),
      {NVIDIA "blackwell.tma", "async_gather", "(tensor_desc, x_offsets, y_offset, barrier, result, pred=True)",
       "Copies one row for each of `x_offsets`, from column `y_offset` on, into a buffer.", gather},
      {NVIDIA "blackwell.tma", "async_scatter", "(tensor_desc, x_offsets, y_offset, src)",
       "Copies the rows of a buffer to those that `x_offsets` names.", scatter},
      {NVIDIA "hopper.tma", "store_wait", "(pendings, read_only=True)",
       "Waits until at most that many of the newest stores still read shared memory; without `read_only`, until the "
       "others have written global memory too.",
       storeWait},
      {NVIDIA "hopper.tma", "make_tensor_descriptor",
       "(base, shape, strides, block_shape, layout, padding_option=\"zero\")", "Describes a tensor in memory.",
       makeDescriptor},
  };
  return table;
}

} // namespace triton::gluon
