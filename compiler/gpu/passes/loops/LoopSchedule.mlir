// The table of a pipelined loop: of each buffer its depth, producer and release, of each op its stage and cluster.
// RUN: triton-opt %s --gpu-pipeline-loops=print-plan -o /dev/null | FileCheck %s
// RUN: triton-opt %s --gpu-pipeline-loops | FileCheck %s --check-prefix=CLEARED
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {

// Loads run ahead, and what computes their addresses with them; copies begin behind the dot, which stays in flight.
// CHECK: loop of 3 stages
// CHECK-NEXT: buffer of tt.load: !ttg.memdesc<64x64xf16, {{.*}}>, depth 3, filled by cp.async in stage 0, released by a barrier of all threads
// CHECK-NEXT: buffer of tt.load: {{.*}}, depth 3, filled by cp.async in stage 0
// CHECK-NEXT: tt.load: stage 0 cluster 2
// CHECK-NEXT: tt.load: stage 0 cluster 2
// CHECK-NEXT: ttg.local_alloc: stage 2 cluster 1
// CHECK-NEXT: ttng.fence_async_shared: stage 2 cluster 1
// CHECK-NEXT: ttg.local_alloc: stage 2 cluster 1
// CHECK-NEXT: ttng.fence_async_shared: stage 2 cluster 1
// CHECK-NEXT: ttng.warp_group_dot: stage 2 cluster 1, in flight
// CHECK-NEXT: tt.addptr: stage 0 cluster 2
// CHECK-NEXT: tt.addptr: stage 0 cluster 2
tt.func @one_product(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pb: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %columns = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %row = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
  %offsets = tt.broadcast %row : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
  %step = arith.constant dense<64> : tensor<64x64xi32, #blocked>
  %as = tt.splat %pa : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
  %bs = tt.splat %pb : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
  %a0 = tt.addptr %as, %offsets : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
  %b0 = tt.addptr %bs, %offsets : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
  %r:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %c, %ap = %a0, %bp = %b0) -> (tensor<64x64xf32, #mma>, tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64x!tt.ptr<f16>, #blocked>) : i32 {
    %a = tt.load %ap : tensor<64x64x!tt.ptr<f16>, #blocked>
    %b = tt.load %bp : tensor<64x64x!tt.ptr<f16>, #blocked>
    %x = ttg.local_alloc %a : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    ttng.fence_async_shared {bCluster = false}
    %y = ttg.local_alloc %b : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %x, %y, %acc : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %an = tt.addptr %ap, %step : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
    %bn = tt.addptr %bp, %step : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
    scf.yield %d, %an, %bn : tensor<64x64xf32, #mma>, tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64x!tt.ptr<f16>, #blocked>
  }
  tt.return %r#0 : tensor<64x64xf32, #mma>
}

// Scales of two bytes for each thread are too narrow for copies: they are loaded an iteration ahead, into registers.
// CHECK: loop of 3 stages
// CHECK-NEXT: buffer of tt.load: !ttg.memdesc<64x64xf16, {{.*}}>, depth 3, filled by cp.async in stage 0
// CHECK-NEXT: loaded into registers, an iteration ahead: tensor<64xf16,
// CHECK-NEXT: tt.load: stage 0 cluster 2
// CHECK-NEXT: tt.addptr: stage 1 cluster 2
// CHECK-NEXT: tt.splat: stage 1 cluster 2
// CHECK-NEXT: tt.addptr: stage 1 cluster 2
// CHECK-NEXT: tt.load: stage 1 cluster 2
// CHECK-NEXT: tt.expand_dims: stage 2
tt.func @scales(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %ps: !tt.ptr<f16>, %q: !ttg.memdesc<64x64xf16, #shared, #smem>, %n: i32) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %columns = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
  %row = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
  %offsets = tt.broadcast %row : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
  %as = tt.splat %pa : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
  %ap = tt.addptr %as, %offsets : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<64x64x!tt.ptr<f16>, #blocked>
    %base = tt.addptr %ps, %i : !tt.ptr<f16>, i32
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>, #ttg.slice<{dim = 1, parent = #blocked}>>
    %sp = tt.addptr %bases, %rows : tensor<64x!tt.ptr<f16>, #ttg.slice<{dim = 1, parent = #blocked}>>, tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %scale = tt.load %sp : tensor<64x!tt.ptr<f16>, #ttg.slice<{dim = 1, parent = #blocked}>>
    %se = tt.expand_dims %scale {axis = 1 : i32} : tensor<64xf16, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xf16, #blocked>
    %sb = tt.broadcast %se : tensor<64x1xf16, #blocked> -> tensor<64x64xf16, #blocked>
    %scaled = arith.mulf %a, %sb : tensor<64x64xf16, #blocked>
    %y = ttg.local_alloc %scaled : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %q, %y, %acc : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// Rotated: the second dot is done an iteration later, and so is the copy that it reads.
// CHECK: loop of 3 stages
// CHECK-NEXT: buffer of tt.load: {{.*}}, depth 3, filled by cp.async in stage 1, released by a barrier of all threads
// CHECK-NEXT: ttng.warp_group_dot: stage 2 cluster 1
// CHECK-NEXT: tt.reduce: stage 2 cluster 3
// CHECK: arith.mulf: stage 2 cluster 3
// CHECK-NEXT: tt.load: stage 1 cluster 2
// CHECK: ttng.warp_group_dot: stage 3 cluster 1, in flight
// Before the first iteration the buffer that the delayed dot reads is cleared, 16 bytes at a time.
// CLEARED-LABEL: tt.func @attention
// CLEARED: ttg.local_store %{{.*}} : tensor<64x64xf16, #blocked> ->
tt.func @attention(%pv: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !ttg.memdesc<64x64xf16, #shared, #smem>, %k: !ttg.memdesc<64x64xf16, #shared, #smem>, %n: i32) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %columns = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %row = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
  %offsets = tt.broadcast %row : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
  %vs = tt.splat %pv : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
  %vp = tt.addptr %vs, %offsets : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
    %s = ttng.warp_group_dot %q, %k, %c : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %m = "tt.reduce"(%s) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>>
    %me = tt.expand_dims %m {axis = 1 : i32} : tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>> -> tensor<64x1xf32, #mma>
    %mb = tt.broadcast %me : tensor<64x1xf32, #mma> -> tensor<64x64xf32, #mma>
    %e = arith.subf %s, %mb : tensor<64x64xf32, #mma>
    %h = arith.truncf %e : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
    %p = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %scaled = arith.mulf %acc, %mb : tensor<64x64xf32, #mma>
    %v = tt.load %vp : tensor<64x64x!tt.ptr<f16>, #blocked>
    %y = ttg.local_alloc %v : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %p, %y, %scaled : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// A producer warp takes over what runs ahead; the warpgroup tells it which buffers are free.
// CHECK: loop of 3 stages, copies by a producer warp
// CHECK-NEXT: buffer of tt.descriptor_load: {{.*}}, depth 3, filled by TMA in stage 0, released by its mbarrier, warpgroup by warpgroup
// CHECK-NEXT: buffer of tt.descriptor_load
// CHECK-NEXT: tt.descriptor_load: stage 0 cluster 2
// CHECK: ttng.warp_group_dot: stage 2 cluster 1, in flight
// CHECK-NEXT: arith.addi: stage 0 cluster 2
tt.func @product(%da: !tt.tensordesc<tensor<64x64xf16>>, %db: !tt.tensordesc<tensor<64x64xf16>>, %n: i32, %column: i32) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %width = arith.constant 64 : i32
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %pid = tt.get_program_id x : i32
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%acc = %c, %at = %zero) -> (tensor<64x64xf32, #mma>, i32) : i32 {
    %a = tt.descriptor_load %da[%pid, %at] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16, #blocked>
    %b = tt.descriptor_load %db[%at, %column] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16, #blocked>
    %x = ttg.local_alloc %a : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    ttng.fence_async_shared {bCluster = false}
    %y = ttg.local_alloc %b : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %x, %y, %acc : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %next = arith.addi %at, %width : i32
    scf.yield %d, %next : tensor<64x64xf32, #mma>, i32
  } {tt.warp_specialize}
  tt.return %r#0 : tensor<64x64xf32, #mma>
}

// An index that the copy and the rest of the iteration both use is computed for each.
// CHECK: loop of 3 stages
// CHECK: arith.muli: stage 2 cluster 1, again in stage 0 cluster 2
tt.func @shared_index(%da: !tt.tensordesc<tensor<64x64xf16>>, %db: !tt.tensordesc<tensor<64x64xf16>>, %n: i32, %column: i32) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %width = arith.constant 64 : i32
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %pid = tt.get_program_id x : i32
  %r:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %c, %at = %zero, %sum = %zero) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %k = arith.muli %i, %width : i32
    %a = tt.descriptor_load %da[%pid, %k] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16, #blocked>
    %b = tt.descriptor_load %db[%at, %column] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16, #blocked>
    %x = ttg.local_alloc %a : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    ttng.fence_async_shared {bCluster = false}
    %y = ttg.local_alloc %b : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %x, %y, %acc : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %next = arith.addi %at, %width : i32
    %more = arith.addi %sum, %k : i32
    scf.yield %d, %next, %more : tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %r#0 : tensor<64x64xf32, #mma>
}
}
