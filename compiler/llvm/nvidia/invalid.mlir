// What has no code says so, at its place, and nothing ends the process.
// RUN: split-file %s %t
// RUN: not triton-ptx %t/operand.mlir 2>&1 | FileCheck %t/operand.mlir
// RUN: not triton-ptx %t/constraint.mlir 2>&1 | FileCheck %t/constraint.mlir
// RUN: not triton-ptx %t/count.mlir 2>&1 | FileCheck %t/count.mlir
// RUN: not triton-ptx %t/scratch.mlir 2>&1 | FileCheck %t/scratch.mlir
// RUN: not triton-ptx %t/block_pointer.mlir 2>&1 | FileCheck %t/block_pointer.mlir
// RUN: not triton-ptx %t/library.mlir 2>&1 | FileCheck %t/library.mlir
// RUN: not triton-ptx %t/library.mlir --ptx-version 78 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: PTX 7.8 is too old for sm_90a, which needs 8.0 or newer

//--- operand.mlir
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @operand(%x: i32) {
    // CHECK: error: {{.*}}has a '$' in its assembly that names none of its 2 operands
    %r = tt.elementwise_inline_asm "shl.b32 $0, $2, 3;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
    tt.return
  }
}

//--- constraint.mlir
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @constraint(%x: i32) {
    // CHECK: error: {{.*}}has a constraint that names no PTX register in "=q,r": expected one of b, h, r, l, f, d
    %r = tt.elementwise_inline_asm "shl.b32 $0, $1, 3;" {constraints = "=q,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
    tt.return
  }
}

//--- count.mlir
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @count(%x: i32) {
    // CHECK: error: {{.*}}has constraints "=r,r,r" for 1 outputs and 2 inputs, but its values take 1 and 1 registers
    %r = tt.elementwise_inline_asm "shl.b32 $0, $1, 3;" {constraints = "=r,r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
    tt.return
  }
}

//--- scratch.mlir
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @scratch(%p: !tt.ptr<i32>, %x: i32) {
    // CHECK: error: {{.*}}has a result that several threads need, but no shared memory was allocated for it
    %old = tt.atomic_rmw add, relaxed, gpu, %p, %x : (!tt.ptr<i32>, i32) -> i32
    tt.store %p, %old : !tt.ptr<i32>
    tt.return
  }
}

//--- block_pointer.mlir
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @block_pointer(%p: !tt.ptr<f32>, %n: i64) {
    %c0 = arith.constant 0 : i32
    // CHECK: error: the NVIDIA target has no code for 'tt.make_tensor_ptr'
    %b = tt.make_tensor_ptr %p, [%n], [%n], [%c0] {order = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
    tt.return
  }
}

//--- library.mlir
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @library(%p: !tt.ptr<f32>, %x: f32) {
    // CHECK: no library defines the function 'no_such_function'
    %r = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "no_such_function"} : (f32) -> f32
    tt.store %p, %r : !tt.ptr<f32>
    tt.return
  }
}
