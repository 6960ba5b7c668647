// Tuning over the public interface: compile all, measure each, keep the result.
#include <triton/tune.h>

#include "compiler/artifact/BuildId.h"
#include "compiler/artifact/Description.h"
#include "compiler/artifact/Json.h"
#include "compiler/artifact/Seal.h"
#include "compiler/driver/StoredCompile.h"
#include "compiler/support/Hash.h"
#include "runtime/host/WorkerThread.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

using namespace triton;

static std::vector<Argument> withConfig(std::vector<Argument> arguments, const Config &config) {
  arguments.insert(arguments.end(), config.arguments.begin(), config.arguments.end());
  return arguments;
}

/// Compiles every configuration, several at a time; failures are found again when it is measured.
static void compileAll(const Kernel &kernel, const std::vector<Argument> &arguments, const std::vector<Config> &configs,
                       unsigned threadLimit) {
  if (!threadLimit)
    threadLimit = std::max(1u, std::thread::hardware_concurrency());
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t index = next++; index < configs.size(); index = next++)
      (void)kernel.tryCompile(withConfig(arguments, configs[index]), configs[index].options);
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

static Measurement measure(const Kernel &kernel, const std::vector<Argument> &arguments, const Config &config,
                           Grid grid, const TuneOptions &options) {
  Measurement result;
  const std::vector<Argument> all = withConfig(arguments, config);
  auto run = [&] {
    auto launched = kernel.tryLaunch(grid, all, config.options);
    if (!launched)
      result.error = launched.error().what();
    return bool(launched);
  };
  double first = std::min(millisecondsOf(run), run() ? millisecondsOf(run) : -1);
  if (!result.error.empty())
    return result;
  size_t repetitions = options.repetitions;
  if (!repetitions)
    repetitions = std::clamp<size_t>(static_cast<size_t>(options.milliseconds / std::max(first, 1e-3)), 5, 10000);
  std::vector<double> times;
  for (size_t i = 0; i < repetitions; ++i)
    times.push_back(millisecondsOf(run));
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  result.milliseconds = times[times.size() / 2];
  return result;
}

static void appendKey(const Argument &argument, std::string &key) {
  llvm::raw_string_ostream stream(key);
  stream << argument.name << '=' << argument.content.index() << ':';
  if (auto *value = std::get_if<bool>(&argument.content))
    stream << *value;
  else if (auto *value = std::get_if<int64_t>(&argument.content))
    stream << *value;
  else if (auto *value = std::get_if<uint64_t>(&argument.content))
    stream << *value;
  else if (auto *value = std::get_if<double>(&argument.content))
    stream << llvm::format_hex(llvm::bit_cast<uint64_t>(*value), 18);
  else if (auto *value = std::get_if<std::string>(&argument.content))
    stream << value->size() << ':' << *value;
  else if (auto *value = std::get_if<DataType>(&argument.content))
    stream << static_cast<int>(*value);
  else if (auto *value = std::get_if<Argument::Pointer>(&argument.content))
    stream << static_cast<int>(value->element) << (reinterpret_cast<uintptr_t>(value->address) % 16 == 0);
  else if (auto *value = std::get_if<Argument::Descriptor>(&argument.content)) {
    stream << static_cast<int>(value->base.element);
    for (const std::vector<int64_t> *numbers : {&value->shape, &value->strides, &value->block})
      for (int64_t number : *numbers)
        stream << ',' << number;
  }
  stream << ';';
}

/// Everything that the choice depends on; the stages of each configuration stand for the kernel's source and for the tools that make its code.
static std::string keyOf(const Kernel &kernel, const std::vector<Argument> &arguments,
                         const std::vector<Config> &configs, const TuneOptions &options) {
  std::string key = "tuning-1;" + artifact::buildId() + ";" + std::string(kernel.name()) + ";" + options.key + ";";
  for (const Argument &argument : arguments)
    appendKey(argument, key);
  for (const Config &config : configs) {
    for (const Argument &argument : config.arguments)
      appendKey(argument, key);
    key += config.options.target + config.options.architecture + std::to_string(config.options.numWarps) + "," +
           std::to_string(config.options.numStages) + "," + std::to_string(config.options.numCtas) + "," +
           std::to_string(config.options.threads) + ";";
    if (auto compiled = kernel.tryCompile(withConfig(arguments, config), config.options))
      for (const std::string &stage : compiled->stages())
        key += sha256Hex(compiled->stage(stage)) + ";";
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

Expected<Tuning> triton::tryTune(const Kernel &kernel, const std::vector<Argument> &arguments,
                                 const std::vector<Config> &configs, const std::function<Grid(const Config &)> &grid,
                                 const TuneOptions &options) {
  if (configs.empty())
    return Error("ValueError", "there are no configurations to tune '" + std::string(kernel.name()) + "' with");
  compileAll(kernel, arguments, configs, options.compileThreads);
  Tuning tuning;
  auto storage = driver::openStorage(options.cacheDirectory, options.cacheSecretFile);
  if (!storage)
    return Error("RuntimeError", llvm::toString(storage.takeError()));
  const std::string hash = options.cacheDirectory.empty() ? "" : keyOf(kernel, arguments, configs, options);
  if (!hash.empty())
    if (auto kept = readKept(*storage, hash, configs.size())) {
      tuning.measurements = std::move(*kept);
      tuning.wasKept = true;
    }
  if (!tuning.wasKept) {
    for (const Config &config : configs)
      tuning.measurements.push_back(measure(kernel, arguments, config, grid(config), options));
    if (!hash.empty())
      keep(*storage, hash, tuning.measurements);
  }
  auto rank = [](const Measurement &measurement) {
    return measurement.milliseconds < 0 ? std::numeric_limits<double>::infinity() : measurement.milliseconds;
  };
  auto best = std::min_element(tuning.measurements.begin(), tuning.measurements.end(),
                               [&](const auto &a, const auto &b) { return rank(a) < rank(b); });
  if (best->milliseconds < 0)
    return Error("RuntimeError", "no configuration of '" + std::string(kernel.name()) +
                                     "' runs; the first says: " + tuning.measurements.front().error);
  tuning.best = best - tuning.measurements.begin();
  tuning.config = configs[tuning.best];
  tuning.launch = [kernel, arguments = withConfig(arguments, tuning.config), grid = grid(configs[tuning.best]),
                   options = tuning.config.options] { return kernel.launch(grid, arguments, options); };
  return tuning;
}
