// Buffers in tensor memory, which tcgen05 products accumulate in, and those products.
#include "compiler/gluon/builtins/Buffers.h"
#include "compiler/gluon/builtins/Dots.h"
#include "compiler/gluon/builtins/Families.h"
#include "compiler/gpu/dialect/Views.h"

#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

namespace triton::gluon {

using namespace frontend;
using frontend::Type;
using frontend::Value;

static constexpr llvm::StringLiteral tensorMemoryClass =
    "triton.experimental.gluon.language.nvidia.blackwell.tensor_memory_descriptor";

static LogicalResult checkTarget(Emitter &emitter, StringRef what) {
  const int generation = emitter.options().capability / 10;
  if (generation == 10 || generation == 11)
    return success();
  return emitter.error("ValueError") << what << " is for sm_100, this is sm_" << emitter.options().capability;
}

static Value tensorMemoryValue(mlir::Value ir, Type element) {
  auto type = llvm::cast<gpu::MemDescType>(ir.getType());
  return Value::handle(ir, Type::handle(tensorMemoryClass.str(), element, type.getShape(), type.getEncoding(), type));
}

static FailureOr<Value> readTensorMemory(Emitter &emitter, const Value &value, StringRef what) {
  if (!value.is<HandleValue>() || value.type().className() != tensorMemoryClass)
    return emitter.error("TypeError") << what << " must be a buffer in tensor memory, got " << value.str();
  return value;
}

FailureOr<gpu::MemDescType> tensorMemoryType(Emitter &emitter, Type element, ArrayRef<int64_t> shape,
                                             const Value &layoutValue) {
  FailureOr<Attribute> layout = readLayout(emitter, layoutValue);
  if (failed(layout))
    return failure();
  if (!isa<gpu::TensorMemoryEncodingAttr, gpu::TensorMemoryScalesAttr>(*layout))
    return emitter.error("TypeError") << "buffers in tensor memory need a TensorMemoryLayout, got "
                                      << layoutValue.str();
  if (isa<gpu::TensorMemoryScalesAttr>(*layout) && element.bitWidth() != 8)
    return emitter.error("ValueError") << "scales have 8 bits, not those of " << element.str();
  if (auto encoding = dyn_cast<gpu::TensorMemoryEncodingAttr>(*layout);
      encoding && element.bitWidth() * encoding.getColStride() > 32)
    return emitter.error("ValueError") << "bitwidth * col_stride must be less than or equal to 32, got "
                                       << element.bitWidth() << " and " << encoding.getColStride();
  if (shape.size() != 2 && shape.size() != 3)
    return emitter.error("ValueError") << "buffers in tensor memory have 2 dimensions, or 3 for several, got ["
                                       << llvm::interleaved(shape) << "]";
  auto report = ruleErrors(emitter);
  llvm::function_ref<InFlightDiagnostic()> error = report;
  if (failed(llvm::cast<gpu::LayoutAttr>(*layout).checkShape(shape.take_back(2), error)))
    return failure();
  auto type = gpu::MemDescType::getChecked(error, emitter.context(), shape, element.toIr(emitter.context()), *layout,
                                           Attribute(gpu::TensorMemoryAttr::get(emitter.context())), true, shape);
  if (!type)
    return failure();
  return type;
}

static FailureOr<Value> allocate(Emitter &emitter, const BoundArguments &arguments) {
  if (failed(checkTarget(emitter, "allocate_tensor_memory")))
    return failure();
  FailureOr<Type> element = readType(emitter, arguments[0], "element_ty");
  FailureOr<std::vector<int64_t>> shape =
      failed(element) ? FailureOr<std::vector<int64_t>>() : readIntegers(emitter, arguments[1], "shape");
  FailureOr<gpu::MemDescType> type =
      failed(shape) ? FailureOr<gpu::MemDescType>() : tensorMemoryType(emitter, *element, *shape, arguments[2]);
  if (failed(type))
    return failure();
  FailureOr<mlir::Value> source = readContents(emitter, arguments[3], *element, *shape);
  if (failed(source))
    return failure();
  auto op = gpu::TMEMAllocOp::create(emitter.builder(), emitter.location(), *type, mlir::Type(), *source);
  return tensorMemoryValue(op.getResult(), *element);
}

static FailureOr<Value> load(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> buffer = readTensorMemory(emitter, arguments[0], "what is loaded");
  if (failed(buffer))
    return failure();
  const Type type = buffer->type();
  FailureOr<Value> given = arguments[1].isNone()
                               ? registerLayoutOf(emitter, *buffer, Value::none(), Value::string("32x32b"))
                               : FailureOr<Value>(arguments[1]);
  if (failed(given))
    return failure();
  FailureOr<Attribute> layout = readTensorLayout(emitter, *given, type.shape());
  if (failed(layout))
    return failure();
  const Type result = Type::block(type.element(), type.shape(), *layout);
  auto op = gpu::TMEMLoadOp::create(emitter.builder(), emitter.location(), result.toIr(emitter.context()), mlir::Type(),
                                    bufferOf(*buffer), mlir::Value());
  return Value::tensor(op.getResult(), result);
}

static FailureOr<Value> store(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> buffer = readTensorMemory(emitter, arguments[0], "what is stored to");
  FailureOr<Value> value = failed(buffer) ? buffer : readBlock(emitter, arguments[1], "value of store");
  FailureOr<mlir::Value> predicate =
      failed(value) ? FailureOr<mlir::Value>() : readPredicate(emitter, arguments[2], "pred");
  if (failed(predicate))
    return failure();
  const Type given = value->type(), type = buffer->type();
  if (given.shape() != type.shape() || !(given.element() == type.element()))
    return emitter.error("AssertionError") << "a buffer " << type.str() << " cannot take " << given.str();
  gpu::TMEMStoreOp::create(emitter.builder(), emitter.location(), mlir::Type(), bufferOf(*buffer), mlir::Value(),
                           irOf(*value), *predicate);
  return Value::none();
}

static FailureOr<Value> slice(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> buffer = readTensorMemory(emitter, arguments[0], "what is sliced");
  FailureOr<int64_t> start = readInteger(emitter, arguments[1], "start"),
                     length = readInteger(emitter, arguments[2], "length");
  if (failed(buffer) || failed(start) || failed(length))
    return failure();
  gpu::MemDescType type = bufferTypeOf(*buffer);
  auto layout = dyn_cast<gpu::TensorMemoryEncodingAttr>(type.getEncoding());
  if (!layout || type.getRank() != 2)
    return emitter.error("ValueError") << "slice takes columns of one matrix, got " << buffer->type().str();
  if (*length < 1 || *start < 0 || *start % *length != 0 || *start + *length > type.getShape()[1])
    return emitter.error("ValueError") << "columns " << *start << " to " << *start + *length << " are not a part of "
                                       << buffer->type().str() << " that begins at a multiple of its length";
  auto part = gpu::TensorMemoryEncodingAttr::get(emitter.context(), layout.getBlockM(),
                                                 std::min(layout.getBlockN(), *length), layout.getColStride(),
                                                 layout.getCTASplitM(), layout.getCTASplitN(), layout.getTwoCTAs());
  auto view = gpu::MemDescType::get({type.getShape()[0], *length}, type.getElementType(), part, type.getMemorySpace(),
                                    true, type.getAllocShape());
  return tensorMemoryValue(gpu::TMEMSubsliceOp::create(emitter.builder(), emitter.location(), view, bufferOf(*buffer),
                                                       static_cast<uint32_t>(*start)),
                           buffer->type().element());
}

static FailureOr<Value> index(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> buffer = readTensorMemory(emitter, arguments[0], "what is indexed");
  FailureOr<mlir::Value> position =
      failed(buffer) ? FailureOr<mlir::Value>() : readScalar32(emitter, arguments[1], "index");
  if (failed(position) || failed(gpu::inferIndex(bufferTypeOf(*buffer), ruleErrors(emitter))))
    return failure();
  return tensorMemoryValue(
      gpu::MemDescIndexOp::create(emitter.builder(), emitter.location(), bufferOf(*buffer), *position),
      buffer->type().element());
}

static FailureOr<Value> reinterpret(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> buffer = readTensorMemory(emitter, arguments[0], "what is reinterpreted");
  if (failed(buffer))
    return failure();
  // What is not given stays as it is.
  const Type type = buffer->type();
  FailureOr<Type> element = arguments[1].isNone() ? type.element() : readType(emitter, arguments[1], "dtype");
  FailureOr<std::vector<int64_t>> shape = failed(element)         ? FailureOr<std::vector<int64_t>>()
                                          : arguments[2].isNone() ? type.shape().vec()
                                                                  : readIntegers(emitter, arguments[2], "shape");
  FailureOr<Value> layout = failed(shape)           ? FailureOr<Value>()
                            : arguments[3].isNone() ? makeLayoutObject(emitter, type.layout(), type.shape())
                                                    : FailureOr<Value>(arguments[3]);
  FailureOr<gpu::MemDescType> view =
      failed(layout) ? FailureOr<gpu::MemDescType>() : tensorMemoryType(emitter, *element, *shape, *layout);
  if (failed(view))
    return failure();
  return tensorMemoryValue(
      gpu::MemDescReinterpretOp::create(emitter.builder(), emitter.location(), *view, bufferOf(*buffer)), *element);
}

// Products.

static FailureOr<Value> readBuffer(Emitter &emitter, const Value &value, StringRef what) {
  if (value.is<HandleValue>() && value.type().className() == tensorMemoryClass)
    return value;
  return readShared(emitter, value, what);
}

/// `mbarriers` and `mbarrier_preds`, one of these for each.
static LogicalResult readBarriers(Emitter &emitter, const Value &list, const Value &predicates,
                                  SmallVectorImpl<mlir::Value> &barriers, SmallVectorImpl<mlir::Value> &flags) {
  if (list.isNone())
    return success();
  FailureOr<std::vector<Value>> given = readSequence(emitter, list, "mbarriers");
  if (failed(given))
    return failure();
  std::vector<Value> conditions(given->size(), Value::boolean(true));
  if (!predicates.isNone()) {
    FailureOr<std::vector<Value>> read = readSequence(emitter, predicates, "mbarrier_preds");
    if (failed(read))
      return failure();
    if (read->size() != given->size())
      return emitter.error("ValueError") << "mbarrier_preds needs one of " << given->size() << ", got " << read->size();
    conditions = *read;
  }
  for (auto [barrier, condition] : llvm::zip(*given, conditions)) {
    FailureOr<Value> buffer = readShared(emitter, barrier, "mbarriers");
    FailureOr<mlir::Value> flag =
        failed(buffer) ? FailureOr<mlir::Value>() : readPredicate(emitter, condition, "mbarrier_preds");
    if (failed(flag))
      return failure();
    barriers.push_back(bufferOf(*buffer));
    flags.push_back(*flag);
  }
  return success();
}

/// Whether CTAs that share operands tell each other when a product is done. One CTA alone has nobody to tell.
static LogicalResult checkMulticast(Emitter &emitter, const Value &value) {
  FailureOr<bool> isMulticast = readBoolean(emitter, value, "multicast");
  if (failed(isMulticast))
    return failure();
  if (*isMulticast && emitter.options().numCtas > 1)
    return emitter.error("ValueError") << "multicast products are for one CTA here, this kernel has "
                                       << emitter.options().numCtas;
  return success();
}

static FailureOr<Value> mma(Emitter &emitter, const BoundArguments &arguments) {
  if (failed(checkTarget(emitter, "tcgen05_mma")) || failed(checkMulticast(emitter, arguments[5])))
    return failure();
  FailureOr<Value> a = readBuffer(emitter, arguments[0], "a");
  FailureOr<Value> b = failed(a) ? a : readShared(emitter, arguments[1], "b");
  FailureOr<Value> sum = failed(b) ? b : readTensorMemory(emitter, arguments[2], "acc");
  FailureOr<mlir::Value> uses =
      failed(sum) ? FailureOr<mlir::Value>() : readPredicate(emitter, arguments[3], "use_acc");
  FailureOr<mlir::Value> predicate =
      failed(uses) ? FailureOr<mlir::Value>() : readPredicate(emitter, arguments[4], "pred");
  SmallVector<mlir::Value> barriers, flags;
  if (failed(predicate) || failed(readBarriers(emitter, arguments[6], arguments[7], barriers, flags)))
    return failure();
  auto layout = dyn_cast<gpu::TensorMemoryEncodingAttr>(bufferTypeOf(*sum).getEncoding());
  gpu::TCGen5MMAOp::create(emitter.builder(), emitter.location(), gpu::AsyncTokenType::get(emitter.context()),
                           bufferOf(*a), bufferOf(*b), bufferOf(*sum), mlir::Value(), *uses, *predicate, barriers,
                           flags, /*is_async=*/!barriers.empty(), /*two_ctas=*/layout && layout.getTwoCTAs());
  return Value::none();
}

static FailureOr<Value> mmaScaled(Emitter &emitter, const BoundArguments &arguments) {
  if (failed(checkTarget(emitter, "tcgen05_mma_scaled")) || failed(checkMulticast(emitter, arguments[9])))
    return failure();
  FailureOr<Value> a = readBuffer(emitter, arguments[0], "a");
  FailureOr<Value> b = failed(a) ? a : readShared(emitter, arguments[1], "b");
  FailureOr<Value> sum = failed(b) ? b : readTensorMemory(emitter, arguments[2], "acc");
  FailureOr<Value> scaleA = failed(sum) ? sum : readTensorMemory(emitter, arguments[3], "a_scale");
  FailureOr<Value> scaleB = failed(scaleA) ? scaleA : readTensorMemory(emitter, arguments[4], "b_scale");
  if (failed(scaleB))
    return failure();
  FailureOr<tensor::ScaleDotElemType> formatA = readScaledFormat(emitter, arguments[5], "a_type"),
                                      formatB = readScaledFormat(emitter, arguments[6], "b_type");
  FailureOr<mlir::Value> uses = readPredicate(emitter, arguments[7], "use_acc"),
                         predicate = readPredicate(emitter, arguments[8], "pred");
  SmallVector<mlir::Value> barriers, flags;
  if (failed(formatA) || failed(formatB) || failed(uses) || failed(predicate) ||
      failed(readBarriers(emitter, arguments[10], arguments[11], barriers, flags)))
    return failure();
  gpu::TCGen5MMAScaledOp::create(emitter.builder(), emitter.location(), gpu::AsyncTokenType::get(emitter.context()),
                                 bufferOf(*a), bufferOf(*b), bufferOf(*sum), mlir::Value(), bufferOf(*scaleA),
                                 bufferOf(*scaleB), *formatA, *formatB, *uses, *predicate, barriers, flags,
                                 /*is_async=*/!barriers.empty());
  return Value::none();
}

static FailureOr<Value> commit(Emitter &emitter, const BoundArguments &arguments) {
  if (failed(checkTarget(emitter, "tcgen05_commit")))
    return failure();
  FailureOr<Value> barrier = readShared(emitter, arguments[0], "barrier");
  FailureOr<std::vector<Value>> shared =
      failed(barrier) ? FailureOr<std::vector<Value>>() : readSequence(emitter, arguments[2], "descs");
  if (failed(shared) ||
      (!shared->empty() && failed(checkMulticast(emitter, Value::boolean(emitter.options().numCtas > 1)))))
    return failure();
  const auto *always = arguments[1].getIf<bool>();
  FailureOr<mlir::Value> predicate = failed(barrier)     ? FailureOr<mlir::Value>()
                                     : always && *always ? FailureOr<mlir::Value>(mlir::Value())
                                                         : readPredicate(emitter, arguments[1], "pred");
  if (failed(predicate))
    return failure();
  gpu::TCGen5CommitOp::create(emitter.builder(), emitter.location(), bufferOf(*barrier), *predicate,
                              /*two_ctas=*/false);
  return Value::none();
}

static FailureOr<Value> copy(Emitter &emitter, const BoundArguments &arguments) {
  if (failed(checkTarget(emitter, "tcgen05_copy")))
    return failure();
  FailureOr<Value> source = readShared(emitter, arguments[0], "src");
  FailureOr<Value> target = failed(source) ? source : readTensorMemory(emitter, arguments[1], "dst");
  if (failed(target))
    return failure();
  gpu::TMEMCopyOp::create(emitter.builder(), emitter.location(), bufferOf(*source), bufferOf(*target), mlir::Value());
  return Value::none();
}

#define BLACKWELL "triton.experimental.gluon.language.nvidia.blackwell"

llvm::ArrayRef<Builtin> tensorMemoryBuiltins() {
  static const Builtin table[] = {
      {BLACKWELL, "allocate_tensor_memory", "(element_ty, shape, layout, value=None)",
       "A new buffer in tensor memory, filled with `value` if there is one.", allocate},
      {BLACKWELL, "tcgen05_mma",
       "(a, b, acc, *, use_acc=True, pred=True, multicast=False, mbarriers=None, mbarrier_preds=None)",
       "acc + a b, or a b where `use_acc` is false, in tensor memory; each barrier gets an arrival when it is done.",
       mma},
      {BLACKWELL, "tcgen05_mma_scaled",
       "(a, b, acc, a_scale, b_scale, a_type, b_type, *, use_acc=True, pred=True, multicast=False, mbarriers=None, "
       "mbarrier_preds=None)",
       "The same for operands whose groups of elements have scales, which lie in tensor memory.", mmaScaled},
      {BLACKWELL, "tcgen05_commit", "(barrier, pred=True, descs=())",
       "The barrier gets an arrival when all tcgen05 work begun before is done, where `pred` is true; so do those of "
       "the CTAs that share `descs`.",
       commit},
      {BLACKWELL, "tcgen05_copy", "(src, dst)", "Copies shared memory to tensor memory, without waiting.", copy},
      {BLACKWELL ".tensor_memory_descriptor", "load", "(self, layout=None)",
       "Reads the whole view into registers; without a layout, in that of `get_reg_layout()`.", load},
      {BLACKWELL ".tensor_memory_descriptor", "store", "(self, value, pred=True)", "Writes a tensor.", store},
      {BLACKWELL ".tensor_memory_descriptor", "slice", "(self, start, length)", "The view of some columns.", slice},
      {BLACKWELL ".tensor_memory_descriptor", "index", "(self, index)", "One buffer of several.", index},
      {BLACKWELL ".tensor_memory_descriptor", "reinterpret", "(self, dtype=None, shape=None, layout=None)",
       "The same memory as another type; what is None stays as it is.", reinterpret},
      {BLACKWELL ".tensor_memory_descriptor", "_reinterpret", "(self, dtype=None, shape=None, layout=None)",
       "The old name of `reinterpret`.", reinterpret},
  };
  return table;
}

} // namespace triton::gluon
