// The matrix product of the third tutorial, from tensor IR to machine code.
// RUN: triton-opt %s --tensor-pipeline "--gpu-pipeline=num-warps=8 num-stages=4 target=cuda:90" --gpu-resources | triton-ptx - --arch sm_90a | FileCheck %s
// RUN: %if ptxas %{ triton-opt %s --tensor-pipeline "--gpu-pipeline=num-warps=8 num-stages=4 target=cuda:90" --gpu-resources | triton-ptx - --arch sm_90a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// RUN: triton-opt %s --tensor-pipeline "--gpu-pipeline=num-warps=8 num-stages=3 target=cuda:80" --gpu-resources | triton-ptx - --arch sm_80 | FileCheck %s --check-prefix=AMPERE
// RUN: %if ptxas %{ triton-opt %s --tensor-pipeline "--gpu-pipeline=num-warps=8 num-stages=3 target=cuda:80" --gpu-resources | triton-ptx - --arch sm_80 --assemble | FileCheck %s --check-prefix=AMPEREASSEMBLED %}

// Three iterations of 12 copies ahead of the loop.
// CHECK-COUNT-36: cp.async.cg.shared.global {{.*}}, 16,
// CHECK: cp.async.wait_group {{.*}}2;
// CHECK: fence.proxy.async.shared::cta
// CHECK: [[LOOP:\$L__BB0_[0-9]+]]:
// CHECK: bar.sync
// CHECK: wgmma.fence.sync.aligned
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16
// CHECK-NOT: wgmma.mma_async
// CHECK: wgmma.commit_group.sync.aligned
// CHECK: wgmma.wait_group.sync.aligned 1
// CHECK: bar.sync
// CHECK-COUNT-12: cp.async.cg.shared.global {{.*}}, 16,
// CHECK-NOT: cp.async.cg
// CHECK: cp.async.commit_group
// CHECK: cp.async.wait_group {{.*}}2;
// CHECK: fence.proxy.async.shared::cta
// CHECK: bra {{.*}}[[LOOP]]
// CHECK: wgmma.wait_group.sync.aligned 0

// Nothing is spilled, and the dots are not serialised (C7509 to C7514, C7520).
// ASSEMBLED-NOT: C75
// ASSEMBLED: 0 bytes spill stores, 0 bytes spill loads

// AMPERE: [[LOOP:\$L__BB0_[0-9]+]]:
// AMPERE: cp.async.wait_group {{.*}}1;
// AMPERE: bar.sync
// AMPERE: ldmatrix
// AMPERE: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// AMPERE: bra {{.*}}[[LOOP]]
// AMPEREASSEMBLED: 0 bytes spill stores, 0 bytes spill loads

module {
  tt.func public @matmul_kernel(%a_ptr: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b_ptr: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c_ptr: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %M: i32 {tt.divisibility = 16 : i32}, %N: i32 {tt.divisibility = 16 : i32}, %K: i32 {tt.divisibility = 16 : i32}, %stride_am: i32 {tt.divisibility = 16 : i32}, %stride_bk: i32 {tt.divisibility = 16 : i32}, %stride_cm: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %c64_i64 = arith.constant 64 : i64
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant dense<0.000000e+00> : tensor<64x256xf16>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<128x64xf16>
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %c64_i32 = arith.constant 64 : i32
    %c63_i32 = arith.constant 63 : i32
    %accumulator = arith.constant dense<0.000000e+00> : tensor<128x256xf32>
    %c8_i32 = arith.constant 8 : i32
    %c256_i32 = arith.constant 256 : i32
    %num_pid_n = arith.constant 255 : i32
    %c128_i32 = arith.constant 128 : i32
    %num_pid_m = arith.constant 127 : i32
    %pid = tt.get_program_id x : i32
    %num_pid_m_1 = arith.addi %M, %num_pid_m : i32
    %num_pid_m_2 = arith.divsi %num_pid_m_1, %c128_i32 : i32
    %num_pid_n_3 = arith.addi %N, %num_pid_n : i32
    %num_pid_n_4 = arith.divsi %num_pid_n_3, %c256_i32 : i32
    %num_pid_in_group = arith.muli %num_pid_n_4, %c8_i32 : i32
    %group_id = arith.divsi %pid, %num_pid_in_group : i32
    %first_pid_m = arith.muli %group_id, %c8_i32 : i32
    %0 = arith.subi %num_pid_m_2, %first_pid_m : i32
    %group_size_m = arith.minsi %0, %c8_i32 : i32
    %1 = arith.remsi %pid, %num_pid_in_group : i32
    %2 = arith.remsi %1, %group_size_m : i32
    %pid_m = arith.addi %first_pid_m, %2 : i32
    %pid_n = arith.divsi %1, %group_size_m : i32
    %3 = arith.muli %pid_m, %c128_i32 : i32
    %4 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %5 = tt.splat %3 : i32 -> tensor<128xi32>
    %6 = arith.addi %5, %4 : tensor<128xi32>
    %7 = tt.splat %M : i32 -> tensor<128xi32>
    %offs_am = arith.remsi %6, %7 : tensor<128xi32>
    %8 = arith.muli %pid_n, %c256_i32 : i32
    %9 = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %10 = tt.splat %8 : i32 -> tensor<256xi32>
    %11 = arith.addi %10, %9 : tensor<256xi32>
    %12 = tt.splat %N : i32 -> tensor<256xi32>
    %offs_bn = arith.remsi %11, %12 : tensor<256xi32>
    %offs_k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %13 = tt.expand_dims %offs_am {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %14 = tt.splat %stride_am : i32 -> tensor<128x1xi32>
    %15 = arith.muli %13, %14 : tensor<128x1xi32>
    %16 = tt.expand_dims %offs_k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %17 = tt.broadcast %15 : tensor<128x1xi32> -> tensor<128x64xi32>
    %18 = tt.broadcast %16 : tensor<1x64xi32> -> tensor<128x64xi32>
    %19 = arith.addi %17, %18 : tensor<128x64xi32>
    %20 = tt.expand_dims %offs_k {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %21 = tt.splat %stride_bk : i32 -> tensor<64x1xi32>
    %22 = arith.muli %20, %21 : tensor<64x1xi32>
    %23 = tt.expand_dims %offs_bn {axis = 0 : i32} : tensor<256xi32> -> tensor<1x256xi32>
    %24 = tt.broadcast %22 : tensor<64x1xi32> -> tensor<64x256xi32>
    %25 = tt.broadcast %23 : tensor<1x256xi32> -> tensor<64x256xi32>
    %26 = arith.addi %24, %25 : tensor<64x256xi32>
    %27 = arith.addi %K, %c63_i32 : i32
    %28 = arith.divsi %27, %c64_i32 : i32
    %29 = arith.muli %stride_bk, %c64_i32 : i32
    %30 = arith.extsi %29 : i32 to i64
    %31:3 = scf.for %k = %c0_i32 to %28 step %c1_i32 iter_args(%accumulator_5 = %accumulator, %a_ptrs = %c0_i64, %b_ptrs = %c0_i64) -> (tensor<128x256xf32>, i64, i64)  : i32 {
      %46 = tt.addptr %b_ptr, %b_ptrs : !tt.ptr<f16>, i64
      %47 = tt.splat %46 : !tt.ptr<f16> -> tensor<64x256x!tt.ptr<f16>>
      %48 = tt.addptr %47, %26 : tensor<64x256x!tt.ptr<f16>>, tensor<64x256xi32>
      %49 = tt.addptr %a_ptr, %a_ptrs : !tt.ptr<f16>, i64
      %50 = tt.splat %49 : !tt.ptr<f16> -> tensor<128x64x!tt.ptr<f16>>
      %51 = tt.addptr %50, %19 : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
      %52 = arith.muli %k, %c64_i32 : i32
      %53 = arith.subi %K, %52 : i32
      %54 = tt.splat %53 : i32 -> tensor<1x64xi32>
      %55 = arith.cmpi slt, %16, %54 : tensor<1x64xi32>
      %56 = tt.broadcast %55 : tensor<1x64xi1> -> tensor<128x64xi1>
      %a = tt.load %51, %56, %cst_0 : tensor<128x64x!tt.ptr<f16>>
      %57 = tt.splat %53 : i32 -> tensor<64x1xi32>
      %58 = arith.cmpi slt, %20, %57 : tensor<64x1xi32>
      %59 = tt.broadcast %58 : tensor<64x1xi1> -> tensor<64x256xi1>
      %b = tt.load %48, %59, %cst : tensor<64x256x!tt.ptr<f16>>
      %accumulator_6 = tt.dot %a, %b, %accumulator_5, inputPrecision = tf32 : tensor<128x64xf16> * tensor<64x256xf16> -> tensor<128x256xf32>
      %60 = arith.addi %a_ptrs, %c64_i64 : i64
      %61 = arith.addi %b_ptrs, %30 : i64
      scf.yield %accumulator_6, %60, %61 : tensor<128x256xf32>, i64, i64
    }
    %c = arith.truncf %31#0 : tensor<128x256xf32> to tensor<128x256xf16>
    %32 = tt.expand_dims %6 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %33 = tt.splat %stride_cm : i32 -> tensor<128x1xi32>
    %34 = arith.muli %33, %32 : tensor<128x1xi32>
    %35 = tt.splat %c_ptr : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>>
    %36 = tt.addptr %35, %34 : tensor<128x1x!tt.ptr<f16>>, tensor<128x1xi32>
    %37 = tt.expand_dims %11 {axis = 0 : i32} : tensor<256xi32> -> tensor<1x256xi32>
    %38 = tt.broadcast %36 : tensor<128x1x!tt.ptr<f16>> -> tensor<128x256x!tt.ptr<f16>>
    %39 = tt.broadcast %37 : tensor<1x256xi32> -> tensor<128x256xi32>
    %c_ptrs = tt.addptr %38, %39 : tensor<128x256x!tt.ptr<f16>>, tensor<128x256xi32>
    %40 = tt.splat %M : i32 -> tensor<128x1xi32>
    %41 = arith.cmpi slt, %32, %40 : tensor<128x1xi32>
    %42 = tt.splat %N : i32 -> tensor<1x256xi32>
    %43 = arith.cmpi slt, %37, %42 : tensor<1x256xi32>
    %44 = tt.broadcast %41 : tensor<128x1xi1> -> tensor<128x256xi1>
    %45 = tt.broadcast %43 : tensor<1x256xi1> -> tensor<128x256xi1>
    %c_mask = arith.andi %44, %45 : tensor<128x256xi1>
    tt.store %c_ptrs, %c, %c_mask : tensor<128x256x!tt.ptr<f16>>
    tt.return
  }
}
