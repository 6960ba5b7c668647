#include "compiler/artifact/Seal.h"
#include "compiler/artifact/Json.h"
#include "compiler/support/Hash.h"

#include "llvm/Support/FileSystem.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace triton::artifact;

namespace {

/// No bit of `description` can be flipped, and no byte be left out at its end, without being found.
void expectEveryBitCounts(const std::string &description, llvm::StringRef secret) {
  const std::vector<NamedFile> files = {{"a.ttir", "text"}, {"a.obj", "code"}};
  for (size_t i = 0; i < description.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = description;
      flipped[i] ^= 1 << bit;
      EXPECT_NE("", findDamage(flipped, files, false, secret));
      EXPECT_EQ(std::nullopt, unseal(flipped, secret));
    }
  for (size_t size = 0; size < description.size(); ++size)
    EXPECT_NE("", findDamage(llvm::StringRef(description).take_front(size), {}, false, secret));
}

TEST(SealTest, every_flipped_bit_is_found) {
  std::string description = *seal("{\"hash\": \"ab\", \"n\": 1}", {{"a.obj", "code"}, {"a.ttir", "text"}});
  EXPECT_EQ("", findDamage(description, {{"a.ttir", "text"}, {"a.obj", "code"}}));
  EXPECT_EQ("{\"hash\": \"ab\", \"n\": 1}", unseal(description));
  EXPECT_EQ("a.obj is missing", findDamage(description, {{"a.ttir", "text"}}));
  EXPECT_EQ("", findDamage(description, {{"a.ttir", "text"}}, /*mayBeMissing=*/true));
  EXPECT_EQ("a.ttir is damaged", findDamage(description, {{"a.ttir", "code"}}, /*mayBeMissing=*/true));
  EXPECT_EQ("a.obj is damaged", findDamage(description, {{"a.ttir", "text"}, {"a.obj", "text"}}));
  EXPECT_EQ("b is not part of it", findDamage(description, {{"a.ttir", "text"}, {"a.obj", "code"}, {"b", ""}}));
  expectEveryBitCounts(description, "");
}

TEST(SealTest, strangers_are_refused) {
  const std::vector<NamedFile> files = {{"a.obj", "code"}, {"a.ttir", "text"}};
  const std::string text = "{\"hash\": \"ab\"}";
  const std::string ours = *seal(text, files, "secret"), theirs = *seal(text, files, "guess"),
                    anybodys = *seal(text, files);
  EXPECT_EQ("", findDamage(ours, files, false, "secret"));
  EXPECT_EQ(text, unseal(ours, "secret"));
  EXPECT_EQ("it is signed with another secret", findDamage(theirs, files, false, "secret"));
  EXPECT_EQ("it is not signed", findDamage(anybodys, files, false, "secret"));
  EXPECT_EQ(std::nullopt, unseal(theirs, "secret"));
  EXPECT_EQ(std::nullopt, unseal(anybodys, "secret"));
  // Who has no secret takes both, and whoever prunes recognises both.
  for (const std::string &description : {ours, theirs, anybodys}) {
    EXPECT_EQ("", findDamage(description, files));
    EXPECT_EQ(text, unseal(description));
    EXPECT_EQ(2u, sealedFiles(description)->size());
  }
  expectEveryBitCounts(ours, "secret");
  // A signature is of one description: it cannot be put under another.
  llvm::StringRef signature = llvm::StringRef(ours).split(", \"signature\": \"").second.take_front(64);
  std::string moved = llvm::StringRef(*seal("{\"hash\": \"cd\"}", files)).rsplit(", \"checksum\"").first.str() +
                      ", \"signature\": \"" + signature.str() + "\"";
  moved += ", \"checksum\": \"" + triton::blake3Hex(moved) + "\"}";
  EXPECT_EQ("", findDamage(moved, files));
  EXPECT_EQ("it is signed with another secret", findDamage(moved, files, false, "secret"));
}

TEST(SealTest, only_objects_can_be_sealed) {
  for (const char *text : {"", "[]", "1", "{}"})
    EXPECT_EQ(std::nullopt, seal(text, {})) << text;
}

TEST(SealTest, names_that_are_paths_were_not_sealed_by_us) {
  EXPECT_EQ(1u, sealedFiles(*seal("{\"hash\": 1}", {{"a.obj", ""}}))->size());
  for (const char *name : {"../a.obj", "/etc/passwd", "", "..", "a/b"})
    EXPECT_EQ(std::nullopt, sealedFiles(*seal("{\"hash\": 1}", {{"a.obj", ""}, {name, ""}}))) << name;
}

TEST(SealTest, deep_nesting_is_no_crash) {
  const std::string deep = "{\"a\": " + std::string(100000, '[') + std::string(100000, ']') + "}";
  EXPECT_FALSE(parseJson(deep).has_value());
  EXPECT_FALSE(parseJson(std::string(100000, '{')).has_value());
  std::string sealed = "{\"a\": 1, \"digests\": " + deep;
  sealed += ", \"checksum\": \"" + triton::blake3Hex(sealed) + "\"}";
  EXPECT_EQ("its description names no files", findDamage(sealed, {}));
  EXPECT_EQ(std::nullopt, sealedFiles(sealed));
  // Brackets in strings are no nesting.
  EXPECT_TRUE(parseJson("[\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\"]").has_value());
}

TEST(HashTest, blake3) {
  // The empty input of the reference's test vectors.
  EXPECT_EQ("af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262", triton::blake3Hex(""));
}

TEST(HashTest, hmac) {
  // RFC 4231, cases 1, 2 and 6.
  EXPECT_EQ("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            triton::hmacSha256Hex(std::string(20, '\x0b'), "Hi There"));
  EXPECT_EQ("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            triton::hmacSha256Hex("Jefe", "what do ya want for nothing?"));
  EXPECT_EQ("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            triton::hmacSha256Hex(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First"));
}

class SecretTest : public ::testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("triton-secret", root)); }
  void TearDown() override { llvm::sys::fs::remove_directories(root); }
  std::string write(const std::string &content, mode_t mode) {
    const std::string path = (root + "/secret").str();
    std::ofstream(path) << content;
    EXPECT_EQ(0, chmod(path.c_str(), mode));
    return path;
  }
  std::string errorOf(const std::string &path) {
    llvm::Expected<std::string> secret = readSecret(path);
    return secret ? "" : llvm::toString(secret.takeError());
  }
  bool complains(const std::string &path, const char *of) { return llvm::StringRef(errorOf(path)).contains(of); }
  llvm::SmallString<128> root;
};

TEST_F(SecretTest, is_what_the_file_holds) {
  EXPECT_EQ("a b", *readSecret(write(" a b\n", 0600)));
  EXPECT_EQ("shared", *readSecret(write("shared", 0440)));
}

TEST_F(SecretTest, is_kept_from_others) {
  for (mode_t mode : {0644, 0604, 0602, 0620})
    EXPECT_TRUE(complains(write("secret", mode), "can be read by everybody or written by its group (mode 6")) << mode;
}

TEST_F(SecretTest, is_there) {
  EXPECT_TRUE(complains((root + "/none").str(), "/none', cannot be read: No such file or directory"));
  EXPECT_TRUE(complains(write(" \n", 0600), "/secret', is empty"));
  EXPECT_TRUE(complains(write(std::string(5000, 'x'), 0600), "is longer than 4096 bytes"));
  EXPECT_TRUE(complains(root.str().str(), "is no plain file"));
  ASSERT_EQ(0, mkfifo((root + "/pipe").str().c_str(), 0600));
  EXPECT_TRUE(complains((root + "/pipe").str(), "is no plain file"));
}

} // namespace
