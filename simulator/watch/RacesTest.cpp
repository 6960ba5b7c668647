// Kernels with one mistake each, and what is said of them; the same kernels without the mistake, of which nothing is said.
#include "simulator/watch/Races.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace triton::simulator;

namespace {

/// Runs a kernel of two warps and says what was found.
std::vector<Finding> run(const std::string &body, WatchSet watch = {.bounds = true, .shared = false, .races = true},
                         uint64_t seed = 0) {
  std::string text = R"(
.version 8.3
.target sm_90a
.address_size 64
.shared .align 128 .b8 memory[4096];
.visible .entry kernel(.param .u64 p) {
.reg .pred %p<4>;
.reg .b32 %r<16>;
.reg .b64 %rd<8>;
.reg .f32 %f<8>;
mov.u32 %r0, %tid.x;
shl.b32 %r1, %r0, 2;
mov.u32 %r2, memory;
add.u32 %r3, %r2, %r1;
xor.b32 %r4, %r1, 128;
add.u32 %r5, %r2, %r4;
ld.param.u64 %rd0, [p];
)" + body + "ret;\n}\n";
  Loaded loaded = load(text);
  EXPECT_EQ(loaded.problem, "");
  alignas(128) static uint32_t global[1024];
  Launch launch;
  launch.kernel = loaded.program->find("kernel");
  launch.block = {64, 1, 1};
  launch.watch = watch;
  launch.seed = seed;
  launch.parameters.resize(8);
  auto address = reinterpret_cast<uint64_t>(global);
  std::memcpy(launch.parameters.data(), &address, 8);
  Findings findings;
  Grid(*loaded.program, launch, findings).run();
  return findings.take();
}

std::string messageOf(const std::vector<Finding> &findings) { return findings.empty() ? "" : findings[0].message; }

const std::string exchange = "st.shared.u32 [%r3], %r0;\n%SYNC%ld.shared.u32 %r6, [%r5];\n";

std::string with(std::string text, const std::string &sync) {
  size_t at = text.find("%SYNC%");
  return text.replace(at, 6, sync);
}

} // namespace

TEST(Races, BarrierOrdersWarps) { EXPECT_EQ(messageOf(run(with(exchange, "bar.sync 0;\n"))), ""); }

TEST(Races, MissingBarrier) {
  auto findings = run(with(exchange, ""));
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].kind, Finding::Kind::Race);
  EXPECT_NE(findings[0].message.find("are not ordered"), std::string::npos) << findings[0].message;
}

TEST(Races, BarrierOfAnotherNumberOrdersNothing) {
  // Each warp meets itself only.
  EXPECT_NE(messageOf(run(with(exchange, "shr.u32 %r7, %r0, 5;\nadd.u32 %r7, %r7, 1;\nbarrier.sync %r7, 32;\n"))), "");
}

TEST(Races, ReadBeforeOverwriting) {
  const std::string loop =
      "st.shared.u32 [%r3], %r0;\nbar.sync 0;\nld.shared.u32 %r6, [%r5];\n%SYNC%st.shared.u32 [%r3], %r6;\n";
  EXPECT_EQ(messageOf(run(with(loop, "bar.sync 0;\n"))), "");
  EXPECT_NE(messageOf(run(with(loop, ""))), "");
}

TEST(Races, OwnAccessesAreInOrder) {
  EXPECT_EQ(messageOf(run("st.shared.u32 [%r3], %r0;\nld.shared.u32 %r6, [%r3];\nst.shared.u32 [%r3], %r6;\n")), "");
}

TEST(Races, MbarrierOrdersThoseWhoWait) {
  const std::string text = R"(
setp.eq.u32 %p1, %r0, 0;
@%p1 mbarrier.init.shared.b64 [memory+1024], 64;
bar.sync 0;
st.shared.u32 [%r3], %r0;
mbarrier.arrive.shared.b64 %rd1, [memory+1024];
%SYNC%
ld.shared.u32 %r6, [%r5];
)";
  const std::string wait = "WAIT:\nmbarrier.try_wait.parity.shared.b64 %p2, [memory+1024], PARITY;\n@!%p2 bra WAIT;\n";
  auto waitFor = [&](const char *parity) {
    std::string copy = wait;
    return copy.replace(copy.find("PARITY"), 6, parity);
  };
  EXPECT_EQ(messageOf(run(with(text, waitFor("0")))), "");
  EXPECT_NE(messageOf(run(with(text, ""))), "");
  EXPECT_NE(messageOf(run(with(text, waitFor("1")))), "") << "the phase before the first is always over";
}

TEST(Races, CopiesAreOverWhenTheirGroupIs) {
  const std::string text = R"(
shl.b32 %r8, %r0, 4;
add.u32 %r9, %r2, %r8;
cvt.u64.u32 %rd2, %r8;
add.u64 %rd3, %rd0, %rd2;
cp.async.cg.shared.global [%r9], [%rd3], 16;
cp.async.commit_group;
%SYNC%ld.shared.u32 %r6, [%r9];
)";
  EXPECT_EQ(messageOf(run(with(text, "cp.async.wait_group 0;\n"))), "");
  EXPECT_NE(messageOf(run(with(text, "cp.async.wait_group 1;\n"))), "");
  EXPECT_NE(messageOf(run(with(text, ""))), "");
}

TEST(Races, BulkCopiesSeeWhatIsFenced) {
  const std::string text = R"(
st.shared.u32 [%r3], %r0;
%SYNC%bar.sync 0;
setp.eq.u32 %p1, %r0, 0;
@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r2], 256;
@%p1 cp.async.bulk.commit_group;
@%p1 cp.async.bulk.wait_group 0;
)";
  EXPECT_EQ(messageOf(run(with(text, "fence.proxy.async.shared::cta;\n"))), "");
  std::string message = messageOf(run(with(text, "")));
  EXPECT_NE(message.find("without fence.proxy.async"), std::string::npos) << message;
}

TEST(Races, BulkLoadsAreOverWhenTheirBytesHaveCome) {
  const std::string text = R"(
setp.eq.u32 %p1, %r0, 0;
@%p1 mbarrier.init.shared.b64 [memory+1024], 1;
bar.sync 0;
@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [memory+1024], 256;
@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd0], 256, [memory+1024];
%SYNC%ld.shared.u32 %r6, [%r3];
)";
  EXPECT_EQ(messageOf(run(
                with(text, "WAIT:\nmbarrier.try_wait.parity.shared.b64 %p2, [memory+1024], 0;\n@!%p2 bra WAIT;\n"))),
            "");
  EXPECT_NE(messageOf(run(with(text, "bar.sync 0;\n"))), "") << "a barrier of threads says nothing of the copy";
}

TEST(Races, CopiesOfAnElement) {
  EXPECT_EQ(messageOf(run("st.shared.u32 [memory+512], 7;\n")), "") << "all warps write it, by one instruction";
  EXPECT_NE(
      messageOf(run(
          "setp.lt.u32 %p1, %r0, 32;\n@%p1 st.shared.u32 [memory+512], 7;\n@!%p1 st.shared.u32 [memory+512], 8;\n")),
      "");
}

TEST(Races, MemoryNobodyWrote) {
  WatchSet watch{.bounds = true, .shared = true, .races = false};
  auto findings = run("ld.shared.u32 %r6, [%r3];\n", watch);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].kind, Finding::Kind::Uninitialised);
  EXPECT_TRUE(run("st.shared.u32 [%r3], %r0;\nld.shared.u32 %r6, [%r3];\n", watch).empty());
}

TEST(Races, MbarriersAreThereBeforeOthersUseThem) {
  const std::string text = R"(
setp.eq.u32 %p1, %r0, 0;
@%p1 mbarrier.init.shared.b64 [memory+1024], 64;
%SYNC%mbarrier.arrive.shared.b64 %rd1, [memory+1024];
)";
  EXPECT_EQ(messageOf(run(with(text, "bar.sync 0;\n"))), "");
  EXPECT_NE(messageOf(run(with(text, ""))), "");
}

TEST(Races, CopiesThatAreInFlightAtTheEnd) {
  const std::string text = R"(
st.shared.u32 [%r3], %r0;
fence.proxy.async.shared::cta;
bar.sync 0;
setp.eq.u32 %p1, %r0, 0;
@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r2], 256;
@%p1 cp.async.bulk.commit_group;
%SYNC%)";
  EXPECT_EQ(messageOf(run(with(text, "@%p1 cp.async.bulk.wait_group.read 0;\n"))), "");
  EXPECT_NE(messageOf(run(with(text, ""))), "");
}

TEST(Races, LoadsThatLandLate) {
  // One look at the barrier is enough only where copies land at once.
  const std::string text = R"(
setp.eq.u32 %p1, %r0, 0;
@%p1 mbarrier.init.shared.b64 [memory+1024], 1;
bar.sync 0;
@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [memory+1024], 256;
@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd0], 256, [memory+1024];
WAIT:
mbarrier.try_wait.parity.shared.b64 %p2, [memory+1024], 0;
%SYNC%ld.shared.u32 %r6, [%r3];
)";
  const WatchSet watch{.bounds = true, .shared = false, .races = true};
  unsigned found = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    EXPECT_EQ(messageOf(run(with(text, "@!%p2 bra WAIT;\n"), watch, seed)), "");
    found += !run(with(text, ""), watch, seed).empty();
  }
  EXPECT_GT(found, 0u);
}

TEST(Races, RegistersOfProducts) {
  const std::string text = R"(
mov.b64 %rd4, 0;
mov.b32 %f0, 0f00000000;
mov.b32 %f1, 0f00000000;
mov.b32 %f2, 0f00000000;
mov.b32 %f3, 0f00000000;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd4, %rd4, 1, 1, 1, 0, 0;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd4, %rd4, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
mov.b32 %f4, %f0;
%SYNC%add.f32 %f5, %f4, %f1;
)";
  EXPECT_EQ(messageOf(run(with(text, "wgmma.wait_group.sync.aligned 0;\n"))), "");
  std::string message = messageOf(run(with(text, "wgmma.wait_group.sync.aligned 1;\n")));
  EXPECT_NE(message.find("before the wait for it"), std::string::npos) << message;
}

TEST(Races, RegistersOfProductsAreFenced) {
  const std::string text = R"(
mov.b64 %rd4, 0;
mov.b32 %f0, 0f00000000;
mov.b32 %f1, %f0;
mov.b32 %f2, %f0;
mov.b32 %f3, %f0;
%SYNC%
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd4, %rd4, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
)";
  EXPECT_EQ(messageOf(run(with(text, "wgmma.fence.sync.aligned;"))), "");
  EXPECT_NE(messageOf(run(with(text, ""))).find("without a wgmma.fence"), std::string::npos);
  EXPECT_EQ(messageOf(run(with(text, "add.f32 %f1, %f1, %f1;\nwgmma.fence.sync.aligned;"))), "");
  std::string late = messageOf(run(with(text, "wgmma.fence.sync.aligned;\nadd.f32 %f4, %f1, %f1;\nmov.b32 %f1, %f4;")));
  EXPECT_NE(late.find("written since the last wgmma.fence"), std::string::npos) << late;
}

TEST(Counters, SectorsAndBankConflicts) {
  Loaded loaded = load(R"(
.version 8.3
.target sm_90a
.address_size 64
.shared .align 128 .b8 memory[4096];
.visible .entry kernel(.param .u64 p) {
.reg .b32 %r<8>;
.reg .b64 %rd<4>;
mov.u32 %r0, %tid.x;
shl.b32 %r1, %r0, 7;
st.shared.u32 [%r1], %r0;
ld.param.u64 %rd0, [p];
mul.wide.u32 %rd1, %r0, 4;
add.u64 %rd2, %rd0, %rd1;
ld.global.u32 %r2, [%rd2];
ret;
})");
  ASSERT_EQ(loaded.problem, "");
  alignas(128) static uint32_t global[32];
  Launch launch;
  launch.kernel = loaded.program->find("kernel");
  launch.block = {32, 1, 1};
  launch.counts = true;
  launch.parameters.resize(8);
  auto address = reinterpret_cast<uint64_t>(global);
  std::memcpy(launch.parameters.data(), &address, 8);
  Findings findings;
  Grid grid(*loaded.program, launch, findings);
  grid.run();
  Counter all;
  for (const LineCount &line : sumByLine(*loaded.program, *grid.counters))
    all += line.counter;
  EXPECT_EQ(all.passes, 32u) << "all lanes write to one bank";
  EXPECT_EQ(all.neededPasses, 1u);
  EXPECT_EQ(all.requests, 1u);
  EXPECT_EQ(all.sectors, 4u);
  EXPECT_EQ(all.globalBytes, 128u);
}
