// What folders and canonicalisers do, and what they must leave alone.
// RUN: triton-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @splat_of_constant
// CHECK-NEXT:  %[[C:.*]] = arith.constant dense<2.000000e+00> : tensor<4x8xf32>
// CHECK-NEXT:  tt.return %[[C]]
tt.func @splat_of_constant() -> tensor<4x8xf32> {
  %x = arith.constant 2.0 : f32
  %s = tt.splat %x : f32 -> tensor<4x8xf32>
  tt.return %s : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: @moves_of_a_splat
// CHECK-NEXT:  %[[S:.*]] = tt.splat %{{.*}} : f32 -> tensor<8x4x2xf32>
// CHECK-NEXT:  tt.return %[[S]]
tt.func @moves_of_a_splat(%x: f32) -> tensor<8x4x2xf32> {
  %s = tt.splat %x : f32 -> tensor<4xf32>
  %e = tt.expand_dims %s {axis = 1 : i32} : tensor<4xf32> -> tensor<4x1xf32>
  %b = tt.broadcast %e : tensor<4x1xf32> -> tensor<4x16xf32>
  %r = tt.reshape %b : tensor<4x16xf32> -> tensor<4x8x2xf32>
  %t = tt.trans %r {order = array<i32: 1, 0, 2>} : tensor<4x8x2xf32> -> tensor<8x4x2xf32>
  tt.return %t : tensor<8x4x2xf32>
}

// -----

// CHECK-LABEL: @moves_of_a_constant
// CHECK-NEXT:  %[[C:.*]] = arith.constant dense<{{\[\[}}1], [2]]> : tensor<2x1xi32>
// CHECK-NEXT:  tt.return %[[C]]
tt.func @moves_of_a_constant() -> tensor<2x1xi32> {
  %c = arith.constant dense<[1, 2]> : tensor<2xi32>
  %e = tt.expand_dims %c {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
  tt.return %e : tensor<2x1xi32>
}

// -----

// CHECK-LABEL: @moves_become_one
// CHECK-NEXT:  %[[R:.*]] = tt.reshape %{{.*}} : tensor<16xf32> -> tensor<2x8xf32>
// CHECK-NEXT:  tt.return %[[R]]
tt.func @moves_become_one(%x: tensor<16xf32>) -> tensor<2x8xf32> {
  %e = tt.expand_dims %x {axis = 0 : i32} : tensor<16xf32> -> tensor<1x16xf32>
  %a = tt.reshape %e : tensor<1x16xf32> -> tensor<4x4xf32>
  %b = tt.reshape %a : tensor<4x4xf32> -> tensor<2x8xf32>
  tt.return %b : tensor<2x8xf32>
}

// -----

// Order is lost once it was given up.
// CHECK-LABEL: @free_order_stays_free
// CHECK-NEXT:  tt.reshape %{{.*}} allow_reorder : tensor<16xf32> -> tensor<2x8xf32>
tt.func @free_order_stays_free(%x: tensor<16xf32>) -> tensor<2x8xf32> {
  %a = tt.reshape %x allow_reorder : tensor<16xf32> -> tensor<4x4xf32>
  %b = tt.reshape %a : tensor<4x4xf32> -> tensor<2x8xf32>
  tt.return %b : tensor<2x8xf32>
}

// -----

// CHECK-LABEL: @there_and_back
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x8xf32>
// CHECK-NEXT:  tt.return %[[X]]
tt.func @there_and_back(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  %u = tt.trans %t {order = array<i32: 1, 0>} : tensor<8x4xf32> -> tensor<4x8xf32>
  tt.return %u : tensor<4x8xf32>
}

// -----

// trans of trans composes the way round that matters: the orders here are no involutions.
// CHECK-LABEL: @rotations
// CHECK-NEXT:  tt.trans %{{.*}} {order = array<i32: 2, 0, 1>} : tensor<2x4x8xf32> -> tensor<8x2x4xf32>
tt.func @rotations(%x: tensor<2x4x8xf32>) -> tensor<8x2x4xf32> {
  %t = tt.trans %x {order = array<i32: 1, 2, 0>} : tensor<2x4x8xf32> -> tensor<4x8x2xf32>
  %u = tt.trans %t {order = array<i32: 1, 2, 0>} : tensor<4x8x2xf32> -> tensor<8x2x4xf32>
  tt.return %u : tensor<8x2x4xf32>
}

// -----

// CHECK-LABEL: @expand_before_broadcast
// CHECK-NEXT:  %[[E:.*]] = tt.expand_dims %{{.*}} {axis = 0 : i32} : tensor<4x1xf32> -> tensor<1x4x1xf32>
// CHECK-NEXT:  tt.broadcast %[[E]] : tensor<1x4x1xf32> -> tensor<1x4x8xf32>
tt.func @expand_before_broadcast(%x: tensor<4x1xf32>) -> tensor<1x4x8xf32> {
  %b = tt.broadcast %x : tensor<4x1xf32> -> tensor<4x8xf32>
  %e = tt.expand_dims %b {axis = 0 : i32} : tensor<4x8xf32> -> tensor<1x4x8xf32>
  tt.return %e : tensor<1x4x8xf32>
}

// -----

// CHECK-LABEL: @broadcasts_become_one
// CHECK-NEXT:  tt.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x8xf32>
tt.func @broadcasts_become_one(%x: tensor<1x1xf32>) -> tensor<4x8xf32> {
  %a = tt.broadcast %x : tensor<1x1xf32> -> tensor<4x1xf32>
  %b = tt.broadcast %a : tensor<4x1xf32> -> tensor<4x8xf32>
  tt.return %b : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: @split_of_join
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[Y:[^:]*]]: tensor<4xf32>
// CHECK-NEXT:  tt.return %[[X]], %[[Y]]
tt.func @split_of_join(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %j = tt.join %x, %y : tensor<4xf32> -> tensor<4x2xf32>
  %a, %b = tt.split %j : tensor<4x2xf32> -> tensor<4xf32>
  tt.return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @join_of_split
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x2xf32>
// CHECK-NEXT:  tt.return %[[X]]
tt.func @join_of_split(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %a, %b = tt.split %x : tensor<4x2xf32> -> tensor<4xf32>
  %j = tt.join %a, %b : tensor<4xf32> -> tensor<4x2xf32>
  tt.return %j : tensor<4x2xf32>
}

// -----

// CHECK-LABEL: @join_of_split_swapped
// CHECK:       tt.join
tt.func @join_of_split_swapped(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %a, %b = tt.split %x : tensor<4x2xf32> -> tensor<4xf32>
  %j = tt.join %b, %a : tensor<4xf32> -> tensor<4x2xf32>
  tt.return %j : tensor<4x2xf32>
}

// -----

// CHECK-LABEL: @no_step
// CHECK-SAME:    %[[P:[^:]*]]: tensor<4x!tt.ptr<f32>>
// CHECK-NEXT:  tt.return %[[P]]
tt.func @no_step(%p: tensor<4x!tt.ptr<f32>>) -> tensor<4x!tt.ptr<f32>> {
  %zero = arith.constant dense<0> : tensor<4xi32>
  %q = tt.addptr %p, %zero : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  tt.return %q : tensor<4x!tt.ptr<f32>>
}

// -----

// CHECK-LABEL: @constant_steps
// CHECK-NEXT:  %[[C:.*]] = arith.constant 5 : i32
// CHECK-NEXT:  tt.addptr %{{.*}}, %[[C]] : !tt.ptr<f32>, i32
tt.func @constant_steps(%p: !tt.ptr<f32>) -> !tt.ptr<f32> {
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %q = tt.addptr %p, %two : !tt.ptr<f32>, i32
  %r = tt.addptr %q, %three : !tt.ptr<f32>, i32
  tt.return %r : !tt.ptr<f32>
}

// -----

// The sum does not fit: two steps go further than one i32 can say.
// CHECK-LABEL: @large_steps
// CHECK-COUNT-2: tt.addptr
tt.func @large_steps(%p: !tt.ptr<f32>) -> !tt.ptr<f32> {
  %far = arith.constant 2147483647 : i32
  %q = tt.addptr %p, %far : !tt.ptr<f32>, i32
  %r = tt.addptr %q, %far : !tt.ptr<f32>, i32
  tt.return %r : !tt.ptr<f32>
}

// -----

// CHECK-LABEL: @all_true
// CHECK-NEXT:  %[[V:.*]] = tt.load %{{[^,]*}} cacheModifier = cg : tensor<4x!tt.ptr<f32>>
// CHECK-NEXT:  tt.store %{{[^,]*}}, %[[V]] : tensor<4x!tt.ptr<f32>>
tt.func @all_true(%p: tensor<4x!tt.ptr<f32>>, %x: tensor<4xf32>) {
  %m = arith.constant dense<true> : tensor<4xi1>
  %v = tt.load %p, %m, %x cacheModifier = cg : tensor<4x!tt.ptr<f32>>
  tt.store %p, %v, %m : tensor<4x!tt.ptr<f32>>
  tt.return
}

// -----

// CHECK-LABEL: @all_false
// CHECK-SAME:    %{{[^:]*}}: tensor<4x!tt.ptr<f32>>, %[[X:[^:]*]]: tensor<4xf32>
// CHECK-NEXT:  tt.return %[[X]]
tt.func @all_false(%p: tensor<4x!tt.ptr<f32>>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %m = arith.constant dense<false> : tensor<4xi1>
  %v = tt.load %p, %m, %x : tensor<4x!tt.ptr<f32>>
  tt.store %p, %v, %m : tensor<4x!tt.ptr<f32>>
  tt.return %v : tensor<4xf32>
}

// -----

// CHECK-LABEL: @some_true
// CHECK:       tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x!tt.ptr<f32>>
tt.func @some_true(%p: tensor<2x!tt.ptr<f32>>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %m = arith.constant dense<[true, false]> : tensor<2xi1>
  %v = tt.load %p, %m, %x : tensor<2x!tt.ptr<f32>>
  tt.return %v : tensor<2xf32>
}

// -----

// CHECK-LABEL: @unused
// CHECK-NEXT:  tt.load %{{.*}} {isVolatile = true}
// CHECK-NEXT:  tt.extern_elementwise
// CHECK-NEXT:  tt.return
tt.func @unused(%p: !tt.ptr<f32>, %x: f32) {
  %plain = tt.load %p : !tt.ptr<f32>
  %volatile = tt.load %p {isVolatile = true} : !tt.ptr<f32>
  %pure = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "f"} : (f32) -> f32
  %impure = tt.extern_elementwise %x {libname = "", libpath = "", pure = false, symbol = "f"} : (f32) -> f32
  tt.return
}

// -----

// CHECK-LABEL: @casts
// CHECK-SAME:    %[[P:[^:]*]]: !tt.ptr<f32>, %[[I:[^:]*]]: i64, %[[F:[^:]*]]: f32
// CHECK-NEXT:  tt.return %[[P]], %[[I]], %[[F]]
tt.func @casts(%p: !tt.ptr<f32>, %i: i64, %f: f32) -> (!tt.ptr<f32>, i64, f32) {
  %a = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  %q = tt.int_to_ptr %a : i64 -> !tt.ptr<f32>
  %r = tt.int_to_ptr %i : i64 -> !tt.ptr<f32>
  %j = tt.ptr_to_int %r : !tt.ptr<f32> -> i64
  %g = tt.bitcast %f : f32 -> i32
  %h = tt.bitcast %g : i32 -> f32
  tt.return %q, %j, %h : !tt.ptr<f32>, i64, f32
}

// -----

// CHECK-LABEL: @constant_casts
// CHECK-DAG:   arith.constant 1065353216 : i32
// CHECK-DAG:   arith.constant dense<1.000000e+00> : tensor<4xf16>
// CHECK-NOT:   tt.bitcast
// CHECK:       tt.fp_to_fp %{{.*}}, rounding = rtne : tensor<4xf32> -> tensor<4xf8E5M2>
tt.func @constant_casts() -> (i32, tensor<4xf16>, tensor<4xf8E5M2>) {
  %x = arith.constant 1.0 : f32
  %b = tt.bitcast %x : f32 -> i32
  %y = arith.constant dense<1.0> : tensor<4xf32>
  %h = tt.fp_to_fp %y, rounding = rtne : tensor<4xf32> -> tensor<4xf16>
  %q = tt.fp_to_fp %y, rounding = rtne : tensor<4xf32> -> tensor<4xf8E5M2>
  tt.return %b, %h, %q : i32, tensor<4xf16>, tensor<4xf8E5M2>
}

// -----

// CHECK-LABEL: @high_halves
// CHECK:       %[[C:.*]] = arith.constant dense<1> : tensor<4xi32>
// CHECK-NEXT:  tt.return %[[C]]
tt.func @high_halves() -> tensor<4xi32> {
  %x = arith.constant dense<65536> : tensor<4xi32>
  %r = tt.mulhiui %x, %x : tensor<4xi32>
  tt.return %r : tensor<4xi32>
}
