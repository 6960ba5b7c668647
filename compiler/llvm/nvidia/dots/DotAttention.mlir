// Attention from tensor IR to machine code: two dots in flight, the second under the maximum of the first.
// RUN: triton-opt %s --tensor-pipeline "--gpu-pipeline=num-warps=4 num-stages=3 target=cuda:90" --gpu-resources | triton-ptx - --arch sm_90a | FileCheck %s
// RUN: %if ptxas %{ triton-opt %s --tensor-pipeline "--gpu-pipeline=num-warps=4 num-stages=3 target=cuda:90" --gpu-resources | triton-ptx - --arch sm_90a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// RUN: %if ptxas %{ triton-opt %s --tensor-pipeline "--gpu-pipeline=num-warps=4 num-stages=3 target=cuda:80" --gpu-resources | triton-ptx - --arch sm_80 --assemble | FileCheck %s --check-prefix=AMPERE %}

// CHECK: [[LOOP:\$L__BB0_[0-9]+]]:
// CHECK: cp.async.wait_group {{.*}}1;
// CHECK: bar.sync
// CHECK-COUNT-8: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16
// CHECK: wgmma.commit_group
// CHECK: wgmma.fence
// P from registers: four words.
// CHECK-COUNT-8: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{{.*}}}, {{{%r[0-9]+,%r[0-9]+,%r[0-9]+,%r[0-9]+}}},
// CHECK: wgmma.commit_group
// Copies begin while both run, without another barrier.
// CHECK-NOT: bar.sync
// CHECK: cp.async.cg.shared.global
// CHECK: wgmma.wait_group.sync.aligned 1
// CHECK: max.f32
// CHECK: shfl.sync.bfly
// CHECK-NOT: ex2.approx.ftz.f32
// CHECK: @p nanosleep.u32 0;
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK-NOT: bar.sync
// CHECK: ex2.approx.ftz.f32
// CHECK-NOT: cvt.rn.f16.f32
// CHECK: cvt.rn.f16x2.f32
// CHECK-NOT: cvt.rn.f16.f32
// CHECK: bra {{.*}}[[LOOP]]
// The last dot.
// CHECK-COUNT-8: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16

// ASSEMBLED-NOT: C75
// ASSEMBLED: 0 bytes spill stores, 0 bytes spill loads
// AMPERE: 0 bytes spill stores, 0 bytes spill loads

module {
  tt.func public @attn_fwd(%Q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %K: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %V: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %sm_scale: f32, %Out: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride_h: i32 {tt.divisibility = 16 : i32}, %N_CTX: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %c4096_i64 = arith.constant 4096 : i64
    %c0_i64 = arith.constant 0 : i64
    %l_i = arith.constant dense<1.000000e+00> : tensor<128xf32>
    %m_i = arith.constant dense<0xFF800000> : tensor<128xf32>
    %c64_i32 = arith.constant 64 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant 1.44269502 : f32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
    %cst_1 = arith.constant dense<64> : tensor<64x1xi32>
    %cst_2 = arith.constant dense<64> : tensor<128x1xi32>
    %c128_i32 = arith.constant 128 : i32
    %start_m = tt.get_program_id x : i32
    %off_h = tt.get_program_id y : i32
    %0 = arith.extsi %off_h : i32 to i64
    %1 = arith.extsi %stride_h : i32 to i64
    %base = arith.muli %0, %1 : i64
    %2 = arith.muli %start_m, %c128_i32 : i32
    %3 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %4 = tt.splat %2 : i32 -> tensor<128xi32>
    %offs_m = arith.addi %4, %3 : tensor<128xi32>
    %offs_n = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %5 = tt.addptr %Q, %base : !tt.ptr<f16>, i64
    %6 = tt.expand_dims %offs_m {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %7 = arith.muli %6, %cst_2 : tensor<128x1xi32>
    %8 = tt.splat %5 : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>>
    %9 = tt.addptr %8, %7 : tensor<128x1x!tt.ptr<f16>>, tensor<128x1xi32>
    %10 = tt.expand_dims %offs_n {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %11 = tt.broadcast %9 : tensor<128x1x!tt.ptr<f16>> -> tensor<128x64x!tt.ptr<f16>>
    %12 = tt.broadcast %10 : tensor<1x64xi32> -> tensor<128x64xi32>
    %13 = tt.addptr %11, %12 : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
    %q = tt.load %13 : tensor<128x64x!tt.ptr<f16>>
    %14 = tt.addptr %K, %base : !tt.ptr<f16>, i64
    %15 = tt.expand_dims %offs_n {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %16 = arith.muli %15, %cst_1 : tensor<64x1xi32>
    %17 = tt.broadcast %10 : tensor<1x64xi32> -> tensor<64x64xi32>
    %18 = tt.addptr %V, %base : !tt.ptr<f16>, i64
    %qk_scale = arith.mulf %sm_scale, %cst : f32
    %19 = tt.splat %qk_scale : f32 -> tensor<128xf32>
    %20 = tt.splat %qk_scale : f32 -> tensor<128x64xf32>
    %21:5 = scf.for %start_n = %c0_i32 to %N_CTX step %c64_i32 iter_args(%acc_3 = %cst_0, %l_i_4 = %l_i, %m_i_5 = %m_i, %k_ptrs = %c0_i64, %v_ptrs = %c0_i64) -> (tensor<128x64xf32>, tensor<128xf32>, tensor<128xf32>, i64, i64)  : i32 {
      %30 = tt.addptr %18, %v_ptrs : !tt.ptr<f16>, i64
      %31 = tt.splat %30 : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
      %32 = tt.addptr %31, %16 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
      %33 = tt.broadcast %32 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
      %34 = tt.addptr %33, %17 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %35 = tt.addptr %14, %k_ptrs : !tt.ptr<f16>, i64
      %36 = tt.splat %35 : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
      %37 = tt.addptr %36, %16 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
      %38 = tt.broadcast %37 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
      %39 = tt.addptr %38, %17 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %k = tt.load %39 : tensor<64x64x!tt.ptr<f16>>
      %40 = tt.trans %k {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
      %qk = tt.dot %q, %40, %cst_0, inputPrecision = tf32 : tensor<128x64xf16> * tensor<64x64xf16> -> tensor<128x64xf32>
      %result = "tt.reduce"(%qk) <{axis = 1 : i32}> ({
      ^bb0(%arg13: f32, %arg14: f32):
        %52 = arith.maxnumf %arg13, %arg14 : f32
        tt.reduce.return %52 : f32
      }) : (tensor<128x64xf32>) -> tensor<128xf32>
      %41 = arith.mulf %result, %19 : tensor<128xf32>
      %m_ij = arith.maxnumf %m_i_5, %41 : tensor<128xf32>
      %42 = arith.mulf %qk, %20 : tensor<128x64xf32>
      %43 = tt.expand_dims %m_ij {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
      %44 = tt.broadcast %43 : tensor<128x1xf32> -> tensor<128x64xf32>
      %qk_6 = arith.subf %42, %44 : tensor<128x64xf32>
      %p = math.exp2 %qk_6 : tensor<128x64xf32>
      %45 = arith.subf %m_i_5, %m_ij : tensor<128xf32>
      %alpha = math.exp2 %45 : tensor<128xf32>
      %l_ij = "tt.reduce"(%p) <{axis = 1 : i32}> ({
      ^bb0(%l_ij_10: f32, %l_ij_11: f32):
        %l_ij_12 = arith.addf %l_ij_10, %l_ij_11 : f32
        tt.reduce.return %l_ij_12 : f32
      }) : (tensor<128x64xf32>) -> tensor<128xf32>
      %46 = tt.expand_dims %alpha {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
      %47 = tt.broadcast %46 : tensor<128x1xf32> -> tensor<128x64xf32>
      %acc_7 = arith.mulf %acc_3, %47 : tensor<128x64xf32>
      %v = tt.load %34 : tensor<64x64x!tt.ptr<f16>>
      %48 = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xf16>
      %acc_8 = tt.dot %48, %v, %acc_7, inputPrecision = tf32 : tensor<128x64xf16> * tensor<64x64xf16> -> tensor<128x64xf32>
      %49 = arith.mulf %l_i_4, %alpha : tensor<128xf32>
      %l_i_9 = arith.addf %49, %l_ij : tensor<128xf32>
      %50 = arith.addi %k_ptrs, %c4096_i64 : i64
      %51 = arith.addi %v_ptrs, %c4096_i64 : i64
      scf.yield %acc_8, %l_i_9, %m_ij, %50, %51 : tensor<128x64xf32>, tensor<128xf32>, tensor<128xf32>, i64, i64
    }
    %22 = tt.expand_dims %21#1 {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    %23 = tt.broadcast %22 : tensor<128x1xf32> -> tensor<128x64xf32>
    %acc = arith.divf %21#0, %23 : tensor<128x64xf32>
    %24 = tt.addptr %Out, %base : !tt.ptr<f16>, i64
    %25 = tt.splat %24 : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>>
    %26 = tt.addptr %25, %7 : tensor<128x1x!tt.ptr<f16>>, tensor<128x1xi32>
    %27 = tt.broadcast %26 : tensor<128x1x!tt.ptr<f16>> -> tensor<128x64x!tt.ptr<f16>>
    %28 = tt.addptr %27, %12 : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
    %29 = arith.truncf %acc : tensor<128x64xf32> to tensor<128x64xf16>
    tt.store %28, %29 : tensor<128x64x!tt.ptr<f16>>
    tt.return
  }
}
