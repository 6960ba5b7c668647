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
  std::string key;             // what else the choice depends on, sizes for example; part of the key of a kept result
};

struct Tuning {
  size_t best = 0;
  std::vector<Measurement> measurements;  // one per configuration
  bool wasKept = false;                   // taken from the cache directory
  Config config;                          // the best one
  std::function<CompiledKernel()> launch; // runs it on the arguments that were tuned for
};

/// An error if no configuration runs. The kernel runs many times: what it reads and writes in place should bear that.
TRITON_EXPORT Expected<Tuning> tryTune(const Kernel &kernel, const std::vector<Argument> &arguments,
                                       const std::vector<Config> &configs,
                                       const std::function<Grid(const Config &)> &grid,
                                       const TuneOptions &options = {});
inline Tuning tune(const Kernel &kernel, const std::vector<Argument> &arguments, const std::vector<Config> &configs,
                   const std::function<Grid(const Config &)> &grid, const TuneOptions &options = {}) {
  return tryTune(kernel, arguments, configs, grid, options).take();
}

} // namespace triton
