// Partitions of warps: where they wait, what they are told, and the barriers and registers that are theirs.
// RUN: triton-opt %s --gpu-resources | triton-ptx --arch sm_90a | FileCheck %s
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx --arch sm_90a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx --arch sm_100a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED-NOT: setmaxnreg ignored
// ASSEMBLED: Used 168 registers, used 1 barriers

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#own = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 8 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // One op, run once: the other warps need not be told what to do. The last three warps have nothing to do.
  // CHECK-LABEL: .entry once(
  // CHECK: .reqntid 384
  // CHECK: .maxnreg 168
  // The kernel's own warps and the others part.
  // CHECK: shfl.sync.idx.b32 [[WARP:%r[0-9]+]],
  // CHECK: setp.gt.u32 [[OTHERS:%p[0-9]+]], [[WARP]], 7;
  // CHECK: @[[OTHERS]] bra
  // CHECK: setmaxnreg.inc.sync.aligned.u32 240;
  // CHECK: mbarrier.init
  // CHECK: bar.sync 0;
  // CHECK: mbarrier.try_wait
  // CHECK: st.global
  // CHECK: bar.sync 0;
  // CHECK: setmaxnreg.dec.sync.aligned.u32 24;
  // CHECK: bar.sync 0;
  // CHECK: setp.eq.b32 {{.*}}, [[WARP]], 8;
  // CHECK: setp.eq.b32 [[FIRST:%p[0-9]+]], %r{{[0-9]+}}, 256;
  // CHECK: @[[FIRST]] mbarrier.arrive.expect_tx
  // CHECK: @[[FIRST]] cp.async.bulk.tensor.2d
  // CHECK: bar.sync 0;
  // CHECK: ret;
  tt.func public @once(%in: !tt.tensordesc<tensor<64x64xf16, #shared>>, %out: !tt.ptr<f16>) {
    %true = arith.constant true
    %zero = arith.constant 0 : i32
    %tile = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %bar = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %bar, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttg.warp_specialize(%in, %tile, %bar) attributes {requestedRegisters = array<i32: 24>}
    default {
      ttng.wait_barrier %bar, %zero : !ttg.memdesc<1xi64, #bars, #smem, mutable>
      %x = ttg.local_load %tile : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, #own>
      %p = tt.splat %out : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #own>
      tt.store %p, %x : tensor<64x64x!tt.ptr<f16>, #own>
      ttg.warp_yield
    }
    partition0(%desc: !tt.tensordesc<tensor<64x64xf16, #shared>>, %to: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, %full: !ttg.memdesc<1xi64, #bars, #smem, mutable>) num_warps(1) {
      %yes = arith.constant true
      %start = arith.constant 0 : i32
      ttng.barrier_expect %full, 8192, %yes : !ttg.memdesc<1xi64, #bars, #smem, mutable>
      ttng.async_tma_copy_global_to_local %desc[%start, %start] %to, %full, %yes : !tt.tensordesc<tensor<64x64xf16, #shared>>, !ttg.memdesc<1xi64, #bars, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      ttg.warp_return
    } : (!tt.tensordesc<tensor<64x64xf16, #shared>>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<1xi64, #bars, #smem, mutable>) -> ()
    tt.return
  }
}
