// RUN: triton-opt %s --gpu-accumulate-reductions | FileCheck %s
module attributes {"ttg.num-warps" = 4 : i32} {

// CHECK-LABEL: @sums
tt.func @sums(%n: i32, %p: tensor<32x128x!tt.ptr<f32>>, %init: tensor<32xf32>) -> tensor<32xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: %[[ZERO:.*]] = arith.constant dense<-0.000000e+00> : tensor<32x128xf32>
  // CHECK: %[[ALL:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %arg2, %[[A:.*]] = %[[ZERO]])
  // CHECK: %[[X:.*]] = tt.load
  // CHECK-NEXT: arith.addf %[[A]], %[[X]] : tensor<32x128xf32>
  // CHECK-NEXT: scf.yield
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %init) -> tensor<32xf32> : i32 {
    %x = tt.load %p : tensor<32x128x!tt.ptr<f32>>
    %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<32x128xf32>) -> tensor<32xf32>
    %t = arith.addf %s, %r : tensor<32xf32>
    scf.yield %t : tensor<32xf32>
  }
  // CHECK: %[[R:.*]] = "tt.reduce"(%[[ALL]]#1)
  // CHECK: arith.addf %arg2, %[[R]]
  tt.return %sum : tensor<32xf32>
}

// Of another kind than the loop's sum, used by the loop, or too large to hold.
// CHECK-LABEL: @left_alone
tt.func @left_alone(%n: i32, %p: tensor<32x128x!tt.ptr<f32>>, %q: tensor<128x256x!tt.ptr<f32>>, %init: tensor<32xf32>, %more: tensor<128xf32>) -> (tensor<32xf32>, tensor<32xf32>, tensor<128xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: scf.for
  // CHECK-COUNT-3: "tt.reduce"
  // CHECK: scf.yield
  %sum:3 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %init, %u = %init, %w = %more) -> (tensor<32xf32>, tensor<32xf32>, tensor<128xf32>) : i32 {
    %x = tt.load %p : tensor<32x128x!tt.ptr<f32>>
    %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<32x128xf32>) -> tensor<32xf32>
    %t = arith.addf %s, %r : tensor<32xf32>
    %r2 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<32x128xf32>) -> tensor<32xf32>
    %u2 = arith.mulf %u, %t : tensor<32xf32>
    %v = arith.addf %u2, %r2 : tensor<32xf32>
    %y = tt.load %q : tensor<128x256x!tt.ptr<f32>>
    %r3 = "tt.reduce"(%y) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<128x256xf32>) -> tensor<128xf32>
    %w2 = arith.addf %w, %r3 : tensor<128xf32>
    scf.yield %t, %v, %w2 : tensor<32xf32>, tensor<32xf32>, tensor<128xf32>
  }
  tt.return %sum#0, %sum#1, %sum#2 : tensor<32xf32>, tensor<32xf32>, tensor<128xf32>
}

}
