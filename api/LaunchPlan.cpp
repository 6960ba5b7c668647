#include "api/LaunchPlan.h"

#include "api/CallOptions.h"

namespace triton {

template <typename T> static void appendBytes(LaunchKey &key, const T &value) {
  key.append(llvm::StringRef(reinterpret_cast<const char *>(&value), sizeof(value)));
}
static void appendText(LaunchKey &key, llvm::StringRef text) {
  appendBytes(key, uint32_t(text.size()));
  key.append(text);
}

/// What specialisation may look at in an integer that is no constant of the kernel.
template <typename T> static char integerFacts(T value) {
  bool fits = value <= T(INT32_MAX) && (std::is_unsigned_v<T> || int64_t(value) >= INT32_MIN);
  return char((value == 1) | (value % 16 == 0) << 1 | fits << 2);
}

static void appendArgument(const triton_argument &argument, bool isConstant, LaunchKey &key) {
  key.push_back(char(argument.kind));
  switch (argument.kind) {
  case TRITON_ARGUMENT_BOOLEAN:
    key.push_back(argument.value.integer != 0);
    break;
  case TRITON_ARGUMENT_INTEGER:
    isConstant ? appendBytes(key, argument.value.integer) : key.push_back(integerFacts(argument.value.integer));
    break;
  case TRITON_ARGUMENT_UNSIGNED:
    isConstant ? appendBytes(key, argument.value.natural) : key.push_back(integerFacts(argument.value.natural));
    break;
  case TRITON_ARGUMENT_REAL:
    if (isConstant)
      appendBytes(key, argument.value.real);
    break;
  case TRITON_ARGUMENT_STRING:
  case TRITON_ARGUMENT_TEXT:
    appendText(key, textOf(argument));
    break;
  case TRITON_ARGUMENT_TYPE:
    key.push_back(char(argument.type));
    break;
  case TRITON_ARGUMENT_POINTER:
    key.push_back(char(elementOf(argument)));
    key.push_back(char(isConst(argument) | (reinterpret_cast<uintptr_t>(argument.value.pointer) % 16 == 0) << 1));
    break;
  case TRITON_ARGUMENT_DESCRIPTOR: {
    const triton_descriptor &descriptor = *argument.value.descriptor;
    key.push_back(char(elementOf(descriptor)));
    appendBytes(key, uint32_t(descriptor.block_count));
    for (int64_t size : blockOf(descriptor))
      appendBytes(key, size);
    break;
  }
  default:
    break;
  }
}

void appendLaunchKey(Arguments arguments, const triton_options &options, const std::vector<bool> &isConstexpr,
                     LaunchKey &key) {
  appendKey(options, key);
  size_t position = 0;
  for (const triton_argument &argument : arguments) {
    llvm::StringRef name = nameOf(argument);
    key.push_back(!name.empty());
    if (!name.empty())
      appendText(key, name);
    // Which parameter a name belongs to is not looked up: the value counts, as if it were a constant.
    appendArgument(argument, !name.empty() || position >= isConstexpr.size() || isConstexpr[position], key);
    position += name.empty();
  }
}

} // namespace triton
