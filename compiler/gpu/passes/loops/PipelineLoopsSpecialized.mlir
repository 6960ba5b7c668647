// Loops that ask for a warp that only copies.
// RUN: triton-opt %s --gpu-pipeline-loops --canonicalize --cse | FileCheck %s
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma2, kWidth = 2}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {

// The warps that multiply release the slot of the iteration before. In the first iteration that is the last slot, so the producer waits for it from the first
// round on.
// CHECK-LABEL: @product
// CHECK: %[[A:.*]] = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16
// CHECK: %[[B:.*]] = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16
// CHECK: %[[FULL:.*]] = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64
// CHECK: %[[EMPTY:.*]] = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64
// CHECK: %[[R:.*]] = ttg.warp_specialize({{.*}}) attributes {requestedRegisters = array<i32: 24>}
// CHECK-NEXT: default {
// CHECK-NEXT: scf.for {{.*}} iter_args(%{{.*}} = %cst, %[[READ:[a-z0-9]*]] = %c0_i32, %[[PHASE:[a-z0-9]*]] = %c0_i32, %[[FREED:[a-z0-9]*]] = %c2_i32)
// CHECK-NEXT: %[[HERE:.*]] = ttg.memdesc_index %[[FULL]][%[[READ]]]
// CHECK-NEXT: ttng.wait_barrier %[[HERE]], %[[PHASE]] :
// CHECK-NOT: ttg.barrier
// CHECK: %[[D:.*]] = ttng.warp_group_dot {{.*}} {isAsync = true}
// CHECK-NEXT: ttng.warp_group_dot_wait %[[D]] {pendings = 1 : i32}
// CHECK-NEXT: %[[BEFORE:.*]] = ttg.memdesc_index %[[EMPTY]][%[[FREED]]]
// CHECK-NEXT: ttng.arrive_barrier %[[BEFORE]], 1 {perWarpGroup}
// CHECK: scf.yield {{.*}}, %[[READ]] :
// CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
// CHECK-NEXT: ttg.warp_yield
// CHECK: partition0({{.*}}) num_warps(1) {
// CHECK-NOT: tensor<64x64xf32
// CHECK: scf.for {{.*}} iter_args(%[[AT:[a-z0-9]*]] = %{{.*}}, %[[FILL:[a-z0-9]*]] = %c0{{.*}}, %[[TURN:[a-z0-9]*]] = %c1
// CHECK: ttng.wait_barrier %{{.*}}, %[[TURN]] deps
// CHECK: ttng.barrier_expect %{{.*}}, 16384
// CHECK: ttng.async_tma_copy_global_to_local {{.*}}[{{.*}}, %[[AT]]]
// CHECK: ttng.async_tma_copy_global_to_local {{.*}}[%[[AT]],
// CHECK: %[[NEXT:.*]] = arith.addi %[[FILL]],
// CHECK: %[[FLIPPED:.*]] = arith.xori %[[TURN]],
// CHECK: %[[BEGINS:.*]] = arith.cmpi eq, %[[NEXT]], %c2
// CHECK: arith.select %[[BEGINS]], %[[FLIPPED]], %[[TURN]]
// CHECK: ttg.warp_return
// What both use ends behind them.
// CHECK-COUNT-2: ttg.local_dealloc
// CHECK-COUNT-6: ttng.inval_barrier
// CHECK: tt.return %[[R]]
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

// Places in the rings go on from tile to tile.
// CHECK-LABEL: @tiles
// CHECK: ttg.warp_specialize
// CHECK: scf.for {{.*}} iter_args(%[[READ:[a-z0-9]*]] = %c0_i32, %[[PHASE:[a-z0-9]*]] = %c0_i32, %[[FREED:[a-z0-9]*]] = %c2_i32)
// CHECK-NEXT: %[[TILE:.*]]:4 = scf.for {{.*}} iter_args(%{{.*}} = %cst, %{{.*}} = %[[READ]], %{{.*}} = %[[PHASE]], %{{.*}} = %[[FREED]])
// CHECK: ttng.warp_group_dot_wait %[[TILE]]#0 {pendings = 0 : i32}
// CHECK: tt.store
// CHECK: scf.yield %[[TILE]]#1, %[[TILE]]#2, %[[TILE]]#3
// CHECK: partition0
// CHECK: scf.for {{.*}} iter_args(%[[FILL:[a-z0-9]*]] = %c0{{.*}}, %[[TURN:[a-z0-9]*]] = %c1
// CHECK-NEXT: arith.muli
// CHECK-NEXT: %[[COPIED:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %[[FILL]], %{{.*}} = %[[TURN]])
// CHECK-COUNT-2: ttng.async_tma_copy_global_to_local
// CHECK: scf.yield %[[COPIED]]#0, %[[COPIED]]#1
tt.func @tiles(%da: !tt.tensordesc<tensor<64x64xf16>>, %db: !tt.tensordesc<tensor<64x64xf16>>, %out: !tt.ptr<f32>, %n: i32, %tiles: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  scf.for %t = %zero to %tiles step %one : i32 {
    %row = arith.muli %t, %n : i32
    %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %a = tt.descriptor_load %da[%row, %i] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16, #blocked>
      %b = tt.descriptor_load %db[%i, %t] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16, #blocked>
      %x = ttg.local_alloc %a : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      ttng.fence_async_shared {bCluster = false}
      %y = ttg.local_alloc %b : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      ttng.fence_async_shared {bCluster = false}
      %d = ttng.warp_group_dot %x, %y, %acc : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    %p = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
    tt.store %p, %r : tensor<64x64x!tt.ptr<f32>, #mma>
  } {tt.warp_specialize}
  tt.return
}

// A loop over tiles that asks to be flattened gets the same: copies go on while results are stored.
// CHECK-LABEL: @flattened
// CHECK: ttg.warp_specialize
// CHECK: scf.for
// CHECK-NEXT: scf.for
// CHECK: tt.store
// CHECK: partition0
tt.func @flattened(%da: !tt.tensordesc<tensor<64x64xf16>>, %db: !tt.tensordesc<tensor<64x64xf16>>, %out: !tt.ptr<f32>, %n: i32, %tiles: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  scf.for %t = %zero to %tiles step %one : i32 {
    %row = arith.muli %t, %n : i32
    %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %a = tt.descriptor_load %da[%row, %i] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16, #blocked>
      %b = tt.descriptor_load %db[%i, %t] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16, #blocked>
      %x = ttg.local_alloc %a : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      ttng.fence_async_shared {bCluster = false}
      %y = ttg.local_alloc %b : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      ttng.fence_async_shared {bCluster = false}
      %d = ttng.warp_group_dot %x, %y, %acc : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    %p = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
    tt.store %p, %r : tensor<64x64x!tt.ptr<f32>, #mma>
  } {tt.flatten}
  tt.return
}

// Keys and values have rings of their own. The delayed dot begins with the last buffer, which is full of zeros before the warps part.
// CHECK-LABEL: @attention
// CHECK: ttg.local_store
// CHECK: ttng.fence_async_shared
// CHECK: ttg.warp_specialize
// CHECK: scf.for
// CHECK-COUNT-2: ttng.wait_barrier
// CHECK-COUNT-2: ttng.warp_group_dot {{.*}} {isAsync = true}
// CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// CHECK: ttng.arrive_barrier {{.*}} {perWarpGroup}
// CHECK: ttng.warp_group_dot_wait {{.*}} {gpu.pinned, pendings = 0 : i32}
// CHECK: ttng.arrive_barrier {{.*}} {perWarpGroup}
// CHECK: scf.yield
// CHECK: ttng.wait_barrier
// CHECK: ttng.warp_group_dot
// CHECK: ttg.warp_yield
// CHECK: partition0
// CHECK: scf.for {{.*}} iter_args(%[[K:[a-z0-9]*]] = %c0{{.*}}, %[[KTURN:[a-z0-9]*]] = %c1{{.*}}, %[[V:[a-z0-9]*]] = %c0{{.*}}, %[[VTURN:[a-z0-9]*]] = %c1
// CHECK: ttng.wait_barrier %{{.*}}, %[[KTURN]] deps
// CHECK: ttng.async_tma_copy_global_to_local
// CHECK: ttng.wait_barrier %{{.*}}, %[[VTURN]] deps
// CHECK: ttng.async_tma_copy_global_to_local
tt.func @attention(%dk: !tt.tensordesc<tensor<64x64xf16>>, %dv: !tt.tensordesc<tensor<64x64xf16>>, %q: !ttg.memdesc<64x64xf16, #shared, #smem>, %n: i32) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
    %k = tt.descriptor_load %dk[%i, %zero] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16, #blocked>
    %w = ttg.local_alloc %k : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    ttng.fence_async_shared {bCluster = false}
    %s = ttng.warp_group_dot %q, %w, %c : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
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
  } {tt.warp_specialize, tt.num_stages = 2 : i32}
  tt.return %r : tensor<64x64xf32, #mma>
}

// Threads copy one operand: pipelining does what it does without being asked.
// CHECK-LABEL: @by_threads
// CHECK-NOT: ttg.warp_specialize
// CHECK: scf.for
// CHECK: ttng.wait_barrier
// CHECK: ttg.async_wait {num = 1 : i32}
// CHECK: ttg.barrier
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttng.async_tma_copy_global_to_local
// CHECK-NOT: ttg.warp_specialize
tt.func @by_threads(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %db: !tt.tensordesc<tensor<64x64xf16>>, %n: i32) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %columns = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %row = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
  %offsets = tt.broadcast %row : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
  %as = tt.splat %pa : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
  %ap = tt.addptr %as, %offsets : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<64x64x!tt.ptr<f16>, #blocked>
    %b = tt.descriptor_load %db[%i, %zero] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16, #blocked>
    %x = ttg.local_alloc %a : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    ttng.fence_async_shared {bCluster = false}
    %y = ttg.local_alloc %b : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %x, %y, %acc : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  } {tt.warp_specialize}
  tt.return %r : tensor<64x64xf32, #mma>
}

// With operands in registers every warp says when its lanes have read them, behind a proxy fence.
// CHECK-LABEL: @into_registers
// CHECK: ttng.init_barrier %{{.*}}, 4 :
// CHECK: ttg.warp_specialize
// CHECK: scf.for
// CHECK: ttng.wait_barrier
// CHECK-COUNT-2: ttg.local_load
// CHECK: ttng.fence_async_shared
// CHECK: ttng.arrive_barrier {{.*}} {gpu.per_warp}
// CHECK: tt.dot
// CHECK: partition0
tt.func @into_registers(%da: !tt.tensordesc<tensor<64x64xf16>>, %db: !tt.tensordesc<tensor<64x64xf16>>, %n: i32) -> tensor<64x64xf32, #mma2> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #mma2>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> (tensor<64x64xf32, #mma2>) : i32 {
    %a = tt.descriptor_load %da[%zero, %i] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16, #blocked>
    %b = tt.descriptor_load %db[%i, %zero] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16, #blocked>
    %x = ttg.convert_layout %a : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #left>
    %y = ttg.convert_layout %b : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #right>
    %d = tt.dot %x, %y, %acc : tensor<64x64xf16, #left> * tensor<64x64xf16, #right> -> tensor<64x64xf32, #mma2>
    scf.yield %d : tensor<64x64xf32, #mma2>
  } {tt.warp_specialize}
  tt.return %r : tensor<64x64xf32, #mma2>
}

}
