// Tensors out of nothing: arange, full.
#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/frontend/builtins/Families.h"
#include "compiler/frontend/builtins/Fill.h"
#include "compiler/frontend/values/Casting.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/rules/Rules.h"

using namespace mlir;

namespace triton::frontend {

static FailureOr<Value> arange(Emitter &emitter, const BoundArguments &arguments) {
  for (unsigned index : {0u, 1u})
    if (!asInteger(arguments[index]))
      return emitter.error("ValueError") << "arange's arguments must be of type tl.constexpr, got "
                                         << arguments[index].str() << " as its " << (index ? "end" : "start");
  FailureOr<int64_t> start = readInteger(emitter, arguments[0], "start"),
                     end = readInteger(emitter, arguments[1], "end");
  if (failed(start) || failed(end))
    return failure();
  FailureOr<RankedTensorType> type = tensor::inferRange(emitter.context(), *start, *end, ruleErrors(emitter));
  if (failed(type))
    return failure();
  auto range = tensor::MakeRangeOp::create(emitter.builder(), emitter.location(), static_cast<int32_t>(*start),
                                           static_cast<int32_t>(*end));
  return Value::tensor(range, Type::block(Type::int32(), type->getShape()));
}

FailureOr<Value> fillBlock(Emitter &emitter, const Value &value, const Type &dtype, ArrayRef<int64_t> shape,
                           Attribute layout) {
  if (value.isNumber()) {
    if (dtype.isPointerLike() || !dtype.isScalar() || dtype == Type::voidType())
      return emitter.error("TypeError") << "cannot fill a block of " << dtype.str() << " with " << value.str();
    if (failed(checkTypeSupported(emitter, dtype)))
      return failure();
    return constantOf(emitter, value, shape.empty() ? dtype : Type::block(dtype, shape, layout));
  }
  if (!value.isTensor() || value.type().isBlock())
    return emitter.error("ValueError") << "value of full must be a number or a scalar tensor, got " << value.str();
  FailureOr<Value> converted = cast(emitter, value, dtype);
  if (failed(converted) || shape.empty())
    return converted;
  return broadcastTo(emitter, *converted, shape, layout);
}

static FailureOr<Value> full(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::vector<Value>> sizes = readSequence(emitter, arguments[0], "shape");
  if (failed(sizes))
    return failure();
  FailureOr<std::vector<int64_t>> shape = readShape(emitter, *sizes);
  if (failed(shape))
    return failure();
  if (arguments[2].isNone())
    return emitter.error("ValueError") << "dtype must be specified when value is not a tensor";
  FailureOr<Type> dtype = readType(emitter, arguments[2], "dtype");
  if (failed(dtype))
    return failure();
  return fillBlock(emitter, arguments[1], *dtype, *shape);
}

llvm::ArrayRef<Builtin> creationBuiltins() {
  static const Builtin table[] = {
      {"triton.language.core", "arange", "(start, end)",
       "A block of the int32 values from `start` to `end` - 1.\n\n"
       "Both bounds are compile-time integers and `end - start` is a power of two. `start` need not be 0.",
       arange},
      {"triton.language.core", "full", "(shape, value, dtype)",
       "A block of the given shape, every element being `value` converted to `dtype`.\n\n"
       "`value` is a number or a scalar tensor. An empty shape gives a scalar.",
       full},
  };
  return table;
}

} // namespace triton::frontend
