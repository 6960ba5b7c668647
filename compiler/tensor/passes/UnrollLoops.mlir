// RUN: triton-opt %s --tensor-unroll-loops --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @leftover
// CHECK:       scf.for
// CHECK:         tt.store
// CHECK:         tt.store
// CHECK:       scf.for
// CHECK:         tt.store
// CHECK-NOT:     tt.store
// CHECK-NOT:   tt.loop_unroll_factor
tt.func @leftover(%p: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return
}

// -----

// CHECK-LABEL: @carried
// CHECK:       scf.for {{.*}} iter_args
// CHECK:         arith.addi
// CHECK:         arith.addi
// CHECK-NOT:   scf.for
tt.func @carried(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = arith.constant 8 : i32
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %x) -> (i32) : i32 {
    %sum = arith.addi %acc, %i : i32
    scf.yield %sum : i32
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return %r : i32
}

// -----

// CHECK-LABEL: @factor_one
// CHECK:       scf.for
// CHECK:         tt.store
// CHECK-NOT:     tt.store
tt.func @factor_one(%p: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 1 : i32}
  tt.return
}

// -----

// CHECK-LABEL: @far_too_often
// CHECK:       scf.for
// CHECK-COUNT-512: tt.store
// CHECK:       scf.for
// CHECK:         tt.store
// CHECK-NOT:     tt.store
tt.func @far_too_often(%p: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 1000000 : i32}
  tt.return
}

// -----

// No bound is a constant: the loop counts its iterations, since twice its step, or the distance of its bounds, might wrap.
// CHECK-LABEL: @counted
// CHECK-SAME:  %[[P:.*]]: !tt.ptr<i32>, %[[LOW:.*]]: i32, %[[HIGH:.*]]: i32
// CHECK:       %[[RUNS:.*]] = arith.cmpi slt, %[[LOW]], %[[HIGH]] : i32
// CHECK:       %[[DISTANCE:.*]] = arith.subi %[[HIGH]], %[[LOW]] : i32
// CHECK:       arith.divui
// CHECK:       %[[WIDE:.*]] = arith.extui %{{.*}} : i32 to i64
// CHECK:       %[[COUNT:.*]] = arith.select %[[RUNS]], %[[WIDE]], %{{.*}} : i64
// CHECK:       %[[EVEN:.*]] = arith.subi %[[COUNT]], %{{.*}} : i64
// CHECK:       scf.for %{{.*}} = %{{.*}} to %[[EVEN]] step %{{.*}} : i64
// CHECK:       scf.for %{{.*}} = %[[EVEN]] to %[[COUNT]] step %{{.*}} : i64
tt.func @counted(%p: !tt.ptr<i32>, %low: i32, %high: i32) {
  %step = arith.constant 1610612736 : i32
  scf.for %i = %low to %high step %step : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return
}
