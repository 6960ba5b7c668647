// RUN: triton-opt %s --inline="default-pipeline=" --split-input-file | FileCheck %s

// CHECK-LABEL: tt.func public @into_a_loop
// CHECK:       scf.for
// CHECK:         arith.addi
// CHECK-NOT:     tt.call
// CHECK-NOT:   @twice
tt.func public @into_a_loop(%p: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %x = tt.call @twice(%i) : (i32) -> i32
    tt.store %p, %x : !tt.ptr<i32>
  }
  tt.return
}
tt.func private @twice(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  tt.return %0 : i32
}

// -----

// CHECK-LABEL: @calls_noinline
// CHECK:       tt.call @kept
tt.func public @calls_noinline(%x: i32) -> i32 {
  %0 = tt.call @kept(%x) : (i32) -> i32
  tt.return %0 : i32
}
// CHECK: tt.func private @kept
tt.func private @kept(%x: i32) -> i32 attributes {noinline = true} {
  tt.return %x : i32
}

// -----

// Blocks do not fit into the branch of an scf.if.
// CHECK-LABEL: @several_blocks_into_one
// CHECK:       scf.if
// CHECK:         tt.call @branches
tt.func public @several_blocks_into_one(%c: i1, %p: !tt.ptr<i32>) {
  scf.if %c {
    tt.call @branches(%c, %p) : (i1, !tt.ptr<i32>) -> ()
  }
  tt.return
}
tt.func private @branches(%c: i1, %p: !tt.ptr<i32>) {
  cf.cond_br %c, ^a, ^b
^a:
  %one = arith.constant 1 : i32
  tt.store %p, %one : !tt.ptr<i32>
  cf.br ^b
^b:
  tt.return
}

// -----

// CHECK-LABEL: @several_blocks_into_a_function
// CHECK-NOT:   tt.call
// CHECK:       cf.cond_br
tt.func public @several_blocks_into_a_function(%c: i1, %p: !tt.ptr<i32>) {
  tt.call @branches(%c, %p) : (i1, !tt.ptr<i32>) -> ()
  tt.return
}
tt.func private @branches(%c: i1, %p: !tt.ptr<i32>) {
  cf.cond_br %c, ^a, ^b
^a:
  %one = arith.constant 1 : i32
  tt.store %p, %one : !tt.ptr<i32>
  cf.br ^b
^b:
  tt.return
}

// -----

// CHECK-LABEL: @assumption
// CHECK:       llvm.intr.assume
// CHECK-NOT:   tt.call
tt.func public @assumption(%x: i32) {
  tt.call @assumes(%x) : (i32) -> ()
  tt.return
}
tt.func private @assumes(%x: i32) {
  %zero = arith.constant 0 : i32
  %c = arith.cmpi sgt, %x, %zero : i32
  llvm.intr.assume %c : i1
  tt.return
}
