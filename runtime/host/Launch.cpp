// The decision between the caller alone and the pool, with the figures it rests on.
#include "runtime/host/Launch.h"

#include "compiler/support/KernelSymbols.h"
#include "runtime/host/CheckedLaunch.h"
#include "runtime/host/CodeLoader.h"
#include "runtime/host/Report.h"
#include "runtime/host/ThreadPool.h"
#include "runtime/profiler/Profiler.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>

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

  bool runByTurns() const;
  int64_t runAlone(double perProgram, void *arena) const;
  bool runTogether(int64_t begin, double perProgram) const;
};

struct Chunks {
  const Launch &launch;
  int64_t begin, size;
  std::atomic<bool> outOfMemory{false};
};
} // namespace

namespace {
/// Programs that any thread takes one after the other.
struct Turns {
  const Launch &launch;
  std::atomic<int64_t> next{0}, done{0};
  std::atomic<bool> outOfMemory{false};

  bool areTaken() const { return next.load() >= launch.programs; }
  void take() {
    void *arena = threadArena(launch.kernel.arenaBytes);
    if (!arena && launch.kernel.arenaBytes) {
      outOfMemory = true;
      return;
    }
    for (int64_t program; (program = next.fetch_add(1)) < launch.programs; ++done)
      launch.run(program, program + 1, arena);
  }
};

/// Starts threads as long as no program ends and some have not begun: those that have may wait for them.
class Reinforcement {
public:
  explicit Reinforcement(Turns &turns) : turns(turns), watch([this] { look(); }) {}
  ~Reinforcement() {
    {
      std::lock_guard lock(mutex);
      isOver = true;
    }
    over.notify_one();
    watch.join();
    for (std::thread &thread : more)
      thread.join();
  }

private:
  void look() {
    constexpr std::chrono::milliseconds patience(10);
    int64_t seen = -1;
    size_t wanted = 1;
    std::unique_lock lock(mutex);
    while (!over.wait_for(lock, patience, [&] { return isOver; }) && !turns.areTaken()) {
      const int64_t done = turns.done.load();
      for (size_t count = done == seen ? wanted : 0; count > 0 && !turns.areTaken(); --count)
        try {
          more.emplace_back([this] { turns.take(); });
        } catch (const std::system_error &) { // no more threads: wait for what there is
          return;
        }
      wanted = done == seen ? 2 * wanted : 1;
      seen = done;
    }
  }

  Turns &turns;
  std::mutex mutex;
  std::condition_variable over;
  bool isOver = false;
  std::vector<std::thread> more; // of `watch` alone until it has ended
  std::thread watch;
};
} // namespace

/// Programs one by one. False if a thread had no memory for its arena.
bool Launch::runByTurns() const {
  Turns turns{*this};
  {
    Reinforcement reinforcement(turns);
    pool.run(threads, threads, [](void *context, uint32_t) { static_cast<Turns *>(context)->take(); }, &turns);
  }
  return !turns.outOfMemory;
}

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

static llvm::Error launchNow(const KernelCode &kernel, const void *arguments, std::array<int32_t, 3> grid,
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
    if (auto problem = checked->run(grid, [&] { launch.run(0, programs, arena); }))
      failures.add(*std::move(problem));
  } else if (kernel.waits && programs > 1) {
    if (!launch.runByTurns())
      return outOfMemory();
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

llvm::Error launch(const KernelCode &kernel, const void *arguments, std::array<int32_t, 3> grid,
                   LaunchOptions options) {
  if (!profiler::measuresHost.load(std::memory_order_relaxed))
    return launchNow(kernel, arguments, grid, options);
  profiler::HostLaunch measured(kernel.name);
  return launchNow(kernel, arguments, grid, options);
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
  kernel->waits = (*code)->find((symbol + waitsSuffix).str());
  kernel->code = std::move(*code);
  return kernel;
}

} // namespace triton::runtime
