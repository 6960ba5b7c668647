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
