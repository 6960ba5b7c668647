// RUN: triton-opt %s --tensor-scalarize-carried-pointers --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @pointers
// CHECK-SAME:    %[[START:[^:]*]]: tensor<128x!tt.ptr<f32>>, %[[STEP:[^:]*]]: i32
// CHECK:       %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK:       %[[END:.*]] = scf.for {{.*}} iter_args(%[[D:.*]] = %[[ZERO]]) -> (i64)
// CHECK:         %[[S:.*]] = tt.splat %[[D]]
// CHECK:         %[[P:.*]] = tt.addptr %[[START]], %[[S]]
// CHECK:         tt.store %[[P]]
// CHECK:         %[[WIDE:.*]] = arith.extsi %[[STEP]] : i32 to i64
// CHECK:         %[[NEXT:.*]] = arith.addi %[[D]], %[[WIDE]] : i64
// CHECK:         scf.yield %[[NEXT]] : i64
// CHECK:       %[[LAST:.*]] = tt.splat %[[END]]
// CHECK:       tt.addptr %[[START]], %[[LAST]]
tt.func @pointers(%start: tensor<128x!tt.ptr<f32>>, %step: i32, %x: tensor<128xf32>, %lo: i32, %hi: i32, %one: i32) -> tensor<128x!tt.ptr<f32>> {
  %t = tt.splat %step : i32 -> tensor<128xi32>
  %r = scf.for %i = %lo to %hi step %one iter_args(%p = %start) -> (tensor<128x!tt.ptr<f32>>) : i32 {
    tt.store %p, %x : tensor<128x!tt.ptr<f32>>
    %next = tt.addptr %p, %t : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    scf.yield %next : tensor<128x!tt.ptr<f32>>
  }
  tt.return %r : tensor<128x!tt.ptr<f32>>
}

// -----

// CHECK-LABEL: @integers
// CHECK:       scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (i32)
tt.func @integers(%p: tensor<128x!tt.ptr<i32>>, %start: tensor<128xi32>, %lo: i32, %hi: i32, %one: i32) {
  %c = arith.constant dense<128> : tensor<128xi32>
  %r = scf.for %i = %lo to %hi step %one iter_args(%x = %start) -> (tensor<128xi32>) : i32 {
    tt.store %p, %x : tensor<128x!tt.ptr<i32>>
    %next = arith.addi %x, %c : tensor<128xi32>
    scf.yield %next : tensor<128xi32>
  }
  tt.return
}

// -----

// CHECK-LABEL: @nested
// CHECK:       scf.for {{.*}} -> (i64)
// CHECK:         scf.for {{.*}} -> (i64)
tt.func @nested(%start: tensor<128x!tt.ptr<f32>>, %x: tensor<128xf32>, %lo: i32, %hi: i32, %one: i32) {
  %c = arith.constant dense<128> : tensor<128xi32>
  %r = scf.for %i = %lo to %hi step %one iter_args(%p = %start) -> (tensor<128x!tt.ptr<f32>>) : i32 {
    %s = scf.for %j = %lo to %hi step %one iter_args(%q = %p) -> (tensor<128x!tt.ptr<f32>>) : i32 {
      tt.store %q, %x : tensor<128x!tt.ptr<f32>>
      %next = tt.addptr %q, %c : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
      scf.yield %next : tensor<128x!tt.ptr<f32>>
    }
    scf.yield %s : tensor<128x!tt.ptr<f32>>
  }
  tt.return
}

// -----

// CHECK-LABEL: @step_varies_over_elements
// CHECK:       iter_args(%{{.*}} = %{{.*}}) -> (tensor<128x!tt.ptr<f32>>)
tt.func @step_varies_over_elements(%start: tensor<128x!tt.ptr<f32>>, %t: tensor<128xi32>, %x: tensor<128xf32>, %lo: i32, %hi: i32, %one: i32) {
  %r = scf.for %i = %lo to %hi step %one iter_args(%p = %start) -> (tensor<128x!tt.ptr<f32>>) : i32 {
    tt.store %p, %x : tensor<128x!tt.ptr<f32>>
    %next = tt.addptr %p, %t : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    scf.yield %next : tensor<128x!tt.ptr<f32>>
  }
  tt.return
}
