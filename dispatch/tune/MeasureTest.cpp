#include "dispatch/tune/Measure.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace triton::dispatch;

namespace {
/// A call takes `each` milliseconds, clearing the cache as long as that.
struct FakeClock : Clock {
  double now = 0, each = 1;
  size_t cleared = 0;
  std::vector<double> marks;
  Outcome mark(size_t index) override {
    marks.resize(std::max(marks.size(), index + 1));
    marks[index] = now;
    return Outcome();
  }
  Outcome wait() override { return std::nullopt; }
  std::variant<double, Problem> milliseconds(size_t first, size_t second) override {
    return marks[second] - marks[first];
  }
  Outcome clearCache() override {
    ++cleared;
    now += each;
    return Outcome();
  }
};
} // namespace

static size_t callsOf(FakeClock &clock, const MeasurePlan &plan, std::vector<double> *out = nullptr) {
  size_t calls = 0, prepared = 0;
  auto call = [&] {
    ++calls;
    clock.now += clock.each;
    return Outcome();
  };
  auto prepare = [&] {
    ++prepared;
    return Outcome();
  };
  std::vector<double> times = std::get<0>(measure(clock, call, prepare, plan));
  EXPECT_EQ(prepared, times.size());
  if (out)
    *out = times;
  return calls;
}

TEST(Measure, SpendsWhatThePlanSays) {
  FakeClock clock;
  std::vector<double> times;
  // Once, five trials of 2 ms each with the cache, 10 to warm up, 50 that count.
  EXPECT_EQ(callsOf(clock, {.warmup = 20, .milliseconds = 100}, &times), 1 + 5 + 10 + 50u);
  EXPECT_EQ(times, std::vector<double>(50, 1.0)) << "clearing the cache is no part of a call";
  EXPECT_EQ(clock.cleared, 55u);
}

TEST(Measure, RepetitionsAreCounted) {
  FakeClock clock;
  EXPECT_EQ(callsOf(clock, {.repetitions = 7}), 8u);
}

TEST(Measure, OddPlans) {
  FakeClock clock;
  EXPECT_EQ(callsOf(clock, {.warmup = -1, .milliseconds = std::nan("")}), 1 + 5 + 1 + 1u);
  clock.each = 0;
  EXPECT_EQ(callsOf(clock, {.warmup = 1, .milliseconds = 1}), 1 + 5 + 1000 + 1000u) << "too short to be seen";
}

TEST(Measure, AnErrorEndsIt) {
  FakeClock clock;
  size_t left = 4;
  auto call = [&] { return left-- ? Outcome() : Problem{"RuntimeError", "enough"}; };
  auto times = measure(clock, call, [] { return std::nullopt; }, {});
  EXPECT_EQ(std::get<Problem>(times).message, "enough");
}

TEST(Measure, Quantiles) {
  EXPECT_EQ(quantiles({3, 1, 2}, std::vector{0.5, 0.0, 1.0, 0.25}), (std::vector<double>{2, 1, 3, 1.5}));
  EXPECT_EQ(quantiles({5}, std::vector{0.2, 0.8}), (std::vector<double>{5, 5}));
}
