// Any number of stages will do.
// RUN: triton-opt %s --gpu-pipeline-loops=num-stages=-3 | FileCheck %s --check-prefix=NONE
// RUN: triton-opt %s --gpu-pipeline-loops=num-stages=1 | FileCheck %s --check-prefix=NONE
// RUN: triton-opt %s --gpu-pipeline-loops=num-stages=1000000 | FileCheck %s --check-prefix=MANY
// No more are taken than fit.
// RUN: triton-opt %s --gpu-pipeline-loops=num-stages=20 | FileCheck %s --check-prefix=FITS
// RUN: triton-opt %s --gpu-pipeline-loops=num-stages=21 | FileCheck %s --check-prefix=FITS
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#few = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80"} {
// NONE-NOT: local_alloc
// NONE: scf.for
// NONE: tt.load
// MANY: ttg.local_alloc : () -> !ttg.memdesc<20x64x64xf16
// FITS: ttg.local_alloc : () -> !ttg.memdesc<20x64x64xf16
tt.func @product(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: tensor<64x64xf16, #right>, %n: i32) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %s = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %e = tt.expand_dims %s {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
  %o = tt.broadcast %e : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> tensor<64x64xf32, #mma> : i32 {
    %b = tt.splat %p : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
    %t = tt.addptr %b, %o : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
    %a = tt.load %t : tensor<64x64x!tt.ptr<f16>, #blocked>
    %x = ttg.convert_layout %a : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #left>
    %d = tt.dot %x, %y, %acc : tensor<64x64xf16, #left> * tensor<64x64xf16, #right> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// MANY: ttg.local_alloc : () -> !ttg.memdesc<32x64x16xf16
tt.func @small_product(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: tensor<16x64xf16, #right>, %n: i32) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %s = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #few}>>
  %e = tt.expand_dims %s {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #few}>> -> tensor<1x16xi32, #few>
  %o = tt.broadcast %e : tensor<1x16xi32, #few> -> tensor<64x16xi32, #few>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> tensor<64x64xf32, #mma> : i32 {
    %b = tt.splat %p : !tt.ptr<f16> -> tensor<64x16x!tt.ptr<f16>, #few>
    %t = tt.addptr %b, %o : tensor<64x16x!tt.ptr<f16>, #few>, tensor<64x16xi32, #few>
    %a = tt.load %t : tensor<64x16x!tt.ptr<f16>, #few>
    %x = ttg.convert_layout %a : tensor<64x16xf16, #few> -> tensor<64x16xf16, #left>
    %d = tt.dot %x, %y, %acc : tensor<64x16xf16, #left> * tensor<16x64xf16, #right> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}
}
