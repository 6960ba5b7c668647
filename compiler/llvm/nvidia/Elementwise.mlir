// RUN: triton-ptx %s --arch sm_90a | FileCheck %s
// RUN: %if ptxas %{ triton-ptx %s --arch sm_80 --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// RUN: %if ptxas %{ triton-ptx %s --arch sm_100a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED: Compiling entry function

#blocked = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: .entry divide_signed
  tt.func public @divide_signed(%p: !tt.ptr<i32>, %a: i32, %b: i32) {
    // By 0 all bits are set, by -1 it is the negative, wrapped.
    // CHECK: setp.lt.u32
    // CHECK: div.s32
    // CHECK: neg.s32
    // CHECK: not.b32
    // CHECK: or.b32
    // CHECK: selp
    %q = arith.divsi %a, %b : i32
    tt.store %p, %q : !tt.ptr<i32>
    tt.return
  }

  // CHECK-LABEL: .entry divide_by_constant
  tt.func public @divide_by_constant(%p: !tt.ptr<i32>, %a: i32) {
    // CHECK-NOT: div.s32
    // CHECK-NOT: selp
    %c = arith.constant 3 : i32
    %q = arith.divsi %a, %c : i32
    tt.store %p, %q : !tt.ptr<i32>
    // CHECK: ret
    tt.return
  }

  // CHECK-LABEL: .entry shift_by_anything
  tt.func public @shift_by_anything(%p: !tt.ptr<i32>, %a: i32, %b: i32) {
    // PTX's own shift gives 0 beyond the width.
    // CHECK-NOT: selp
    // CHECK: shl.b32
    // CHECK-NOT: selp
    %q = arith.shli %a, %b : i32
    tt.store %p, %q : !tt.ptr<i32>
    tt.return
  }

  // Both halves of a product are one instruction.
  // CHECK-LABEL: .entry halves
  tt.func public @halves(%p: !tt.ptr<i32>, %a: i32, %b: i32) {
    // CHECK: mul.wide.u32
    // CHECK-NOT: mul.
    %high = tt.mulhiui %a, %b : i32
    %low = arith.muli %b, %a : i32
    %x = arith.xori %high, %low : i32
    tt.store %p, %x : !tt.ptr<i32>
    // CHECK: ret
    tt.return
  }

  // CHECK-LABEL: .entry contracted
  tt.func public @contracted(%p: !tt.ptr<f32>, %a: f32, %b: f32) {
    // CHECK: fma.rn.f32
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %m, %a : f32
    tt.store %p, %s : !tt.ptr<f32>
    tt.return
  }

  // CHECK-LABEL: .entry divide_floats
  tt.func public @divide_floats(%p: !tt.ptr<f32>, %a: f32, %b: f32) {
    // CHECK: div.full.f32
    // CHECK: div.rn.f32
    %fast = arith.divf %a, %b : f32
    %exact = tt.precise_divf %fast, %b : f32
    // CHECK: mul{{(.rn)?}}.f32 {{.*}}, 0f3E800000
    %c = arith.constant 4.0 : f32
    %half = arith.divf %exact, %c : f32
    tt.store %p, %half : !tt.ptr<f32>
    tt.return
  }

  // CHECK-LABEL: .entry extrema
  tt.func public @extrema(%p: !tt.ptr<f32>, %a: f32, %b: f32) {
    // CHECK: max.NaN.f32
    // CHECK: min.f32
    %n = arith.maximumf %a, %b : f32
    %m = arith.minnumf %n, %b : f32
    tt.store %p, %m : !tt.ptr<f32>
    tt.return
  }

  // 16-bit floats are computed in pairs.
  // CHECK-LABEL: .entry pairs
  tt.func public @pairs(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #blocked>
    %s = tt.splat %p : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>, #blocked>
    %q = tt.addptr %s, %range : tensor<256x!tt.ptr<f16>, #blocked>, tensor<256xi32, #blocked>
    // CHECK: ld.global.b32
    %x = tt.load %q : tensor<256x!tt.ptr<f16>, #blocked>
    // CHECK: mul{{(.rn)?}}.f16x2
    // CHECK: max.f16x2
    %y = arith.mulf %x, %x : tensor<256xf16, #blocked>
    %z = arith.maxnumf %y, %x : tensor<256xf16, #blocked>
    // CHECK: st.global.b32
    tt.store %q, %z : tensor<256x!tt.ptr<f16>, #blocked>
    tt.return
  }
}
