// RUN: triton-ptx %s --arch sm_90a --wait-at-entry | FileCheck %s
// RUN: triton-ptx %s --arch sm_90a | FileCheck %s --check-prefix=WITHOUT
// RUN: %if ptxas %{ triton-ptx %s --arch sm_90a --wait-at-entry --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED: Compiling entry function

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// WITHOUT-NOT: griddepcontrol
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // No access of any kind comes before the wait, also not one that is the same in every iteration of a loop.
  // CHECK-LABEL: .entry sums(
  // CHECK-NOT: {{ld\.global|st\.global|ld\.shared|st\.shared}}
  // CHECK: griddepcontrol.wait;
  // CHECK: ld.global
  // CHECK-NOT: griddepcontrol
  tt.func public @sums(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<512xf32, #blocked>
    %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #blocked>
    %a = tt.addptr %s, %range : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> (tensor<512xf32, #blocked>) : i32 {
      %x = tt.load %a : tensor<512x!tt.ptr<f32>, #blocked>
      %y = tt.load %q : !tt.ptr<f32>
      %ys = tt.splat %y : f32 -> tensor<512xf32, #blocked>
      %m = arith.mulf %x, %ys : tensor<512xf32, #blocked>
      %u = arith.addf %t, %m : tensor<512xf32, #blocked>
      scf.yield %u : tensor<512xf32, #blocked>
    }
    tt.store %a, %sum : tensor<512x!tt.ptr<f32>, #blocked>
    tt.return
  }

  // A kernel that does nothing waits too: the next one relies on it.
  // CHECK-LABEL: .entry nothing(
  // CHECK: griddepcontrol.wait;
  tt.func public @nothing() {
    tt.return
  }
}
