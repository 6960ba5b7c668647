// Barriers, TMA, tensor memory and warp specialisation read as they print.
// RUN: triton-opt %s | triton-opt | FileCheck %s

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared8 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#shared32 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#scales = #ttng.tensor_memory_scales_encoding<>
#rows = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#offsets = #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>}>
#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
!barrier = !ttg.memdesc<1xi64, #bars, #smem, mutable>
!tile = !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
!accumulator = !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:100"} {

// CHECK-LABEL: @barriers
tt.func @barriers(%tile: !tile, %phase: i32, %pred: i1) {
  %b = ttg.local_alloc : () -> !barrier
  // CHECK: ttng.init_barrier %[[B:.*]], 1 : !ttg.memdesc<1xi64, #{{.*}}, #smem, mutable>
  ttng.init_barrier %b, 1 : !barrier
  // CHECK: ttng.barrier_expect %[[B]], 8192, %{{.*}} : !ttg.memdesc<1xi64
  ttng.barrier_expect %b, 8192, %pred : !barrier
  // CHECK: ttng.wait_barrier %[[B]], %{{.*}} : !ttg.memdesc<1xi64
  ttng.wait_barrier %b, %phase : !barrier
  // CHECK: ttng.wait_barrier %[[B]], %{{.*}}, %{{.*}} deps %{{.*}} : !ttg.memdesc<1xi64, #{{.*}}, #smem, mutable>, !ttg.memdesc<64x64xf16
  ttng.wait_barrier %b, %phase, %pred deps %tile : !barrier, !tile
  // CHECK: ttng.arrive_barrier %[[B]], 2 : !ttg.memdesc<1xi64
  ttng.arrive_barrier %b, 2 : !barrier
  // CHECK: ttng.arrive_barrier %[[B]], 1, %{{.*}} : !ttg.memdesc<1xi64
  ttng.arrive_barrier %b, 1, %pred : !barrier
  // CHECK: ttng.async_copy_mbarrier_arrive %[[B]] {noIncrement} : !ttg.memdesc<1xi64
  ttng.async_copy_mbarrier_arrive %b {noIncrement} : !barrier
  // CHECK: ttng.inval_barrier %[[B]] : !ttg.memdesc<1xi64
  ttng.inval_barrier %b : !barrier
  // CHECK: ttng.cluster_arrive {relaxed = false}
  ttng.cluster_arrive {relaxed = false}
  // CHECK: ttng.cluster_wait
  ttng.cluster_wait
  tt.return
}

// CHECK-LABEL: @tma
tt.func @tma(%desc: !tt.tensordesc<tensor<64x64xf16, #shared>>, %row_desc: !tt.tensordesc<tensor<1x64xf16, #shared>>, %tile: !tile,
    %small: !ttg.memdesc<32x64xf16, #shared, #smem, mutable>, %b: !barrier, %x: i32, %pred: i1, %xs: tensor<32xi32, #offsets>) {
  // CHECK: ttng.async_tma_copy_global_to_local %{{.*}}[%{{.*}}, %{{.*}}] %{{.*}}, %{{.*}}, %{{.*}} : !tt.tensordesc<tensor<64x64xf16, #shared>>, !ttg.memdesc<1xi64, #{{.*}}, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  ttng.async_tma_copy_global_to_local %desc[%x, %x] %tile, %b, %pred : !tt.tensordesc<tensor<64x64xf16, #shared>>, !barrier -> !tile
  // CHECK: ttng.async_tma_copy_global_to_local %{{.*}} evictionPolicy = evict_last :
  ttng.async_tma_copy_global_to_local %desc[%x, %x] %tile, %b, %pred evictionPolicy = evict_last : !tt.tensordesc<tensor<64x64xf16, #shared>>, !barrier -> !tile
  // CHECK: ttng.async_tma_copy_local_to_global %{{.*}}[%{{.*}}, %{{.*}}] %{{.*}} : !tt.tensordesc<tensor<64x64xf16, #shared>>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  ttng.async_tma_copy_local_to_global %desc[%x, %x] %tile : !tt.tensordesc<tensor<64x64xf16, #shared>>, !tile
  // CHECK: ttng.async_tma_reduce add, %{{.*}}[%{{.*}}, %{{.*}}] %{{.*}} : !tt.tensordesc
  ttng.async_tma_reduce add, %desc[%x, %x] %tile : !tt.tensordesc<tensor<64x64xf16, #shared>>, !tile
  // CHECK: ttng.async_tma_gather %{{.*}}[%{{.*}}, %{{.*}}] %{{.*}}, %{{.*}}, %{{.*}} : !tt.tensordesc<tensor<1x64xf16, #shared>>, tensor<32xi32, #{{.*}}>, i32, !ttg.memdesc<1xi64, #{{.*}}, #smem, mutable>, !ttg.memdesc<32x64xf16, #shared, #smem, mutable>, i1
  ttng.async_tma_gather %row_desc[%xs, %x] %small, %b, %pred : !tt.tensordesc<tensor<1x64xf16, #shared>>, tensor<32xi32, #offsets>, i32, !barrier, !ttg.memdesc<32x64xf16, #shared, #smem, mutable>, i1
  // CHECK: ttng.async_tma_scatter %{{.*}}[%{{.*}}, %{{.*}}] %{{.*}} : !tt.tensordesc<tensor<1x64xf16, #shared>>, tensor<32xi32, #{{.*}}>, i32, !ttg.memdesc<32x64xf16
  ttng.async_tma_scatter %row_desc[%xs, %x] %small : !tt.tensordesc<tensor<1x64xf16, #shared>>, tensor<32xi32, #offsets>, i32, !ttg.memdesc<32x64xf16, #shared, #smem, mutable>
  // CHECK: ttng.async_tma_store_wait {pendings = 0 : i32}
  ttng.async_tma_store_wait {pendings = 0 : i32}
  tt.return
}

// CHECK-LABEL: @tensor_maps
tt.func @tensor_maps(%map: !tt.ptr<i8>, %base: !tt.ptr<f16>, %n: i32, %stride: i64) -> !tt.tensordesc<tensor<64x64xf16, #shared>> {
  // CHECK: ttng.tensormap_create %{{.*}}, %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}], [%{{.*}}], [%{{.*}}, %{{.*}}] {elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
  ttng.tensormap_create %map, %base, [%n, %n], [%n, %n], [%stride], [%n, %n] {elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
  // CHECK: ttng.tensormap_fenceproxy_acquire %{{.*}} : !tt.ptr<i8>
  ttng.tensormap_fenceproxy_acquire %map : !tt.ptr<i8>
  // CHECK: ttng.reinterpret_tensor_descriptor %{{.*}} : !tt.ptr<i8> to !tt.tensordesc<tensor<64x64xf16, #shared>>
  %d = ttng.reinterpret_tensor_descriptor %map : !tt.ptr<i8> to !tt.tensordesc<tensor<64x64xf16, #shared>>
  tt.return %d : !tt.tensordesc<tensor<64x64xf16, #shared>>
}

// CHECK-LABEL: @tensor_memory
tt.func @tensor_memory(%x: tensor<128x128xf32, #rows>, %f32s: !ttg.memdesc<128x128xf32, #shared32, #smem>, %b: !barrier, %pred: i1) {
  // CHECK: %[[A:.*]] = ttng.tmem_alloc %{{.*}} : (tensor<128x128xf32, #linear>) -> !ttg.memdesc<128x128xf32, #{{.*}}, #ttng.tensor_memory, mutable>
  %a = ttng.tmem_alloc %x : (tensor<128x128xf32, #rows>) -> !accumulator
  // CHECK: %[[R:.*]], %[[T:.*]] = ttng.tmem_alloc : () -> (!ttg.memdesc<128x128xf32, #{{.*}}, #ttng.tensor_memory, mutable>, !ttg.async.token)
  %r, %t = ttng.tmem_alloc : () -> (!accumulator, !ttg.async.token)
  // CHECK: ttng.tmem_load %[[A]] : !ttg.memdesc<128x128xf32, #{{.*}}, #ttng.tensor_memory, mutable> -> tensor<128x128xf32, #linear>
  %y = ttng.tmem_load %a : !accumulator -> tensor<128x128xf32, #rows>
  // CHECK: %{{.*}}, %[[U:.*]] = ttng.tmem_load %[[R]][%[[T]]] : !ttg.memdesc
  %z, %u = ttng.tmem_load %r[%t] : !accumulator -> tensor<128x128xf32, #rows>
  // CHECK: ttng.tmem_store %{{.*}}, %[[A]], %{{.*}} : tensor<128x128xf32, #linear> -> !ttg.memdesc<128x128xf32
  ttng.tmem_store %x, %a, %pred : tensor<128x128xf32, #rows> -> !accumulator
  // CHECK: %{{.*}} = ttng.tmem_store %{{.*}}, %[[R]][%[[U]]], %{{.*}} : tensor
  %v = ttng.tmem_store %x, %r[%u], %pred : tensor<128x128xf32, #rows> -> !accumulator
  // CHECK: ttng.tmem_subslice %[[A]] {N = 64 : i32} : !ttg.memdesc<128x128xf32
  %s = ttng.tmem_subslice %a {N = 64 : i32} : !accumulator -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable, 128x128>
  // CHECK: ttng.tmem_copy %{{.*}}, %[[A]], %{{.*}} : !ttg.memdesc<128x128xf32, #{{.*}}, #smem>, !ttg.memdesc<128x128xf32, #{{.*}}, #ttng.tensor_memory, mutable>, !ttg.memdesc<1xi64
  ttng.tmem_copy %f32s, %a, %b : !ttg.memdesc<128x128xf32, #shared32, #smem>, !accumulator, !barrier
  tt.return
}

// CHECK-LABEL: @tensor_memory_products
tt.func @tensor_memory_products(%a: !ttg.memdesc<128x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x128xf16, #shared, #smem>, %d: !accumulator,
    %t: !ttg.async.token, %pred: i1, %bar: !barrier, %a8: !ttg.memdesc<128x128xf8E4M3FN, #shared8, #smem>,
    %s: !ttg.memdesc<128x4xi8, #scales, #ttng.tensor_memory, mutable>) {
  // CHECK: ttng.tc_gen5_mma %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x128xf16, #shared, #smem>, !ttg.memdesc<128x128xf32, #{{.*}}, #ttng.tensor_memory, mutable>
  ttng.tc_gen5_mma %a, %b, %d, %pred, %pred : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x128xf16, #shared, #smem>, !accumulator
  // CHECK: %[[T:.*]] = ttng.tc_gen5_mma %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}}[], %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}}[%{{[^ ]*}}] {is_async} : {{.*}}, !ttg.memdesc<1xi64, #{{.*}}, #smem, mutable>
  %u = ttng.tc_gen5_mma %a, %b, %d[], %pred, %pred, %bar[%pred] {is_async} : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x128xf16, #shared, #smem>, !accumulator, !barrier
  // CHECK: ttng.tc_gen5_mma %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}}[%[[T]]], %{{.*}} {is_async, two_ctas} :
  %v = ttng.tc_gen5_mma %a, %b, %d[%u], %pred, %pred {is_async, two_ctas} : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x128xf16, #shared, #smem>, !accumulator
  // CHECK: ttng.tc_gen5_mma_scaled %{{.*}} lhs = e4m3 rhs = e4m3 {is_async} : !ttg.memdesc<128x128xf8E4M3FN
  ttng.tc_gen5_mma_scaled %a8, %a8, %d, %s, %s, %pred, %pred lhs = e4m3 rhs = e4m3 {is_async} : !ttg.memdesc<128x128xf8E4M3FN, #shared8, #smem>, !ttg.memdesc<128x128xf8E4M3FN, #shared8, #smem>, !accumulator, !ttg.memdesc<128x4xi8, #scales, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x4xi8, #scales, #ttng.tensor_memory, mutable>
  // CHECK: ttng.tc_gen5_commit %{{.*}} : !ttg.memdesc<1xi64
  ttng.tc_gen5_commit %bar : !barrier
  tt.return
}

// CHECK-LABEL: @partitions
tt.func @partitions(%n: i32, %tile: !tile) -> i32 {
  // CHECK: %[[R:.*]] = ttg.warp_specialize(%{{.*}}, %{{.*}}) attributes {requestedRegisters = array<i32: 24, 80>}
  // CHECK-NEXT: default {
  // CHECK-NEXT:   ttg.warp_yield %{{.*}} : i32
  // CHECK-NEXT: }
  // CHECK-NEXT: partition0(%[[M:.*]]: i32, %{{.*}}: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) num_warps(1) {
  // CHECK-NEXT:   arith.constant dense<0> : tensor<64xi32, #{{.*}}>
  // CHECK-NEXT:   ttg.warp_return
  // CHECK-NEXT: }
  // CHECK-NEXT: partition1(%{{.*}}: i32, %{{.*}}: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) num_warps(4) {
  // CHECK-NEXT:   ttg.warp_return
  // CHECK-NEXT: } : (i32, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) -> i32
  %r = ttg.warp_specialize(%n, %tile) attributes {requestedRegisters = array<i32: 24, 80>}
  default {
    ttg.warp_yield %n : i32
  }
  partition0(%m: i32, %t: !tile) num_warps(1) {
    %x = arith.constant dense<0> : tensor<64xi32, #one>
    ttg.warp_return
  }
  partition1(%m: i32, %t: !tile) num_warps(4) {
    ttg.warp_return
  } : (i32, !tile) -> i32
  ttg.warp_specialize()
  default {
    ttg.warp_yield
  } : () -> ()
  tt.return %r : i32
}
}
