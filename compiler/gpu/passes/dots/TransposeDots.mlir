// RUN: triton-opt %s --gpu-transpose-dots --cse | FileCheck %s
// RUN: triton-opt %s --gpu-transpose-dots --gpu-assign-layouts --cse --gpu-lower-dots --gpu-pipeline-loops --canonicalize --cse | FileCheck %s --check-prefix=RING
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {

// Both lie along their columns: a along K, b along N.
// CHECK-LABEL: @along_n
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[ZERO]]) -> (tensor<128x64xf32>)
// CHECK: %[[A:.*]] = tt.load {{.*}} : tensor<64x32x!tt.ptr<f32>>
// CHECK: %[[B:.*]] = tt.load {{.*}} : tensor<32x128x!tt.ptr<f32>>
// CHECK-DAG: %[[BT:.*]] = tt.trans %[[B]] {{.*}} -> tensor<128x32xf32>
// CHECK-DAG: %[[AT:.*]] = tt.trans %[[A]] {{.*}} -> tensor<32x64xf32>
// CHECK: %[[D:.*]] = tt.dot %[[BT]], %[[AT]], %[[SUM]]{{.*}} {gpu.left_in_registers} : tensor<128x32xf32> * tensor<32x64xf32> -> tensor<128x64xf32>
// CHECK: scf.yield %[[D]]
// CHECK: tt.trans %[[R]] {{.*}} -> tensor<64x128xf32>
// Lanes read columns of four rows side by side: rows of 32 bytes are swizzled. Nothing is stored again; copies begin behind the dot.
// RING-LABEL: @along_n
// RING: ttg.local_alloc : () -> !ttg.memdesc<3x32x128xf32, #[[RING:.*]], #smem, mutable>
// RING: scf.for
// RING: ttg.barrier
// RING-NOT: ttg.async_copy_global_to_local
// RING: %[[LEFT:.*]] = ttg.local_load {{.*}} : !ttg.memdesc<32x128xf32, #[[RING]], #smem, mutable> -> tensor<32x128xf32,
// RING: tt.trans %[[LEFT]]
// RING-NOT: ttg.local_store
// RING: %[[D:.*]] = ttng.warp_group_dot %{{.*}} {inputPrecision = 0 : i32, isAsync = true} : tensor<128x32xf32, #ttg.dot_op<{opIdx = 0
// RING: ttg.async_copy_global_to_local
// RING: ttg.async_copy_global_to_local
// RING: ttng.warp_group_dot_wait %[[D]] {pendings = 0 : i32}
tt.func @along_n(%pa: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %pb: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}, %n: i32) -> tensor<64x128xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %ks = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %ns = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %ms = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %kRow = tt.expand_dims %ks {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %kColumn = tt.expand_dims %ks {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %nRow = tt.expand_dims %ns {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %mColumn = tt.expand_dims %ms {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %strideM = tt.splat %stride : i32 -> tensor<64x1xi32>
  %strideK = tt.splat %stride : i32 -> tensor<32x1xi32>
  %mOffset = arith.muli %mColumn, %strideM : tensor<64x1xi32>
  %kOffset = arith.muli %kColumn, %strideK : tensor<32x1xi32>
  %ma = tt.broadcast %mOffset : tensor<64x1xi32> -> tensor<64x32xi32>
  %ka = tt.broadcast %kRow : tensor<1x32xi32> -> tensor<64x32xi32>
  %kb = tt.broadcast %kOffset : tensor<32x1xi32> -> tensor<32x128xi32>
  %nb = tt.broadcast %nRow : tensor<1x128xi32> -> tensor<32x128xi32>
  %oa = arith.addi %ma, %ka : tensor<64x32xi32>
  %ob = arith.addi %kb, %nb : tensor<32x128xi32>
  %as = tt.splat %pa : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %bs = tt.splat %pb : !tt.ptr<f32> -> tensor<32x128x!tt.ptr<f32>>
  %a0 = tt.addptr %as, %oa : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %b0 = tt.addptr %bs, %ob : tensor<32x128x!tt.ptr<f32>>, tensor<32x128xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> tensor<64x128xf32> : i32 {
    %by = arith.muli %i, %stride : i32
    %bys = tt.splat %by : i32 -> tensor<32x128xi32>
    %byA = tt.splat %by : i32 -> tensor<64x32xi32>
    %ap = tt.addptr %a0, %byA : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
    %bp = tt.addptr %b0, %bys : tensor<32x128x!tt.ptr<f32>>, tensor<32x128xi32>
    %a = tt.load %ap : tensor<64x32x!tt.ptr<f32>>
    %b = tt.load %bp : tensor<32x128x!tt.ptr<f32>>
    %d = tt.dot %a, %b, %sum, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x128xf32> -> tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tt.return %r : tensor<64x128xf32>
}

// b lies along K here, as tensor cores read it.
// CHECK-LABEL: @along_k
// CHECK: tt.dot %{{.*}} : tensor<64x32xf32> * tensor<32x128xf32> -> tensor<64x128xf32>
// RING-LABEL: @along_k
tt.func @along_k(%pa: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %pb: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}, %n: i32) -> tensor<64x128xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %ks = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %ns = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %ms = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %kRow = tt.expand_dims %ks {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %kColumn = tt.expand_dims %ks {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %nRow = tt.expand_dims %ns {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %mColumn = tt.expand_dims %ms {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %strideM = tt.splat %stride : i32 -> tensor<64x1xi32>
  %strideN = tt.splat %stride : i32 -> tensor<1x128xi32>
  %mOffset = arith.muli %mColumn, %strideM : tensor<64x1xi32>
  %nOffset = arith.muli %nRow, %strideN : tensor<1x128xi32>
  %ma = tt.broadcast %mOffset : tensor<64x1xi32> -> tensor<64x32xi32>
  %ka = tt.broadcast %kRow : tensor<1x32xi32> -> tensor<64x32xi32>
  %kb = tt.broadcast %kColumn : tensor<32x1xi32> -> tensor<32x128xi32>
  %nb = tt.broadcast %nOffset : tensor<1x128xi32> -> tensor<32x128xi32>
  %oa = arith.addi %ma, %ka : tensor<64x32xi32>
  %ob = arith.addi %kb, %nb : tensor<32x128xi32>
  %as = tt.splat %pa : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %bs = tt.splat %pb : !tt.ptr<f32> -> tensor<32x128x!tt.ptr<f32>>
  %a0 = tt.addptr %as, %oa : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %b0 = tt.addptr %bs, %ob : tensor<32x128x!tt.ptr<f32>>, tensor<32x128xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> tensor<64x128xf32> : i32 {
    %by = arith.muli %i, %stride : i32
    %bys = tt.splat %by : i32 -> tensor<32x128xi32>
    %byA = tt.splat %by : i32 -> tensor<64x32xi32>
    %ap = tt.addptr %a0, %byA : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
    %bp = tt.addptr %b0, %bys : tensor<32x128x!tt.ptr<f32>>, tensor<32x128xi32>
    %a = tt.load %ap : tensor<64x32x!tt.ptr<f32>>
    %b = tt.load %bp : tensor<32x128x!tt.ptr<f32>>
    %d = tt.dot %a, %b, %sum, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x128xf32> -> tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tt.return %r : tensor<64x128xf32>
}

}
