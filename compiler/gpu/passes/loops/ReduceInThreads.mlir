// RUN: triton-opt %s --gpu-reduce-in-threads --canonicalize | FileCheck %s
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.slice<{dim = 1, parent = #blocked}>
#tall = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @sums
tt.func @sums(%n: i32, %p: tensor<32x64x!tt.ptr<f32>, #blocked>) -> tensor<32xf32, #rows> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: %[[ZERO:.*]] = arith.constant dense<-0.000000e+00> : tensor<32x8xf32
  %zero = arith.constant dense<-0.0> : tensor<32x64xf32, #blocked>
  // CHECK: %[[ALL:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %[[ZERO]]) -> (tensor<32x8xf32
  // CHECK: %[[X:.*]] = tt.load
  // CHECK: %[[CUT:.*]] = tt.reshape %[[X]] : {{.*}} -> tensor<32x2x8x4xf32
  // CHECK: %[[TURNED:.*]] = tt.trans %[[CUT]] {order = array<i32: 0, 2, 1, 3>}
  // CHECK: %[[ROWS:.*]] = tt.reshape %[[TURNED]] : {{.*}} -> tensor<32x8x8xf32
  // CHECK: %[[PART:.*]] = "tt.reduce"(%[[ROWS]]) <{axis = 2 : i32}>
  // CHECK: %[[B:.*]] = arith.addf %[[A]], %[[PART]] : tensor<32x8xf32
  // CHECK: scf.yield %[[B]]
  %all = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> tensor<32x64xf32, #blocked> : i32 {
    %x = tt.load %p : tensor<32x64x!tt.ptr<f32>, #blocked>
    %b = arith.addf %a, %x : tensor<32x64xf32, #blocked>
    scf.yield %b : tensor<32x64xf32, #blocked>
  }
  // CHECK: %[[SUM:.*]] = "tt.reduce"(%[[ALL]]) <{axis = 1 : i32}>
  // CHECK: %[[SAME:.*]] = ttg.convert_layout %[[SUM]]
  // CHECK: tt.return %[[SAME]]
  %sum = "tt.reduce"(%all) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tt.reduce.return %s : f32
  }) : (tensor<32x64xf32, #blocked>) -> tensor<32xf32, #rows>
  tt.return %sum : tensor<32xf32, #rows>
}

// One element of a row in each thread; of another kind than the reduction; used behind the loop.
// CHECK-LABEL: @left_alone
tt.func @left_alone(%n: i32, %p: tensor<32x32x!tt.ptr<f32>, #tall>, %q: tensor<32x64x!tt.ptr<f32>, #blocked>)
    -> (tensor<32xf32, #ttg.slice<{dim = 1, parent = #tall}>>, tensor<32xf32, #rows>, tensor<32x64xf32, #blocked>, tensor<32xf32, #rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %few = arith.constant dense<0.0> : tensor<32x32xf32, #tall>
  %one = arith.constant dense<1.0> : tensor<32x64xf32, #blocked>
  // CHECK-NOT: tt.reshape
  %all:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %few, %b = %one, %c = %one) -> (tensor<32x32xf32, #tall>, tensor<32x64xf32, #blocked>, tensor<32x64xf32, #blocked>) : i32 {
    %x = tt.load %p : tensor<32x32x!tt.ptr<f32>, #tall>
    %y = tt.load %q : tensor<32x64x!tt.ptr<f32>, #blocked>
    %s = arith.addf %a, %x : tensor<32x32xf32, #tall>
    %t = arith.mulf %b, %y : tensor<32x64xf32, #blocked>
    %u = arith.addf %c, %y : tensor<32x64xf32, #blocked>
    scf.yield %s, %t, %u : tensor<32x32xf32, #tall>, tensor<32x64xf32, #blocked>, tensor<32x64xf32, #blocked>
  }
  %first = "tt.reduce"(%all#0) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tt.reduce.return %s : f32
  }) : (tensor<32x32xf32, #tall>) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #tall}>>
  %second = "tt.reduce"(%all#1) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tt.reduce.return %s : f32
  }) : (tensor<32x64xf32, #blocked>) -> tensor<32xf32, #rows>
  %third = "tt.reduce"(%all#2) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tt.reduce.return %s : f32
  }) : (tensor<32x64xf32, #blocked>) -> tensor<32xf32, #rows>
  // CHECK: tt.return
  tt.return %first, %second, %all#2, %third : tensor<32xf32, #ttg.slice<{dim = 1, parent = #tall}>>, tensor<32xf32, #rows>, tensor<32x64xf32, #blocked>, tensor<32xf32, #rows>
}

}
