#include "compiler/support/AccessChecker.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace triton;
using Kind = Access::Kind;

namespace {

void says(const std::string &text, const char *part) { EXPECT_PRED_FORMAT2(testing::IsSubstring, part, text); }

/// A launch over one matrix of 4 x 8 floats.
struct AccessCheckerTest : testing::Test {
  AccessCheckerTest() {
    checker.add({"x", "float32[4, 8]", base, 4, {4, 8}, {8, 1}});
    checker.add({"lock", "int32[1]", reinterpret_cast<uint64_t>(&lock), 4, {1}, {1}});
  }

  std::string access(Kind kind, int32_t program, int64_t index, bool acquires = false, bool releases = false) {
    return raw(kind, program, base + index * 4, 4, acquires, releases);
  }
  std::string raw(Kind kind, int32_t program, uint64_t address, unsigned bytes = 4, bool acquires = false,
                  bool releases = false) {
    return checker.check({&site, kind, acquires, releases, bytes, address, 3, {program, 0, 0}}).value_or("");
  }
  void takeLock(int32_t program) {
    EXPECT_EQ(
        checker.check({&lockSite, Kind::Atomic, true, true, 4, reinterpret_cast<uint64_t>(&lock), 0, {program, 0, 0}}),
        std::nullopt);
  }

  alignas(64) float memory[4][8] = {};
  int32_t lock = 0;
  uint64_t base = reinterpret_cast<uint64_t>(&memory);
  AccessSite lockSite{"kernel.py:10:9", "", "lock", false, {}};
  AccessSite site{"kernel.py:12:9", "pointers", "x", false, {2, 2}};
  AccessChecker checker{{}};
};

} // namespace

TEST_F(AccessCheckerTest, InsideIsFine) {
  EXPECT_EQ(access(Kind::Read, 0, 0), "");
  EXPECT_EQ(access(Kind::Write, 0, 31), "");
}

TEST_F(AccessCheckerTest, OneBehindTheEnd) {
  EXPECT_EQ(access(Kind::Read, 2, 32),
            "kernel.py:12:9: program (2, 0, 0) reads out of bounds: element [1, 1] of `pointers` is offset 32 of "
            "`x`, which is float32[4, 8]");
  says(access(Kind::Write, 0, -1), "writes out of bounds");
}

TEST_F(AccessCheckerTest, AnotherTensorIsOutOfBoundsToo) {
  site.tensor = "lock";
  says(access(Kind::Read, 0, 0), "of `lock`, which is int32[1]");
  site.tensor = "x";
  EXPECT_EQ(access(Kind::Read, 0, 0), "");
}

TEST_F(AccessCheckerTest, AddressesFromMemoryAreTrusted) {
  site.isTrusted = true;
  site.tensor = "";
  auto elsewhere = std::make_unique<float>();
  EXPECT_EQ(raw(Kind::Write, 0, reinterpret_cast<uint64_t>(elsewhere.get())), "");
  EXPECT_EQ(raw(Kind::Read, 0, reinterpret_cast<uint64_t>(&"constant") & ~uint64_t(3)), "");
}

TEST_F(AccessCheckerTest, WhereThereIsNoMemory) {
  site.isTrusted = true;
  site.tensor = "";
  EXPECT_EQ(raw(Kind::Read, 0, 0),
            "kernel.py:12:9: program (0, 0, 0) reads out of bounds: element [1, 1] of `pointers` is address 0x0, where "
            "there is no memory");
  says(raw(Kind::Write, 0, uint64_t(-4)), "address 0xfffffffffffffffc, where there is no memory");
  says(raw(Kind::Atomic, 0, reinterpret_cast<uint64_t>(&"constant") & ~uint64_t(3)),
       "which is memory that may only be read");
}

TEST_F(AccessCheckerTest, Misaligned) { says(raw(Kind::Read, 0, base + 2), "misaligned address"); }

TEST_F(AccessCheckerTest, PoisonIsNeverWritten) {
  AccessChecker::poison(memory, sizeof(memory));
  says(access(Kind::Read, 0, 10),
       "reads memory that was never written: element [1, 1] of `pointers` is `x[1, 2]`, and `x` is float32[4, 8]");
  EXPECT_EQ(access(Kind::Write, 0, 10), "");
  memory[1][2] = 3;
  EXPECT_EQ(access(Kind::Read, 0, 10), "");
  // A copy of it lies elsewhere.
  std::memcpy(memory[2], memory[3], sizeof(memory[2]));
  EXPECT_EQ(access(Kind::Read, 0, 17), "");
}

TEST_F(AccessCheckerTest, NeighboursInAWordAreToldApart) {
  AccessChecker::poison(memory, sizeof(memory));
  says(raw(Kind::Read, 0, base, 2), "never written");
  EXPECT_EQ(raw(Kind::Write, 0, base + 2, 2), "");
  std::memset(reinterpret_cast<char *>(base) + 2, 0, 2);
  EXPECT_EQ(raw(Kind::Read, 0, base + 2, 2), "");
  says(raw(Kind::Read, 0, base, 2), "never written");
  says(raw(Kind::Read, 0, base + 4, 1), "never written");
  EXPECT_EQ(raw(Kind::Write, 0, base, 8), "");
  EXPECT_EQ(raw(Kind::Read, 0, base, 2), "");
}

TEST_F(AccessCheckerTest, WrittenWithWhatWasThere) {
  AccessChecker::poison(memory, sizeof(memory));
  AccessChecker::markWritten(&memory[0][1], 8);
  says(access(Kind::Read, 0, 0), "never written");
  EXPECT_EQ(access(Kind::Read, 0, 1), "");
  EXPECT_EQ(access(Kind::Read, 0, 2), "");
  says(access(Kind::Read, 0, 3), "never written");
  AccessChecker::poison(&memory[0][2], 4);
  EXPECT_EQ(access(Kind::Read, 0, 1), "");
  says(access(Kind::Read, 0, 2), "never written");
}

TEST_F(AccessCheckerTest, TwoWriters) {
  EXPECT_EQ(access(Kind::Write, 0, 5), "");
  EXPECT_EQ(access(Kind::Write, 0, 5), "");
  says(access(Kind::Write, 1, 5),
       "program (1, 0, 0) writes what program (0, 0, 0) writes at kernel.py:12:9 with nothing that orders the two: "
       "element [1, 1] of `pointers` is `x[0, 5]`");
}

TEST_F(AccessCheckerTest, ReaderAndWriter) {
  EXPECT_EQ(access(Kind::Read, 0, 5), "");
  EXPECT_EQ(access(Kind::Read, 1, 5), "");
  says(access(Kind::Write, 2, 5), "program (0, 0, 0) reads");
  EXPECT_EQ(access(Kind::Write, 3, 6), "");
  says(access(Kind::Read, 4, 6), "reads what program (3, 0, 0) writes");
}

TEST_F(AccessCheckerTest, AtomicsMeet) {
  EXPECT_EQ(access(Kind::Atomic, 0, 5), "");
  EXPECT_EQ(access(Kind::Atomic, 1, 5), "");
  says(access(Kind::Read, 2, 5), "program (1, 0, 0) updates");
}

TEST_F(AccessCheckerTest, ALockOrders) {
  for (int32_t program = 0; program < 3; ++program) {
    takeLock(program);
    EXPECT_EQ(access(Kind::Read, program, 5), "");
    EXPECT_EQ(access(Kind::Write, program, 5), "");
    takeLock(program); // gives it back
  }
  says(access(Kind::Read, 3, 5), "nothing that orders the two");
}

TEST_F(AccessCheckerTest, WhatComesBehindTheReleaseIsNotOrdered) {
  takeLock(0);
  EXPECT_EQ(access(Kind::Write, 0, 5), "");
  takeLock(1);
  says(access(Kind::Write, 1, 5), "nothing that orders the two");
}

TEST_F(AccessCheckerTest, PartsOfElements) {
  EXPECT_EQ(raw(Kind::Write, 0, base, 2), "");
  EXPECT_EQ(raw(Kind::Write, 1, base + 2, 2), "");
  says(raw(Kind::Write, 2, base, 4), "nothing that orders the two");
}
