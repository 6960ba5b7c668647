// Snippets of PTX on the simulator, against references that are computed another way.
#include "simulator/RunSnippet.h"
#include "simulator/arithmetic/Floats.h"
#include "simulator/engines/TensorMap.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>

using namespace triton::simulator;

namespace {

TEST(Simulator, SaysWhatItDoesNotKnow) {
  EXPECT_EQ(run("frobnicate.b32 %r1, %r2;").problem, "line 10: 'frobnicate.b32' is not simulated");
  EXPECT_EQ(run("add.s32 %r1, %r2").problem, "line 11: expected ';' behind an instruction, got 'st.global.b64'");
  EXPECT_EQ(run("add.s32 %r1, %r2, %rd1;").problem, "line 10: 'add.s32' needs a register of 32 bits, got '%rd1' of 64");
  EXPECT_EQ(run("bra nowhere;").problem, "line 10: there is no label 'nowhere'");
}

std::string problemOf(const std::string &declarations, const std::string &body = "") {
  return load(".version 9.0\n.target sm_90a\n.address_size 64\n" + declarations +
              "\n.visible .entry kernel()\n{\n.reg .b32 %r<9>; .reg .pred %p<9>;\n" + body + "\nret;\n}\n")
      .problem;
}

std::string repeated(const std::string &text, size_t count) {
  std::string all;
  while (count--)
    all += text;
  return all;
}

TEST(Simulator, BracketsDecideNoStack) {
  const size_t many = 200000;
  for (std::string open : {"{", "mov.b32 %r1, {", "mov.b32 %r1, (", "ld.b32 %r1, [", "@!%p1 selp.b32 %r1, %r1, %r1, !"})
    EXPECT_NE(
        problemOf("", open + repeated(open.substr(open.size() - 1), many)).find("brackets are nested deeper than"),
        std::string::npos)
        << open;
  EXPECT_EQ(problemOf(".global .b8 a[4] = " + repeated("{", many)), "line 4: brackets are nested deeper than 256");
  EXPECT_EQ(problemOf("", repeated("{", 200) + repeated("}", 200)), "");
}

TEST(Simulator, SizesThatNoGpuHas) {
  EXPECT_EQ(problemOf(".global .align 3 .b8 a[4];"), "line 4: an alignment is a power of two up to 65536, got 3");
  EXPECT_EQ(problemOf("", ".local .align 4294967296 .b8 a[4];"),
            "line 8: an alignment is a power of two up to 65536, got 4294967296");
  EXPECT_EQ(problemOf(".global .b64 a[4611686018427387904][8];"),
            "line 4: variable 'a' is larger than 1073741824 bytes");
  EXPECT_EQ(problemOf(".global .b8 a[-1];"), "line 4: variable 'a' is larger than 1073741824 bytes");
  EXPECT_EQ(problemOf(".shared .b8 a[16777216];"), "variables in shared memory take 16777216 bytes");
  EXPECT_EQ(problemOf("", ".local .b8 a[524288]; .local .b8 b[1];"),
            "the variables of a thread in local memory take more than 524288 bytes");
  EXPECT_EQ(problemOf(".visible .entry other(.param .align 8 .b8 p[32768])\n{\n}"),
            "the parameters of 'other' take more than 32764 bytes");
  EXPECT_NE(problemOf("", ".reg .b64 %a<4194303>;").find("a function has at most 4194304 registers"),
            std::string::npos);
  EXPECT_EQ(problemOf(".visible .entry other() .reqnctapercluster 17\n{\n}"),
            "line 4: a cluster has at most 16 CTAs, got 17");
}

TEST(Simulator, WhatIsDefinedTwiceOrInACircle) {
  EXPECT_EQ(problemOf(".global .u64 a[2] = {a, a}; .global .b8 a[1];"), "variable 'a' is declared twice");
  EXPECT_EQ(problemOf(".global .b32 a[1] = {a};"), "line 4: an address has 64 bits, and the elements of 'a' have 32");
  EXPECT_EQ(problemOf(".func f()\n{\n}\n.func f(.param .b32 p)\n{\n}"), "line 7: function 'f' is defined twice");
  EXPECT_EQ(problemOf(".func g();\n.func f()\n{\ncall g, ();\n}\n.func g()\n{\ncall f, ();\n}"),
            "function 'f' is called in a circle, which is not simulated");
  EXPECT_EQ(problemOf("", "mov.b32 %r1, 0f3F80;"), "line 8: expected 8 hexadecimal digits, got '0f3F80'");
}

TEST(Simulator, FormsThatNoGpuHas) {
  EXPECT_EQ(run("ld.global.b32 {}, [%rd1];").problem, "line 10: 'ld.global.b32' moves no 0 elements of 32 bits");
  EXPECT_EQ(run("ld.global.v2.b32 {%r4, %r5, %r6}, [%rd1];").problem,
            "line 10: 'ld.global.v2.b32' moves no 3 elements of 32 bits");
  EXPECT_EQ(run("st.global.b4 [%rd1], 0;").problem, "line 10: 'st.global.b4' has no operands of 0 bits");
  EXPECT_EQ(run("mov.b4 _, 5;").problem, "line 10: 'mov.b4' has no operands of 0 bits");
  EXPECT_EQ(run("mov.b128x2 {%r4, %r5}, 5;").problem, "line 10: 'mov.b128x2' lacks a type");
  EXPECT_EQ(run("atom.global.add.u8 %r4, [%rd1], 1;").problem.substr(0, 38), "line 10: 'atom.global.add.u8' needs a ");
  EXPECT_EQ(run("red.global.exch.b128 [%rd1], 1;").problem, "line 10: 'red.global.exch.b128' is not simulated");
  EXPECT_EQ(run("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4,%r4,%r4,%r4,%r4,%r4,%r4,%r4}, [%r5];").problem,
            "line 10: 'ldmatrix.sync.aligned.m8n8.x4.shared.b16' has no form with 8 registers");
  EXPECT_EQ(run("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r10,%r11,%r12,%r13}, {%r6,%r6}, {%r20,%r21}, "
                "{%r7,%r7,%r7,%r7}, %r8, -1;")
                .problem,
            "line 10: 'mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32' has no sparsity selector -1");
}

TEST(Simulator, AddressesNearTheLargestAreOutside) {
  // The end of such an access is a small number.
  EXPECT_NE(run("mov.b64 %rd4, -8; ld.global.b64 %rd9, [%rd4];").firstFinding().find("outside of global memory"),
            std::string::npos);
  EXPECT_NE(run("mov.b64 %rd4, -8; ld.local.b64 %rd9, [%rd4];").firstFinding().find("outside of the 0 bytes of local"),
            std::string::npos);
  EXPECT_NE(run("mov.b64 %rd4, -8; ld.param.b64 %rd9, [%rd4];").firstFinding().find("read of a parameter"),
            std::string::npos);
}

TEST(Simulator, LaunchesGoOnWithoutThreads) {
  std::string text = ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry kernel(.param .u64 p)\n{\n"
                     ".reg .b64 %rd<4>; ld.param.b64 %rd1, [p]; atom.global.add.u64 %rd2, [%rd1], 1; ret;\n}\n";
  Loaded loaded = load(text);
  ASSERT_EQ(loaded.problem, "");
  uint64_t count = 0;
  auto address = reinterpret_cast<uint64_t>(&count);
  unsigned asked = 0;
  Launch launch;
  launch.kernel = loaded.program->find("kernel");
  launch.grid = {64, 1, 1};
  launch.threads = 1u << 31;
  launch.startThread = [&](const std::function<void()> &) { return ++asked, std::thread(); };
  launch.parameters.resize(8);
  std::memcpy(launch.parameters.data(), &address, 8);
  Findings findings;
  Grid(*loaded.program, launch, findings).run();
  EXPECT_EQ(count, 64u);
  EXPECT_EQ(asked, 1u) << "no more is asked for where there is none";
}

TEST(Simulator, IntegersWrap) {
  auto bits32 = [](const std::string &code) { return uint32_t(run(code + " cvt.u64.u32 %rd9, %r9;").values[3]); };
  EXPECT_EQ(bits32("add.s32 %r9, %r1, -5;"), 3u - 5u);
  EXPECT_EQ(bits32("mul.hi.u32 %r9, %r1, 0xFFFFFFFF;"), 2u);
  EXPECT_EQ(bits32("mov.b32 %r4, -7; div.s32 %r9, %r4, %r1;"), uint32_t(-2));
  EXPECT_EQ(bits32("mov.b32 %r4, -7; rem.s32 %r9, %r4, %r1;"), uint32_t(-1));
  EXPECT_EQ(bits32("shl.b32 %r9, %r1, 32;"), 0u);
  EXPECT_EQ(bits32("mov.b32 %r4, -8; shr.s32 %r9, %r4, 40;"), ~0u);
  EXPECT_EQ(bits32("prmt.b32 %r9, 0x03020100, 0x87060504, 0x0F74;"), 0x00FF8704u);
  EXPECT_EQ(bits32("bfe.s32 %r9, 0x0000F0F0, 4, 8;"), 0x0Fu);
  EXPECT_EQ(bits32("bfi.b32 %r9, 0xF, 0, 8, 4;"), 0xF00u);
  EXPECT_EQ(bits32("popc.b32 %r9, 0xF0F;"), 8u);
  EXPECT_EQ(bits32("clz.b32 %r9, 1;"), 31u);
  EXPECT_EQ(bits32("lop3.b32 %r9, 0xF0, 0xCC, 0xAA, 0x80;"), 0xF0u & 0xCCu & 0xAAu);
  EXPECT_EQ(bits32("shf.l.wrap.b32 %r9, 0x80000000, 1, 1;"), 3u);
  EXPECT_EQ(bits32("add.cc.u32 %r4, 0xFFFFFFFF, 1; addc.u32 %r9, 0, 0;"), 1u);
  EXPECT_EQ(bits32("dp4a.s32.s32 %r9, 0x01FF0201, 0x01010101, 10;"), 10u + 1 + 2 - 1 + 1);
}

TEST(Simulator, IntegersThatPeopleWriteByHand) {
  auto bits32 = [](const std::string &code) { return uint32_t(run(code + " cvt.u64.u32 %rd9, %r9;").values[3]); };
  EXPECT_EQ(bits32("mul24.lo.s32 %r9, 0x00FFFFFF, 3;"), uint32_t(-3)) << "bit 23 is the sign";
  EXPECT_EQ(bits32("mul24.lo.u32 %r9, 0xFFFFFFFF, 2;"), 0x01FFFFFEu);
  EXPECT_EQ(bits32("mul24.hi.u32 %r9, 0xFFFFFF, 0xFFFFFF;"), uint32_t((0xFFFFFFull * 0xFFFFFF) >> 16));
  EXPECT_EQ(bits32("mad24.lo.u32 %r9, 5, 6, 7;"), 37u);
  EXPECT_EQ(bits32("mov.b32 %r4, -9; sad.s32 %r9, %r4, 4, 100;"), 113u);
  EXPECT_EQ(bits32("mov.b16 %rs1, 3; mov.b16 %rs2, 65535; mov.b16 %rs3, 1; sad.u16 %rs4, %rs1, %rs2, %rs3; cvt.u32.u16 "
                   "%r9, %rs4;"),
            65533u);
  EXPECT_EQ(bits32("bmsk.clamp.b32 %r9, 28, 40;"), 0xF0000000u);
  EXPECT_EQ(bits32("bmsk.wrap.b32 %r9, 36, 34;"), 0x30u);
  EXPECT_EQ(bits32("szext.clamp.s32 %r9, 0xFF8, 4;"), 0xFFFFFFF8u);
  EXPECT_EQ(bits32("szext.wrap.u32 %r9, 0xFFF, 36;"), 0xFu);
  EXPECT_EQ(bits32("fns.b32 %r9, 0xAA, 2, 2;"), 5u);
  EXPECT_EQ(bits32("fns.b32 %r9, 0xAA, 6, -2;"), 3u);
  EXPECT_EQ(bits32("fns.b32 %r9, 0xAA, 0, 9;"), ~0u);
  EXPECT_EQ(bits32("mov.b32 %r4, 0xFFFF0003; max.relu.s16x2 %r9, %r4, 0xFFFE0002;"), 0x00000003u);
  EXPECT_EQ(bits32("mad.hi.sat.s32 %r9, 0x40000000, 4, 0x7FFFFFFF;"), 0x7FFFFFFFu);
}

TEST(Simulator, InstructionsForPictures) {
  auto bits32 = [](const std::string &code) { return uint32_t(run(code + " cvt.u64.u32 %rd9, %r9;").values[3]); };
  EXPECT_EQ(bits32("vadd.s32.s32.s32.sat %r9, 0x7FFFFFFF, 5;"), 0x7FFFFFFFu);
  EXPECT_EQ(bits32("vabsdiff.u32.u32.u32.add %r9, 3, 10, 100;"), 107u);
  EXPECT_EQ(bits32("vadd4.u32.u32.u32.sat %r9, 0xFF01FF02, 0x01020304, 0;"), 0xFF03FF06u);
  EXPECT_EQ(bits32("vabsdiff4.u32.u32.u32.add %r9, 0x01020304, 0x04030201, 1;"), 1u + 3 + 1 + 1 + 3);
  EXPECT_EQ(bits32("vmin2.s32.s32.s32 %r9, 0xFFFF0005, 0x00010003, 0;"), 0xFFFF0003u);
  EXPECT_EQ(bits32("vset4.u32.u32.ge %r9, 0x05060708, 0x06060600, 0;"), 0x00010101u);
  EXPECT_EQ(bits32("vshl.u32.u32.u32.wrap %r9, 1, 33;"), 2u);
  EXPECT_EQ(bits32("vshl.u32.u32.u32.clamp %r9, 1, 33;"), 0u);
}

TEST(Simulator, ComparisonsOfPairs) {
  auto bits32 = [](const std::string &code) { return uint32_t(run(code + " cvt.u64.u32 %rd9, %r9;").values[0]); };
  // 1.0 and 2.0 against 2.0 and 1.0.
  const std::string pairs = "mov.b32 %r4, 0x40003C00; mov.b32 %r5, 0x3C004000; ";
  EXPECT_EQ(
      bits32(
          pairs +
          "setp.lt.f16x2 %p1|%p2, %r4, %r5; selp.b32 %r6, 1, 0, %p1; selp.b32 %r7, 2, 0, %p2; or.b32 %r9, %r6, %r7;"),
      1u);
  EXPECT_EQ(bits32(pairs + "set.gt.f16x2.f16x2 %r9, %r4, %r5;"), 0x3C000000u);
  EXPECT_EQ(bits32(pairs + "set.lt.u32.f16x2 %r4, %r4, %r5; mov.b32 %r9, %r4;"), 0x0000FFFFu);
  EXPECT_EQ(bits32("setp.eq.u32 %p1, 1, 2; set.lt.or.u32.f32 %r9, 0f3F800000, 0f40000000, %p1;"), ~0u);
  EXPECT_EQ(bits32("setp.eq.u32 %p1, 1, 2; set.lt.and.u32.f32 %r9, 0f3F800000, 0f40000000, %p1;"), 0u);
  EXPECT_EQ(bits32("mov.u32 %r4, %globaltimer_hi; set.ne.u32.u32 %r9, %r4, 0;"), ~0u) << "the upper half of the time";
}

TEST(Simulator, UpdatesThatAnMbarrierCounts) {
  Snippet pair{.cluster = {2, 1, 1}};
  SnippetResult result =
      run("mov.u32 %r4, shared; mov.u32 %r5, %cluster_ctarank; setp.eq.u32 %p1, %r1, 0; st.shared.b32 [%r4], 7;\n"
          "@%p1 mbarrier.init.shared.b64 [%r4+8], 1; barrier.cluster.arrive; barrier.cluster.wait;\n"
          "xor.b32 %r6, %r5, 1; mapa.shared::cluster.u32 %r7, %r4, %r6; add.s32 %r8, %r7, 8;\n"
          "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4+8], 4;\n"
          "@%p1 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r7], 5, [%r8];\n"
          "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r4+8], 0; @!%p2 bra W;\n"
          "ld.shared.b32 %r9, [%r4]; cvt.u64.u32 %rd9, %r9; barrier.cluster.arrive; barrier.cluster.wait;",
          pair);
  EXPECT_EQ(result.firstFinding(), "");
  EXPECT_EQ(result.values[0], 12u);
  EXPECT_EQ(result.values[40], 12u);
  result = run(
      "mov.u32 %r4, shared; st.shared.b32 [%r4+64], 7; bar.sync 0; setp.eq.u32 %p1, %r1, 0; mov.b64 %rd4, 128;\n"
      "@%p1 st.bulk.weak.shared::cta [%r4], %rd4, 0; bar.sync 0; ld.shared.b32 %r9, [%r4+64]; cvt.u64.u32 %rd9, %r9;");
  EXPECT_EQ(result.values[5], 0u) << result.firstFinding();
}

TEST(Simulator, PixelsOfImages) {
  // Images of 4 by 4 pixels with 4 channels of 32 bits, whose value says where they are; the box goes from -1 to 2 in both directions, for a filter of 3 by 3 with padding.
  const uint64_t shape[] = {4, 4, 4, 2}, strides[] = {16, 64, 256};
  const uint32_t steps[] = {1, 1, 1, 1};
  const int lower[] = {-1, -1}, upper[] = {-1, -1};
  alignas(64) static uint32_t tensor[2][4][4][4];
  for (uint32_t index = 0; index < 128; ++index)
    tensor[index / 64][index / 16 % 4][index / 4 % 4][index % 4] = index;
  alignas(64) static char map[128];
  ASSERT_TRUE(encodeIm2colTensorMap(map, 2, 4, reinterpret_cast<uint64_t>(tensor), shape, strides, lower, upper, 4, 32,
                                    steps, 0, 0, 0));
  auto pixels = [&](int w, int h, int offsetW, int offsetH) {
    Snippet snippet{.inputs = {reinterpret_cast<uint64_t>(map)}};
    snippet.watch.bounds = false;
    return run("ld.global.b64 %rd4, [%rd2]; mov.u32 %r4, shared; setp.eq.u32 %p1, %r1, 0; @%p1 "
               "mbarrier.init.shared.b64 [%r4+1000], 1; bar.sync 0;\n"
               "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4+1000], 512; mov.b16 %rs1, " +
                   std::to_string(offsetW) + "; mov.b16 %rs2, " + std::to_string(offsetH) +
                   ";\n"
                   "mov.b32 %r6, " +
                   std::to_string(w) + "; mov.b32 %r7, " + std::to_string(h) +
                   "; mov.b32 %r5, 0; add.s32 %r8, %r4, 1000;\n"
                   "@%p1 cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r4], "
                   "[%rd4, {%r5, %r6, %r7, %r5}], [%r8], {%rs1, %rs2};\n"
                   "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r8], 0; @!%p2 bra W;\n"
                   "shl.b32 %r9, %r1, 4; add.s32 %r9, %r9, %r4; ld.shared.b32 %r9, [%r9+4]; cvt.u64.u32 %rd9, %r9;",
               snippet);
  };
  for (auto [offsetW, offsetH] : {std::pair(0, 0), std::pair(2, 1)}) {
    SnippetResult result = pixels(-1, -1, offsetW, offsetH);
    ASSERT_EQ(result.firstFinding(), "");
    for (int pixel = 0; pixel < 32; ++pixel) {
      const int w = pixel % 4 - 1 + offsetW, h = pixel / 4 % 4 - 1 + offsetH, n = pixel / 16;
      const bool isInside = w >= 0 && w < 4 && h >= 0 && h < 4;
      EXPECT_EQ(result.values[size_t(pixel)], isInside ? tensor[n][h][w][1] : 0u) << pixel;
    }
  }
}

float floatOf(const std::string &code) {
  return std::bit_cast<float>(uint32_t(run(code + " cvt.u64.u32 %rd9, %r9;").values[0]));
}

TEST(Simulator, FloatsRoundAsTheySay) {
  // 1 + 2^-24 lies half way between two floats, 1 + 3 * 2^-25 above it.
  EXPECT_EQ(floatOf("add.rn.f32 %r9, 0f3F800000, 0f33800000;"), 1.0f);
  EXPECT_EQ(floatOf("add.rp.f32 %r9, 0f3F800000, 0f33800000;"), std::nextafter(1.0f, 2.0f));
  EXPECT_EQ(floatOf("add.rm.f32 %r9, 0f3F800000, 0fB3800000;"), std::nextafter(1.0f, 0.0f));
  EXPECT_EQ(floatOf("div.rz.f32 %r9, 0f3F800000, 0f40400000;"), std::nextafter(1.0f / 3, 0.0f));
  EXPECT_EQ(floatOf("fma.rn.f32 %r9, 0f3F800001, 0f3F800001, 0fBF800002;"), 0x1p-46f) << "one rounding";
  EXPECT_EQ(floatOf("mul.ftz.f32 %r9, 0f00800000, 0f3F000000;"), 0.0f);
  EXPECT_EQ(floatOf("max.f32 %r9, 0f7FC00000, 0fBF800000;"), -1.0f);
  EXPECT_TRUE(std::isnan(floatOf("max.NaN.f32 %r9, 0f7FC00000, 0fBF800000;")));
  EXPECT_EQ(floatOf("ex2.approx.f32 %r9, 0f40400000;"), 8.0f);
  EXPECT_EQ(floatOf("mov.b16 %rs1, 0x3C01; cvt.f32.f16 %r9, %rs1;"), 1.0f + 0x1p-10f);
}

TEST(Simulator, EveryHalfSurvives) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    float value = halfToFloat(uint16_t(bits));
    if (std::isnan(value))
      continue;
    EXPECT_EQ(floatToHalf(value), bits);
    EXPECT_EQ(encode(value, formatHalf, Rounding::NearestEven, false), bits);
    EXPECT_EQ(decode(bits, formatHalf), value);
  }
}

TEST(Simulator, SmallFormatsRoundToTheNearest) {
  for (const FloatFormat &format : {formatE4M3, formatE5M2, formatE2M3, formatE3M2, formatE2M1}) {
    int width = format.exponentBits + format.mantissaBits;
    for (uint32_t bits = 0; bits + 1 < 1u << width; ++bits) {
      double low = decode(bits, format), high = decode(bits + 1, format);
      if (!std::isfinite(low) || !std::isfinite(high))
        continue;
      EXPECT_EQ(encode(low, format, Rounding::NearestEven, true), bits);
      double middle = (low + high) / 2;
      EXPECT_EQ(encode(middle, format, Rounding::NearestEven, true), bits + (bits & 1)) << middle;
      EXPECT_EQ(encode(std::nextafter(middle, 0.0), format, Rounding::NearestEven, true), bits);
      EXPECT_EQ(encode(-middle, format, Rounding::Zero, true), bits | 1u << width);
    }
  }
  EXPECT_EQ(encode(1e9, formatE4M3, Rounding::NearestEven, true), 0x7Eu);
  EXPECT_EQ(run("mov.b32 %r4, 0f40490FDB; cvt.rn.satfinite.e4m3x2.f32 %rs1, %r4, 0f3F800000; cvt.u64.u16 %rd9, %rs1;")
                .values[0],
            0x4538u);
}

TEST(Simulator, PathsPartAndMeet) {
  SnippetResult result =
      run("setp.lt.u32 %p1, %r1, 7; mov.b32 %r9, 0; @%p1 bra LOW; add.s32 %r9, %r9, 100; bra BOTH;\n"
          "LOW: setp.eq.u32 %p2, %r1, 3; @%p2 bra BOTH; add.s32 %r9, %r9, 10;\n"
          "BOTH: activemask.b32 %r10; setp.eq.b32 %p3, %r10, -1; selp.b32 %r11, 1, 0, %p3; add.s32 %r9, %r9, %r11;\n"
          "cvt.u64.u32 %rd9, %r9;");
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(result.values[lane], 1u + (lane >= 7 ? 100 : lane == 3 ? 0 : 10)) << lane;
}

TEST(Simulator, LoopsOfDifferentLengths) {
  SnippetResult result =
      run("mov.b32 %r9, 0; mov.b32 %r4, 0;\nL: add.s32 %r9, %r9, %r4; add.s32 %r4, %r4, 1; setp.le.u32 "
          "%p1, %r4, %r1; @%p1 bra L;\n"
          "cvt.u64.u32 %rd9, %r9;");
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(result.values[lane], lane * (lane + 1) / 2);
}

TEST(Simulator, LanesExchange) {
  SnippetResult result = run(
      "shfl.sync.bfly.b32 %r4, %r1, 5, 31, -1; shfl.sync.up.b32 %r5|%p1, %r1, 4, 0, -1; setp.gt.u32 %p2, %r1, 9;\n"
      "vote.sync.ballot.b32 %r6, %p2, -1; redux.sync.add.s32 %r7, %r1, -1; shl.b32 %r5, %r5, 8; or.b32 %r4, %r4, %r5;\n"
      "selp.b32 %r8, 0x10000, 0, %p1; or.b32 %r4, %r4, %r8; shl.b32 %r7, %r7, 20; or.b32 %r4, %r4, %r7; mov.b64 %rd9, "
      "{%r4, %r6};");
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint64_t up = lane >= 4 ? lane - 4 : lane, valid = lane >= 4 ? 0x10000 : 0;
    EXPECT_EQ(result.values[lane] & 0xFFFFFFFF, (lane ^ 5) | up << 8 | valid | uint64_t(496) << 20) << lane;
    EXPECT_EQ(result.values[lane] >> 32, 0xFFFFFC00u);
  }
}

TEST(Simulator, WarpsMeetAtBarriers) {
  // Each thread reads what the thread of the next warp wrote.
  SnippetResult result =
      run("shl.b32 %r4, %r1, 2; mov.b32 %r5, shared; add.s32 %r4, %r4, %r5; st.shared.b32 [%r4], %r1; bar.sync 0;\n"
          "add.s32 %r6, %r1, 32; and.b32 %r6, %r6, 127; shl.b32 %r6, %r6, 2; add.s32 %r6, %r6, %r5; ld.shared.b32 %r7, "
          "[%r6]; cvt.u64.u32 %rd9, %r7;",
          {.threads = 128});
  for (unsigned thread = 0; thread < 128; ++thread)
    EXPECT_EQ(result.values[thread], (thread + 32) % 128);
}

TEST(Simulator, ClustersReachEachOther) {
  SnippetResult result =
      run("mov.u32 %r4, %cluster_ctarank; mov.b32 %r5, shared; add.s32 %r6, %r4, 100; st.shared.b32 [%r5], "
          "%r6; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
          "xor.b32 %r7, %r4, 1; mapa.shared::cluster.u32 %r8, %r5, %r7; ld.shared::cluster.b32 %r9, [%r8]; "
          "cvt.u64.u32 %rd9, %r9; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
          {.cluster = {2, 1, 1}});
  EXPECT_EQ(result.firstFinding(), "");
  EXPECT_EQ(result.values[0], 101u);
  EXPECT_EQ(result.values[32], 100u);
}

TEST(Simulator, AtomicsAddUp) {
  SnippetResult result =
      run("atom.global.add.u64 %rd9, [%rd2], 3; bar.sync 0; ld.global.b64 %rd9, [%rd2];", {.threads = 64});
  EXPECT_EQ(result.values[63], 64u * 3);
}

TEST(Simulator, MbarriersCountArrivalsAndBytes) {
  std::string wait = "W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r5], 0; @!%p2 bra W;\n";
  std::string begin =
      "mov.b32 %r5, shared; setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared::cta.b64 [%r5], 1; bar.sync 0;\n";
  EXPECT_EQ(run(begin + "@%p1 mbarrier.arrive.shared::cta.b64 _, [%r5];\n" + wait, {.threads = 64}).firstFinding(), "");
  EXPECT_EQ(run(begin +
                    "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], 16; @%p1 "
                    "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r5], 16;\n" +
                    wait,
                {.threads = 64})
                .firstFinding(),
            "");
  EXPECT_EQ(run(begin + "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], 16;\n" + wait, {.threads = 32})
                .firstFinding(),
            "deadlock: all warps of a program wait: warp 0 at line 12 of the PTX for the mbarrier at shared address 0, "
            "which lacks 0 arrivals and 16 bytes (program (0, 0, 0) warp 0)");
  EXPECT_EQ(run(begin + "mbarrier.arrive.shared::cta.b64 _, [%r5], 2;").firstFinding(),
            "barrier: 2 arrivals at an mbarrier that waits for 1 of 1 (program (0, 0, 0) warp 0 lane 0)");
  EXPECT_EQ(run("mov.b32 %r5, shared; mbarrier.arrive.shared::cta.b64 _, [%r5];").firstFinding().substr(0, 58),
            "barrier: there is no mbarrier at shared address 0: it was ");
}

TEST(Simulator, FindsWhatWouldStopAGpu) {
  EXPECT_NE(run("ld.global.b64 %rd9, [%rd1 + 8];")
                .firstFinding()
                .find("256 bytes into argument 0 of 256 (program (0, 0, 0) warp 0 lane 31)"),
            std::string::npos);
  EXPECT_EQ(run("mov.b32 %r5, 2; ld.shared.b32 %r6, [%r5];").firstFinding().substr(0, 69),
            "misaligned address: read of 4 bytes at 0x2, which is no multiple of 4");
  EXPECT_NE(run("mov.b32 %r5, 1024; ld.shared.b32 %r6, [%r5];")
                .firstFinding()
                .find("outside of the 1024 bytes of shared memory"),
            std::string::npos);
  EXPECT_NE(run("setp.lt.u32 %p1, %r1, 16; @%p1 bra L; bra E; L: bar.sync 0; E:")
                .firstFinding()
                .find("an aligned barrier is reached by 16 of 32"),
            std::string::npos);
  EXPECT_NE(run("setp.lt.u32 %p1, %r1, 32; @%p1 bra E; bar.sync 0; E: bar.sync 1;", {.threads = 64})
                .firstFinding()
                .find("deadlock: all warps of a program wait: warp 0"),
            std::string::npos);
  EXPECT_EQ(run("trap;").firstFinding().substr(0, 4), "trap");
}

TEST(Simulator, AtomicsOnHalvesTouchTheirWord) {
  // An array of 6 bytes: the word that its last two lie in may be read and swapped, but is no place for other accesses.
  std::string swap =
      "@!%p1 bra E; ld.volatile.global.b32 %r4, [%rd1 + 4]; atom.global.cas.b32 %r5, [%rd1 + 4], %r4, 7; E:";
  std::string first = "setp.eq.u32 %p1, %r1, 0; ";
  EXPECT_EQ(run(first + swap + " exit;", {.bytes = 6}).firstFinding(), "");
  EXPECT_NE(
      run(first + "@%p1 ld.global.b32 %r4, [%rd1 + 4]; exit;", {.bytes = 6}).firstFinding().find("read of 4 bytes"),
      std::string::npos);
  EXPECT_NE(run(first + "@%p1 atom.global.cas.b32 %r5, [%rd1 + 8], 0, 7; exit;", {.bytes = 6})
                .firstFinding()
                .find("atomic access"),
            std::string::npos);
}

TEST(Simulator, ClustersTakeOverThoseThatHaveNotBegun) {
  // Each CTA writes its number + 1 for itself (at the end) and for all that it took over.
  std::string body =
      "mov.b32 %r5, shared; setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared::cta.b64 [%r5+16], 1; "
      "bar.sync 0; mov.u32 %r6, %ctaid.x; add.s32 %r6, %r6, 1; cvt.u64.u32 %rd9, %r6; mov.b32 %r7, 0;\n"
      "NEXT: @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5+16], 16; @%p1 "
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r5], [%r5+16];\n"
      "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r5+16], %r7; @!%p2 bra WAIT; xor.b32 %r7, %r7, 1;\n"
      "ld.shared.v2.b64 {%rd4, %rd5}, [%r5]; bar.sync 0; { .reg .b128 handle; mov.b128 handle, {%rd4, %rd5};\n"
      "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, handle;\n"
      "@%p3 clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r8, %r9, %r10, _}, handle; }\n"
      "@!%p3 bra DONE; mad.lo.s32 %r8, %r8, %r3, %r1; mul.wide.u32 %rd6, %r8, 8; add.s64 %rd6, %rd6, %rd2; "
      "st.global.b64 [%rd6], %rd9; bra NEXT;\nDONE:";
  SnippetResult first = run(body, {.target = "sm_100a", .clusters = 5, .watch = {.races = true}});
  EXPECT_EQ(first.firstFinding(), "");
  for (uint64_t value : first.values)
    EXPECT_EQ(value, 1u) << "the first one takes all";
  for (uint64_t seed : {1, 2, 3}) {
    SnippetResult shared = run(body, {.target = "sm_100a", .clusters = 5, .seed = seed, .watch = {.races = true}});
    EXPECT_EQ(shared.firstFinding(), "");
    for (uint64_t value : shared.values)
      EXPECT_NE(value, 0u);
  }
}

/// Fragments hold row and column numbers, so that a wrong place shows.
TEST(Simulator, ProductsOfMatrices) {
  // A is 16 x 8 of tf32, all ones; B 8 x 8 with B[k][n] = n (lane 4n + k holds it): D[m][n] = 8n.
  SnippetResult result =
      run("mov.b32 %r4, 0f3F800000; shr.u32 %r5, %r1, 2; cvt.rn.f32.u32 %r6, %r5;\n"
          "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r10,%r11,%r12,%r13}, {%r4,%r4,%r4,%r4}, "
          "{%r6,%r6}, {%r4,%r4,%r4,%r4};\n"
          "mov.b64 %rd9, {%r10, %r13};");
  ASSERT_EQ(result.problem, "");
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(std::bit_cast<float>(uint32_t(result.values[lane])), 8.0f * float(lane % 4 * 2) + 1);
    EXPECT_EQ(std::bit_cast<float>(uint32_t(result.values[lane] >> 32)), 8.0f * float(lane % 4 * 2 + 1) + 1);
  }
}

/// A of 16 rows of `packed` values, all ones; B[k][n] = k: D[m][n] is the sum of the places along K that metadata names for row m.
TEST(Simulator, SparseProducts) {
  auto sums = [](const std::string &code) {
    SnippetResult result = run(code + "\nmov.b64 %rd9, {%r10, %r12};");
    EXPECT_EQ(result.problem, "");
    return result.values; // of rows i and i + 8
  };
  auto asFloat = [](uint64_t bits) { return std::bit_cast<float>(uint32_t(bits)); };
  // f16, k = 16: lane 4n + j holds B[2j, 2j + 1] and B[2j + 8, 2j + 9]. Chunks of row i choose places 1 and 3 (0b1101), those of row i + 8 places 0 and 2 (0b1000); the
  // selector names lane 4i + 2.
  std::string halves =
      "and.b32 %r4, %r1, 3; shl.b32 %r4, %r4, 1; cvt.rn.f16.u32 %rs1, %r4; add.s32 %r5, %r4, 1; cvt.rn.f16.u32 %rs2, "
      "%r5;\n"
      "add.s32 %r5, %r4, 8; cvt.rn.f16.u32 %rs3, %r5; add.s32 %r5, %r4, 9; cvt.rn.f16.u32 %rs4, %r5;\n"
      "mov.b32 %r20, {%rs1, %rs2}; mov.b32 %r21, {%rs3, %rs4}; mov.b32 %r6, 0x3C003C00; mov.b32 %r7, 0;\n"
      "and.b32 %r8, %r1, 3; setp.eq.u32 %p1, %r8, 2; selp.b32 %r8, 0x8888DDDD, 0, %p1;\n";
  auto values = sums(halves + "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                              "{%r10,%r11,%r12,%r13}, {%r6,%r6}, {%r20,%r21}, {%r7,%r7,%r7,%r7}, %r8, 2;");
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(asFloat(values[lane]), 1 + 3 + 5 + 7 + 9 + 11 + 13 + 15) << lane;
    EXPECT_EQ(asFloat(values[lane] >> 32), 0 + 2 + 4 + 6 + 8 + 10 + 12 + 14) << lane;
  }
  // s8, k = 32: lanes 4i and 4i + 1 (selector 0) hold rows i and i + 8; B[k][n] = 1 for odd k.
  values =
      sums("mov.b32 %r20, 0x01000100; mov.b32 %r6, 0x01010101; mov.b32 %r7, 0; and.b32 %r8, %r1, 3; setp.eq.u32 %p1, "
           "%r8, 0; selp.b32 %r8, 0xDDDDDDDD, 0x88888888, %p1;\n"
           "mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r10,%r11,%r12,%r13}, {%r6,%r6}, {%r20,%r20}, "
           "{%r7,%r7,%r7,%r7}, %r8, 0;");
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(uint32_t(values[lane]), 16u);
    EXPECT_EQ(values[lane] >> 32, 0u);
  }
  // tf32, k = 8: one of two; 0b1110 is the second. B[k][n] = k (lane 4n + j holds B[j] and B[j + 4]).
  values = sums("and.b32 %r4, %r1, 3; cvt.rn.f32.u32 %r20, %r4; add.s32 %r4, %r4, 4; cvt.rn.f32.u32 %r21, %r4; mov.b32 "
                "%r6, 0f3F800000; mov.b32 %r7, 0; mov.b32 %r8, 0x4444EEEE;\n"
                "mma.sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r10,%r11,%r12,%r13}, {%r6,%r6}, {%r20,%r21}, "
                "{%r7,%r7,%r7,%r7}, %r8, 0;");
  EXPECT_EQ(asFloat(values[5]), 1 + 3 + 5 + 7);
  EXPECT_EQ(asFloat(values[5] >> 32), 0 + 2 + 4 + 6);
  EXPECT_EQ(run("mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r10,%r11,%r12,%r13}, {%r6,%r6}, {%r20,%r20}, "
                "{%r7,%r7,%r7,%r7}, %r8, 2;")
                .problem,
            "line 10: 'mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32' has no sparsity selector 2");
}

TEST(Simulator, ProductsOfBits) {
  // Rows of 256 bits: A has every second one set, B the lower half of every four.
  auto count = [](const char *operation) {
    return run(std::string("mov.b32 %r4, 0x55555555; mov.b32 %r5, 0x33333333; mov.b32 %r6, 7;\n"
                           "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.") +
               operation +
               ".popc {%r10,%r11,%r12,%r13}, {%r4,%r4,%r4,%r4}, {%r5,%r5}, {%r6,%r6,%r6,%r6}; cvt.u64.u32 %rd9, %r11;")
        .values[9];
  };
  EXPECT_EQ(count("and"), 64u + 7);
  EXPECT_EQ(count("xor"), 128u + 7);
}

TEST(Simulator, OneGpuIsAGroupOfOne) {
  SnippetResult result = run(
      "multimem.red.relaxed.sys.global.add.u64 [%rd1], 5; multimem.ld_reduce.relaxed.sys.global.add.u64 %rd4, [%rd1]; "
      "add.s64 %rd9, %rd4, 1; multimem.st.relaxed.sys.global.u64 [%rd1], %rd9;",
      {.inputs = std::vector<uint64_t>(32, 100)});
  EXPECT_EQ(result.firstFinding(), "");
  EXPECT_EQ(result.values[31], 106u);
}

TEST(Simulator, MatricesMoveThroughSharedMemory) {
  // Row r of the tile holds 8r .. 8r + 7; ldmatrix gives lane 4r + c the elements (r, 2c) and (r, 2c + 1), transposed (2c, r) and (2c + 1, r).
  std::string fill =
      "mov.b32 %r5, shared; shl.b32 %r4, %r1, 1; add.s32 %r6, %r4, 1; shl.b32 %r6, %r6, 16; or.b32 %r6, %r6, %r4; "
      "shl.b32 %r7, %r1, 2; add.s32 %r7, %r7, %r5;\n"
      "st.shared.b32 [%r7], %r6; bar.warp.sync -1; and.b32 %r8, %r1, 7; shl.b32 %r8, %r8, 4; add.s32 %r8, %r8, %r5;\n";
  SnippetResult plain = run(fill + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r8]; cvt.u64.u32 %rd9, %r9;");
  SnippetResult transposed =
      run(fill + "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r9}, [%r8]; cvt.u64.u32 %rd9, %r9;");
  for (unsigned lane = 0; lane < 32; ++lane) {
    unsigned row = lane / 4, column = lane % 4 * 2;
    EXPECT_EQ(plain.values[lane], (8 * row + column) | (8 * row + column + 1) << 16);
    EXPECT_EQ(transposed.values[lane], (8 * column + row) | (8 * (column + 1) + row) << 16);
  }
}

} // namespace
