// RUN: triton-opt %s --gpu-wait-for-dots | FileCheck %s

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
#smem = #ttg.shared_memory
!a = !ttg.memdesc<128x64xf16, #shared, #smem>
!b = !ttg.memdesc<64x64xf16, #shared, #smem>
!d = !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:100"} {
  // CHECK-LABEL: @once
  tt.func public @once(%a: !a, %b: !b, %d: !d, %pred: i1) {
    %true = arith.constant true
    // CHECK: %[[BARRIER:.*]] = ttg.local_alloc : () -> !ttg.memdesc<1xi64
    // CHECK: ttng.init_barrier %[[BARRIER]], 1
    // CHECK: ttng.tc_gen5_mma {{.*}}, %[[BARRIER]][%{{.*}}] {is_async}
    // CHECK: ttng.wait_barrier %[[BARRIER]], %{{[^,]*}} :
    // CHECK: ttng.inval_barrier %[[BARRIER]]
    ttng.tc_gen5_mma %a, %b, %d, %true, %true : !a, !b, !d
    // A dot that may not be done is waited for only if it is.
    // CHECK: ttng.tc_gen5_mma
    // CHECK: ttng.wait_barrier %{{.*}}, %{{.*}}, %arg3 :
    ttng.tc_gen5_mma %a, %b, %d, %true, %pred : !a, !b, !d
    tt.return
  }

  // CHECK-LABEL: @loop
  tt.func public @loop(%a: !a, %b: !b, %d: !d, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    // CHECK: %[[FIRST:.*]] = ttg.local_alloc
    // CHECK: ttng.init_barrier %[[FIRST]], 1
    // CHECK: %[[SECOND:.*]] = ttg.local_alloc
    // CHECK: scf.for {{.*}} iter_args(%[[PHASE:.*]] = %
    scf.for %i = %c0 to %n step %c1 : i32 {
      // CHECK: ttng.tc_gen5_mma {{.*}} %[[FIRST]]
      // CHECK: ttng.wait_barrier %[[FIRST]], %[[PHASE]] :
      ttng.tc_gen5_mma %a, %b, %d, %true, %true : !a, !b, !d
      // CHECK-NOT: ttg.barrier
      // CHECK: ttng.wait_barrier %[[SECOND]], %[[PHASE]] :
      // CHECK-NEXT: ttg.barrier
      ttng.tc_gen5_mma %a, %b, %d, %true, %true : !a, !b, !d
      // CHECK: %[[NEXT:.*]] = arith.xori %[[PHASE]]
      // CHECK: scf.yield %[[NEXT]]
    }
    // CHECK: ttng.inval_barrier %[[FIRST]]
    // CHECK: ttng.inval_barrier %[[SECOND]]
    tt.return
  }

  // CHECK-LABEL: @asynchronous
  tt.func public @asynchronous(%a: !a, %b: !b, %d: !d) {
    %true = arith.constant true
    // CHECK-NOT: ttng.init_barrier
    // CHECK: ttng.tc_gen5_mma {{.*}} {is_async}
    // CHECK-NEXT: tt.return
    ttng.tc_gen5_mma %a, %b, %d, %true, %true {is_async} : !a, !b, !d
    tt.return
  }
}
