// RUN: triton-opt %s --cpu-split-long-blocks=longest=4 | FileCheck %s

// CHECK-LABEL: func.func @kernel(
// CHECK-SAME: %[[P:.*]]: !llvm.ptr, %[[N:.*]]: i32)
// CHECK: %[[B:.*]] = call @kernel.part0(%[[N]]) : (i32) -> i32
// CHECK: %[[D:.*]] = call @kernel.part1(%[[B]], %[[N]]) : (i32, i32) -> i32
// CHECK: call @kernel.part2(%[[D]], %[[P]]) : (i32, !llvm.ptr) -> ()
// CHECK: return
// CHECK: func.func private @kernel.part2(%[[V:.*]]: i32, %[[TO:.*]]: !llvm.ptr)
// CHECK: llvm.store %[[V]], %[[TO]]
// CHECK: return
// CHECK: func.func private @kernel.part1(
// CHECK: func.func private @kernel.part0(%[[M:.*]]: i32) -> i32
// CHECK: %[[X:.*]] = arith.addi %[[M]], %[[M]]
// CHECK: %[[Y:.*]] = arith.muli %[[X]], %[[X]]
// CHECK: return %[[Y]]
func.func @kernel(%p: !llvm.ptr, %n: i32) {
  %a = arith.addi %n, %n : i32
  %b = arith.muli %a, %a : i32
  %c = arith.subi %b, %n : i32
  %d = arith.xori %c, %n : i32
  llvm.store %d, %p : i32, !llvm.ptr
  return
}

// A part ends where the least is handed over: behind the second operation it would be two values, behind the first it is one.
// CHECK-LABEL: func.func @least(
// CHECK: call @least.part0(%{{.*}}) : (i32) -> i32
// CHECK: call @least.part1(%{{.*}}, %{{.*}}) : (i32, i32) -> i32
func.func @least(%p: !llvm.ptr, %n: i32) {
  %a = arith.addi %n, %n : i32
  %b = arith.muli %a, %n : i32
  %c = arith.subi %b, %a : i32
  %d = arith.xori %c, %n : i32
  llvm.store %d, %p : i32, !llvm.ptr
  return
}

// Scratch memory stays in the function whose frame it is in; constants are repeated.
// CHECK-LABEL: func.func @scratch(
// CHECK: %[[SCRATCH:.*]] = llvm.alloca
// CHECK: call @scratch.part0(%[[SCRATCH]]) : (!llvm.ptr) -> ()
// CHECK: func.func private @scratch.part0(%[[TO:.*]]: !llvm.ptr)
// CHECK: %[[SEVEN:.*]] = arith.constant 7
// CHECK: llvm.store %[[SEVEN]], %[[TO]]
func.func @scratch() {
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %memory = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  llvm.store %seven, %memory : i32, !llvm.ptr
  llvm.store %one, %memory : i32, !llvm.ptr
  llvm.store %seven, %memory : i32, !llvm.ptr
  llvm.store %one, %memory : i32, !llvm.ptr
  llvm.store %seven, %memory : i32, !llvm.ptr
  return
}

// So is a place in scratch memory, wherever that comes from.
// CHECK-LABEL: func.func @places(
// CHECK-SAME: %[[ARENA:.*]]: !llvm.ptr)
// CHECK: call @places.part0(%[[ARENA]]) : (!llvm.ptr) -> ()
// CHECK: func.func private @places.part0(%[[TO:.*]]: !llvm.ptr)
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[TO]][64]
// CHECK: llvm.store %{{.*}}, %[[PLACE]]
func.func @places(%arena: !llvm.ptr) {
  %one = arith.constant 1 : i32
  %place = llvm.getelementptr %arena[64] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.store %one, %place : i32, !llvm.ptr
  llvm.store %one, %place : i32, !llvm.ptr
  llvm.store %one, %place : i32, !llvm.ptr
  llvm.store %one, %place : i32, !llvm.ptr
  llvm.store %one, %place : i32, !llvm.ptr
  return
}

// Inside of a loop, with what the loop carries; the loop itself is short afterwards and stays.
// CHECK-LABEL: func.func @inside(
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[S:.*]] = %{{.*}}) -> (i32)
// CHECK: %[[FIRST:.*]] = {{.*}}call @inside.part0(%[[S]], %[[I]]) : (i32, i32) -> i32
// CHECK: %[[SECOND:.*]] = {{.*}}call @inside.part1(%[[FIRST]], %[[I]]) : (i32, i32) -> i32
// CHECK: %[[THIRD:.*]] = {{.*}}call @inside.part2(%[[SECOND]], %[[I]]) : (i32, i32) -> i32
// CHECK: scf.yield %[[THIRD]]
// CHECK-NOT: scf.for
func.func @inside(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %zero to %n step %one iter_args(%s = %zero) -> (i32) : i32 {
    %a = arith.addi %s, %i : i32
    %b = arith.xori %a, %i : i32
    %c = arith.addi %b, %i : i32
    %d = arith.xori %c, %i : i32
    %e = arith.addi %d, %i : i32
    scf.yield %e : i32
  }
  return %r : i32
}

// CHECK-LABEL: func.func @short(
// CHECK-NEXT: arith.addi
// CHECK-NEXT: return
func.func @short(%n: i32) -> i32 {
  %a = arith.addi %n, %n : i32
  return %a : i32
}
