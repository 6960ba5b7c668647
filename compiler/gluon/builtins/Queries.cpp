// Questions about layouts, which the host may ask too, outside of any kernel; and what unpacks numbers along a dimension.
#include "compiler/frontend/Operations.h"
#include "compiler/frontend/builtins/Shape.h"
#include "compiler/gluon/builtins/Buffers.h"
#include "compiler/gluon/builtins/Families.h"
#include "compiler/layout/BitMatrix.h"
#include "compiler/layout/Conversion.h"

#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

namespace triton::gluon {

using namespace frontend;
using frontend::Type;
using frontend::Value;

static FailureOr<Value> toLinearLayout(Emitter &emitter, const BoundArguments &arguments) {
  layoutPolicy().loadDialects(*emitter.context()); // the host asks too, outside of any kernel
  FailureOr<std::vector<int64_t>> shape = readShapeOf(emitter, arguments[1]);
  FailureOr<Attribute> layout =
      failed(shape) ? FailureOr<Attribute>() : readTensorLayout(emitter, arguments[0], *shape);
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

/// The four bits from `shift` on, as float16. Its exponent and mantissa go where a float16 has them, and the difference of the biases is added;
/// what stands below is one half or nothing. Integers alone: a kernel may flush small numbers to zero.
static FailureOr<Value> unpackFp4(Emitter &emitter, const Value &bytes, int64_t shift) {
  auto apply = [&](BinaryOperation operation, const FailureOr<Value> &lhs, int64_t rhs) {
    return failed(lhs) ? lhs : binary(emitter, operation, *lhs, Value::integer(rhs), /*sanitizeOverflow=*/false);
  };
  using enum BinaryOperation;
  FailureOr<Value> number = apply(And, apply(RShift, bytes, shift), 7);
  FailureOr<Value> sign = apply(LShift, apply(And, apply(RShift, bytes, shift), 8), 12);
  FailureOr<Value> normal = apply(Add, apply(LShift, number, 9), 0x3800), half = apply(Mul, number, 0x3800);
  FailureOr<Value> isSmall = apply(Lt, number, 2);
  if (failed(sign) || failed(normal) || failed(half) || failed(isSmall))
    return failure();
  FailureOr<Value> chosen = emitter.call(Value(Value::Storage(findBuiltin("triton.language.core", "where"))),
                                         CallArguments{{*isSmall, *half, *normal}, {}});
  FailureOr<Value> word = failed(chosen) ? chosen : binary(emitter, Or, *chosen, *sign);
  if (failed(word))
    return failure();
  return frontend::cast(emitter, *word, Type::scalar(ScalarKind::Float16), std::nullopt, /*bitcast=*/true);
}

static FailureOr<Value> fp4ToFp(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> source = readBlock(emitter, arguments[0], "src");
  FailureOr<Type> element = failed(source) ? FailureOr<Type>() : readType(emitter, arguments[1], "elem_type");
  FailureOr<int64_t> axis = failed(element) ? FailureOr<int64_t>() : readInteger(emitter, arguments[2], "axis");
  if (failed(axis))
    return failure();
  const Type type = source->type();
  const int64_t rank = type.shape().size();
  if (!type.element().isInteger() || type.element().bitWidth() != 8)
    return emitter.error("TypeError") << "src holds two numbers in each int8 or uint8, got " << type.str();
  if (!(*element == Type::scalar(ScalarKind::Float16) || *element == Type::scalar(ScalarKind::BFloat16)))
    return emitter.error("TypeError") << "elem_type must be float16 or bfloat16, got " << element->str();
  if (*axis < -rank || *axis >= rank)
    return emitter.error("ValueError") << "axis " << *axis << " is none of " << type.str();
  const int64_t dim = *axis < 0 ? *axis + rank : *axis;
  FailureOr<Value> bytes = frontend::cast(emitter, *source, Type::scalar(ScalarKind::UInt16));
  FailureOr<Value> low = failed(bytes) ? bytes : unpackFp4(emitter, *bytes, 0);
  FailureOr<Value> high = failed(low) ? low : unpackFp4(emitter, *bytes, 4);
  if (failed(high))
    return failure();
  FailureOr<Value> pairs = emitter.call(Value(Value::Storage(findBuiltin("triton.language.core", "join"))),
                                        CallArguments{{*low, *high}, {}});
  if (failed(pairs))
    return failure();
  SmallVector<int32_t> order;
  for (int64_t each = 0; each < rank; ++each) {
    order.push_back(each);
    if (each == dim)
      order.push_back(rank);
  }
  SmallVector<int64_t> shape(type.shape());
  shape[dim] *= 2;
  FailureOr<Value> beside = permuteTo(emitter, *pairs, order);
  FailureOr<Value> numbers = failed(beside) ? beside : reshapeTo(emitter, *beside, shape);
  return failed(numbers) ? numbers : frontend::cast(emitter, *numbers, *element);
}

#define CORE "triton.experimental.gluon.language._core"

llvm::ArrayRef<Builtin> queryBuiltins() {
  static const Builtin table[] = {
      {CORE, "to_linear_layout", "(layout, shape)", "The map of a layout on a shape, as a DistributedLinearLayout.",
       toLinearLayout},
      {CORE, "bank_conflicts", "(distr_ty, shared_ty)",
       "How many more turns than one an access by a warp takes, because lanes need different words of a bank.",
       bankConflicts},
      {CORE, "fp4_to_fp", "(src, elem_type, axis)",
       "The two e2m1 numbers of each byte, the low one first, side by side along `axis`, as float16 or bfloat16.",
       fp4ToFp},
  };
  return table;
}

} // namespace triton::gluon
