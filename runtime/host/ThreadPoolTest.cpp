#include "runtime/host/ThreadPool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <numeric>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

using triton::runtime::ThreadPool;

namespace {
/// Counts how often each chunk ran.
struct Counter {
  explicit Counter(uint32_t chunks) : counts(chunks) {}
  static void count(void *context, uint64_t chunk) { ++static_cast<Counter *>(context)->counts[chunk]; }
  bool allOnce() const {
    return std::all_of(counts.begin(), counts.end(), [](const auto &count) { return count == 1; });
  }
  std::vector<std::atomic<int>> counts;
};
} // namespace

TEST(ThreadPool, EachChunkRunsOnce) {
  for (unsigned threads : {1u, 2u, 5u}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (uint32_t chunks : {0u, 1u, 2u, 7u, 1000u}) {
      Counter counter(chunks);
      pool.run(chunks, threads, Counter::count, &counter);
      EXPECT_TRUE(counter.allOnce()) << threads << " threads, " << chunks << " chunks";
    }
  }
}

TEST(ThreadPool, MoreChunksThanAreHandedOutTogether) {
  ThreadPool pool(3, /*jobLimit=*/5);
  for (uint64_t chunks : {4u, 5u, 6u, 10u, 1003u}) {
    Counter counter(chunks);
    pool.run(chunks, 3, Counter::count, &counter);
    EXPECT_TRUE(counter.allOnce()) << chunks;
  }
}

TEST(ThreadPool, CallerLooksUpWhileItWaits) {
  ThreadPool pool(2);
  struct Turn {
    std::thread::id caller = std::this_thread::get_id();
    std::atomic<bool> hasBegun{false}, hasLooked{false};
  } turn;
  // The worker's chunk ends once the caller has been called while it waits.
  pool.run(
      2, 2,
      [](void *context, uint64_t) {
        auto &turn = *static_cast<Turn *>(context);
        const bool isCaller = std::this_thread::get_id() == turn.caller;
        turn.hasBegun = turn.hasBegun || !isCaller;
        while (isCaller ? !turn.hasBegun : !turn.hasLooked)
          sched_yield();
      },
      &turn, [](void *context) { static_cast<Turn *>(context)->hasLooked = true; });
  EXPECT_TRUE(turn.hasLooked);
}

/// Whether `test` holds in a child in which no thread can be started: the stacks that it asks for do not fit in any memory.
static bool holdsWithoutThreads(bool (*test)()) {
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, size_t(1) << 46);
    pthread_setattr_default_np(&attributes);
    _exit(test() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(ThreadPool, WithoutThreadsTheCallerWorks) {
  EXPECT_TRUE(holdsWithoutThreads([] {
    testing::internal::CaptureStderr();
    ThreadPool pool(4), other(4);
    Counter counter(100);
    pool.run(100, 4, Counter::count, &counter);
    std::string said = testing::internal::GetCapturedStderr();
    size_t first = said.find("warning: triton can start no more threads");
    return pool.threads() == 1 && counter.allOnce() && first != said.npos &&
           said.find("warning", first + 1) == said.npos;
  }));
}

TEST(ThreadPool, WorkersHelp) {
  ThreadPool pool(3);
  // Two chunks that each wait for the other cannot both run on the caller.
  struct Meeting {
    std::atomic<int> arrived{0};
  } meeting;
  pool.run(
      2, 3,
      [](void *context, uint64_t) {
        auto &meeting = *static_cast<Meeting *>(context);
        ++meeting.arrived;
        while (meeting.arrived < 2)
          sched_yield();
      },
      &meeting);
  EXPECT_EQ(meeting.arrived, 2);
}

TEST(ThreadPool, MaxThreadsLimitsHelpers) {
  ThreadPool pool(6);
  struct Seen {
    std::atomic<int> active{0}, most{0};
  } seen;
  for (int repeat = 0; repeat < 20; ++repeat)
    pool.run(
        50, 2,
        [](void *context, uint64_t) {
          auto &seen = *static_cast<Seen *>(context);
          int active = ++seen.active;
          for (int most = seen.most; active > most && !seen.most.compare_exchange_weak(most, active);) {
          }
          sched_yield();
          --seen.active;
        },
        &seen);
  EXPECT_LE(seen.most, 2);
}

TEST(ThreadPool, WakesSleepingWorkers) {
  ThreadPool pool(4);
  for (int repeat = 0; repeat < 5; ++repeat) {
    for (int wait = 0; pool.isAwake() && wait < 1000; ++wait)
      usleep(5000);
    EXPECT_FALSE(pool.isAwake());
    Counter counter(64);
    pool.run(64, 4, Counter::count, &counter);
    EXPECT_TRUE(counter.allOnce());
  }
}

TEST(ThreadPool, ManyCallersAtOnce) {
  ThreadPool pool(4);
  std::atomic<int> failures{0};
  std::vector<std::thread> callers;
  // More callers than the pool has places for jobs.
  for (int caller = 0; caller < 48; ++caller)
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 200; ++repeat) {
        Counter counter(1 + repeat % 17);
        pool.run(uint32_t(counter.counts.size()), 4, Counter::count, &counter);
        failures += !counter.allOnce();
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(failures, 0);
}

TEST(ThreadPool, ManyShortRuns) {
  ThreadPool pool(3);
  for (int repeat = 0; repeat < 20000; ++repeat) {
    std::atomic<int> sum{0};
    pool.run(
        3, 3, [](void *context, uint64_t chunk) { *static_cast<std::atomic<int> *>(context) += int(chunk) + 1; }, &sum);
    ASSERT_EQ(sum, 6) << repeat;
  }
}

TEST(ThreadPool, WorksInAForkedChild) {
  Counter before(100);
  ThreadPool &pool = ThreadPool::process();
  pool.run(100, pool.threads(), Counter::count, &before);
  EXPECT_TRUE(before.allOnce());
  pid_t child = fork();
  if (child == 0) {
    alarm(20); // a child that waits for threads it does not have is killed
    Counter counter(100);
    ThreadPool &fresh = ThreadPool::process();
    fresh.run(100, fresh.threads(), Counter::count, &counter);
    _exit(counter.allOnce() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(ThreadArena, OneInUseIsLeftAlone) {
  using triton::runtime::threadArena;
  auto *mine = static_cast<char *>(threadArena(1000));
  mine[0] = 7;
  {
    triton::runtime::ArenaInUse inUse;
    EXPECT_NE(threadArena(1000), mine);
    std::memset(threadArena(1 << 20), 1, 1 << 20);
  }
  EXPECT_EQ(threadArena(1000), mine);
  EXPECT_EQ(mine[0], 7);
}

TEST(ThreadArena, AlignedGrowsAndIsPrivate) {
  using triton::runtime::threadArena;
  EXPECT_EQ(threadArena(0), nullptr);
  void *mine = threadArena(1000);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(mine) % 64, 0u);
  EXPECT_EQ(threadArena(100), mine);
  std::memset(threadArena(1 << 20), 1, 1 << 20);
  void *other = nullptr;
  std::thread([&] { other = threadArena(1000); }).join();
  EXPECT_NE(other, threadArena(1000));
  EXPECT_EQ(threadArena(size_t(1) << 60), nullptr);
}
