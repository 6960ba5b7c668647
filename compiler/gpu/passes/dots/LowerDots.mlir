// RUN: triton-opt %s --gpu-lower-dots | FileCheck %s
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#fma = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [4, 8], warpsPerCTA = [2, 2], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#mma8 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#left2 = #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 2}>
#right2 = #ttg.dot_op<{opIdx = 1, parent = #mma2, kWidth = 2}>

// CHECK-DAG: #[[ROWS:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: #[[COLUMNS:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
// CHECK-DAG: #[[BYTES:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: @both_in_shared_memory
tt.func @both_in_shared_memory(%a: tensor<64x64xf16, #blocked>, %b: tensor<64x64xf16, #blocked>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  // CHECK-DAG: %[[A:.*]] = ttg.local_alloc %arg0 : {{.*}} -> !ttg.memdesc<64x64xf16, #[[ROWS]], #smem>
  // CHECK-DAG: %[[B:.*]] = ttg.local_alloc %arg1 : {{.*}} -> !ttg.memdesc<64x64xf16, #[[ROWS]], #smem>
  // CHECK: ttng.fence_async_shared
  // CHECK: ttng.warp_group_dot %[[A]], %[[B]], %arg2
  %d = tt.dot %a, %b, %c : tensor<64x64xf16, #blocked> * tensor<64x64xf16, #blocked> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

// CHECK-LABEL: @order_of_the_source_is_kept
tt.func @order_of_the_source_is_kept(%a: tensor<64x64xf16, #blocked>, %b: tensor<64x64xf16, #columns>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  // CHECK: ttg.local_alloc %arg1 : {{.*}} -> !ttg.memdesc<64x64xf16, #[[COLUMNS]], #smem>
  %d = tt.dot %a, %b, %c : tensor<64x64xf16, #blocked> * tensor<64x64xf16, #columns> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

// Only 16-bit elements can lie along N.
// CHECK-LABEL: @bytes_lie_along_k
tt.func @bytes_lie_along_k(%a: tensor<64x64xi8, #blocked>, %b: tensor<64x64xi8, #blocked>, %c: tensor<64x64xi32, #mma8>) -> tensor<64x64xi32, #mma8> {
  // CHECK: ttg.local_alloc %arg1 : {{.*}} -> !ttg.memdesc<64x64xi8, #[[BYTES]], #smem>
  %d = tt.dot %a, %b, %c : tensor<64x64xi8, #blocked> * tensor<64x64xi8, #blocked> -> tensor<64x64xi32, #mma8>
  tt.return %d : tensor<64x64xi32, #mma8>
}

// CHECK-LABEL: @transposition_is_a_view
tt.func @transposition_is_a_view(%a: tensor<64x64xf16, #blocked>, %b: tensor<64x64xf16, #blocked>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  // CHECK: %[[B:.*]] = ttg.local_alloc %arg1 : {{.*}} -> !ttg.memdesc<64x64xf16, #[[ROWS]], #smem>
  // CHECK: ttg.memdesc_trans %[[B]]
  // CHECK-SAME: -> !ttg.memdesc<64x64xf16, #[[COLUMNS]], #smem>
  %t = tt.trans %b {order = array<i32: 1, 0>} : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #columns>
  %d = tt.dot %a, %t, %c : tensor<64x64xf16, #blocked> * tensor<64x64xf16, #columns> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

// CHECK-LABEL: @left_stays_in_registers
tt.func @left_stays_in_registers(%a: tensor<64x64xf16, #left>, %b: tensor<64x64xf16, #blocked>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  // CHECK-NOT: local_alloc %arg0
  // CHECK: ttng.warp_group_dot %arg0,
  %d = tt.dot %a, %b, %c : tensor<64x64xf16, #left> * tensor<64x64xf16, #blocked> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

// Registers laid out for another dot are no operand of this one.
// CHECK-LABEL: @left_of_another
tt.func @left_of_another(%a: tensor<64x64xf16, #right2>, %b: tensor<64x64xf16, #blocked>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  // CHECK: %[[A:.*]] = ttg.local_alloc %arg0
  // CHECK: ttng.warp_group_dot %[[A]],
  %d = tt.dot %a, %b, %c : tensor<64x64xf16, #right2> * tensor<64x64xf16, #blocked> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

// CHECK-LABEL: @stored_before_the_loop
tt.func @stored_before_the_loop(%a: tensor<64x64xf16, #blocked>, %b: tensor<64x64xf16, #blocked>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // CHECK: ttg.local_alloc
  // CHECK: ttg.local_alloc
  // CHECK: scf.for
  // CHECK-NOT: local_alloc
  // CHECK: ttng.warp_group_dot
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
    %d = tt.dot %a, %b, %acc : tensor<64x64xf16, #blocked> * tensor<64x64xf16, #blocked> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// CHECK-LABEL: @warps_multiply_from_registers
tt.func @warps_multiply_from_registers(%a: tensor<64x64xf16, #left2>, %b: tensor<64x64xf16, #right2>, %c: tensor<64x64xf32, #mma2>) -> tensor<64x64xf32, #mma2> {
  // CHECK: tt.dot
  %d = tt.dot %a, %b, %c : tensor<64x64xf16, #left2> * tensor<64x64xf16, #right2> -> tensor<64x64xf32, #mma2>
  tt.return %d : tensor<64x64xf32, #mma2>
}

// CHECK-LABEL: @multiply_adds_a_slice_at_a_time
tt.func @multiply_adds_a_slice_at_a_time(%a: tensor<64x64xf32, #blocked>, %b: tensor<64x64xf32, #blocked>, %c: tensor<64x64xf32, #fma>) -> tensor<64x64xf32, #fma> {
  // CHECK-DAG: %[[A:.*]] = ttg.local_alloc %arg0 : {{.*}} -> !ttg.memdesc<64x64xf32, #[[ALONGM:.*]], #smem>
  // CHECK-DAG: %[[B:.*]] = ttg.local_alloc %arg1
  // CHECK: %[[A0:.*]] = ttg.memdesc_subslice %[[A]][0, 0]
  // CHECK: ttg.local_load %[[A0]]
  // CHECK: tt.dot {{.*}}, %arg2
  // CHECK: ttg.memdesc_subslice %[[A]][0, 4]
  // CHECK: tt.dot
  // CHECK-COUNT-14: tt.dot
  // CHECK-NOT: tt.dot
  %x = ttg.convert_layout %a : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #ttg.dot_op<{opIdx = 0, parent = #fma}>>
  %y = ttg.convert_layout %b : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #ttg.dot_op<{opIdx = 1, parent = #fma}>>
  %d = tt.dot %x, %y, %c : tensor<64x64xf32, #ttg.dot_op<{opIdx = 0, parent = #fma}>> * tensor<64x64xf32, #ttg.dot_op<{opIdx = 1, parent = #fma}>> -> tensor<64x64xf32, #fma>
  tt.return %d : tensor<64x64xf32, #fma>
}

}
