// RUN: triton-ptx %s --arch sm_90a | FileCheck %s
// RUN: triton-ptx %s --arch sm_80 | FileCheck %s --check-prefix=OLD
// RUN: %if ptxas %{ triton-ptx %s --arch sm_80 --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// RUN: %if ptxas %{ triton-ptx %s --arch sm_100a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED: Compiling entry function

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: .entry to_bf16
  tt.func public @to_bf16(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %r: !tt.ptr<bf16> {tt.divisibility = 16 : i32}) {
    %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #blocked>
    %q = tt.addptr %s, %range : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
    %t = tt.splat %r : !tt.ptr<bf16> -> tensor<512x!tt.ptr<bf16>, #blocked>
    %u = tt.addptr %t, %range : tensor<512x!tt.ptr<bf16>, #blocked>, tensor<512xi32, #blocked>
    %x = tt.load %q : tensor<512x!tt.ptr<f32>, #blocked>
    // CHECK-COUNT-2: cvt.rn.bf16x2.f32
    // CHECK-NOT: cvt
    // CHECK: st.global.v2.b32
    %y = arith.truncf %x : tensor<512xf32, #blocked> to tensor<512xbf16, #blocked>
    tt.store %u, %y : tensor<512x!tt.ptr<bf16>, #blocked>
    tt.return
  }

  // CHECK-LABEL: .entry to_fp8
  // OLD-LABEL: .entry to_fp8
  tt.func public @to_fp8(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %r: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}) {
    %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #blocked>
    %q = tt.addptr %s, %range : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
    %t = tt.splat %r : !tt.ptr<f8E4M3FN> -> tensor<512x!tt.ptr<f8E4M3FN>, #blocked>
    %u = tt.addptr %t, %range : tensor<512x!tt.ptr<f8E4M3FN>, #blocked>, tensor<512xi32, #blocked>
    %x = tt.load %q : tensor<512x!tt.ptr<f32>, #blocked>
    // CHECK-COUNT-2: cvt.rn.satfinite.e4m3x2.f32
    // OLD-NOT: e4m3x2
    %y = tt.fp_to_fp %x, rounding = rtne : tensor<512xf32, #blocked> -> tensor<512xf8E4M3FN, #blocked>
    // CHECK: st.global.{{b32|v2.b16}}
    tt.store %u, %y : tensor<512x!tt.ptr<f8E4M3FN>, #blocked>
    tt.return
  }

  // CHECK-LABEL: .entry toward_zero
  tt.func public @toward_zero(%p: !tt.ptr<f16>, %x: f32) {
    // CHECK: cvt.rz.f16x2.f32
    %y = tt.fp_to_fp %x, rounding = rtz : f32 -> f16
    tt.store %p, %y : !tt.ptr<f16>
    tt.return
  }

  // The instruction saturates to 32 bits: fewer are clamped.
  // CHECK-LABEL: .entry to_byte
  tt.func public @to_byte(%p: !tt.ptr<i8>, %x: f32) {
    // CHECK: cvt.rzi.s32.f32
    // CHECK: max.s32 {{.*}}, -128
    // CHECK: min.s32 {{.*}}, 127
    %y = arith.fptosi %x : f32 to i8
    tt.store %p, %y : !tt.ptr<i8>
    tt.return
  }

  // Four bits, less 8: 1024 + n is written as bits, 1032 subtracted from two at once. Twelve bits are too many for that.
  // CHECK-LABEL: .entry from_nibbles
  tt.func public @from_nibbles(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %r: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
    %nibble = arith.constant dense<15> : tensor<512xi32, #blocked>
    %eight = arith.constant dense<8> : tensor<512xi32, #blocked>
    %many = arith.constant dense<4095> : tensor<512xi32, #blocked>
    %s = tt.splat %p : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>, #blocked>
    %q = tt.addptr %s, %range : tensor<512x!tt.ptr<i32>, #blocked>, tensor<512xi32, #blocked>
    %t = tt.splat %r : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>, #blocked>
    %u = tt.addptr %t, %range : tensor<512x!tt.ptr<f16>, #blocked>, tensor<512xi32, #blocked>
    %v = tt.splat %m : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>, #blocked>
    %w = tt.addptr %v, %range : tensor<512x!tt.ptr<f16>, #blocked>, tensor<512xi32, #blocked>
    %x = tt.load %q : tensor<512x!tt.ptr<i32>, #blocked>
    // CHECK-NOT: cvt.rn.f16.s32
    // CHECK-COUNT-2: {{sub|add}}.{{(rn.)?}}f16x2
    %a = arith.andi %x, %nibble : tensor<512xi32, #blocked>
    %b = arith.subi %a, %eight : tensor<512xi32, #blocked>
    %y = arith.sitofp %b : tensor<512xi32, #blocked> to tensor<512xf16, #blocked>
    tt.store %u, %y : tensor<512x!tt.ptr<f16>, #blocked>
    // CHECK-COUNT-4: cvt.rn.f16.{{[su]}}32
    %c = arith.andi %x, %many : tensor<512xi32, #blocked>
    %z = arith.sitofp %c : tensor<512xi32, #blocked> to tensor<512xf16, #blocked>
    tt.store %w, %z : tensor<512x!tt.ptr<f16>, #blocked>
    tt.return
  }
}
