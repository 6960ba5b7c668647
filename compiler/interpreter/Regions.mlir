// RUN: triton-interpret %s --all | FileCheck %s
// RUN: triton-interpret %s --all --tensor-pipeline | FileCheck %s

// CHECK-LABEL: @sums
// CHECK-NEXT:  6 22
// CHECK-NEXT:  4 6 8 10
tt.func public @sums() -> (tensor<2xi32>, tensor<4xi32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %m = tt.reshape %r : tensor<8xi32> -> tensor<2x4xi32>
  %a = "tt.reduce"(%m) <{axis = 1 : i32}> ({
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %y : i32
    tt.reduce.return %s : i32
  }) : (tensor<2x4xi32>) -> tensor<2xi32>
  %b = "tt.reduce"(%m) <{axis = 0 : i32}> ({
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %y : i32
    tt.reduce.return %s : i32
  }) : (tensor<2x4xi32>) -> tensor<4xi32>
  tt.return %a, %b : tensor<2xi32>, tensor<4xi32>
}

// The greatest and where it is, the leftmost of equals. The region branches, so lanes go one by one.
// CHECK-LABEL: @greatest
// CHECK-NEXT:  7
// CHECK-NEXT:  1
tt.func public @greatest() -> (f32, i32) {
  %x = arith.constant dense<[1.0, 7.0, 7.0, 3.0]> : tensor<4xf32>
  %i = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %r:2 = "tt.reduce"(%x, %i) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %c = arith.cmpf oge, %a, %b : f32
    %v:2 = scf.if %c -> (f32, i32) {
      scf.yield %a, %ai : f32, i32
    } else {
      scf.yield %b, %bi : f32, i32
    }
    tt.reduce.return %v#0, %v#1 : f32, i32
  }) : (tensor<4xf32>, tensor<4xi32>) -> (f32, i32)
  tt.return %r#0, %r#1 : f32, i32
}

// Not commutative: what came so far is the left operand.
// CHECK-LABEL: @prefixes
// CHECK-NEXT:  1 12 123 1234
// CHECK-NEXT:  4321 432 43 4
tt.func public @prefixes() -> (tensor<4xi32>, tensor<4xi32>) {
  %x = tt.make_range {end = 5 : i32, start = 1 : i32} : tensor<4xi32>
  %ten = arith.constant 10 : i32
  %f = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.muli %a, %ten : i32
    %t = arith.addi %s, %b : i32
    tt.scan.return %t : i32
  }) : (tensor<4xi32>) -> tensor<4xi32>
  %r = "tt.scan"(%x) <{axis = 0 : i32, reverse = true}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.muli %a, %ten : i32
    %t = arith.addi %s, %b : i32
    tt.scan.return %t : i32
  }) : (tensor<4xi32>) -> tensor<4xi32>
  tt.return %f, %r : tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: @pairs
// CHECK-NEXT:  1 0 3 2
// CHECK-NEXT:  1 1 5 5
tt.func public @pairs() -> (tensor<4xi32>, tensor<4xi32>) {
  %x = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %r:2 = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tt.map_elementwise.return %b, %a, %s, %s : i32, i32, i32, i32
  }) : (tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  tt.return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: @control
// CHECK-NEXT:  55
// CHECK-NEXT:  111
// CHECK-NEXT:  7
tt.func public @control() -> (i32, i32, i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %eleven = arith.constant 11 : i32
  %sum = scf.for %i = %zero to %eleven step %one iter_args(%s = %zero) -> (i32) : i32 {
    %t = arith.addi %s, %i : i32
    scf.yield %t : i32
  }
  // How many steps 27 takes to 1 when even numbers are halved and others go to 3n + 1.
  %start = arith.constant 27 : i32
  %steps:2 = scf.while (%n = %start, %count = %zero) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi ne, %n, %one : i32
    scf.condition(%more) %n, %count : i32, i32
  } do {
  ^bb0(%n: i32, %count: i32):
    %odd = arith.remsi %n, %two : i32
    %isOdd = arith.cmpi eq, %odd, %one : i32
    %next = scf.if %isOdd -> (i32) {
      %m = arith.muli %n, %three : i32
      %p = arith.addi %m, %one : i32
      scf.yield %p : i32
    } else {
      %h = arith.divsi %n, %two : i32
      scf.yield %h : i32
    }
    %c = arith.addi %count, %one : i32
    scf.yield %next, %c : i32, i32
  }
  %seven = tt.call @branches(%start) : (i32) -> i32
  tt.return %sum, %steps#1, %seven : i32, i32, i32
}
tt.func private @branches(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %c = arith.cmpi sgt, %x, %zero : i32
  cf.cond_br %c, ^positive, ^other(%zero : i32)
^positive:
  %seven = arith.constant 7 : i32
  cf.br ^other(%seven : i32)
^other(%r: i32):
  tt.return %r : i32
}

// Far apart, to the end of the numbers, by a step that is none: as Python's ranges, and no addition wraps.
// CHECK-LABEL: @loops_at_the_ends
// CHECK-NEXT:  4
// CHECK-NEXT:  4
// CHECK-NEXT:  0
tt.func public @loops_at_the_ends() -> (i32, i32, i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %low = arith.constant -2000000000 : i32
  %high = arith.constant 2000000000 : i32
  %wide = arith.constant 1000000000 : i32
  %a = scf.for %i = %low to %high step %wide iter_args(%n = %zero) -> (i32) : i32 {
    %m = arith.addi %n, %one : i32
    scf.yield %m : i32
  }
  %start = arith.constant 2147480000 : i32
  %stop = arith.constant 2147483600 : i32
  %step = arith.constant 1024 : i32
  %b = scf.for %i = %start to %stop step %step iter_args(%n = %zero) -> (i32) : i32 {
    %m = arith.addi %n, %one : i32
    scf.yield %m : i32
  } {tt.loop_unroll_factor = 2 : i32}
  %c = scf.for %i = %low to %high step %zero iter_args(%n = %zero) -> (i32) : i32 {
    %m = arith.addi %n, %one : i32
    scf.yield %m : i32
  }
  tt.return %a, %b, %c : i32, i32, i32
}
