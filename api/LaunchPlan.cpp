#include "api/LaunchPlan.h"

namespace triton {

template <typename T> static void appendBytes(LaunchKey &key, const T &value) {
  key.append(llvm::StringRef(reinterpret_cast<const char *>(&value), sizeof(value)));
}
static void appendText(LaunchKey &key, const std::string &text) {
  appendBytes(key, uint32_t(text.size()));
  key.append(text);
}

/// What specialisation may look at in an integer that is no constant of the kernel.
template <typename T> static char integerFacts(T value) {
  bool fits = value <= T(INT32_MAX) && (std::is_unsigned_v<T> || int64_t(value) >= INT32_MIN);
  return char((value == 1) | (value % 16 == 0) << 1 | fits << 2);
}

static void appendArgument(const Argument &argument, bool isConstant, LaunchKey &key) {
  key.push_back(char(argument.content.index()));
  if (auto *value = std::get_if<bool>(&argument.content))
    key.push_back(*value);
  else if (auto *value = std::get_if<int64_t>(&argument.content))
    isConstant ? appendBytes(key, *value) : key.push_back(integerFacts(*value));
  else if (auto *value = std::get_if<uint64_t>(&argument.content))
    isConstant ? appendBytes(key, *value) : key.push_back(integerFacts(*value));
  else if (auto *value = std::get_if<double>(&argument.content))
    isConstant ? appendBytes(key, *value) : void();
  else if (auto *value = std::get_if<std::string>(&argument.content))
    appendText(key, *value);
  else if (auto *value = std::get_if<DataType>(&argument.content))
    key.push_back(char(*value));
  else if (auto *value = std::get_if<Argument::Pointer>(&argument.content)) {
    key.push_back(char(value->element));
    key.push_back(char(value->isConst | (reinterpret_cast<uintptr_t>(value->address) % 16 == 0) << 1));
  } else if (auto *value = std::get_if<Argument::Descriptor>(&argument.content)) {
    key.push_back(char(value->base.element));
    appendBytes(key, uint32_t(value->block.size()));
    for (int64_t size : value->block)
      appendBytes(key, size);
  }
}

void appendLaunchKey(const std::vector<Argument> &arguments, const Options &options,
                     const std::vector<bool> &isConstexpr, LaunchKey &key) {
  appendText(key, options.target);
  appendText(key, options.architecture);
  appendText(key, options.cacheDirectory);
  appendText(key, options.cacheSecretFile);
  for (int number : {options.numWarps, options.numStages, options.numCtas, options.device, options.maxRegisters})
    appendBytes(key, number);
  key.push_back(char(options.debug | options.enableFpFusion << 1 | options.keepAssembly << 2 |
                     options.launchProgrammatic << 3 | options.overlapLaunches << 4 | options.checkAccesses << 5));
  size_t position = 0;
  for (const Argument &argument : arguments) {
    bool isNamed = !argument.name.empty();
    appendText(key, argument.name);
    // Which parameter a name belongs to is not looked up: the value counts, as if it were a constant.
    appendArgument(argument, isNamed || position >= isConstexpr.size() || isConstexpr[position], key);
    position += !isNamed;
  }
}

} // namespace triton
