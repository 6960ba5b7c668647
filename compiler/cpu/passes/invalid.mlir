// RUN: not triton-opt %s --cpu-check-accesses 2>&1 | FileCheck %s

tt.func @descriptor(%d: !tt.tensordesc<tensor<8x8xf32>>, %i: i32) {
  // CHECK: error: 'tt.descriptor_load' op accesses memory through '!tt.tensordesc<tensor<8x8xf32>>': only pointers can be checked
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<8x8xf32>> -> tensor<8x8xf32>
  tt.return
}
