#include "dispatch/Specialization.h"

namespace triton::dispatch {

std::string typeOf(const Argument &argument) {
  std::string type(argument.type == noScalarType ? "" : signatureOf(argument.type));
  return argument.kind == ArgumentKind::Pointer ? "*" + type : type;
}

std::string descriptorType(ScalarType element, std::span<const int64_t> block) {
  std::string text = "tensordesc<" + std::string(signatureOf(element)) + "[";
  for (size_t index = 0; index < block.size(); ++index)
    text += (index ? ", " : "") + std::to_string(block[index]);
  return text + "]>";
}

/// Of a number that has no hints: they say nothing of what is computed with it.
static bool isPlainNumber(std::string_view type) {
  return type == "u1" || type.starts_with("fp") || type.starts_with("bf");
}

Specialization specialize(const Parameter &parameter, const Argument &argument, std::string_view type) {
  Specialization result;
  const bool isAnnotated = !parameter.type.empty();
  result.isConstant =
      parameter.isConstexpr || argument.kind == ArgumentKind::Constexpr || argument.kind == ArgumentKind::Callable ||
      (!isAnnotated && (argument.kind == ArgumentKind::None || (argument.isOne() && parameter.specializesValue)));
  if (result.isConstant)
    return result;
  result.type = isAnnotated ? parameter.type : type;
  const bool isPointer = argument.kind == ArgumentKind::Pointer;
  if (parameter.isConst && result.type.starts_with("*") && !result.type.starts_with("*k"))
    result.type.insert(1, "k");
  result.looksAtValue = parameter.specializesValue && (isPointer || argument.kind == ArgumentKind::Integer) &&
                        !isPlainNumber(result.type);
  result.isDivisible = result.looksAtValue && parameter.specializesAlignment && argument.isDivisibleBy16();
  result.isSmall = result.looksAtValue && isPointer && argument.isSmall;
  return result;
}

} // namespace triton::dispatch
