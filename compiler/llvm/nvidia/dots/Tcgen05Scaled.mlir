// Dots of microscaling formats on sm_100 and sm_103, and what is left to wider floats. All are assembled.
// RUN: triton-opt %s --tensor-pipeline "--gpu-pipeline=target=cuda:100" --gpu-resources | triton-ptx - --arch sm_100a > %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %if ptxas %{ ptxas -arch=sm_100a %t.ptx -o %t.cubin %}
// RUN: triton-opt %s --tensor-pipeline "--gpu-pipeline=target=cuda:103 num-warps=8" --gpu-resources | triton-ptx - --arch sm_103a > %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %if ptxas %{ ptxas -arch=sm_103a %t.ptx -o %t.cubin %}

// CHECK-LABEL: .entry bytes
// CHECK-COUNT-4: tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X
tt.func public @bytes(%out: !tt.ptr<f32>, %x: f8E4M3FN, %y: f8E5M2, %s: i8) {
  %a = tt.splat %x : f8E4M3FN -> tensor<128x128xf8E4M3FN>
  %b = tt.splat %y : f8E5M2 -> tensor<128x64xf8E5M2>
  %sa = tt.splat %s : i8 -> tensor<128x4xi8>
  %sb = tt.splat %s : i8 -> tensor<64x4xi8>
  %c = arith.constant dense<0.0> : tensor<128x64xf32>
  %d = tt.dot_scaled %a scale %sa, %b scale %sb, %c lhs = e4m3 rhs = e5m2 {fastMath = false} : tensor<128x128xf8E4M3FN>, tensor<128x4xi8> * tensor<128x64xf8E5M2>, tensor<64x4xi8> -> tensor<128x64xf32>
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
  tt.store %p, %d : tensor<128x64x!tt.ptr<f32>>
  tt.return
}

// Scales that are not given are 1.
// CHECK-LABEL: .entry one_scale
// CHECK: 2139062143
// CHECK-COUNT-2: tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X
tt.func public @one_scale(%out: !tt.ptr<f32>, %x: i8, %s: i8) {
  %a = tt.splat %x : i8 -> tensor<128x64xi8>
  %b = tt.splat %x : i8 -> tensor<64x64xi8>
  %sa = tt.splat %s : i8 -> tensor<128x4xi8>
  %c = arith.constant dense<0.0> : tensor<128x64xf32>
  %d = tt.dot_scaled %a scale %sa, %b, %c lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<128x64xi8>, tensor<128x4xi8> * tensor<64x64xi8> -> tensor<128x64xf32>
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
  tt.store %p, %d : tensor<128x64x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: .entry float_scales
// CHECK-COUNT-2: tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X
tt.func public @float_scales(%out: !tt.ptr<f32>, %x: i8, %s: f8E4M3FN) {
  %a = tt.splat %x : i8 -> tensor<128x64xi8>
  %b = tt.splat %x : i8 -> tensor<64x64xi8>
  %sa = tt.splat %s : f8E4M3FN -> tensor<128x8xf8E4M3FN>
  %sb = tt.splat %s : f8E4M3FN -> tensor<64x8xf8E4M3FN>
  %c = arith.constant dense<0.0> : tensor<128x64xf32>
  %d = tt.dot_scaled %a scale %sa, %b scale %sb, %c lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<128x64xi8>, tensor<128x8xf8E4M3FN> * tensor<64x64xi8>, tensor<64x8xf8E4M3FN> -> tensor<128x64xf32>
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
  tt.store %p, %d : tensor<128x64x!tt.ptr<f32>>
  tt.return
}

// Two scales of a row leave half of their cell unused.
// CHECK-LABEL: .entry short
// CHECK-COUNT-2: tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X
// CHECK-NOT: tcgen05.mma
tt.func public @short(%out: !tt.ptr<f32>, %x: f8E4M3FN, %s: i8) {
  %a = tt.splat %x : f8E4M3FN -> tensor<128x64xf8E4M3FN>
  %b = tt.splat %x : f8E4M3FN -> tensor<64x64xf8E4M3FN>
  %sa = tt.splat %s : i8 -> tensor<128x2xi8>
  %sb = tt.splat %s : i8 -> tensor<64x2xi8>
  %c = arith.constant dense<0.0> : tensor<128x64xf32>
  %d = tt.dot_scaled %a scale %sa, %b scale %sb, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<128x64xf8E4M3FN>, tensor<128x2xi8> * tensor<64x64xf8E4M3FN>, tensor<64x2xi8> -> tensor<128x64xf32>
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
  tt.store %p, %d : tensor<128x64x!tt.ptr<f32>>
  tt.return
}

// Packed pairs and bytes in one dot: the pairs are padded in shared memory.
// CHECK-LABEL: .entry mixed
// CHECK-COUNT-4: tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X
tt.func public @mixed(%out: !tt.ptr<f32>, %x: i8, %y: f8E5M2, %s: i8) {
  %a = tt.splat %x : i8 -> tensor<128x64xi8>
  %b = tt.splat %y : f8E5M2 -> tensor<128x64xf8E5M2>
  %sa = tt.splat %s : i8 -> tensor<128x4xi8>
  %c = arith.constant dense<0.0> : tensor<128x64xf32>
  %d = tt.dot_scaled %a scale %sa, %b, %c lhs = e2m1 rhs = e5m2 {fastMath = false} : tensor<128x64xi8>, tensor<128x4xi8> * tensor<128x64xf8E5M2> -> tensor<128x64xf32>
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
  tt.store %p, %d : tensor<128x64x!tt.ptr<f32>>
  tt.return
}

// Too few pairs for a padded row: bf16, still by tcgen05.
// CHECK-LABEL: .entry mixed_short
// CHECK: tcgen05.mma.cta_group::1.kind::f16
tt.func public @mixed_short(%out: !tt.ptr<f32>, %x: i8, %y: f8E5M2, %s: i8) {
  %a = tt.splat %x : i8 -> tensor<128x32xi8>
  %b = tt.splat %y : f8E5M2 -> tensor<64x64xf8E5M2>
  %sa = tt.splat %s : i8 -> tensor<128x2xi8>
  %c = arith.constant dense<0.0> : tensor<128x64xf32>
  %d = tt.dot_scaled %a scale %sa, %b, %c lhs = e2m1 rhs = e5m2 {fastMath = false} : tensor<128x32xi8>, tensor<128x2xi8> * tensor<64x64xf8E5M2> -> tensor<128x64xf32>
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
  tt.store %p, %d : tensor<128x64x!tt.ptr<f32>>
  tt.return
}
