#include "compiler/artifact/Description.h"
#include "compiler/artifact/BuildId.h"
#include "compiler/artifact/Seal.h"
#include "compiler/support/Hash.h"

#include "llvm/Support/FileSystem.h"

#include <gtest/gtest.h>

using namespace triton::artifact;

namespace {

Artifact example() {
  Artifact artifact;
  artifact.name = "add";
  artifact.hash = triton::sha256Hex("key");
  artifact.backend = "cpu";
  artifact.architecture = "znver3";
  artifact.stages = {{"source", "", 5}, {"ttir", "text", 10}, {"obj", std::string("\0\1\2", 3), 20.5}};
  artifact.arguments = {{"x", "*fp32", 0, 8}, {"n", "i32", 8, 4, false}};
  artifact.tensorMaps = {{3, 2, 6, {64, 64}}, {}};
  artifact.globalScratchBytes = 256;
  artifact.argumentBytes = 12;
  artifact.arenaBytes = 1ull << 33;
  artifact.numWarps = 8;
  artifact.waitsAtEntry = artifact.writesMessages = artifact.waitsForPrograms = artifact.polls = true;
  artifact.device = artifact.architecture;
  artifact.reads = {{0, "tl", "module triton.language"}};
  artifact.isPortable = true;
  return artifact;
}

class DescriptionTest : public ::testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("triton-artifact", root)); }
  void TearDown() override { llvm::sys::fs::remove_directories(root); }
  llvm::SmallString<128> root;
};

TEST_F(DescriptionTest, comes_back_as_it_was) {
  Store store(root.str().str());
  Artifact artifact = example();
  EXPECT_EQ(nullptr, load(store, "add", artifact.hash));
  ASSERT_FALSE(bool(save(store, "add", artifact)));
  auto restored = load(store, "add", artifact.hash);
  ASSERT_NE(nullptr, restored);
  EXPECT_TRUE(restored->waitsAtEntry && restored->writesMessages && restored->waitsForPrograms && restored->polls);
  EXPECT_EQ(artifact.arguments[1].type, restored->arguments[1].type);
  EXPECT_EQ(artifact.tensorMaps[0].box, restored->tensorMaps[0].box);
  EXPECT_EQ(artifact.globalScratchBytes, restored->globalScratchBytes);
  EXPECT_EQ(*artifact.stage("obj"), *restored->stage("obj"));
  EXPECT_EQ(nullptr, restored->stage("source")); // stages without content are not kept
  EXPECT_EQ(artifact.arenaBytes, restored->arenaBytes);
  EXPECT_EQ(artifact.reads[0].answer, restored->reads[0].answer);
}

TEST_F(DescriptionTest, stages_on_the_way_may_be_gone) {
  Store store(root.str().str());
  const Artifact artifact = example();
  const std::string entry = entryName(artifact.hash);
  ASSERT_FALSE(bool(save(store, "add", artifact)));
  ASSERT_FALSE(llvm::sys::fs::remove(root + "/" + entry + "/add.ttir"));
  auto restored = load(store, "add", artifact.hash);
  ASSERT_NE(nullptr, restored);
  EXPECT_EQ(nullptr, restored->stage("ttir"));
  ASSERT_FALSE(llvm::sys::fs::remove(root + "/" + entry + "/add.obj"));
  EXPECT_EQ(nullptr, load(store, "add", artifact.hash));
}

TEST_F(DescriptionTest, damage_is_a_miss) {
  Store store(root.str().str());
  Artifact artifact = example();
  const std::string entry = entryName(artifact.hash);
  for (const char *file : {"add.obj", "add.json", "add.ttir"}) {
    ASSERT_FALSE(bool(save(store, "add", artifact)));
    ASSERT_NE(nullptr, load(store, "add", artifact.hash));
    ASSERT_FALSE(bool(store.put(entry, file, "nonsense")));
    EXPECT_EQ(nullptr, load(store, "add", artifact.hash)) << file;
  }
  // Under another key it is another kernel.
  ASSERT_FALSE(bool(save(store, "add", artifact)));
  const std::string other = triton::sha256Hex("other");
  llvm::sys::fs::rename(root + "/" + entry, root + "/" + entryName(other));
  EXPECT_EQ(nullptr, load(store, "add", other));
}

TEST_F(DescriptionTest, strangers_are_a_miss) {
  Store store(root.str().str());
  const Artifact artifact = example();
  ASSERT_FALSE(bool(save(store, "add", artifact)));
  EXPECT_EQ(nullptr, load(store, "add", artifact.hash, "secret"));
  ASSERT_FALSE(bool(save(store, "add", artifact, "guess")));
  EXPECT_EQ(nullptr, load(store, "add", artifact.hash, "secret"));
  ASSERT_FALSE(bool(save(store, "add", artifact, "secret")));
  EXPECT_NE(nullptr, load(store, "add", artifact.hash, "secret"));
  EXPECT_NE(nullptr, load(store, "add", artifact.hash));
}

TEST_F(DescriptionTest, deep_nesting_is_a_miss) {
  Store store(root.str().str());
  const Artifact artifact = example();
  const std::string deep = "{\"name\": " + std::string(100000, '[') + std::string(100000, ']') + "}";
  ASSERT_FALSE(bool(store.put(entryName(artifact.hash), "add.json", *seal(deep, {}))));
  EXPECT_EQ(nullptr, load(store, "add", artifact.hash));
}

TEST_F(DescriptionTest, stages_are_no_paths) {
  Store store((root + "/cache").str());
  Artifact artifact = example();
  std::error_code error = llvm::sys::fs::create_directories(root + "/cache/" + entryName(artifact.hash) + "/add.");
  ASSERT_FALSE(error);
  artifact.stages = {{"/../../../x", "written outside of the cache", 0}};
  EXPECT_TRUE(llvm::errorToBool(save(store, "add", artifact)));
  EXPECT_FALSE(llvm::sys::fs::exists(root + "/x"));
}

TEST(EntryNameTest, base_32) {
  EXPECT_EQ("MZXW6YTBOI", entryName("666f6f626172")); // RFC 4648: "foobar"
  EXPECT_EQ(52u, entryName(triton::sha256Hex("")).size());
}

TEST(BuildIdTest, of_libraries) {
  EXPECT_EQ("", buildIdOf(nullptr));
  EXPECT_EQ(buildId(), buildId());
  EXPECT_EQ(std::string::npos, buildId().find_first_not_of("0123456789abcdef"));
  EXPECT_EQ("", identityOf(nullptr));
  EXPECT_NE("", identityOf(reinterpret_cast<const void *>(&example))); // whether the linker gives ids or not
}

TEST_F(DescriptionTest, digest_of_files) {
  Store store(root.str().str());
  const std::string folder = root.str().str(), empty = digestFiles(folder, ".py");
  ASSERT_FALSE(bool(store.put("a", "x.py", "1")));
  ASSERT_FALSE(bool(store.put("a", "x.txt", "ignored")));
  const std::string one = digestFiles(folder, ".py");
  EXPECT_NE(empty, one);
  ASSERT_FALSE(bool(store.put("a", "x.txt", "still ignored")));
  EXPECT_EQ(one, digestFiles(folder, ".py"));
  ASSERT_FALSE(bool(store.put("a", "y.py", "")));
  const std::string two = digestFiles(folder, ".py");
  EXPECT_NE(one, two);
  ASSERT_FALSE(bool(store.put("a", "x.py", "2")));
  EXPECT_NE(two, digestFiles(folder, ".py"));
  const std::string file = folder + "/a/x.txt", before = digestFiles(file, "");
  EXPECT_NE(empty, before);
  ASSERT_FALSE(bool(store.put("a", "x.txt", "changed")));
  EXPECT_NE(before, digestFiles(file, ""));
}

} // namespace
