// What a launch costs a C++ program above the driver's call: both in one process, in turn, on the same kernel's code.
//   Out: lines of JSON, nanoseconds of the host per launch; the best of many bursts that fit into the queue.
// scripts/bundle builds it; launch_anatomy.py runs it where it finds it. For the CPU: `launch_from_cpp cpu`.
#include <triton/cuda.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <optional>

static const char *source = R"(
import triton
import triton.language as tl

@triton.jit
def seven(a, b, c, d, e, f, BLOCK: tl.constexpr):
    pass

@triton.jit
def nineteen(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, BLOCK: tl.constexpr):
    pass
)";

static double bestOf(const std::function<void()> &once, const std::function<void()> &wait) {
  using Clock = std::chrono::steady_clock;
  constexpr int burst = 200, rounds = 25;
  double best = 1e9;
  for (int round = 0; round < rounds; ++round) {
    wait();
    auto begin = Clock::now();
    for (int index = 0; index < burst; ++index)
      once();
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / burst);
  }
  wait();
  return best;
}

static void say(const std::string &what, double nanoseconds) {
  std::printf("{\"where\": \"C++\", \"what\": \"%s\", \"burst\": 200, \"host\": %.0f}\n", what.c_str(), nanoseconds);
  std::fflush(stdout);
}

namespace {
/// The driver's own functions, for the comparison.
struct Driver {
  int (*loadModule)(void **, const void *);
  int (*getFunction)(void **, void *, const char *);
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
  struct Attribute {
    uint32_t id, padding;
    int32_t words[16];
  };
  struct Configuration {
    uint32_t grid[3], block[3], sharedBytes;
    void *stream;
    Attribute *attributes;
    uint32_t attributeCount;
  };
  int (*launchEx)(const Configuration *, void *, void **, void **);

  Driver() {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    auto find = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(library ? dlsym(library, name) : nullptr);
      if (!function)
        throw triton::Error("RuntimeError", std::string("the driver has no ") + name);
    };
    find(loadModule, "cuModuleLoadData");
    find(getFunction, "cuModuleGetFunction");
    find(launch, "cuLaunchKernel");
    find(launchEx, "cuLaunchKernelEx");
  }
};
} // namespace

static void check(int status) {
  if (status)
    throw triton::Error("RuntimeError", "the driver's status is " + std::to_string(status));
}

static void measureBare(const triton::CompiledKernel &compiled, const std::string &name) {
  static Driver driver;
  void *module = nullptr, *function = nullptr;
  check(driver.loadModule(&module, compiled.stage("cubin").data()));
  check(driver.getFunction(&function, module, std::string(compiled.name()).c_str()));
  static uint64_t zero = 0;
  static void *pointers[64];
  std::fill(std::begin(pointers), std::end(pointers), static_cast<void *>(&zero));
  auto wait = [] { triton::cuda::synchronize(); };
  say(name + " arguments, bare cuLaunchKernel",
      bestOf([&] { check(driver.launch(function, 1, 1, 1, 128, 1, 1, 0, nullptr, pointers, nullptr)); }, wait));
  Driver::Attribute attribute{6, 0, {1}};
  Driver::Configuration configuration{{1, 1, 1}, {128, 1, 1}, 0, nullptr, &attribute, 1};
  say(name + " arguments, bare cuLaunchKernelEx, programmatic",
      bestOf([&] { check(driver.launchEx(&configuration, function, pointers, nullptr)); }, wait));
}

static void measure(const triton::Module &module, const std::string &target) {
  const bool isCuda = target == "cuda";
  std::vector<float> host(64);
  std::optional<triton::cuda::Buffer<float>> device;
  triton::Argument x = isCuda ? device.emplace(64) : triton::Argument(host.data());
  std::vector<triton::Argument> seven = {x, x, x, 1000, 2000, 3000, 128};
  std::vector<triton::Argument> nineteen(6, x);
  for (int number = 1000; number < 1012; ++number)
    nineteen.push_back(number);
  nineteen.push_back(128);
  auto wait = [&] { isCuda ? triton::cuda::synchronize() : void(); };
  for (auto &[name, arguments] : {std::pair("seven", seven), std::pair("nineteen", nineteen)}) {
    triton::Kernel kernel = module.kernel(name);
    triton::Options options;
    options.target = target;
    triton::CompiledKernel compiled = kernel.launch(1, arguments, options);
    if (isCuda)
      measureBare(compiled, name);
    auto measureLaunch = [&](const char *how) {
      kernel.launch(1, arguments, options);
      say(std::string(name) + " arguments, kernel.launch" + how,
          bestOf([&] { kernel.launch(1, arguments, options); }, wait));
    };
    measureLaunch("");
    if (!isCuda)
      continue;
    options.launchGraphs = false;
    measureLaunch(", no graphs");
    options.overlapLaunches = false;
    measureLaunch(", no graphs, in full order");
  }
}

int main(int argc, char **argv) {
  try {
    measure(triton::Module::parse(source, "kernels.py"), argc > 1 ? argv[1] : "cuda");
    return 0;
  } catch (const triton::Error &error) {
    std::fprintf(stderr, "%s: %s\n", error.kind().c_str(), error.what());
    return 1;
  }
}
