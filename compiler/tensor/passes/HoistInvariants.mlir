// RUN: triton-opt %s --tensor-hoist-invariants --split-input-file | FileCheck %s

// CHECK-LABEL: @splat_leaves
// CHECK:       tt.splat
// CHECK:       scf.for
// CHECK-NEXT:    tt.store
tt.func @splat_leaves(%p: tensor<128x!tt.ptr<f32>>, %x: f32, %lo: i32, %hi: i32, %one: i32) {
  scf.for %i = %lo to %hi step %one : i32 {
    %s = tt.splat %x : f32 -> tensor<128xf32>
    tt.store %p, %s : tensor<128x!tt.ptr<f32>>
  }
  tt.return
}

// -----

// Another program may write what a load reads.
// CHECK-LABEL: @load_stays
// CHECK:       scf.for
// CHECK-NEXT:    tt.load
tt.func @load_stays(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %lo: i32, %hi: i32, %one: i32) {
  scf.for %i = %lo to %hi step %one : i32 {
    %x = tt.load %p : !tt.ptr<f32>
    tt.store %q, %x : !tt.ptr<f32>
  }
  tt.return
}

// -----

// CHECK-LABEL: @loop_asks_to_be_left_alone
// CHECK:       scf.for
// CHECK-NEXT:    tt.splat
tt.func @loop_asks_to_be_left_alone(%p: tensor<128x!tt.ptr<f32>>, %x: f32, %lo: i32, %hi: i32, %one: i32) {
  scf.for %i = %lo to %hi step %one : i32 {
    %s = tt.splat %x : f32 -> tensor<128xf32>
    tt.store %p, %s : tensor<128x!tt.ptr<f32>>
  } {llvm.loop_annotation = #llvm.loop_annotation<licm = <disable = true>>}
  tt.return
}

// -----

// CHECK-LABEL: @carried_unchanged(
// CHECK:       tt.splat %[[X:.*]] : f32
// CHECK:       scf.for
// CHECK-NOT:   iter_args
// CHECK:       tt.return %[[X]] : f32
tt.func @carried_unchanged(%p: tensor<128x!tt.ptr<f32>>, %x: f32, %lo: i32, %hi: i32, %one: i32) -> f32 {
  %r = scf.for %i = %lo to %hi step %one iter_args(%a = %x) -> f32 : i32 {
    %s = tt.splat %a : f32 -> tensor<128xf32>
    tt.store %p, %s : tensor<128x!tt.ptr<f32>>
    scf.yield %x : f32
  }
  tt.return %r : f32
}

// -----

// CHECK-LABEL: @carried_into_the_second_iteration
// CHECK:       scf.for {{.*}} iter_args
// CHECK-NEXT:    tt.splat
tt.func @carried_into_the_second_iteration(%p: tensor<128x!tt.ptr<f32>>, %x: f32, %y: f32, %lo: i32, %hi: i32, %one: i32) {
  %r = scf.for %i = %lo to %hi step %one iter_args(%a = %x) -> f32 : i32 {
    %s = tt.splat %a : f32 -> tensor<128xf32>
    tt.store %p, %s : tensor<128x!tt.ptr<f32>>
    scf.yield %y : f32
  }
  tt.return
}
