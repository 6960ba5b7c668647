// RUN: triton-opt %s --gpu-pipeline-loops --canonicalize --cse | FileCheck %s
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma2, kWidth = 2}>
#fours = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma32 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 8]}>
#words = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#wordsAlongK = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: @one_product
// CHECK-DAG: %[[A:.*]] = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16
// CHECK-DAG: %[[B:.*]] = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16
// CHECK: ttg.async_copy_global_to_local {{.*}} mask
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttg.async_commit_group
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttg.async_commit_group
// CHECK: ttg.async_wait {num = 1 : i32}
// CHECK-NEXT: ttng.fence_async_shared
// CHECK: scf.for
// CHECK-NOT: tt.load
// CHECK-NOT: ttg.async_wait
// CHECK: ttg.barrier
// CHECK: %[[D:.*]] = ttng.warp_group_dot {{.*}} {isAsync = true}
// CHECK-NEXT: %[[W:.*]] = ttng.warp_group_dot_wait %[[D]] {pendings = 1 : i32}
// CHECK-NEXT: ttg.barrier
// CHECK: ttg.async_copy_global_to_local {{.*}} mask
// CHECK: ttg.async_copy_global_to_local {{.*}} mask
// CHECK: ttg.async_commit_group
// CHECK: ttg.async_wait {num = 1 : i32}
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: scf.yield %[[W]],
// CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
// CHECK-NEXT: ttg.async_wait {num = 0 : i32}
// CHECK-NEXT: ttg.local_dealloc
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

// Operands are read into registers: only one barrier, and copies begin right behind it.
// CHECK-LABEL: @by_warps
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<4x64x64xf16
// CHECK: scf.for
// CHECK: ttg.async_wait {num = 2 : i32}
// CHECK-NEXT: ttg.barrier
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttg.async_commit_group
// CHECK: ttg.local_load {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0
// CHECK: ttg.local_load {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 1
// CHECK-NOT: ttg.barrier
// CHECK: tt.dot
// CHECK: scf.yield
tt.func @by_warps(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pb: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<64x64xf32, #mma2> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #mma2>
  %columns = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %row = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
  %offsets = tt.broadcast %row : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
  %as = tt.splat %pa : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
  %bs = tt.splat %pb : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> (tensor<64x64xf32, #mma2>) : i32 {
    %at = tt.splat %i : i32 -> tensor<64x64xi32, #blocked>
    %sixteen = arith.constant dense<16> : tensor<64x64xi32, #blocked>
    %along = arith.muli %at, %sixteen : tensor<64x64xi32, #blocked>
    %shift = arith.addi %offsets, %along : tensor<64x64xi32, #blocked>
    %ap = tt.addptr %as, %shift : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
    %bp = tt.addptr %bs, %shift : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
    %a = tt.load %ap : tensor<64x64x!tt.ptr<f16>, #blocked>
    %b = tt.load %bp : tensor<64x64x!tt.ptr<f16>, #blocked>
    %x = ttg.convert_layout %a : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #left>
    %y = ttg.convert_layout %b : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #right>
    %d = tt.dot %x, %y, %acc : tensor<64x64xf16, #left> * tensor<64x64xf16, #right> -> tensor<64x64xf32, #mma2>
    scf.yield %d : tensor<64x64xf32, #mma2>
  } {tt.num_stages = 4 : i32}
  tt.return %r : tensor<64x64xf32, #mma2>
}

// CHECK-LABEL: @one_stage
// CHECK: scf.for
// CHECK: tt.load
// CHECK-NOT: async
tt.func @one_stage(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pb: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<64x64xf32, #mma2> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #mma2>
  %columns = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %row = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
  %offsets = tt.broadcast %row : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
  %as = tt.splat %pa : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
  %bs = tt.splat %pb : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> (tensor<64x64xf32, #mma2>) : i32 {
    %at = tt.splat %i : i32 -> tensor<64x64xi32, #blocked>
    %sixteen = arith.constant dense<16> : tensor<64x64xi32, #blocked>
    %along = arith.muli %at, %sixteen : tensor<64x64xi32, #blocked>
    %shift = arith.addi %offsets, %along : tensor<64x64xi32, #blocked>
    %ap = tt.addptr %as, %shift : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
    %bp = tt.addptr %bs, %shift : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
    %a = tt.load %ap : tensor<64x64x!tt.ptr<f16>, #blocked>
    %b = tt.load %bp : tensor<64x64x!tt.ptr<f16>, #blocked>
    %x = ttg.convert_layout %a : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #left>
    %y = ttg.convert_layout %b : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #right>
    %d = tt.dot %x, %y, %acc : tensor<64x64xf16, #left> * tensor<64x64xf16, #right> -> tensor<64x64xf32, #mma2>
    scf.yield %d : tensor<64x64xf32, #mma2>
  } {tt.num_stages = 1 : i32}
  tt.return %r : tensor<64x64xf32, #mma2>
}

// The loop writes what it reads.
// CHECK-LABEL: @updated_in_place
// CHECK: scf.for
// CHECK: ttg.async_copy_global_to_local
// CHECK-NOT: ttg.async_copy_global_to_local
// CHECK: tt.load
// CHECK: tt.store
tt.func @updated_in_place(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pb: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<64x64xf32, #mma2> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #mma2>
  %columns = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %row = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
  %offsets = tt.broadcast %row : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
  %as = tt.splat %pa : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
  %bs = tt.splat %pb : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> (tensor<64x64xf32, #mma2>) : i32 {
    %at = tt.splat %i : i32 -> tensor<64x64xi32, #blocked>
    %sixteen = arith.constant dense<16> : tensor<64x64xi32, #blocked>
    %along = arith.muli %at, %sixteen : tensor<64x64xi32, #blocked>
    %shift = arith.addi %offsets, %along : tensor<64x64xi32, #blocked>
    %ap = tt.addptr %as, %shift : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
    %bp = tt.addptr %bs, %shift : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
    %a = tt.load %ap : tensor<64x64x!tt.ptr<f16>, #blocked>
    %b = tt.load %bp : tensor<64x64x!tt.ptr<f16>, #blocked>
    %x = ttg.convert_layout %a : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #left>
    %y = ttg.convert_layout %b : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #right>
    %d = tt.dot %x, %y, %acc : tensor<64x64xf16, #left> * tensor<64x64xf16, #right> -> tensor<64x64xf32, #mma2>
    tt.store %ap, %a : tensor<64x64x!tt.ptr<f16>, #blocked>
    scf.yield %d : tensor<64x64xf32, #mma2>
  }
  tt.return %r : tensor<64x64xf32, #mma2>
}

// 32-bit elements must lie along K for wgmma, but lie along N in memory: they are copied as they are, and transposed on the way through registers.
// CHECK-LABEL: @transposed_through_registers
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<3x32x64xf32, #[[SWIZZLED:.*]], #smem, mutable>
// CHECK: scf.for
// CHECK: ttg.async_copy_global_to_local
// CHECK: %[[B:.*]] = ttg.local_load {{.*}}#[[SWIZZLED]]{{.*}} -> tensor<32x64xf32, #[[THREADS:.*]]>
// CHECK: ttg.local_alloc %[[B]] : (tensor<32x64xf32, #[[THREADS]]>) -> !ttg.memdesc<32x64xf32, #{{.*}}, #smem>
// CHECK: ttng.warp_group_dot
tt.func @transposed_through_registers(%pb: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %a: !ttg.memdesc<64x32xf32, #words, #smem>, %n: i32) -> tensor<64x64xf32, #mma32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #mma32>
  %columns = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #fours}>>
  %row = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #fours}>> -> tensor<1x64xi32, #fours>
  %offsets = tt.broadcast %row : tensor<1x64xi32, #fours> -> tensor<32x64xi32, #fours>
  %bs = tt.splat %pb : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>, #fours>
  %bp = tt.addptr %bs, %offsets : tensor<32x64x!tt.ptr<f32>, #fours>, tensor<32x64xi32, #fours>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> (tensor<64x64xf32, #mma32>) : i32 {
    %b = tt.load %bp : tensor<32x64x!tt.ptr<f32>, #fours>
    %y = ttg.local_alloc %b : (tensor<32x64xf32, #fours>) -> !ttg.memdesc<32x64xf32, #wordsAlongK, #smem>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %a, %y, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x32xf32, #words, #smem> * !ttg.memdesc<32x64xf32, #wordsAlongK, #smem> -> tensor<64x64xf32, #mma32>
    scf.yield %d : tensor<64x64xf32, #mma32>
  }
  tt.return %r : tensor<64x64xf32, #mma32>
}

// With nothing but rings to read, the dot stays in flight: what it reads is not stored over in the next iteration.
// CHECK-LABEL: @transposed_in_turns
// CHECK: %[[PAIR:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x32x64xf32
// CHECK: scf.for {{.*}}%[[TURN:[a-z0-9]*]] = %c0_i32)
// CHECK: %[[B:.*]] = ttg.local_load
// CHECK: %[[VIEW:.*]] = ttg.memdesc_index %[[PAIR]][%[[TURN]]]
// CHECK: ttg.local_store %[[B]], %[[VIEW]]
// CHECK: ttng.fence_async_shared
// CHECK: ttng.warp_group_dot %{{.*}}, %[[VIEW]], {{.*}}isAsync = true
// CHECK: ttng.warp_group_dot_wait {{.*}}pendings = 1
// CHECK: arith.xori %[[TURN]], %c1_i32
tt.func @transposed_in_turns(%pb: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %left: tensor<64x32xf32, #fours>, %n: i32) -> tensor<64x64xf32, #mma32> {
  %a = ttg.local_alloc %left : (tensor<64x32xf32, #fours>) -> !ttg.memdesc<64x32xf32, #words, #smem>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #mma32>
  %columns = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #fours}>>
  %row = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #fours}>> -> tensor<1x64xi32, #fours>
  %offsets = tt.broadcast %row : tensor<1x64xi32, #fours> -> tensor<32x64xi32, #fours>
  %bs = tt.splat %pb : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>, #fours>
  %bp = tt.addptr %bs, %offsets : tensor<32x64x!tt.ptr<f32>, #fours>, tensor<32x64xi32, #fours>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> (tensor<64x64xf32, #mma32>) : i32 {
    %b = tt.load %bp : tensor<32x64x!tt.ptr<f32>, #fours>
    %y = ttg.local_alloc %b : (tensor<32x64xf32, #fours>) -> !ttg.memdesc<32x64xf32, #wordsAlongK, #smem>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %a, %y, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x32xf32, #words, #smem> * !ttg.memdesc<32x64xf32, #wordsAlongK, #smem> -> tensor<64x64xf32, #mma32>
    scf.yield %d : tensor<64x64xf32, #mma32>
  }
  tt.return %r : tensor<64x64xf32, #mma32>
}

// The second dot is done an iteration later, under the maximum of the first; its operands are 0 in the first iteration. What it reads is copied an iteration later too, so that one barrier is enough.
// CHECK-LABEL: @attention
// CHECK: %[[NONE:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xf16, #ttg.dot_op
// CHECK: %[[V:.*]] = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16
// CHECK: %[[BEFORE:.*]] = ttg.memdesc_index %[[V]][%c2_i32]
// CHECK: ttg.local_store %{{.*}}, %[[BEFORE]]
// CHECK: scf.for {{.*}} iter_args({{.*}}%[[READ:[a-z0-9]*]] = %c2_i32, %[[P:[a-z0-9]*]] = %[[NONE]])
// CHECK: ttg.async_wait {num = 1 : i32}
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: ttg.barrier
// CHECK-NOT: ttg.barrier
// CHECK: %[[VIEW:.*]] = ttg.memdesc_index %[[V]][%[[READ]]]
// CHECK: %[[S:.*]] = ttng.warp_group_dot {{.*}} {isAsync = true}
// CHECK: %[[O:.*]] = ttng.warp_group_dot %[[P]], %[[VIEW]], {{.*}} {isAsync = true}
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttg.async_commit_group
// CHECK: %[[READY:.*]] = ttng.warp_group_dot_wait %[[S]] {pendings = 1 : i32}
// CHECK: %[[M:.*]] = "tt.reduce"(%[[READY]])
// CHECK: %[[BOTH:.*]]:3 = ttng.warp_group_dot_wait %[[O]], %[[READY]], %[[M]] {gpu.pinned, pendings = 0 : i32}
// CHECK: %[[E:.*]] = arith.subf %[[BOTH]]#1,
// CHECK: arith.truncf %[[E]]
// CHECK: arith.mulf %[[BOTH]]#0,
// CHECK: scf.yield
// CHECK: ttg.async_wait {num = 0 : i32}
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: ttg.barrier
// CHECK: ttng.warp_group_dot %{{.*}}, %{{.*}}, %{{.*}} :
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

// The sum, the tile and the operand made of it would take 128 + 64 + 32 registers of a thread: the dot is done in its own iteration, and its wait is
// that of the next one.
// CHECK-LABEL: @too_many_registers
// CHECK: scf.for
// CHECK: %[[S:.*]] = ttng.warp_group_dot {{.*}} {isAsync = true} {{.*}} -> tensor<128x64xf32
// CHECK-NEXT: ttng.warp_group_dot_wait %[[S]], %{{.*}} {pendings = 0 : i32}
// CHECK: ttng.warp_group_dot {{.*}} {isAsync = true} {{.*}} -> tensor<128x128xf32
// CHECK: scf.yield
tt.func @too_many_registers(%pv: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !ttg.memdesc<128x64xf16, #shared, #smem>, %k: !ttg.memdesc<64x64xf16, #shared, #smem>, %n: i32) -> tensor<128x128xf32, #mma> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<128x64xf32, #mma>
  %c = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %columns = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %row = tt.expand_dims %columns {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x128xi32, #blocked>
  %offsets = tt.broadcast %row : tensor<1x128xi32, #blocked> -> tensor<64x128xi32, #blocked>
  %vs = tt.splat %pv : !tt.ptr<f16> -> tensor<64x128x!tt.ptr<f16>, #blocked>
  %vp = tt.addptr %vs, %offsets : tensor<64x128x!tt.ptr<f16>, #blocked>, tensor<64x128xi32, #blocked>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> (tensor<128x128xf32, #mma>) : i32 {
    %s = ttng.warp_group_dot %q, %k, %none : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<128x64xf32, #mma>
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
    %mw = tt.broadcast %me : tensor<128x1xf32, #mma> -> tensor<128x128xf32, #mma>
    %scaled = arith.mulf %acc, %mw : tensor<128x128xf32, #mma>
    %v = tt.load %vp : tensor<64x128x!tt.ptr<f16>, #blocked>
    %y = ttg.local_alloc %v : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %p, %y, %scaled : tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}

// The sum is touched before the tile is ready: the dot runs under the maximum alone.
// CHECK-LABEL: @attention_touched_first
// CHECK: %[[S:.*]] = ttng.warp_group_dot_wait %{{.*}} {pendings = 1 : i32}
// CHECK: %[[M:.*]] = "tt.reduce"(%[[S]])
// CHECK: %[[BOTH:.*]]:3 = ttng.warp_group_dot_wait %{{.*}}, %[[S]], %[[M]] {gpu.pinned, pendings = 0 : i32}
// CHECK: arith.mulf %[[BOTH]]#0,
// CHECK: arith.subf %[[BOTH]]#1,
tt.func @attention_touched_first(%pv: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !ttg.memdesc<64x64xf16, #shared, #smem>, %k: !ttg.memdesc<64x64xf16, #shared, #smem>, %n: i32) -> tensor<64x64xf32, #mma> {
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
    %scaled = arith.mulf %acc, %mb : tensor<64x64xf32, #mma>
    %e = arith.subf %s, %mb : tensor<64x64xf32, #mma>
    %h = arith.truncf %e : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
    %p = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %v = tt.load %vp : tensor<64x64x!tt.ptr<f16>, #blocked>
    %y = ttg.local_alloc %v : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %p, %y, %scaled : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// Warpgroups say at mbarriers what they have read, and need not wait for each other: the delayed dot begins with the last buffer,
// which is full of zeros; the first copy into it waits until those have been read.
// CHECK-LABEL: @attention_by_descriptors
// CHECK: %[[V:.*]] = ttg.local_alloc : () -> !ttg.memdesc<3x64x128xf16
// CHECK: %[[FULL:.*]] = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64
// CHECK: %[[EMPTY:.*]] = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64
// CHECK: scf.for {{.*}} iter_args({{.*}}%[[FILL:[a-z0-9]*]] = %c1_i32, %[[FILLPHASE:[a-z0-9]*]] = %c1_i32, %[[READ:[a-z0-9]*]] = %c2_i32, %[[PHASE:[a-z0-9]*]] = %c1_i32,
// CHECK: %[[HERE:.*]] = ttg.memdesc_index %[[FULL]][%[[READ]]]
// CHECK-NEXT: ttng.wait_barrier %[[HERE]], %[[PHASE]] :
// CHECK-NOT: ttg.barrier
// CHECK-COUNT-2: ttng.warp_group_dot {{.*}} {isAsync = true}
// CHECK: %[[FREE:.*]] = ttg.memdesc_index %[[EMPTY]][%[[FILL]]]
// CHECK-NEXT: ttng.wait_barrier %[[FREE]], %[[FILLPHASE]] deps %[[V]]
// CHECK: ttng.async_tma_copy_global_to_local
// CHECK: %[[NEXT:.*]] = arith.addi %[[FILL]], %c1_i32
// CHECK: %[[FLIPPED:.*]] = arith.xori %[[FILLPHASE]], %c1_i32
// CHECK: %[[BEGINS:.*]] = arith.cmpi eq, %[[NEXT]], %c2_i32
// CHECK: arith.select %[[BEGINS]], %[[FLIPPED]], %[[FILLPHASE]]
// CHECK: ttng.warp_group_dot_wait {{.*}} {gpu.pinned, pendings = 0 : i32}
// CHECK: %[[READABLE:.*]] = ttg.memdesc_index %[[EMPTY]][%[[READ]]]
// CHECK-NEXT: ttng.arrive_barrier %[[READABLE]], 1 {perWarpGroup}
// CHECK: scf.yield
// CHECK: ttng.wait_barrier
// CHECK: ttng.warp_group_dot
// CHECK-COUNT-6: ttng.inval_barrier
tt.func @attention_by_descriptors(%dv: !tt.tensordesc<tensor<64x128xf16>>, %q: !ttg.memdesc<64x64xf16, #shared, #smem>, %k: !ttg.memdesc<64x64xf16, #shared, #smem>, %n: i32) -> tensor<64x128xf32, #mma> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %c = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> (tensor<64x128xf32, #mma>) : i32 {
    %s = ttng.warp_group_dot %q, %k, %none : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
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
    %mw = tt.broadcast %me : tensor<64x1xf32, #mma> -> tensor<64x128xf32, #mma>
    %scaled = arith.mulf %acc, %mw : tensor<64x128xf32, #mma>
    %v = tt.descriptor_load %dv[%i, %zero] : !tt.tensordesc<tensor<64x128xf16>> -> tensor<64x128xf16, #blocked>
    %y = ttg.local_alloc %v : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %p, %y, %scaled : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<64x128xf32, #mma>
    scf.yield %d : tensor<64x128xf32, #mma>
  }
  tt.return %r : tensor<64x128xf32, #mma>
}

// With one warpgroup and a dot as narrow as this, barriers for a ring of its own would cost more than the overlap gains.
// CHECK-LABEL: @narrow_by_descriptors
// CHECK: scf.for
// CHECK: %[[S:.*]] = ttng.warp_group_dot {{.*}} {isAsync = true}
// CHECK-NEXT: ttng.warp_group_dot_wait %[[S]], %{{.*}} {pendings = 0 : i32}
// CHECK: ttng.warp_group_dot {{.*}} {isAsync = true}
// CHECK: scf.yield
tt.func @narrow_by_descriptors(%dv: !tt.tensordesc<tensor<64x64xf16>>, %q: !ttg.memdesc<64x64xf16, #shared, #smem>, %k: !ttg.memdesc<64x64xf16, #shared, #smem>, %n: i32) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
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
    %v = tt.descriptor_load %dv[%i, %zero] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16, #blocked>
    %y = ttg.local_alloc %v : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %p, %y, %scaled : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

}
