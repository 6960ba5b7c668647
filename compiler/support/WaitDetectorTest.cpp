#include "compiler/support/WaitDetector.h"

#include "gtest/gtest.h"

using namespace triton;
using namespace std::chrono_literals;

namespace {

constexpr uint64_t lock = 0x1000;

/// What comes of many looks at an element that nobody writes.
std::optional<std::string> spin(WaitDetector &detector, uint64_t value = 1, uint64_t readsEach = 0) {
  std::optional<std::string> problem;
  for (int look = 0; look < 10000 && !problem; ++look) {
    detector.noteReads(readsEach);
    problem = detector.noteLook(lock, value);
  }
  return problem;
}

TEST(WaitDetector, SaysWhoWaitsAndForHowMany) {
  WaitDetector detector("they take turns", 0ms);
  detector.beginProgram({3, 0, 1}, 297);
  std::optional<std::string> problem = spin(detector);
  ASSERT_TRUE(problem);
  EXPECT_NE(problem->find("program (3, 0, 1) has waited"), problem->npos);
  EXPECT_NE(problem->find("297 programs have not begun: they take turns"), problem->npos);
}

TEST(WaitDetector, TheLastProgramMayWait) {
  WaitDetector detector("they take turns", 0ms);
  detector.beginProgram({3, 0, 0}, 0);
  EXPECT_FALSE(spin(detector));
}

TEST(WaitDetector, HasPatience) {
  WaitDetector detector("they take turns", 1h);
  detector.beginProgram({0, 0, 0}, 1);
  EXPECT_FALSE(spin(detector));
}

TEST(WaitDetector, AValueThatChangesIsNotWaitedFor) {
  WaitDetector detector("they take turns", 0ms);
  detector.beginProgram({0, 0, 0}, 1);
  for (uint64_t value = 0; value < 10000; ++value)
    EXPECT_FALSE(detector.noteLook(lock, value));
}

TEST(WaitDetector, WhoWritesDoesNotWait) {
  WaitDetector detector("they take turns", 0ms);
  detector.beginProgram({0, 0, 0}, 1);
  for (int look = 0; look < 10000; ++look) {
    detector.noteWrite();
    EXPECT_FALSE(detector.noteLook(lock, 1));
  }
}

TEST(WaitDetector, WhoReadsALotDoesNotWait) {
  WaitDetector detector("they take turns", 0ms);
  detector.beginProgram({0, 0, 0}, 1);
  EXPECT_FALSE(spin(detector, 1, 64));
}

TEST(WaitDetector, TheNextProgramBeginsAnew) {
  WaitDetector detector("they take turns", 0ms);
  detector.beginProgram({0, 0, 0}, 2);
  for (int look = 0; look < 200; ++look)
    EXPECT_FALSE(detector.noteLook(lock, 1));
  detector.beginProgram({1, 0, 0}, 1);
  for (int look = 0; look < 200; ++look)
    EXPECT_FALSE(detector.noteLook(lock, 1));
}

} // namespace
