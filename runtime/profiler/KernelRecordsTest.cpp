// What is read from a buffer that a kernel on a GPU filled.
#include "runtime/profiler/KernelRecords.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace triton::runtime::profiler;

namespace {

/// One CTA's slice for one warp with room for `capacity` records.
std::vector<uint8_t> slice(uint32_t written, std::vector<std::pair<uint32_t, uint32_t>> records) {
  std::vector<uint8_t> bytes(48 + 8 * records.size());
  auto put = [&](size_t offset, auto value) { std::memcpy(bytes.data() + offset, &value, sizeof(value)); };
  put(0, recordsPreamble);
  put(4, uint32_t(3));
  put(8, uint32_t(17));
  put(12, uint32_t(8 * records.size()));
  put(16, uint64_t(5000));
  put(24, uint64_t(100));
  put(40, written);
  for (size_t index = 0; index < records.size(); ++index) {
    put(48 + 8 * index, records[index].first);
    put(52 + 8 * index, records[index].second);
  }
  return bytes;
}
constexpr uint32_t end = 1u << 31;
constexpr uint32_t scope(uint32_t number) { return number << 23; }

KernelRecords read(const std::vector<uint8_t> &bytes, uint32_t sliceBytes, bool is32Bit = false) {
  return llvm::cantFail(readRecords(bytes, {sliceBytes, {2}, is32Bit}, {"outer", "inner"}, 0.5));
}

TEST(KernelRecords, ScopesKnowWhatTheyBeganIn) {
  auto bytes = slice(4, {{scope(0), 110}, {scope(1), 120}, {end | scope(1), 150}, {end | scope(0), 160}});
  KernelRecords records = read(bytes, uint32_t(bytes.size()));
  ASSERT_EQ(records.units.size(), 1u);
  const KernelUnit &unit = records.units[0];
  EXPECT_EQ(unit.program, 3u);
  EXPECT_EQ(unit.core, 17u);
  EXPECT_EQ(unit.warp, 2u);
  EXPECT_EQ(unit.begin, 5000u);
  ASSERT_EQ(unit.parts.size(), 2u);
  EXPECT_EQ(unit.parts[0].begin, 10u);
  EXPECT_EQ(unit.parts[0].ticks, 50u);
  EXPECT_EQ(unit.parts[1].ticks, 30u);
  EXPECT_EQ(unit.parts[1].outer, std::vector<uint32_t>{0});
}

TEST(KernelRecords, ScopesMayOverlapWithoutNesting) {
  auto bytes = slice(4, {{scope(0), 110}, {scope(1), 120}, {end | scope(0), 150}, {end | scope(1), 160}});
  const KernelUnit unit = read(bytes, uint32_t(bytes.size())).units[0];
  ASSERT_EQ(unit.parts.size(), 2u);
  EXPECT_EQ(unit.parts[0].ticks, 40u);
  EXPECT_EQ(unit.parts[1].ticks, 40u);
}

TEST(KernelRecords, TheNewestTakeThePlaceOfTheOldest) {
  // Of six records four fit: the fifth and sixth lie where the first two were.
  auto bytes = slice(6, {{scope(1), 200}, {end | scope(1), 210}, {scope(0), 120}, {end | scope(0), 150}});
  const KernelUnit unit = read(bytes, uint32_t(bytes.size())).units[0];
  ASSERT_EQ(unit.parts.size(), 2u);
  EXPECT_EQ(unit.parts[0].scope, 0u);
  EXPECT_EQ(unit.parts[1].begin, 100u);
}

TEST(KernelRecords, ScopesWithoutAnEndAndSlicesThatNeverRan) {
  auto bytes = slice(2, {{scope(0), 110}, {end | scope(1), 120}});
  const size_t size = bytes.size();
  bytes.resize(2 * size);
  KernelRecords records = read(bytes, uint32_t(size));
  ASSERT_EQ(records.units.size(), 1u);
  EXPECT_TRUE(records.units[0].parts.empty());
}

TEST(KernelRecords, ClocksAreWideOrWrap) {
  auto wide = slice(2, {{scope(0), 110}, {end | scope(0) | 1, 110}});
  EXPECT_EQ(read(wide, uint32_t(wide.size())).units[0].parts[0].ticks, uint64_t(1) << 32);
  auto narrow = slice(2, {{scope(0), 0xfffffff0}, {end | scope(0), 5}});
  const KernelPart part = read(narrow, uint32_t(narrow.size()), /*is32Bit=*/true).units[0].parts[0];
  EXPECT_EQ(part.ticks, 21u);
}

TEST(KernelRecords, BuffersThatDoNotFit) {
  EXPECT_NE(llvm::toString(readRecords(std::vector<uint8_t>(10), {48, {0}, false}, {}, 1).takeError())
                .find("holds no slices of 48 bytes"),
            std::string::npos);
  auto bytes = slice(0, {{0, 0}});
  bytes[12] = 200;
  EXPECT_NE(llvm::toString(readRecords(bytes, {uint32_t(bytes.size()), {0}, false}, {}, 1).takeError())
                .find("200 bytes of records"),
            std::string::npos);
}

} // namespace
