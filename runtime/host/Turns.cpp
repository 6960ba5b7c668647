#include "runtime/host/Turns.h"

#include "compiler/support/WorkerThread.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace triton::runtime {

// A GPU of today holds a few thousand programs at once, and kernels whose programs meet are launched with one or two for each multiprocessor.
static constexpr size_t mostThreads = 1024;
// How long nothing may end before more threads begin the rest; also how often a caller that waits for threads looks up.
static constexpr std::chrono::milliseconds patience(10);

namespace {
/// Programs that any thread takes one after the other.
struct Turns {
  const TurnsRequest &request;
  Interruption &interruption;
  std::atomic<int64_t> next{0}, done{0};
  std::atomic<bool> outOfMemory{false};

  bool areTaken() const { return next.load() >= request.programs || request.isOver(); }
  void take() {
    void *arena = threadArena(request.arenaBytes);
    if (!arena && request.arenaBytes) {
      outOfMemory = true;
      return;
    }
    for (int64_t program; !request.isOver() && (program = next.fetch_add(1)) < request.programs; ++done) {
      request.run(program, arena);
      askAside(interruption);
    }
  }
};

/// Starts threads as long as no program ends and some have not begun: those that have may wait for them.
class Reinforcement {
public:
  explicit Reinforcement(Turns &turns) : turns(turns), watch(startWorker([this] { look(); })) {}
  /// Waits for all threads.
  ~Reinforcement() {
    std::unique_lock lock(mutex);
    isOver = true;
    changed.notify_all();
    while (running > 0) {
      lock.unlock();
      askAside(turns.interruption);
      lock.lock();
      changed.wait_for(lock, patience, [&] { return running == 0; });
    }
    lock.unlock();
    if (watch.joinable())
      watch.join();
    for (std::thread &thread : more)
      thread.join();
  }

private:
  void look() {
    int64_t seen = -1;
    size_t wanted = 1;
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, patience, [&] { return isOver; }) && !turns.areTaken()) {
      const int64_t done = turns.done.load();
      for (size_t count = done == seen ? wanted : 0; count > 0 && !turns.areTaken(); --count)
        if (more.size() == mostThreads || !start())
          return; // wait for what there is
      wanted = done == seen ? 2 * wanted : 1;
      seen = done;
    }
  }

  /// With the lock. False if there are no more threads.
  bool start() {
    std::thread started = startWorker([this] {
      turns.take();
      std::lock_guard lock(mutex);
      --running;
      changed.notify_all();
    });
    if (!started.joinable())
      return false;
    ++running;
    more.push_back(std::move(started));
    return true;
  }

  Turns &turns;
  std::mutex mutex;
  std::condition_variable changed;
  bool isOver = false; // the programs of the pool's threads are
  size_t running = 0;  // of `more`
  std::vector<std::thread> more;
  std::thread watch; // the last member: it uses all others
};
} // namespace

bool runByTurns(const TurnsRequest &request, ThreadPool &pool, Interruption &interruption) {
  Turns turns{request, interruption};
  askAside(interruption); // from here on it counts how long nobody was asked
  {
    Reinforcement reinforcement(turns);
    pool.run(
        request.threads, request.threads, [](void *context, uint64_t) { static_cast<Turns *>(context)->take(); },
        &turns, [](void *context) { askAside(static_cast<Turns *>(context)->interruption); });
  }
  return !turns.outOfMemory;
}

} // namespace triton::runtime
