// What can be asked of a compiled kernel.
#include "api/CompiledState.h"

using namespace triton;

std::string_view CompiledKernel::name() const { return state->artifact->name; }

std::vector<std::string> CompiledKernel::stages() const {
  std::vector<std::string> names;
  for (const auto &stage : state->artifact->stages)
    if (!stage.content.empty())
      names.push_back(stage.name);
  return names;
}

std::string_view CompiledKernel::stage(std::string_view name) const {
  const std::string *content = state->artifact->stage(llvm::StringRef(name.data(), name.size()));
  return content ? std::string_view(*content) : std::string_view();
}

std::vector<std::pair<std::string, double>> CompiledKernel::timings() const {
  std::vector<std::pair<std::string, double>> result;
  for (const auto &stage : state->artifact->stages)
    result.emplace_back(stage.name, stage.microseconds / 1000);
  return result;
}

std::vector<std::pair<std::string, std::string>> CompiledKernel::arguments() const {
  std::vector<std::pair<std::string, std::string>> result;
  for (const auto &argument : state->artifact->arguments)
    result.emplace_back(argument.name, argument.type);
  return result;
}
