// Tuning from C++: which of several ways to run a kernel is the fastest on these arguments.
//
//   std::vector<triton::Config> configs = {{{triton::named("BLOCK", 256)}}, {{triton::named("BLOCK", 1024)}, {.numWarps = 8}}};
//   triton::Tuning tuning = triton::tune(add, {x, y, out, n}, configs, [&](const triton::Config &config) { return triton::Grid(triton::cdiv(n, config.integer("BLOCK"))); });
//   tuning.launch();                                           // the fastest, on the same arguments
//
// Configurations are compiled at the same time by several threads, then measured one after the other. One that cannot be compiled or launched loses only itself.
#pragma once

#include <triton/triton.h>

#include <functional>

namespace triton {

/// One way to run a kernel.
struct Config {
  std::vector<Argument> arguments; // named: constexprs
  Options options;

  /// The value of an integer argument; 0 if there is none of that name.
  int64_t integer(std::string_view name) const {
    for (const Argument &argument : arguments)
      if (argument.name == name)
        if (const int64_t *value = std::get_if<int64_t>(&argument.content))
          return *value;
    return 0;
  }
};

struct Measurement {
  double milliseconds = -1; // median; negative if it failed
  std::string error;        // why it failed
};

struct TuneOptions {
  unsigned compileThreads = 0; // 0: one per processor
  double milliseconds = 50;    // to spend on measuring each configuration
  unsigned repetitions =
      0; // runs per configuration instead, so that equal machines do equal work; 0: as the time allows
  std::string cacheDirectory;  // where results are kept; empty: nowhere
  std::string cacheSecretFile; // with a secret that they are signed with; empty: they are not
  std::string key;             // what else the choice depends on; part of the key of a kept result
  std::vector<std::string>
      keys; // the arguments whose values the choice depends on, as in triton.autotune; none: all numbers
};

struct Tuning {
  size_t best = 0;
  std::vector<Measurement> measurements;  // one per configuration
  bool wasKept = false;                   // taken from the cache directory
  Config config;                          // the best one
  std::function<CompiledKernel()> launch; // runs it on the arguments that were tuned for
};

namespace detail {

/// The caller's function, asked from inside of the library. What it throws is kept for when the library has returned: no exception passes through it.
class GridQuestion {
public:
  GridQuestion(const std::function<Grid(const Config &)> &grid, const std::vector<Config> &configs,
               const triton_config *asGiven)
      : grid(grid), configs(configs), asGiven(asGiven) {}

  static triton_grid ask(const triton_config *config, void *context) noexcept {
    auto &question = *static_cast<GridQuestion *>(context);
    try {
      if (!question.thrown) {
        const Grid grid = question.grid(question.configs[config - question.asGiven]);
        return {grid.x, grid.y, grid.z};
      }
    } catch (...) {
      question.thrown = std::current_exception();
    }
    return {-1, -1, -1};
  }
  void rethrow() const {
    if (thrown)
      std::rethrow_exception(thrown);
  }

private:
  const std::function<Grid(const Config &)> &grid;
  const std::vector<Config> &configs;
  const triton_config *asGiven;
  std::exception_ptr thrown;
};

/// Configurations in the form that the library reads; good while they are.
class ConfigList {
public:
  explicit ConfigList(const std::vector<Config> &configs) {
    options.reserve(configs.size()); // pointers into it are kept
    for (const Config &config : configs) {
      arguments.push_back(std::make_unique<ArgumentList>(config.arguments));
      options.push_back(convert(config.options));
      list.push_back({arguments.back()->data(), arguments.back()->size(), &options.back()});
    }
  }
  ConfigList(const ConfigList &) = delete;
  const triton_config *data() const { return list.data(); }
  size_t size() const { return list.size(); }

private:
  std::vector<std::unique_ptr<ArgumentList>> arguments;
  std::vector<ConvertedOptions> options;
  std::vector<triton_config> list;
};

} // namespace detail

/// An error if no configuration runs. The kernel runs many times: what it reads and writes in place should bear that. What `grid` throws comes out as it is.
inline Expected<Tuning> tryTune(const Kernel &kernel, const std::vector<Argument> &arguments,
                                const std::vector<Config> &configs, const std::function<Grid(const Config &)> &grid,
                                const TuneOptions &options = {}) {
  if (!kernel.state)
    return detail::emptyError("Kernel");
  const detail::ArgumentList list(arguments);
  const detail::ConfigList given(configs);
  detail::GridQuestion question(grid, configs, given.data());
  triton_tune_options converted = TRITON_TUNE_OPTIONS_INIT;
  converted.compile_threads = options.compileThreads;
  converted.repetitions = options.repetitions;
  converted.milliseconds = options.milliseconds;
  converted.cache_directory = options.cacheDirectory.c_str();
  converted.cache_secret_file = options.cacheSecretFile.c_str();
  converted.key = options.key.c_str();
  std::vector<const char *> keys;
  for (const std::string &name : options.keys)
    keys.push_back(name.c_str());
  converted.keys = keys.data();
  converted.key_count = keys.size();
  detail::ErrorSlot error;
  std::unique_ptr<triton_tuning, void (*)(triton_tuning *)> result(
      triton_kernel_tune_with(kernel.state.get(), detail::GridQuestion::ask, &question, list.data(), list.size(),
                              given.data(), given.size(), &converted, error),
      triton_tuning_free);
  question.rethrow();
  if (!result)
    return error.take();
  Tuning tuning;
  tuning.best = triton_tuning_best(result.get());
  tuning.wasKept = triton_tuning_was_kept(result.get());
  for (size_t index = 0; index < configs.size(); ++index) {
    const char *why = triton_tuning_error(result.get(), index);
    tuning.measurements.push_back({triton_tuning_milliseconds(result.get(), index), why ? why : ""});
  }
  tuning.config = configs[tuning.best];
  std::vector<Argument> all = arguments;
  all.insert(all.end(), tuning.config.arguments.begin(), tuning.config.arguments.end());
  tuning.launch = [kernel, all = std::move(all), grid = grid(tuning.config), options = tuning.config.options] {
    return kernel.launch(grid, all, options);
  };
  return tuning;
}
inline Tuning tune(const Kernel &kernel, const std::vector<Argument> &arguments, const std::vector<Config> &configs,
                   const std::function<Grid(const Config &)> &grid, const TuneOptions &options = {}) {
  return tryTune(kernel, arguments, configs, grid, options).take();
}

} // namespace triton
