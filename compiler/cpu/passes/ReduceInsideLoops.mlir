// RUN: triton-opt %s --cpu-reduce-inside-loops | FileCheck %s

// CHECK-LABEL: @sum
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[S:.*]] = %[[ZERO]]) -> (f32)
// CHECK: %[[PART:.*]] = "tt.reduce"
// CHECK: %[[NEXT:.*]] = arith.addf %[[S]], %[[PART]] : f32
// CHECK: scf.yield %[[NEXT]] : f32
// CHECK: tt.return %[[SUM]]
tt.func @sum(%n: i32, %x: tensor<1024xf32>) -> f32 {
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %block = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (tensor<1024xf32>) : i32 {
    %next = arith.addf %a, %x : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  %sum = "tt.reduce"(%block) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tt.reduce.return %s : f32
  }) : (tensor<1024xf32>) -> f32
  tt.return %sum : f32
}

// The block is read elsewhere.
// CHECK-LABEL: @two_uses
// CHECK: scf.for {{.*}} -> (tensor<1024xf32>)
// CHECK: "tt.reduce"
tt.func @two_uses(%n: i32, %x: tensor<1024xf32>) -> (f32, tensor<1024xf32>) {
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %block = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (tensor<1024xf32>) : i32 {
    %next = arith.addf %a, %x : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  %sum = "tt.reduce"(%block) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tt.reduce.return %s : f32
  }) : (tensor<1024xf32>) -> f32
  tt.return %sum, %block : f32, tensor<1024xf32>
}

// A maximum of sums is not a sum of maxima.
// CHECK-LABEL: @other_operation
// CHECK: scf.for {{.*}} -> (tensor<1024xf32>)
tt.func @other_operation(%n: i32, %x: tensor<1024xf32>) -> f32 {
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %block = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (tensor<1024xf32>) : i32 {
    %next = arith.addf %a, %x : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  %max = "tt.reduce"(%block) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.maxnumf %l, %r : f32
    tt.reduce.return %s : f32
  }) : (tensor<1024xf32>) -> f32
  tt.return %max : f32
}
