// Questions about layouts, which the host may ask too, outside of any kernel; and what unpacks numbers along a dimension.
#include "compiler/frontend/Operations.h"
#include "compiler/frontend/builtins/Shape.h"
#include "compiler/gluon/LayoutPictures.h"
#include "compiler/gluon/builtins/Buffers.h"
#include "compiler/gluon/builtins/Families.h"
#include "compiler/gpu/dialect/Views.h"
#include "compiler/layout/BitMatrix.h"
#include "compiler/layout/Conversion.h"

#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

namespace triton::gluon {

using namespace frontend;
using frontend::Type;
using frontend::Value;

/// The layout of a buffer that an object stands for; null if it is none.
static FailureOr<gpu::SharedAttr> readSharedLayout(Emitter &emitter, const Value &value) {
  const auto *object = value.getIf<frontend::HostObject>();
  if (!object || !object->host)
    return gpu::SharedAttr();
  FailureOr<Attribute> layout = readLayout(emitter, value);
  return failed(layout) ? FailureOr<gpu::SharedAttr>() : dyn_cast<gpu::SharedAttr>(*layout);
}

/// A buffer's map says which element lies at each offset. One with gaps has none.
static FailureOr<Value> toSharedLinearLayout(Emitter &emitter, const Value &given, gpu::SharedAttr layout,
                                             ArrayRef<int64_t> shape) {
  if (isa<gpu::PaddedSharedAttr>(layout))
    return emitter.error("ValueError") << "to_linear_layout takes no layout with gaps, got " << given.str();
  if (failed(layout.checkShape(shape, ruleErrors(emitter))))
    return failure();
  if (isa<gpu::SharedLinearAttr>(layout))
    return given;
  auto linear = gpu::SharedLinearAttr::get(emitter.context(), layout.toLinear(shape), layout.getAlignment());
  return makeLayoutObject(emitter, linear, shape);
}

static FailureOr<Value> toLinearLayout(Emitter &emitter, const BoundArguments &arguments) {
  layoutPolicy().loadDialects(*emitter.context()); // the host asks too, outside of any kernel
  FailureOr<std::vector<int64_t>> shape = readShapeOf(emitter, arguments[1]);
  FailureOr<gpu::SharedAttr> shared =
      failed(shape) ? FailureOr<gpu::SharedAttr>() : readSharedLayout(emitter, arguments[0]);
  if (failed(shared))
    return failure();
  if (*shared)
    return toSharedLinearLayout(emitter, arguments[0], *shared, *shape);
  FailureOr<Attribute> layout = readTensorLayout(emitter, arguments[0], *shape);
  if (failed(layout))
    return failure();
  auto distributed = dyn_cast<gpu::DistributedAttr>(*layout);
  if (!distributed || isa<gpu::LinearAttr>(*layout))
    return arguments[0];
  return makeLayoutObject(emitter, gpu::LinearAttr::get(emitter.context(), distributed.toLinear(*shape)), *shape);
}

namespace {
struct ReadType {
  Type element;
  std::vector<int64_t> shape, allocShape; // the latter of buffers
  Attribute layout;
};
} // namespace

/// A type that is an object of the host, of class `className`.
static FailureOr<ReadType> readTypeObject(Emitter &emitter, const Value &value, StringRef className, StringRef what) {
  const auto *object = value.getIf<HostObject>();
  if (!object || !object->host || object->host->className(*object) != className)
    return emitter.error("TypeError") << what << " must be a " << className << ", got " << value.str();
  auto field = [&](StringRef name) -> FailureOr<Value> {
    FailureOr<std::optional<Value>> found = valueAttribute(emitter, value, name);
    if (failed(found) || !*found)
      return failure();
    return **found;
  };
  FailureOr<Value> element = field("element_ty"), shape = field("shape"), layout = field("layout");
  FailureOr<Value> whole = className == "distributed_type" ? shape : field("alloc_shape");
  if (failed(element) || failed(shape) || failed(layout) || failed(whole))
    return failure();
  FailureOr<Type> type = frontend::readType(emitter, *element, "element_ty");
  FailureOr<std::vector<int64_t>> sizes = readIntegers(emitter, *shape, "shape"),
                                  wholeSizes = readIntegers(emitter, *whole, "alloc_shape");
  FailureOr<Attribute> attribute = readLayout(emitter, *layout);
  if (failed(type) || failed(sizes) || failed(wholeSizes) || failed(attribute))
    return failure();
  return ReadType{*type, *sizes, *wholeSizes, *attribute};
}

static FailureOr<Value> bankConflicts(Emitter &emitter, const BoundArguments &arguments) {
  layoutPolicy().loadDialects(*emitter.context()); // as above
  FailureOr<ReadType> tensor = readTypeObject(emitter, arguments[0], "distributed_type", "distr_ty");
  FailureOr<ReadType> buffer =
      failed(tensor) ? FailureOr<ReadType>()
                     : readTypeObject(emitter, arguments[1], "shared_memory_descriptor_type", "shared_ty");
  if (failed(buffer))
    return failure();
  auto distributed = dyn_cast<gpu::DistributedAttr>(tensor->layout);
  auto shared = dyn_cast<gpu::SharedAttr>(buffer->layout);
  if (!distributed || !shared)
    return emitter.error("TypeError") << "bank_conflicts needs layouts that are known, got " << arguments[0].str()
                                      << " and " << arguments[1].str();
  if (tensor->shape != buffer->shape)
    return emitter.error("ValueError") << "shapes must match, got [" << llvm::interleaved(tensor->shape) << "] and ["
                                       << llvm::interleaved(buffer->shape) << "]";
  if (!(tensor->element == buffer->element))
    return emitter.error("ValueError") << "element types must match, got " << tensor->element.str() << " and "
                                       << buffer->element.str();
  if (buffer->shape != buffer->allocShape)
    return emitter.error("ValueError") << "bank_conflicts is for whole buffers, got a part of ["
                                       << llvm::interleaved(buffer->allocShape) << "]";
  if (failed(distributed.checkShape(tensor->shape, ruleErrors(emitter))) ||
      failed(shared.checkShape(buffer->shape, ruleErrors(emitter))))
    return failure();
  std::optional<layout::LinearLayout> access =
      distributed.toLinear(tensor->shape).invertAndCompose(shared.toLinear(buffer->shape));
  if (!access)
    return emitter.error("ValueError") << "there is no way from " << arguments[0].str() << " to " << arguments[1].str();
  // Lanes that go together meet in a bank where what tells them apart lies above the banks alone.
  const unsigned bits = tensor->element.bitWidth(), vector = layout::vectorBitsOf(*access, bits);
  const unsigned offsetBits = llvm::Log2_64(access->outputSize("offset"));
  const unsigned banks = std::min(llvm::Log2_32(1024 / (bits << vector)), offsetBits - vector);
  std::vector<uint64_t> lanes = access->columns("lane"), above;
  for (unsigned bit = vector + banks; bit < offsetBits; ++bit)
    above.push_back(uint64_t(1) << bit);
  const unsigned turns = (bits << vector) > 32 ? llvm::Log2_32((bits << vector) / 32) : 0;
  lanes.resize(lanes.size() - std::min<size_t>(lanes.size(), turns));
  return Value::integer((int64_t(1) << layout::intersection(above, lanes).size()) - 1);
}

template <std::string (*picture)(const layout::LinearLayout &)>
static FailureOr<Value> formatLayout(Emitter &emitter, const BoundArguments &arguments) {
  layoutPolicy().loadDialects(*emitter.context()); // as above
  FailureOr<std::vector<int64_t>> shape = readShapeOf(emitter, arguments[1]);
  FailureOr<Attribute> layout = failed(shape) ? FailureOr<Attribute>() : readLayout(emitter, arguments[0]);
  if (failed(layout))
    return failure();
  auto known = dyn_cast<gpu::LayoutAttr>(*layout);
  const bool isInferred = !known, isPadded = isa<gpu::PaddedSharedAttr>(*layout);
  if (isInferred || isPadded)
    return emitter.error("ValueError") << StringRef(arguments[0].str()).split('(').first
                                       << " cannot be visualized: " << (isPadded ? "it has gaps" : "it is inferred");
  if (failed(known.checkShape(*shape, ruleErrors(emitter))))
    return failure();
  return Value::string(picture(known.toLinear(*shape)));
}

static FailureOr<Value> fp4ToFp(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> source = readBlock(emitter, arguments[0], "src");
  FailureOr<Type> element = failed(source) ? FailureOr<Type>() : readType(emitter, arguments[1], "elem_type");
  FailureOr<int64_t> axis = failed(element) ? FailureOr<int64_t>() : readInteger(emitter, arguments[2], "axis");
  if (failed(axis))
    return failure();
  const Type type = source->type();
  const int64_t rank = type.shape().size(), dim = *axis < 0 ? *axis + rank : *axis;
  if (!type.element().isInteger() || type.element().bitWidth() != 8)
    return emitter.error("TypeError") << "src holds two numbers in each int8 or uint8, got " << type.str();
  if (!(*element == Type::scalar(ScalarKind::Float16) || *element == Type::scalar(ScalarKind::BFloat16)))
    return emitter.error("TypeError") << "elem_type must be float16 or bfloat16, got " << element->str();
  FailureOr<RankedTensorType> result =
      gpu::inferFp4ToFp(irTypeOf(*source), element->toIr(emitter.context()), dim, ruleErrors(emitter));
  if (failed(result))
    return failure();
  return tensorOf(
      gpu::Fp4ToFpOp::create(emitter.builder(), emitter.location(), *result, irOf(*source), static_cast<uint32_t>(dim)),
      *element);
}

#define CORE "triton.experimental.gluon.language._core"

llvm::ArrayRef<Builtin> queryBuiltins() {
  static const Builtin table[] = {
      {CORE, "to_linear_layout", "(layout, shape)",
       "The map of a layout on a shape, as a DistributedLinearLayout, or as a SharedLinearLayout for a buffer's.",
       toLinearLayout},
      {CORE, "bank_conflicts", "(distr_ty, shared_ty)",
       "How many more turns than one an access by a warp takes, because lanes need different words of a bank.",
       bankConflicts},
      {CORE, "format_tensor_view", "(layout, shape)",
       "Rows of the elements of a tensor: who holds each, or, of a buffer, which lies at each place.",
       formatLayout<pictureOfTensor>},
      {CORE, "format_hardware_view", "(layout, shape)",
       "What each register of each lane of a warp, or each offset of a buffer, holds.",
       formatLayout<pictureOfHardware>},
      {CORE, "fp4_to_fp", "(src, elem_type, axis)",
       "The two e2m1 numbers of each byte, the low one first, side by side along `axis`, as float16 or bfloat16.",
       fp4ToFp},
  };
  return table;
}

} // namespace triton::gluon
