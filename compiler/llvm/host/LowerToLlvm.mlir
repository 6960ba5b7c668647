// RUN: triton-opt %s --host-lower-to-llvm --split-input-file | FileCheck %s

// Loops, vectors, arithmetic and addresses go down together.
// CHECK-LABEL: llvm.func @scale(
// CHECK:         llvm.br
// CHECK:         llvm.cond_br
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK:         llvm.fmul
// CHECK-NOT:     scf.
// CHECK-NOT:     unrealized_conversion_cast
func.func @scale(%p: !llvm.ptr, %n: i64, %a: f32) {
  %zero = arith.constant 0 : i64
  %step = arith.constant 8 : i64
  %s = vector.broadcast %a : f32 to vector<8xf32>
  scf.for %i = %zero to %n step %step : i64 {
    %q = llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %v = llvm.load %q : !llvm.ptr -> vector<8xf32>
    %r = arith.mulf %v, %s : vector<8xf32>
    llvm.store %r, %q : vector<8xf32>, !llvm.ptr
  }
  return
}

// -----

// CHECK-LABEL: llvm.func @lanes(
// CHECK-NOT:     {{ vector}}.
// CHECK-NOT:     {{ arith}}.
// CHECK:         llvm.return
func.func @lanes(%x: vector<4xf32>, %y: vector<4xf32>, %n: index, %m: i64) -> (f32, vector<8xf32>, vector<4xi1>, i64) {
  %sum = vector.reduction <add>, %x : vector<4xf32> into f32
  %both = vector.interleave %x, %y : vector<4xf32> -> vector<8xf32>
  %mask = vector.create_mask %n : vector<4xi1>
  %seven = arith.constant 7 : i64
  %up = arith.ceildivsi %m, %seven : i64
  return %sum, %both, %mask, %up : f32, vector<8xf32>, vector<4xi1>, i64
}

// -----

// CHECK:       #[[UNROLL:.*]] = #llvm.loop_unroll<disable = true>
// CHECK:       #[[HINT:.*]] = #llvm.loop_annotation<unroll = #[[UNROLL]]>
// CHECK-LABEL: llvm.func @keeps_its_hint(
// CHECK:         llvm.br ^{{.*}} {loop_annotation = #[[HINT]]}
func.func @keeps_its_hint(%p: !llvm.ptr, %n: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  scf.for %i = %zero to %n step %one : i64 {
    llvm.store %i, %p : i64, !llvm.ptr
  } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
  return
}
