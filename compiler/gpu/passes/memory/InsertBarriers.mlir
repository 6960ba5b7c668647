// RUN: triton-opt %s --gpu-resources | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma_t = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: @store_load
  tt.func @store_load(%x: tensor<32x32xf32, #blocked>) -> tensor<32x32xf32, #columns> {
    // CHECK: ttg.local_alloc
    // CHECK-NEXT: ttg.barrier
    // CHECK-NEXT: ttg.local_load
    %a = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #shared, #smem>
    %y = ttg.local_load %a : !ttg.memdesc<32x32xf32, #shared, #smem> -> tensor<32x32xf32, #columns>
    tt.return %y : tensor<32x32xf32, #columns>
  }

  // Two writes, one barrier before the first read.
  // CHECK-LABEL: @one_for_two
  tt.func @one_for_two(%x: tensor<32x32xf32, #blocked>) -> (tensor<32x32xf32, #columns>, tensor<32x32xf32, #columns>) {
    // CHECK-COUNT-2: ttg.local_alloc
    // CHECK-NEXT: ttg.barrier
    // CHECK-NEXT: ttg.local_load
    // CHECK-NEXT: ttg.local_load
    %a = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #shared, #smem>
    %b = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #shared, #smem>
    %y = ttg.local_load %a : !ttg.memdesc<32x32xf32, #shared, #smem> -> tensor<32x32xf32, #columns>
    %z = ttg.local_load %b : !ttg.memdesc<32x32xf32, #shared, #smem> -> tensor<32x32xf32, #columns>
    tt.return %y, %z : tensor<32x32xf32, #columns>, tensor<32x32xf32, #columns>
  }

  // Nothing to do: the conversion waits within itself, and what it reads is not written again.
  // CHECK-LABEL: @exchange_alone
  tt.func @exchange_alone(%x: tensor<32x32xf32, #blocked>) -> tensor<32x32xf32, #columns> {
    // CHECK-NOT: ttg.barrier
    %y = ttg.convert_layout %x : tensor<32x32xf32, #blocked> -> tensor<32x32xf32, #columns>
    // CHECK: tt.return
    tt.return %y : tensor<32x32xf32, #columns>
  }

  // Reads alone never conflict.
  // CHECK-LABEL: @reads
  tt.func @reads() -> (tensor<32x32xf32, #columns>, tensor<32x32xf32, #blocked>) {
    // CHECK-NOT: ttg.barrier
    %a = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
    %y = ttg.local_load %a : !ttg.memdesc<32x32xf32, #shared, #smem, mutable> -> tensor<32x32xf32, #columns>
    %z = ttg.local_load %a : !ttg.memdesc<32x32xf32, #shared, #smem, mutable> -> tensor<32x32xf32, #blocked>
    // CHECK: tt.return
    tt.return %y, %z : tensor<32x32xf32, #columns>, tensor<32x32xf32, #blocked>
  }

  // The second exchange uses the bytes that the first may still be reading.
  // CHECK-LABEL: @same_bytes
  tt.func @same_bytes(%x: tensor<32x32xf32, #blocked>) -> tensor<32x32xf32, #blocked> {
    // CHECK: ttg.convert_layout
    // CHECK-NEXT: ttg.barrier
    // CHECK-NEXT: ttg.convert_layout
    %y = ttg.convert_layout %x : tensor<32x32xf32, #blocked> -> tensor<32x32xf32, #columns>
    %z = ttg.convert_layout %y : tensor<32x32xf32, #columns> -> tensor<32x32xf32, #blocked>
    tt.return %z : tensor<32x32xf32, #blocked>
  }

  // The next iteration overwrites what this one reads.
  // CHECK-LABEL: @around_a_loop
  tt.func @around_a_loop(%x: tensor<32x32xf32, #blocked>, %n: i32) -> tensor<32x32xf32, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK-NOT: ttg.barrier
    // CHECK: scf.for
    // CHECK-NEXT: ttg.barrier
    // CHECK-NEXT: ttg.convert_layout
    // CHECK-NOT: ttg.barrier
    // CHECK: tt.return
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<32x32xf32, #blocked>) : i32 {
      %y = ttg.convert_layout %v : tensor<32x32xf32, #blocked> -> tensor<32x32xf32, #columns>
      %s = arith.addf %y, %y : tensor<32x32xf32, #columns>
      %e = arith.constant dense<0.0> : tensor<32x32xf32, #blocked>
      scf.yield %e : tensor<32x32xf32, #blocked>
    }
    tt.return %r : tensor<32x32xf32, #blocked>
  }

  // Written once before the loop: the barrier is before it, not in it.
  // CHECK-LABEL: @before_a_loop
  tt.func @before_a_loop(%x: tensor<32x32xf32, #blocked>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #shared, #smem>
    // CHECK: ttg.barrier
    // CHECK-NEXT: scf.for
    // CHECK-NOT: ttg.barrier
    // CHECK: tt.return
    scf.for %i = %c0 to %n step %c1 : i32 {
      %y = ttg.local_load %a : !ttg.memdesc<32x32xf32, #shared, #smem> -> tensor<32x32xf32, #columns>
    }
    tt.return
  }

  // Copies are there for the thread that waited; the barrier makes them so for all.
  // CHECK-LABEL: @copy
  tt.func @copy(%p: tensor<32x32x!tt.ptr<f32>, #blocked>) -> tensor<32x32xf32, #columns> {
    // CHECK-NOT: ttg.barrier
    // CHECK: ttg.async_wait
    // CHECK-NEXT: ttg.barrier
    // CHECK-NEXT: ttg.local_load
    %a = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
    %t = ttg.async_copy_global_to_local %p, %a : tensor<32x32x!tt.ptr<f32>, #blocked> -> <32x32xf32, #shared, #smem, mutable>
    %g = ttg.async_commit_group tokens %t
    %w = ttg.async_wait %g {num = 0 : i32}
    %y = ttg.local_load %a token %w : !ttg.memdesc<32x32xf32, #shared, #smem, mutable> -> tensor<32x32xf32, #columns>
    tt.return %y : tensor<32x32xf32, #columns>
  }

  // A ring of buffers, as pipelining leaves it: the one barrier that is there is enough.
  // CHECK-LABEL: @ring
  tt.func @ring(%p: tensor<32x32x!tt.ptr<f32>, #blocked>, %n: i32, %insert: i32, %extract: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK-NOT: ttg.barrier
    // CHECK: scf.for
    // CHECK-NEXT: ttg.async_wait
    // CHECK-NEXT: ttg.barrier
    // CHECK-NOT: ttg.barrier
    // CHECK: tt.return
    %ring = ttg.local_alloc : () -> !ttg.memdesc<3x32x32xf32, #shared, #smem, mutable>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %w = ttg.async_wait {num = 1 : i32}
      ttg.barrier
      %in = ttg.memdesc_index %ring[%insert] : !ttg.memdesc<3x32x32xf32, #shared, #smem, mutable> -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
      %t = ttg.async_copy_global_to_local %p, %in : tensor<32x32x!tt.ptr<f32>, #blocked> -> <32x32xf32, #shared, #smem, mutable>
      %g = ttg.async_commit_group tokens %t
      %out = ttg.memdesc_index %ring[%extract] : !ttg.memdesc<3x32x32xf32, #shared, #smem, mutable> -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
      %y = ttg.local_load %out : !ttg.memdesc<32x32xf32, #shared, #smem, mutable> -> tensor<32x32xf32, #columns>
    }
    tt.return
  }

  // What threads wrote is made known to the tensor cores first.
  // CHECK-LABEL: @product
  tt.func @product(%x: tensor<64x64xf16, #blocked>, %y: tensor<64x64xf16, #blocked>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    // CHECK-COUNT-2: ttg.local_alloc
    // CHECK-NEXT: ttng.fence_async_shared
    // CHECK-NEXT: ttg.barrier
    // CHECK-NEXT: ttng.warp_group_dot
    %a = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #nvmma, #smem>
    %b = ttg.local_alloc %y : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #nvmma, #smem>
    %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xf16, #nvmma, #smem> * !ttg.memdesc<64x64xf16, #nvmma, #smem> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }

  // A TMA load after threads have read the buffer: they must have finished, and the hardware must know. Waiting at the mbarrier is enough to
  // read what came, and arriving there again needs no barrier.
  // CHECK-LABEL: @tma_load
  tt.func @tma_load(%desc: !tt.tensordesc<tensor<64x64xf16, #nvmma>>, %n: i32, %true: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: ttng.init_barrier
    // CHECK-NEXT: scf.for
    // CHECK-NEXT: ttng.barrier_expect
    // CHECK-NEXT: ttng.fence_async_shared
    // CHECK-NEXT: ttg.barrier
    // CHECK-NEXT: ttng.async_tma_copy_global_to_local
    // CHECK-NEXT: ttng.wait_barrier
    // CHECK-NEXT: ttg.local_load
    // CHECK-NOT: ttg.barrier
    // CHECK: tt.return
    %bar = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #flat, #smem, mutable>
    %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    ttng.init_barrier %bar, 1 : !ttg.memdesc<1xi64, #flat, #smem, mutable>
    scf.for %i = %c0 to %n step %c1 : i32 {
      ttng.barrier_expect %bar, 8192, %true : !ttg.memdesc<1xi64, #flat, #smem, mutable>
      ttng.async_tma_copy_global_to_local %desc[%i, %c0] %a, %bar, %true : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !ttg.memdesc<1xi64, #flat, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
      ttng.wait_barrier %bar, %i : !ttg.memdesc<1xi64, #flat, #smem, mutable>
      %x = ttg.local_load %a : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16, #blocked>
    }
    tt.return
  }

  // A TMA store reads what threads wrote; they may write again when it has waited, and all know.
  // CHECK-LABEL: @tma_store
  tt.func @tma_store(%desc: !tt.tensordesc<tensor<64x64xf16, #nvmma>>, %x: tensor<64x64xf16, #blocked>, %i: i32) {
    // CHECK: ttg.local_store
    // CHECK-NEXT: ttng.fence_async_shared
    // CHECK-NEXT: ttg.barrier
    // CHECK-NEXT: ttng.async_tma_copy_local_to_global
    // CHECK-NEXT: ttng.async_tma_store_wait
    // CHECK-NEXT: ttg.barrier
    // CHECK-NEXT: ttg.local_store
    %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    ttg.local_store %x, %a : tensor<64x64xf16, #blocked> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    ttng.async_tma_copy_local_to_global %desc[%i, %i] %a : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    ttng.async_tma_store_wait {pendings = 0 : i32}
    ttg.local_store %x, %a : tensor<64x64xf16, #blocked> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    tt.return
  }

  // The warp that fills a buffer waits, at an mbarrier, for the warps that have read it: no other barrier is needed for this buffer.
  // CHECK-LABEL: @freed
  tt.func @freed(%desc: !tt.tensordesc<tensor<64x64xf16, #nvmma>>, %n: i32, %true: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: scf.for
    // CHECK-NEXT: ttng.wait_barrier
    // CHECK-NEXT: ttng.async_tma_copy_global_to_local
    // CHECK-NEXT: ttng.wait_barrier
    // CHECK-NEXT: ttng.async_tma_copy_local_to_global
    // CHECK-NEXT: ttng.async_tma_store_wait
    // CHECK-NEXT: ttng.arrive_barrier
    // CHECK-NOT: ttg.barrier
    // CHECK: scf.for
    // CHECK: ttng.wait_barrier
    // CHECK: ttg.barrier
    // CHECK: ttng.async_tma_copy_global_to_local
    %full = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #flat, #smem, mutable>
    %empty = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #flat, #smem, mutable>
    %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    scf.for %i = %c0 to %n step %c1 : i32 {
      ttng.wait_barrier %empty, %i deps %a : !ttg.memdesc<1xi64, #flat, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
      ttng.async_tma_copy_global_to_local %desc[%i, %c0] %a, %full, %true : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !ttg.memdesc<1xi64, #flat, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
      ttng.wait_barrier %full, %i : !ttg.memdesc<1xi64, #flat, #smem, mutable>
      ttng.async_tma_copy_local_to_global %desc[%i, %i] %a : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
      ttng.async_tma_store_wait {pendings = 0 : i32}
      ttng.arrive_barrier %empty, 1 {perWarpGroup} : !ttg.memdesc<1xi64, #flat, #smem, mutable>
    }
    scf.for %i = %c0 to %n step %c1 : i32 {
      ttng.wait_barrier %empty, %i deps %b : !ttg.memdesc<1xi64, #flat, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
      ttng.async_tma_copy_global_to_local %desc[%i, %c0] %a, %full, %true : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !ttg.memdesc<1xi64, #flat, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
      ttng.wait_barrier %full, %i : !ttg.memdesc<1xi64, #flat, #smem, mutable>
      ttng.async_tma_copy_local_to_global %desc[%i, %i] %a : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
      ttng.async_tma_store_wait {pendings = 0 : i32}
      ttng.arrive_barrier %empty, 1 {perWarpGroup} : !ttg.memdesc<1xi64, #flat, #smem, mutable>
    }
    tt.return
  }

  // Partitions meet others where they begin and end, and among themselves in between: the thread that arrives for all waits for all, what threads
  // stored is fenced before the partition ends, and what came before is fenced where warps part.
  // CHECK-LABEL: @partitions
  tt.func @partitions(%x: tensor<32x32xf32, #blocked>, %bar: !ttg.memdesc<1xi64, #flat, #smem, mutable>) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
    // CHECK: ttg.local_store
    // CHECK-NEXT: ttng.fence_async_shared
    // CHECK-NEXT: ttg.warp_specialize
    ttg.local_store %x, %a : tensor<32x32xf32, #blocked> -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
    ttg.warp_specialize(%b, %bar)
    default {
      // CHECK: default {
      // CHECK-NEXT: ttg.local_load
      // CHECK-NEXT: ttg.warp_yield
      %y = ttg.local_load %a : !ttg.memdesc<32x32xf32, #shared, #smem, mutable> -> tensor<32x32xf32, #columns>
      ttg.warp_yield
    }
    partition0(%to: !ttg.memdesc<32x32xf32, #shared, #smem, mutable>, %full: !ttg.memdesc<1xi64, #flat, #smem, mutable>) num_warps(4) {
      // CHECK: partition0
      // CHECK: ttg.local_store
      // CHECK-NEXT: ttg.barrier
      // CHECK-NEXT: ttng.arrive_barrier
      // CHECK-NEXT: ttng.arrive_barrier
      // CHECK-NEXT: ttng.fence_async_shared
      // CHECK-NEXT: ttg.warp_return
      %zero = arith.constant dense<0.0> : tensor<32x32xf32, #blocked>
      ttg.local_store %zero, %to : tensor<32x32xf32, #blocked> -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
      ttng.arrive_barrier %full, 1 : !ttg.memdesc<1xi64, #flat, #smem, mutable>
      ttng.arrive_barrier %full, 1 : !ttg.memdesc<1xi64, #flat, #smem, mutable>
      ttg.warp_return
    } : (!ttg.memdesc<32x32xf32, #shared, #smem, mutable>, !ttg.memdesc<1xi64, #flat, #smem, mutable>) -> ()
    // CHECK: tt.return
    tt.return
  }

  // Blocks of a region follow each other.
  // CHECK-LABEL: @blocks
  tt.func @blocks(%x: tensor<32x32xf32, #blocked>, %c: i1) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
    // CHECK: ttg.local_store
    // CHECK: ^bb1:
    // CHECK-NEXT: ttg.barrier
    // CHECK-NEXT: ttg.local_load
    // CHECK: ^bb2:
    // CHECK-NOT: ttg.barrier
    // CHECK: tt.return
    scf.execute_region {
      ttg.local_store %x, %a : tensor<32x32xf32, #blocked> -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
      cf.cond_br %c, ^load, ^end
    ^load:
      %y = ttg.local_load %a : !ttg.memdesc<32x32xf32, #shared, #smem, mutable> -> tensor<32x32xf32, #blocked>
      cf.br ^end
    ^end:
      scf.yield
    }
    tt.return
  }

  // A function that is called has bytes of its own: only what it does itself is in the way of the next call.
  // CHECK-LABEL: @calls
  tt.func @calls(%x: tensor<32x32xf32, #blocked>) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
    // CHECK: ttg.local_store
    // CHECK-NEXT: tt.call
    // CHECK-NEXT: ttg.barrier
    // CHECK-NEXT: tt.call
    // CHECK-NEXT: ttg.local_load
    ttg.local_store %x, %a : tensor<32x32xf32, #blocked> -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
    tt.call @exchange(%x) : (tensor<32x32xf32, #blocked>) -> ()
    tt.call @exchange(%x) : (tensor<32x32xf32, #blocked>) -> ()
    %y = ttg.local_load %a : !ttg.memdesc<32x32xf32, #shared, #smem, mutable> -> tensor<32x32xf32, #blocked>
    tt.return
  }
  tt.func private @exchange(%x: tensor<32x32xf32, #blocked>) attributes {noinline = true} {
    %y = ttg.convert_layout %x : tensor<32x32xf32, #blocked> -> tensor<32x32xf32, #columns>
    tt.return
  }

  // One thread makes and ends mbarriers, and tells them of bytes: it is not in its own way.
  // CHECK-LABEL: @first_thread
  tt.func @first_thread(%desc: !tt.tensordesc<tensor<64x64xf16, #nvmma>>, %n: i32, %true: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %full = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #flat, #smem, mutable>
    // CHECK: scf.for
    // CHECK-NEXT: ttng.init_barrier
    // CHECK-NEXT: ttng.barrier_expect
    // CHECK-NEXT: ttng.fence_async_shared
    // CHECK-NEXT: ttg.barrier
    // CHECK-NEXT: ttng.async_tma_copy_global_to_local
    // CHECK-NEXT: ttng.wait_barrier
    // CHECK-NEXT: ttg.barrier
    // CHECK-NEXT: ttng.inval_barrier
    // CHECK-NEXT: }
    scf.for %i = %c0 to %n step %c1 : i32 {
      ttng.init_barrier %full, 1 : !ttg.memdesc<1xi64, #flat, #smem, mutable>
      ttng.barrier_expect %full, 8192, %true : !ttg.memdesc<1xi64, #flat, #smem, mutable>
      ttng.async_tma_copy_global_to_local %desc[%i, %c0] %a, %full, %true : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !ttg.memdesc<1xi64, #flat, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
      ttng.wait_barrier %full, %c0 : !ttg.memdesc<1xi64, #flat, #smem, mutable>
      ttng.inval_barrier %full : !ttg.memdesc<1xi64, #flat, #smem, mutable>
    }
    tt.return
  }
}
