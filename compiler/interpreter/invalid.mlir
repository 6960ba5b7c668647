// What the interpreter has no meaning for is an error at the op.
// RUN: not triton-interpret %s --kernel count 4:0@4 2>&1 | FileCheck %s --check-prefix=COUNT

// COUNT: error: 'tt.descriptor_reduce' op cannot be interpreted with the kind inc
tt.func public @count(%d: !tt.tensordesc<tensor<4xi32>>) {
  %zero = arith.constant 0 : i32
  %v = arith.constant dense<1> : tensor<4xi32>
  tt.descriptor_reduce inc, %d[%zero], %v : !tt.tensordesc<tensor<4xi32>>, tensor<4xi32>
  tt.return
}
