// RUN: triton-opt %s --gpu-order-copies --allow-unregistered-dialect | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!desc = !tt.tensordesc<tensor<64x64xf16, #shared>>
!tile = !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
!bar = !ttg.memdesc<1xi64, #bars, #smem, mutable>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {

// Another tensor may be read while the store is under way.
// CHECK-LABEL: @other_tensor
tt.func public @other_tensor(%d: !desc, %p: !tt.ptr<f16>, %t: !tile, %i: i32) -> f16 {
  ttng.async_tma_copy_local_to_global %d[%i, %i] %t : !desc, !tile
  // CHECK: ttng.async_tma_store_wait {pendings = 0 : i32}
  // CHECK-NOT: ttg.barrier
  ttng.async_tma_store_wait {pendings = 0 : i32}
  %x = tt.load %p : !tt.ptr<f16>
  tt.return %x : f16
}

// CHECK-LABEL: @same_tensor
tt.func public @same_tensor(%p: !tt.ptr<f16>, %n: i32, %s: i64, %t: !tile, %i: i32) -> f16 {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%n, %n], [%s, %one] : <f16>, <tensor<64x64xf16, #shared>>
  ttng.async_tma_copy_local_to_global %d[%i, %i] %t : !desc, !tile
  // CHECK: ttng.async_tma_store_wait {pendings = 0 : i32, written}
  // CHECK-NEXT: ttg.barrier
  ttng.async_tma_store_wait {pendings = 0 : i32}
  %x = tt.load %p : !tt.ptr<f16>
  tt.return %x : f16
}

// An atomic may tell another program of everything before it.
// CHECK-LABEL: @told
tt.func public @told(%d: !desc, %lock: !tt.ptr<i32>, %t: !tile, %i: i32) {
  %true = arith.constant true
  ttng.async_tma_copy_local_to_global %d[%i, %i] %t : !desc, !tile
  // CHECK: ttng.async_tma_store_wait {pendings = 0 : i32, written}
  ttng.async_tma_store_wait {pendings = 0 : i32}
  %old = tt.atomic_rmw exch, acq_rel, gpu, %lock, %i, %true : (!tt.ptr<i32>, i32, i1) -> i32
  tt.return
}

// Tiles side by side do not meet; the same tile again does.
// CHECK-LABEL: @two_stores
tt.func public @two_stores(%d: !desc, %t: !tile, %i: i32) {
  %c64 = arith.constant 64 : i32
  %j = arith.addi %i, %c64 : i32
  // CHECK: ttng.async_tma_store_wait {pendings = 0 : i32}
  // CHECK: ttng.async_tma_store_wait {pendings = 0 : i32, written}
  // CHECK: ttng.async_tma_store_wait {pendings = 0 : i32}
  ttng.async_tma_copy_local_to_global %d[%i, %i] %t : !desc, !tile
  ttng.async_tma_store_wait {pendings = 0 : i32}
  ttng.async_tma_copy_local_to_global %d[%i, %j] %t : !desc, !tile
  ttng.async_tma_store_wait {pendings = 0 : i32}
  ttng.async_tma_copy_local_to_global %d[%i, %j] %t : !desc, !tile
  ttng.async_tma_store_wait {pendings = 0 : i32}
  tt.return
}

// CHECK-LABEL: @stores_of_a_loop
tt.func public @stores_of_a_loop(%d: !desc, %e: !desc, %f: !desc, %t: !tile, %i: i32, %n: i32) {
  scf.for %j = %i to %n step %i : i32 {
    // CHECK: ttng.async_tma_store_wait {pendings = 0 : i32}
    ttng.async_tma_copy_local_to_global %d[%i, %j] %t : !desc, !tile
    ttng.async_tma_store_wait {pendings = 0 : i32}
    // CHECK: ttng.async_tma_store_wait {pendings = 0 : i32, written}
    ttng.async_tma_copy_local_to_global %e[%i, %i] %t : !desc, !tile
    ttng.async_tma_store_wait {pendings = 0 : i32}
  }
  // Updates may come in any order.
  // CHECK: ttng.async_tma_reduce
  // CHECK-NEXT: ttng.async_tma_store_wait {pendings = 0 : i32}
  ttng.async_tma_reduce add, %f[%i, %i] %t : !desc, !tile
  ttng.async_tma_store_wait {pendings = 0 : i32}
  ttng.async_tma_reduce add, %f[%i, %i] %t : !desc, !tile
  ttng.async_tma_store_wait {pendings = 0 : i32}
  tt.return
}

// One fence before the loop, for all its copies, and for the one behind it.
// CHECK-LABEL: @threads_stored
tt.func public @threads_stored(%p: !tt.ptr<f16>, %n: i32, %s: i64, %t: !tile, %b: !bar, %i: i32, %x: f16) {
  %one = arith.constant 1 : i64
  %true = arith.constant true
  %d = tt.make_tensor_descriptor %p, [%n, %n], [%s, %one] : <f16>, <tensor<64x64xf16, #shared>>
  // CHECK: tt.store
  // CHECK-NEXT: ttng.fence_async_global
  // CHECK-NEXT: ttg.barrier
  // CHECK-NEXT: scf.for
  // CHECK-NOT: ttng.fence_async_global
  tt.store %p, %x : !tt.ptr<f16>
  scf.for %j = %i to %n step %i : i32 {
    ttng.async_tma_copy_global_to_local %d[%i, %j] %t, %b, %true : !desc, !bar -> !tile
  }
  ttng.async_tma_copy_global_to_local %d[%i, %i] %t, %b, %true : !desc, !bar -> !tile
  tt.return
}

// CHECK-LABEL: @threads_store_elsewhere
tt.func public @threads_store_elsewhere(%p: !tt.ptr<f16>, %d: !desc, %t: !tile, %b: !bar, %i: i32, %x: f16) {
  %true = arith.constant true
  // CHECK-NOT: ttng.fence_async_global
  tt.store %p, %x : !tt.ptr<f16>
  ttng.async_tma_copy_global_to_local %d[%i, %i] %t, %b, %true : !desc, !bar -> !tile
  tt.return
}

// Those who stored fence, before other warps begin to copy.
// CHECK-LABEL: @partitions_copy
tt.func public @partitions_copy(%p: !tt.ptr<f16>, %s: i64, %n: i32, %t: !tile, %b: !bar, %x: f16) {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%n, %n], [%s, %one] : <f16>, <tensor<64x64xf16, #shared>>
  // CHECK: tt.store
  // CHECK-NEXT: ttng.fence_async_global
  // CHECK-NEXT: ttg.barrier
  // CHECK-NEXT: ttg.warp_specialize
  // CHECK-NOT: ttng.fence_async_global
  tt.store %p, %x : !tt.ptr<f16>
  ttg.warp_specialize(%d, %t, %b, %n)
  default {
    ttg.warp_yield
  }
  partition0(%from: !desc, %to: !tile, %full: !bar, %m: i32) num_warps(1) {
    %true = arith.constant true
    scf.for %j = %m to %m step %m : i32 {
      ttng.async_tma_copy_global_to_local %from[%j, %j] %to, %full, %true : !desc, !bar -> !tile
    }
    ttg.warp_return
  } : (!desc, !tile, !bar, i32) -> ()
  tt.return
}
}
