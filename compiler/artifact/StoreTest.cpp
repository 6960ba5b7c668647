#include "compiler/artifact/Store.h"
#include "compiler/artifact/Folder.h"
#include "compiler/artifact/Seal.h"

#include "llvm/Support/FileSystem.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <map>
#include <sys/stat.h>
#include <thread>

using namespace triton::artifact;

namespace {

class StoreTest : public ::testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("triton-store", root)); }
  void TearDown() override { llvm::sys::fs::remove_directories(root); }
  /// Marks an entry as last used `seconds` after the epoch.
  void setUse(const std::string &entry, int seconds) {
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

/// Names of entries: keys in base 32.
const std::string A(52, 'A'), B(52, 'B'), C(52, 'C');

/// Puts a sealed description of one file, and that file.
void putEntry(const Store &store, const std::string &entry) {
  ASSERT_FALSE(bool(store.put(entry, "x.json", *seal("{\"hash\": \"\"}", {{"x.obj", "code"}}))));
  ASSERT_FALSE(bool(store.put(entry, "x.obj", "code")));
}

TEST_F(StoreTest, prunes_what_was_not_used_for_longest) {
  Store store(root.str().str());
  for (const std::string &entry : {A, B, C})
    putEntry(store, entry);
  setUse(A, 300);
  setUse(B, 100);
  setUse(C, 200);
  const uint64_t one = store.list()[0].bytes;
  PruneSummary summary = store.prune(5 * one / 2);
  EXPECT_EQ(3 * one, summary.bytesBefore);
  EXPECT_EQ(2 * one, summary.bytesAfter);
  EXPECT_EQ(std::vector<std::string>{B}, summary.removed);
  EXPECT_FALSE(llvm::sys::fs::exists(root + "/" + B));
  store.touch(C);
  EXPECT_EQ(std::vector<std::string>{A}, store.prune(one).removed);
  ASSERT_EQ(1u, store.list().size());
  EXPECT_EQ(C, store.list()[0].name);
}

TEST_F(StoreTest, prunes_nothing_but_what_a_seal_names) {
  Store store(root.str().str());
  putEntry(store, A);
  ASSERT_FALSE(bool(store.put("thesis", "chapter.json", "{\"mine\": 1}")));
  ASSERT_FALSE(bool(store.put(B, "notes.txt", "mine"))); // has the name of an entry, by chance
  ASSERT_FALSE(bool(store.put(A, "notes.txt", "mine"))); // lies in an entry
  ASSERT_FALSE(bool(store.put(C, "x.json", *seal("{\"hash\": 1}", {{"../thesis/chapter.json", "{\"mine\": 1}"}}))));
  PruneSummary summary = store.prune(0);
  EXPECT_EQ(std::vector<std::string>{A}, summary.removed);
  EXPECT_EQ(0u, summary.bytesAfter);
  EXPECT_EQ(std::nullopt, store.get(A, "x.json"));
  EXPECT_EQ(std::nullopt, store.get(A, "x.obj"));
  EXPECT_EQ("mine", store.get(A, "notes.txt"));
  EXPECT_EQ("mine", store.get(B, "notes.txt"));
  EXPECT_EQ("{\"mine\": 1}", store.get("thesis", "chapter.json"));
  for (const std::string &entry : {std::string("thesis"), B}) {
    llvm::Error error = store.remove(entry);
    EXPECT_NE(std::string::npos, llvm::toString(std::move(error)).find("no seal says that it is an entry")) << entry;
  }
  for (const EntrySummary &entry : store.list())
    EXPECT_FALSE(entry.isSealed) << entry.name;
  EXPECT_EQ(std::nullopt, store.find("thesis"));
}

/// What lies outside of a cache, and links to it in the cache.
class LinkTest : public ::testing::Test {
protected:
  void SetUp() override {
    putEntry(outside, A);
    ASSERT_FALSE(bool(outside.put(A, "tmp.pid_1_a", "old")));
    struct timespec times[2] = {{1, 0}, {1, 0}};
    for (const char *file : {"", "/tmp.pid_1_a"})
      ASSERT_EQ(0, utimensat(AT_FDCWD, (outside.root + "/" + A + file).c_str(), times, 0));
    before = contentOf(outside);
    ASSERT_FALSE(before.empty());
  }
  void TearDown() override { EXPECT_EQ(before, contentOf(outside)); } // whatever the test did
  void link(const std::string &target, const std::string &path) { ASSERT_EQ(0, symlink(target.c_str(), path.c_str())); }
  static std::map<std::string, std::string> contentOf(const Store &store) {
    std::map<std::string, std::string> contents;
    for (const char *file : {"x.json", "x.obj", "tmp.pid_1_a"})
      if (auto content = store.get(A, file))
        contents[file] = *content;
    return contents;
  }
  /// A folder that goes away with the test.
  struct Place {
    Place(const char *name) { EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory(name, path)); }
    ~Place() { llvm::sys::fs::remove_directories(path); }
    llvm::SmallString<128> path;
  };
  Place places[2] = {"triton-outside", "triton-cache"};
  Store outside{places[0].path.str().str()}, store{places[1].path.str().str()};
  std::map<std::string, std::string> before;
};

TEST_F(LinkTest, entry_is_a_link) {
  putEntry(store, B);
  link(outside.root + "/" + A, store.root + "/" + A);
  EXPECT_EQ(std::nullopt, store.get(A, "x.obj"));
  EXPECT_FALSE(store.has(A, "x.obj"));
  EXPECT_EQ(std::nullopt, store.find(A));
  EXPECT_TRUE(llvm::errorToBool(store.put(A, "x.obj", "mine")));
  EXPECT_TRUE(llvm::errorToBool(store.remove(A)));
  store.touch(A);
  EXPECT_EQ(std::vector<std::string>{B}, store.prune(0).removed);
}

TEST_F(LinkTest, files_are_links) {
  putEntry(store, A);
  for (const char *file : {"x.obj", "__grp__x.json", "tmp.pid_2_b"}) {
    ::unlink((store.root + "/" + A + "/" + file).c_str());
    link(outside.root + "/" + A + "/x.obj", store.root + "/" + A + "/" + file);
    EXPECT_EQ(std::nullopt, store.get(A, file));
    EXPECT_FALSE(store.has(A, file));
  }
  EXPECT_EQ(std::vector<std::string>{"x.json"}, store.find(A)->files);
  store.prune(0);
  // A file that is put is put in the place of the link.
  EXPECT_FALSE(bool(store.put(A, "x.obj", "mine")));
  EXPECT_EQ("mine", store.get(A, "x.obj"));
}

TEST_F(LinkTest, description_is_a_link) {
  ASSERT_FALSE(bool(store.put(A, "x.obj", "mine")));
  link(outside.root + "/" + A + "/x.json", store.root + "/" + A + "/x.json");
  EXPECT_FALSE(store.find(A)->isSealed);
  EXPECT_TRUE(store.prune(0).removed.empty());
  EXPECT_EQ("mine", store.get(A, "x.obj"));
}

TEST_F(LinkTest, the_root_may_be_one) {
  link(outside.root, store.root + "/here");
  EXPECT_EQ(before["x.obj"], Store(store.root + "/here").get(A, "x.obj"));
}

TEST_F(StoreTest, names_are_no_paths) {
  Store store((root + "/cache").str());
  putEntry(store, A);
  for (const char *name : {"../x", "/tmp/x", "a/b", "..", ".", "", "a/../../x", "\xff"}) {
    EXPECT_TRUE(llvm::errorToBool(store.put(name, "x", "bad"))) << name;
    EXPECT_TRUE(llvm::errorToBool(store.put(A, name, "bad"))) << name;
    EXPECT_EQ(std::nullopt, store.get(A, name)) << name;
    EXPECT_EQ(std::nullopt, store.get(name, "x.obj")) << name;
    EXPECT_TRUE(llvm::errorToBool(store.remove(name))) << name;
    store.touch(name);
  }
  EXPECT_TRUE(llvm::errorToBool(store.put(A, llvm::StringRef("a\0b", 3), "bad")));
  EXPECT_EQ("'../x' is no name of a file in a cache", llvm::toString(store.put(A, "../x", "bad")));
  EXPECT_FALSE(llvm::sys::fs::exists(root + "/x"));
}

TEST_F(StoreTest, what_is_no_plain_file_is_not_read) {
  Store store(root.str().str());
  putEntry(store, A);
  const std::string folder = store.root + "/" + A, pipe = folder + "/x.obj";
  ::unlink(pipe.c_str());
  ASSERT_EQ(0, mkfifo(pipe.c_str(), 0600));
  EXPECT_EQ(std::nullopt, store.get(A, "x.obj"));
  EXPECT_EQ(std::nullopt, readPlainFile(pipe));
  EXPECT_EQ(std::nullopt, readPlainFile("/dev/zero"));
  EXPECT_EQ(std::nullopt, readPlainFile(folder));
  EXPECT_EQ(store.get(A, "x.json"), readPlainFile(folder + "/x.json"));
  EXPECT_FALSE(bool(store.put(A, "x.obj", "again")));
  EXPECT_EQ("again", store.get(A, "x.obj"));
  // Descriptions, entries and roots likewise.
  ASSERT_EQ(0, mkfifo((folder + "/y.json").c_str(), 0600));
  ASSERT_EQ(0, mkfifo((store.root + "/" + B).c_str(), 0600));
  EXPECT_EQ(1u, store.list().size());
  EXPECT_EQ(std::nullopt, store.get(B, "x.obj"));
  EXPECT_TRUE(llvm::errorToBool(store.put(B, "x.obj", "")));
  EXPECT_TRUE(Store(store.root + "/" + B).list().empty());
  EXPECT_EQ(std::vector<std::string>{A}, store.prune(0).removed);
  // Nor is what would fill the memory.
  ASSERT_FALSE(bool(store.put(A, "large", "")));
  ASSERT_EQ(0, truncate((folder + "/large").c_str(), int64_t(1) << 40));
  EXPECT_EQ(std::nullopt, store.get(A, "large"));
}

TEST_F(StoreTest, prune_sweeps_up_after_the_dead) {
  Store store(root.str().str());
  putEntry(store, A);
  const std::string old = (root + "/" + A + "/tmp.pid_1_0").str(), fresh = (root + "/" + A + "/tmp.pid_1_1").str(),
                    other = (root + "/" + A + "/tmp.pid_mine").str(), empty = (root + "/" + B).str(),
                    mine = (root + "/empty").str();
  for (const std::string &path : {old, fresh, other})
    fclose(fopen(path.c_str(), "w"));
  for (const std::string &path : {empty, mine})
    ASSERT_EQ(0, mkdir(path.c_str(), 0777));
  struct timespec times[2] = {{1, 0}, {1, 0}};
  for (const std::string &path : {old, other, empty, mine})
    utimensat(AT_FDCWD, path.c_str(), times, 0);
  store.prune(1000);
  EXPECT_FALSE(llvm::sys::fs::exists(old));
  EXPECT_FALSE(llvm::sys::fs::exists(empty));
  EXPECT_TRUE(llvm::sys::fs::exists(fresh)); // its writer may be at work
  EXPECT_TRUE(llvm::sys::fs::exists(other));
  EXPECT_TRUE(llvm::sys::fs::exists(mine));
}

TEST_F(StoreTest, writers_and_removers_at_the_same_time) {
  Store store(root.str().str());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 100; ++round) {
        if (i == 3)
          llvm::consumeError(store.remove(A));
        else {
          const std::string code(1000, 'a' + i);
          llvm::consumeError(store.put(A, "x.json", *seal("{\"hash\": 1}", {{"x.obj", code}})));
          llvm::consumeError(store.put(A, "x.obj", code));
        }
        if (auto content = store.get(A, "x.obj")) {
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
