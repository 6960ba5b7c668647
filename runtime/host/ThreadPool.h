// The threads that run kernels on the CPU.
//   In:  a range of chunks and a function to call with each chunk number.
//   Out: every chunk has been run, exactly once, when `run` returns.
// Workers live as long as the pool. The caller works too, so a pool of one thread has no workers. Chunks are handed out
// one at a time, and the caller waits for chunks to be done, not for workers to wake up. After a run workers spin for a
// while, since waking a sleeping one costs some 50 microseconds and a spinning one a fraction of one; then they sleep.
// Any number of threads may call `run` at once; a forked child gets fresh workers. Where the system has no threads left,
// there are fewer workers, down to none.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace triton::runtime {

class ThreadPool {
public:
  /// The pool of this process, with as many threads as the process may use processors.
  static ThreadPool &process();
  /// Processors this process may use: its affinity mask, or what its container is limited to if that is less.
  static unsigned availableProcessors();

  /// `jobLimit`: chunks that are handed out together; more are handed out when those are done.
  explicit ThreadPool(unsigned threads, uint32_t jobLimit = uint32_t(1) << 31);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// Workers and the caller.
  unsigned threads() const { return unsigned(workers.size()) + 1; }

  using Function = void (*)(void *context, uint64_t chunk);
  /// Calls `function(context, chunk)` for every chunk in [0, chunks) on at most `maxThreads` threads, the caller being
  /// one. While the caller waits for the others it calls `whileWaiting(context)` again and again, if there is one.
  void run(uint64_t chunks, unsigned maxThreads, Function function, void *context,
           void (*whileWaiting)(void *context) = nullptr);

  /// Whether a worker would take part at once, without being woken.
  bool isAwake() const { return sleepers.load(std::memory_order_relaxed) < workers.size(); }

private:
  /// A run in progress. Jobs lie in the pool, not on the caller's stack, so that a late worker may always look at one;
  /// the generation in `next` tells it that the job it looked at is over.
  struct alignas(64) Job {
    std::atomic<uint64_t> next{0}; // generation << 32 | next chunk of the job
    std::atomic<uint32_t> chunks{0}, done{0};
    std::atomic<uint64_t> first{0}; // the number that chunk 0 of the job has for the function
    std::atomic<unsigned> maxThreads{0};
    std::atomic<Function> function{nullptr};
    std::atomic<void *> context{nullptr};
    std::atomic<bool> taken{false}; // by a caller
  };

  /// The chunks from `first` on.
  struct Part {
    uint64_t first;
    uint32_t chunks;
    unsigned maxThreads;
    Function function;
    void *context;
  };

  Job *takeJob();
  void runPart(Job &job, const Part &part, void (*whileWaiting)(void *context));
  static bool workOn(Job &job, unsigned participant);
  void work(unsigned worker);
  void wake();
  bool hasWork() const;

  std::array<Job, 32> jobs;
  alignas(64) std::atomic<uint32_t> epoch{0}; // changes with every new job; what sleepers wait for
  alignas(64) std::atomic<uint32_t> sleepers{0};
  std::atomic<bool> stopping{false};
  const uint32_t jobLimit;
  std::vector<std::thread> workers;
};

/// Scratch of at least `bytes` bytes, 64-byte aligned, for the calling thread until its next call. Null when out of
/// memory, and for zero bytes.
void *threadArena(size_t bytes);

/// While it lives, the calling thread gets another arena: the one before is in use.
class ArenaInUse {
public:
  ArenaInUse();
  ~ArenaInUse();
  ArenaInUse(const ArenaInUse &) = delete;

private:
  void *memory;
  size_t bytes;
};

} // namespace triton::runtime
