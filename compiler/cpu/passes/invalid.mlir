// RUN: not triton-opt %s --cpu-check-accesses 2>&1 | FileCheck %s
// RUN: not triton-opt %s --split-input-file --cpu-lower-to-loops 2>&1 | FileCheck %s --check-prefix=LOOPS

tt.func @descriptor(%d: !tt.tensordesc<tensor<8x8xf32>>, %i: i32) {
  // CHECK: error: 'tt.descriptor_load' op accesses memory through '!tt.tensordesc<tensor<8x8xf32>>': only pointers can be checked
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<8x8xf32>> -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func @block_pointer(%p: !tt.ptr<tensor<128xf32>>) {
  // LOOPS: error: block pointers are rewritten before they are lowered to loops, got '!tt.ptr<tensor<128xf32>>'
  %x = tt.load %p : !tt.ptr<tensor<128xf32>>
  tt.return
}
