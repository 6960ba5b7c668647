// Dots by tcgen05 as a user may write them: operands in shared and tensor memory, scales, barriers of one's own. All are assembled.
// RUN: triton-opt %s --split-input-file --gpu-resources | FileCheck %s --check-prefix=IR
// RUN: triton-opt %s --gpu-resources | triton-ptx - --arch sm_100a > %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %if ptxas %{ ptxas -arch=sm_100a %t.ptx -o %t.cubin %}
// RUN: triton-opt %s --gpu-resources | triton-ptx - --arch sm_103a > %t.103.ptx
// RUN: %if ptxas %{ ptxas -arch=sm_103a %t.103.ptx -o %t.cubin %}

#rows = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#fragments = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [16, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[32, 0], [64, 0]], block = []}>
#halves = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 32]], warp = [[16, 0], [32, 0]], block = []}>
#scaled = #ttg.linear<{register = [[0, 1], [0, 2], [32, 0], [64, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 0], [0, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bytes = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#bytesT = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>
#barrier = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
#tmem64 = #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>
#padded = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 2>
#scales = #ttng.tensor_memory_scales_encoding<>
// IR: ttg.tensor_memory_size = 256
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  // IR-LABEL: @synchronous
  // IR: ttng.tmem_alloc {tensor_memory_col_offset = 0 : i32}
  // IR: ttng.init_barrier
  // IR: ttg.barrier
  // IR: ttng.tc_gen5_mma {{.*}} {is_async}
  // IR: ttng.wait_barrier
  // IR-NEXT: ttg.barrier
  // IR-NEXT: ttng.inval_barrier
  // IR-NEXT: ttng.tmem_load

  // The address of the memory comes through shared memory; the first warp asks for it and gives it back.
  // CHECK-LABEL: .entry synchronous
  // CHECK: @%p{{[0-9]+}} tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r{{[0-9]+}}], 256;
  // CHECK: tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
  // CHECK: bar.sync
  // CHECK: tcgen05.fence::after_thread_sync;
  // CHECK: ld.shared.b32
  // 64 elements along K are four instructions, then the barrier is told.
  // CHECK: elect.sync
  // CHECK-COUNT-4: tcgen05.mma.cta_group::1.kind::f16 [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, %r{{[0-9]+}}, %p
  // CHECK-NOT: tcgen05.mma
  // CHECK: tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64
  // CHECK: mbarrier.try_wait.parity
  // CHECK: tcgen05.fence::after_thread_sync;
  // CHECK: tcgen05.ld.sync.aligned.32x32b.x64.b32
  // CHECK: tcgen05.wait::ld.sync.aligned;
  // CHECK: @%p{{[0-9]+}} tcgen05.dealloc.cta_group::1.sync.aligned.b32
  tt.func public @synchronous(%out: !tt.ptr<f32>, %x: f16) {
    %true = arith.constant true
    %false = arith.constant false
    %value = tt.splat %x : f16 -> tensor<128x64xf16, #rows>
    %small = tt.splat %x : f16 -> tensor<64x64xf16, #halves>
    %a = ttg.local_alloc %value : (tensor<128x64xf16, #rows>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
    %b = ttg.local_alloc %small : (tensor<64x64xf16, #halves>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %d = ttng.tmem_alloc : () -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    ttng.tc_gen5_mma %a, %b, %d, %false, %true : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %r = ttng.tmem_load %d : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #rows>
    %p = tt.splat %out : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>, #rows>
    tt.store %p, %r : tensor<128x64x!tt.ptr<f32>, #rows>
    tt.return
  }

  // What threads stored to tensor memory is there, for all, before the tensor cores read it.
  // IR-LABEL: @operand_in_tensor_memory
  // IR: ttng.tmem_alloc %{{.*}} {tensor_memory_col_offset
  // IR: ttg.barrier
  // IR: ttng.tc_gen5_mma
  // CHECK-LABEL: .entry operand_in_tensor_memory
  // CHECK: tcgen05.st.sync.aligned.32x32b.x32.b32
  // CHECK: tcgen05.wait::st.sync.aligned;
  // CHECK: tcgen05.fence::before_thread_sync;
  // CHECK: bar.sync
  // CHECK: tcgen05.fence::after_thread_sync;
  // CHECK: tcgen05.mma.cta_group::1.kind::f16 [%r{{[0-9]+}}], [%r{{[0-9]+}}], %rd
  // CHECK: tcgen05.ld.sync.aligned.16x256b.x8.b32
  // CHECK: tcgen05.ld.sync.aligned.16x256b.x8.b32
  tt.func public @operand_in_tensor_memory(%out: !tt.ptr<f32>, %x: f16) {
    %true = arith.constant true
    %value = tt.splat %x : f16 -> tensor<128x64xf16, #rows>
    %small = tt.splat %x : f16 -> tensor<64x64xf16, #halves>
    %a = ttng.tmem_alloc %value : (tensor<128x64xf16, #rows>) -> !ttg.memdesc<128x64xf16, #tmem, #ttng.tensor_memory>
    %b = ttg.local_alloc %small : (tensor<64x64xf16, #halves>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %zero = arith.constant dense<0.0> : tensor<128x64xf32, #fragments>
    %d = ttng.tmem_alloc %zero : (tensor<128x64xf32, #fragments>) -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    ttng.tc_gen5_mma %a, %b, %d, %true, %true : !ttg.memdesc<128x64xf16, #tmem, #ttng.tensor_memory>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %r = ttng.tmem_load %d : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #fragments>
    %p = tt.splat %out : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>, #fragments>
    tt.store %p, %r : tensor<128x64x!tt.ptr<f32>, #fragments>
    tt.return
  }

  // 64 rows lie in every other 16 lanes; a commit of one's own, for a barrier of one's own.
  // CHECK-LABEL: .entry half_blocks
  // CHECK: tcgen05.mma.cta_group::1.kind::f16
  // CHECK: elect.sync
  // CHECK: tcgen05.commit
  // CHECK: tcgen05.ld.sync.aligned.16x32bx2.x32.b32 {{.*}}, 32;
  tt.func public @half_blocks(%out: !tt.ptr<f32>, %x: f16) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %false = arith.constant false
    %small = tt.splat %x : f16 -> tensor<64x64xf16, #halves>
    %a = ttg.local_alloc %small : (tensor<64x64xf16, #halves>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %barrier = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    ttng.init_barrier %barrier, 1 : !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    %d = ttng.tmem_alloc : () -> !ttg.memdesc<64x64xf32, #tmem64, #ttng.tensor_memory, mutable>
    ttng.tc_gen5_mma %a, %a, %d, %false, %true {is_async} : !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf32, #tmem64, #ttng.tensor_memory, mutable>
    ttng.tc_gen5_commit %barrier : !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    ttng.wait_barrier %barrier, %c0 : !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    %r = ttng.tmem_load %d : !ttg.memdesc<64x64xf32, #tmem64, #ttng.tensor_memory, mutable> -> tensor<64x64xf32, #halves>
    %p = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #halves>
    tt.store %p, %r : tensor<64x64x!tt.ptr<f32>, #halves>
    tt.return
  }

  // Sums of f16 take a cell each; a part of the columns is loaded.
  // CHECK-LABEL: .entry padded_and_sliced
  // CHECK: tcgen05.ld.sync.aligned.32x32b.x32.b32
  tt.func public @padded_and_sliced(%out: !tt.ptr<f16>, %x: f16) {
    %true = arith.constant true
    %false = arith.constant false
    %value = tt.splat %x : f16 -> tensor<128x64xf16, #rows>
    %small = tt.splat %x : f16 -> tensor<64x64xf16, #halves>
    %a = ttg.local_alloc %value : (tensor<128x64xf16, #rows>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
    %b = ttg.local_alloc %small : (tensor<64x64xf16, #halves>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %d = ttng.tmem_alloc : () -> !ttg.memdesc<128x64xf16, #padded, #ttng.tensor_memory, mutable>
    ttng.tc_gen5_mma %a, %b, %d, %false, %true : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf16, #padded, #ttng.tensor_memory, mutable>
    %part = ttng.tmem_subslice %d {N = 32 : i32} : !ttg.memdesc<128x64xf16, #padded, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x32xf16, #padded, #ttng.tensor_memory, mutable, 128x64>
    %r = ttng.tmem_load %part : !ttg.memdesc<128x32xf16, #padded, #ttng.tensor_memory, mutable, 128x64> -> tensor<128x32xf16, #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>>
    %p = tt.splat %out : !tt.ptr<f16> -> tensor<128x32x!tt.ptr<f16>, #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>>
    tt.store %p, %r : tensor<128x32x!tt.ptr<f16>, #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>>
    tt.return
  }

  // One scale for 32 bytes: each of the four instructions along K takes another byte of the same cells.
  // CHECK-LABEL: .entry scaled
  // CHECK: tcgen05.st.sync.aligned.32x32b.x4.b32
  // CHECK-COUNT-4: tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, %r{{[0-9]+}}, [%r{{[0-9]+}}], [%r{{[0-9]+}}], %p
  tt.func public @scaled(%out: !tt.ptr<f32>, %x: f8E4M3FN, %s: i8) {
    %true = arith.constant true
    %false = arith.constant false
    %value = tt.splat %x : f8E4M3FN -> tensor<128x128xf8E4M3FN, #fragments>
    %a = ttg.local_alloc %value : (tensor<128x128xf8E4M3FN, #fragments>) -> !ttg.memdesc<128x128xf8E4M3FN, #bytes, #smem>
    %b = ttg.local_alloc %value : (tensor<128x128xf8E4M3FN, #fragments>) -> !ttg.memdesc<128x128xf8E4M3FN, #bytesT, #smem>
    %scale = tt.splat %s : i8 -> tensor<128x4xi8, #scaled>
    %as = ttng.tmem_alloc %scale : (tensor<128x4xi8, #scaled>) -> !ttg.memdesc<128x4xi8, #scales, #ttng.tensor_memory>
    %d = ttng.tmem_alloc : () -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
    ttng.tc_gen5_mma_scaled %a, %b, %d, %as, %as, %false, %true lhs = e4m3 rhs = e4m3 : !ttg.memdesc<128x128xf8E4M3FN, #bytes, #smem>, !ttg.memdesc<128x128xf8E4M3FN, #bytesT, #smem>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x4xi8, #scales, #ttng.tensor_memory>, !ttg.memdesc<128x4xi8, #scales, #ttng.tensor_memory>
    tt.return
  }
}
