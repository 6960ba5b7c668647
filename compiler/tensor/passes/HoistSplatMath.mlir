// RUN: triton-opt %s --tensor-hoist-splat-math --split-input-file | FileCheck %s

// CHECK-LABEL: @two_splats
// CHECK:       %[[SUM:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
// CHECK:       tt.splat %[[SUM]] : f32 -> tensor<128xf32>
tt.func @two_splats(%x: f32, %y: f32) -> tensor<128xf32> {
  %a = tt.splat %x : f32 -> tensor<128xf32>
  %b = tt.splat %y : f32 -> tensor<128xf32>
  %c = arith.addf %a, %b : tensor<128xf32>
  tt.return %c : tensor<128xf32>
}

// -----

// CHECK-LABEL: @splat_and_constant
// CHECK:       arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK:       tt.splat %{{.*}} : i1 -> tensor<128xi1>
tt.func @splat_and_constant(%x: i32) -> tensor<128xi1> {
  %a = tt.splat %x : i32 -> tensor<128xi32>
  %b = arith.constant dense<7> : tensor<128xi32>
  %c = arith.cmpi slt, %a, %b : tensor<128xi32>
  tt.return %c : tensor<128xi1>
}

// -----

// CHECK-LABEL: @one_shape_broadcast
// CHECK:       arith.muli %{{.*}} : tensor<64x1xi32>
// CHECK:       tt.broadcast %{{.*}} : tensor<64x1xi32> -> tensor<64x32xi32>
tt.func @one_shape_broadcast(%x: tensor<64x1xi32>, %s: i32) -> tensor<64x32xi32> {
  %a = tt.broadcast %x : tensor<64x1xi32> -> tensor<64x32xi32>
  %b = tt.splat %s : i32 -> tensor<64x32xi32>
  %c = arith.muli %a, %b : tensor<64x32xi32>
  tt.return %c : tensor<64x32xi32>
}

// -----

// CHECK-LABEL: @two_shapes_broadcast
// CHECK:       arith.addi %{{.*}} : tensor<64x32xi32>
tt.func @two_shapes_broadcast(%x: tensor<64x1xi32>, %y: tensor<1x32xi32>) -> tensor<64x32xi32> {
  %a = tt.broadcast %x : tensor<64x1xi32> -> tensor<64x32xi32>
  %b = tt.broadcast %y : tensor<1x32xi32> -> tensor<64x32xi32>
  %c = arith.addi %a, %b : tensor<64x32xi32>
  tt.return %c : tensor<64x32xi32>
}

// -----

// CHECK-LABEL: @one_varying_operand
// CHECK:       arith.addf %{{.*}} : tensor<128xf32>
tt.func @one_varying_operand(%x: f32, %y: tensor<128xf32>) -> tensor<128xf32> {
  %a = tt.splat %x : f32 -> tensor<128xf32>
  %c = arith.addf %a, %y : tensor<128xf32>
  tt.return %c : tensor<128xf32>
}

// -----

// CHECK-LABEL: @step_joins_the_base
// CHECK:       %[[P:.*]] = tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f32>, i32
// CHECK:       %[[S:.*]] = tt.splat %[[P]]
// CHECK:       tt.addptr %[[S]], %{{.*}} : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
tt.func @step_joins_the_base(%base: !tt.ptr<f32>, %offsets: tensor<128xi32>, %step: i32) -> tensor<128x!tt.ptr<f32>> {
  %s = tt.splat %base : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %s, %offsets : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %t = tt.splat %step : i32 -> tensor<128xi32>
  %q = tt.addptr %p, %t : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.return %q : tensor<128x!tt.ptr<f32>>
}

// -----

// CHECK-LABEL: @sums_join
// CHECK:       %[[U:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK:       %[[S:.*]] = tt.splat %[[U]]
// CHECK:       arith.addi %{{.*}}, %[[S]] : tensor<128xi32>
tt.func @sums_join(%x: tensor<128xi32>, %a: i32, %b: i32) -> tensor<128xi32> {
  %s = tt.splat %a : i32 -> tensor<128xi32>
  %t = tt.splat %b : i32 -> tensor<128xi32>
  %p = arith.addi %s, %x : tensor<128xi32>
  %q = arith.addi %p, %t : tensor<128xi32>
  tt.return %q : tensor<128xi32>
}

// -----

// A hint speaks of a tensor's dimensions: it stays with the tensor, and the scalar has none.
// CHECK-LABEL: @hint_stays_with_the_tensor
// CHECK:       %[[SUM:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK:       tt.splat %[[SUM]] {tt.divisibility = dense<16> : tensor<1xi32>}
tt.func @hint_stays_with_the_tensor(%a: i32) -> tensor<128xi32> {
  %s = tt.splat %a : i32 -> tensor<128xi32>
  %q = arith.addi %s, %s {tt.divisibility = dense<16> : tensor<1xi32>} : tensor<128xi32>
  tt.return %q : tensor<128xi32>
}

// -----

// What is promised of a sum, nobody could show of its parts.
// CHECK-LABEL: @promised_sum_is_kept
// CHECK:       %[[P:.*]] = arith.addi %{{.*}}, %{{.*}} {tt.contiguity = dense<4> : tensor<1xi32>
// CHECK:       arith.addi %[[P]], %{{.*}} : tensor<128xi32>
tt.func @promised_sum_is_kept(%x: tensor<128xi32>, %a: i32, %b: i32) -> tensor<128xi32> {
  %s = tt.splat %a : i32 -> tensor<128xi32>
  %t = tt.splat %b : i32 -> tensor<128xi32>
  %p = arith.addi %s, %x {tt.contiguity = dense<4> : tensor<1xi32>, tt.divisibility = dense<4> : tensor<1xi32>} : tensor<128xi32>
  %q = arith.addi %p, %t : tensor<128xi32>
  tt.return %q : tensor<128xi32>
}

// -----

// CHECK-LABEL: @promise_about_the_result
// CHECK:       arith.addi %{{.*}}, %{{.*}} : i32
// CHECK:       arith.addi %{{.*}}, %{{.*}} {tt.contiguity = dense<4> : tensor<1xi32>}
tt.func @promise_about_the_result(%x: tensor<128xi32>, %a: i32, %b: i32) -> tensor<128xi32> {
  %s = tt.splat %a : i32 -> tensor<128xi32>
  %t = tt.splat %b : i32 -> tensor<128xi32>
  %p = arith.addi %s, %x : tensor<128xi32>
  %q = arith.addi %p, %t {tt.contiguity = dense<4> : tensor<1xi32>} : tensor<128xi32>
  tt.return %q : tensor<128xi32>
}
