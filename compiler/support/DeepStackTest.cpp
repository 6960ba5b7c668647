#include "compiler/support/DeepStack.h"

#include <gtest/gtest.h>

#include <pthread.h>
#include <sys/resource.h>

using namespace triton;

/// Uses about `bytes` of stack, and says how deep it came.
[[gnu::noinline]] static size_t descend(size_t bytes) {
  volatile char frame[1024];
  frame[0] = char(bytes);
  return bytes <= sizeof(frame) ? 1 : 1 + descend(bytes - sizeof(frame)) + (frame[0] - frame[0]);
}

/// Runs `body` on a thread with a stack of `bytes`.
static void onThread(size_t bytes, void *(*body)(void *)) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(0, pthread_attr_setstacksize(&attributes, bytes));
  pthread_t thread;
  ASSERT_EQ(0, pthread_create(&thread, &attributes, body, nullptr));
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST(DeepStack, WorkFindsTheStackItAskedFor) {
  onThread(256 << 10, [](void *) -> void * {
    EXPECT_LT(remainingStack(), size_t(256 << 10));
    static thread_local int mark = 0;
    mark = 7;
    size_t left = 0, depth = 0;
    EXPECT_FALSE(llvm::errorToBool(runOnDeepStack(64 << 20, [&] {
      left = remainingStack();
      depth = descend(30 << 20);
      EXPECT_EQ(7, mark); // the same thread
      ++mark;
    })));
    EXPECT_GE(left, size_t(63 << 20));
    EXPECT_GE(depth, size_t(30 << 10));
    EXPECT_EQ(8, mark);
    EXPECT_LT(remainingStack(), size_t(256 << 10));
    return nullptr;
  });
}

TEST(DeepStack, StaysWhereThereIsEnough) {
  size_t outside = 0, inside = 0;
  ASSERT_FALSE(llvm::errorToBool(runOnDeepStack(64 << 20, [&] {
    outside = remainingStack();
    ASSERT_FALSE(llvm::errorToBool(runOnDeepStack(1 << 20, [&] { inside = remainingStack(); })));
  })));
  EXPECT_LT(inside, outside);
  EXPECT_GT(inside, outside - (64 << 10));
}

TEST(DeepStack, NestsOneStackInAnother) {
  size_t inner = 0, after = 0;
  ASSERT_FALSE(llvm::errorToBool(runOnDeepStack(16 << 20, [&] {
    ASSERT_FALSE(llvm::errorToBool(runOnDeepStack(32 << 20, [&] { inner = descend(20 << 20); })));
    after = remainingStack();
  })));
  EXPECT_GE(inner, size_t(20 << 10));
  EXPECT_LT(after, size_t(17 << 20));
}

TEST(DeepStack, HostsAreAskedOnTheThreadsOwnStack) {
  const auto own = uintptr_t(__builtin_frame_address(0));
  auto distance = [&] { return std::abs(ptrdiff_t(uintptr_t(__builtin_frame_address(0)) - own)); };
  std::vector<std::string> order;
  ASSERT_FALSE(llvm::errorToBool(runOnDeepStack(16 << 20, [&] {
    ASSERT_FALSE(llvm::errorToBool(runOnDeepStack(32 << 20, [&] {
      for (int i = 0; i < 2; ++i) {
        order.push_back("before");
        runOnOwnStack([&] {
          EXPECT_LT(distance(), 64 << 10);
          runOnOwnStack([&] { order.push_back("own"); });
          ASSERT_FALSE(
              llvm::errorToBool(runOnDeepStack(16 << 20, [&] { EXPECT_GT(descend(1 << 20), size_t(1 << 9)); })));
        });
        EXPECT_GT(remainingStack(), size_t(31 << 20));
      }
    })));
    EXPECT_LT(remainingStack(), size_t(17 << 20));
  })));
  EXPECT_EQ(order, (std::vector<std::string>{"before", "own", "before", "own"}));
}

TEST(DeepStack, NoRoomIsAnError) {
  bool ran = false;
  llvm::Error error = runOnDeepStack(size_t(1) << 60, [&] { ran = true; });
  EXPECT_NE(llvm::toString(std::move(error)).find("cannot reserve 1099511627776 MiB"), std::string::npos);
  EXPECT_FALSE(ran);
}
