// Compiled or not: the passes that move ops about must not change what comes out.
// RUN: triton-interpret %s --all | FileCheck %s
// RUN: triton-interpret %s --all --tensor-pipeline | FileCheck %s

// CHECK-LABEL: @moves
// CHECK-NEXT:  0 2 4 6 1 3 5 7
// CHECK-NEXT:  0 4 2 6 1 5 3 7
// CHECK-NEXT:  0 0 1 1 2 2 3 3
tt.func public @moves() -> (tensor<2x4xi32>, tensor<2x2x2xi32>, tensor<4x2xi32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %m = tt.reshape %r : tensor<8xi32> -> tensor<4x2xi32>
  %t = tt.trans %m {order = array<i32: 1, 0>} : tensor<4x2xi32> -> tensor<2x4xi32>
  %c = tt.reshape %r : tensor<8xi32> -> tensor<2x2x2xi32>
  %u = tt.trans %c {order = array<i32: 2, 1, 0>} : tensor<2x2x2xi32> -> tensor<2x2x2xi32>
  %s = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %e = tt.expand_dims %s {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %b = tt.broadcast %e : tensor<4x1xi32> -> tensor<4x2xi32>
  tt.return %t, %u, %b : tensor<2x4xi32>, tensor<2x2x2xi32>, tensor<4x2xi32>
}

// CHECK-LABEL: @joins
// CHECK-NEXT:  0 4 1 5 2 6 3 7
// CHECK-NEXT:  0 2
// CHECK-NEXT:  1 3
// CHECK-NEXT:  0 1 2 3 4 5 6 7
tt.func public @joins() -> (tensor<4x2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<8xi32>) {
  %a = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %b = tt.make_range {end = 8 : i32, start = 4 : i32} : tensor<4xi32>
  %j = tt.join %a, %b : tensor<4xi32> -> tensor<4x2xi32>
  %p = tt.reshape %a : tensor<4xi32> -> tensor<2x2xi32>
  %x, %y = tt.split %p : tensor<2x2xi32> -> tensor<2xi32>
  %c = tt.cat %a, %b : tensor<4xi32> -> tensor<8xi32>
  tt.return %j, %x, %y, %c : tensor<4x2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<8xi32>
}

// CHECK-LABEL: @gathers
// CHECK-NEXT:  6 3 0 7
// CHECK-NEXT:  1 1 2 4
tt.func public @gathers() -> (tensor<2x2xi32>, tensor<2x2xi32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %m = tt.reshape %r : tensor<8xi32> -> tensor<4x2xi32>
  %i = arith.constant dense<[[3, 1], [0, 3]]> : tensor<2x2xi32>
  %g = tt.gather %m[%i] {axis = 0 : i32} : (tensor<4x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %n = tt.reshape %r : tensor<8xi32> -> tensor<2x4xi32>
  %k = arith.constant dense<[[1, 1], [-1, 0]]> : tensor<2x2xi32>
  %clamped = arith.constant dense<[[1, 1], [2, 0]]> : tensor<2x2xi32>
  %h = tt.gather %n[%clamped] {axis = 1 : i32} : (tensor<2x4xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %two = arith.constant dense<[[0, 0], [-4, 0]]> : tensor<2x2xi32>
  %s = arith.addi %h, %two : tensor<2x2xi32>
  tt.return %g, %s : tensor<2x2xi32>, tensor<2x2xi32>
}

// CHECK-LABEL: @counts
// CHECK-NEXT:  1 3 0 2
// CHECK-NEXT:  0 3 0 0
tt.func public @counts() -> (tensor<4xi32>, tensor<4xi32>) {
  %x = arith.constant dense<[0, 1, 1, 1, 3, 3, 9, -1]> : tensor<8xi32>
  %m = arith.constant dense<[false, true, true, true, false, false, true, true]> : tensor<8xi1>
  %h = tt.histogram %x : tensor<8xi32> -> tensor<4xi32>
  %g = tt.histogram %x, %m : tensor<8xi32> -> tensor<4xi32>
  tt.return %h, %g : tensor<4xi32>, tensor<4xi32>
}
