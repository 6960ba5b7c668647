// Tuning: compile all, measure each, keep the result.
#include "api/CallOptions.h"
#include "api/Kernel.h"
#include "compiler/artifact/Description.h"
#include "compiler/artifact/Seal.h"
#include "compiler/driver/StoredCompile.h"
#include "compiler/support/Hash.h"
#include "compiler/support/WorkerThread.h"
#include "dispatch/tune/CudaClock.h"
#include "dispatch/tune/KeptTuning.h"

#include "llvm/Support/JSON.h"

#include <algorithm>
#include <atomic>
#include <thread>

using namespace triton;
namespace json = llvm::json;

namespace {
struct Measurement {
  static constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<double> milliseconds = {never, never, never}; // median, 20%, 80%
  std::string error = {};                                   // why it failed
  double median() const { return milliseconds.front(); }
  bool hasFailed() const { return median() == never; }
};

/// One way to run the kernel: its arguments, those of the configuration at the end.
struct Config {
  std::vector<triton_argument> arguments;
  size_t ownCount;
  triton_options options;
  driver::Settings settings; // the same, for the compiler
  Arguments own() const { return Arguments(arguments).take_back(ownCount); }
};
} // namespace

struct triton_tuning {
  size_t best = 0;
  std::vector<Measurement> measurements; // one per configuration
  bool wasKept = false;                  // taken from the cache directory
};

/// Compiles every configuration that is the first of its code, several at a time; failures are found again when it is measured.
static void compileAll(triton_kernel &kernel, const std::vector<Config> &configs, llvm::ArrayRef<size_t> first,
                       unsigned threadLimit) {
  if (!threadLimit)
    threadLimit = std::max(1u, std::thread::hardware_concurrency());
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t index = next++; index < configs.size(); index = next++)
      if (first[index] == index)
        llvm::consumeError(compile(kernel, configs[index].arguments, configs[index].options).takeError());
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min<size_t>(threadLimit, configs.size()); ++i)
    if (std::thread started = startWorker(work); started.joinable())
      threads.push_back(std::move(started));
    else
      break;
  work();
  for (std::thread &thread : threads)
    thread.join();
}

static std::unique_ptr<dispatch::Clock> clockOf(const triton_compiled &compiled, const triton_options &options) {
  if (compiled.cuda)
    if (auto *driver = runtime::gpu::Driver::getIfUsed())
      return std::make_unique<dispatch::CudaClock>(*driver, static_cast<runtime::gpu::StreamHandle>(options.stream),
                                                   options.device);
  return std::make_unique<dispatch::HostClock>();
}

static Measurement measure(triton_kernel &kernel, const Config &config, const triton_grid &grid,
                           const triton_tune_options &options) {
  auto run = [&]() -> dispatch::Outcome {
    auto launched = launch(kernel, grid, config.arguments, config.options);
    return launched ? std::nullopt : dispatch::Outcome({"RuntimeError", llvm::toString(launched.takeError())});
  };
  // The first launch opens the driver, whose events measure.
  auto compiled = launch(kernel, grid, config.arguments, config.options);
  if (!compiled)
    return {.error = llvm::toString(compiled.takeError())};
  auto times = dispatch::measure(
      *clockOf(**compiled, config.options), run, [] { return std::nullopt; },
      {.warmup = options.milliseconds / 4, .milliseconds = options.milliseconds, .repetitions = options.repetitions});
  if (auto *problem = std::get_if<dispatch::Problem>(&times))
    return {.error = std::move(problem->message)};
  constexpr double shown[] = {0.5, 0.2, 0.8};
  return {.milliseconds = dispatch::quantiles(std::move(std::get<0>(times)), shown)};
}

/// An argument as a part of the question what is fastest.
static json::Value toJson(const triton_argument &argument) {
  auto type = [](int32_t element) { return llvm::StringRef(dispatch::signatureOf(scalarTypeOf(element))); };
  switch (argument.kind) {
  case TRITON_ARGUMENT_BOOLEAN:
    return argument.value.integer != 0;
  case TRITON_ARGUMENT_INTEGER:
    return argument.value.integer;
  case TRITON_ARGUMENT_UNSIGNED:
    return argument.value.natural;
  case TRITON_ARGUMENT_REAL:
    return argument.value.real;
  case TRITON_ARGUMENT_STRING:
  case TRITON_ARGUMENT_TEXT:
    return textOf(argument);
  case TRITON_ARGUMENT_TYPE:
    return type(argument.type);
  case TRITON_ARGUMENT_POINTER:
    return type(argument.type);
  case TRITON_ARGUMENT_DESCRIPTOR: {
    const triton_descriptor &descriptor = *argument.value.descriptor;
    json::Array parts{type(descriptor.type)};
    for (llvm::ArrayRef<int64_t> numbers : {shapeOf(descriptor), stridesOf(descriptor), blockOf(descriptor)})
      parts.push_back(json::Array(numbers));
    return parts;
  }
  default:
    return nullptr;
  }
}

/// What the choice depends on, in the order of Python's key: the values of the arguments that are named, all numbers if none is; then the types of arrays.
static json::Array keyOf(const triton_kernel &kernel, Arguments arguments, const triton_tune_options &options) {
  const llvm::ArrayRef<const char *> names(options.keys, options.keys ? options.key_count : 0);
  auto isArray = [](const triton_argument &argument) {
    return argument.kind == TRITON_ARGUMENT_POINTER || argument.kind == TRITON_ARGUMENT_DESCRIPTOR;
  };
  auto nameAt = [&](size_t position) {
    const llvm::StringRef given = nameOf(arguments[position]);
    const auto &parameters = kernel.function->parameters;
    return !given.empty() || position >= parameters.size() ? given : llvm::StringRef(parameters[position].name);
  };
  json::Array key;
  for (llvm::StringRef name : names)
    for (size_t position = 0; position < arguments.size(); ++position)
      if (nameAt(position) == name)
        key.push_back(toJson(arguments[position]));
  for (const triton_argument &argument : arguments)
    if (names.empty() && !isArray(argument))
      key.push_back(toJson(argument));
  for (const triton_argument &argument : arguments)
    if (isArray(argument))
      key.push_back(toJson(argument));
  if (*options.key)
    key.push_back(llvm::StringRef(options.key));
  return key;
}

/// A configuration in the form of Python's.
static json::Value describe(const Config &config) {
  // Options that Python's configurations do not have count where they are not as usual. What is compiled for is seen in the code.
  static const triton_options usualOptions = TRITON_OPTIONS_INIT;
  static const driver::Settings usual = llvm::cantFail(driverOptions(usualOptions));
  const driver::Settings &given = config.settings;
  driver::Options others = given;
  others.numWarps = usual.numWarps, others.numCtas = usual.numCtas, others.numStages = usual.numStages;
  others.maxRegisters = usual.maxRegisters, others.tensorMaps = usual.tensorMaps;
  others.backend = usual.backend, others.architecture = usual.architecture;
  json::Object kwargs;
  for (const triton_argument &argument : config.own())
    kwargs[nameOf(argument)] = toJson(argument);
  json::Object result{{"kwargs", std::move(kwargs)},   {"num_warps", given.numWarps},   {"num_ctas", given.numCtas},
                      {"num_stages", given.numStages}, {"maxnreg", given.maxRegisters}, {"pre_hook", nullptr},
                      {"ir_override", nullptr}};
  if (others.key() + others.paths() != usual.key() + usual.paths() || config.options.threads)
    result["options"] = sha256Hex(others.key() + others.paths() + std::to_string(config.options.threads));
  return result;
}

static llvm::Expected<std::string> questionOf(const triton_kernel &kernel, Arguments arguments,
                                              const std::vector<Config> &configs, const triton_tune_options &options) {
  const Config &first = configs.front();
  auto device = dispatch::deviceModel(first.settings.backend, first.options.device);
  if (auto *problem = std::get_if<dispatch::Problem>(&device))
    return toError(*problem);
  json::Object question{
      {"kernel", kernel.function->name},          {"source", kernel.function->definition->range.text()},
      {"backend", first.settings.backend},        {"device", std::get<0>(device)},
      {"key", keyOf(kernel, arguments, options)}, {"configs", json::Array(llvm::map_range(configs, describe))}};
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(question));
  return text;
}

static size_t fastestOf(llvm::ArrayRef<Measurement> measurements) {
  return std::min_element(measurements.begin(), measurements.end(),
                          [](const Measurement &a, const Measurement &b) { return a.median() < b.median(); }) -
         measurements.begin();
}

/// Of the code that a configuration compiles to; empty if it does not.
static std::string codeOf(triton_kernel &kernel, const Config &config) {
  auto compiled = compile(kernel, config.arguments, config.options);
  if (!compiled) {
    llvm::consumeError(compiled.takeError());
    return "";
  }
  return dispatch::codeDigest((*compiled)->artifact->stages.back().content);
}

/// What was measured before, if it was the same code.
static std::optional<std::vector<Measurement>> readKept(triton_kernel &kernel, const std::vector<Config> &configs,
                                                        const driver::Storage &storage, const std::string &hash) {
  std::optional<std::string> sealed =
      storage.store.get(artifact::entryName(hash), dispatch::tuningFile(kernel.function->name));
  std::optional<std::string> text = sealed ? artifact::unseal(*sealed, storage.secret) : std::nullopt;
  std::optional<dispatch::KeptTuning> kept = text ? dispatch::readTuning(*text) : std::nullopt;
  if (!kept || kept->timings.size() != configs.size())
    return std::nullopt;
  std::vector<Measurement> measurements;
  for (dispatch::ConfigTiming &timing : kept->timings)
    measurements.push_back({.milliseconds = std::move(timing.milliseconds)});
  if (kept->code != codeOf(kernel, configs[fastestOf(measurements)]))
    return std::nullopt;
  return measurements;
}

static void keep(triton_kernel &kernel, const std::vector<Config> &configs,
                 const std::vector<Measurement> &measurements, const driver::Storage &storage, const std::string &hash,
                 const std::string &question) {
  std::vector<std::vector<double>> timings;
  for (const Measurement &measurement : measurements)
    timings.push_back(measurement.milliseconds);
  auto text = dispatch::describeTuning(question, timings, codeOf(kernel, configs[fastestOf(measurements)]));
  // A full disk is no reason to fail.
  llvm::consumeError(storage.store.put(artifact::entryName(hash), dispatch::tuningFile(kernel.function->name),
                                       *artifact::seal(*text, {}, storage.secret)));
}

/// The caller's answer. C++ may throw where C cannot.
static llvm::Expected<triton_grid> ask(triton_grid (*grid)(const triton_config *config, void *context),
                                       const triton_config &config, void *context) {
  // The library's unwinder is its own (0021): it must have been at work once before it can catch what the program's has thrown.
  [[maybe_unused]] static const bool isReady = [] {
    try {
      throw 0;
    } catch (int) {
      return true;
    }
  }();
  try {
    return grid(&config, context);
  } catch (...) {
    return failure("RuntimeError", "the function that gives the grid threw an exception");
  }
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
    auto settings = driverOptions(*options);
    if (!settings)
      return settings.takeError();
    result.push_back({arguments.vec(), own->size(), *options, std::move(*settings)});
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
  auto storage = driver::openStorage(options.cache_directory, options.cache_secret_file);
  if (!storage)
    return storage.takeError();
  auto question = questionOf(kernel, arguments, *configs, options);
  if (!question)
    return question.takeError();
  const bool isKept = *options.cache_directory;
  const std::string hash = isKept ? *dispatch::tuningHash(*question) : "";
  auto tuning = std::make_unique<triton_tuning>();
  if (isKept)
    if (auto kept = readKept(kernel, *configs, *storage, hash)) {
      tuning->measurements = std::move(*kept);
      tuning->wasKept = true;
    }
  if (!tuning->wasKept) {
    const std::vector<size_t> first = dispatch::representatives(*question);
    compileAll(kernel, *configs, first, options.compile_threads);
    for (size_t index = 0; index < count; ++index) {
      if (first[index] != index) {
        tuning->measurements.push_back(tuning->measurements[first[index]]);
        continue;
      }
      auto extents = ask(grid, given[index], context);
      if (!extents)
        return extents.takeError();
      tuning->measurements.push_back(measure(kernel, (*configs)[index], *extents, options));
    }
  }
  tuning->best = fastestOf(tuning->measurements);
  if (tuning->measurements[tuning->best].hasFailed())
    return failure("RuntimeError", "no configuration of '" + kernel.function->name +
                                       "' runs; the first says: " + tuning->measurements.front().error);
  if (isKept && !tuning->wasKept)
    keep(kernel, *configs, tuning->measurements, *storage, hash, *question);
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
              [&] {
                return withChecked(arguments, argument_count, options, [&](Arguments checked, const auto &complete) {
                  return tune(const_cast<triton_kernel &>(*kernel), grid, context, checked, configs, config_count,
                              complete);
                });
              });
}

size_t triton_tuning_best(const triton_tuning *tuning) { return tuning ? tuning->best : 0; }

double triton_tuning_milliseconds(const triton_tuning *tuning, size_t index) {
  const bool isKnown = tuning && index < tuning->measurements.size() && !tuning->measurements[index].hasFailed();
  return isKnown ? tuning->measurements[index].median() : -1;
}

const char *triton_tuning_error(const triton_tuning *tuning, size_t index) {
  if (!tuning || index >= tuning->measurements.size() || !tuning->measurements[index].hasFailed())
    return nullptr;
  return tuning->measurements[index].error.c_str();
}

int triton_tuning_was_kept(const triton_tuning *tuning) { return tuning && tuning->wasKept; }
void triton_tuning_free(triton_tuning *tuning) { delete tuning; }

} // extern "C"
