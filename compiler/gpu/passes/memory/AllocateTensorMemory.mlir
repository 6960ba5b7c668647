// RUN: triton-opt %s --split-input-file --gpu-allocate-tensor-memory --verify-diagnostics | FileCheck %s

#rows = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#narrow = #ttng.tensor_memory_encoding<blockM = 128, blockN = 16, colStride = 1>
// 128 + 128 + 8 columns are in use at a time: the next power of two.
// CHECK: ttg.tensor_memory_size = 512
module attributes {"ttg.num-warps" = 4 : i32} {
  // CHECK-LABEL: @lives
  tt.func public @lives(%x: tensor<128x128xf32, #rows>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    // Used in the loop: alive as long as it is.
    // CHECK: ttng.tmem_alloc %{{.*}}tensor_memory_col_offset = 0 : i32
    %a = ttng.tmem_alloc %x : (tensor<128x128xf32, #rows>) -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
    // Half a column of cells for an element of 16 bits.
    // CHECK: ttng.tmem_alloc {tensor_memory_col_offset = 256 : i32}
    %h = ttng.tmem_alloc : () -> !ttg.memdesc<128x16xf16, #narrow, #ttng.tensor_memory, mutable>
    scf.for %i = %c0 to %n step %c1 : i32 {
      // CHECK: ttng.tmem_alloc %{{.*}}tensor_memory_col_offset = 128 : i32
      %b = ttng.tmem_alloc %x : (tensor<128x128xf32, #rows>) -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
      %y = ttng.tmem_load %b : !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x128xf32, #rows>
      // CHECK: ttng.tmem_alloc %{{.*}}tensor_memory_col_offset = 128 : i32
      %c = ttng.tmem_alloc %y : (tensor<128x128xf32, #rows>) -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
      %z = ttng.tmem_load %c : !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x128xf32, #rows>
      ttng.tmem_store %z, %a, %true : tensor<128x128xf32, #rows> -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
      %view = ttng.tmem_subslice %h {N = 0 : i32} : !ttg.memdesc<128x16xf16, #narrow, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x16xf16, #narrow, #ttng.tensor_memory, mutable>
    }
    tt.return
  }
}

// -----

// Nothing there: nothing is said.
// CHECK-LABEL: module attributes {"ttg.num-warps" = 4 : i32} {
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @none() {
    tt.return
  }
}

// -----

#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 256, colStride = 1>
module attributes {"ttg.num-warps" = 4 : i32} {
  // expected-error @below {{out of resource: tensor memory, Required: 768, Hardware limit: 512. Reducing}}
  tt.func public @too_much() {
    %a = ttng.tmem_alloc : () -> !ttg.memdesc<3x128x256xf16, #tmem, #ttng.tensor_memory, mutable>
    %b = ttng.tmem_alloc : () -> !ttg.memdesc<3x128x256xf16, #tmem, #ttng.tensor_memory, mutable>
    %c0 = arith.constant 0 : i32
    %x = ttg.memdesc_index %a[%c0] : !ttg.memdesc<3x128x256xf16, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x256xf16, #tmem, #ttng.tensor_memory, mutable>
    %y = ttg.memdesc_index %b[%c0] : !ttg.memdesc<3x128x256xf16, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x256xf16, #tmem, #ttng.tensor_memory, mutable>
    tt.return
  }
}

// -----

#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func private @called() {
    // expected-error @below {{only kernels have tensor memory, 'called' is a function that is called}}
    %a = ttng.tmem_alloc : () -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    tt.return
  }
}
