#include "compiler/support/ForkMutex.h"

#include <gtest/gtest.h>

#include <atomic>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace triton;

// Without the mutex's care, most of the children find it locked by a thread that they do not have.
TEST(ForkMutex, ChildrenFindItFreeAndItsValueWhole) {
  static ForkMutex outer(ForkMutex::Nesting::Outer), inner;
  static long first = 0, second = 0;
  std::atomic<bool> stop = false;
  std::thread worker([&] {
    while (!stop) {
      std::lock_guard lockOuter(outer);
      std::lock_guard lockInner(inner);
      ++first;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      ++second;
    }
  });
  for (int round = 0; round < 20; ++round) {
    pid_t child = fork();
    if (child == 0) {
      alarm(20); // one that hangs is killed
      std::lock_guard lockOuter(outer);
      std::lock_guard lockInner(inner);
      _exit(first == second ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(0, status);
  }
  stop = true;
  worker.join();
}
