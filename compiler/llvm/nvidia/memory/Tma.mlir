// Copies by TMA, and the barriers that tell of their end.
// RUN: triton-opt %s --gpu-resources | triton-ptx --arch sm_90a | FileCheck %s
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx --arch sm_90a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx --arch sm_100a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED: Compiling entry function

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: .entry copy(
  // CHECK: .param .align 64 .b8 copy_param_0[128]
  tt.func public @copy(%in: !tt.tensordesc<tensor<64x128xf16, #shared>>, %out: !tt.tensordesc<tensor<64x128xf16, #shared>>, %x: i32, %y: i32) {
    %true = arith.constant true
    %zero = arith.constant 0 : i32
    %tile = ttg.local_alloc : () -> !ttg.memdesc<64x128xf16, #shared, #smem, mutable>
    %bar = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    // CHECK: mbarrier.init.shared::cta.b64 [%r{{[0-9]+}}], %r{{[0-9]+}}; @%p{{[0-9]+}} fence.mbarrier_init.release.cluster;
    // CHECK-NOT: bar.sync
    ttng.init_barrier %bar, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    // CHECK: mbarrier.arrive.expect_tx.shared::cta.b64 _,
    // CHECK: fence.proxy.async.shared::cta
    // CHECK: bar.sync
    ttng.barrier_expect %bar, 16384, %true : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    // A box is 128 bytes wide: two of them, 8192 bytes apart.
    // CHECK-COUNT-2: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
    ttng.async_tma_copy_global_to_local %in[%y, %x] %tile, %bar, %true : !tt.tensordesc<tensor<64x128xf16, #shared>>, !ttg.memdesc<1xi64, #bars, #smem, mutable> -> !ttg.memdesc<64x128xf16, #shared, #smem, mutable>
    // CHECK-NOT: bar.sync
    // CHECK: mbarrier.try_wait.parity.shared::cta.b64 complete
    // CHECK-NOT: bar.sync
    ttng.wait_barrier %bar, %zero : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    // CHECK: ld.shared.v4
    %v = ttg.local_load %tile : !ttg.memdesc<64x128xf16, #shared, #smem, mutable> -> tensor<64x128xf16, #blocked>
    // CHECK: bar.sync
    // CHECK: mbarrier.inval
    ttng.inval_barrier %bar : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %w = arith.addf %v, %v : tensor<64x128xf16, #blocked>
    // CHECK: st.shared.v4
    ttg.local_store %w, %tile : tensor<64x128xf16, #blocked> -> !ttg.memdesc<64x128xf16, #shared, #smem, mutable>
    // CHECK: fence.proxy.async.shared::cta
    // CHECK: bar.sync
    // CHECK-COUNT-2: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
    // CHECK: cp.async.bulk.commit_group
    ttng.async_tma_copy_local_to_global %out[%y, %x] %tile : !tt.tensordesc<tensor<64x128xf16, #shared>>, !ttg.memdesc<64x128xf16, #shared, #smem, mutable>
    // CHECK: cp.async.bulk.wait_group.read 0
    ttng.async_tma_store_wait {pendings = 0 : i32}
    // CHECK: bar.sync
    // CHECK: st.shared.v4
    ttg.local_store %v, %tile : tensor<64x128xf16, #blocked> -> !ttg.memdesc<64x128xf16, #shared, #smem, mutable>
    // CHECK: fence.proxy.async.shared::cta
    // CHECK: cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group
    ttng.async_tma_reduce add, %out[%y, %x] %tile : !tt.tensordesc<tensor<64x128xf16, #shared>>, !ttg.memdesc<64x128xf16, #shared, #smem, mutable>
    ttng.async_tma_store_wait {pendings = 0 : i32}
    tt.return
  }

  // What threads have read must not be overtaken by the next copy.
  // CHECK-LABEL: .entry refill(
  tt.func public @refill(%in: !tt.tensordesc<tensor<64x64xf16, #shared>>, %p: !tt.ptr<f16>, %n: i32) {
    %true = arith.constant true
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %tile = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %bar = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %bar, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %init = arith.constant dense<0.0> : tensor<64x64xf16, #blocked>
    %sum, %last = scf.for %i = %zero to %n step %one iter_args(%acc = %init, %phase = %zero) -> (tensor<64x64xf16, #blocked>, i32) : i32 {
      // CHECK: expect_tx
      ttng.barrier_expect %bar, 8192, %true : !ttg.memdesc<1xi64, #bars, #smem, mutable>
      // CHECK: fence.proxy.async.shared::cta
      // CHECK: bar.sync
      // CHECK: cp.async.bulk.tensor.2d
      ttng.async_tma_copy_global_to_local %in[%i, %zero] %tile, %bar, %true : !tt.tensordesc<tensor<64x64xf16, #shared>>, !ttg.memdesc<1xi64, #bars, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      // CHECK: try_wait
      ttng.wait_barrier %bar, %phase : !ttg.memdesc<1xi64, #bars, #smem, mutable>
      %v = ttg.local_load %tile : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, #blocked>
      %s = arith.addf %acc, %v : tensor<64x64xf16, #blocked>
      %next = arith.xori %phase, %one : i32
      scf.yield %s, %next : tensor<64x64xf16, #blocked>, i32
    }
    ttng.inval_barrier %bar : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
    tt.store %ps, %sum : tensor<64x64x!tt.ptr<f16>, #blocked>
    tt.return
  }
}
