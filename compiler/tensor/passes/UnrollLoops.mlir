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
// CHECK-COUNT-2048: tt.store
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
