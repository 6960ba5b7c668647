// Windows onto tensors in memory: block pointers and tensor descriptors.
#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/frontend/builtins/Families.h"
#include "compiler/frontend/builtins/Pointers.h"
#include "compiler/frontend/builtins/Shape.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/Tf32.h"
#include "compiler/tensor/rules/Rules.h"

using namespace mlir;
using triton::tensor::DescriptorReduceKind;
using triton::tensor::PaddingOption;

namespace triton::frontend {

// One scalar integer of any width.
static FailureOr<Value> toIntegerScalar(Emitter &emitter, const Value &value, llvm::StringRef what) {
  FailureOr<Value> scalar = toTensor(emitter, value);
  if (failed(scalar))
    return failure();
  if (scalar->type().isBlock() || !scalar->type().isInteger())
    return emitter.error("TypeError") << what << " must be scalar integers, got " << scalar->type().str();
  return scalar;
}

// One scalar integer of 64 bits.
static FailureOr<Value> toInt64Scalar(Emitter &emitter, const Value &value, llvm::StringRef what) {
  FailureOr<Value> scalar = toIntegerScalar(emitter, value, what);
  return failed(scalar) ? scalar : cast(emitter, *scalar, Type::int64());
}

// One scalar integer of 32 bits; wider ones are refused, not cut.
static FailureOr<Value> toInt32Scalar(Emitter &emitter, const Value &value, llvm::StringRef what) {
  FailureOr<Value> scalar = toIntegerScalar(emitter, value, what);
  if (failed(scalar))
    return failure();
  if (scalar->type().bitWidth() == 64)
    return emitter.error("AssertionError") << what << " must be of 32 bits, got " << scalar->type().str()
                                           << "; add a `.to(tl.int32)` or use pointers for 64-bit offsets";
  return cast(emitter, *scalar, Type::int32());
}

template <typename Convert>
static FailureOr<std::vector<Value>> readScalars(Emitter &emitter, const Value &sequence, llvm::StringRef what,
                                                 Convert convert) {
  FailureOr<std::vector<Value>> elements = readSequence(emitter, sequence, what);
  if (failed(elements))
    return failure();
  return mapValues(*elements, [&](const Value &value) { return convert(emitter, value, what); });
}

// Where a block pointer stands, or how far it moves: of 64 bits if one of the offsets or its distance is, else of 32, which the IR of most kernels has.
static FailureOr<std::vector<Value>> readOffsets(Emitter &emitter, const Value &sequence) {
  FailureOr<std::vector<Value>> offsets = readScalars(emitter, sequence, "offsets", toIntegerScalar);
  if (failed(offsets))
    return failure();
  const bool isWide = llvm::any_of(*offsets, [](const Value &offset) {
    return offset.type().bitWidth() > 32 || (offset.type().bitWidth() == 32 && !offset.type().isSigned());
  });
  return mapValues(*offsets,
                   [&](const Value &offset) { return cast(emitter, offset, isWide ? Type::int64() : Type::int32()); });
}

static SmallVector<mlir::Value> irOfAll(ArrayRef<Value> values) { return llvm::map_to_vector(values, irOf); }

static FailureOr<std::vector<int32_t>> readWords(Emitter &emitter, const Value &value, llvm::StringRef what) {
  FailureOr<std::vector<int64_t>> numbers = readIntegers(emitter, value, what);
  if (failed(numbers))
    return failure();
  for (int64_t number : *numbers)
    if (!llvm::isInt<32>(number))
      return emitter.error("ValueError") << what << " " << number << " does not fit 32 bits";
  return std::vector<int32_t>(numbers->begin(), numbers->end());
}

static FailureOr<Value> readBase(Emitter &emitter, const Value &value, llvm::StringRef function) {
  FailureOr<Value> base = readTensor(emitter, value, "base");
  if (failed(base))
    return failure();
  if (!base->type().isPointer() || base->type().pointee().isBlock())
    return emitter.error("ValueError") << "expected `base` of " << function
                                       << " to be a pointer type (but not a block pointer type or others), got "
                                       << base->type().str();
  return base;
}

static FailureOr<Value> makeBlockPtr(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> base = readBase(emitter, arguments[0], "make_block_ptr");
  if (failed(base))
    return failure();
  FailureOr<std::vector<Value>> shape = readScalars(emitter, arguments[1], "shape", toInt64Scalar);
  FailureOr<std::vector<Value>> strides =
      failed(shape) ? shape : readScalars(emitter, arguments[2], "strides", toInt64Scalar);
  FailureOr<std::vector<Value>> offsets = failed(strides) ? strides : readOffsets(emitter, arguments[3]);
  FailureOr<std::vector<int32_t>> blockShape =
      failed(offsets) ? FailureOr<std::vector<int32_t>>() : readWords(emitter, arguments[4], "block_shape");
  FailureOr<std::vector<int32_t>> order = failed(blockShape) ? blockShape : readWords(emitter, arguments[5], "order");
  if (failed(order))
    return failure();
  const tensor::WindowRanks ranks{static_cast<int64_t>(shape->size()), static_cast<int64_t>(strides->size()),
                                  static_cast<int64_t>(offsets->size())};
  if (failed(tensor::inferMakeTensorPtr(irOf(*base).getType(), ranks, *blockShape, *order, ruleErrors(emitter))))
    return failure();
  auto op = tensor::MakeTensorPtrOp::create(emitter.builder(), emitter.location(), irOf(*base), irOfAll(*shape),
                                            irOfAll(*strides), irOfAll(*offsets), *blockShape, *order);
  const Type pointer = base->type();
  const bool keepsBool = emitter.options().version.has(LanguageRule::BoolBlocks);
  const Type block = Type::block(keepsBool ? pointer.pointee() : memoryForm(pointer.pointee()),
                                 SmallVector<int64_t>(blockShape->begin(), blockShape->end()));
  return Value::tensor(op, Type::pointer(block, pointer.isConstPointer(), pointer.addressSpace()));
}

static FailureOr<Value> advance(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> pointer = readTensor(emitter, arguments[0], "base of advance");
  FailureOr<std::vector<Value>> offsets =
      failed(pointer) ? FailureOr<std::vector<Value>>() : readOffsets(emitter, arguments[1]);
  if (failed(offsets) || failed(tensor::checkAdvance(irOf(*pointer).getType(), offsets->size(), ruleErrors(emitter))))
    return failure();
  auto op = tensor::AdvanceOp::create(emitter.builder(), emitter.location(), irOf(*pointer).getType(), irOf(*pointer),
                                      irOfAll(*offsets));
  return Value::tensor(op, pointer->type());
}

static FailureOr<Value> toInt32Size(Emitter &emitter, const Value &value, llvm::StringRef what) {
  FailureOr<Value> size = toInt64Scalar(emitter, value, what);
  return failed(size) ? size : cast(emitter, *size, Type::int32());
}

template <bool roundsToTf32>
static FailureOr<Value> makeTensorDescriptor(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> base = readBase(emitter, arguments[0], "make_tensor_descriptor");
  if (failed(base))
    return failure();
  FailureOr<std::vector<Value>> givenStrides = readSequence(emitter, arguments[2], "strides");
  FailureOr<std::vector<Value>> shape =
      failed(givenStrides) ? givenStrides : readScalars(emitter, arguments[1], "shape", toInt32Size);
  FailureOr<std::vector<Value>> strides =
      failed(shape) ? shape : readScalars(emitter, arguments[2], "strides", toInt64Scalar);
  FailureOr<std::vector<int32_t>> blockShape =
      failed(strides) ? FailureOr<std::vector<int32_t>>() : readWords(emitter, arguments[3], "block_shape");
  FailureOr<std::optional<PaddingOption>> padding =
      failed(blockShape) ? FailureOr<std::optional<PaddingOption>>() : readPadding(emitter, arguments[4]);
  if (failed(padding))
    return failure();
  const Type element = memoryForm(base->type().pointee());
  const PaddingOption fill = padding->value_or(PaddingOption::Zero);
  if (failed(tensor::inferMakeTensorDesc(irOf(*base).getType(), shape->size(), strides->size(), *blockShape,
                                         element.isSigned(), fill, ruleErrors(emitter))))
    return failure();
  const Value &last = givenStrides->back();
  if (!asInteger(last) || *asInteger(last) != 1)
    return emitter.error("ValueError") << "tensor descriptor last dim stride must be the compile-time constant 1, got "
                                       << (last.isTensor() ? "a run-time value" : last.str());
  if (emitter.options().version.has(LanguageRule::CheckedStrides))
    for (const Value &stride : llvm::ArrayRef(*givenStrides).drop_back()) {
      std::optional<Integer> known = asInteger(stride);
      if (known && *known * Integer(element.bitWidth() / 8) % Integer(16) != Integer(0))
        return emitter.error("ValueError") << "strides of a tensor descriptor must be multiples of 16 bytes, got "
                                           << stride.str() << " elements of " << element.str();
    }
  auto op = tensor::MakeTensorDescOp::create(emitter.builder(), emitter.location(), irOf(*base), irOfAll(*shape),
                                             irOfAll(*strides), *blockShape, element.isSigned(), fill);
  if (roundsToTf32)
    op->setAttr(tensor::roundsToTf32Name, emitter.builder().getUnitAttr());
  const Type block = Type::block(element, SmallVector<int64_t>(blockShape->begin(), blockShape->end()));
  const Type type = Type::descriptor(block, std::vector<Type>(shape->size(), Type::int32()),
                                     std::vector<Type>(strides->size(), Type::int64()));
  return Value(std::make_shared<const DescriptorValue>(DescriptorValue{op, type, *shape, *strides}));
}

static FailureOr<const DescriptorValue *> readDescriptor(Emitter &emitter, const Value &value) {
  if (const DescriptorValue *descriptor = value.descriptor())
    return descriptor;
  return emitter.error("TypeError") << "expected a tensor descriptor, got "
                                    << (value.isTensor() ? value.type().str() : value.repr());
}

static tensor::TensorDescType irTypeOf(const DescriptorValue &descriptor) {
  return cast<tensor::TensorDescType>(descriptor.ir.getType());
}

static FailureOr<Value> descriptorLoad(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<const DescriptorValue *> descriptor = readDescriptor(emitter, arguments[0]);
  FailureOr<std::vector<Value>> offsets = failed(descriptor)
                                              ? FailureOr<std::vector<Value>>()
                                              : readScalars(emitter, arguments[1], "offsets", toInt32Scalar);
  if (failed(offsets) ||
      failed(tensor::inferDescriptorLoad(irTypeOf(**descriptor), offsets->size(), ruleErrors(emitter))))
    return failure();
  auto op =
      tensor::DescriptorLoadOp::create(emitter.builder(), emitter.location(), (*descriptor)->ir, irOfAll(*offsets));
  return Value::tensor(op, (*descriptor)->type.descriptorBlock());
}

static FailureOr<Value> descriptorStore(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<const DescriptorValue *> descriptor = readDescriptor(emitter, arguments[0]);
  FailureOr<std::vector<Value>> offsets = failed(descriptor)
                                              ? FailureOr<std::vector<Value>>()
                                              : readScalars(emitter, arguments[1], "offsets", toInt32Scalar);
  if (failed(offsets))
    return failure();
  FailureOr<Value> value = cast(emitter, arguments[2], (*descriptor)->type.descriptorBlock().element());
  if (failed(value) || failed(tensor::checkDescriptorStore(irTypeOf(**descriptor), irOf(*value).getType(),
                                                           offsets->size(), ruleErrors(emitter))))
    return failure();
  tensor::DescriptorStoreOp::create(emitter.builder(), emitter.location(), (*descriptor)->ir, irOf(*value),
                                    irOfAll(*offsets));
  return Value::none();
}

template <DescriptorReduceKind kind>
static FailureOr<Value> descriptorUpdate(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<const DescriptorValue *> descriptor = readDescriptor(emitter, arguments[0]);
  FailureOr<std::vector<Value>> offsets = failed(descriptor)
                                              ? FailureOr<std::vector<Value>>()
                                              : readScalars(emitter, arguments[1], "offsets", toInt32Scalar);
  FailureOr<Value> value = failed(offsets) ? FailureOr<Value>() : toTensor(emitter, arguments[2]);
  if (failed(value) || failed(tensor::checkDescriptorReduce(kind, irTypeOf(**descriptor), irOf(*value).getType(),
                                                            offsets->size(), ruleErrors(emitter))))
    return failure();
  tensor::DescriptorReduceOp::create(emitter.builder(), emitter.location(), kind, (*descriptor)->ir, irOf(*value),
                                     irOfAll(*offsets));
  return Value::none();
}

static FailureOr<Value> readRows(Emitter &emitter, const Value &value) {
  FailureOr<Value> rows = readBlock(emitter, value, "x_offsets");
  if (failed(rows))
    return failure();
  if (!rows->type().isInteger())
    return emitter.error("TypeError") << "x_offsets must be integers, got " << rows->type().str();
  if (rows->type().bitWidth() > 32)
    return emitter.error("ValueError") << "x_offsets must be int16 or int32, got " << rows->type().str();
  return cast(emitter, *rows, Type::int32());
}

static FailureOr<Value> descriptorGather(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<const DescriptorValue *> descriptor = readDescriptor(emitter, arguments[0]);
  FailureOr<Value> rows = failed(descriptor) ? FailureOr<Value>() : readRows(emitter, arguments[1]);
  FailureOr<Value> column = failed(rows) ? rows : toInt32Scalar(emitter, arguments[2], "y_offset");
  if (failed(column) ||
      failed(tensor::inferDescriptorGather(irTypeOf(**descriptor), irOf(*rows).getType(), ruleErrors(emitter))))
    return failure();
  auto op = tensor::DescriptorGatherOp::create(emitter.builder(), emitter.location(), (*descriptor)->ir, irOf(*rows),
                                               irOf(*column));
  return tensorOf(op, (*descriptor)->type.descriptorBlock().element());
}

static FailureOr<Value> descriptorScatter(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<const DescriptorValue *> descriptor = readDescriptor(emitter, arguments[0]);
  if (failed(descriptor))
    return failure();
  FailureOr<Value> value = cast(emitter, arguments[1], (*descriptor)->type.descriptorBlock().element());
  FailureOr<Value> rows = failed(value) ? value : readRows(emitter, arguments[2]);
  FailureOr<Value> column = failed(rows) ? rows : toInt32Scalar(emitter, arguments[3], "y_offset");
  if (failed(column) || failed(tensor::checkDescriptorScatter(irTypeOf(**descriptor), irOf(*rows).getType(),
                                                              irOf(*value).getType(), ruleErrors(emitter))))
    return failure();
  tensor::DescriptorScatterOp::create(emitter.builder(), emitter.location(), (*descriptor)->ir, irOf(*rows),
                                      irOf(*column), irOf(*value));
  return Value::none();
}

#define TRITON_DESCRIPTOR_ATOMIC(Name, Kind)                                                                           \
  {"triton.language.tensor_descriptor", "atomic_" Name, "(self, offsets, value)",                                      \
   "Atomically updates the block at `offsets` by `" Name                                                               \
   "` with `value`, which has the descriptor's dtype. Gives nothing.",                                                 \
   descriptorUpdate<DescriptorReduceKind::Kind>}

llvm::ArrayRef<Builtin> descriptorBuiltins() {
  static const Builtin table[] = {
      {"triton.language.core", "make_block_ptr", "(base, shape, strides, offsets, block_shape, order)",
       "A block pointer: a window of `block_shape` onto a tensor in memory.\n\n"
       "`base` points to the tensor's first element; `shape` and `strides` (in elements) describe it, `offsets` "
       "is where the window stands, and `order` "
       "names the dimensions from the fastest to the slowest.",
       makeBlockPtr},
      {"triton.language.core", "advance", "(base, offsets)",
       "The block pointer moved by `offsets`, one per dimension. `base` itself does not move.", advance, true, true},
      {"triton.language.core", "make_tensor_descriptor", "(base, shape, strides, block_shape, padding_option=\"zero\")",
       "Describes a tensor in memory of 1 to 5 dimensions, to be read and written in blocks of `block_shape`.\n\n"
       "The last stride is the constant 1 and a row of a block has at least 16 bytes. Reads outside of the tensor give "
       "zeros, or NaN with "
       "`padding_option=\"nan\"`.",
       makeTensorDescriptor</*roundsToTf32=*/false>},
      {"triton.language.core", "_make_rounding_descriptor",
       "(base, shape, strides, block_shape, padding_option=\"zero\")",
       "A descriptor whose loads of float32 round to TF32: what interpreter mode makes of a host's.",
       makeTensorDescriptor</*roundsToTf32=*/true>},
      {"triton.language.core", "load_tensor_descriptor", "(desc, offsets)", "The same as `desc.load(offsets)`.",
       descriptorLoad},
      {"triton.language.core", "store_tensor_descriptor", "(desc, offsets, value)",
       "The same as `desc.store(offsets, value)`.", descriptorStore},
      {"triton.language.tensor_descriptor", "load", "(self, offsets)",
       "The block at `offsets`, one int32 per dimension.", descriptorLoad},
      {"triton.language.tensor_descriptor", "store", "(self, offsets, value)",
       "Writes the block `value`, converted to the descriptor's dtype, at `offsets`. Elements outside of the tensor "
       "are dropped.",
       descriptorStore},
      TRITON_DESCRIPTOR_ATOMIC("add", Add),
      TRITON_DESCRIPTOR_ATOMIC("min", Min),
      TRITON_DESCRIPTOR_ATOMIC("max", Max),
      TRITON_DESCRIPTOR_ATOMIC("and", And),
      TRITON_DESCRIPTOR_ATOMIC("or", Or),
      TRITON_DESCRIPTOR_ATOMIC("xor", Xor),
      {"triton.language.tensor_descriptor", "gather", "(self, x_offsets, y_offset)",
       "The rows numbered by the 1-D block `x_offsets`, from column `y_offset` on; the descriptor's blocks are single "
       "rows.",
       descriptorGather},
      {"triton.language.tensor_descriptor", "scatter", "(self, value, x_offsets, y_offset)",
       "Writes the rows of `value` to the rows numbered by `x_offsets`, from column `y_offset` on.", descriptorScatter},
  };
  return table;
}

#undef TRITON_DESCRIPTOR_ATOMIC

} // namespace triton::frontend
