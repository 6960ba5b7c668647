// RUN: triton-interpret %s --all | FileCheck %s

// CHECK-LABEL: @integers_wrap
// CHECK-NEXT:  -128 -3 0
// CHECK-NEXT:  126 -1 0
// CHECK-NEXT:  -2 2 64
tt.func @integers_wrap() -> (tensor<3xi8>, tensor<3xi8>, tensor<3xi8>) {
  %a = arith.constant dense<[127, -2, -128]> : tensor<3xi8>
  %b = arith.constant dense<[1, -1, -128]> : tensor<3xi8>
  %add = arith.addi %a, %b : tensor<3xi8>
  %sub = arith.subi %a, %b : tensor<3xi8>
  %c = arith.constant dense<[2, -1, 2]> : tensor<3xi8>
  %d = arith.constant dense<[127, -2, -96]> : tensor<3xi8>
  %mul = arith.muli %d, %c : tensor<3xi8>
  tt.return %add, %sub, %mul : tensor<3xi8>, tensor<3xi8>, tensor<3xi8>
}

// Truncation toward zero, the remainder with the sign of the dividend, and all bits where there is no quotient.
// CHECK-LABEL: @division
// CHECK-NEXT:  -3 3 -1 -128
// CHECK-NEXT:  -1 1 -1 0
// CHECK-NEXT:  124 3 -1 0
// CHECK-NEXT:  -4 3 -1 -128
tt.func @division() -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>) {
  %a = arith.constant dense<[-7, 7, 5, -128]> : tensor<4xi8>
  %b = arith.constant dense<[2, 2, 0, -1]> : tensor<4xi8>
  %q = arith.divsi %a, %b : tensor<4xi8>
  %r = arith.remsi %a, %b : tensor<4xi8>
  %u = arith.divui %a, %b : tensor<4xi8>
  %f = arith.floordivsi %a, %b : tensor<4xi8>
  tt.return %q, %r, %u, %f : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>
}

// Numbers of 64 bits whose upper half is zero are divided in 32 bits.
// CHECK-LABEL: @long_division_by_zero
// CHECK-NEXT:  -1 4294967295 4294967295 -1
// CHECK-NEXT:  -1 4294967295 4294967295 -1
tt.func @long_division_by_zero() -> (tensor<4xi64>, tensor<4xi64>) {
  %a = arith.constant dense<[-7, 0, 4294967295, 4294967296]> : tensor<4xi64>
  %b = arith.constant dense<0> : tensor<4xi64>
  %q = arith.divsi %a, %b : tensor<4xi64>
  %r = arith.remui %a, %b : tensor<4xi64>
  tt.return %q, %r : tensor<4xi64>, tensor<4xi64>
}

// CHECK-LABEL: @shifts
// CHECK-NEXT:  -128 0
// CHECK-NEXT:  -64 0
// CHECK-NEXT:  64 0
tt.func @shifts() -> (tensor<2xi8>, tensor<2xi8>, tensor<2xi8>) {
  %a = arith.constant dense<[64, 64]> : tensor<2xi8>
  %n = arith.constant dense<[-128, -128]> : tensor<2xi8>
  %b = arith.constant dense<[1, 8]> : tensor<2xi8>
  %l = arith.shli %a, %b : tensor<2xi8>
  %s = arith.shrsi %n, %b : tensor<2xi8>
  %u = arith.shrui %n, %b : tensor<2xi8>
  tt.return %l, %s, %u : tensor<2xi8>, tensor<2xi8>, tensor<2xi8>
}

// CHECK-LABEL: @extremes
// CHECK-NEXT:  nan 0 2
// CHECK-NEXT:  1 0 2
// CHECK-NEXT:  1 -0 -3
tt.func @extremes() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %a = arith.constant dense<[0x7FC00000, 0.0, 2.0]> : tensor<3xf32>
  %b = arith.constant dense<[1.0, -0.0, -3.0]> : tensor<3xf32>
  %x = arith.maximumf %a, %b : tensor<3xf32>
  %n = arith.maxnumf %a, %b : tensor<3xf32>
  %m = arith.minnumf %a, %b : tensor<3xf32>
  tt.return %x, %n, %m : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: @comparisons
// CHECK-NEXT:  1 0
// CHECK-NEXT:  0 1
// CHECK-NEXT:  0 1
// CHECK-NEXT:  1 1
tt.func @comparisons() -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) {
  %a = arith.constant dense<[-1, 1]> : tensor<2xi32>
  %b = arith.constant dense<[0, 0]> : tensor<2xi32>
  %s = arith.cmpi slt, %a, %b : tensor<2xi32>
  %t = arith.constant dense<[0, 2]> : tensor<2xi32>
  %u = arith.cmpi ult, %a, %t : tensor<2xi32>
  %x = arith.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %y = arith.constant dense<[1.0, 1.0]> : tensor<2xf32>
  %o = arith.cmpf oeq, %x, %y : tensor<2xf32>
  %v = arith.cmpf ueq, %x, %y : tensor<2xf32>
  tt.return %s, %u, %o, %v : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>
}

// CHECK-LABEL: @conversions
// CHECK-NEXT:  -2 127 0
// CHECK-NEXT:  16777216 -1 255
// CHECK-NEXT:  255 1
// CHECK-NEXT:  2048 65504
tt.func @conversions() -> (tensor<3xi8>, tensor<3xf32>, tensor<2xf32>, tensor<2xf16>) {
  %a = arith.constant dense<[-2.9, 1000.0, 0x7FC00000]> : tensor<3xf32>
  %i = arith.fptosi %a : tensor<3xf32> to tensor<3xi8>
  %b = arith.constant dense<[16777217, -1, 255]> : tensor<3xi32>
  %f = arith.sitofp %b : tensor<3xi32> to tensor<3xf32>
  %c = arith.constant dense<[-1, 1]> : tensor<2xi8>
  %u = arith.uitofp %c : tensor<2xi8> to tensor<2xf32>
  %d = arith.constant dense<[2049.0, 65519.0]> : tensor<2xf32>
  %h = arith.truncf %d : tensor<2xf32> to tensor<2xf16>
  tt.return %i, %f, %u, %h : tensor<3xi8>, tensor<3xf32>, tensor<2xf32>, tensor<2xf16>
}

// Half precision rounds after every op, not at the end.
// CHECK-LABEL: @half_precision
// CHECK-NEXT:  0
tt.func @half_precision() -> f16 {
  %big = arith.constant 2048.0 : f16
  %one = arith.constant 1.0 : f16
  %s = arith.addf %big, %one : f16
  %d = arith.subf %s, %big : f16
  tt.return %d : f16
}

// CHECK-LABEL: @wide_products
// CHECK-NEXT:  1
// CHECK-NEXT:  -2
// CHECK-NEXT:  -2
// CHECK-NEXT:  -1
tt.func @wide_products() -> (i32, i32, i32, i32) {
  %m = arith.constant -1 : i32
  %two = arith.constant 2 : i32
  %lo, %hi = arith.mului_extended %m, %m : i32
  %slo, %shi = arith.mulsi_extended %m, %two : i32
  tt.return %lo, %hi, %slo, %shi : i32, i32, i32, i32
}
