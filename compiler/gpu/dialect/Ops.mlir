// Every layout, type and op of `ttg` and `ttng` reads as it prints.
// RUN: triton-opt %s | triton-opt | FileCheck %s

// CHECK-DAG: #[[B1:.*]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[B2:.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[CLUSTER:.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = {{\[\[}}0, 1], [0, 0]]}>
// CHECK-DAG: #[[MMA2:.*]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
// CHECK-DAG: #[[MMA3:.*]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
// CHECK-DAG: #[[LINEAR:.*]] = #ttg.linear<{register = {{\[\[}}0, 1], [0, 8]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}8, 0], [0, 0]], block = []}>
// CHECK-DAG: #[[SWIZZLED:.*]] = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
// CHECK-DAG: #[[NVMMA:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: #[[NVMMAT:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
// CHECK-DAG: #[[NVMMA3:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 3}>
// CHECK-DAG: #[[PADDED:.*]] = #ttg.padded_shared<[32:+4] {order = [1, 0], shape = [16, 32]}>
// CHECK-DAG: #[[PADDED2:.*]] = #ttg.padded_shared<[4:+1, 8:+2] {offset = {{\[\[}}0, 1], [1, 0], [0, 2]], block = []}>
// CHECK-DAG: #[[SHARED_LINEAR:.*]] = #ttg.shared_linear<{offset = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 2]]}, alignment = 32>
// CHECK-DAG: #[[SMEM:.*]] = #ttg.shared_memory
// CHECK-DAG: #[[TMEM:.*]] = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
// CHECK-DAG: #[[SCALES:.*]] = #ttng.tensor_memory_scales_encoding<>
#b1 = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b2 = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#cluster = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0], CTAsPerCGA = [1, 4], CTASplitNum = [1, 2], CTAOrder = [1, 0]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#mma3 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#linear = #ttg.linear<{register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [0, 0]], block = []}>
#swizzled = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmmat = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#nvmma3 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 3}>
#padded = #ttg.padded_shared<[32:+4] {order = [1, 0], shape = [16, 32]}>
#padded2 = #ttg.padded_shared<[4:+1, 8:+2] {offset = [[0, 1], [1, 0], [0, 2]], block = []}>
#shared_linear = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 2]]}, alignment = 32>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
#scales = #ttng.tensor_memory_scales_encoding<>
#tensor_memory = #ttng.tensor_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: @attributes
tt.func @attributes(%blocked: tensor<128xf32, #b1>, %slice: tensor<64xf32, #ttg.slice<{dim = 0, parent = #b2}>>,
    %mma: tensor<64x64xf32, #mma2>, %lhs: tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 2}>>,
    %fma: tensor<32x64xf32, #ttg.dot_op<{opIdx = 1, parent = #b2}>>, %linear: tensor<16x16xi8, #linear>,
    %padded: !ttg.memdesc<16x32xf16, #padded, #smem>, %padded2: !ttg.memdesc<2x4xf16, #padded2, #smem>,
    %shared_linear: !ttg.memdesc<4x4xf32, #shared_linear, #smem, mutable>, %swizzled: !ttg.memdesc<3x64x64xi32, #swizzled, #smem>,
    %tmem: !ttg.memdesc<128x128xf32, #tmem, #tensor_memory, mutable>, %scales: !ttg.memdesc<128x4xi8, #scales, #tensor_memory, mutable>,
    %token: !ttg.async.token) {
  // CHECK-SAME: tensor<128xf32, #[[B1]]>
  // CHECK-SAME: tensor<64xf32, #ttg.slice<{dim = 0, parent = #[[B2]]}>>
  // CHECK-SAME: tensor<64x64xf32, #[[MMA2]]>
  // CHECK-SAME: tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #[[MMA2]], kWidth = 2}>>
  // CHECK-SAME: tensor<32x64xf32, #ttg.dot_op<{opIdx = 1, parent = #[[B2]]}>>
  // CHECK-SAME: tensor<16x16xi8, #[[LINEAR]]>
  // CHECK-SAME: !ttg.memdesc<16x32xf16, #[[PADDED]], #[[SMEM]]>
  // CHECK-SAME: !ttg.memdesc<2x4xf16, #[[PADDED2]], #[[SMEM]]>
  // CHECK-SAME: !ttg.memdesc<4x4xf32, #[[SHARED_LINEAR]], #[[SMEM]], mutable>
  // CHECK-SAME: !ttg.memdesc<3x64x64xi32, #[[SWIZZLED]], #[[SMEM]]>
  // CHECK-SAME: !ttg.memdesc<128x128xf32, #[[TMEM]], #ttng.tensor_memory, mutable>
  // CHECK-SAME: !ttg.memdesc<128x4xi8, #[[SCALES]], #ttng.tensor_memory, mutable>
  // CHECK-SAME: !ttg.async.token
  tt.return
}

// CHECK: @clusters(tensor<64x64xf16, #[[CLUSTER]]>)
tt.func private @clusters(tensor<64x64xf16, #cluster>)

// CHECK-LABEL: @convert
tt.func @convert(%x: tensor<64x64xf16, #b2>) -> tensor<64x64xf16, #mma2> {
  // CHECK: ttg.convert_layout %{{.*}} : tensor<64x64xf16, #[[B2]]> -> tensor<64x64xf16, #[[MMA2]]>
  %y = ttg.convert_layout %x : tensor<64x64xf16, #b2> -> tensor<64x64xf16, #mma2>
  tt.return %y : tensor<64x64xf16, #mma2>
}

// CHECK-LABEL: @buffers
tt.func @buffers(%x: tensor<64x64xf16, #b2>, %i: i32) {
  // CHECK: %[[A:.*]] = ttg.local_alloc %{{.*}} : (tensor<64x64xf16, #[[B2]]>) -> !ttg.memdesc<64x64xf16, #[[NVMMA]], #[[SMEM]]>
  %a = ttg.local_alloc %x : (tensor<64x64xf16, #b2>) -> !ttg.memdesc<64x64xf16, #nvmma, #smem>
  // CHECK: %[[ROW:.*]] = ttg.local_alloc {alignment = 1024 : i32} : () -> !ttg.memdesc<3x64x64xf16, #[[NVMMA]], #[[SMEM]], mutable>
  %row = ttg.local_alloc {alignment = 1024 : i32} : () -> !ttg.memdesc<3x64x64xf16, #nvmma, #smem, mutable>
  // CHECK: %[[ONE:.*]] = ttg.memdesc_index %[[ROW]][%{{.*}}] : !ttg.memdesc<3x64x64xf16, #[[NVMMA]], #[[SMEM]], mutable> -> !ttg.memdesc<64x64xf16, #[[NVMMA]], #[[SMEM]], mutable>
  %one = ttg.memdesc_index %row[%i] : !ttg.memdesc<3x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  // CHECK: ttg.local_store %{{.*}}, %[[ONE]] : tensor<64x64xf16, #[[B2]]> -> !ttg.memdesc<64x64xf16, #[[NVMMA]], #[[SMEM]], mutable>
  ttg.local_store %x, %one : tensor<64x64xf16, #b2> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  // CHECK: ttg.local_load %[[A]] : !ttg.memdesc<64x64xf16, #[[NVMMA]], #[[SMEM]]> -> tensor<64x64xf16, #[[B2]]>
  %y = ttg.local_load %a : !ttg.memdesc<64x64xf16, #nvmma, #smem> -> tensor<64x64xf16, #b2>
  // CHECK: ttg.memdesc_subslice %[[A]][32, 0] : !ttg.memdesc<64x64xf16, #[[NVMMA]], #[[SMEM]]> -> !ttg.memdesc<32x64xf16, #[[NVMMA]], #[[SMEM]], 64x64>
  %s = ttg.memdesc_subslice %a[32, 0] : !ttg.memdesc<64x64xf16, #nvmma, #smem> -> !ttg.memdesc<32x64xf16, #nvmma, #smem, 64x64>
  // CHECK: ttg.memdesc_trans %[[A]] {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #[[NVMMA]], #[[SMEM]]> -> !ttg.memdesc<64x64xf16, #[[NVMMAT]], #[[SMEM]]>
  %t = ttg.memdesc_trans %a {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #nvmma, #smem> -> !ttg.memdesc<64x64xf16, #nvmmat, #smem>
  // CHECK: ttg.memdesc_reshape %[[A]] : !ttg.memdesc<64x64xf16, #[[NVMMA]], #[[SMEM]]> -> !ttg.memdesc<2x32x64xf16, #[[NVMMA3]], #[[SMEM]]>
  %r = ttg.memdesc_reshape %a : !ttg.memdesc<64x64xf16, #nvmma, #smem> -> !ttg.memdesc<2x32x64xf16, #nvmma3, #smem>
  // CHECK: ttg.memdesc_reinterpret %[[A]] : !ttg.memdesc<64x64xf16, #[[NVMMA]], #[[SMEM]]> -> !ttg.memdesc<32x64xi32, #[[SWIZZLED]], #[[SMEM]]>
  %q = ttg.memdesc_reinterpret %a : !ttg.memdesc<64x64xf16, #nvmma, #smem> -> !ttg.memdesc<32x64xi32, #swizzled, #smem>
  // CHECK: ttg.local_dealloc %[[ROW]] : !ttg.memdesc<3x64x64xf16, #[[NVMMA]], #[[SMEM]], mutable>
  ttg.local_dealloc %row : !ttg.memdesc<3x64x64xf16, #nvmma, #smem, mutable>
  // CHECK: ttg.barrier
  ttg.barrier
  tt.return
}

// CHECK-LABEL: @copies
tt.func @copies(%pointers: tensor<64x64x!tt.ptr<f16>, #b2>, %mask: tensor<64x64xi1, #b2>, %other: tensor<64x64xf16, #b2>,
    %buffer: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) {
  // CHECK: %[[T:.*]] = ttg.async_copy_global_to_local %{{.*}}, %{{.*}} mask %{{.*}} other %{{.*}} cacheModifier = cg : tensor<64x64x!tt.ptr<f16>, #[[B2]]> -> <64x64xf16, #[[NVMMA]], #[[SMEM]], mutable>
  %t = ttg.async_copy_global_to_local %pointers, %buffer mask %mask other %other cacheModifier = cg : tensor<64x64x!tt.ptr<f16>, #b2> -> <64x64xf16, #nvmma, #smem, mutable>
  // CHECK: ttg.async_copy_global_to_local %{{.*}}, %{{.*}} : tensor
  %u = ttg.async_copy_global_to_local %pointers, %buffer : tensor<64x64x!tt.ptr<f16>, #b2> -> <64x64xf16, #nvmma, #smem, mutable>
  // CHECK: %[[G:.*]] = ttg.async_commit_group tokens %[[T]], %{{.*}}
  %g = ttg.async_commit_group tokens %t, %u
  // CHECK: %[[W:.*]] = ttg.async_wait %[[G]] {num = 2 : i32}
  %w = ttg.async_wait %g {num = 2 : i32}
  // CHECK: ttg.async_wait {num = 0 : i32}
  ttg.async_wait {num = 0 : i32}
  // CHECK: ttg.local_load %{{.*}} token %[[W]] : !ttg.memdesc
  %x = ttg.local_load %buffer token %w : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16, #b2>
  tt.return
}

// CHECK-LABEL: @warp_group_dots
tt.func @warp_group_dots(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem>, %b: !ttg.memdesc<64x64xf16, #nvmmat, #smem>,
    %registers: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma3, kWidth = 2}>>, %c: tensor<64x64xf32, #mma3>, %use: i1) {
  // CHECK: ttng.fence_async_shared {bCluster = false}
  ttng.fence_async_shared {bCluster = false}
  // CHECK: %[[D:.*]] = ttng.warp_group_dot %{{.*}}, %{{.*}}, %{{.*}} {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #[[NVMMA]], #[[SMEM]]> * !ttg.memdesc<64x64xf16, #[[NVMMAT]], #[[SMEM]]> -> tensor<64x64xf32, #[[MMA3]]>
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #nvmma, #smem> * !ttg.memdesc<64x64xf16, #nvmmat, #smem> -> tensor<64x64xf32, #mma3>
  // CHECK: %[[E:.*]] = ttng.warp_group_dot %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #[[MMA3]], kWidth = 2}>> * !ttg.memdesc
  %e = ttng.warp_group_dot %registers, %b, %c, %use : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma3, kWidth = 2}>> * !ttg.memdesc<64x64xf16, #nvmmat, #smem> -> tensor<64x64xf32, #mma3>
  // CHECK: ttng.warp_group_dot_wait %[[D]], %[[E]] {pendings = 1 : i32} : tensor<64x64xf32, #[[MMA3]]>, tensor<64x64xf32, #[[MMA3]]>
  %w:2 = ttng.warp_group_dot_wait %d, %e {pendings = 1 : i32} : tensor<64x64xf32, #mma3>, tensor<64x64xf32, #mma3>
  tt.return
}
}
