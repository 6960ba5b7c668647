// A matmul from tensor IR to sm_100: the accumulator stays in tensor memory while the loop runs, and operands are copied ahead of the dots.
// RUN: triton-opt %s --tensor-pipeline "--gpu-pipeline=num-warps=4 num-stages=3 target=cuda:100" --gpu-resources | triton-ptx - --arch sm_100a > %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %if ptxas %{ ptxas -arch=sm_100a %t.ptx -o %t.cubin %}
// RUN: triton-opt %s --tensor-pipeline "--gpu-pipeline=num-warps=8 num-stages=4 target=cuda:103" --gpu-resources | triton-ptx - --arch sm_103a > %t.ptx
// RUN: %if ptxas %{ ptxas -arch=sm_103a %t.ptx -o %t.cubin %}

// CHECK: tcgen05.st.sync.aligned.32x32b.x64.b32
// CHECK: mbarrier.init
// CHECK-NOT: tcgen05.ld
// CHECK-NOT: tcgen05.st
// CHECK: cp.async.wait_group
// CHECK: fence.proxy.async
// CHECK: bar.sync
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.commit_group
// CHECK: elect.sync
// CHECK-COUNT-4: tcgen05.mma.cta_group::1.kind::f16
// CHECK-NOT: tcgen05.mma
// CHECK: tcgen05.commit
// CHECK-NOT: tcgen05.st
// CHECK: tcgen05.ld.sync.aligned.32x32b.x64.b32
// CHECK: tcgen05.dealloc
tt.func public @matmul(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %cst = arith.constant dense<0.0> : tensor<128x64xf32>
  %stepA = arith.constant dense<8192> : tensor<128x64xi32>
  %stepB = arith.constant dense<4096> : tensor<64x64xi32>
  %rangeA = tt.make_range {start = 0 : i32, end = 8192 : i32} : tensor<8192xi32>
  %offsetsA = tt.reshape %rangeA : tensor<8192xi32> -> tensor<128x64xi32>
  %rangeB = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
  %offsetsB = tt.reshape %rangeB : tensor<4096xi32> -> tensor<64x64xi32>
  %baseA = tt.splat %a : !tt.ptr<f16> -> tensor<128x64x!tt.ptr<f16>>
  %baseB = tt.splat %b : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %firstA = tt.addptr %baseA, %offsetsA : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
  %firstB = tt.addptr %baseB, %offsetsB : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %r:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %cst, %pa = %firstA, %pb = %firstB) -> (tensor<128x64xf32>, tensor<128x64x!tt.ptr<f16>>, tensor<64x64x!tt.ptr<f16>>) : i32 {
    %x = tt.load %pa : tensor<128x64x!tt.ptr<f16>>
    %y = tt.load %pb : tensor<64x64x!tt.ptr<f16>>
    %d = tt.dot %x, %y, %acc : tensor<128x64xf16> * tensor<64x64xf16> -> tensor<128x64xf32>
    %nextA = tt.addptr %pa, %stepA : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
    %nextB = tt.addptr %pb, %stepB : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %nextA, %nextB : tensor<128x64xf32>, tensor<128x64x!tt.ptr<f16>>, tensor<64x64x!tt.ptr<f16>>
  }
  %baseC = tt.splat %c : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
  %atC = tt.addptr %baseC, %offsetsA : tensor<128x64x!tt.ptr<f32>>, tensor<128x64xi32>
  tt.store %atC, %r#0 : tensor<128x64x!tt.ptr<f32>>
  tt.return
}
