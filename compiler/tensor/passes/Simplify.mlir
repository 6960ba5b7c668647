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

// -----

// Of a deep nest one branch is left.
// CHECK-LABEL: @returns
// CHECK-COUNT-33: arith.cmpi sgt
// CHECK:       scf.if
// CHECK-NEXT:    tt.store
// CHECK-NOT:   scf.if
tt.func public @returns(%p: !tt.ptr<i32>, %n: i32, %m: i32) {
%k0 = arith.constant 0 : i32
%c0 = arith.cmpi sgt, %n, %k0 : i32
scf.if %c0 {
%k1 = arith.constant 1 : i32
%c1 = arith.cmpi sgt, %n, %k1 : i32
scf.if %c1 {
%k2 = arith.constant 2 : i32
%c2 = arith.cmpi sgt, %n, %k2 : i32
scf.if %c2 {
%k3 = arith.constant 3 : i32
%c3 = arith.cmpi sgt, %n, %k3 : i32
scf.if %c3 {
%k4 = arith.constant 4 : i32
%c4 = arith.cmpi sgt, %n, %k4 : i32
scf.if %c4 {
%k5 = arith.constant 5 : i32
%c5 = arith.cmpi sgt, %n, %k5 : i32
scf.if %c5 {
%k6 = arith.constant 6 : i32
%c6 = arith.cmpi sgt, %n, %k6 : i32
scf.if %c6 {
%k7 = arith.constant 7 : i32
%c7 = arith.cmpi sgt, %n, %k7 : i32
scf.if %c7 {
%k8 = arith.constant 8 : i32
%c8 = arith.cmpi sgt, %n, %k8 : i32
scf.if %c8 {
%k9 = arith.constant 9 : i32
%c9 = arith.cmpi sgt, %n, %k9 : i32
scf.if %c9 {
%k10 = arith.constant 10 : i32
%c10 = arith.cmpi sgt, %n, %k10 : i32
scf.if %c10 {
%k11 = arith.constant 11 : i32
%c11 = arith.cmpi sgt, %n, %k11 : i32
scf.if %c11 {
%k12 = arith.constant 12 : i32
%c12 = arith.cmpi sgt, %n, %k12 : i32
scf.if %c12 {
%k13 = arith.constant 13 : i32
%c13 = arith.cmpi sgt, %n, %k13 : i32
scf.if %c13 {
%k14 = arith.constant 14 : i32
%c14 = arith.cmpi sgt, %n, %k14 : i32
scf.if %c14 {
%k15 = arith.constant 15 : i32
%c15 = arith.cmpi sgt, %n, %k15 : i32
scf.if %c15 {
%k16 = arith.constant 16 : i32
%c16 = arith.cmpi sgt, %n, %k16 : i32
scf.if %c16 {
%k17 = arith.constant 17 : i32
%c17 = arith.cmpi sgt, %n, %k17 : i32
scf.if %c17 {
%k18 = arith.constant 18 : i32
%c18 = arith.cmpi sgt, %n, %k18 : i32
scf.if %c18 {
%k19 = arith.constant 19 : i32
%c19 = arith.cmpi sgt, %n, %k19 : i32
scf.if %c19 {
%k20 = arith.constant 20 : i32
%c20 = arith.cmpi sgt, %n, %k20 : i32
scf.if %c20 {
%k21 = arith.constant 21 : i32
%c21 = arith.cmpi sgt, %n, %k21 : i32
scf.if %c21 {
%k22 = arith.constant 22 : i32
%c22 = arith.cmpi sgt, %n, %k22 : i32
scf.if %c22 {
%k23 = arith.constant 23 : i32
%c23 = arith.cmpi sgt, %n, %k23 : i32
scf.if %c23 {
%k24 = arith.constant 24 : i32
%c24 = arith.cmpi sgt, %n, %k24 : i32
scf.if %c24 {
%k25 = arith.constant 25 : i32
%c25 = arith.cmpi sgt, %n, %k25 : i32
scf.if %c25 {
%k26 = arith.constant 26 : i32
%c26 = arith.cmpi sgt, %n, %k26 : i32
scf.if %c26 {
%k27 = arith.constant 27 : i32
%c27 = arith.cmpi sgt, %n, %k27 : i32
scf.if %c27 {
%k28 = arith.constant 28 : i32
%c28 = arith.cmpi sgt, %n, %k28 : i32
scf.if %c28 {
%k29 = arith.constant 29 : i32
%c29 = arith.cmpi sgt, %n, %k29 : i32
scf.if %c29 {
%k30 = arith.constant 30 : i32
%c30 = arith.cmpi sgt, %n, %k30 : i32
scf.if %c30 {
%k31 = arith.constant 31 : i32
%c31 = arith.cmpi sgt, %n, %k31 : i32
scf.if %c31 {
%k32 = arith.constant 32 : i32
%c32 = arith.cmpi sgt, %n, %k32 : i32
scf.if %c32 {
tt.store %p, %n : !tt.ptr<i32>
} } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } } 
tt.return
}
