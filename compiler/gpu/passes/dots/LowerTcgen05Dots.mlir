// RUN: triton-opt %s --gpu-lower-dots --canonicalize | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
!a = tensor<128x64xf16, #blocked>
!b = tensor<64x64xf16, #blocked>
!c = tensor<128x64xf32, #rows>
// CHECK: #[[TMEM:.*]] = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:100"} {
  // CHECK-LABEL: @starts_at_zero
  tt.func public @starts_at_zero(%a: !a, %b: !b) -> !c {
    // CHECK-DAG: %[[FALSE:.*]] = arith.constant false
    // CHECK-DAG: %[[TRUE:.*]] = arith.constant true
    // CHECK: %[[A:.*]] = ttg.local_alloc %arg0
    // CHECK: ttng.fence_async_shared
    // CHECK: %[[SUM:.*]] = ttng.tmem_alloc : () -> !ttg.memdesc<128x64xf32, #[[TMEM]],
    // CHECK: ttng.tc_gen5_mma %[[A]], %{{.*}}, %[[SUM]], %[[FALSE]], %[[TRUE]] :
    // CHECK: ttng.tmem_load %[[SUM]]
    %zero = arith.constant dense<0.0> : !c
    %d = tt.dot %a, %b, %zero : !a * !b -> !c
    tt.return %d : !c
  }

  // CHECK-LABEL: @starts_at_a_value
  tt.func public @starts_at_a_value(%a: !a, %b: !b, %c: !c) -> !c {
    // CHECK: %[[TRUE:.*]] = arith.constant true
    // CHECK: %[[SUM:.*]] = ttng.tmem_alloc %arg2
    // CHECK: ttng.tc_gen5_mma %{{.*}}, %{{.*}}, %[[SUM]], %[[TRUE]], %[[TRUE]]
    %d = tt.dot %a, %b, %c : !a * !b -> !c
    tt.return %d : !c
  }

  // One accumulator for both, which is read once.
  // CHECK-LABEL: @chain
  tt.func public @chain(%a: !a, %b: !b, %c: !c) -> !c {
    // CHECK: %[[SUM:.*]] = ttng.tmem_alloc %arg2
    // CHECK-NOT: tmem_
    // CHECK: ttng.tc_gen5_mma {{.*}} %[[SUM]]
    // CHECK-NOT: tmem_
    // CHECK: ttng.tc_gen5_mma {{.*}} %[[SUM]]
    // CHECK: ttng.tmem_load %[[SUM]]
    %d = tt.dot %a, %b, %c : !a * !b -> !c
    %e = tt.dot %a, %b, %d : !a * !b -> !c
    tt.return %e : !c
  }

  // The loop carries nothing in registers.
  // CHECK-LABEL: @carried
  tt.func public @carried(%a: !a, %b: !b, %c: !c, %n: i32) -> !c {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: %[[SUM:.*]] = ttng.tmem_alloc %arg2
    // CHECK: scf.for
    // CHECK-NOT: iter_args
    // CHECK-NOT: tmem_
    // CHECK: ttng.tc_gen5_mma {{.*}} %[[SUM]]
    // CHECK-NOT: tmem_
    // CHECK: }
    // CHECK: %[[D:.*]] = ttng.tmem_load %[[SUM]]
    // CHECK: tt.return %[[D]]
    %d = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (!c) : i32 {
      %e = tt.dot %a, %b, %acc : !a * !b -> !c
      scf.yield %e : !c
    }
    tt.return %d : !c
  }

  // Loaded where it is first used, stored before the dot.
  // CHECK-LABEL: @rescaled
  tt.func public @rescaled(%a: !a, %b: !b, %c: !c, %n: i32) -> !c {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: %[[SUM:.*]] = ttng.tmem_alloc %arg2
    // CHECK: scf.for
    // CHECK-NOT: iter_args
    // CHECK: %[[OLD:.*]] = ttng.tmem_load %[[SUM]]
    // CHECK: %[[SCALED:.*]] = arith.mulf %[[OLD]]
    // CHECK: ttng.tmem_store %[[SCALED]], %[[SUM]]
    // CHECK: ttng.tc_gen5_mma {{.*}} %[[SUM]]
    // CHECK: }
    // CHECK: ttng.tmem_load %[[SUM]]
    %d = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (!c) : i32 {
      %scaled = arith.mulf %acc, %c : !c
      %e = tt.dot %a, %b, %scaled : !a * !b -> !c
      scf.yield %e : !c
    }
    tt.return %d : !c
  }

  // The result of one dot, as operand A of another: the same registers, stored to tensor memory.
  // CHECK-LABEL: @operand_from_product
  tt.func public @operand_from_product(%a: !a, %b: !b, %c: !c) -> !c {
    // CHECK: %[[S:.*]] = ttng.tmem_load
    // CHECK: %[[P:.*]] = arith.truncf %[[S]]
    // CHECK: %[[LEFT:.*]] = ttng.tmem_alloc %[[P]] : (tensor<128x64xf16, #{{.*}}>) -> !ttg.memdesc<128x64xf16, #[[TMEM]],
    // CHECK: ttng.tc_gen5_mma %[[LEFT]],
    %zero = arith.constant dense<0.0> : !c
    %s = tt.dot %a, %b, %zero : !a * !b -> !c
    %p = arith.truncf %s : !c to tensor<128x64xf16, #rows>
    %d = tt.dot %p, %b, %c : tensor<128x64xf16, #rows> * !b -> !c
    tt.return %d : !c
  }

  // A function that is called does not know where tensor memory is: nothing is done here.
  // CHECK-LABEL: @called
  tt.func private @called(%a: !a, %b: !b, %c: !c) -> !c {
    // CHECK: tt.dot
    %d = tt.dot %a, %b, %c : !a * !b -> !c
    tt.return %d : !c
  }
}
