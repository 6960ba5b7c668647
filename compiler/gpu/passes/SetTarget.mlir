// RUN: triton-opt %s --gpu-set-target="target=sm_100a num-warps=8 num-ctas=2" | FileCheck %s
// RUN: triton-opt %s --gpu-set-target | FileCheck %s --check-prefix=DEFAULT

// What the module said before is replaced; what is in it stays as it is.
// CHECK: module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32}
// DEFAULT: module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32}
module attributes {"ttg.num-warps" = 2 : i32, ttg.target = "cuda:80"} {
  // CHECK-NEXT: tt.func public @kernel(%[[X:.*]]: tensor<128xf32>) {
  // CHECK-NEXT: tt.return
  tt.func public @kernel(%x: tensor<128xf32>) {
    tt.return
  }
}
