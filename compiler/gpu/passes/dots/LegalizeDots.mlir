// RUN: triton-opt %s --split-input-file --gpu-legalize-dots | FileCheck %s

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: @three_tf32_terms
tt.func @three_tf32_terms(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // CHECK: %[[ABIG:.*]] = tt.bitcast {{.*}} -> tensor<64x32xf32>
  // CHECK: %[[ASMALL:.*]] = arith.subf %arg0, %[[ABIG]]
  // CHECK: %[[BBIG:.*]] = tt.bitcast {{.*}} -> tensor<32x64xf32>
  // CHECK: %[[BSMALL:.*]] = arith.subf %arg1, %[[BBIG]]
  // CHECK: tt.dot %[[ABIG]], %[[BSMALL]], {{.*}}, inputPrecision = tf32
  // CHECK: %[[SMALL:.*]] = tt.dot %[[ASMALL]], %[[BBIG]], {{.*}}, inputPrecision = tf32
  // CHECK: arith.cmpf ord, %[[SMALL]], %[[SMALL]]
  // CHECK: %[[REST:.*]] = arith.select
  // CHECK: %[[ALL:.*]] = tt.dot %[[ABIG]], %[[BBIG]], %[[REST]], inputPrecision = tf32
  // CHECK: arith.addf %arg2, %[[ALL]]
  %d = tt.dot %a, %b, %c, inputPrecision = tf32x3 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  tt.return %d : tensor<64x64xf32>
}

// CHECK-LABEL: @three_products_of_bf16
tt.func @three_products_of_bf16(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // CHECK-COUNT-3: tt.dot {{.*}} tensor<64x32xbf16> * tensor<32x64xbf16>
  // CHECK-NOT: tt.dot
  %d = tt.dot %a, %b, %c, inputPrecision = bf16x3 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  tt.return %d : tensor<64x64xf32>
}

// CHECK-LABEL: @six_products_of_bf16
tt.func @six_products_of_bf16(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // CHECK-COUNT-6: tt.dot {{.*}} tensor<64x32xbf16> * tensor<32x64xbf16>
  // CHECK-NOT: tt.dot
  %d = tt.dot %a, %b, %c, inputPrecision = bf16x6 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  tt.return %d : tensor<64x64xf32>
}

// CHECK-LABEL: @multiply_adds
tt.func @multiply_adds(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // CHECK-NEXT: tt.dot %arg0, %arg1, %arg2 :
  %d = tt.dot %a, %b, %c, inputPrecision = ieee : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  tt.return %d : tensor<64x64xf32>
}

// wgmma reads 8-bit floats.
// CHECK-LABEL: @eight_bits
tt.func @eight_bits(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x64xf8E5M2>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // CHECK-NEXT: tt.dot %arg0, %arg1, %arg2
  %d = tt.dot %a, %b, %c : tensor<64x32xf8E4M3FN> * tensor<32x64xf8E5M2> -> tensor<64x64xf32>
  tt.return %d : tensor<64x64xf32>
}

// mma.sync of this architecture only pretends to.
// CHECK-LABEL: @eight_bits_of_few_rows
tt.func @eight_bits_of_few_rows(%a: tensor<16x32xf8E4M3FN>, %b: tensor<32x64xf8E5M2>, %c: tensor<16x64xf32>) -> tensor<16x64xf32> {
  // CHECK: tt.fp_to_fp %arg0 : tensor<16x32xf8E4M3FN> -> tensor<16x32xf16>
  // CHECK: tt.fp_to_fp %arg1 : tensor<32x64xf8E5M2> -> tensor<32x64xf16>
  // CHECK: tt.dot {{.*}} tensor<16x32xf16> * tensor<32x64xf16> -> tensor<16x64xf32>
  %d = tt.dot %a, %b, %c : tensor<16x32xf8E4M3FN> * tensor<32x64xf8E5M2> -> tensor<16x64xf32>
  tt.return %d : tensor<16x64xf32>
}

}

// -----

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80"} {

// CHECK-LABEL: @ampere_has_no_eight_bit_floats
tt.func @ampere_has_no_eight_bit_floats(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x64xf8E4M3FN>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // CHECK: tt.dot {{.*}} tensor<64x32xf16> * tensor<32x64xf16>
  %d = tt.dot %a, %b, %c : tensor<64x32xf8E4M3FN> * tensor<32x64xf8E4M3FN> -> tensor<64x64xf32>
  tt.return %d : tensor<64x64xf32>
}

}

// -----

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:89"} {

// CHECK-LABEL: @ada_has
tt.func @ada_has(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x64xf8E4M3FN>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // CHECK-NEXT: tt.dot %arg0, %arg1, %arg2
  %d = tt.dot %a, %b, %c : tensor<64x32xf8E4M3FN> * tensor<32x64xf8E4M3FN> -> tensor<64x64xf32>
  tt.return %d : tensor<64x64xf32>
}

}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "hip:gfx1250"} {

// AMD's instructions sum in f32.
// CHECK-LABEL: @sums_of_sixteen_bits
tt.func @sums_of_sixteen_bits(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %c: tensor<64x64xf16>) -> tensor<64x64xf16> {
  // CHECK: %[[WIDE:.*]] = arith.extf %arg2 : tensor<64x64xf16> to tensor<64x64xf32>
  // CHECK: %[[SUM:.*]] = tt.dot %arg0, %arg1, %[[WIDE]] : {{.*}} -> tensor<64x64xf32>
  // CHECK: arith.truncf %[[SUM]] : tensor<64x64xf32> to tensor<64x64xf16>
  %d = tt.dot %a, %b, %c : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf16>
  tt.return %d : tensor<64x64xf16>
}

// CHECK-LABEL: @scaled
tt.func @scaled(%a: tensor<64x128xf8E4M3FN>, %b: tensor<64x64xi8>, %s: tensor<64x4xi8>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // CHECK: %[[ONES:.*]] = arith.constant dense<127> : tensor<64x4xi8>
  // CHECK: tt.dot_scaled %arg0 scale %arg2, %arg1 scale %[[ONES]], %arg3
  %d = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = e2m1 {fastMath = false} : tensor<64x128xf8E4M3FN>, tensor<64x4xi8> * tensor<64x64xi8> -> tensor<64x64xf32>
  tt.return %d : tensor<64x64xf32>
}

// K is less than WMMA takes.
// CHECK-LABEL: @scaled_elsewhere
tt.func @scaled_elsewhere(%a: tensor<64x64xf8E4M3FN>, %b: tensor<64x64xf8E4M3FN>, %s: tensor<64x2xi8>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // CHECK-NOT: tt.dot_scaled
  // CHECK: tt.dot {{.*}} tensor<64x64xbf16> * tensor<64x64xbf16>
  %d = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<64x64xf8E4M3FN>, tensor<64x2xi8> * tensor<64x64xf8E4M3FN> -> tensor<64x64xf32>
  tt.return %d : tensor<64x64xf32>
}

}
