// What passes are not made for they say, and nothing ends the process.
// RUN: split-file %s %t
// RUN: not triton-opt %t/plain.mlir --gpu-pipeline=target=foo 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not triton-opt %t/plain.mlir --gpu-set-target=target=cuda:95 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not triton-opt %t/plain.mlir --gpu-set-target=num-warps=3 2>&1 | FileCheck %s --check-prefix=WARPS
// RUN: not triton-opt %t/plain.mlir --gpu-set-target=num-warps=-4 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not triton-opt %t/plain.mlir --gpu-pipeline=num-ctas=3 2>&1 | FileCheck %s --check-prefix=CTAS
// RUN: not triton-opt %t/plain.mlir --gpu-pipeline="target=cuda:80 num-ctas=2" 2>&1 | FileCheck %s --check-prefix=CLUSTER
// RUN: not triton-opt %t/block_pointer.mlir --gpu-assign-layouts 2>&1 | FileCheck %t/block_pointer.mlir
// RUN: not triton-opt %t/scaled.mlir --gpu-assign-layouts 2>&1 | FileCheck %t/scaled.mlir
// RUN: not triton-opt %t/twice.mlir --gpu-assign-layouts 2>&1 | FileCheck %t/twice.mlir
// RUN: not triton-opt %t/reduce.mlir --gpu-resources 2>&1 | FileCheck %t/reduce.mlir
// RUN: not triton-opt %t/partitions.mlir --gpu-resources 2>&1 | FileCheck %t/partitions.mlir
// RUN: not triton-opt %t/bits.mlir --gpu-lower-descriptors 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: not triton-opt %t/bits.mlir --gpu-make-tensor-maps 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: not triton-opt %t/swizzle.mlir --gpu-lower-descriptors 2>&1 | FileCheck %s --check-prefix=SWIZZLE
// RUN: not triton-opt %t/swizzle.mlir --gpu-pipeline-loops 2>&1 | FileCheck %s --check-prefix=SWIZZLE
// RUN: not triton-opt %t/wgmma.mlir --tensor-float-sanitizer 2>&1 | FileCheck %s --check-prefix=FPSAN
// NAME: error: unknown NVIDIA architecture 'foo': expected sm_70, 75, 80, 86, 89, 90a, 100a, 103a or 120a
// NUMBER: error: unknown NVIDIA architecture 'cuda:95'
// WARPS: error: num_warps must be a power of two, got 3
// NEGATIVE: error: num_warps must be a power of two, got -4
// CTAS: error: a cluster has 1, 2, 4, 8 or 16 CTAs, got num_ctas = 3
// CLUSTER: error: num_ctas = 2 needs sm_90 or newer, got "cuda:80"

//--- plain.mlir
tt.func public @plain() {
  tt.return
}

//--- block_pointer.mlir
tt.func public @block_pointer(%p: !tt.ptr<tensor<64xf32>>) {
  // CHECK: error: 'tt.load' op has a block pointer, which must be rewritten before layouts are assigned
  %x = tt.load %p : !tt.ptr<tensor<64xf32>>
  tt.return
}

//--- scaled.mlir
tt.func public @scaled(%a: tensor<128x64xf8E4M3FN>, %as: tensor<128x2xi8>, %b: tensor<64x128xf8E4M3FN>, %c: tensor<128x128xf32>) {
  // CHECK: error: 'tt.dot_scaled' op must be rewritten before layouts are assigned
  %d = tt.dot_scaled %a scale %as, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<128x64xf8E4M3FN>, tensor<128x2xi8> * tensor<64x128xf8E4M3FN> -> tensor<128x128xf32>
  tt.return
}

//--- twice.mlir
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
tt.func public @twice() {
  // CHECK: error: 'arith.constant' op has a layout before layouts are assigned: 'tensor<128xf32, #ttg.blocked
  %x = arith.constant dense<1.0> : tensor<128xf32, #blocked>
  tt.return
}

//--- reduce.mlir
tt.func public @reduce(%x: tensor<128xf32>) {
  // CHECK: error: 'tt.func' op has an argument without a layout: 'tensor<128xf32>'
  %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<128xf32>) -> f32
  tt.return
}

//--- partitions.mlir
module attributes {"ttg.num-warps" = 2 : i32} {
  tt.func public @partitions() {
    // CHECK: error: 'ttg.warp_specialize' op needs a kernel whose number of warps is a multiple of 4, got 2
    ttg.warp_specialize()
    default {
      ttg.warp_yield
    }
    partition0() num_warps(1) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}

//--- bits.mlir
// BITS: error: 'tt.make_tensor_descriptor' op cannot be done by TMA, which moves at least one byte per element in at most 5 dimensions, got '!tt.tensordesc<tensor<64xi1>>'
tt.func public @bits(%base: !tt.ptr<i1>, %n: i32) {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %base, [%n], [%one] : <i1>, <tensor<64xi1>>
  tt.return
}

//--- swizzle.mlir
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// SWIZZLE: error: 'tt.func' op Illegal shared layout: a buffer of shape [32, 32] is too small for a swizzle of 128 bytes of 16-bit elements
tt.func public @swizzle(%d: !tt.tensordesc<tensor<32x32xf16, #shared>>) {
  tt.return
}

//--- wgmma.mlir
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
// FPSAN: error: 'ttng.warp_group_dot' op multiplies matrices in a way that the floating-point sanitizer (fpsan) does not know; it knows tl.dot
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @wgmma(%a: !ttg.memdesc<64x64xf16, #shared, #smem>, %c: tensor<64x64xf32, #mma>) {
    %d = ttng.warp_group_dot %a, %a, %c : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    tt.return
  }
}
