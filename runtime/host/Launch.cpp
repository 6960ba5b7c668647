// The decision between the caller alone and the pool, with the figures it rests on.
#include "runtime/host/Launch.h"

#include "runtime/host/CheckedLaunch.h"
#include "runtime/host/CodeLoader.h"
#include "runtime/host/Report.h"
#include "runtime/host/ThreadPool.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace triton::runtime {

using Clock = std::chrono::steady_clock;

// All in nanoseconds. A launch shorter than `parallelFrom` ends before a sleeping worker is awake; workers that still
// spin help from `parallelFromAwake` on. Chunks shorter than `chunkAtLeast` cost bandwidth; behind the last chunk longer
// than `chunkAtMost` other threads wait too long. A caller alone looks at the clock every `lookEvery`.
static constexpr double parallelFrom = 60e3, parallelFromAwake = 8e3, chunkAtLeast = 20e3, chunkAtMost = 200e3,
                        lookEvery = 10e3;
static constexpr int64_t chunksPerThread = 8;

static double since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

namespace {
struct Launch {
  const KernelCode &kernel;
  const void *arguments;
  std::array<int32_t, 3> grid;
  int64_t programs;
  unsigned threads;
  ThreadPool &pool;
  Failures &failures;

  void run(int64_t begin, int64_t end, void *arena) const {
    if (failures.any())
      return;
    ReportTo reports(failures);
    kernel.entry(arguments, grid.data(), begin, end, arena);
  }
  void learn(double perProgram) const {
    kernel.nanosecondsPerProgram.store(float(std::max(perProgram, 1.0)), std::memory_order_relaxed);
  }
  bool isWorthHelp(double nanoseconds) const {
    return nanoseconds >= (pool.isAwake() ? parallelFromAwake : parallelFrom);
  }

  int64_t runAlone(double perProgram, void *arena) const;
  bool runTogether(int64_t begin, double perProgram) const;
};

struct Chunks {
  const Launch &launch;
  int64_t begin, size;
  std::atomic<bool> outOfMemory{false};
};
} // namespace

/// Runs programs on the caller as long as what is left is not worth help. Gives the first program not run.
int64_t Launch::runAlone(double perProgram, void *arena) const {
  int64_t begin = 0;
  // The estimate is of other arguments: a small share first, so that little is lost if these programs take far longer.
  int64_t limit = programs / 128;
  while (begin < programs) {
    int64_t left = programs - begin;
    if (left > 1 && isWorthHelp(perProgram * double(left)))
      return begin;
    int64_t count = std::clamp<int64_t>(std::min(int64_t(lookEvery / perProgram), limit), 1, left);
    Clock::time_point start = Clock::now();
    run(begin, begin + count, arena);
    perProgram = std::max(since(start) / double(count), 1.0);
    learn(perProgram);
    begin += count;
    limit = 8 * count;
  }
  return begin;
}

/// Runs the programs from `begin` on over the pool. False if a worker had no memory for its arena.
bool Launch::runTogether(int64_t begin, double perProgram) const {
  int64_t left = programs - begin;
  int64_t size = left / (chunksPerThread * threads);
  if (perProgram > 0)
    size = std::clamp(size, int64_t(chunkAtLeast / perProgram), int64_t(chunkAtMost / perProgram));
  size = std::clamp<int64_t>(size, 1, (left + threads - 1) / threads);
  Chunks chunks{*this, begin, size};
  Clock::time_point start = Clock::now();
  pool.run(
      uint32_t((left + size - 1) / size), threads,
      [](void *context, uint32_t chunk) {
        auto &chunks = *static_cast<Chunks *>(context);
        const Launch &launch = chunks.launch;
        void *arena = threadArena(launch.kernel.arenaBytes);
        if (!arena && launch.kernel.arenaBytes) {
          chunks.outOfMemory = true;
          return;
        }
        int64_t from = chunks.begin + chunk * chunks.size;
        launch.run(from, std::min(from + chunks.size, launch.programs), arena);
      },
      &chunks);
  learn(since(start) * double(std::min<int64_t>(threads, left)) / double(left));
  return !chunks.outOfMemory;
}

llvm::Error launch(const KernelCode &kernel, const void *arguments, std::array<int32_t, 3> grid,
                   LaunchOptions options) {
  auto describe = [&] {
    return ("(" + llvm::Twine(grid[0]) + ", " + llvm::Twine(grid[1]) + ", " + llvm::Twine(grid[2]) + ")").str();
  };
  int64_t programs = 1;
  for (int32_t size : grid) {
    if (size < 0)
      return llvm::createStringError("a grid of " + describe() + " has a negative size");
    if (__builtin_mul_overflow(programs, int64_t(size), &programs))
      return llvm::createStringError("a grid of " + describe() + " has more programs than 64 bits can count");
  }
  if (programs == 0)
    return llvm::Error::success();
  auto outOfMemory = [&] {
    return llvm::createStringError("no memory for the " + llvm::Twine(kernel.arenaBytes) +
                                   " bytes of scratch that the kernel needs per thread");
  };
  void *arena = threadArena(kernel.arenaBytes);
  if (!arena && kernel.arenaBytes)
    return outOfMemory();

  ThreadPool &pool = ThreadPool::process();
  unsigned threads = options.maxThreads ? std::min(options.maxThreads, pool.threads()) : pool.threads();
  Failures failures;
  Launch launch{kernel, arguments, grid, programs, threads, pool, failures};
  if (CheckedLaunch *checked = CheckedLaunch::current()) {
    if (auto problem = checked->run([&] { launch.run(0, programs, arena); }))
      failures.add(*std::move(problem));
  } else if (threads == 1 || programs == 1) {
    launch.run(0, programs, arena);
  } else {
    // A kernel never run before is assumed to be worth help: once, that costs less than running a long one alone.
    double perProgram = kernel.nanosecondsPerProgram.load(std::memory_order_relaxed);
    int64_t begin = perProgram > 0 ? launch.runAlone(perProgram, arena) : 0;
    if (begin < programs && !launch.runTogether(begin, kernel.nanosecondsPerProgram.load(std::memory_order_relaxed)))
      return outOfMemory();
  }
  return failures.any() ? llvm::createStringError(failures.message()) : llvm::Error::success();
}

llvm::Expected<std::shared_ptr<const KernelCode>> KernelCode::load(llvm::StringRef object, llvm::StringRef symbol,
                                                                   uint64_t arenaBytes) {
  auto code = loadObject(object, symbol);
  if (!code)
    return code.takeError();
  auto kernel = std::make_shared<KernelCode>();
  kernel->entry = reinterpret_cast<KernelEntry>((*code)->find(symbol));
  if (!kernel->entry)
    return llvm::createStringError("the loaded code defines no kernel '" + symbol + "'");
  kernel->arenaBytes = arenaBytes;
  kernel->code = std::move(*code);
  return kernel;
}

} // namespace triton::runtime
