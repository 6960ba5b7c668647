// Buffers in shared memory: allocation, views, and moves between them and registers.
#include "compiler/frontend/builtins/Pointers.h"
#include "compiler/frontend/builtins/Shape.h"
#include "compiler/gluon/builtins/Buffers.h"
#include "compiler/gluon/builtins/Families.h"
#include "compiler/gpu/dialect/ExplicitOps.h"
#include "compiler/gpu/dialect/Views.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

namespace triton::gluon {

using namespace frontend;
using frontend::Type;
using frontend::Value;

Value sharedValue(mlir::Value ir, Type element) {
  auto type = llvm::cast<gpu::MemDescType>(ir.getType());
  return Value::handle(ir, Type::handle(sharedClass.str(), element, type.getShape(), type.getEncoding(), type));
}

FailureOr<Value> readShared(Emitter &emitter, const Value &value, StringRef what) {
  if (!value.is<HandleValue>() || value.type().className() != sharedClass)
    return emitter.error("TypeError") << what << " must be a buffer in shared memory, got " << value.str();
  return value;
}

FailureOr<mlir::Value> readScalar32(Emitter &emitter, const Value &value, StringRef what) {
  FailureOr<Value> scalar = toTensor(emitter, value);
  if (failed(scalar))
    return failure();
  if (scalar->type().isBlock() || !scalar->type().isInteger())
    return emitter.error("TypeError") << what << " must be an integer, got " << scalar->type().str();
  FailureOr<Value> converted = frontend::cast(emitter, *scalar, Type::int32());
  return failed(converted) ? FailureOr<mlir::Value>() : FailureOr<mlir::Value>(irOf(*converted));
}

FailureOr<mlir::Value> readPredicate(Emitter &emitter, const Value &value, StringRef what) {
  FailureOr<Value> scalar = toTensor(emitter, value);
  if (failed(scalar))
    return failure();
  if (scalar->type().isBlock())
    return emitter.error("TypeError") << what << " must be a scalar, got " << scalar->type().str();
  FailureOr<Value> flag = scalar->type().isBool() ? scalar : toBoolean(emitter, *scalar);
  return failed(flag) ? FailureOr<mlir::Value>() : FailureOr<mlir::Value>(irOf(*flag));
}

static Attribute sharedSpace(Emitter &emitter) { return gpu::SharedMemoryAttr::get(emitter.context()); }

/// The type of a buffer that `layout` is laid over.
static FailureOr<gpu::MemDescType> bufferType(Emitter &emitter, Type element, ArrayRef<int64_t> shape,
                                              const Value &layoutValue) {
  FailureOr<Attribute> layout = readLayout(emitter, layoutValue);
  if (failed(layout))
    return failure();
  auto shared = dyn_cast<gpu::SharedAttr>(*layout);
  if (!shared)
    return emitter.error("ValueError") << "expected 'layout' to be a SharedLayout but got " << layoutValue.str();
  int64_t rank = shared.getRank(), dims = shape.size();
  if (rank != dims && rank + 1 != dims)
    return emitter.error("ValueError") << "a layout of rank " << rank << " fits buffers of rank " << rank << ", or "
                                       << rank + 1 << " for several, got shape [" << llvm::interleaved(shape) << "]";
  auto report = ruleErrors(emitter);
  llvm::function_ref<InFlightDiagnostic()> error = report;
  if (failed(shared.checkShape(shape.take_back(rank), error)))
    return failure();
  auto type = gpu::MemDescType::getChecked(error, emitter.context(), shape, element.toIr(emitter.context()), *layout,
                                           sharedSpace(emitter), true, shape);
  if (!type)
    return failure();
  return type;
}

static FailureOr<std::vector<int64_t>> readSizes(Emitter &emitter, const Value &value) {
  FailureOr<std::vector<int64_t>> shape = readIntegers(emitter, value, "shape");
  if (failed(shape))
    return failure();
  if (shape->empty() || llvm::any_of(*shape, [](int64_t size) { return size <= 0; }))
    return emitter.error("ValueError") << "a buffer needs a shape of positive sizes, got [" << llvm::interleaved(*shape)
                                       << "]";
  return shape;
}

FailureOr<mlir::Value> readContents(Emitter &emitter, const Value &value, const Type &element,
                                    ArrayRef<int64_t> shape) {
  if (value.isNone())
    return mlir::Value();
  FailureOr<Value> block = readBlock(emitter, value, "value of a buffer");
  if (failed(block))
    return failure();
  // Signs of integers are the kernel's: memory has none.
  const Type given = block->type();
  const bool isSame = given.element() == element || (given.element().isInteger() && element.isInteger() &&
                                                     given.element().bitWidth() == element.bitWidth());
  if (given.shape() != shape || !isSame)
    return emitter.error("ValueError") << "a buffer of " << element.str() << " [" << llvm::interleaved(shape)
                                       << "] cannot begin with " << given.str();
  return irOf(*block);
}

static FailureOr<Value> allocate(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Type> element = readType(emitter, arguments[0], "element_ty");
  FailureOr<std::vector<int64_t>> shape =
      failed(element) ? FailureOr<std::vector<int64_t>>() : readSizes(emitter, arguments[1]);
  FailureOr<gpu::MemDescType> type =
      failed(shape) ? FailureOr<gpu::MemDescType>() : bufferType(emitter, *element, *shape, arguments[2]);
  if (failed(type))
    return failure();
  FailureOr<mlir::Value> source = readContents(emitter, arguments[3], *element, *shape);
  if (failed(source))
    return failure();
  return sharedValue(gpu::LocalAllocOp::create(emitter.builder(), emitter.location(), *type, *source), *element);
}

static FailureOr<Value> load(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> buffer = readShared(emitter, arguments[0], "what is loaded");
  if (failed(buffer))
    return failure();
  const Type type = buffer->type();
  FailureOr<Attribute> layout = readTensorLayout(emitter, arguments[1], type.shape());
  if (failed(layout))
    return failure();
  const Type result = Type::block(type.element(), type.shape(), *layout);
  return Value::tensor(gpu::LocalLoadOp::create(emitter.builder(), emitter.location(), result.toIr(emitter.context()),
                                                bufferOf(*buffer)),
                       result);
}

static FailureOr<Value> store(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> buffer = readShared(emitter, arguments[0], "what is stored to");
  if (failed(buffer))
    return failure();
  if (!arguments[1].isTensor() || !arguments[1].type().isBlock())
    return emitter.error("ValueError") << "only tensors can be stored to shared memory, got " << arguments[1].str();
  const Type value = arguments[1].type(), type = buffer->type();
  if (value.shape() != type.shape())
    return emitter.error("ValueError") << "source shape [" << llvm::interleaved(value.shape())
                                       << "] and destination shape [" << llvm::interleaved(type.shape())
                                       << "] must match";
  if (!(value.element() == type.element()))
    return emitter.error("ValueError") << "source dtype " << value.element().str() << " and destination dtype "
                                       << type.element().str() << " must match";
  gpu::LocalStoreOp::create(emitter.builder(), emitter.location(), irOf(arguments[1]), bufferOf(*buffer));
  return Value::none();
}

static FailureOr<Value> slice(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> buffer = readShared(emitter, arguments[0], "what is sliced");
  FailureOr<int64_t> start = readInteger(emitter, arguments[1], "start"),
                     length = readInteger(emitter, arguments[2], "length"),
                     dim = readInteger(emitter, arguments[3], "dim");
  if (failed(buffer) || failed(start) || failed(length) || failed(dim))
    return failure();
  const Type type = buffer->type();
  if (*dim < 0 || *dim >= static_cast<int64_t>(type.shape().size()))
    return emitter.error("ValueError") << "dim " << *dim << " is outside of shape [" << llvm::interleaved(type.shape())
                                       << "]";
  SmallVector<int64_t> shape(type.shape());
  SmallVector<int32_t> offsets(shape.size(), 0);
  shape[*dim] = *length;
  offsets[*dim] = static_cast<int32_t>(*start);
  FailureOr<gpu::MemDescType> view = gpu::inferSubslice(bufferTypeOf(*buffer), offsets, shape, ruleErrors(emitter));
  if (failed(view))
    return failure();
  return sharedValue(
      gpu::MemDescSubsliceOp::create(emitter.builder(), emitter.location(), *view, bufferOf(*buffer), offsets),
      type.element());
}

static FailureOr<Value> index(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> buffer = readShared(emitter, arguments[0], "what is indexed");
  FailureOr<mlir::Value> position =
      failed(buffer) ? FailureOr<mlir::Value>() : readScalar32(emitter, arguments[1], "index");
  if (failed(position) || failed(gpu::inferIndex(bufferTypeOf(*buffer), ruleErrors(emitter))))
    return failure();
  return sharedValue(gpu::MemDescIndexOp::create(emitter.builder(), emitter.location(), bufferOf(*buffer), *position),
                     buffer->type().element());
}

static FailureOr<Value> permute(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> buffer = readShared(emitter, arguments[0], "what is permuted");
  FailureOr<std::vector<int64_t>> order =
      failed(buffer) ? FailureOr<std::vector<int64_t>>() : readIntegers(emitter, arguments[1], "order");
  if (failed(order))
    return failure();
  SmallVector<int32_t> dims(order->begin(), order->end());
  if (failed(gpu::inferTrans(bufferTypeOf(*buffer), dims, ruleErrors(emitter))))
    return failure();
  return sharedValue(gpu::MemDescTransOp::create(emitter.builder(), emitter.location(), bufferOf(*buffer), dims),
                     buffer->type().element());
}

static FailureOr<Value> reshape(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> buffer = readShared(emitter, arguments[0], "what is reshaped");
  FailureOr<std::vector<int64_t>> shape =
      failed(buffer) ? FailureOr<std::vector<int64_t>>() : readSizes(emitter, arguments[1]);
  if (failed(shape) || failed(gpu::inferReshape(bufferTypeOf(*buffer), *shape, ruleErrors(emitter))))
    return failure();
  return sharedValue(gpu::MemDescReshapeOp::create(emitter.builder(), emitter.location(), bufferOf(*buffer), *shape),
                     buffer->type().element());
}

static FailureOr<Value> reinterpret(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> buffer = readShared(emitter, arguments[0], "what is reinterpreted");
  if (failed(buffer))
    return failure();
  // What is not given stays as it is.
  FailureOr<Type> element =
      arguments[1].isNone() ? FailureOr<Type>(buffer->type().element()) : readType(emitter, arguments[1], "dtype");
  FailureOr<std::vector<int64_t>> shape = failed(element)         ? FailureOr<std::vector<int64_t>>()
                                          : arguments[2].isNone() ? buffer->type().shape().vec()
                                                                  : readSizes(emitter, arguments[2]);
  FailureOr<std::optional<Value>> own = failed(shape)           ? FailureOr<std::optional<Value>>()
                                        : arguments[3].isNone() ? valueAttribute(emitter, *buffer, "layout")
                                                                : FailureOr<std::optional<Value>>(arguments[3]);
  FailureOr<gpu::MemDescType> type =
      failed(own) || !*own ? FailureOr<gpu::MemDescType>() : bufferType(emitter, *element, *shape, **own);
  if (failed(type))
    return failure();
  return sharedValue(gpu::MemDescReinterpretOp::create(emitter.builder(), emitter.location(), *type, bufferOf(*buffer)),
                     *element);
}

static FailureOr<Value> keepAlive(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> buffer = readShared(emitter, arguments[0], "what is kept");
  if (failed(buffer))
    return failure();
  gpu::LocalDeallocOp::create(emitter.builder(), emitter.location(), bufferOf(*buffer));
  return Value::none();
}

// Elements chosen by indices.

namespace {
struct IndexedArguments {
  Value buffer, indices;
  int64_t axis;
  RankedTensorType type; // of what is read or written
};
} // namespace

/// `indices` along `axis`, which counts from the end where it is negative.
static FailureOr<IndexedArguments> readIndexed(Emitter &emitter, const Value &self, const Value &indexValue,
                                               const Value &axisValue) {
  FailureOr<Value> buffer = readShared(emitter, self, "what is indexed");
  FailureOr<Value> indices = failed(buffer) ? buffer : readBlock(emitter, indexValue, "indices");
  FailureOr<int64_t> axis = failed(indices) ? FailureOr<int64_t>() : readInteger(emitter, axisValue, "axis");
  if (failed(axis))
    return failure();
  if (!indices->type().isInteger())
    return emitter.error("ValueError") << "indices must be integers, got " << indices->type().str();
  if (*axis < 0)
    *axis += buffer->type().shape().size();
  FailureOr<RankedTensorType> type =
      gpu::inferLocalGather(bufferTypeOf(*buffer), irTypeOf(*indices), *axis, ruleErrors(emitter));
  if (failed(type))
    return failure();
  return IndexedArguments{*buffer, *indices, *axis, *type};
}

static FailureOr<Value> gather(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<IndexedArguments> read = readIndexed(emitter, arguments[0], arguments[1], arguments[2]);
  if (failed(read))
    return failure();
  auto op = gpu::LocalGatherOp::create(emitter.builder(), emitter.location(), read->type, bufferOf(read->buffer),
                                       irOf(read->indices), static_cast<uint32_t>(read->axis));
  return tensorOf(op.getResult(), read->buffer.type().element());
}

/// Values and indices in one shape.
static FailureOr<std::pair<IndexedArguments, Value>>
readWritten(Emitter &emitter, const Value &self, const Value &valueGiven, const Value &indexGiven, const Value &axis) {
  FailureOr<Value> value = readBlock(emitter, valueGiven, "values");
  FailureOr<Value> indices = failed(value) ? value : readBlock(emitter, indexGiven, "indices");
  FailureOr<std::vector<Value>> both =
      failed(indices) ? FailureOr<std::vector<Value>>() : broadcastTogether(emitter, {*value, *indices});
  FailureOr<IndexedArguments> read =
      failed(both) ? FailureOr<IndexedArguments>() : readIndexed(emitter, self, (*both)[1], axis);
  if (failed(read))
    return failure();
  if (const Type element = read->buffer.type().element(); !((*both)[0].type().element() == element))
    return emitter.error("ValueError") << "values must be of the buffer's type " << element.str() << ", got "
                                       << (*both)[0].type().str();
  return std::pair(*read, (*both)[0]);
}

static FailureOr<Value> scatter(Emitter &emitter, const BoundArguments &arguments) {
  auto read = readWritten(emitter, arguments[0], arguments[1], arguments[2], arguments[3]);
  if (failed(read))
    return failure();
  auto &[places, value] = *read;
  gpu::LocalScatterOp::create(emitter.builder(), emitter.location(), bufferOf(places.buffer), irOf(places.indices),
                              irOf(value), static_cast<uint32_t>(places.axis));
  return Value::none();
}

template <tensor::RMWOp operation> static FailureOr<Value> update(Emitter &emitter, const BoundArguments &arguments) {
  using tensor::RMWOp;
  auto read = readWritten(emitter, arguments[0], arguments[1], arguments[2], arguments[3]);
  FailureOr<std::optional<Value>> mask =
      failed(read) ? FailureOr<std::optional<Value>>() : readMask(emitter, arguments[4]);
  if (failed(mask))
    return failure();
  auto &[places, value] = *read;
  const Type element = places.buffer.type().element();
  if (!element.isInteger() && operation != RMWOp::Add && operation != RMWOp::Exchange)
    return emitter.error("ValueError") << "atomic_scatter_" << tensor::stringifyRMWOp(operation).str()
                                       << " is for integers, not for " << element.str();
  mlir::Value maskIr;
  if (*mask) {
    FailureOr<Value> fitted =
        broadcastTo(emitter, **mask, places.indices.type().shape(), places.indices.type().layout());
    if (failed(fitted))
      return failure();
    maskIr = irOf(*fitted);
  }
  auto op = gpu::LocalAtomicScatterRMWOp::create(emitter.builder(), emitter.location(), places.type,
                                                 updateOf(operation, element), bufferOf(places.buffer), irOf(value),
                                                 irOf(places.indices), maskIr, static_cast<uint32_t>(places.axis));
  return tensorOf(op.getResult(), element);
}

#define METHODS "triton.experimental.gluon.language._core.shared_memory_descriptor"

llvm::ArrayRef<Builtin> sharedBuiltins() {
  static const Builtin table[] = {
      {"triton.experimental.gluon.language._core", "allocate_shared_memory", "(element_ty, shape, layout, value=None)",
       "A new buffer in shared memory, filled with `value` if there is one.", allocate},
      {METHODS, "load", "(self, layout)", "Reads the whole view into registers.", load},
      {METHODS, "store", "(self, value)", "Writes a tensor of the same shape and dtype.", store},
      {METHODS, "slice", "(self, start, length, dim=0)", "The view of a part along one dimension.", slice},
      {METHODS, "index", "(self, index)", "One buffer of several.", index},
      {METHODS, "permute", "(self, order)", "The view with its dimensions permuted.", permute},
      {METHODS, "reshape", "(self, shape)", "The view in another shape.", reshape},
      {METHODS, "reinterpret", "(self, dtype=None, shape=None, layout=None)",
       "The same memory as another type; what is None stays as it is.", reinterpret},
      {METHODS, "_reinterpret", "(self, dtype=None, shape=None, layout=None)", "The old name of `reinterpret`.",
       reinterpret},
      {METHODS, "gather", "(self, indices, axis)",
       "Each element of the result is that of the buffer at its own place, but along `axis` at `indices`.", gather},
      {METHODS, "scatter", "(self, values, indices, axis)",
       "Writes each value at its own place, but along `axis` at `indices`.", scatter},
      {METHODS, "atomic_scatter_add", "(self, values, indices, axis, mask=None)",
       "The sum is written atomically, where `mask` is true; gives what was there.", update<tensor::RMWOp::Add>},
      {METHODS, "atomic_scatter_max", "(self, values, indices, axis, mask=None)",
       "The larger is written atomically, where `mask` is true; gives what was there.", update<tensor::RMWOp::Max>},
      {METHODS, "atomic_scatter_min", "(self, values, indices, axis, mask=None)",
       "The smaller is written atomically, where `mask` is true; gives what was there.", update<tensor::RMWOp::Min>},
      {METHODS, "atomic_scatter_and", "(self, values, indices, axis, mask=None)",
       "The bits of both is written atomically, where `mask` is true; gives what was there.",
       update<tensor::RMWOp::And>},
      {METHODS, "atomic_scatter_or", "(self, values, indices, axis, mask=None)",
       "The bits of either is written atomically, where `mask` is true; gives what was there.",
       update<tensor::RMWOp::Or>},
      {METHODS, "atomic_scatter_xor", "(self, values, indices, axis, mask=None)",
       "The bits of one is written atomically, where `mask` is true; gives what was there.",
       update<tensor::RMWOp::Xor>},
      {METHODS, "atomic_scatter_xchg", "(self, values, indices, axis, mask=None)",
       "The new value is written atomically, where `mask` is true; gives what was there.",
       update<tensor::RMWOp::Exchange>},
      {METHODS, "_keep_alive", "(self)", "The buffer lives until here.", keepAlive},
  };
  return table;
}

} // namespace triton::gluon
