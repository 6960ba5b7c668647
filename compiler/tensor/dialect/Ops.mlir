// The forms of ops that the examples in their descriptions do not show. Each reads back as it was printed.
// RUN: triton-opt %s | triton-opt | FileCheck %s
// RUN: triton-opt %s --mlir-print-op-generic | triton-opt | FileCheck %s

// CHECK-LABEL: tt.func public @loads
tt.func public @loads(%p: !tt.ptr<f32>, %ps: tensor<128x!tt.ptr<f32>>, %mask: tensor<128xi1>, %other: tensor<128xf32>, %block: !tt.ptr<tensor<64x32xf16>>, %c: i1, %x: f32) {
  // CHECK: tt.load %{{[^,]*}} : !tt.ptr<f32>
  %0 = tt.load %p : !tt.ptr<f32>
  // CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} : !tt.ptr<f32>
  %1 = tt.load %p, %c, %x : !tt.ptr<f32>
  // CHECK: tt.load %{{.*}}, %{{.*}} : tensor<128x!tt.ptr<f32>>
  %2 = tt.load %ps, %mask : tensor<128x!tt.ptr<f32>>
  // CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} cacheModifier = ca evictionPolicy = evict_first {isVolatile = true} : tensor<128x!tt.ptr<f32>>
  %3 = tt.load %ps, %mask, %other cacheModifier = ca evictionPolicy = evict_first {isVolatile = true} : tensor<128x!tt.ptr<f32>>
  // CHECK: tt.load %{{.*}} {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<64x32xf16>>
  %4 = tt.load %block {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<64x32xf16>>
  // CHECK: tt.store %{{.*}}, %{{.*}}, %{{.*}} cacheModifier = wb evictionPolicy = evict_last : tensor<128x!tt.ptr<f32>>
  tt.store %ps, %3, %mask cacheModifier = wb evictionPolicy = evict_last : tensor<128x!tt.ptr<f32>>
  // CHECK: tt.store %{{.*}}, %{{.*}} {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<64x32xf16>>
  tt.store %block, %4 {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<64x32xf16>>
  tt.return
}

// CHECK-LABEL: @atomics
tt.func @atomics(%p: !tt.ptr<i32>, %x: i32, %c: i1, %ps: tensor<128x!tt.ptr<f64>>, %xs: tensor<128xf64>) {
  // CHECK: tt.atomic_rmw exch, relaxed, sys, %{{.*}} : (!tt.ptr<i32>, i32, i1) -> i32
  %0 = tt.atomic_rmw exch, relaxed, sys, %p, %x, %c : (!tt.ptr<i32>, i32, i1) -> i32
  // CHECK: tt.atomic_rmw umax, acquire, cta, %{{.*}} : (!tt.ptr<i32>, i32) -> i32
  %1 = tt.atomic_rmw umax, acquire, cta, %p, %x : (!tt.ptr<i32>, i32) -> i32
  // CHECK: tt.atomic_rmw min, release, gpu
  %2 = tt.atomic_rmw min, release, gpu, %ps, %xs : (tensor<128x!tt.ptr<f64>>, tensor<128xf64>) -> tensor<128xf64>
  // CHECK: tt.atomic_cas acq_rel, sys
  %3 = tt.atomic_cas acq_rel, sys, %ps, %xs, %xs : (tensor<128x!tt.ptr<f64>>, tensor<128xf64>, tensor<128xf64>) -> tensor<128xf64>
  tt.return
}

// CHECK-LABEL: @types
// CHECK-SAME: !tt.ptr<f8E4M3FN>, %{{.*}}: !tt.ptr<f16, 3>, %{{.*}}: !tt.ptr<!tt.ptr<i1>>, %{{.*}}: !tt.tensordesc<tensor<128x64xsi32>>
tt.func @types(%a: !tt.ptr<f8E4M3FN>, %b: !tt.ptr<f16, 3>, %c: !tt.ptr<!tt.ptr<i1>>, %d: !tt.tensordesc<tensor<128x64xsi32>>, %e: tensor<4xf8E5M2FNUZ>, %f: tensor<4xf8E4M3B11FNUZ>) {
  // CHECK: tt.fp_to_fp %{{.*}} : tensor<4xf8E5M2FNUZ> -> tensor<4xf32>
  %0 = tt.fp_to_fp %e : tensor<4xf8E5M2FNUZ> -> tensor<4xf32>
  // CHECK: tt.fp_to_fp %{{.*}}, rounding = rtz : tensor<4xf32> -> tensor<4xf16>
  %1 = tt.fp_to_fp %0, rounding = rtz : tensor<4xf32> -> tensor<4xf16>
  // CHECK: tt.bitcast %{{.*}} : tensor<4xf8E4M3B11FNUZ> -> tensor<4xi8>
  %2 = tt.bitcast %f : tensor<4xf8E4M3B11FNUZ> -> tensor<4xi8>
  tt.return
}

// CHECK-LABEL: @products
tt.func @products(%a: tensor<4x64x32xf8E5M2>, %b: tensor<4x32x16xf8E4M3FN>, %c: tensor<4x64x16xf32>, %ha: tensor<64x32xi8>, %hb: tensor<64x32xi8>, %s: tensor<64x4xf8E4M3FN>, %hc: tensor<64x64xf32>) {
  // CHECK: tt.dot %{{.*}}, inputPrecision = bf16x6 {maxNumImpreciseAcc = 32 : i32} : tensor<4x64x32xf8E5M2> * tensor<4x32x16xf8E4M3FN> -> tensor<4x64x16xf32>
  %0 = tt.dot %a, %b, %c, inputPrecision = bf16x6 {maxNumImpreciseAcc = 32 : i32} : tensor<4x64x32xf8E5M2> * tensor<4x32x16xf8E4M3FN> -> tensor<4x64x16xf32>
  // CHECK: tt.dot_scaled %{{.*}} scale %{{.*}}, %{{.*}} scale %{{.*}}, %{{.*}} lhs = e2m1 rhs = e2m1 {fastMath = true, rhs_k_pack = false} : tensor<64x32xi8>, tensor<64x4xf8E4M3FN> * tensor<64x32xi8>, tensor<64x4xf8E4M3FN> -> tensor<64x64xf32>
  %1 = tt.dot_scaled %ha scale %s, %hb scale %s, %hc lhs = e2m1 rhs = e2m1 {fastMath = true, rhs_k_pack = false} : tensor<64x32xi8>, tensor<64x4xf8E4M3FN> * tensor<64x32xi8>, tensor<64x4xf8E4M3FN> -> tensor<64x64xf32>
  tt.return
}

// CHECK-LABEL: @two_operands
tt.func @two_operands(%x: tensor<8x16xf32>, %i: tensor<8x16xi32>) -> (tensor<8xf32>, tensor<8xi32>) {
  // CHECK: "tt.reduce"(%{{.*}}, %{{.*}}) <{axis = 1 : i32}>
  %r:2 = "tt.reduce"(%x, %i) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %c = arith.cmpf ogt, %a, %b : f32
    %v = arith.select %c, %a, %b : f32
    %vi = arith.select %c, %ai, %bi : i32
    // CHECK: tt.reduce.return %{{.*}}, %{{.*}} : f32, i32
    tt.reduce.return %v, %vi : f32, i32
  }) : (tensor<8x16xf32>, tensor<8x16xi32>) -> (tensor<8xf32>, tensor<8xi32>)
  // CHECK: "tt.scan"(%{{.*}}, %{{.*}}) <{axis = 0 : i32, reverse = true}>
  %s:2 = "tt.scan"(%r#0, %r#1) <{axis = 0 : i32, reverse = true}> ({
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    tt.scan.return %b, %ai : f32, i32
  }) : (tensor<8xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>)
  tt.return %s#0, %s#1 : tensor<8xf32>, tensor<8xi32>
}

// CHECK-LABEL: @packed
tt.func @packed(%x: tensor<8xi32>, %mask: tensor<8xi1>) {
  // CHECK: "tt.map_elementwise"(%{{.*}}) <{pack = 2 : i32}>
  %r:2 = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    tt.map_elementwise.return %b, %a, %a, %b : i32, i32, i32, i32
  }) : (tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>)
  // CHECK: tt.histogram %{{.*}}, %{{.*}} : tensor<8xi32> -> tensor<4xi32>
  %h = tt.histogram %x, %mask : tensor<8xi32> -> tensor<4xi32>
  // CHECK: tt.elementwise_inline_asm "mov.u32 $0, %smid;" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
  %s = tt.elementwise_inline_asm "mov.u32 $0, %smid;" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
  // CHECK: tt.reshape %{{.*}} allow_reorder efficient_layout : tensor<8xi32> -> tensor<2x4xi32>
  %t = tt.reshape %x allow_reorder efficient_layout : tensor<8xi32> -> tensor<2x4xi32>
  // CHECK: tt.join %{{.*}} : i32 -> tensor<2xi32>
  %j = tt.join %s, %s : i32 -> tensor<2xi32>
  // CHECK: tt.split %{{.*}} : tensor<2xi32> -> i32
  %u, %v = tt.split %j : tensor<2xi32> -> i32
  // CHECK: tt.print " x: " {hex = true, isSigned = array<i32: 1, 0>} : %{{.*}}, %{{.*}} : tensor<8xi32>, i32
  tt.print " x: " {hex = true, isSigned = array<i32: 1, 0>} : %x, %u : tensor<8xi32>, i32
  // CHECK: tt.print " here" {hex = false, isSigned = array<i32>}
  tt.print " here" {hex = false, isSigned = array<i32>}
  tt.return
}
