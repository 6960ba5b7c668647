// RUN: triton-opt %s --tensor-structure-control-flow --split-input-file | FileCheck %s

// CHECK-LABEL: @early_return
// CHECK:       %[[R:.*]] = scf.if %{{.*}} -> (i32)
// CHECK:         scf.yield
// CHECK:       else
// CHECK:         arith.addi
// CHECK:       tt.return %[[R]] : i32
// CHECK-NOT:   cf.
tt.func private @early_return(%c: i1, %x: i32) -> i32 {
  cf.cond_br %c, ^early, ^late
^early:
  tt.return %x : i32
^late:
  %y = arith.addi %x, %x : i32
  tt.return %y : i32
}

// -----

// CHECK-LABEL: @loop_of_blocks
// CHECK:       scf.while
// CHECK:       tt.return
tt.func @loop_of_blocks(%p: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^head(%zero : i32)
^head(%i: i32):
  tt.store %p, %i : !tt.ptr<i32>
  %next = arith.addi %i, %one : i32
  %more = arith.cmpi slt, %next, %n : i32
  cf.cond_br %more, ^head(%next : i32), ^exit
^exit:
  tt.return
}

// -----

// CHECK-LABEL: @branch_per_element
// CHECK:       tt.map_elementwise
// CHECK:       scf.if
// CHECK:       tt.map_elementwise.return
tt.func @branch_per_element(%x: tensor<64xi32>) -> tensor<64xi32> {
  %r = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%e: i32):
    %zero = arith.constant 0 : i32
    %c = arith.cmpi slt, %e, %zero : i32
    cf.cond_br %c, ^negative, ^other
  ^negative:
    tt.map_elementwise.return %zero : i32
  ^other:
    tt.map_elementwise.return %e : i32
  }) : (tensor<64xi32>) -> tensor<64xi32>
  tt.return %r : tensor<64xi32>
}

// -----

// CHECK-LABEL: @endless
// CHECK:       scf.while
tt.func @endless(%p: !tt.ptr<i32>, %x: i32) {
  cf.br ^again
^again:
  tt.store %p, %x : !tt.ptr<i32>
  cf.br ^again
}

// -----

// CHECK-LABEL: @one_block
// CHECK-NEXT:  tt.return
tt.func @one_block() {
  tt.return
}
