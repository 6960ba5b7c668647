#include "compiler/support/ChildProcess.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <csignal>
#include <pthread.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace triton;
using namespace std::chrono_literals;

static ChildEnd shell(std::string script, const ChildOptions &options = {}) {
  return runChild({"/bin/sh", "-c", std::move(script)}, options);
}

TEST(ChildProcess, ExitCodes) {
  EXPECT_TRUE(shell("exit 0").isSuccess());
  ChildEnd end = shell("exit 7");
  EXPECT_EQ(end.how, ChildEnd::How::Exited);
  EXPECT_EQ(end.status, 7);
  EXPECT_EQ(end.problem, "exit code 7");
}

TEST(ChildProcess, EndBySignal) {
  ChildEnd end = shell("kill -SEGV $$");
  EXPECT_EQ(end.how, ChildEnd::How::Killed);
  EXPECT_EQ(end.status, SIGSEGV);
}

TEST(ChildProcess, ProgramThatIsNotThere) {
  ChildEnd end = runChild({"/nowhere/ptxas"}, {});
  EXPECT_EQ(end.how, ChildEnd::How::NotStarted);
  EXPECT_NE(end.problem.find("No such file"), std::string::npos) << end.problem;
}

TEST(ChildProcess, BothOutputsInOneFile) {
  llvm::SmallString<64> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("child", "txt", path));
  std::string file = path.str().str();
  ASSERT_TRUE(shell("echo one; echo two >&2; cat", {.output = file, .errors = file}).isSuccess());
  EXPECT_EQ((*llvm::MemoryBuffer::getFile(path))->getBuffer(), "one\ntwo\n");
  llvm::sys::fs::remove(path);
}

TEST(ChildProcess, LimitEndsIt) {
  auto begin = std::chrono::steady_clock::now();
  ChildEnd end = shell("exec sleep 60", {.limit = 100ms});
  EXPECT_EQ(end.how, ChildEnd::How::OutOfTime);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
  EXPECT_EQ(shell("exit 3", {.limit = 60s}).status, 3);
}

TEST(ChildProcess, ImpatienceIsSaidOnce) {
  int said = 0;
  auto count = [&] { ++said; };
  EXPECT_TRUE(shell("sleep 0.3", {.patience = 20ms, .impatient = count}).isSuccess());
  EXPECT_EQ(said, 1);
  EXPECT_TRUE(shell("exit 0", {.patience = 60s, .impatient = count}).isSuccess());
  EXPECT_EQ(said, 1);
}

// The alarm and the handler belong to the program; another thread's deadline must not end this one's wait.
TEST(ChildProcess, LeavesAlarmsAlone) {
  static volatile sig_atomic_t rang = 0;
  struct sigaction mine{}, before{}, after{};
  mine.sa_handler = [](int) { rang = 1; };
  sigaction(SIGALRM, &mine, &before);
  alarm(1000);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      EXPECT_EQ(shell("exec sleep 60", {.limit = 50ms}).how, ChildEnd::How::OutOfTime);
      EXPECT_TRUE(shell("sleep 0.2", {.limit = 60s}).isSuccess());
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_GT(alarm(0), 900u);
  EXPECT_EQ(rang, 0);
  sigaction(SIGALRM, &before, &after);
  EXPECT_EQ(after.sa_handler, mine.sa_handler);
}

TEST(ChildProcess, SignalsOfTheCallerDoNotReachIt) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  ChildEnd end = shell("kill -TERM $$; exit 1");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(end.how, ChildEnd::How::Killed) << "SIGTERM was blocked in the child";
}

TEST(ChildProcess, StatusTakenBySomebodyElse) {
  struct sigaction ignore{}, before{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGCHLD, &ignore, &before);
  EXPECT_EQ(shell("exit 0").how, ChildEnd::How::Unknown);
  EXPECT_EQ(shell("exit 0", {.limit = 60s}).how, ChildEnd::How::Unknown);
  sigaction(SIGCHLD, &before, nullptr);
}
