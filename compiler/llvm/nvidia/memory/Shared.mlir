// RUN: triton-opt %s --gpu-resources | triton-ptx - --arch sm_90a | FileCheck %s
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx - --arch sm_90a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx - --arch sm_100a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED: Compiling entry function

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#acc = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#lhs = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#rhs = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#padded = #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [64, 64]}>
#byte_rows = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#pairs = #ttg.linear<{register = [[2, 0], [1, 0], [0, 1], [0, 64], [16, 0], [32, 0]], lane = [[4, 0], [8, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // Both operands of a dot by ldmatrix, the right one transposed; the copy into the buffer 16 bytes at a time.
  // CHECK-LABEL: .entry operands
  tt.func public @operands(%x: tensor<64x64xf16, #rows>, %out: tensor<64x64x!tt.ptr<f16>, #lhs>, %out2: tensor<64x64x!tt.ptr<f16>, #rhs>) {
    // CHECK-COUNT-4: st.shared.v4.b32
    // CHECK: bar.sync
    // CHECK-COUNT-8: ldmatrix.sync.aligned.m8n8.x4.shared.b16
    // CHECK-NOT: ldmatrix.sync.aligned.m8n8.x4.shared.b16
    // CHECK-COUNT-8: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
    // CHECK-NOT: ld.shared
    // CHECK: ret;
    %a = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %y = ttg.local_load %a : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #lhs>
    %z = ttg.local_load %a : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #rhs>
    tt.store %out, %y : tensor<64x64x!tt.ptr<f16>, #lhs>
    tt.store %out2, %z : tensor<64x64x!tt.ptr<f16>, #rhs>
    tt.return
  }

  // CHECK-LABEL: .entry accumulator
  tt.func public @accumulator(%x: tensor<64x64xf16, #acc>, %out: tensor<64x64x!tt.ptr<f16>, #rows>) {
    // CHECK-COUNT-4: stmatrix.sync.aligned.m8n8.x4.shared.b16
    // CHECK: bar.sync
    // CHECK-COUNT-4: ld.shared.v4.b32
    // CHECK: ret;
    %a = ttg.local_alloc %x : (tensor<64x64xf16, #acc>) -> !ttg.memdesc<64x64xf16, #nvmma, #smem>
    %y = ttg.local_load %a : !ttg.memdesc<64x64xf16, #nvmma, #smem> -> tensor<64x64xf16, #rows>
    tt.store %out, %y : tensor<64x64x!tt.ptr<f16>, #rows>
    tt.return
  }

  // Views: one of three buffers, its lower half, turned round.
  // CHECK-LABEL: .entry views
  tt.func public @views(%i: i32, %out: tensor<64x32x!tt.ptr<f16>, #rows>) {
    // CHECK: shl.b32 {{.*}}, 13;
    // CHECK: ld.shared
    // CHECK: ret;
    %a = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>
    %b = ttg.memdesc_index %a[%i] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %c = ttg.memdesc_subslice %b[32, 0] : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<32x64xf16, #shared, #smem, mutable, 64x64>
    %d = ttg.memdesc_trans %c {order = array<i32: 1, 0>} : !ttg.memdesc<32x64xf16, #shared, #smem, mutable, 64x64> -> !ttg.memdesc<64x32xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>, #smem, mutable, 64x64>
    %y = ttg.local_load %d : !ttg.memdesc<64x32xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>, #smem, mutable, 64x64> -> tensor<64x32xf16, #rows>
    tt.store %out, %y : tensor<64x32x!tt.ptr<f16>, #rows>
    tt.return
  }

  // CHECK-LABEL: .entry padding
  tt.func public @padding(%x: tensor<64x64xf16, #rows>, %out: tensor<64x64x!tt.ptr<f16>, #lhs>) {
    // CHECK: st.shared.v4.b32
    // CHECK: bar.sync
    // CHECK: ldmatrix
    // CHECK: ret;
    %a = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #padded, #smem>
    %y = ttg.local_load %a : !ttg.memdesc<64x64xf16, #padded, #smem> -> tensor<64x64xf16, #lhs>
    tt.store %out, %y : tensor<64x64x!tt.ptr<f16>, #lhs>
    tt.return
  }

  // Bytes change their contiguous dimension by pairs: transposed by ldmatrix, put in order in registers, stored by stmatrix.
  // CHECK-LABEL: .entry bytes
  tt.func public @bytes(%x: tensor<64x128xi8, #byte_rows>, %out: tensor<64x128x!tt.ptr<i8>, #pairs>) {
    // CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
    // CHECK-NOT: ld.shared.b8
    // CHECK: prmt
    // CHECK: stmatrix.sync.aligned.m8n8.x4.shared.b16
    // CHECK: ret;
    %a = ttg.local_alloc %x : (tensor<64x128xi8, #byte_rows>) -> !ttg.memdesc<64x128xi8, #ttg.swizzled_shared<{vec = 16, perPhase = 2, maxPhase = 8, order = [1, 0]}>, #smem>
    %y = ttg.local_load %a : !ttg.memdesc<64x128xi8, #ttg.swizzled_shared<{vec = 16, perPhase = 2, maxPhase = 8, order = [1, 0]}>, #smem> -> tensor<64x128xi8, #pairs>
    %b = ttg.local_alloc %y : (tensor<64x128xi8, #pairs>) -> !ttg.memdesc<64x128xi8, #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>, #smem>
    %z = ttg.local_load %b : !ttg.memdesc<64x128xi8, #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>, #smem> -> tensor<64x128xi8, #pairs>
    tt.store %out, %z : tensor<64x128x!tt.ptr<i8>, #pairs>
    tt.return
  }
}
