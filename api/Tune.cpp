// Tuning: compile all, measure each, keep the result.
#include "api/CallOptions.h"
#include "api/Kernel.h"
#include "compiler/artifact/BuildId.h"
#include "compiler/artifact/Description.h"
#include "compiler/artifact/Json.h"
#include "compiler/artifact/Seal.h"
#include "compiler/driver/StoredCompile.h"
#include "compiler/support/Hash.h"
#include "runtime/host/WorkerThread.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

using namespace triton;

namespace {
struct Measurement {
  double milliseconds = -1; // median; negative if it failed
  std::string error;        // why it failed
};

/// One way to run the kernel: its arguments, those of the configuration at the end.
struct Config {
  std::vector<triton_argument> arguments;
  triton_options options;
};
} // namespace

struct triton_tuning {
  size_t best = 0;
  std::vector<Measurement> measurements; // one per configuration
  bool wasKept = false;                  // taken from the cache directory
};

/// Compiles every configuration, several at a time; failures are found again when it is measured.
static void compileAll(triton_kernel &kernel, const std::vector<Config> &configs, unsigned threadLimit) {
  if (!threadLimit)
    threadLimit = std::max(1u, std::thread::hardware_concurrency());
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t index = next++; index < configs.size(); index = next++)
      llvm::consumeError(compile(kernel, configs[index].arguments, configs[index].options).takeError());
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min<size_t>(threadLimit, configs.size()); ++i)
    if (std::thread started = runtime::startWorker(work); started.joinable())
      threads.push_back(std::move(started));
    else
      break;
  work();
  for (std::thread &thread : threads)
    thread.join();
}

static double millisecondsOf(const std::function<bool()> &run) {
  auto start = std::chrono::steady_clock::now();
  if (!run())
    return -1;
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

static Measurement measure(triton_kernel &kernel, const Config &config, const triton_grid &grid,
                           const triton_tune_options &options) {
  Measurement result;
  auto run = [&] {
    auto launched = launch(kernel, grid, config.arguments, config.options);
    if (!launched)
      result.error = llvm::toString(launched.takeError());
    return bool(launched);
  };
  double first = std::min(millisecondsOf(run), run() ? millisecondsOf(run) : -1);
  if (!result.error.empty())
    return result;
  size_t repetitions = options.repetitions;
  if (!repetitions) {
    constexpr double fewest = 5, most = 10000;
    double wished = options.milliseconds / std::max(first, 1e-3);
    repetitions = static_cast<size_t>(wished > fewest ? std::min(wished, most) : fewest); // no number gives the fewest
  }
  std::vector<double> times;
  for (size_t i = 0; i < repetitions; ++i)
    times.push_back(millisecondsOf(run));
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  result.milliseconds = times[times.size() / 2];
  return result;
}

static void appendKey(const triton_argument &argument, std::string &key) {
  llvm::raw_string_ostream stream(key);
  stream << nameOf(argument) << '=' << argument.kind << ':';
  switch (argument.kind) {
  case TRITON_ARGUMENT_REAL:
    stream << llvm::format_hex(llvm::bit_cast<uint64_t>(argument.value.real), 18);
    break;
  case TRITON_ARGUMENT_STRING:
  case TRITON_ARGUMENT_TEXT:
    stream << textOf(argument).size() << ':' << textOf(argument);
    break;
  case TRITON_ARGUMENT_TYPE:
    stream << argument.type;
    break;
  case TRITON_ARGUMENT_POINTER:
    stream << elementOf(argument) << (reinterpret_cast<uintptr_t>(argument.value.pointer) % 16 == 0);
    break;
  case TRITON_ARGUMENT_DESCRIPTOR: {
    const triton_descriptor &descriptor = *argument.value.descriptor;
    stream << elementOf(descriptor);
    for (llvm::ArrayRef<int64_t> numbers : {shapeOf(descriptor), stridesOf(descriptor), blockOf(descriptor)})
      for (int64_t number : numbers)
        stream << ',' << number;
    break;
  }
  case TRITON_ARGUMENT_UNSIGNED:
    stream << argument.value.natural;
    break;
  case TRITON_ARGUMENT_BOOLEAN:
  case TRITON_ARGUMENT_INTEGER:
    stream << argument.value.integer;
    break;
  default:
    break;
  }
  stream << ';';
}

/// Everything that the choice depends on; the stages of each configuration stand for the kernel's source and for the tools that make its code.
static std::string keyOf(triton_kernel &kernel, const std::vector<Config> &configs,
                         const triton_tune_options &options) {
  std::string key = "tuning-2;" + artifact::buildId() + ";" + kernel.function->name + ";" + options.key + ";";
  for (const Config &config : configs) {
    for (const triton_argument &argument : config.arguments)
      appendKey(argument, key);
    llvm::SmallString<128> settings;
    appendKey(config.options, settings);
    key += settings.str().str() + std::to_string(config.options.threads) + ";";
    auto compiled = compile(kernel, config.arguments, config.options);
    if (!compiled) {
      llvm::consumeError(compiled.takeError());
      continue;
    }
    for (const artifact::StageOutput &stage : (*compiled)->artifact->stages)
      key += sha256Hex(stage.content) + ";";
  }
  return sha256Hex(key + std::to_string(std::thread::hardware_concurrency()));
}

static std::optional<std::vector<Measurement>> readKept(const driver::Storage &storage, const std::string &hash,
                                                        size_t count) {
  std::optional<std::string> sealed = storage.store.get(artifact::entryName(hash), "tuning.json");
  std::optional<std::string> text = sealed ? artifact::unseal(*sealed, storage.secret) : std::nullopt;
  std::optional<llvm::json::Value> parsed = text ? artifact::parseJson(*text) : std::nullopt;
  const llvm::json::Object *object = parsed ? parsed->getAsObject() : nullptr;
  const llvm::json::Array *times = object ? object->getArray("milliseconds") : nullptr;
  if (!times || times->size() != count || object->getString("hash") != llvm::StringRef(hash))
    return std::nullopt;
  std::vector<Measurement> measurements;
  for (const llvm::json::Value &time : *times) {
    if (!time.getAsNumber())
      return std::nullopt;
    measurements.push_back({*time.getAsNumber(), {}});
  }
  return measurements;
}

static void keep(const driver::Storage &storage, const std::string &hash,
                 const std::vector<Measurement> &measurements) {
  llvm::json::Array times;
  for (const Measurement &measurement : measurements)
    times.push_back(measurement.milliseconds);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(
      llvm::json::Object{{"hash", hash}, {"milliseconds", std::move(times)}});
  // A full disk is no reason to fail.
  llvm::consumeError(
      storage.store.put(artifact::entryName(hash), "tuning.json", *artifact::seal(text, {}, storage.secret)));
}

static llvm::Expected<std::vector<Config>> readConfigs(Arguments arguments, const triton_config *configs,
                                                       size_t count) {
  std::vector<Config> result;
  for (const triton_config &config : llvm::ArrayRef(configs, count)) {
    auto own = checkArguments(config.arguments, config.argument_count);
    if (!own)
      return own.takeError();
    auto options = completeOptions(config.options);
    if (!options)
      return options.takeError();
    result.push_back({arguments.vec(), *options});
    llvm::append_range(result.back().arguments, *own);
  }
  return result;
}

static llvm::Expected<triton_tuning *> tune(triton_kernel &kernel,
                                            triton_grid (*grid)(const triton_config *config, void *context),
                                            void *context, Arguments arguments, const triton_config *given,
                                            size_t count, const triton_tune_options &options) {
  auto configs = readConfigs(arguments, given, count);
  if (!configs)
    return configs.takeError();
  if (configs->empty())
    return failure("ValueError", "there are no configurations to tune '" + kernel.function->name + "' with");
  compileAll(kernel, *configs, options.compile_threads);
  auto tuning = std::make_unique<triton_tuning>();
  auto storage = driver::openStorage(options.cache_directory, options.cache_secret_file);
  if (!storage)
    return storage.takeError();
  const bool isKept = *options.cache_directory;
  const std::string hash = isKept ? keyOf(kernel, *configs, options) : "";
  if (isKept)
    if (auto kept = readKept(*storage, hash, count)) {
      tuning->measurements = std::move(*kept);
      tuning->wasKept = true;
    }
  if (!tuning->wasKept) {
    for (auto [config, asGiven] : llvm::zip(*configs, llvm::ArrayRef(given, count)))
      tuning->measurements.push_back(measure(kernel, config, grid(&asGiven, context), options));
    if (isKept)
      keep(*storage, hash, tuning->measurements);
  }
  auto rank = [](const Measurement &measurement) {
    return measurement.milliseconds < 0 ? std::numeric_limits<double>::infinity() : measurement.milliseconds;
  };
  auto best = std::min_element(tuning->measurements.begin(), tuning->measurements.end(),
                               [&](const auto &a, const auto &b) { return rank(a) < rank(b); });
  if (best->milliseconds < 0)
    return failure("RuntimeError", "no configuration of '" + kernel.function->name +
                                       "' runs; the first says: " + tuning->measurements.front().error);
  tuning->best = best - tuning->measurements.begin();
  return tuning.release();
}

extern "C" {

triton_tuning *triton_kernel_tune(const triton_kernel *kernel,
                                  triton_grid (*grid)(const triton_config *config, void *context), void *context,
                                  const triton_argument *arguments, size_t argument_count, const triton_config *configs,
                                  size_t config_count, triton_error **error) {
  return triton_kernel_tune_with(kernel, grid, context, arguments, argument_count, configs, config_count, nullptr,
                                 error);
}

triton_tuning *triton_kernel_tune_with(const triton_kernel *kernel,
                                       triton_grid (*grid)(const triton_config *config, void *context), void *context,
                                       const triton_argument *arguments, size_t argument_count,
                                       const triton_config *configs, size_t config_count,
                                       const triton_tune_options *options, triton_error **error) {
  return make(error,
              {{"kernel", kernel},
               {"grid", reinterpret_cast<const void *>(grid)},
               {"configs", config_count ? static_cast<const void *>(configs) : kernel}},
              [&]() -> llvm::Expected<triton_tuning *> {
                auto checked = checkArguments(arguments, argument_count);
                if (!checked)
                  return checked.takeError();
                auto complete = completeOptions(options);
                if (!complete)
                  return complete.takeError();
                return tune(const_cast<triton_kernel &>(*kernel), grid, context, *checked, configs, config_count,
                            *complete);
              });
}

size_t triton_tuning_best(const triton_tuning *tuning) { return tuning ? tuning->best : 0; }

double triton_tuning_milliseconds(const triton_tuning *tuning, size_t index) {
  return tuning && index < tuning->measurements.size() ? tuning->measurements[index].milliseconds : -1;
}

const char *triton_tuning_error(const triton_tuning *tuning, size_t index) {
  if (!tuning || index >= tuning->measurements.size() || tuning->measurements[index].milliseconds >= 0)
    return nullptr;
  return tuning->measurements[index].error.c_str();
}

int triton_tuning_was_kept(const triton_tuning *tuning) { return tuning && tuning->wasKept; }
void triton_tuning_free(triton_tuning *tuning) { delete tuning; }

} // extern "C"
