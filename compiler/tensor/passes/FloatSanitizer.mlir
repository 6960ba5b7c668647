// RUN: triton-opt %s --tensor-float-sanitizer --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// Payloads go from op to op: two arguments are embedded, one result is unembedded.
// CHECK-LABEL: @chain
// CHECK-COUNT-2: tt.bitcast %{{.*}} : f32 -> i32
// CHECK-NOT: tt.bitcast
// CHECK: %[[SUM:.*]] = arith.addi
// CHECK: arith.muli %[[SUM]]
// CHECK: %[[BACK:.*]] = tt.bitcast %{{.*}} : i32 -> f32
// CHECK-NEXT: tt.return %[[BACK]]
tt.func public @chain(%x: f32, %y: f32) -> f32 {
  %sum = arith.addf %x, %y : f32
  %product = arith.mulf %sum, %y : f32
  tt.return %product : f32
}

// -----

// 0, 1 and -1 stay what they are.
// CHECK-LABEL: @ones
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f16
// CHECK-NEXT: tt.return %[[ONE]]
tt.func public @ones() -> f16 {
  %one = arith.constant 1.0 : f16
  %minus = arith.constant -1.0 : f16
  %product = arith.mulf %minus, %minus : f16
  %zero = arith.subf %one, %product : f16
  %sum = arith.addf %zero, %one : f16
  tt.return %sum : f16
}

// -----

// Bytes are one digit: one dot; numbers of 16 bits have three, whose products below 2^32 are eight.
// CHECK-LABEL: @bytes
// CHECK-COUNT-1: tt.dot {{.*}} : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xi32>
// CHECK-NOT: tt.dot
// CHECK-LABEL: @halves
// CHECK-COUNT-8: tt.dot {{.*}} : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xi32>
// CHECK-NOT: tt.dot
tt.func public @bytes(%a: tensor<16x32xf8E5M2>, %b: tensor<32x16xf8E5M2>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tt.dot %a, %b, %c : tensor<16x32xf8E5M2> * tensor<32x16xf8E5M2> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}
tt.func public @halves(%a: tensor<16x32xf16>, %b: tensor<32x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tt.dot %a, %b, %c : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}

// -----

// What moves or compares floats, and what has none.
// CHECK-LABEL: @left_alone
// CHECK-NEXT: %[[SMALLER:.*]] = arith.cmpf olt, %{{.*}}, %{{.*}} : f32
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %[[SMALLER]]
// CHECK-NEXT: %[[ABSOLUTE:.*]] = math.absf %[[CHOSEN]]
// CHECK-NEXT: %[[NUMBER:.*]] = arith.fptosi %[[ABSOLUTE]]
// CHECK-NEXT: %[[TWICE:.*]] = arith.addi %[[NUMBER]], %[[NUMBER]]
// CHECK-NEXT: tt.return %[[TWICE]]
tt.func public @left_alone(%x: f32, %y: f32) -> i32 {
  %smaller = arith.cmpf olt, %x, %y : f32
  %chosen = arith.select %smaller, %x, %y : f32
  %absolute = math.absf %chosen : f32
  %number = arith.fptosi %absolute : f32 to i32
  %twice = arith.addi %number, %number : i32
  tt.return %twice : i32
}
