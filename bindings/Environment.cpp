#include "bindings/Submodules.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdlib>

namespace nb = nanobind;

namespace triton::python {

/// What these are set to is part of every key: they change what a compile gives.
static constexpr const char *invalidating[] = {
    "ALLOW_LHS_TMEM_LAYOUT_CONVERSION",
    "AMDGCN_ENABLE_DUMP",
    "AMDGCN_USE_BUFFER_ATOMICS",
    "AMDGCN_USE_BUFFER_OPS",
    "DISABLE_LLVM_OPT",
    "DISABLE_MMA_V3",
    "DISABLE_MMA_V5",
    "DISABLE_PTXAS_OPT",
    "LLVM_ENABLE_TIMING",
    "LLVM_EXTRACT_DI_LOCAL_VARIABLES",
    "LLVM_IR_ENABLE_DUMP",
    "LLVM_PASS_PLUGIN_PATH",
    "MLIR_DISABLE_MULTITHREADING",
    "MLIR_DUMP_PATH",
    "MLIR_ENABLE_DIAGNOSTICS",
    "MLIR_ENABLE_DUMP",
    "MLIR_ENABLE_TIMING",
    "NVPTX_ENABLE_DUMP",
    "TRITON_DEFAULT_FP_FUSION",
    "TRITON_DISABLE_LINE_INFO",
    "TRITON_DUMP_MIR",
    "TRITON_ENABLE_ASAN",
    "TRITON_ENABLE_EXPERIMENTAL_CONSAN",
    "TRITON_ENABLE_LLVM_DEBUG",
    "TRITON_F32_DEFAULT",
    "TRITON_HIP_USE_ASYNC_COPY",
    "TRITON_HIP_USE_BLOCK_PINGPONG",
    "TRITON_HIP_USE_EXPERT_SCHEDULING",
    "TRITON_HIP_USE_IN_THREAD_TRANSPOSE",
    "TRITON_LLVM_DEBUG_ONLY",
    "TRITON_OVERLAP_LAUNCHES",
    "TRITON_OVERRIDE_ARCH",
    "TRITON_OVERRIDE_PTX_VERSION",
    "TRITON_PREFER_TMEM_16x256_LAYOUT",
    "TRITON_TENSOR_MAPS",
    "USE_IR_LOC",
};

static std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// Nullopt if the text is no boolean.
static std::optional<bool> toBool(const std::string &text) {
  const std::string small = lower(text);
  if (small == "1" || small == "on" || small == "true")
    return true;
  if (small == "0" || small == "off" || small == "false")
    return false;
  return std::nullopt;
}

static std::optional<std::string> get(const std::string &name) {
  const char *value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

static std::map<std::string, std::string> invalidatingVariables() {
  std::map<std::string, std::string> found;
  for (const char *name : invalidating)
    if (std::optional<std::string> value = get(name); value && !value->empty()) {
      std::optional<bool> boolean = toBool(*value);
      found[name] = boolean ? (*boolean ? "true" : "false") : *value;
    }
  return found;
}

void addEnvironment(nb::module_ &module) {
  module.def("getenv", &get, nb::arg("name"), "The value of an environment variable, or None.");
  module.def(
      "getenv_bool",
      [](const std::string &name, bool otherwise) {
        std::optional<std::string> value = get(name);
        return value ? toBool(*value).value_or(false) : otherwise;
      },
      nb::arg("name"), nb::arg("default"), "A variable as a boolean; `default` if it is not set.");
  module.def("get_cache_invalidating_env_vars", &invalidatingVariables,
             "The variables that change what a compile gives, and are set.");
}

} // namespace triton::python
