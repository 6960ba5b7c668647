// Dots of every type on every architecture: all are assembled, and none is serialised or spilled.
// RUN: %python %S/EveryDot.py > %t.mlir
// RUN: triton-opt %t.mlir --tensor-pipeline "--gpu-pipeline=target=cuda:80" --gpu-resources | triton-ptx - --arch sm_80 > %t.80.ptx
// RUN: triton-opt %t.mlir --tensor-pipeline "--gpu-pipeline=target=cuda:89" --gpu-resources | triton-ptx - --arch sm_89 > %t.89.ptx
// RUN: triton-opt %t.mlir --tensor-pipeline "--gpu-pipeline=target=cuda:90" --gpu-resources | triton-ptx - --arch sm_90a > %t.90.ptx
// RUN: triton-opt %t.mlir --tensor-pipeline "--gpu-pipeline=target=cuda:100" --gpu-resources | triton-ptx - --arch sm_100a > %t.100.ptx
// RUN: triton-opt %t.mlir --tensor-pipeline "--gpu-pipeline=target=cuda:103" --gpu-resources | triton-ptx - --arch sm_103a > %t.103.ptx
// RUN: triton-opt %t.mlir --tensor-pipeline "--gpu-pipeline=target=cuda:120" --gpu-resources | triton-ptx - --arch sm_120a > %t.120.ptx
// RUN: %if ptxas %{ ptxas -arch=sm_80 %t.80.ptx -o %t.cubin %}
// RUN: %if ptxas %{ ptxas -arch=sm_89 %t.89.ptx -o %t.cubin %}
// RUN: %if ptxas %{ ptxas -v -arch=sm_90a %t.90.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=ASSEMBLED %}
// RUN: %if ptxas %{ ptxas -arch=sm_100a %t.100.ptx -o %t.cubin %}
// RUN: %if ptxas %{ ptxas -arch=sm_103a %t.103.ptx -o %t.cubin %}
// RUN: %if ptxas %{ ptxas -arch=sm_120a %t.120.ptx -o %t.cubin %}
// ASSEMBLED: Compiling entry function
// ASSEMBLED-NOT: C75
// RUN: FileCheck %s < %t.90.ptx
// RUN: FileCheck %s --check-prefix=AMPERE < %t.80.ptx
// RUN: FileCheck %s --check-prefix=ADA < %t.89.ptx
// RUN: FileCheck %s --check-prefixes=TMEM,TMEM100 < %t.100.ptx
// RUN: FileCheck %s --check-prefixes=TMEM,TMEM103 < %t.103.ptx

// CHECK-LABEL: .entry dot_f16_f32_0_0_tf32
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-LABEL: .entry dot_f16_f32_0_3_tf32
// CHECK-COUNT-2: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16
// CHECK-LABEL: .entry dot_f16_f32_0_7_tf32
// CHECK-NOT: mma.sync
// CHECK: fma.rn.f32
// CHECK-LABEL: .entry dot_f16_f16_1_3_tf32
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f16.f16.f16
// CHECK-LABEL: .entry dot_bf16_f32_2_3_tf32
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// CHECK-LABEL: .entry dot_i8_i32_3_3_tf32
// CHECK: wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8
// CHECK-LABEL: .entry dot_f8E4M3FN_f32_4_3_tf32
// CHECK: wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e5m2
// CHECK-LABEL: .entry dot_f64_f64_6_3_tf32
// CHECK: mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64
// CHECK-LABEL: .entry dot_f32_f32_7_3_tf32
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32
// CHECK-LABEL: .entry dot_f32_f32_7_3_ieee
// CHECK-COUNT-1024: fma.rn.f32
// CHECK-LABEL: .entry dot_f32_f32_7_3_tf32x3
// CHECK-COUNT-12: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32
// CHECK-LABEL: .entry dot_f32_f32_7_3_bf16x3
// CHECK-COUNT-6: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// CHECK-LABEL: .entry dot_f32_f32_7_3_bf16x6
// CHECK-COUNT-12: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16

// AMPERE-NOT: wgmma
// AMPERE-LABEL: .entry dot_f8E4M3FN_f32_4_3_tf32
// AMPERE: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// AMPERE-LABEL: .entry dot_f64_f64_6_3_tf32
// AMPERE: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
// ADA-LABEL: .entry dot_f8E4M3FN_f32_4_3_tf32
// ADA: mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32

// Below the smallest instruction, mma.sync.
// TMEM-NOT: wgmma
// TMEM-LABEL: .entry dot_f16_f32_0_0_tf32
// TMEM-NOT: tcgen05.mma
// TMEM: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// TMEM-LABEL: .entry dot_f16_f32_0_3_tf32
// TMEM-COUNT-2: tcgen05.mma.cta_group::1.kind::f16
// TMEM-LABEL: .entry dot_f16_f32_0_4_tf32
// TMEM-COUNT-8: tcgen05.mma.cta_group::1.kind::f16
// TMEM-LABEL: .entry dot_f16_f32_0_5_tf32
// TMEM-COUNT-2: tcgen05.mma.cta_group::1.kind::f16
// TMEM-LABEL: .entry dot_f16_f16_1_3_tf32
// TMEM: tcgen05.mma.cta_group::1.kind::f16
// TMEM-LABEL: .entry dot_bf16_f32_2_3_tf32
// TMEM: tcgen05.mma.cta_group::1.kind::f16
// TMEM-LABEL: .entry dot_i8_i32_3_3_tf32
// TMEM100: tcgen05.mma.cta_group::1.kind::i8
// sm_103 has no such kind.
// TMEM103: mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32
// TMEM-LABEL: .entry dot_f8E4M3FN_f32_4_3_tf32
// TMEM: tcgen05.mma.cta_group::1.kind::f8f6f4
// TMEM-LABEL: .entry dot_f8E5M2_f16_5_3_tf32
// TMEM: tcgen05.mma.cta_group::1.kind::f8f6f4
// TMEM-LABEL: .entry dot_f64_f64_6_3_tf32
// TMEM: mma.sync.aligned.{{.*}}.f64.f64.f64.f64
// TMEM-LABEL: .entry dot_f32_f32_7_3_tf32
// TMEM-COUNT-4: tcgen05.mma.cta_group::1.kind::tf32
// TMEM-LABEL: .entry dot_f32_f32_7_3_tf32x3
// TMEM-COUNT-12: tcgen05.mma.cta_group::1.kind::tf32
// TMEM-LABEL: .entry dot_f32_f32_7_3_bf16x6
// TMEM-COUNT-12: tcgen05.mma.cta_group::1.kind::f16
