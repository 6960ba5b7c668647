// RUN: triton-opt %s --split-input-file --gpu-spread-over-ctas=num-ctas=2 | FileCheck %s
// RUN: triton-opt %s --split-input-file --gpu-spread-over-ctas=num-ctas=1 | FileCheck %s --check-prefix=ONE
// ONE-NOT: CGALayout
// ONE-NOT: "ttg.num-ctas" = 2

// CHECK: #blocked = #ttg.blocked<{{.*}}CGALayout = {{\[\[}}1]]
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32} {
  // CHECK-LABEL: @cut
  tt.func @cut(%x: tensor<1024xf32, #blocked>) -> f32 {
    %one = arith.constant dense<1.0> : tensor<1024xf32, #blocked>
    // CHECK: arith.addf {{.*}} : tensor<1024xf32, #blocked>
    %y = arith.addf %x, %one : tensor<1024xf32, #blocked>
    %s = "tt.reduce"(%y) <{axis = 0 : i32}> ({
    ^bb0(%lhs: f32, %rhs: f32):
      %t = arith.addf %lhs, %rhs : f32
      tt.reduce.return %t : f32
    }) : (tensor<1024xf32, #blocked>) -> f32
    tt.return %s : f32
  }
}

// -----

// CHECK: #blocked = #ttg.blocked<{{.*}}CGALayout = {{\[\[}}0]]
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32} {
  // Elements go where their values say: every CTA has all of them.
  // CHECK-LABEL: @copies
  tt.func @copies(%x: tensor<512xi32, #blocked>) -> tensor<512xi32, #blocked> {
    %y = tt.histogram %x : tensor<512xi32, #blocked> -> tensor<512xi32, #blocked>
    tt.return %y : tensor<512xi32, #blocked>
  }
}

// -----

// CHECK: "ttg.num-ctas" = 2 : i32
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32} {
  tt.func @nothing() {
    tt.return
  }
}
