// RUN: triton-opt %s --tensor-combine-ops --split-input-file | FileCheck %s
// RUN: triton-opt %s --tensor-combine-ops --split-input-file --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LINES

// CHECK-LABEL: @accumulator
// CHECK-SAME:    %[[A:[^:]*]]: tensor<64x32xf16>, %[[B:[^:]*]]: tensor<32x64xf16>, %[[C:[^:]*]]: tensor<64x64xf32>
// CHECK:       %[[R:.*]] = tt.dot %[[A]], %[[B]], %[[C]], inputPrecision = tf32
// CHECK-NEXT:  tt.return %[[R]]
tt.func @accumulator(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tt.dot %a, %b, %zeros, inputPrecision = tf32 : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
  %r = arith.addf %c, %d : tensor<64x64xf32>
  tt.return %r : tensor<64x64xf32>
}

// -----

// CHECK-LABEL: @integer_accumulator
// CHECK-NOT:   arith.addi
tt.func @integer_accumulator(%a: tensor<64x32xi8>, %b: tensor<32x64xi8>, %c: tensor<64x64xi32>) -> tensor<64x64xi32> {
  %zeros = arith.constant dense<0> : tensor<64x64xi32>
  %d = tt.dot %a, %b, %zeros : tensor<64x32xi8> * tensor<32x64xi8> -> tensor<64x64xi32>
  %r = arith.addi %d, %c : tensor<64x64xi32>
  tt.return %r : tensor<64x64xi32>
}

// -----

// LINES-LABEL: @line_of_the_dot
// LINES:       tt.dot {{.*}} loc("kernel.py":7:8)
tt.func @line_of_the_dot(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tt.dot %a, %b, %zeros : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32> loc("kernel.py":7:8)
  %r = arith.addf %c, %d : tensor<64x64xf32> loc("kernel.py":8:8)
  tt.return %r : tensor<64x64xf32>
}

// -----

// CHECK-LABEL: @dot_used_twice
// CHECK:       arith.addf
tt.func @dot_used_twice(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %c: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tt.dot %a, %b, %zeros : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
  %r = arith.addf %c, %d : tensor<64x64xf32>
  tt.return %r, %d : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// CHECK-LABEL: @select_by_the_mask
// CHECK-SAME:    %[[P:[^:]*]]: tensor<128x!tt.ptr<f32>>, %[[M:[^:]*]]: tensor<128xi1>, %[[X:[^:]*]]: tensor<128xf32>
// CHECK-NEXT:  %[[V:.*]] = tt.load %[[P]], %[[M]], %[[X]]
// CHECK-NEXT:  tt.return %[[V]]
tt.func @select_by_the_mask(%p: tensor<128x!tt.ptr<f32>>, %m: tensor<128xi1>, %x: tensor<128xf32>) -> tensor<128xf32> {
  %v = tt.load %p, %m : tensor<128x!tt.ptr<f32>>
  %r = arith.select %m, %v, %x : tensor<128xi1>, tensor<128xf32>
  tt.return %r : tensor<128xf32>
}

// -----

// CHECK-LABEL: @select_by_another_mask
// CHECK:       arith.select
tt.func @select_by_another_mask(%p: tensor<128x!tt.ptr<f32>>, %m: tensor<128xi1>, %n: tensor<128xi1>, %x: tensor<128xf32>) -> tensor<128xf32> {
  %v = tt.load %p, %m : tensor<128x!tt.ptr<f32>>
  %r = arith.select %n, %v, %x : tensor<128xi1>, tensor<128xf32>
  tt.return %r : tensor<128xf32>
}

// -----

// CHECK-LABEL: @sum_of_products
// CHECK-SAME:    %[[X:[^:]*]]: tensor<64x32xf32>, %[[Y:[^:]*]]: tensor<32x16xf32>
// CHECK:       tt.dot %[[X]], %[[Y]], %{{.*}} : tensor<64x32xf32>
// CHECK-NOT:   tt.reduce
tt.func @sum_of_products(%x: tensor<64x32xf32>, %y: tensor<32x16xf32>) -> tensor<64x16xf32> {
  %xe = tt.expand_dims %x {axis = 2 : i32} : tensor<64x32xf32> -> tensor<64x32x1xf32>
  %xb = tt.broadcast %xe : tensor<64x32x1xf32> -> tensor<64x32x16xf32>
  %ye = tt.expand_dims %y {axis = 0 : i32} : tensor<32x16xf32> -> tensor<1x32x16xf32>
  %yb = tt.broadcast %ye : tensor<1x32x16xf32> -> tensor<64x32x16xf32>
  %p = arith.mulf %xb, %yb : tensor<64x32x16xf32>
  %r = "tt.reduce"(%p) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %s: f32):
    %t = arith.addf %l, %s : f32
    tt.reduce.return %t : f32
  }) : (tensor<64x32x16xf32>) -> tensor<64x16xf32>
  tt.return %r : tensor<64x16xf32>
}

// -----

// CHECK-LABEL: @maximum_of_products
// CHECK:       tt.reduce
tt.func @maximum_of_products(%x: tensor<64x32xf32>, %y: tensor<32x16xf32>) -> tensor<64x16xf32> {
  %xe = tt.expand_dims %x {axis = 2 : i32} : tensor<64x32xf32> -> tensor<64x32x1xf32>
  %xb = tt.broadcast %xe : tensor<64x32x1xf32> -> tensor<64x32x16xf32>
  %ye = tt.expand_dims %y {axis = 0 : i32} : tensor<32x16xf32> -> tensor<1x32x16xf32>
  %yb = tt.broadcast %ye : tensor<1x32x16xf32> -> tensor<64x32x16xf32>
  %p = arith.mulf %xb, %yb : tensor<64x32x16xf32>
  %r = "tt.reduce"(%p) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %s: f32):
    %t = arith.maxnumf %l, %s : f32
    tt.reduce.return %t : f32
  }) : (tensor<64x32x16xf32>) -> tensor<64x16xf32>
  tt.return %r : tensor<64x16xf32>
}
