#include "runtime/host/Launch.h"

#include "compiler/llvm/host/Codegen.h"
#include "runtime/host/CodeLoader.h"
#include "runtime/host/InterruptibleCode.h"
#include "runtime/host/ThreadPool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

using namespace triton;
using namespace triton::runtime;

static std::string compile(llvm::StringRef llir) {
  llvm::Expected<host::Code> code = host::Code::parse(llir, cpu::HostTarget::detect());
  EXPECT_TRUE(bool(code));
  auto object = code->object();
  EXPECT_TRUE(bool(object));
  return std::string(object->begin(), object->end());
}

// out[program] += program * grid.x + exp(0), so that order, duplication and libm all show.
static constexpr const char *countKernel = R"(
declare double @exp(double)
define void @count(ptr %args, ptr %grid, i64 %begin, i64 %end, ptr %arena) {
entry:
  %out = load ptr, ptr %args
  %x = load i32, ptr %grid
  %scale = zext i32 %x to i64
  %empty = icmp sge i64 %begin, %end
  br i1 %empty, label %exit, label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %next, %loop ]
  %slot = getelementptr double, ptr %out, i64 %i
  %old = load double, ptr %slot
  %product = mul i64 %i, %scale
  %value = sitofp i64 %product to double
  %one = call double @exp(double 0.0)
  %plus = fadd double %value, %one
  %new = fadd double %old, %plus
  store double %new, ptr %slot
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %end
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
)";

TEST(CodeLoader, ResolvesLibmAndFindsSymbols) {
  std::string object = compile(countKernel);
  auto code = loadObject(object, "count");
  ASSERT_TRUE(bool(code)) << llvm::toString(code.takeError());
  EXPECT_NE((*code)->find("count"), nullptr);
  EXPECT_EQ((*code)->find("other"), nullptr);
}

TEST(CodeLoader, SameNameTwice) {
  std::string object = compile(countKernel);
  auto first = loadObject(object, "count"), second = loadObject(object, "count");
  ASSERT_TRUE(first && second);
  EXPECT_NE((*first)->find("count"), (*second)->find("count"));
}

TEST(CodeLoader, BadObjectsAreErrors) {
  auto garbage = loadObject("not an object", "mine");
  ASSERT_FALSE(bool(garbage));
  EXPECT_NE(llvm::toString(garbage.takeError()).find("cannot load the code of 'mine'"), std::string::npos);
  std::string object = compile(countKernel);
  for (size_t length : {size_t(0), size_t(3), size_t(63), object.size() / 2})
    EXPECT_TRUE(llvm::errorToBool(loadObject(llvm::StringRef(object).take_front(length), "cut").takeError())) << length;
  std::string unresolved =
      compile("declare void @no_such_function()\ndefine void @f() {\n  call void @no_such_function()\n  ret void\n}");
  auto missing = loadObject(unresolved, "f");
  ASSERT_FALSE(bool(missing));
  EXPECT_NE(llvm::toString(missing.takeError()).find("'no_such_function'"), std::string::npos);
}

class LaunchTest : public testing::Test {
protected:
  void SetUp() override {
    auto loaded = KernelCode::load(compile(countKernel), "count", 0);
    ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
    kernel = *loaded;
  }
  std::shared_ptr<const KernelCode> kernel;
};

TEST_F(LaunchTest, EveryProgramOnce) {
  for (std::array<int32_t, 3> grid : {std::array{1, 1, 1}, {7, 1, 1}, {3, 5, 7}, {0, 5, 1}, {100000, 2, 1}})
    for (unsigned threads : {0u, 1u, 2u})
      for (int repeat = 0; repeat < 3; ++repeat) {
        std::vector<double> out(size_t(grid[0]) * grid[1] * grid[2]);
        double *pointer = out.data();
        ASSERT_FALSE(llvm::errorToBool(launch(*kernel, &pointer, grid, {.maxThreads = threads})));
        for (size_t i = 0; i < out.size(); ++i)
          ASSERT_EQ(out[i], double(i) * grid[0] + 1) << i;
      }
}

TEST_F(LaunchTest, ManyThreadsLaunchAtOnce) {
  std::atomic<int> failures{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 8; ++caller)
    callers.emplace_back([&, caller] {
      for (int repeat = 0; repeat < 50; ++repeat) {
        int32_t size = 1 + (caller * 977 + repeat * 131) % 20000;
        std::vector<double> out(size);
        double *pointer = out.data();
        failures += llvm::errorToBool(launch(*kernel, &pointer, {size, 1, 1}));
        for (int32_t i = 0; i < size; ++i)
          failures += out[i] != double(i) * size + 1;
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(failures, 0);
}

TEST_F(LaunchTest, WrongGridsAreErrors) {
  double *pointer = nullptr;
  llvm::Error negative = launch(*kernel, &pointer, {4, -1, 1});
  EXPECT_EQ(llvm::toString(std::move(negative)), "a grid of (4, -1, 1) has a negative size");
  int32_t most = std::numeric_limits<int32_t>::max();
  EXPECT_TRUE(llvm::errorToBool(launch(*kernel, &pointer, {most, most, most})));
}

TEST_F(LaunchTest, ArenaIsAlignedAndItsSizeChecked) {
  auto loaded = KernelCode::load(compile(R"(
define void @note(ptr %args, ptr %grid, i64 %begin, i64 %end, ptr %arena) {
  %out = load ptr, ptr %args
  %slot = getelementptr ptr, ptr %out, i64 %begin
  store ptr %arena, ptr %slot
  store i64 %end, ptr %arena
  ret void
})"),
                                 "note", 4096);
  ASSERT_TRUE(bool(loaded));
  void *arena = nullptr;
  void **out = &arena;
  ASSERT_FALSE(llvm::errorToBool(launch(**loaded, &out, {1, 1, 1})));
  ASSERT_NE(arena, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(arena) % 64, 0u);
  auto greedy = std::make_shared<KernelCode>();
  greedy->entry = (*loaded)->entry;
  greedy->arenaBytes = uint64_t(1) << 60;
  EXPECT_NE(llvm::toString(launch(*greedy, &out, {1, 1, 1})).find("bytes of scratch"), std::string::npos);
}

TEST(Launch, FailedAssertionsAndPrintedLines) {
  auto loaded = KernelCode::load(compile(R"(
@text = private constant [18 x i8] c"odd number at: %d\00"
@line = private constant [8 x i8] c"at %lld\0A"
declare void @triton_assert_failed(ptr, i32, i32, i32)
declare i32 @printf(ptr, ...)
define void @check(ptr %args, ptr %grid, i64 %begin, i64 %end, ptr %arena) {
  %values = load ptr, ptr %args
  %slot = getelementptr i64, ptr %values, i64 %begin
  %value = load i64, ptr %slot
  %bad = icmp ne i64 %value, 0
  br i1 %bad, label %fail, label %print
fail:
  call void @triton_assert_failed(ptr @text, i32 1, i32 2, i32 3)
  ret void
print:
  %n = call i32 (ptr, ...) @printf(ptr @line, i64 %begin)
  ret void
})"),
                                 "check", 0);
  ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
  int64_t value = 0;
  int64_t *values = &value;
  testing::internal::CaptureStdout();
  EXPECT_FALSE(llvm::errorToBool(launch(**loaded, &values, {1, 1, 1})));
  EXPECT_EQ(testing::internal::GetCapturedStdout().substr(0, 4), "at 0");
  value = 1;
  EXPECT_EQ(llvm::toString(launch(**loaded, &values, {1, 1, 1})),
            "odd number at: %d (device-side assertion failed in program 1, 2, 3)");
  // The next launch starts afresh.
  value = 0;
  EXPECT_FALSE(llvm::errorToBool(launch(**loaded, &values, {1, 1, 1})));
}

/// What ran of a grid: the programs of the ranges, and a sum that is theirs alone if the ranges are the grid, cut up.
static std::atomic<uint64_t> programsRun, squares;
static void countPrograms(const void *, const int32_t *, int64_t begin, int64_t end, void *) {
  programsRun += uint64_t(end - begin);
  squares += uint64_t(end) * uint64_t(end) - uint64_t(begin) * uint64_t(begin);
}

TEST(Launch, GridsPast32Bits) {
  const std::array<int32_t, 3> grid{1 << 17, 1 << 16, 3};
  const uint64_t programs = uint64_t(3) << 33;
  // Never run; and said, by earlier launches, to take so long that each program is worth a turn of its own.
  for (float estimate : {0.0f, 1e6f})
    for (unsigned threads : {0u, 1u, 3u}) {
      KernelCode kernel;
      kernel.entry = countPrograms;
      kernel.nanosecondsPerProgram = estimate;
      programsRun = squares = 0;
      ASSERT_FALSE(llvm::errorToBool(launch(kernel, nullptr, grid, {.maxThreads = threads})));
      EXPECT_EQ(programsRun, programs) << estimate;
      EXPECT_EQ(squares, programs * programs) << estimate;
    }
}

/// Answers for as many times as `patience` says that nobody interrupts.
static int patience;
static bool losesPatience() { return patience-- <= 0; }

TEST(Launch, StopsBetweenProgramsWhenInterrupted) {
  for (unsigned threads : {0u, 1u}) {
    KernelCode kernel;
    kernel.entry = [](const void *, const int32_t *, int64_t begin, int64_t end, void *) {
      programsRun += uint64_t(end - begin);
      std::this_thread::sleep_for(std::chrono::microseconds(100) * (end - begin));
    };
    programsRun = 0;
    patience = 1;
    EXPECT_EQ(llvm::toString(
                  launch(kernel, nullptr, {1 << 30, 1, 1}, {.maxThreads = threads, .isInterrupted = losesPatience})),
              "the launch was interrupted");
    EXPECT_GT(programsRun, 0u);
    EXPECT_LT(programsRun, uint64_t(1) << 30);
    // The next one starts afresh.
    patience = 1000;
    EXPECT_FALSE(llvm::errorToBool(
        launch(kernel, nullptr, {10, 1, 1}, {.maxThreads = threads, .isInterrupted = losesPatience})));
  }
}

static std::atomic<int> waitingPrograms; // none of them ends
static void waitForGood(const void *, const int32_t *, int64_t, int64_t, void *) {
  for (++waitingPrograms;; std::this_thread::sleep_for(std::chrono::milliseconds(1)))
    triton_poll();
}
static bool hasEnoughWaiting() { return waitingPrograms >= 1024 && losesPatience(); }

TEST(Launch, WaitingProgramsAreLeftAndTheirThreadsCounted) {
  KernelCode kernel;
  kernel.entry = waitForGood;
  for (int32_t programs : {1, 5000}) {
    waitingPrograms = 0;
    patience = 3;
    llvm::Error error =
        launch(kernel, nullptr, {programs, 1, 1},
               {.waits = true, .polls = true, .isInterrupted = programs == 1 ? losesPatience : hasEnoughWaiting});
    EXPECT_EQ(llvm::toString(std::move(error)), "the launch was interrupted");
    EXPECT_LE(waitingPrograms, 1024 + int(ThreadPool::process().threads()));
  }
}

TEST(KernelCode, MissingKernelIsAnError) {
  auto kernel = KernelCode::load(compile(countKernel), "add", 0);
  ASSERT_FALSE(bool(kernel));
  EXPECT_EQ(llvm::toString(kernel.takeError()), "the loaded code defines no kernel 'add'");
}
