// RUN: triton-opt %s --gpu-lower-descriptors | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
// CHECK-DAG: #linear = #ttg.linear<{register = {{\[\[1\], \[2\], \[4\]\]}}, lane = {{\[\[0\], \[0\], \[0\], \[0\], \[0\]\]}}, warp = {{\[\[8\], \[16\]\]}}, block = []}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @load_and_store
tt.func @load_and_store(%d: !tt.tensordesc<tensor<64x64xf16>>, %i: i32) {
  // CHECK: %[[BUFFER:.*]] = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  // CHECK: %[[BARRIER:.*]] = ttg.local_alloc : () -> !ttg.memdesc<1xi64
  // CHECK: ttng.init_barrier %[[BARRIER]], 1
  // CHECK: ttng.barrier_expect %[[BARRIER]], 8192, %[[TRUE:.*]] :
  // CHECK: ttng.async_tma_copy_global_to_local %{{.*}}[%{{.*}}, %{{.*}}] %[[BUFFER]], %[[BARRIER]], %[[TRUE]]
  // CHECK: ttng.wait_barrier %[[BARRIER]], %{{.*}}
  // CHECK: %[[X:.*]] = ttg.local_load %[[BUFFER]]
  // CHECK: ttng.inval_barrier %[[BARRIER]]
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16, #blocked>
  // CHECK: %[[OUT:.*]] = ttg.local_alloc %[[X]] : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  // CHECK: ttng.async_tma_copy_local_to_global %{{.*}}[%{{.*}}, %{{.*}}] %[[OUT]]
  // CHECK: ttng.async_tma_store_wait {pendings = 0 : i32}
  tt.descriptor_store %d[%i, %i], %x : !tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16, #blocked>
  tt.return
}

// What fills a buffer is copied there.
// CHECK-LABEL: @fill
tt.func @fill(%d: !tt.tensordesc<tensor<64x64xf16>>, %i: i32) -> tensor<64x64xf16, #blocked> {
  // CHECK: %[[BUFFER:.*]] = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  // CHECK-NOT: ttg.local_alloc %
  // CHECK: %[[T:.*]] = ttg.memdesc_trans %[[BUFFER]]
  // CHECK: ttg.local_load %[[T]]
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16, #blocked>
  %a = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
  %t = ttg.memdesc_trans %a {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #shared, #smem> -> !ttg.memdesc<64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>, #smem>
  %y = ttg.local_load %t : !ttg.memdesc<64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>, #smem> -> tensor<64x64xf16, #blocked>
  tt.return %y : tensor<64x64xf16, #blocked>
}

// Updates and rows go through buffers too.
// CHECK-LABEL: @update
tt.func @update(%d: !tt.tensordesc<tensor<64x64xf16>>, %i: i32, %x: tensor<64x64xf16, #blocked>) {
  // CHECK: %[[BUFFER:.*]] = ttg.local_alloc %{{.*}} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  // CHECK: ttng.async_tma_reduce max, %{{.*}}[%{{.*}}, %{{.*}}] %[[BUFFER]]
  // CHECK: ttng.async_tma_store_wait {pendings = 0 : i32}
  tt.descriptor_reduce max, %d[%i, %i], %x : !tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16, #blocked>
  tt.return
}

// CHECK-LABEL: @rows
tt.func @rows(%d: !tt.tensordesc<tensor<1x64xf16, #shared>>, %n: tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>>, %y: i32) {
  // CHECK: %[[ROWS:.*]] = ttg.convert_layout %{{.*}} -> tensor<32xi32, #linear>
  // CHECK: %[[BUFFER:.*]] = ttg.local_alloc : () -> !ttg.memdesc<32x64xf16, #shared, #smem, mutable>
  // CHECK: ttng.barrier_expect %[[BARRIER:.*]], 4096,
  // CHECK: ttng.async_tma_gather %{{.*}}[%[[ROWS]], %{{.*}}] %[[BUFFER]], %[[BARRIER]]
  // CHECK: %[[X:.*]] = ttg.local_load %[[BUFFER]]
  %x = tt.descriptor_gather %d[%n, %y] : (!tt.tensordesc<tensor<1x64xf16, #shared>>, tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>>, i32) -> tensor<32x64xf16, #blocked>
  // CHECK: %[[OUT:.*]] = ttg.local_alloc %[[X]]
  // CHECK: ttng.async_tma_scatter %{{.*}}[%{{.*}}, %{{.*}}] %[[OUT]]
  // CHECK: ttng.async_tma_store_wait {pendings = 0 : i32}
  tt.descriptor_scatter %d[%n, %y], %x : !tt.tensordesc<tensor<1x64xf16, #shared>>, tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>>, i32, tensor<32x64xf16, #blocked>
  tt.return
}

// Pointers are for threads.
// CHECK-LABEL: @pointers
tt.func @pointers(%p: tensor<64x64x!tt.ptr<f16>, #blocked>) {
  // CHECK-NEXT: %[[X:.*]] = tt.load
  // CHECK-NEXT: tt.store {{.*}}, %[[X]]
  // CHECK-NEXT: tt.return
  %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #blocked>
  tt.store %p, %x : tensor<64x64x!tt.ptr<f16>, #blocked>
  tt.return
}
}
