// One thread makes barriers, arrives and announces bytes; every thread waits.
// RUN: triton-opt %s --gpu-resources | triton-ptx --arch sm_90a | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: triton-opt %s --gpu-resources | triton-ptx --arch sm_80 | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx --arch sm_90a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED: Compiling entry function

#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80"} {
  // CHECK-LABEL: .entry barriers(
  tt.func public @barriers(%phase: i32, %p: i1) {
    // CHECK: mov.u32 [[THREAD:%r[0-9]+]], %tid.x
    // CHECK: setp.eq.b32 [[FIRST:%p[0-9]+]], [[THREAD]], 0
    %bar = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    // SM90: @[[FIRST]] mbarrier.init.shared::cta.b64 [{{.*}}], %r{{[0-9]+}}; @[[FIRST]] fence.mbarrier_init.release.cluster;
    // SM80: @[[FIRST]] mbarrier.init.shared::cta.b64 [{{.*}}], %r{{[0-9]+}};
    // SM80-NOT: fence.mbarrier_init
    // CHECK: bar.sync
    ttng.init_barrier %bar, 2 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    // CHECK: @[[FIRST]] mbarrier.arrive.shared::cta.b64 _, [{{.*}}], %r{{[0-9]+}};
    ttng.arrive_barrier %bar, 2 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    // One arrival needs no count, which only Hopper takes.
    // CHECK: @[[FIRST]] mbarrier.arrive.shared::cta.b64 _, [{{[^]]*}}];
    ttng.arrive_barrier %bar, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    // Every thread, as often as it takes; on Hopper the hardware waits for a while.
    // SM90: mbarrier.try_wait.parity.shared::cta.b64 complete
    // SM80: mbarrier.test_wait.parity.shared::cta.b64 complete
    // CHECK: @!complete bra.uni wait
    ttng.wait_barrier %bar, %phase : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    // CHECK: bra.uni done
    // CHECK: bra.uni wait
    ttng.wait_barrier %bar, %phase, %p : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    // CHECK: cp.async.mbarrier.arrive.noinc.shared.b64
    ttng.async_copy_mbarrier_arrive %bar {noIncrement} : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    // CHECK: @[[FIRST]] mbarrier.inval.shared::cta.b64
    ttng.inval_barrier %bar : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    tt.return
  }
}
