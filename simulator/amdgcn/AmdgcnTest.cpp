// LLVM IR of kernels, run in waves of 32 and 64 lanes, against references of their own; kernels with one mistake each, and what is said of them.
#include "simulator/amdgcn/Load.h"
#include "simulator/watch/Findings.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace triton::simulator;

namespace {

struct Outcome {
  std::vector<uint32_t> out; // what the kernel wrote
  std::vector<Finding> findings;
  std::string problem;
};

/// Runs @kernel(ptr out) with as many threads as there are words to write.
Outcome run(const std::string &text, unsigned lanes, unsigned threads, bool isFnuz = false, unsigned programs = 1) {
  Loaded loaded = amdgcn::load(text, {"gfx", lanes, isFnuz});
  Outcome outcome;
  outcome.problem = loaded.problem;
  if (!loaded.program)
    return outcome;
  outcome.out.assign(threads, 0xDEAD);
  Launch launch;
  launch.kernel = loaded.program->find("kernel");
  launch.block = {threads, 1, 1};
  launch.grid = {programs, 1, 1};
  launch.sharedBytes = 4096;
  launch.watch = {.bounds = true, .shared = true, .races = true};
  auto begin = reinterpret_cast<uint64_t>(outcome.out.data());
  launch.parameters.resize(8);
  std::memcpy(launch.parameters.data(), &begin, 8);
  amdgcn::appendHiddenArguments(launch, launch.kernel->parameterBytes);
  launch.memory = {{begin, begin + 4 * threads, "out"}};
  Findings findings;
  Grid(*loaded.program, launch, findings).run();
  outcome.findings = findings.take();
  return outcome;
}

/// A kernel that stores %value, an i32, at its thread's place; `body` computes it from %thread.
std::string kernel(const std::string &body, const std::string &declarations = "") {
  return R"(
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"
@shared = external addrspace(3) global [0 x i8], align 16
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
)" + declarations +
         R"(
define amdgpu_kernel void @kernel(ptr addrspace(1) %out) {
entry:
  %thread = call i32 @llvm.amdgcn.workitem.id.x()
)" + body +
         R"(
  %place = getelementptr i32, ptr addrspace(1) %out, i32 %thread
  store i32 %value, ptr addrspace(1) %place, align 4
  ret void
}
)";
}

std::string messageOf(const Outcome &outcome) {
  return !outcome.problem.empty() ? outcome.problem : outcome.findings.empty() ? "" : outcome.findings[0].message;
}

} // namespace

TEST(Amdgcn, TextsThatNoGpuTakes) {
  auto problem = [](const std::string &body, const std::string &declarations = "") {
    return run(kernel(body + "\n%value = add i32 %thread, 0", declarations), 64, 64).problem;
  };
  EXPECT_EQ(problem(""), "");
  // LLVM's reader takes what is no program.
  EXPECT_EQ(problem("%late = add i32 %later, 1\n%later = add i32 %thread, 1").substr(0, 39),
            "Instruction does not dominate all uses!");
  EXPECT_EQ(problem("call void @f()", "define void @f() {\ncall void @g()\nret void\n}\ndefine void @g() {\ncall void "
                                      "@f()\nret void\n}"),
            "function 'g' is called in a circle, which is not simulated");
  EXPECT_EQ(problem("%big = freeze [1000000000 x i32] zeroinitializer").substr(0, 53),
            "a value of more than 65536 numbers is not simulated (");
  EXPECT_EQ(problem("%none = freeze {} zeroinitializer").substr(0, 41), "the constant {} zeroinitializer is not si");
  EXPECT_EQ(problem("%a = alloca [600000 x i8], align 4, addrspace(5)").substr(0, 62),
            "the private memory of a thread takes more than 524288 bytes (%");
  EXPECT_EQ(problem("", "@huge = addrspace(3) global [20000000 x i8] poison"),
            "variables in shared memory take more than 16777215 bytes");
  EXPECT_EQ(problem("", "@huge = addrspace(1) global [2000000000 x i8] zeroinitializer"),
            "variables in global memory take more than 1073741824 bytes");
}

TEST(Amdgcn, AlignmentsBeyondAWord) {
  std::string text = kernel("%value = add i32 %thread, 0");
  text.replace(text.find("align 4\n  ret"), 7, "align 4294967296");
  EXPECT_NE(messageOf(run(text, 64, 64)).find("which is no multiple of 2147483648"), std::string::npos);
}

TEST(Amdgcn, LanesThatBranchMeetAgain) {
  // A loop of as many rounds as the thread's number, and what its lanes had when they left it.
  std::string text = kernel(R"(
  br label %loop
loop:
  %round = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %more = add i32 %sum, %round
  %next = add i32 %round, 1
  %goes = icmp ult i32 %round, %thread
  br i1 %goes, label %loop, label %end
end:
  %value = add i32 %more, %sum
)");
  for (unsigned lanes : {32u, 64u}) {
    Outcome outcome = run(text, lanes, 128);
    EXPECT_EQ(messageOf(outcome), "");
    for (uint32_t thread = 0; thread < 128; ++thread)
      EXPECT_EQ(outcome.out[thread], thread * (thread + 1) / 2 + (thread ? thread * (thread - 1) / 2 : 0)) << thread;
  }
}

TEST(Amdgcn, OddWidthsKeepTheirBits) {
  Outcome outcome = run(kernel(R"(
  %narrow = trunc i32 %thread to i7
  %sum = add i7 %narrow, 100
  %wide = sext i7 %sum to i32
  %isLess = icmp slt i7 %sum, 0
  %value = select i1 %isLess, i32 %wide, i32 1000
)"),
                        64, 64);
  EXPECT_EQ(messageOf(outcome), "");
  for (uint32_t thread = 0; thread < 64; ++thread) {
    const uint32_t sum = (thread + 100) & 127;
    EXPECT_EQ(outcome.out[thread], sum & 64 ? sum - 128 : 1000) << thread;
  }
}

TEST(Amdgcn, LanesReadEachOther) {
  // DPP mirrors rows of 16, ds_bpermute takes any lane of the wave.
  Outcome outcome = run(kernel(R"(
  %mirrored = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %thread, i32 320, i32 15, i32 15, i1 true)
  %other = xor i32 %thread, 33
  %bytes = shl i32 %other, 2
  %value = call i32 @llvm.amdgcn.ds.bpermute(i32 %bytes, i32 %mirrored)
)",
                               "declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)\n"
                               "declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)\n"),
                        64, 128);
  EXPECT_EQ(messageOf(outcome), "");
  for (uint32_t thread = 0; thread < 128; ++thread)
    EXPECT_EQ(outcome.out[thread], (thread ^ 33) ^ 15) << thread;
}

TEST(Amdgcn, GridSizesAreHiddenArguments) {
  Outcome outcome = run(kernel(R"(
  %hidden = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %value = load i32, ptr addrspace(4) %hidden, align 4
)",
                               "declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()\n"),
                        32, 32, /*isFnuz=*/false, /*programs=*/3);
  EXPECT_NE(messageOf(outcome).find("of global memory are not ordered"), std::string::npos) << "all write one place";
  EXPECT_EQ(outcome.out[7], 3u);
}

TEST(Amdgcn, MatrixInstructions) {
  // A is one in its row 5 alone, B is one in all: the sum over K is there in row 5, which register 1 of lanes 32 to 63 holds.
  Outcome outcome = run(kernel(R"(
  %row = and i32 %thread, 31
  %isFive = icmp eq i32 %row, 5
  %one = select i1 %isFive, half 1.0, half 0.0
  %a0 = insertelement <4 x half> poison, half %one, i32 0
  %a = shufflevector <4 x half> %a0, <4 x half> poison, <4 x i32> zeroinitializer
  %d = call <16 x float> @llvm.amdgcn.mfma.f32.32x32x8f16(<4 x half> %a, <4 x half> splat (half 1.0), <16 x float> zeroinitializer, i32 0, i32 0, i32 0)
  %sum = extractelement <16 x float> %d, i32 1
  %value = fptoui float %sum to i32
)",
                               "declare <16 x float> @llvm.amdgcn.mfma.f32.32x32x8f16(<4 x half>, <4 x half>, <16 x "
                               "float>, i32, i32, i32)\n"),
                        64, 64);
  EXPECT_EQ(messageOf(outcome), "");
  for (uint32_t lane = 0; lane < 64; ++lane)
    EXPECT_EQ(outcome.out[lane], lane < 32 ? 0u : 8u) << lane;
}

TEST(Amdgcn, MatrixInstructionsOfWavesOf32) {
  // A is one in row 9, of which lanes hold every other eight along K; B is K in all columns. Row 9 is register 1 of the upper lanes.
  Outcome outcome = run(kernel(R"(
  %row = and i32 %thread, 15
  %isNine = icmp eq i32 %row, 9
  %one = select i1 %isNine, half 1.0, half 0.0
  %a0 = insertelement <16 x half> poison, half %one, i32 0
  %a = shufflevector <16 x half> %a0, <16 x half> poison, <16 x i32> zeroinitializer
  %upper = lshr i32 %thread, 4
  %isUpper = icmp eq i32 %upper, 1
  %b = select i1 %isUpper, <16 x half> splat (half 3.0), <16 x half> splat (half 1.0)
  %d = call <8 x float> @llvm.amdgcn.wmma.f32.16x16x32.f16.v8f32.v16f16(i1 false, <16 x half> %a, i1 false, <16 x half> %b, i16 0, <8 x float> splat (float 5.0), i1 false, i1 false)
  %sum = extractelement <8 x float> %d, i32 1
  %value = fptoui float %sum to i32
)",
                               "declare <8 x float> @llvm.amdgcn.wmma.f32.16x16x32.f16.v8f32.v16f16(i1, <16 x half>, "
                               "i1, <16 x half>, i16, <8 x float>, i1, i1)\n"),
                        32, 32);
  EXPECT_EQ(messageOf(outcome), "");
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(outcome.out[lane], lane < 16 ? 5u : 5u + 16 * 1 + 16 * 3) << lane;
}

TEST(Amdgcn, ScaledMatrixInstructions) {
  // All elements of A are 1 (e4m3, 0x38) and of B 2 (e2m1, 4): a sum of 128. The scales of A, byte 2 of their registers, are 2 for the first 32 of K and 8 for the
  // others, which lanes 32 to 63 hold; those of B, byte 0, are 1/2.
  Outcome outcome = run(kernel(R"(
  %upper = lshr i32 %thread, 5
  %shift = shl i32 %upper, 1
  %exponent = add i32 %shift, 128
  %scale = shl i32 %exponent, 16
  %d = call <16 x float> @llvm.amdgcn.mfma.scale.f32.32x32x64.f8f6f4.v8i32.v4i32(<8 x i32> splat (i32 943208504), <4 x i32> splat (i32 1145324612), <16 x float> zeroinitializer, i32 0, i32 4, i32 2, i32 %scale, i32 0, i32 126)
  %sum = extractelement <16 x float> %d, i32 3
  %value = fptoui float %sum to i32
)",
                               "declare <16 x float> @llvm.amdgcn.mfma.scale.f32.32x32x64.f8f6f4.v8i32.v4i32(<8 x "
                               "i32>, <4 x i32>, <16 x float>, i32, i32, i32, i32, i32, i32)\n"),
                        64, 64);
  EXPECT_EQ(messageOf(outcome), "");
  for (uint32_t lane = 0; lane < 64; ++lane)
    EXPECT_EQ(outcome.out[lane], 32u * 2 + 32u * 8) << lane;
  // A wave of 32 has the four scales of a row in one register, of the upper half here for A: 1, 2, 4 and 1/2.
  outcome = run(kernel(R"(
  %upper = lshr i32 %thread, 4
  %isUpper = icmp eq i32 %upper, 1
  %scale = select i1 %isUpper, i32 2122416255, i32 -1
  %d = call <8 x float> @llvm.amdgcn.wmma.scale.f32.16x16x128.f8f6f4.v8f32.v16i32.v8i32(i32 0, <16 x i32> splat (i32 943208504), i32 4, <8 x i32> splat (i32 1145324612), i16 0, <8 x float> zeroinitializer, i32 1, i32 0, i32 %scale, i32 0, i32 0, i32 2139062143, i1 false, i1 false)
  %sum = extractelement <8 x float> %d, i32 3
  %value = fptoui float %sum to i32
)",
                       "declare <8 x float> @llvm.amdgcn.wmma.scale.f32.16x16x128.f8f6f4.v8f32.v16i32.v8i32(i32, <16 x "
                       "i32>, i32, <8 x i32>, i16, <8 x float>, i32, i32, i32, i32, i32, i32, i1, i1)\n"),
                32, 32);
  EXPECT_EQ(messageOf(outcome), "");
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(outcome.out[lane], 64u + 128 + 256 + 32) << lane;
}

TEST(Amdgcn, SmallFloatsOfBothFamilies) {
  // 0x40 is 2 in the OCP format, and 1 in FNUZ, whose bias is one larger.
  std::string text = kernel(R"(
  %number = call float @llvm.amdgcn.cvt.f32.fp8(i32 64, i32 0)
  %value = fptoui float %number to i32
)",
                            "declare float @llvm.amdgcn.cvt.f32.fp8(i32, i32)\n");
  EXPECT_EQ(run(text, 64, 64, /*isFnuz=*/false).out[0], 2u);
  EXPECT_EQ(run(text, 64, 64, /*isFnuz=*/true).out[0], 1u);
}

TEST(Amdgcn, UnknownIntrinsicsAreNamed) {
  Outcome outcome = run(
      kernel("  %value = call i32 @llvm.amdgcn.s.getreg(i32 0)\n", "declare i32 @llvm.amdgcn.s.getreg(i32)\n"), 64, 64);
  EXPECT_NE(outcome.problem.find("'llvm.amdgcn.s.getreg' is not simulated"), std::string::npos) << outcome.problem;
}

// Mistakes

static std::string exchange(const std::string &sync) {
  return kernel(R"(
  %mine = getelementptr i32, ptr addrspace(3) @shared, i32 %thread
  store i32 %thread, ptr addrspace(3) %mine, align 4
)" + sync + R"(
  %other = xor i32 %thread, 64
  %theirs = getelementptr i32, ptr addrspace(3) @shared, i32 %other
  %value = load i32, ptr addrspace(3) %theirs, align 4
)");
}

TEST(Amdgcn, BarriersOrderWaves) {
  Outcome outcome = run(exchange("  call void @llvm.amdgcn.s.barrier()\n"), 64, 128);
  EXPECT_EQ(messageOf(outcome), "");
  for (uint32_t thread = 0; thread < 128; ++thread)
    EXPECT_EQ(outcome.out[thread], thread ^ 64) << thread;
}

TEST(Amdgcn, MissingBarrierIsARace) {
  Outcome outcome = run(exchange(""), 64, 128);
  ASSERT_FALSE(outcome.findings.empty());
  bool isNamed = false;
  for (const Finding &finding : outcome.findings)
    isNamed |= finding.kind == Finding::Kind::Race && finding.message.find("are not ordered") != std::string::npos;
  EXPECT_TRUE(isNamed) << messageOf(outcome);
}

/// Each wave copies 64 numbers of `out` to LDS, and then another 64; the lanes of the other wave read the first. All copies have landed where `out` is
/// written.
static std::string copies(const std::string &wait) {
  return kernel(R"(
  %begin = getelementptr i32, ptr addrspace(1) %out, i32 %thread
  store i32 %thread, ptr addrspace(1) %begin, align 4
  %buffer = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %out, i16 0, i64 2147483646, i32 159744)
  %wave = and i32 %thread, 64
  %mine = getelementptr i32, ptr addrspace(3) @shared, i32 %wave
  %further = getelementptr i32, ptr addrspace(3) %mine, i32 128
  %isOdd = trunc i32 %thread to i1
  %own = shl i32 %thread, 2
  %offset = select i1 %isOdd, i32 %own, i32 -2147483648
  call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %buffer, ptr addrspace(3) %mine, i32 4, i32 %offset, i32 0, i32 0, i32 0)
  call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %buffer, ptr addrspace(3) %further, i32 4, i32 %offset, i32 0, i32 0, i32 0)
)" + wait + R"(
  call void @llvm.amdgcn.s.barrier()
  %other = xor i32 %thread, 64
  %theirs = getelementptr i32, ptr addrspace(3) @shared, i32 %other
  %value = load i32, ptr addrspace(3) %theirs, align 4
  call void @llvm.amdgcn.s.waitcnt(i32 16368)
)",
                "declare ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1), i16, i64, i32)\n"
                "declare void @llvm.amdgcn.s.waitcnt(i32)\n"
                "declare void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8), ptr addrspace(3), i32, i32, i32, "
                "i32, i32)\n");
}

TEST(Amdgcn, CopiesToLdsLandWhenTheyAreWaitedFor) {
  // All but the newest one.
  Outcome outcome = run(copies("  call void @llvm.amdgcn.s.waitcnt(i32 16369)\n"), 64, 128, false, 1);
  EXPECT_EQ(messageOf(outcome), "");
  for (uint32_t thread = 0; thread < 128; ++thread)
    EXPECT_EQ(outcome.out[thread], thread % 2 ? thread ^ 64 : 0) << "what is out of range is zero, lane by lane";
}

TEST(Amdgcn, CopiesThatNobodyWaitedForAreARace) {
  for (const char *wait : {"", "  call void @llvm.amdgcn.s.waitcnt(i32 16370)\n"}) {
    Outcome outcome = run(copies(wait), 64, 128, false, 1);
    bool isNamed = false;
    for (const Finding &finding : outcome.findings)
      isNamed |= finding.kind == Finding::Kind::Race;
    EXPECT_TRUE(isNamed) << messageOf(outcome);
  }
}

TEST(Amdgcn, UninitialisedLds) {
  Outcome outcome = run(kernel("  %value = load i32, ptr addrspace(3) @shared, align 4\n"), 64, 64);
  ASSERT_FALSE(outcome.findings.empty());
  EXPECT_EQ(outcome.findings[0].kind, Finding::Kind::Uninitialised);
}

TEST(Amdgcn, OutsideOfGlobalMemory) {
  Outcome outcome = run(kernel(R"(
  %far = add i32 %thread, 1
  %behind = getelementptr i32, ptr addrspace(1) %out, i32 %far
  %value = load i32, ptr addrspace(1) %behind, align 4
)"),
                        64, 64);
  EXPECT_NE(messageOf(outcome).find("outside of global memory, 256 bytes into out of 256"), std::string::npos)
      << messageOf(outcome);
}

TEST(Amdgcn, MatrixInstructionsNeedAllLanes) {
  Outcome outcome = run(kernel(R"(
  %isFirst = icmp eq i32 %thread, 0
  br i1 %isFirst, label %then, label %end
then:
  %d = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float 1.0, float 1.0, <4 x float> zeroinitializer, i32 0, i32 0, i32 0)
  %first = extractelement <4 x float> %d, i32 0
  %bits = bitcast float %first to i32
  br label %end
end:
  %value = phi i32 [ 0, %entry ], [ %bits, %then ]
)",
                               "declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float, float, <4 x float>, i32, "
                               "i32, i32)\n"),
                        64, 64);
  EXPECT_NE(messageOf(outcome).find("a matrix instruction is reached by 1 of 64 lanes"), std::string::npos)
      << messageOf(outcome);
}
