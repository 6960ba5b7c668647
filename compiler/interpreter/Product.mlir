// RUN: triton-interpret %s --all | FileCheck %s

// CHECK-LABEL: @integers
// CHECK-NEXT:  11 14 19 26
tt.func @integers() -> tensor<2x2xi32> {
  %a = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %b = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %c = arith.constant dense<4> : tensor<2x2xi32>
  %d = tt.dot %a, %b, %c : tensor<2x2xi8> * tensor<2x2xi8> -> tensor<2x2xi32>
  tt.return %d : tensor<2x2xi32>
}

// CHECK-LABEL: @batches
// CHECK-NEXT:  2 4 6 8
tt.func @batches() -> tensor<2x2x1xf32> {
  %a = arith.constant dense<[[[1.0], [2.0]], [[3.0], [4.0]]]> : tensor<2x2x1xf16>
  %b = arith.constant dense<2.0> : tensor<2x1x1xf16>
  %c = arith.constant dense<0.0> : tensor<2x2x1xf32>
  %d = tt.dot %a, %b, %c : tensor<2x2x1xf16> * tensor<2x1x1xf16> -> tensor<2x2x1xf32>
  tt.return %d : tensor<2x2x1xf32>
}

// Two elements to a byte, the low half first: 0x42 is 1 and 2. The scale of the left side doubles the second group.
// CHECK-LABEL: @scaled
// CHECK-NEXT:  144
tt.func @scaled() -> tensor<1x1xf32> {
  %a = arith.constant dense<0x42> : tensor<1x32xi8>
  %s = arith.constant dense<[[127, 128]]> : tensor<1x2xi8>
  %b = arith.constant dense<1.0> : tensor<64x1xbf16>
  %c = arith.constant dense<0.0> : tensor<1x1xf32>
  %d = tt.dot_scaled %a scale %s, %b, %c lhs = e2m1 rhs = bf16 {fastMath = false} : tensor<1x32xi8>, tensor<1x2xi8> * tensor<64x1xbf16> -> tensor<1x1xf32>
  tt.return %d : tensor<1x1xf32>
}
