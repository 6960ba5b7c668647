// RUN: triton-opt %s --allow-unregistered-dialect --gpu-flatten-loops | FileCheck %s

// CHECK-LABEL: @nested
// CHECK: scf.for
// CHECK-SAME: iter_args(%[[I:.*]] = %{{.*}}, %[[J:.*]] = %{{.*}})
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[J]]
// CHECK: scf.if %[[FIRST]]
// CHECK: "before"(%[[I]])
// CHECK: "body"(%[[I]], %[[J]])
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %[[J]]
// CHECK: %[[LAST:.*]] = arith.cmpi ule, %[[LEFT]]
// CHECK: scf.if %[[LAST]]
// CHECK: "after"(%[[I]])
// CHECK-NOT: scf.for
tt.func @nested(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    "before"(%i) : (i32) -> ()
    scf.for %j = %c0 to %c4 step %c1 : i32 {
      "body"(%i, %j) : (i32, i32) -> ()
    }
    "after"(%i) : (i32) -> ()
  } {tt.flatten}
  tt.return
}

// Bounds that are computed from the outer counter: a first loop adds up how often the inner one runs.
// CHECK-LABEL: @triangle
// CHECK: %[[TOTAL:.*]] = scf.for %[[K:.*]] = %{{.*}} to %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}})
// CHECK: muli %[[K]]
// CHECK: %[[TRIPS:.*]] = arith.maxsi
// CHECK: arith.addi %[[SUM]], %[[TRIPS]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[TOTAL]] {{.*}} iter_args(%[[I:.*]] = %{{.*}}, %[[J:.*]] = %{{.*}})
// CHECK: %[[LOW:.*]] = arith.muli %[[I]]
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[J]], %[[LOW]]
// CHECK: "body"(%[[I]], %[[J]])
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]]
// CHECK: %[[LOWER:.*]] = arith.muli %[[NEXT]]
// CHECK: arith.select %{{.*}}, %[[LOWER]]
// CHECK-NOT: scf.for
tt.func @triangle(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %low = arith.muli %i, %c2 : i32
    %end = arith.addi %low, %i : i32
    "before"(%i) : (i32) -> ()
    scf.for %j = %low to %end step %c1 : i32 {
      "body"(%i, %j) : (i32, i32) -> ()
    }
  } {tt.flatten}
  tt.return
}

// A bound that is loaded, and a loop that does not ask.
// CHECK-LABEL: @left_alone
// CHECK-COUNT-4: scf.for
tt.func @left_alone(%n: i32, %p: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %end = tt.load %p : !tt.ptr<i32>
    scf.for %j = %c0 to %end step %c1 : i32 {
      "body"(%i, %j) : (i32, i32) -> ()
    }
  } {tt.flatten}
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      "body"(%i, %j) : (i32, i32) -> ()
    }
  }
  tt.return
}

// What is carried by either loop is carried by the one; what is loaded before the inner loop too, what is only computed is computed again.
// CHECK-LABEL: @carried
// CHECK: %[[R:.*]]:5 = scf.for
// CHECK-SAME: -> (i32, i32, f32, f32, f32)
// CHECK: return %[[R]]#2
tt.func @carried(%n: i32, %p: !tt.ptr<f32>) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 : i32 {
    %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
    %x = tt.load %q : !tt.ptr<f32>
    %inner = scf.for %j = %c0 to %n step %c1 iter_args(%t = %x) -> f32 : i32 {
      %y = tt.load %q : !tt.ptr<f32>
      %u = arith.addf %t, %y : f32
      scf.yield %u : f32
    }
    %v = arith.mulf %inner, %x : f32
    %next = arith.addf %s, %v : f32
    scf.yield %next : f32
  } {tt.flatten}
  tt.return %sum : f32
}

// The outer counter itself is the inner loop's end: its trips are added up in front.
// CHECK-LABEL: @end_is_the_counter
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (i64)
// CHECK: scf.for
// CHECK-NOT: scf.for
tt.func @end_is_the_counter(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %i step %c1 : i32 {
      "body"(%i, %j) : (i32, i32) -> ()
    }
  } {tt.flatten}
  tt.return
}
