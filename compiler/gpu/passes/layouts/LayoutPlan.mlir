// RUN: triton-opt %s --gpu-set-target=num-warps=4 --gpu-assign-layouts=print-plan | FileCheck %s

// What was decided, op by op, and what it costs: wide accesses on both sides are worth an exchange between them.
// CHECK: tt.load in 0 loops: tensor<64x64xf16, #ttg.blocked<{sizePerThread = [1, 8], {{.*}}}>> costs [[#]]
// CHECK-NEXT: tt.store in 0 loops: tensor<64x64x!tt.ptr<f16>, #ttg.blocked<{sizePerThread = [8, 1], {{.*}}}>> costs [[#]]
// CHECK-NEXT: conversion for tt.store: tensor<64x64xf16, #ttg.blocked<{sizePerThread = [1, 8], {{.*}}}>> to #ttg.blocked<{sizePerThread = [8, 1], {{.*}}}> costs [[#]]
tt.func public @transpose(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %rb = tt.broadcast %r : tensor<64x1xi32> -> tensor<64x64xi32>
  %c = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cb = tt.broadcast %c : tensor<1x64xi32> -> tensor<64x64xi32>
  %s = tt.splat %stride : i32 -> tensor<64x64xi32>
  %rs = arith.muli %rb, %s : tensor<64x64xi32>
  %cs = arith.muli %cb, %s : tensor<64x64xi32>
  %from = arith.addi %rs, %cb : tensor<64x64xi32>
  %to = arith.addi %rb, %cs : tensor<64x64xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %xp = tt.addptr %xs, %from : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %ys = tt.splat %y : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %yp = tt.addptr %ys, %to : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %t = tt.load %xp : tensor<64x64x!tt.ptr<f16>>
  tt.store %yp, %t : tensor<64x64x!tt.ptr<f16>>
  tt.return
}
