// The forms of PTX instructions, chapter by chapter: each is read, or refused by name. Each is a program of its own, so that one problem hides no other.
#include "simulator/machine/Program.h"

#include "gtest/gtest.h"

#include <string>
#include <vector>

using namespace triton::simulator;

namespace {

std::string problemOf(const std::string &line, const char *target = "sm_100a") {
  return load(std::string(".version 9.0\n.target ") + target +
              "\n.address_size 64\n.extern .shared .align 128 .b8 shared[];\n.global .align 8 .b8 "
              "variable[64];\n.visible .entry kernel(.param .u64 p)\n{\n"
              ".reg .pred %p<9>; .reg .b16 %h<20>; .reg .b32 %r<140>; .reg .f32 %f<140>; .reg .b64 %d<20>; .reg .b128 "
              "%q<4>; .local .b8 stack[64];\n" +
              line + "\nL: ret;\n}\n")
      .problem;
}

/// What is not read of instructions, a line for each.
std::string problemsOf(const std::string &text, const char *target = "sm_100a") {
  std::string found, statement;
  int depth = 0;
  for (char letter : text) {
    if (statement.empty() && (letter == ' ' || letter == '\n'))
      continue;
    statement += letter;
    depth += letter == '{' ? 1 : letter == '}' ? -1 : 0;
    if (depth > 0 || (letter != ';' && !(letter == '}' && statement[0] == '{')))
      continue;
    if (std::string problem = problemOf(statement, target); !problem.empty())
      found += statement.substr(0, 120) + "   " + problem + "\n";
    statement.clear();
  }
  return found;
}

TEST(Forms, Integers) {
  EXPECT_EQ(problemsOf(R"(
add.u16 %h0, %h1, %h2; add.s32.sat %r0, %r1, %r2; add.s32 %r0, %r1, -1; add.u64 %d0, %d1, %d2; add.u16x2 %r0, %r1, %r2; add.s16x2 %r0, %r1, %r2;
add.cc.u32 %r0, %r1, %r2; addc.cc.u32 %r0, %r1, %r2; addc.u32 %r0, %r1, %r2; add.cc.u64 %d0, %d1, %d2; addc.u64 %d0, %d1, %d2;
sub.s32 %r0, %r1, %r2; sub.sat.s32 %r0, %r1, %r2; sub.cc.u32 %r0, %r1, %r2; subc.u32 %r0, %r1, %r2; subc.cc.u32 %r0, %r1, %r2; sub.s64 %d0, %d1, %d2;
mul.lo.s32 %r0, %r1, %r2; mul.hi.u32 %r0, %r1, %r2; mul.wide.u16 %r0, %h1, %h2; mul.wide.s32 %d0, %r1, %r2; mul.lo.s64 %d0, %d1, %d2; mul.hi.s64 %d0, %d1, %d2; mul.lo.u16 %h0, %h1, %h2;
mad.lo.s32 %r0, %r1, %r2, %r3; mad.hi.u32 %r0, %r1, %r2, %r3; mad.wide.u32 %d0, %r1, %r2, %d3; mad.hi.sat.s32 %r0, %r1, %r2, %r3; mad.lo.u64 %d0, %d1, %d2, %d3; mad.wide.u16 %r0, %h1, %h2, %r3;
mad.lo.cc.u32 %r0, %r1, %r2, %r3; mad.hi.cc.u32 %r0, %r1, %r2, %r3; madc.lo.cc.u32 %r0, %r1, %r2, %r3; madc.hi.u32 %r0, %r1, %r2, %r3;
mul24.lo.s32 %r0, %r1, %r2; mul24.hi.u32 %r0, %r1, %r2; mad24.lo.s32 %r0, %r1, %r2, %r3; mad24.hi.u32 %r0, %r1, %r2, %r3;
sad.s32 %r0, %r1, %r2, %r3; sad.u16 %h0, %h1, %h2, %h3; sad.u64 %d0, %d1, %d2, %d3;
div.s32 %r0, %r1, %r2; div.u64 %d0, %d1, %d2; div.u16 %h0, %h1, %h2; rem.s32 %r0, %r1, %r2; rem.u64 %d0, %d1, %d2;
abs.s16 %h0, %h1; abs.s32 %r0, %r1; abs.s64 %d0, %d1; neg.s16 %h0, %h1; neg.s32 %r0, %r1; neg.s64 %d0, %d1;
min.s32 %r0, %r1, %r2; max.u64 %d0, %d1, %d2; min.u16 %h0, %h1, %h2; min.s16x2 %r0, %r1, %r2; max.u16x2 %r0, %r1, %r2; min.s32.relu %r0, %r1, %r2; max.relu.s16x2 %r0, %r1, %r2;
popc.b32 %r0, %r1; popc.b64 %r0, %d1; clz.b32 %r0, %r1; clz.b64 %r0, %d1; bfind.u32 %r0, %r1; bfind.s64 %r0, %d1; bfind.shiftamt.u32 %r0, %r1; fns.b32 %r0, %r1, %r2, %r3;
brev.b32 %r0, %r1; brev.b64 %d0, %d1; bfe.u32 %r0, %r1, 3, 5; bfe.s64 %d0, %d1, %r2, %r3; bfi.b32 %r0, %r1, %r2, 3, 5; bfi.b64 %d0, %d1, %d2, %r3, %r4; bmsk.clamp.b32 %r0, %r1, %r2; bmsk.wrap.b32 %r0, %r1, %r2;
szext.clamp.s32 %r0, %r1, %r2; szext.wrap.u32 %r0, %r1, %r2;
dp4a.u32.u32 %r0, %r1, %r2, %r3; dp4a.s32.u32 %r0, %r1, %r2, %r3; dp2a.lo.s32.s32 %r0, %r1, %r2, %r3; dp2a.hi.u32.u32 %r0, %r1, %r2, %r3;
vadd.s32.s32.s32 %r0, %r1, %r2; vabsdiff.s32.s32.s32 %r0, %r1, %r2; vmin.s32.s32.s32 %r0, %r1, %r2; 
vshl.u32.u32.u32.clamp %r0, %r1, %r2; vshr.u32.u32.u32.wrap.add %r0, %r1, %r2, %r3; vset.s32.s32.lt %r0, %r1, %r2;
vadd2.s32.s32.s32 %r0, %r1, %r2, %r3; vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3; vadd4.u32.u32.u32.sat %r0, %r1, %r2, %r3; vset4.u32.u32.ge %r0, %r1, %r2, %r3; vmin4.s32.s32.s32 %r0, %r1, %r2, %r3;
and.b16 %h0, %h1, %h2; or.b64 %d0, %d1, %d2; xor.b32 %r0, %r1, %r2; not.b32 %r0, %r1; cnot.b32 %r0, %r1; and.pred %p0, %p1, %p2; or.pred %p0, %p1, %p2; xor.pred %p0, %p1, %p2; not.pred %p0, %p1;
lop3.b32 %r0, %r1, %r2, %r3, 0xEA; lop3.or.b32 %r0|%p0, %r1, %r2, %r3, 0x80, %p1; lop3.and.b32 %r0|%p0, %r1, %r2, %r3, 0x80, !%p1;
shl.b16 %h0, %h1, %r2; shl.b64 %d0, %d1, %r2; shr.u32 %r0, %r1, 3; shr.s64 %d0, %d1, %r2; shr.b32 %r0, %r1, %r2; shf.l.clamp.b32 %r0, %r1, %r2, %r3; shf.r.wrap.b32 %r0, %r1, %r2, %r3;
prmt.b32 %r0, %r1, %r2, 0x5410; prmt.b32.f4e %r0, %r1, %r2, %r3; prmt.b32.b4e %r0, %r1, %r2, %r3; prmt.b32.rc8 %r0, %r1, %r2, %r3; prmt.b32.ecl %r0, %r1, %r2, %r3; prmt.b32.ecr %r0, %r1, %r2, %r3; prmt.b32.rc16 %r0, %r1, %r2, %r3;
)"),
            "");
}

TEST(Forms, Floats) {
  EXPECT_EQ(problemsOf(R"(
add.f32 %f0, %f1, %f2; add.rn.ftz.f32 %f0, %f1, %f2; add.rz.sat.f32 %f0, %f1, 0f3F800000; add.rp.f64 %d0, %d1, %d2; add.rn.f16 %h0, %h1, %h2; add.f16x2 %r0, %r1, %r2; add.ftz.sat.f16x2 %r0, %r1, %r2; add.rn.bf16 %h0, %h1, %h2; add.bf16x2 %r0, %r1, %r2; add.rn.f32x2 %d0, %d1, %d2; add.rn.ftz.f32x2 %d0, %d1, %d2;
sub.f32 %f0, %f1, %f2; sub.rn.bf16x2 %r0, %r1, %r2; sub.f16 %h0, %h1, %h2; sub.rn.f32x2 %d0, %d1, %d2; sub.f64 %d0, %d1, %d2;
mul.f32 %f0, %f1, %f2; mul.rm.f64 %d0, %d1, %d2; mul.f16x2 %r0, %r1, %r2; mul.bf16x2 %r0, %r1, %r2; mul.rn.f32x2 %d0, %d1, %d2; mul.bf16 %h0, %h1, %h2;
fma.rn.f32 %f0, %f1, %f2, %f3; fma.rz.ftz.sat.f32 %f0, %f1, %f2, %f3; fma.rn.f64 %d0, %d1, %d2, %d3; fma.rn.f16 %h0, %h1, %h2, %h3; fma.rn.relu.f16x2 %r0, %r1, %r2, %r3; fma.rn.bf16x2 %r0, %r1, %r2, %r3; fma.rn.relu.bf16 %h0, %h1, %h2, %h3; fma.rn.oob.bf16x2 %r0, %r1, %r2, %r3; fma.rn.oob.relu.f16 %h0, %h1, %h2, %h3; fma.rn.f32x2 %d0, %d1, %d2, %d3;
mad.rn.f32 %f0, %f1, %f2, %f3; mad.rn.f64 %d0, %d1, %d2, %d3; add.f32.f16 %f0, %h1, %f2; add.rn.f32.bf16 %f0, %h1, %f2; sub.f32.f16 %f0, %h1, %f2; fma.rn.f32.f16 %f0, %h1, %h2, %f3;
div.rn.f32 %f0, %f1, %f2; div.approx.ftz.f32 %f0, %f1, %f2; div.full.f32 %f0, %f1, %f2; div.rz.f64 %d0, %d1, %d2; rcp.rn.f32 %f0, %f1; rcp.approx.ftz.f32 %f0, %f1; rcp.approx.ftz.f64 %d0, %d1; rcp.rn.f64 %d0, %d1;
sqrt.rn.f32 %f0, %f1; sqrt.approx.ftz.f32 %f0, %f1; sqrt.rn.f64 %d0, %d1; rsqrt.approx.f32 %f0, %f1; rsqrt.approx.f64 %d0, %d1; rsqrt.approx.ftz.f64 %d0, %d1;
sin.approx.f32 %f0, %f1; cos.approx.ftz.f32 %f0, %f1; lg2.approx.f32 %f0, %f1; ex2.approx.ftz.f32 %f0, %f1; ex2.approx.f16 %h0, %h1; ex2.approx.ftz.f16x2 %r0, %r1; ex2.approx.f16x2 %r0, %r1; ex2.approx.ftz.bf16 %h0, %h1; ex2.approx.ftz.bf16x2 %r0, %r1; tanh.approx.f32 %f0, %f1; tanh.approx.f16 %h0, %h1; tanh.approx.f16x2 %r0, %r1; tanh.approx.bf16 %h0, %h1; tanh.approx.bf16x2 %r0, %r1;
neg.f32 %f0, %f1; neg.ftz.f16x2 %r0, %r1; neg.bf16 %h0, %h1; neg.bf16x2 %r0, %r1; neg.f64 %d0, %d1; abs.f32 %f0, %f1; abs.f16x2 %r0, %r1; abs.bf16x2 %r0, %r1; abs.f64 %d0, %d1; abs.bf16 %h0, %h1; copysign.f32 %f0, %f1, %f2; copysign.f64 %d0, %d1, %d2;
min.f32 %f0, %f1, %f2; max.NaN.f32 %f0, %f1, %f2; min.ftz.xorsign.abs.f32 %f0, %f1, %f2; max.f32 %f0, %f1, %f2, %f3; min.NaN.abs.f32 %f0, %f1, %f2, %f3; max.f64 %d0, %d1, %d2; min.f16 %h0, %h1, %h2; max.NaN.f16x2 %r0, %r1, %r2; min.NaN.xorsign.abs.bf16x2 %r0, %r1, %r2; max.bf16 %h0, %h1, %h2; max.xorsign.abs.f16 %h0, %h1, %h2;
testp.finite.f32 %p0, %f1; testp.notanumber.f64 %p0, %d1; testp.subnormal.f32 %p0, %f1; testp.number.f32 %p0, %f1; testp.infinite.f32 %p0, %f1; testp.normal.f32 %p0, %f1;
)"),
            "");
}

TEST(Forms, ComparisonsAndMoves) {
  EXPECT_EQ(problemsOf(R"(
setp.eq.s32 %p0, %r1, %r2; setp.lt.u32 %p0|%p1, %r1, %r2; setp.ls.u32 %p0, %r1, %r2; setp.hs.u64 %p0, %d1, %d2; setp.ne.and.s32 %p0, %r1, 0, %p1; setp.gt.xor.s16 %p0|%p2, %h1, %h2, !%p1; setp.eq.b16 %p0, %h1, %h2;
setp.ltu.f32 %p0, %f1, %f2; setp.num.f32 %p0, %f1, %f2; setp.nan.f64 %p0, %d1, %d2; setp.gt.ftz.f32 %p0, %f1, 0f00000000; setp.equ.or.f16 %p0, %h1, %h2, %p1; setp.gt.f16x2 %p0|%p1, %r1, %r2; setp.lt.bf16x2 %p0|%p1, %r1, %r2; setp.neu.bf16 %p0, %h1, %h2;
set.lt.u32.s32 %r0, %r1, %r2; set.gt.f32.f32 %f0, %f1, %f2; set.eq.and.u32.f32 %r0, %f1, %f2, %p1; set.le.f16.f16 %h0, %h1, %h2; set.gt.f16x2.f16x2 %r0, %r1, %r2; set.ge.ftz.u32.f16x2 %r0, %r1, %r2; set.gt.bf16x2.bf16x2 %r0, %r1, %r2; set.gt.u32.bf16x2 %r0, %r1, %r2; set.eq.u16.f16 %h0, %h1, %h2;
selp.b32 %r0, %r1, %r2, %p0; selp.f64 %d0, %d1, %d2, %p0; selp.b16 %h0, %h1, %h2, !%p0; slct.s32.s32 %r0, %r1, %r2, %r3; slct.f32.f32 %f0, %f1, %f2, %f3; slct.u64.s32 %d0, %d1, %d2, %r3;
mov.b32 %r0, %f1; mov.b64 %d0, {%r1, %r2}; mov.b64 {%r0, %r1}, %d2; mov.b64 {%h0, %h1, %h2, %h3}, %d0; mov.b32 %r0, {%h1, %h2}; mov.b32 {%h1, _}, %r0; mov.pred %p0, %p1; mov.b128 %q0, {%d1, %d2}; mov.b128 {%d0, %d1}, %q0; mov.b128 %q0, %q1; mov.u64 %d0, variable; mov.u32 %r0, shared; mov.b32 %r0, {%h1, %h2}; mov.b16 %h0, 7;
mov.u32 %r0, %tid.x; mov.u32 %r0, %ntid.y; mov.u32 %r0, %laneid; mov.u32 %r0, %warpid; mov.u32 %r0, %nwarpid; mov.u32 %r0, %ctaid.z; mov.u32 %r0, %nctaid.x; mov.u32 %r0, %smid; mov.u32 %r0, %nsmid; mov.u64 %d0, %gridid; mov.u32 %r0, %clusterid.x; mov.u32 %r0, %nclusterid.x; mov.u32 %r0, %cluster_ctaid.y; mov.u32 %r0, %cluster_nctaid.x; mov.u32 %r0, %cluster_ctarank; mov.u32 %r0, %cluster_nctarank; mov.pred %p0, %is_explicit_cluster;
mov.u32 %r0, %lanemask_eq; mov.u32 %r0, %lanemask_le; mov.u32 %r0, %lanemask_lt; mov.u32 %r0, %lanemask_ge; mov.u32 %r0, %lanemask_gt; mov.u32 %r0, %clock; mov.u32 %r0, %clock_hi; mov.u64 %d0, %clock64; mov.u64 %d0, %globaltimer; mov.u32 %r0, %globaltimer_lo; mov.u32 %r0, %globaltimer_hi; mov.u32 %r0, %dynamic_smem_size; mov.u32 %r0, %total_smem_size; mov.u32 %r0, WARP_SZ; 
)"),
            "");
}

TEST(Forms, Conversions) {
  EXPECT_EQ(problemsOf(R"(
cvt.u64.u32 %d0, %r1; cvt.s16.s8 %h0, %h1; cvt.u32.u8 %r0, %r1; cvt.sat.u8.s32 %r0, %r1; cvt.sat.s16.s64 %h0, %d1; cvt.u16.u64 %h0, %d1; cvt.s64.s32 %d0, %r1;
cvt.rni.s32.f32 %r0, %f1; cvt.rzi.ftz.u64.f32 %d0, %f1; cvt.rmi.f32.f32 %f0, %f1; cvt.rpi.f64.f64 %d0, %d1; cvt.rzi.s16.f16 %h0, %h1; cvt.rni.f16.f16 %h0, %h1; cvt.rzi.s32.bf16 %r0, %h1; cvt.rni.sat.f32.f32 %f0, %f1; cvt.rzi.u8.f32 %r0, %f1;
cvt.rn.f32.s32 %f0, %r1; cvt.rz.f32.u64 %f0, %d1; cvt.rn.f16.s16 %h0, %h1; cvt.rn.f64.s64 %d0, %d1; cvt.rn.bf16.s32 %h0, %r1; cvt.rn.f16.u8 %h0, %h1; cvt.rp.f32.s32 %f0, %r1;
cvt.f32.f16 %f0, %h1; cvt.rn.f16.f32 %h0, %f1; cvt.rz.f16.f32 %h0, %f1; cvt.sat.f32.f16 %f0, %h1; cvt.f64.f32 %d0, %f1; cvt.rn.f32.f64 %f0, %d1; cvt.f32.bf16 %f0, %h1; cvt.rn.bf16.f32 %h0, %f1; cvt.rn.relu.bf16.f32 %h0, %f1; cvt.rn.satfinite.bf16.f32 %h0, %f1; cvt.f64.f16 %d0, %h1; cvt.rn.f16.f64 %h0, %d1; cvt.ftz.f32.f32 %f0, %f1; cvt.sat.f32.f32 %f0, %f1; cvt.rn.bf16.f16 %h0, %h1; cvt.rn.f16.bf16 %h0, %h1; cvt.rn.bf16.f64 %h0, %d1;
cvt.rn.f16x2.f32 %r0, %f1, %f2; cvt.rz.relu.f16x2.f32 %r0, %f1, %f2; cvt.rn.bf16x2.f32 %r0, %f1, %f2; cvt.rn.relu.satfinite.bf16x2.f32 %r0, %f1, %f2; cvt.rs.f16x2.f32 %r0, %f1, %f2, %r3; cvt.rs.relu.bf16x2.f32 %r0, %f1, %f2, %r3;
cvt.rna.tf32.f32 %r0, %f1; cvt.rn.tf32.f32 %r0, %f1; cvt.rz.relu.tf32.f32 %r0, %f1; cvt.rna.satfinite.tf32.f32 %r0, %f1; cvt.rn.satfinite.relu.tf32.f32 %r0, %f1;
cvt.rn.satfinite.e4m3x2.f32 %h0, %f1, %f2; cvt.rn.satfinite.relu.e5m2x2.f32 %h0, %f1, %f2; cvt.rn.satfinite.e4m3x2.f16x2 %h0, %r1; cvt.rn.satfinite.e5m2x2.f16x2 %h0, %r1; cvt.rn.f16x2.e4m3x2 %r0, %h1; cvt.rn.relu.f16x2.e5m2x2 %r0, %h1;
cvt.rn.satfinite.e2m3x2.f32 %h0, %f1, %f2; cvt.rn.satfinite.e3m2x2.f32 %h0, %f1, %f2; cvt.rn.f16x2.e2m3x2 %r0, %h1; cvt.rn.f16x2.e3m2x2 %r0, %h1; cvt.rz.ue8m0x2.f32 %h0, %f1, %f2; cvt.rp.satfinite.ue8m0x2.f32 %h0, %f1, %f2; cvt.rz.ue8m0x2.bf16x2 %h0, %r1; cvt.rn.bf16x2.ue8m0x2 %r0, %h1;
{ .reg .b8 %b; cvt.rn.satfinite.e2m1x2.f32 %b, %f1, %f2; } { .reg .b8 %b; mov.b16 {%b, _}, %h1; cvt.rn.f16x2.e2m1x2 %r0, %b; }
cvt.rs.satfinite.e4m3x4.f32 %r0, {%f1, %f2, %f3, %f4}, %r5; cvt.rs.satfinite.relu.e5m2x4.f32 %r0, {%f1, %f2, %f3, %f4}, %r5; cvt.rs.satfinite.e2m1x4.f32 %h0, {%f1, %f2, %f3, %f4}, %r5; cvt.rs.satfinite.e2m3x4.f32 %r0, {%f1, %f2, %f3, %f4}, %r5; cvt.rs.satfinite.e3m2x4.f32 %r0, {%f1, %f2, %f3, %f4}, %r5;
cvt.pack.sat.s16.s32 %r0, %r1, %r2; cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3; cvt.pack.sat.s8.s32.b32 %r0, %r1, %r2, 0; cvt.pack.sat.u16.s32 %r0, %r1, %r2; cvt.pack.sat.s4.s32.b32 %r0, %r1, %r2, %r3; cvt.pack.sat.u2.s32.b32 %r0, %r1, %r2, %r3;
cvta.global.u64 %d0, %d1; cvta.to.shared.u64 %d0, %d1; cvta.to.local.u64 %d0, %d1; cvta.shared.u64 %d0, %d1; cvta.const.u64 %d0, %d1; cvta.param.u64 %d0, %d1; cvta.to.global.u64 %d0, %d1; cvta.shared::cluster.u64 %d0, %d1; isspacep.shared %p0, %d1; isspacep.global %p0, %d1; isspacep.local %p0, %d1; isspacep.shared::cluster %p0, %d1; isspacep.const %p0, %d1; isspacep.param::entry %p0, %d1;
)"),
            "");
}

TEST(Forms, Memory) {
  EXPECT_EQ(problemsOf(R"(
ld.global.b8 %h0, [%d1]; ld.global.s8 %r0, [%d1]; ld.global.u16 %h0, [%d1+2]; ld.global.f32 %f0, [%d1]; ld.global.b64 %d0, [%d1]; ld.global.b128 %q0, [%d1]; ld.global.v2.b32 {%r0, %r1}, [%d1]; ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%d1]; ld.global.v2.b64 {%d2, %d3}, [%d1]; ld.global.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%d1]; ld.global.v4.b64 {%d2, %d3, %d4, %d5}, [%d1]; ld.global.v4.u8 {%h0, %h1, %h2, %h3}, [%d1];
ld.global.ca.b32 %r0, [%d1]; ld.global.cg.b32 %r0, [%d1]; ld.global.cs.b32 %r0, [%d1]; ld.global.lu.b32 %r0, [%d1]; ld.global.cv.b32 %r0, [%d1]; ld.global.nc.b32 %r0, [%d1]; ld.global.nc.L1::no_allocate.v4.u32 {%r0, %r1, %r2, %r3}, [%d1]; ld.global.L1::evict_last.L2::128B.b32 %r0, [%d1]; ld.global.L1::no_allocate.L2::cache_hint.L2::256B.v4.b32 {%r0, %r1, %r2, %r3}, [%d1], %d2; ld.global.nc.L1::evict_first.L2::64B.b64 %d0, [%d1]; ld.global.L2::evict_last.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, _}, [%d1]; ld.global.nc.L2::evict_first.v4.b64 {%d2, %d3, %d4, %d5}, [%d1];
ld.volatile.global.u32 %r0, [%d1]; ld.relaxed.gpu.global.u32 %r0, [%d1]; ld.acquire.sys.global.u64 %d0, [%d1]; ld.acquire.cta.shared.u32 %r0, [%r1]; ld.relaxed.cluster.shared::cluster.u32 %r0, [%r1]; ld.mmio.relaxed.sys.global.u32 %r0, [%d1]; ld.weak.global.u32 %r0, [%d1]; ld.relaxed.gpu.global.L1::no_allocate.v4.s32 {%r0, %r1, %r2, %r3}, [%d1]; ld.acquire.gpu.b128 %q0, [%d1];
ld.shared.v4.b32 {%r0, %r1, %r2, %r3}, [%r4+16]; ld.shared::cta.b16 %h0, [shared+2]; ld.local.b32 %r0, [stack+4]; ld.const.b32 %r0, [%d1]; ld.param.u64 %d0, [p]; ld.param::entry.u64 %d0, [p]; ld.b32 %r0, [%d1]; ldu.global.b32 %r0, [%d1]; ldu.global.v2.b64 {%d2, %d3}, [%d1]; ld.volatile.shared.b32 %r0, [%r1];
st.global.b8 [%d1], %h0; st.global.v2.b16 [%d1], {%h0, %h1}; st.global.v4.b32 [%d1], {%r0, %r1, %r2, %r3}; st.global.v8.b32 [%d1], {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}; st.global.b128 [%d1], %q0; st.global.wb.b32 [%d1], %r0; st.global.cg.b32 [%d1], %r0; st.global.cs.b32 [%d1], %r0; st.global.wt.b32 [%d1], %r0; st.global.L1::evict_first.b32 [%d1], %r0; st.global.L1::no_allocate.L2::cache_hint.v4.b32 [%d1], {%r0, %r1, %r2, %r3}, %d2; st.global.L2::evict_first.v4.b64 [%d1], {%d2, %d3, %d4, %d5};
st.volatile.global.u32 [%d1], %r0; st.relaxed.gpu.global.u32 [%d1], %r0; st.release.gpu.global.u32 [%d1], %r0; st.release.cluster.shared::cluster.u32 [%r1], %r0; st.mmio.relaxed.sys.global.u32 [%d1], %r0; st.weak.shared.u32 [%r1], %r0; st.local.b32 [stack], %r0; st.b32 [%d1], 7; st.relaxed.sys.b128 [%d1], %q0;
st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r0], %r1, [%r2]; st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r0], {%r1, %r2, %r3, %r4}, [%r5]; st.bulk.weak.shared::cta [%r0], %d1, 0;
prefetch.global.L1 [%d1]; prefetch.global.L2 [%d1]; prefetch.global.L2::evict_last [%d1]; prefetch.tensormap [%d1]; prefetch.param.tensormap [p]; prefetchu.L1 [%d1]; applypriority.global.L2::evict_normal [%d1], 128; discard.global.L2 [%d1], 128;
createpolicy.fractional.L2::evict_first.b64 %d0, 1.0; createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %d0, 0.5; createpolicy.fractional.L2::evict_last.b64 %d0; createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %d0, [%d1], %r2, %r3; createpolicy.cvt.L2.b64 %d0, 0x10F0000000000000;
mapa.shared::cluster.u32 %r0, %r1, %r2; mapa.u64 %d0, %d1, 3; getctarank.shared::cluster.u32 %r0, %r1; getctarank.u64 %r0, %d1; 
atom.global.add.u32 %r0, [%d1], %r2; atom.global.add.s32 %r0, [%d1], 1; atom.add.u64 %d0, [%d1], %d2; atom.global.add.f32 %f0, [%d1], %f2; atom.global.add.f64 %d0, [%d1], %d2; atom.global.add.noftz.f16 %h0, [%d1], %h2; atom.global.add.noftz.f16x2 %r0, [%d1], %r2; atom.global.add.noftz.bf16 %h0, [%d1], %h2; atom.global.add.noftz.bf16x2 %r0, [%d1], %r2; atom.acq_rel.gpu.global.cas.b32 %r0, [%d1], %r2, %r3; atom.relaxed.sys.global.cas.b64 %d0, [%d1], %d2, %d3; atom.global.cas.b16 %h0, [%d1], %h2, %h3; atom.global.exch.b32 %r0, [%d1], %r2; atom.exch.b128 %q0, [%d1], %q2; atom.cas.b128 %q0, [%d1], %q2, %q3; atom.shared.min.s32 %r0, [%r1], %r2; atom.shared::cluster.max.u64 %d0, [%r1], %d2; atom.global.and.b32 %r0, [%d1], %r2; atom.or.b64 %d0, [%d1], %d2; atom.xor.b32 %r0, [%d1], %r2; atom.inc.u32 %r0, [%d1], %r2; atom.dec.u32 %r0, [%d1], %r2; atom.global.min.f32 %f0, [%d1], %f2; atom.global.max.noftz.f16x2 %r0, [%d1], %r2;
atom.global.v2.f32.add {%f0, %f1}, [%d1], {%f2, %f3}; atom.global.gpu.v4.f32.add {%f0, %f1, %f2, %f3}, [%d1], {%f4, %f5, %f6, %f7}; atom.global.v4.f16x2.add.noftz {%r0, %r1, %r2, %r3}, [%d1], {%r4, %r5, %r6, %r7}; atom.global.v8.bf16.add.noftz {%h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7}, [%d1], {%h8, %h9, %h10, %h11, %h12, %h13, %h14, %h15}; atom.global.add.L2::cache_hint.u32 %r0, [%d1], %r2, %d3; atom.add.release.gpu.u32 _, [%d1], %r2;
red.global.add.u32 [%d1], %r2; red.release.gpu.global.add.s32 [%d1], 1; red.global.add.f32 [%d1], %f2; red.global.add.noftz.bf16x2 [%d1], %r2; red.relaxed.gpu.global.v4.f32.add [%d1], {%f0, %f1, %f2, %f3}; red.global.v2.bf16x2.add.noftz [%d1], {%r0, %r1}; red.global.v8.f16.max.noftz [%d1], {%h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7}; red.shared.or.b32 [%r1], %r2; red.global.min.s64 [%d1], %d2; red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r0], %r1, [%r2]; red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%r0], %r1, [%r2];
multimem.ld_reduce.relaxed.sys.global.add.f32 %f0, [%d1]; multimem.ld_reduce.weak.global.add.acc::f32.v4.bf16x2 {%r0, %r1, %r2, %r3}, [%d1]; multimem.ld_reduce.global.min.u32 %r0, [%d1]; multimem.st.relaxed.sys.global.v4.f32 [%d1], {%f0, %f1, %f2, %f3}; multimem.st.weak.global.u32 [%d1], %r0; multimem.red.release.gpu.global.add.u32 [%d1], %r0; multimem.red.relaxed.sys.global.add.v4.f16x2 [%d1], {%r0, %r1, %r2, %r3}; multimem.red.global.and.b32 [%d1], %r0;
cp.async.ca.shared.global [%r0], [%d1], 4; cp.async.cg.shared.global.L2::128B [%r0], [%d1], 16, %r2; cp.async.ca.shared::cta.global.L2::cache_hint [%r0], [%d1], 8, 8, %d2; cp.async.cg.shared.global [%r0], [%d1], 16, %p0; cp.async.commit_group; cp.async.wait_group 2; cp.async.wait_all; cp.async.mbarrier.arrive.noinc.shared.b64 [%r0]; cp.async.mbarrier.arrive.shared::cta.b64 [%r0]; cp.async.mbarrier.arrive.b64 [%d0];
)"),
            "");
}

TEST(Forms, AsynchronousCopies) {
  EXPECT_EQ(problemsOf(R"(
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%d1], %r2, [%r3]; cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r0], [%d1], 256, [%r3]; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%r0], [%d1], %r2, [%r3], %h0, %d2; cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r0], [%r1], %r2, [%r3]; cp.async.bulk.global.shared::cta.bulk_group [%d0], [%r1], %r2; cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [%d0], [%r1], 16, %d2, %h0; cp.async.bulk.prefetch.L2.global [%d0], %r1; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; cp.async.bulk.wait_group.read 1;
cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%d0], [%r1], %r2; cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [%d0], [%r1], %r2; cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32 [%d0], [%r1], 128; cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b64 [%d0], [%r1], 128; 
cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r0], [%d1, {%r2}], [%r3]; cp.async.bulk.tensor.5d.shared::cta.global.mbarrier::complete_tx::bytes [%r0], [%d1, {%r2, %r3, %r4, %r5, %r6}], [%r7]; cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2.L2::cache_hint [%r0], [%d1, {%r2, %r3}], [%r4], %h0, %d2; cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [%r0], [%d1, {%r2, %r3, %r4, %r5, %r6}], [%r7];
cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r0], [%d1, {%r2, %r3, %r4, %r5}], [%r6], {%h0, %h1}; cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster [%r0], [%d1, {%r2, %r3, %r4}], [%r6], {%h0}, %h5; cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r0], [%d1, {%r2, %r3, %r4, %r5, %r6}], [%r7], {%h0, %h1, %h2}; cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group [%d1, {%r2, %r3, %r4, %r5}], [%r0];
cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%d1, {%r2, %r3}], [%r0]; cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%d1, {%r2, %r3, %r4, %r5, %r6}], [%r0]; cp.async.bulk.tensor.3d.global.shared::cta.bulk_group.L2::cache_hint [%d1, {%r2, %r3, %r4}], [%r0], %d2; cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%d1, {%r2, %r3}], [%r0]; cp.reduce.async.bulk.tensor.4d.global.shared::cta.max.im2col_no_offs.bulk_group [%d1, {%r2, %r3, %r4, %r5}], [%r0]; cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%d1, {%r2, %r3}];
tensormap.replace.tile.global_address.global.b1024.b64 [%d0], %d1; tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r0], 2; tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r0], 0, %r1; tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r0], 0, %d1; tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r0], 6; tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%r0], 0; tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r0], 3; tensormap.replace.tile.swizzle_atomicity.shared::cta.b1024.b32 [%r0], 0; tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%r0], 1; tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d0], [%r1], 128;
mbarrier.init.shared.b64 [%r0], 1; mbarrier.init.shared::cta.b64 [shared+8], %r1; mbarrier.init.b64 [%d0], 2; mbarrier.inval.shared.b64 [%r0]; mbarrier.arrive.shared.b64 %d0, [%r0]; mbarrier.arrive.shared::cta.b64 _, [%r0], 2; mbarrier.arrive.release.cta.shared::cta.b64 %d0, [%r0]; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r0]; mbarrier.arrive.expect_tx.shared.b64 %d0, [%r0], 16; mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r0], %r1; mbarrier.arrive.noComplete.shared.b64 %d0, [%r0], 1; mbarrier.arrive_drop.shared.b64 %d0, [%r0]; mbarrier.arrive_drop.expect_tx.shared.b64 %d0, [%r0], 16; mbarrier.arrive_drop.noComplete.shared.b64 %d0, [%r0], 1; mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%r0]; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r0], 16; mbarrier.complete_tx.shared::cta.b64 [%r0], 16; mbarrier.arrive.b64 %d0, [%d1];
mbarrier.test_wait.shared.b64 %p0, [%r0], %d1; mbarrier.test_wait.parity.shared.b64 %p0, [%r0], %r1; mbarrier.try_wait.shared::cta.b64 %p0, [%r0], %d1; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p0, [%r0], 1; mbarrier.try_wait.parity.shared.b64 %p0, [%r0], %r1, 1000; mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 %p0, [%r0], 1; mbarrier.pending_count.b64 %r0, %d1; mbarrier.test_wait.acquire.cta.shared::cta.b64 %p0, [%r0], %d1;
clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r0], [%r1]; clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [%r0], [%r1]; clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p0, %q0; clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r0, %r1, %r2, _}, %q0; clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r0, %q0;
)"),
            "");
}

TEST(Forms, WarpsAndControl) {
  EXPECT_EQ(problemsOf(R"(
shfl.sync.bfly.b32 %r0, %r1, 16, 31, -1; shfl.sync.idx.b32 %r0|%p0, %r1, %r2, 0x1f, %r3; shfl.sync.up.b32 %r0, %r1, 1, 0, -1; shfl.sync.down.b32 %f0, %f1, 1, 31, -1; vote.sync.ballot.b32 %r0, %p0, -1; vote.sync.any.pred %p1, %p0, -1; vote.sync.all.pred %p1, !%p0, %r2; vote.sync.uni.pred %p1, %p0, -1; match.any.sync.b32 %r0, %r1, -1; match.all.sync.b64 %r0|%p0, %d1, -1; match.any.sync.b64 %r0, %d1, -1; activemask.b32 %r0;
redux.sync.add.s32 %r0, %r1, -1; redux.sync.min.u32 %r0, %r1, -1; redux.sync.and.b32 %r0, %r1, %r2; redux.sync.max.s32 %r0, %r1, -1; redux.sync.xor.b32 %r0, %r1, -1; redux.sync.min.f32 %f0, %f1, -1; redux.sync.max.abs.NaN.f32 %f0, %f1, -1; elect.sync %r0|%p0, -1; elect.sync _|%p0, %r1;
bar.sync 0; bar.sync %r0, 128; bar.arrive 1, 64; bar.red.popc.u32 %r0, 0, %p0; bar.red.and.pred %p1, 0, 64, %p0; bar.red.or.pred %p1, 0, !%p0; barrier.sync 0; barrier.sync.aligned 1, 64; barrier.arrive.aligned 1, 64; barrier.cta.sync 0; barrier.cta.red.popc.aligned.u32 %r0, 0, %p0; bar.warp.sync -1; bar.warp.sync %r0; bar.cta.sync 0; barrier.cta.arrive 1, 64;
barrier.cluster.arrive; barrier.cluster.arrive.aligned; barrier.cluster.arrive.relaxed.aligned; barrier.cluster.arrive.release; barrier.cluster.wait; barrier.cluster.wait.acquire.aligned;
fence.acq_rel.gpu; fence.sc.sys; fence.acq_rel.cluster; fence.acquire.sync_restrict::shared::cluster.cluster; fence.release.sync_restrict::shared::cta.cluster; fence.mbarrier_init.release.cluster; fence.proxy.async; fence.proxy.async.shared::cta; fence.proxy.async.global; fence.proxy.alias; fence.proxy.tensormap::generic.release.gpu; fence.proxy.tensormap::generic.acquire.gpu [%d0], 128; fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster; membar.cta; membar.gl; membar.sys; fence.acquire.gpu; fence.release.gpu;
griddepcontrol.wait; griddepcontrol.launch_dependents; setmaxnreg.inc.sync.aligned.u32 232; setmaxnreg.dec.sync.aligned.u32 40; nanosleep.u32 100; nanosleep.u32 %r0; pmevent 3; pmevent.mask 0x7; brkpt; trap; exit; bra L; @%p0 bra.uni L; @!%p0 ret.uni; 
)"),
            "");
}

TEST(Forms, Matrices) {
  EXPECT_EQ(problemsOf(R"(
ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%r4]; ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r0, %r1, %r2, %r3}, [%r4]; ldmatrix.sync.aligned.m8n8.x2.shared::cta.b16 {%r0, %r1}, [%r4+64]; ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r0, %r1}, [%r4]; ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b4x16_p64 {%r0, %r1, %r2, %r3}, [%r4]; ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.b6x16_p32 {%r0, %r1}, [%r4];
stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r4], {%r0}; stmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16 [%r4], {%r0, %r1, %r2, %r3}; stmatrix.sync.aligned.m16n8.x2.trans.shared.b8 [%r4], {%r0, %r1}; stmatrix.sync.aligned.m16n8.x4.trans.shared.b8 [%r4], {%r0, %r1, %r2, %r3}; movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f4, %f5, %f6, %f7}; mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1}, {%r4}, {%f4, %f5, %f6, %f7}; mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r0, %r1}, {%r2, %r3, %r4, %r5}, {%r6, %r7}, {%r8, %r9}; mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f4, %f5, %f6, %f7}; mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1}, {%r4}, {%f4, %f5, %f6, %f7}; mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f4, %f5, %f6, %f7}; mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1}, {%r4}, {%f4, %f5, %f6, %f7};

mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d0, %d1}, {%d2}, {%d3}, {%d4, %d5}; mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%d0, %d1, %d2, %d3}, {%d4, %d5, %d6, %d7, %d8, %d9, %d10, %d11}, {%d12, %d13, %d14, %d15}, {%d0, %d1, %d2, %d3}; mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%d0, %d1, %d2, %d3}, {%d4, %d5}, {%d6}, {%d0, %d1, %d2, %d3}; mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%d0, %d1, %d2, %d3}, {%d4, %d5, %d6, %d7}, {%d8, %d9}, {%d0, %d1, %d2, %d3};
mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r0, %r1}, {%r2}, {%r3}, {%r4, %r5}; mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%r0, %r1, %r2, %r3}; mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%r8}, {%r0, %r1, %r2, %r3}; mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%r0, %r1, %r2, %r3}; mma.sync.aligned.m8n8k32.row.col.s32.u4.s4.s32 {%r0, %r1}, {%r2}, {%r3}, {%r4, %r5}; mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%r0, %r1, %r2, %r3}; mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc {%r0, %r1}, {%r2}, {%r3}, {%r4, %r5};
mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f4, %f5, %f6, %f7}; mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1}, {%r4}, {%f4, %f5, %f6, %f7}; mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 {%r0, %r1}, {%r2, %r3, %r4, %r5}, {%r6, %r7}, {%r8, %r9}; mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f4, %f5, %f6, %f7};
mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e2m1.f32.ue8m0 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f4, %f5, %f6, %f7}, {%r6}, {%h0, %h1}, {%r7}, {%h2, %h3}; mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f4, %f5, %f6, %f7}, {%r6}, {%h0, %h1}, {%r7}, {%h2, %h3}; mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f4, %f5, %f6, %f7}, {%r6}, {0, 1}, {%r7}, {0, 1};
mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%f4, %f5, %f6, %f7}, %r8, 0x0; mma.sp.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1}, {%r4, %r5}, {%f4, %f5, %f6, %f7}, %r8, 0x1; mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%f4, %f5, %f6, %f7}, %r8, 0x0; mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, %r9, %r10, %r11}, {%r0, %r1, %r2, %r3}, %r12, 0x0; mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e4m3.e5m2.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%f4, %f5, %f6, %f7}, %r8, 0x0; mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.s32.s4.s4.s32 {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, %r9, %r10, %r11}, {%r0, %r1, %r2, %r3}, %r12, 0x0;
)"),
            "");
}

TEST(Forms, TensorMemory) {
  EXPECT_EQ(problemsOf(R"(
tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r0], 128; tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%r0], %r1; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r0, 128; tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r0}, [%r1]; tcgen05.ld.sync.aligned.32x32b.x4.pack::16b.b32 {%r0, %r1, %r2, %r3}, [%r4]; tcgen05.ld.sync.aligned.16x64b.x2.b32 {%r0, %r1}, [%r4]; tcgen05.ld.sync.aligned.16x128b.x1.b32 {%r0, %r1}, [%r4]; tcgen05.ld.sync.aligned.16x256b.x1.b32 {%r0, %r1, %r2, %r3}, [%r4]; tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {%r0, %r1}, [%r4], 16; 
tcgen05.st.sync.aligned.32x32b.x2.b32 [%r4], {%r0, %r1}; tcgen05.st.sync.aligned.16x256b.x1.unpack::16b.b32 [%r4], {%r0, %r1, %r2, %r3}; tcgen05.wait::ld.sync.aligned; tcgen05.wait::st.sync.aligned; tcgen05.fence::before_thread_sync; tcgen05.fence::after_thread_sync;
tcgen05.cp.cta_group::1.128x256b [%r0], %d1; tcgen05.cp.cta_group::1.32x128b.warpx4 [%r0], %d1; 
tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%d0]; tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r0]; tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r0], %h1;
tcgen05.mma.cta_group::1.kind::f16 [%r0], %d1, %d2, %r3, %p0; tcgen05.mma.cta_group::1.kind::f16 [%r0], [%r1], %d2, %r3, %p0; tcgen05.mma.cta_group::1.kind::i8 [%r0], %d1, %d2, %r3, %p0; tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X [%r0], %d1, %d2, %r3, [%r4], [%r5], %p0; tcgen05.mma.cta_group::1.kind::mxf4.block_scale.block32 [%r0], %d1, %d2, %r3, [%r4], [%r5], %p0; tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16 [%r0], %d1, %d2, %r3, [%r4], [%r5], %p0; tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X [%r0], %d1, %d2, %r3, [%r4], [%r5], %p0; tcgen05.mma.cta_group::1.kind::f16.collector::a::fill [%r0], [%r1], %d2, %r3, %p0; 
)"),
            "");
}

TEST(Forms, WarpGroups) {
  std::string list, problems;
  for (int index = 0; index < 128; ++index)
    list += (index ? ", %f" : "%f") + std::to_string(index);
  const std::string d4 = "{%f0, %f1, %f2, %f3}", r4 = "{%r0, %r1, %r2, %r3}";
  for (const std::string &line : std::vector<std::string>{
           "wgmma.fence.sync.aligned; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 1;",
           "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " + d4 + ", %d0, %d1, 1, 1, -1, 0, 1;",
           "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 " + d4 + ", " + r4 + ", %d1, %p0, 1, 1, 0;",
           "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {" + list + "}, %d0, %d1, %p0, 1, 1, 0, 0;",
           "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%r8, %r9}, %d0, %d1, %p0, 1, 1, 0, 0;",
           "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 " + d4 + ", %d0, %d1, %p0, 1, 1;",
           "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 " + d4 + ", %d0, %d1, %p0, 1, 1;",
           "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8 " + r4 + ", %d0, %d1, %p0;",
           "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8.satfinite " + r4 + ", %d0, %d1, %p0;",
           "wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc " + r4 + ", %d0, %d1, %p0;",
           "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 " + d4 + ", %d0, %d1, %r8, 0, %p0, 1, 1, 0, 0;",
           "wgmma.mma_async.sp.sync.aligned.m64n8k64.f32.e4m3.e4m3 " + d4 + ", " + r4 + ", %d1, %r8, 0, %p0, 1, 1;"})
    problems += problemsOf(line, "sm_90a");
  EXPECT_EQ(problems, "");
}

/// What is not simulated: nothing our compiler writes, and nothing that its users have asked for yet.
TEST(Forms, RefusedByName) {
  const std::string refused = R"(
alloca.u64 %d0, 16;
cp.async.bulk.tensor.4d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes [%r0], [%d1, {%r2, %r3, %r4, %r5}], [%r6], {%h0, %h1};
cp.async.bulk.tensor.4d.shared::cluster.global.im2col::w::128.mbarrier::complete_tx::bytes [%r0], [%d1, {%r2, %r3, %r4, %r5}], [%r6], {%h0, %h1};
cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r0], [%r1], 128, [%r3];
istypep.texref %p0, %d1;
ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8x16.b6x16_p32 {%r0, %r1, %r2, %r3}, [%r4];
mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, {%r0, %r1}, {%r2, %r3}, {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7};
st.async.mmio.release.sys.global.b32 [%d0], %r1;
stacksave.u64 %d0;
stackrestore.u64 %d0;
tcgen05.cp.cta_group::1.128x128b.b8x16.b6x16_p32 [%r0], %d1;
tcgen05.cp.cta_group::1.4x256b [%r0], %d1;
tcgen05.cp.cta_group::2.64x128b.warpx2::02_13 [%r0], %d1;
tcgen05.ld.red.sync.aligned.32x32b.x2.max.f32 {%f0, %f1}, %f2, [%r4];
tcgen05.mma.cta_group::1.kind::f8f6f4 [%r0], %d1, %d2, %r3, %p0, 3;
tcgen05.mma.cta_group::2.kind::tf32 [%r0], %d1, %d2, %r3, {%r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11}, %p0;
tcgen05.mma.sp.cta_group::1.kind::f16 [%r0], %d1, %d2, [%r4], %r3, %p0;
tcgen05.mma.sp.cta_group::1.kind::mxf4.block_scale.scale_vec::2X [%r0], %d1, %d2, [%r4], %r3, [%r5], [%r6], %p0;
tcgen05.mma.ws.cta_group::1.kind::f16 [%r0], %d1, %d2, %r3, %p0;
tcgen05.shift.cta_group::1.down [%r0];
vavrg2.u32.u32.u32 %r0, %r1, %r2, %r3;
vmad.s32.s32.s32 %r0, %r1, %r2, %r3;
vmad.s32.u32.s32.sat.shr7 %r0, %r1.h0, %r2.h1, %r3;
vmax.s32.u32.u32.add %r0, %r1.b3, %r2.b2, %r3;
vsub.u32.u32.u32.sat %r0, %r1.b0, %r2.h1;
wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%r9], %r10;
wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%d9], %r10;
wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [%r9], %r10;
wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7};
wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%d9], {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, %r10;
)";
  for (size_t begin = 1, end; (end = refused.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string line = refused.substr(begin, end - begin);
    EXPECT_EQ(problemOf(line), "line 9: '" + line.substr(0, line.find(' ')) + "' is not simulated");
  }
  EXPECT_EQ(problemOf("mov.u32 %r0, %envreg3;"), "line 9: '%envreg3' is not simulated");
  EXPECT_EQ(problemOf("mov.u32 %r0, %pm0;"), "line 9: '%pm0' is not simulated");
  EXPECT_EQ(problemOf("mov.u64 %d0, %current_graph_exec;"), "line 9: '%current_graph_exec' is not simulated");
}

} // namespace
