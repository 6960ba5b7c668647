// RUN: triton-opt %s --tensor-rewrite-descriptors --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s --implicit-check-not=tensordesc

// CHECK-LABEL: @load
// CHECK-DAG:   %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<64xf32>
// CHECK:       %[[MASK:.*]] = arith.andi
// CHECK:       tt.load %{{.*}}, %[[MASK]], %[[ZEROS]] : tensor<64x!tt.ptr<f32>>
tt.func @load(%base: !tt.ptr<f32>, %n: i32, %offset: i32) -> tensor<64xf32> {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %base, [%n], [%one] : <f32>, <tensor<64xf32>>
  %x = tt.descriptor_load %d[%offset] : !tt.tensordesc<tensor<64xf32>> -> tensor<64xf32>
  tt.return %x : tensor<64xf32>
}

// -----

// CHECK-LABEL: @pads_with_nan
// CHECK:       arith.constant dense<0x7FC00000> : tensor<64xf32>
tt.func @pads_with_nan(%base: !tt.ptr<f32>, %n: i32, %offset: i32) -> tensor<64xf32> {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %base, [%n], [%one] {padding = 2 : i32} : <f32>, <tensor<64xf32>>
  %x = tt.descriptor_load %d[%offset] : !tt.tensordesc<tensor<64xf32>> -> tensor<64xf32>
  tt.return %x : tensor<64xf32>
}

// -----

// A descriptor argument is its base, shape, strides, whether it pads with NaN, and whether loads of f32 round to TF32. Its last stride is 1, other strides and the base are
// multiples of 16 bytes. The other arguments keep their attributes.
// CHECK-LABEL: @argument
// CHECK-SAME:    (%{{[^:]*}}: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64 {tt.divisibility = 4 : i32}, %[[STRIDE:[^:]*]]: i64, %{{[^:]*}}: i1, %{{[^:]*}}: i1, %{{[^:]*}}: i32 {tt.divisibility = 16 : i32})
// CHECK-NOT:   %[[STRIDE]]
// CHECK:       tt.store
tt.func public @argument(%d: !tt.tensordesc<tensor<8x16xui32>>, %i: i32 {tt.divisibility = 16 : i32}) {
  %x = arith.constant dense<1> : tensor<8x16xi32>
  tt.descriptor_store %d[%i, %i], %x : !tt.tensordesc<tensor<8x16xui32>>, tensor<8x16xi32>
  tt.return
}

// -----

// CHECK-LABEL: @unsigned_maximum
// CHECK:       tt.atomic_rmw umax, relaxed, gpu
tt.func @unsigned_maximum(%d: !tt.tensordesc<tensor<8x16xui32>>, %i: i32, %x: tensor<8x16xi32>) {
  tt.descriptor_reduce max, %d[%i, %i], %x : !tt.tensordesc<tensor<8x16xui32>>, tensor<8x16xi32>
  tt.return
}

// -----

// CHECK-LABEL: @float_sum
// CHECK:       tt.atomic_rmw fadd, relaxed, gpu
tt.func @float_sum(%d: !tt.tensordesc<tensor<8x16xf32>>, %i: i32, %x: tensor<8x16xf32>) {
  tt.descriptor_reduce add, %d[%i, %i], %x : !tt.tensordesc<tensor<8x16xf32>>, tensor<8x16xf32>
  tt.return
}

// -----

// CHECK-LABEL: @rows
// CHECK:       %[[X:.*]] = tt.load %{{.*}} : tensor<32x64x!tt.ptr<f16>>
// CHECK:       tt.store %{{.*}}, %[[X]], %{{.*}} : tensor<32x64x!tt.ptr<f16>>
tt.func @rows(%d: !tt.tensordesc<tensor<1x64xf16>>, %rows: tensor<32xi32>, %y: i32) {
  %x = tt.descriptor_gather %d[%rows, %y] : (!tt.tensordesc<tensor<1x64xf16>>, tensor<32xi32>, i32) -> tensor<32x64xf16>
  tt.descriptor_scatter %d[%rows, %y], %x : !tt.tensordesc<tensor<1x64xf16>>, tensor<32xi32>, i32, tensor<32x64xf16>
  tt.return
}

// -----

// CHECK-LABEL: @carried
// CHECK:       scf.while
tt.func @carried(%c: i1, %d: !tt.tensordesc<tensor<8x16xf32>>, %i: i32) -> tensor<8x16xf32> {
  %r = scf.while (%e = %d) : (!tt.tensordesc<tensor<8x16xf32>>) -> !tt.tensordesc<tensor<8x16xf32>> {
    scf.condition(%c) %e : !tt.tensordesc<tensor<8x16xf32>>
  } do {
  ^bb0(%e: !tt.tensordesc<tensor<8x16xf32>>):
    tt.debug_barrier
    scf.yield %e : !tt.tensordesc<tensor<8x16xf32>>
  }
  %x = tt.descriptor_load %r[%i, %i] : !tt.tensordesc<tensor<8x16xf32>> -> tensor<8x16xf32>
  tt.return %x : tensor<8x16xf32>
}

// -----

// What a host's descriptor loads is rounded to TF32 where it says so.
// CHECK-LABEL: @rounds_to_tf32
// CHECK-SAME:    %[[ROUNDS:[^:]*]]: i1)
// CHECK:       %[[LOADED:.*]] = tt.load
// CHECK:       arith.shrui
// CHECK:       %[[IS_NAN:.*]] = arith.cmpf uno, %[[LOADED]], %[[LOADED]]
// CHECK:       %[[ROUNDED:.*]] = arith.select %[[IS_NAN]], %[[LOADED]]
// CHECK:       arith.select %[[ROUNDS]], %[[ROUNDED]], %[[LOADED]]
tt.func public @rounds_to_tf32(%out: tensor<64x!tt.ptr<f32>>, %i: i32, %d: !tt.tensordesc<tensor<64xf32>>) {
  %x = tt.descriptor_load %d[%i] : !tt.tensordesc<tensor<64xf32>> -> tensor<64xf32>
  tt.store %out, %x : tensor<64x!tt.ptr<f32>>
  tt.return
}
