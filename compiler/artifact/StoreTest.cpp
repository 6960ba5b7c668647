#include "compiler/artifact/Store.h"

#include "llvm/Support/FileSystem.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>

using namespace triton::artifact;

namespace {

class StoreTest : public ::testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("triton-store", root)); }
  void TearDown() override { llvm::sys::fs::remove_directories(root); }
  /// Marks an entry as last used `seconds` after the epoch.
  void setUse(const char *entry, int seconds) {
    struct timespec times[2] = {{seconds, 0}, {seconds, 0}};
    ASSERT_EQ(0, utimensat(AT_FDCWD, (root + "/" + entry).str().c_str(), times, 0));
  }
  llvm::SmallString<128> root;
};

TEST_F(StoreTest, gives_back_what_was_put) {
  Store store(root.str().str());
  EXPECT_EQ(std::nullopt, store.get("A", "x.obj"));
  std::string content("\0binary\xff", 8);
  EXPECT_FALSE(bool(store.put("A", "x.obj", content)));
  EXPECT_FALSE(bool(store.put("A", "empty", "")));
  EXPECT_EQ(content, store.get("A", "x.obj"));
  EXPECT_EQ("", store.get("A", "empty"));
  EXPECT_FALSE(bool(store.put("A", "x.obj", "other")));
  EXPECT_EQ("other", store.get("A", "x.obj"));
}

TEST_F(StoreTest, says_what_it_cannot_write) {
  Store store((root + "/file/below").str());
  EXPECT_FALSE(bool(Store(root.str().str()).put("file", "x", "")));
  // The root is below a plain file.
  Store broken((root + "/file/x").str());
  llvm::Error error = broken.put("A", "x", "content");
  ASSERT_TRUE(bool(error));
  EXPECT_NE(std::string::npos, llvm::toString(std::move(error)).find("cannot write"));
}

TEST_F(StoreTest, prunes_what_was_not_used_for_longest) {
  Store store(root.str().str());
  for (const char *entry : {"A", "B", "C"})
    EXPECT_FALSE(bool(store.put(entry, "x", std::string(100, 'x'))));
  setUse("A", 300);
  setUse("B", 100);
  setUse("C", 200);
  PruneSummary summary = store.prune(250);
  EXPECT_EQ(300u, summary.bytesBefore);
  EXPECT_EQ(200u, summary.bytesAfter);
  EXPECT_EQ(std::vector<std::string>{"B"}, summary.removed);
  store.touch("C");
  EXPECT_EQ(std::vector<std::string>{"A"}, store.prune(100).removed);
  ASSERT_EQ(1u, store.list().size());
  EXPECT_EQ("C", store.list()[0].name);
}

TEST_F(StoreTest, prune_sweeps_up_after_the_dead) {
  Store store(root.str().str());
  EXPECT_FALSE(bool(store.put("A", "x", "1")));
  std::string old = (root + "/A/tmp.pid_1_0").str(), fresh = (root + "/A/tmp.pid_1_1").str();
  for (const std::string &path : {old, fresh})
    fclose(fopen(path.c_str(), "w"));
  struct timespec times[2] = {{1, 0}, {1, 0}};
  utimensat(AT_FDCWD, old.c_str(), times, 0);
  store.prune(1000);
  EXPECT_FALSE(llvm::sys::fs::exists(old));
  EXPECT_TRUE(llvm::sys::fs::exists(fresh)); // its writer may be at work
}

TEST_F(StoreTest, writers_and_removers_at_the_same_time) {
  Store store(root.str().str());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 100; ++round) {
        if (i == 3)
          llvm::consumeError(store.remove("A"));
        else
          llvm::consumeError(store.put("A", "x", std::string(1000, 'a' + i)));
        if (auto content = store.get("A", "x")) {
          EXPECT_EQ(1000u, content->size());
          EXPECT_EQ(std::string::npos, content->find_first_not_of(content->front()));
        }
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(SizeTest, units) {
  EXPECT_EQ(5u, parseSize("5"));
  EXPECT_EQ(2048u, parseSize("2k"));
  EXPECT_EQ(500ull << 20, parseSize(" 500 MiB "));
  EXPECT_EQ(3ull << 30, parseSize("3GB"));
  for (const char *text : {"", "x", "-1", "1x", "99999999999999T"})
    EXPECT_EQ(std::nullopt, parseSize(text)) << text;
}

} // namespace
