#include "api/LaunchPlan.h"

#include "api/CallOptions.h"
#include "api/DescriptorArgument.h"
#include "dispatch/Specialization.h"
#include "runtime/cuda/TensorMap.h"

namespace triton {

llvm::Expected<std::unique_ptr<dispatch::ArgumentLayout>> planLayout(const artifact::Artifact &artifact,
                                                                     llvm::ArrayRef<std::string> types) {
  std::vector<dispatch::CodeArgument> code;
  for (const artifact::Argument &argument : artifact.arguments)
    code.push_back({argument.name, argument.type, argument.offset, argument.isStored});
  std::vector<std::optional<dispatch::TensorMapFormat>> maps;
  for (const artifact::TensorMap &map : artifact.tensorMaps) {
    auto &format = maps.emplace_back();
    if (!map.box.empty())
      format = {.swizzle = map.swizzle,
                .elementBytes = map.elementBytes,
                .elementType = runtime::cuda::driverElementType(map.elementType),
                .box = {map.box.begin(), map.box.end()}};
  }
  dispatch::ArgumentLayoutBuilder builder(code, maps);
  for (auto [index, type] : llvm::enumerate(types))
    if (dispatch::Outcome problem = builder.add({{uint16_t(index)}}, type))
      return toError(problem);
  if (dispatch::Outcome problem = builder.finish())
    return toError(problem);
  return builder.take();
}

/// One argument that is not as usual.
static llvm::Error packSlot(const triton_argument &argument, const dispatch::Argument &facts,
                            const dispatch::ArgumentSlot &slot, std::byte *block) {
  using Kind = dispatch::ArgumentSlot::Kind;
  using dispatch::ArgumentKind, dispatch::PackFault;
  if (facts.kind == ArgumentKind::Descriptor && slot.kind == Kind::Descriptor)
    return packDescriptor(argument, slot.descriptor, block);
  if (slot.kind == Kind::Pointer && (facts.kind == ArgumentKind::Integer || facts.kind == ArgumentKind::None)) {
    std::memcpy(block + slot.offset, &facts.bits, sizeof(facts.bits));
    return llvm::Error::success();
  }
  if (slot.kind != Kind::Scalar)
    return failure("TypeError", "argument '" + slot.name + "' must be a pointer, not " + dispatch::typeOf(facts));
  const PackFault fault = dispatch::packScalar(slot.type, facts, block + slot.offset);
  if (fault == PackFault::None)
    return llvm::Error::success();
  const bool isNatural = facts.type == dispatch::ScalarType::UInt64;
  std::string shown = fault != PackFault::DoesNotFit ? dispatch::typeOf(facts)
                      : isNatural                    ? std::to_string(facts.bits)
                                                     : std::to_string(int64_t(facts.bits));
  return toError(dispatch::problemOf(fault, slot.type, shown + " for '" + slot.name + "'"));
}

llvm::Error LaunchPlan::pack(Arguments arguments, std::byte *block) const {
  for (auto [plain, slot] : llvm::zip_equal(layout->plain, layout->slots)) {
    auto [place, defaultArgument] = sources[plain.parameter];
    const triton_argument &argument = defaultArgument ? *defaultArgument : arguments[place];
    const dispatch::Argument facts = factsOf(argument);
    if (facts.isReadOnly && slot.isStored)
      return failure("ValueError", "argument '" + slot.name + "' points to const, and the kernel stores to it");
    if (!plain.pack(facts, facts.memory, block))
      if (llvm::Error error = packSlot(argument, facts, slot, block))
        return error;
  }
  return llvm::Error::success();
}

template <typename T> static void appendBytes(LaunchKey &key, const T &value) {
  key.append(llvm::StringRef(reinterpret_cast<const char *>(&value), sizeof(value)));
}
static void appendText(LaunchKey &key, llvm::StringRef text) {
  appendBytes(key, uint32_t(text.size()));
  key.append(text);
}

/// `mask`: what counts of the argument's tag; `isConstant`: its value counts too.
static void appendArgument(const triton_argument &argument, const dispatch::Argument &facts, uint64_t mask,
                           bool isConstant, LaunchKey &key) {
  key.push_back(char(argument.kind));
  appendBytes(key, dispatch::tagOf(facts) & mask);
  if (isText(argument))
    appendText(key, textOf(argument));
  else if (argument.kind == TRITON_ARGUMENT_POINTER || argument.kind == TRITON_ARGUMENT_TYPE)
    appendBytes(key, argument.type); // whether it points to const counts too
  else if (argument.kind == TRITON_ARGUMENT_DESCRIPTOR) {
    const triton_descriptor &descriptor = *argument.value.descriptor;
    appendBytes(key, descriptor.type);
    appendBytes(key, uint32_t(descriptor.block_count));
    for (int64_t size : blockOf(descriptor))
      appendBytes(key, size);
  } else if (isConstant)
    appendBytes(key, facts.bits);
}

void appendLaunchKey(Arguments arguments, const triton_options &options, const frontend::Function &function,
                     LaunchKey &key) {
  appendKey(options, key);
  size_t position = 0;
  for (const triton_argument &argument : arguments) {
    llvm::StringRef name = nameOf(argument);
    key.push_back(!name.empty());
    if (!name.empty())
      appendText(key, name);
    // Which parameter a name belongs to is not looked up: the value counts, as if it were a constant.
    const dispatch::Parameter *parameter =
        name.empty() && position < function.parameters.size() ? &function.parameters[position] : nullptr;
    appendArgument(argument, factsOf(argument),
                   parameter ? dispatch::tagMask(parameter->specializesValue, parameter->specializesAlignment)
                             : ~uint64_t(0),
                   !parameter || parameter->isConstexpr, key);
    position += name.empty();
  }
}

} // namespace triton
