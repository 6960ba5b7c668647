// The decision between the caller alone and the pool, with the figures it rests on.
#include "runtime/host/Launch.h"

#include "runtime/host/CheckedLaunch.h"
#include "runtime/host/CodeLoader.h"
#include "runtime/host/InterruptibleCode.h"
#include "runtime/host/Report.h"
#include "runtime/host/ThreadPool.h"
#include "runtime/host/Turns.h"
#include "runtime/profiler/Profiler.h"

#include <algorithm>
#include <chrono>

namespace triton::runtime {

using Clock = std::chrono::steady_clock;

// All in nanoseconds. A launch shorter than `parallelFrom` ends before a sleeping worker is awake; workers that still
// spin help from `parallelFromAwake` on. Chunks shorter than `chunkAtLeast` cost bandwidth; behind the last chunk longer
// than `chunkAtMost` other threads wait too long. A caller alone looks at the clock every `lookEvery`; longer than
// `sliceAtMost` no thread runs programs, if they are not that long themselves, without looking whether it is to stop.
static constexpr double parallelFrom = 60e3, parallelFromAwake = 8e3, chunkAtLeast = 20e3, chunkAtMost = 200e3,
                        lookEvery = 10e3, sliceAtMost = 5e6;
// A grid is cut into at least the first number of chunks for each thread, and, however long its programs take, into at most the second.
static constexpr int64_t chunksPerThread = 8, mostChunksPerThread = int64_t(1) << 19;

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
  bool polls;
  ThreadPool &pool;
  Failures &failures;
  Interruption &interruption;
  CheckedLaunch *checked;                // or null
  mutable std::atomic<int64_t> slice{1}; // programs that a thread runs before it looks up: what takes `sliceAtMost`

  /// Whether programs that have not begun are left out.
  bool isOver() const { return failures.any() || interruption.isSet(); }
  void run(int64_t begin, int64_t end, void *arena) const;
  void learn(double perProgram) const {
    kernel.nanosecondsPerProgram.store(float(std::max(perProgram, 1.0)), std::memory_order_relaxed);
  }
  bool isWorthHelp(double nanoseconds) const {
    return threads > 1 && nanoseconds >= (pool.isAwake() ? parallelFromAwake : parallelFrom);
  }

  int64_t runAlone(double perProgram, void *arena) const;
  void runInSlices(int64_t begin, int64_t end, void *arena) const;
  bool runTogether(int64_t begin, double perProgram) const;
};

struct Chunks {
  const Launch &launch;
  int64_t begin, size;
  std::atomic<bool> outOfMemory{false};
};
} // namespace

void Launch::run(int64_t begin, int64_t end, void *arena) const {
  if (isOver())
    return;
  ReportTo reports(failures);
  if (!polls && !checked)
    return kernel.entry(arguments, grid.data(), begin, end, arena);
  std::optional<std::string> problem;
  auto programs = [&] { kernel.entry(arguments, grid.data(), begin, end, arena); };
  runInterruptibly(interruption, [&] {
    if (checked)
      problem = checked->run(grid, programs);
    else
      programs();
  });
  if (problem)
    failures.add(*std::move(problem));
}

/// Runs programs on the caller as long as what is left is not worth help. Gives the first program not run.
int64_t Launch::runAlone(double perProgram, void *arena) const {
  const double atMost = threads > 1 ? lookEvery : sliceAtMost;
  int64_t begin = 0;
  // The estimate is of other arguments: a small share first, so that little is lost if these programs take far longer.
  int64_t limit = perProgram > 0 ? programs / 128 : 1;
  while (begin < programs && !isOver()) {
    int64_t left = programs - begin;
    if (left > 1 && isWorthHelp(perProgram * double(left)))
      return begin;
    int64_t wanted = perProgram > 0 ? std::min(int64_t(atMost / perProgram), limit) : limit;
    int64_t count = std::clamp<int64_t>(wanted, 1, left);
    Clock::time_point start = Clock::now();
    run(begin, begin + count, arena);
    perProgram = std::max(since(start) / double(count), 1.0);
    learn(perProgram);
    begin += count;
    limit = 8 * count;
    askAside(interruption);
  }
  return begin;
}

/// How long programs take is learnt on the way: what an earlier launch took may have been of other arguments.
void Launch::runInSlices(int64_t begin, int64_t end, void *arena) const {
  while (begin < end && !isOver()) {
    const int64_t most = slice.load(std::memory_order_relaxed), count = std::min(most, end - begin);
    const Clock::time_point start = Clock::now();
    run(begin, begin + count, arena);
    const double perProgram = std::max(since(start) / double(count), 1.0);
    slice.store(std::clamp<int64_t>(int64_t(sliceAtMost / perProgram), 1, 8 * most), std::memory_order_relaxed);
    begin += count;
    askAside(interruption);
  }
}

/// Runs the programs from `begin` on over the pool. False if a worker had no memory for its arena.
bool Launch::runTogether(int64_t begin, double perProgram) const {
  int64_t left = programs - begin;
  int64_t size = left / (chunksPerThread * threads);
  if (perProgram > 0) {
    size = std::clamp(size, int64_t(chunkAtLeast / perProgram), int64_t(chunkAtMost / perProgram));
    slice = std::max<int64_t>(size, 1);
  }
  size = std::clamp<int64_t>(std::max(size, left / (mostChunksPerThread * threads)), 1, (left + threads - 1) / threads);
  Chunks chunks{*this, begin, size};
  askAside(interruption); // from here on it counts how long nobody was asked
  Clock::time_point start = Clock::now();
  pool.run(
      uint64_t(left / size + (left % size != 0)), threads,
      [](void *context, uint64_t chunk) {
        auto &chunks = *static_cast<Chunks *>(context);
        const Launch &launch = chunks.launch;
        void *arena = threadArena(launch.kernel.arenaBytes);
        if (!arena && launch.kernel.arenaBytes) {
          chunks.outOfMemory = true;
          return;
        }
        int64_t from = chunks.begin + int64_t(chunk) * chunks.size;
        launch.runInSlices(from, from + std::min(chunks.size, launch.programs - from), arena);
      },
      &chunks, [](void *context) { askAside(static_cast<Chunks *>(context)->launch.interruption); });
  if (!isOver())
    learn(since(start) * double(std::min<int64_t>(threads, left)) / double(left));
  return !chunks.outOfMemory;
}

static llvm::Error launchNow(const KernelCode &kernel, const void *arguments, std::array<int32_t, 3> grid,
                             LaunchOptions options, profiler::HostRecorder *recorder = nullptr) {
  auto describe = [&] {
    return ("(" + llvm::Twine(grid[0]) + ", " + llvm::Twine(grid[1]) + ", " + llvm::Twine(grid[2]) + ")").str();
  };
  if ((grid[0] | grid[1] | grid[2]) < 0)
    return llvm::createStringError("a grid of " + describe() + " has a negative size");
  int64_t programs = int64_t(grid[0]) * grid[1];
  if (__builtin_mul_overflow(programs, int64_t(grid[2]), &programs))
    return llvm::createStringError("a grid of " + describe() + " has more programs than 64 bits can count");
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
  Failures failures(recorder);
  Interruption interruption(options.isInterrupted);
  CheckedLaunch *checked = CheckedLaunch::current();
  Launch launch{kernel, arguments, grid, programs, threads, options.polls, pool, failures, interruption, checked};
  if (checked) {
    launch.runInSlices(0, programs, arena);
  } else if (programs == 1) {
    launch.run(0, 1, arena);
  } else if (options.waits) {
    auto runOne = [&](int64_t program, void *arena) { launch.run(program, program + 1, arena); };
    auto isOver = [&] { return launch.isOver(); };
    if (!runByTurns({programs, kernel.arenaBytes, threads, runOne, isOver}, pool, interruption))
      return outOfMemory();
  } else {
    // A kernel never run before is assumed to be worth help: once, that costs less than running a long one alone.
    double perProgram = kernel.nanosecondsPerProgram.load(std::memory_order_relaxed);
    int64_t begin = threads == 1 || perProgram > 0 ? launch.runAlone(perProgram, arena) : 0;
    if (begin < programs && !launch.isOver() &&
        !launch.runTogether(begin, kernel.nanosecondsPerProgram.load(std::memory_order_relaxed)))
      return outOfMemory();
  }
  if (interruption.isSet())
    return llvm::createStringError("the launch was interrupted");
  return failures.any() ? llvm::createStringError(failures.message()) : llvm::Error::success();
}

llvm::Error launch(const KernelCode &kernel, const void *arguments, std::array<int32_t, 3> grid,
                   LaunchOptions options) {
  if (!profiler::measuresHost.load(std::memory_order_relaxed))
    return launchNow(kernel, arguments, grid, options);
  profiler::HostLaunch measured(kernel.name);
  return launchNow(kernel, arguments, grid, options, measured.recorder());
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
  kernel->name = symbol.str();
  kernel->arenaBytes = arenaBytes;
  kernel->code = std::move(*code);
  return kernel;
}

} // namespace triton::runtime
