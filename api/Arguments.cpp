#include "api/Arguments.h"

#include <optional>

namespace triton {

static bool isType(int32_t type) { return type >= TRITON_INT1 && type <= TRITON_FLOAT64; }

namespace {
/// What is wrong with an argument, as the end of a sentence. Every launch asks: nothing is allocated.
struct Problem {
  const char *text = nullptr; // null: nothing
  std::optional<int32_t> number = std::nullopt;
};
} // namespace

static Problem problemOf(const triton_descriptor *descriptor) {
  if (!descriptor)
    return {"is a descriptor that is NULL"};
  if (!isType(elementOf(*descriptor)))
    return {"has the unknown type", descriptor->type};
  if ((descriptor->rank && !descriptor->shape) || (descriptor->stride_count && !descriptor->strides) ||
      (descriptor->block_count && !descriptor->block))
    return {"is a descriptor with numbers that are NULL"};
  return {};
}

static Problem problemOf(const triton_argument &argument) {
  switch (argument.kind) {
  case TRITON_ARGUMENT_NONE:
  case TRITON_ARGUMENT_BOOLEAN:
  case TRITON_ARGUMENT_INTEGER:
  case TRITON_ARGUMENT_UNSIGNED:
  case TRITON_ARGUMENT_REAL:
    return {};
  case TRITON_ARGUMENT_STRING:
    return {argument.value.string ? nullptr : "is a string that is NULL"};
  case TRITON_ARGUMENT_TEXT: {
    const triton_text *text = argument.value.text;
    return {text && (text->data || !text->size) ? nullptr : "is a text that is NULL"};
  }
  case TRITON_ARGUMENT_TYPE:
    return isType(argument.type) ? Problem() : Problem{"has the unknown type", argument.type};
  case TRITON_ARGUMENT_POINTER:
    return isType(elementOf(argument)) ? Problem() : Problem{"has the unknown type", argument.type};
  case TRITON_ARGUMENT_DESCRIPTOR:
    return problemOf(argument.value.descriptor);
  default:
    return {"has the unknown kind", argument.kind};
  }
}

llvm::Error toError(const dispatch::Outcome &outcome) {
  return outcome ? failure(outcome->exception, outcome->message) : llvm::Error::success();
}

dispatch::Argument factsOf(const triton_argument &argument) {
  using dispatch::ArgumentKind;
  dispatch::Argument facts;
  switch (argument.kind) {
  case TRITON_ARGUMENT_NONE:
    facts.kind = ArgumentKind::None;
    break;
  case TRITON_ARGUMENT_BOOLEAN:
    facts.setBoolean(argument.value.integer != 0);
    break;
  case TRITON_ARGUMENT_INTEGER:
    facts.setInteger(argument.value.integer);
    break;
  case TRITON_ARGUMENT_UNSIGNED:
    facts.setNatural(argument.value.natural);
    break;
  case TRITON_ARGUMENT_REAL:
    facts.setReal(argument.value.real);
    break;
  case TRITON_ARGUMENT_POINTER:
    facts.setPointer(reinterpret_cast<uint64_t>(argument.value.pointer), scalarTypeOf(argument.type));
    facts.isReadOnly = argument.type & TRITON_READ_ONLY;
    break;
  case TRITON_ARGUMENT_DESCRIPTOR: {
    const triton_descriptor &descriptor = *argument.value.descriptor;
    facts.setPointer(reinterpret_cast<uint64_t>(descriptor.address), scalarTypeOf(descriptor.type));
    facts.kind = ArgumentKind::Descriptor;
    facts.isReadOnly = descriptor.type & TRITON_READ_ONLY;
    break;
  }
  default:
    facts.kind = ArgumentKind::Constexpr;
  }
  return facts;
}

llvm::Expected<Arguments> checkArguments(const triton_argument *arguments, size_t count) {
  if (count && !arguments)
    return failure("ValueError", "arguments is NULL, though there are " + std::to_string(count));
  for (size_t index = 0; index < count; ++index)
    if (Problem problem = problemOf(arguments[index]); problem.text)
      return failure("ValueError", "argument " + std::to_string(index) + " " + problem.text +
                                       (problem.number ? " " + std::to_string(*problem.number) : ""));
  return Arguments(arguments, count);
}

} // namespace triton
