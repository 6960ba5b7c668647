#include "api/CallOptions.h"

#include <cstring>

namespace triton {

template <typename T> static llvm::Error takeGiven(T &all, const T *given, const char *start) {
  if (!given)
    return llvm::Error::success();
  if (given->size < sizeof(given->size))
    return failure("ValueError",
                   "the options say that their size is " + std::to_string(given->size) + ": start from " + start);
  std::memcpy(&all, given, std::min(given->size, sizeof(all)));
  return llvm::Error::success();
}

llvm::Expected<triton_options> completeOptions(const triton_options *given) {
  triton_options all = TRITON_OPTIONS_INIT;
  if (llvm::Error error = takeGiven(all, given, "TRITON_OPTIONS_INIT"))
    return error;
  all.target = all.target ? all.target : "cpu";
  all.architecture = all.architecture ? all.architecture : "native";
  all.cache_directory = all.cache_directory ? all.cache_directory : "";
  all.cache_secret_file = all.cache_secret_file ? all.cache_secret_file : "";
  all.bundles = all.bundles ? all.bundles : "";
  all.record_directory = all.record_directory ? all.record_directory : "";
  return all;
}

llvm::Expected<triton_tune_options> completeOptions(const triton_tune_options *given) {
  triton_tune_options all = TRITON_TUNE_OPTIONS_INIT;
  if (llvm::Error error = takeGiven(all, given, "TRITON_TUNE_OPTIONS_INIT"))
    return error;
  all.cache_directory = all.cache_directory ? all.cache_directory : "";
  all.cache_secret_file = all.cache_secret_file ? all.cache_secret_file : "";
  all.key = all.key ? all.key : "";
  return all;
}

llvm::Expected<driver::Settings> driverOptions(const triton_options &options) {
  const llvm::ArrayRef<triton_named_option> named(options.named, options.named_count);
  driver::Settings settings;
  settings.backend = options.target;
  for (const triton_named_option &option : named) {
    if (!option.name || !option.value)
      return failure("ValueError", "an option has no name or no value");
    if (llvm::StringRef(option.name) == "target") // the defaults below depend on it
      settings.backend = option.value;
  }
  const bool isCuda = settings.backend == "cuda";
  settings.architecture = options.architecture;
  settings.numWarps = options.num_warps;
  settings.numCtas = options.num_ctas;
  settings.numStages = options.num_stages;
  settings.debug = options.debug != 0;
  settings.checkAccesses = options.check_accesses != 0;
  settings.enableFpFusion = options.enable_fp_fusion != 0;
  if (options.max_registers)
    settings.maxRegisters = options.max_registers;
  settings.launchCooperative = options.launch_cooperative != 0;
  settings.launchProgrammatic = options.launch_programmatic != 0;
  settings.tensorMaps = isCuda;
  settings.waitAtEntry = options.overlap_launches || !isCuda;
  settings.emitAssembly = options.keep_assembly != 0;
  for (const triton_named_option &option : named)
    if (llvm::Error error = driver::setOptionText(settings, option.name, option.value))
      return failure("ValueError", llvm::toString(std::move(error)));
  return settings;
}

void appendKey(const triton_options &options, llvm::SmallVectorImpl<char> &key) {
  const llvm::StringRef texts[] = {options.target, options.architecture};
  const uint32_t flags = (options.debug != 0) | (options.enable_fp_fusion != 0) << 1 |
                         (options.keep_assembly != 0) << 2 | (options.launch_programmatic != 0) << 3 |
                         (options.overlap_launches != 0) << 4 | (options.check_accesses != 0) << 5 |
                         (options.launch_cooperative != 0) << 6;
  const uint32_t numbers[] = {uint32_t(options.num_warps), uint32_t(options.num_stages),    uint32_t(options.num_ctas),
                              uint32_t(options.device),    uint32_t(options.max_registers), flags,
                              uint32_t(texts[0].size()),   uint32_t(texts[1].size())};
  const char *bytes = reinterpret_cast<const char *>(numbers);
  key.append(bytes, bytes + sizeof(numbers));
  for (llvm::StringRef text : texts)
    key.append(text.begin(), text.end());
  for (const triton_named_option &option : llvm::ArrayRef(options.named, options.named_count))
    for (const char *text : {option.name, option.value})
      if (text)
        key.append(text, text + std::strlen(text) + 1);
}

} // namespace triton
