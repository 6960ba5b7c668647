// RUN: triton-opt %s --gpu-pipeline-loops --canonicalize --cse | FileCheck %s
// RUN: triton-opt %s --gpu-pipeline-loops --canonicalize --cse --gpu-resources | FileCheck %s --check-prefix=RESOURCES
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 8 : i32, ttg.target = "cuda:90"} {

// Two warpgroups: threads come to an mbarrier when their dots are done and their copies have arrived, and wait there when the next
// iteration begins. In the loop there is no other barrier.
// CHECK-LABEL: @warpgroups_out_of_step
// CHECK: %[[MEETING:.*]] = ttg.local_alloc : () -> !ttg.memdesc<1xi64
// CHECK: ttng.init_barrier %[[MEETING]], 8
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttg.async_wait {num = 1 : i32}
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: ttng.arrive_barrier %[[MEETING]], 1 {gpu.per_warp}
// CHECK: scf.for {{.*}} iter_args({{.*}}%[[PHASE:[a-z0-9]*]] = %c0_i32, %{{[a-z0-9]*}} = %cst
// CHECK: ttng.wait_barrier %[[MEETING]], %[[PHASE]] deps %{{.*}} {gpu.meets}
// CHECK-COUNT-2: ttng.warp_group_dot {{.*}} {isAsync = true}
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttng.warp_group_dot_wait {{.*}} {gpu.pinned, pendings = 0 : i32}
// CHECK-NEXT: ttg.async_wait {num = 1 : i32}
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: ttng.arrive_barrier %[[MEETING]], 1 {gpu.per_warp}
// CHECK: arith.xori %[[PHASE]], %c1_i32
// CHECK: scf.yield
// CHECK: ttng.wait_barrier %[[MEETING]], %{{.*}} deps
// CHECK: ttng.warp_group_dot
// CHECK: ttng.inval_barrier %[[MEETING]]
// RESOURCES-LABEL: @warpgroups_out_of_step
// RESOURCES: scf.for
// RESOURCES-NOT: ttg.barrier
// RESOURCES: scf.yield
tt.func @warpgroups_out_of_step(%pv: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %qs: tensor<128x64xf16, #blocked>, %ks: tensor<64x64xf16, #blocked>, %n: i32) -> tensor<128x64xf32, #mma> {
  %q = ttg.local_alloc %qs : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
  %k = ttg.local_alloc %ks : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
  ttng.fence_async_shared {bCluster = false}
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = arith.constant dense<0.0> : tensor<128x64xf32, #mma>
  %columns = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %row = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
  %offsets = tt.broadcast %row : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
  %vs = tt.splat %pv : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
  %vp = tt.addptr %vs, %offsets : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> (tensor<128x64xf32, #mma>) : i32 {
    %s = ttng.warp_group_dot %q, %k, %c : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<128x64xf32, #mma>
    %m = "tt.reduce"(%s) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<128x64xf32, #mma>) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>>
    %me = tt.expand_dims %m {axis = 1 : i32} : tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>> -> tensor<128x1xf32, #mma>
    %mb = tt.broadcast %me : tensor<128x1xf32, #mma> -> tensor<128x64xf32, #mma>
    %e = arith.subf %s, %mb : tensor<128x64xf32, #mma>
    %h = arith.truncf %e : tensor<128x64xf32, #mma> to tensor<128x64xf16, #mma>
    %p = ttg.convert_layout %h : tensor<128x64xf16, #mma> -> tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %scaled = arith.mulf %acc, %mb : tensor<128x64xf32, #mma>
    %v = tt.load %vp : tensor<64x64x!tt.ptr<f16>, #blocked>
    %y = ttg.local_alloc %v : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %p, %y, %scaled : tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<128x64xf32, #mma>
    scf.yield %d : tensor<128x64xf32, #mma>
  }
  tt.return %r : tensor<128x64xf32, #mma>
}

}
