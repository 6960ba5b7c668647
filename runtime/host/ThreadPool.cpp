// How a job is protected: `next` holds the job's generation beside the next chunk, and a chunk is claimed by compare
// and exchange. A claim therefore succeeds only while the job whose fields were read just before is still the current
// one. A caller that saw all chunks done may leave and reuse the job: any late worker fails its claim.
#include "runtime/host/ThreadPool.h"

#include "compiler/support/WorkerThread.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace triton::runtime {

static constexpr auto spinTime = std::chrono::microseconds(700);
// Waking is a system call that takes microseconds per thread: the caller wakes a few, and each of them a few more.
static constexpr unsigned wakeAtOnce = 3;

static void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

static void futexWait(std::atomic<uint32_t> &word, uint32_t seen) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}

static void futexWake(std::atomic<uint32_t> &word, unsigned count) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

/// Processors in the affinity mask.
static unsigned affinity() {
  // The mask may be wider than cpu_set_t on very large machines; the call then fails and the next size is tried.
  for (size_t processors = CPU_SETSIZE; processors <= (1u << 16); processors *= 4) {
    cpu_set_t *set = CPU_ALLOC(processors);
    size_t bytes = CPU_ALLOC_SIZE(processors);
    if (!set)
      break;
    bool known = sched_getaffinity(0, bytes, set) == 0;
    int count = known ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (known && count > 0)
      return unsigned(count);
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

/// Processors' worth of time that a container may use, rounded up; 0 if it is not limited. More threads than that would
/// only be stopped by the kernel in the middle of a launch.
static unsigned quota() {
  double limit = 0, period = 0;
  auto read = [](const char *path, const char *format, auto *...values) {
    FILE *file = fopen(path, "re");
    int count = file ? fscanf(file, format, values...) : 0;
    if (file)
      fclose(file);
    return count == int(sizeof...(values));
  };
  // Within a container its own group is the root of what it sees. Version 2 writes "max" for no limit, version 1 a
  // negative one.
  bool known = read("/sys/fs/cgroup/cpu.max", "%lf %lf", &limit, &period) ||
               (read("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "%lf", &limit) &&
                read("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "%lf", &period));
  return known && limit > 0 && period > 0 ? unsigned(std::ceil(limit / period)) : 0;
}

unsigned ThreadPool::availableProcessors() {
  unsigned processors = affinity(), limit = quota();
  return limit ? std::min(processors, limit) : processors;
}

ThreadPool::ThreadPool(unsigned threads, uint32_t jobLimit) : jobLimit(jobLimit) {
  for (unsigned worker = 0; worker + 1 < threads; ++worker)
    if (std::thread started = startWorker([this, worker] { work(worker); }); started.joinable())
      workers.push_back(std::move(started));
    else
      break;
}

ThreadPool::~ThreadPool() {
  stopping = true;
  epoch.fetch_add(1, std::memory_order_seq_cst);
  futexWake(epoch, unsigned(workers.size()));
  for (std::thread &worker : workers)
    worker.join();
}

namespace {
/// The pool is never destroyed: workers may still be spinning when the program's static objects are.
std::atomic<ThreadPool *> processPool{nullptr};
std::atomic<bool> creatingPool{false};
} // namespace

ThreadPool &ThreadPool::process() {
  if (ThreadPool *pool = processPool.load(std::memory_order_acquire))
    return *pool;
  while (creatingPool.exchange(true))
    sched_yield();
  if (!processPool.load()) {
    static bool registered = false;
    // A child has the parent's memory but none of its workers: it forgets the pool and makes another when it needs one.
    if (!registered)
      pthread_atfork(nullptr, nullptr, [] {
        processPool = nullptr;
        creatingPool = false;
      });
    registered = true;
    processPool.store(new ThreadPool(availableProcessors()), std::memory_order_release);
  }
  creatingPool = false;
  return *processPool.load();
}

ThreadPool::Job *ThreadPool::takeJob() {
  for (Job &job : jobs)
    if (!job.taken.load(std::memory_order_relaxed) && !job.taken.exchange(true, std::memory_order_acquire))
      return &job;
  return nullptr;
}

bool ThreadPool::workOn(Job &job, unsigned participant) {
  bool worked = false;
  uint64_t claim = job.next.load(std::memory_order_acquire);
  for (;;) {
    uint32_t chunk = uint32_t(claim);
    if (chunk >= job.chunks.load(std::memory_order_acquire) ||
        participant >= job.maxThreads.load(std::memory_order_acquire))
      return worked;
    Function function = job.function.load(std::memory_order_acquire);
    void *context = job.context.load(std::memory_order_acquire);
    uint64_t first = job.first.load(std::memory_order_acquire);
    // A later job stores its generation before these fields: if one of them was a later job's, the claim fails.
    if (!job.next.compare_exchange_weak(claim, claim + 1, std::memory_order_acq_rel, std::memory_order_acquire))
      continue;
    function(context, first + chunk);
    job.done.fetch_add(1, std::memory_order_release);
    worked = true;
    claim = job.next.load(std::memory_order_acquire);
  }
}

void ThreadPool::wake() {
  epoch.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers.load(std::memory_order_seq_cst) > 0)
    futexWake(epoch, wakeAtOnce);
}

bool ThreadPool::hasWork() const {
  return std::any_of(jobs.begin(), jobs.end(), [](const Job &job) {
    return uint32_t(job.next.load(std::memory_order_relaxed)) < job.chunks.load(std::memory_order_relaxed);
  });
}

void ThreadPool::run(uint64_t chunks, unsigned maxThreads, Function function, void *context,
                     void (*whileWaiting)(void *context)) {
  maxThreads = std::min(maxThreads, threads());
  Job *job = chunks > 1 && maxThreads > 1 ? takeJob() : nullptr;
  if (!job) {
    for (uint64_t chunk = 0; chunk < chunks; ++chunk)
      function(context, chunk);
    return;
  }
  // A job counts in 32 bits, beside its generation: of more chunks, one part after the other.
  for (uint64_t first = 0; first < chunks; first += jobLimit)
    runPart(*job, {first, uint32_t(std::min<uint64_t>(jobLimit, chunks - first)), maxThreads, function, context},
            whileWaiting);
  job->taken.store(false, std::memory_order_release);
}

void ThreadPool::runPart(Job &job, const Part &part, void (*whileWaiting)(void *context)) {
  // `chunks` has been zero since the last part ended, so no worker claims anything until it is set.
  uint64_t generation = (job.next.load(std::memory_order_relaxed) >> 32) + 1;
  job.next.store(generation << 32, std::memory_order_release);
  job.done.store(0, std::memory_order_relaxed);
  job.first.store(part.first, std::memory_order_release);
  job.function.store(part.function, std::memory_order_release);
  job.context.store(part.context, std::memory_order_release);
  job.maxThreads.store(part.maxThreads, std::memory_order_release);
  job.chunks.store(part.chunks, std::memory_order_release);
  wake();

  workOn(job, 0);
  for (unsigned spins = 0; job.done.load(std::memory_order_acquire) < part.chunks; ++spins) {
    if (spins < 4096) {
      pause();
      continue;
    }
    sched_yield();
    if (whileWaiting)
      whileWaiting(part.context);
  }
  job.chunks.store(0, std::memory_order_release);
}

void ThreadPool::work(unsigned worker) {
  using Clock = std::chrono::steady_clock;
  uint32_t seen = epoch.load(std::memory_order_acquire);
  while (!stopping.load(std::memory_order_relaxed)) {
    bool worked = false;
    for (Job &job : jobs)
      worked |= workOn(job, worker + 1);
    if (worked)
      continue;
    Clock::time_point sleepAt = Clock::now() + spinTime;
    uint32_t now;
    for (unsigned spins = 0; (now = epoch.load(std::memory_order_acquire)) == seen; ++spins) {
      pause();
      if (spins % 64 == 63 && Clock::now() > sleepAt) {
        sleepers.fetch_add(1, std::memory_order_seq_cst);
        futexWait(epoch, seen);
        if (sleepers.fetch_sub(1, std::memory_order_seq_cst) > 1 && hasWork())
          futexWake(epoch, wakeAtOnce);
        sleepAt = Clock::now() + spinTime;
      }
    }
    seen = now;
  }
}

namespace {
struct Arena {
  ~Arena() { std::free(memory); }
  void *memory = nullptr;
  size_t bytes = 0;
};
} // namespace

static thread_local Arena arena;

void *threadArena(size_t bytes) {
  if (bytes == 0)
    return nullptr;
  if (bytes > arena.bytes) {
    size_t rounded = (bytes + 4095) / 4096 * 4096;
    std::free(arena.memory);
    arena.memory = std::aligned_alloc(64, rounded);
    arena.bytes = arena.memory ? rounded : 0;
  }
  return arena.memory;
}

ArenaInUse::ArenaInUse() : memory(std::exchange(arena.memory, nullptr)), bytes(std::exchange(arena.bytes, 0)) {}

ArenaInUse::~ArenaInUse() {
  std::free(arena.memory);
  arena.memory = memory;
  arena.bytes = bytes;
}

} // namespace triton::runtime
