// Programs that share global memory: with what orders them nothing is said, without it the two accesses are named.
#include "simulator/RunSnippet.h"

#include "gtest/gtest.h"

using namespace triton::simulator;

namespace {

/// Two programs of 32 threads. The first runs `first` in one of them, the second `second`; %rd2 points at what they share, %rd3 at a flag.
std::string runPair(const std::string &first, const std::string &second, Snippet snippet = {}) {
  snippet.threads = 32;
  snippet.clusters = 2;
  snippet.watch.races = true;
  SnippetResult result = run("add.s64 %rd2, %rd2, 4096; add.s64 %rd3, %rd2, 8; mov.u32 %r10, %tid.x; mov.u32 %r11, "
                             "%ctaid.x; setp.ne.u32 %p1, %r10, 5;\n"
                             "@%p1 bra END; setp.eq.u32 %p2, %r11, 0; @!%p2 bra SECOND;\n" +
                                 first + "\nbra END;\nSECOND:\n" + second + "\nEND:\n",
                             snippet);
  return result.findings.empty() ? result.problem : result.firstFinding();
}

const std::string write = "st.global.b32 [%rd2], 1;";
const std::string read = "ld.global.b32 %r12, [%rd2];";
std::string poll(const std::string &load) {
  return "WAIT: " + load + " %r13, [%rd3]; setp.eq.u32 %p3, %r13, 0; @%p3 bra WAIT;";
}

Snippet room() { return {.inputs = std::vector<uint64_t>(1024)}; }

bool isRace(const std::string &finding) { return finding.starts_with("race: "); }

TEST(GlobalRaces, ReleaseAndAcquireOrder) {
  EXPECT_EQ(runPair(write + "st.release.gpu.global.b32 [%rd3], 1;", poll("ld.acquire.gpu.global.b32") + read, room()),
            "");
  EXPECT_EQ(
      runPair(write + "red.release.gpu.global.add.u32 [%rd3], 1;", poll("ld.acquire.sys.global.b32") + read, room()),
      "");
  EXPECT_EQ(
      runPair(write + "atom.acq_rel.gpu.global.exch.b32 %r12, [%rd3], 1;",
              "WAIT: atom.acq_rel.gpu.global.cas.b32 %r13, [%rd3], 1, 2; setp.eq.u32 %p3, %r13, 0; @%p3 bra WAIT;" +
                  read,
              room()),
      "");
}

TEST(GlobalRaces, NothingOrders) {
  const std::string finding = runPair(write, read, room());
  EXPECT_NE(finding.find("race: write by warp 0 of program (0, 0, 0)"), std::string::npos) << finding;
  EXPECT_NE(finding.find("and read by warp 0 of program (1, 0, 0)"), std::string::npos) << finding;
  EXPECT_NE(finding.find("of global memory are not ordered, 4096 bytes into argument 0"), std::string::npos) << finding;
  EXPECT_TRUE(isRace(runPair(write, write, room())));
  EXPECT_TRUE(isRace(runPair(read, write, room())));
  EXPECT_EQ(runPair(read, read, room()), "");
}

TEST(GlobalRaces, RelaxedAccessesOrderNothingByThemselves) {
  EXPECT_TRUE(isRace(
      runPair(write + "st.relaxed.gpu.global.b32 [%rd3], 1;", poll("ld.acquire.gpu.global.b32") + read, room())));
  EXPECT_TRUE(isRace(
      runPair(write + "st.release.gpu.global.b32 [%rd3], 1;", poll("ld.relaxed.gpu.global.b32") + read, room())));
}

TEST(GlobalRaces, FencesMakeReleasesAndAcquires) {
  const std::string store = "st.relaxed.gpu.global.b32 [%rd3], 1;", load = poll("ld.relaxed.gpu.global.b32");
  EXPECT_EQ(runPair(write + "fence.acq_rel.gpu;" + store, load + "fence.acq_rel.gpu;" + read, room()), "");
  EXPECT_EQ(runPair(write + "membar.gl;" + store, load + "membar.gl;" + read, room()), "");
  EXPECT_TRUE(isRace(runPair("fence.acq_rel.gpu;" + write + store, load + "fence.acq_rel.gpu;" + read, room())))
      << "what comes behind the fence was not released";
  EXPECT_TRUE(isRace(runPair(write + "membar.cta;" + store, load + "membar.gl;" + read, room())))
      << "a fence of one CTA";
}

TEST(GlobalRaces, ScopesMustHoldBoth) {
  EXPECT_TRUE(isRace(
      runPair(write + "st.release.cta.global.b32 [%rd3], 1;", poll("ld.acquire.gpu.global.b32") + read, room())));
  EXPECT_TRUE(isRace(runPair("atom.relaxed.cta.global.add.u32 %r12, [%rd2], 1;",
                             "atom.relaxed.cta.global.add.u32 %r12, [%rd2], 1;", room())));
  EXPECT_EQ(runPair("atom.relaxed.gpu.global.add.u32 %r12, [%rd2], 1;",
                    "atom.relaxed.gpu.global.add.u32 %r12, [%rd2], 1;", room()),
            "");
}

TEST(GlobalRaces, AtomicsRaceWithPlainAccesses) {
  EXPECT_TRUE(isRace(runPair("atom.relaxed.gpu.global.add.u32 %r12, [%rd2], 1;", read, room())));
  EXPECT_TRUE(isRace(runPair(write, "red.relaxed.gpu.global.add.u32 [%rd2], 1;", room())));
}

TEST(GlobalRaces, BytesBesideEachOtherAreNobodysRace) {
  EXPECT_EQ(runPair("st.global.b32 [%rd2], 1;", "st.global.b32 [%rd2+4], 1;", room()), "");
  EXPECT_EQ(runPair("st.global.b64 [%rd2+8], %rd9; st.global.b8 [%rd2], 1;", "st.global.b8 [%rd2+1], 1;", room()), "");
  EXPECT_TRUE(isRace(runPair("st.global.b64 [%rd2], %rd9;", "st.global.b8 [%rd2+7], 1;", room())));
}

TEST(GlobalRaces, WarpsOfOneProgram) {
  auto between = [](const std::string &order) {
    Snippet snippet{.threads = 64};
    snippet.watch.races = true;
    return run("st.global.b64 [%rd1], %rd1; " + order +
                   " xor.b32 %r4, %r1, 32; mul.wide.u32 %rd4, %r4, 8; add.s64 %rd4, %rd4, %rd2;\n"
                   "ld.global.b64 %rd9, [%rd4]; " +
                   order,
               snippet)
        .findings.size();
  };
  EXPECT_EQ(between("bar.sync 0;"), 0u);
  EXPECT_GT(between(""), 0u);
}

TEST(GlobalRaces, BarriersPassOnWhatWasAcquired) {
  // Warp 1 of the first program writes, warp 0 releases behind a barrier; the second program the other way round.
  Snippet snippet{.threads = 64, .inputs = std::vector<uint64_t>(1024), .clusters = 2};
  snippet.watch.races = true;
  auto run2 = [&](const std::string &barrier) {
    return run("add.s64 %rd2, %rd2, 4096; add.s64 %rd3, %rd2, 8; mov.u32 %r11, %ctaid.x; setp.eq.u32 %p2, %r11, 0; "
               "setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p4, %r1, 40;\n"
               "@!%p2 bra SECOND;\n@%p4 st.global.b32 [%rd2+400], 1;\n" +
                   barrier +
                   "\n@%p1 st.release.gpu.global.b32 [%rd3], 1;\nbra END;\nSECOND: @!%p1 bra JOIN;\n"
                   "WAIT: ld.acquire.gpu.global.b32 %r13, [%rd3]; setp.eq.u32 %p3, %r13, 0; @%p3 bra WAIT;\nJOIN: "
                   "bar.sync 0;\n"
                   "@%p4 ld.global.b32 %r12, [%rd2+400];\nEND:",
               snippet)
        .firstFinding();
  };
  EXPECT_EQ(run2("bar.sync 0;"), "");
  EXPECT_TRUE(isRace(run2("")));
}

} // namespace
