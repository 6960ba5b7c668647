// RUN: triton-opt %s --tensor-decompose-scaled-dots | FileCheck %s

// CHECK-LABEL: @scaled
// CHECK: tt.fp_to_fp %{{.*}} : tensor<128x64xf8E4M3FN> -> tensor<128x64xf32>
// CHECK: arith.shli
// CHECK: tt.broadcast %{{.*}} : tensor<128x2x1xf32> -> tensor<128x2x32xf32>
// CHECK: tt.reshape %{{.*}} : tensor<128x2x32xf32> -> tensor<128x64xf32>
// CHECK: %[[A:.*]] = arith.truncf %{{.*}} : tensor<128x64xf32> to tensor<128x64xbf16>
// CHECK: tt.dot %[[A]], %{{.*}}, %{{.*}} : tensor<128x64xbf16> * tensor<64x32xbf16> -> tensor<128x32xf32>
tt.func @scaled(%a: tensor<128x64xf8E4M3FN>, %s: tensor<128x2xi8>, %b: tensor<64x32xbf16>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> {
  %d = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = bf16 {fastMath = false} : tensor<128x64xf8E4M3FN>, tensor<128x2xi8> * tensor<64x32xbf16> -> tensor<128x32xf32>
  tt.return %d : tensor<128x32xf32>
}

// Pairs packed along K, which is the first dimension of the right operand.
// CHECK-LABEL: @packed
// CHECK: tt.join %{{.*}} : tensor<32x32xf32> -> tensor<32x32x2xf32>
// CHECK: tt.trans %{{.*}} {order = array<i32: 0, 2, 1>} : tensor<32x32x2xf32> -> tensor<32x2x32xf32>
// CHECK: tt.reshape %{{.*}} : tensor<32x2x32xf32> -> tensor<64x32xf32>
tt.func @packed(%a: tensor<16x64xf16>, %b: tensor<32x32xi8>, %c: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %d = tt.dot_scaled %a, %b, %c lhs = fp16 rhs = e2m1 {fastMath = false} : tensor<16x64xf16> * tensor<32x32xi8> -> tensor<16x32xf32>
  tt.return %d : tensor<16x32xf32>
}

// A plain product stays.
// CHECK-LABEL: @plain
// CHECK-NEXT: tt.dot
tt.func @plain(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tt.dot %a, %b, %c : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}
