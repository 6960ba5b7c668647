// RUN: triton-opt %s --tensor-simplify --split-input-file | FileCheck %s

// CHECK-LABEL: @far_apart
// CHECK-DAG:   %[[LOW:.*]] = arith.constant -2000000000 : i32
// CHECK-DAG:   %[[STEP:.*]] = arith.constant 1000000000 : i32
// CHECK-DAG:   %[[COUNT:.*]] = arith.constant 4 : i64
// CHECK:       scf.for %[[N:.*]] = %{{.*}} to %[[COUNT]] step %{{.*}} : i64
// CHECK:         %[[NARROW:.*]] = arith.trunci %[[N]] : i64 to i32
// CHECK:         %[[WAY:.*]] = arith.muli %[[NARROW]], %[[STEP]] : i32
// CHECK:         %[[I:.*]] = arith.addi %[[WAY]], %[[LOW]] : i32
// CHECK:         tt.store %{{.*}}, %[[I]]
tt.func @far_apart(%p: !tt.ptr<i32>) {
  %low = arith.constant -2000000000 : i32
  %high = arith.constant 2000000000 : i32
  %step = arith.constant 1000000000 : i32
  scf.for %i = %low to %high step %step : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}

// -----

// Constants that show only while simplifying.
// CHECK-LABEL: @becomes_far_apart
// CHECK:       scf.for
// CHECK:         tt.store
tt.func @becomes_far_apart(%p: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %none = arith.muli %n, %zero : i32
  %least = arith.constant -2147483648 : i32
  %largest = arith.constant 2147483647 : i32
  %low = arith.addi %none, %least : i32
  %high = arith.addi %none, %largest : i32
  %step = arith.constant 1 : i32
  scf.for %i = %low to %high step %step : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}

// -----

// Half of all numbers: as many as a signed one can say.
// CHECK-LABEL: @near
// CHECK:       scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : i32
tt.func @near(%p: !tt.ptr<i32>) {
  %low = arith.constant -1 : i32
  %high = arith.constant 2147483646 : i32
  %step = arith.constant 1 : i32
  scf.for %i = %low to %high step %step : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}

// -----

// CHECK-LABEL: @empty
// CHECK-NOT:   scf.for
tt.func @empty(%p: !tt.ptr<i32>) {
  %low = arith.constant 2000000000 : i32
  %high = arith.constant -2000000000 : i32
  %step = arith.constant 1 : i32
  scf.for %i = %low to %high step %step : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}
