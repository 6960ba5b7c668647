// What has no code says so, at its place, and nothing ends the process.
// RUN: split-file %s %t
// RUN: not triton-ptx %t/operand.mlir 2>&1 | FileCheck %t/operand.mlir
// RUN: not triton-ptx %t/constraint.mlir 2>&1 | FileCheck %t/constraint.mlir
// RUN: not triton-ptx %t/count.mlir 2>&1 | FileCheck %t/count.mlir
// RUN: not triton-ptx %t/scratch.mlir 2>&1 | FileCheck %t/scratch.mlir
// RUN: not triton-ptx %t/block_pointer.mlir 2>&1 | FileCheck %t/block_pointer.mlir
// RUN: not triton-ptx %t/library.mlir 2>&1 | FileCheck %t/library.mlir
// RUN: not triton-ptx %t/buffer.mlir 2>&1 | FileCheck %t/buffer.mlir
// RUN: not triton-ptx %t/exchange.mlir 2>&1 | FileCheck %t/exchange.mlir
// RUN: not triton-ptx %t/layout.mlir 2>&1 | FileCheck %t/layout.mlir
// RUN: not triton-ptx %t/lanes.mlir 2>&1 | FileCheck %t/lanes.mlir
// RUN: not triton-ptx %t/warps.mlir 2>&1 | FileCheck %t/warps.mlir
// RUN: not triton-ptx %t/results.mlir 2>&1 | FileCheck %t/results.mlir
// RUN: not triton-ptx %t/ctas.mlir 2>&1 | FileCheck %t/ctas.mlir
// RUN: not triton-ptx %t/clusters.mlir --arch sm_80 2>&1 | FileCheck %t/clusters.mlir
// RUN: not triton-ptx %t/library.mlir --arch sm_95 2>&1 | FileCheck %s --check-prefix=ARCH
// ARCH: unknown NVIDIA architecture 'sm_95': expected sm_70, 75, 80, 86, 89, 90a, 100a, 103a or 120a
// RUN: not triton-ptx %t/library.mlir --ptx-version 78 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: triton-opt %t/handed.mlir --gpu-resources | not triton-ptx 2>&1 | FileCheck %t/handed.mlir
// RUN: triton-opt %t/called.mlir --gpu-resources | not triton-ptx 2>&1 | FileCheck %t/called.mlir
// RUN: triton-opt %t/within.mlir --gpu-resources | not triton-ptx 2>&1 | FileCheck %t/within.mlir
// RUN: not triton-ptx %t/homeless.mlir 2>&1 | FileCheck %t/homeless.mlir
// OLD: PTX 7.8 is too old for sm_90a, which needs 8.0 or newer

//--- operand.mlir
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @operand(%x: i32) {
    // CHECK: error: {{.*}}has a '$' in its assembly that names none of its 2 operands
    %r = tt.elementwise_inline_asm "shl.b32 $0, $2, 3;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
    tt.return
  }
}

//--- constraint.mlir
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @constraint(%x: i32) {
    // CHECK: error: {{.*}}has a constraint that names no PTX register in "=q,r": expected one of b, h, r, l, f, d
    %r = tt.elementwise_inline_asm "shl.b32 $0, $1, 3;" {constraints = "=q,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
    tt.return
  }
}

//--- count.mlir
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @count(%x: i32) {
    // CHECK: error: {{.*}}has constraints "=r,r,r" for 1 outputs and 2 inputs, but its values take 1 and 1 registers
    %r = tt.elementwise_inline_asm "shl.b32 $0, $1, 3;" {constraints = "=r,r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
    tt.return
  }
}

//--- scratch.mlir
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @scratch(%p: !tt.ptr<i32>, %x: i32) {
    // CHECK: error: {{.*}}has a result that several threads need, but no shared memory was allocated for it
    %old = tt.atomic_rmw add, relaxed, gpu, %p, %x : (!tt.ptr<i32>, i32) -> i32
    tt.store %p, %old : !tt.ptr<i32>
    tt.return
  }
}

//--- block_pointer.mlir
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @block_pointer(%p: !tt.ptr<f32>, %n: i64) {
    %c0 = arith.constant 0 : i32
    // CHECK: error: the NVIDIA target has no code for 'tt.make_tensor_ptr'
    %b = tt.make_tensor_ptr %p, [%n], [%n], [%c0] {order = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
    tt.return
  }
}

//--- library.mlir
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @library(%p: !tt.ptr<f32>, %x: f32) {
    // CHECK: no library defines the function 'no_such_function'
    %r = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "no_such_function"} : (f32) -> f32
    tt.store %p, %r : !tt.ptr<f32>
    tt.return
  }
}

//--- buffer.mlir
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @buffer() {
    %x = arith.constant dense<1.0> : tensor<128xf32, #blocked>
    // CHECK: error: 'ttg.local_alloc' op needs shared memory, but none was allocated for it
    // CHECK-NOT: error: 'ttg.local_alloc'
    %b = ttg.local_alloc %x : (tensor<128xf32, #blocked>) -> !ttg.memdesc<128xf32, #shared, #smem>
    %c = ttg.local_alloc %x : (tensor<128xf32, #blocked>) -> !ttg.memdesc<128xf32, #shared, #smem>
    tt.return
  }
}

//--- exchange.mlir
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @exchange(%p: !tt.ptr<f32>) {
    %x = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #rows>
    %v = tt.load %x : tensor<64x64x!tt.ptr<f32>, #rows>
    // CHECK: error: 'ttg.convert_layout' op needs shared memory, but none was allocated for it
    %c = ttg.convert_layout %v : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    tt.return
  }
}

//--- layout.mlir
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @layout() {
    // CHECK: error: 'arith.constant' op has a result without a layout: 'tensor<128xf32>'
    %x = arith.constant dense<1.0> : tensor<128xf32>
    tt.return
  }
}

//--- lanes.mlir
// CHECK: error: a warp of an NVIDIA GPU has 32 threads, got ttg.threads-per-warp = 64
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @lanes() {
    tt.return
  }
}

//--- warps.mlir
// CHECK: error: code is made for at most 128 warps, got ttg.num-warps = 256
module attributes {"ttg.num-warps" = 256 : i32} {
  tt.func public @warps() {
    tt.return
  }
}

//--- ctas.mlir
// CHECK: error: a cluster has at most 16 CTAs, got ttg.num-ctas = 32
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 32 : i32} {
  tt.func public @ctas() {
    tt.return
  }
}

//--- clusters.mlir
// CHECK: error: ttg.num-ctas = 2 needs sm_90 or newer, got sm_80
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32} {
  tt.func public @clusters() {
    tt.return
  }
}

//--- handed.mlir
// CHECK: error: 'ttg.warp_specialize' op cannot hand a tensor to partitions, got {{.*}}: each thread holds other elements
#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @handed() {
    %x = arith.constant dense<0> : tensor<128xi32, #row>
    ttg.warp_specialize(%x)
    default {
      ttg.warp_yield
    }
    partition0(%y: tensor<128xi32, #row>) num_warps(4) {
      ttg.warp_return
    } : (tensor<128xi32, #row>) -> ()
    tt.return
  }
}

//--- called.mlir
// CHECK: error: 'tt.call' op calls 'callee' in a partition of warps, whose functions have to be inlined
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func private @callee() attributes {noinline = true} {
    tt.return
  }
  tt.func public @called() {
    ttg.warp_specialize()
    default {
      ttg.warp_yield
    }
    partition0() num_warps(4) {
      tt.call @callee() : () -> ()
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}

//--- within.mlir
// CHECK: error: 'ttg.warp_specialize' op stands in a function that a kernel calls; only a kernel has warps for partitions
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func private @callee() attributes {noinline = true} {
    ttg.warp_specialize()
    default {
      ttg.warp_yield
    }
    partition0() num_warps(4) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
  tt.func public @within() {
    tt.call @callee() : () -> ()
    tt.return
  }
}

//--- homeless.mlir
// CHECK: error: 'ttg.warp_specialize' op has partitions without warps: gpu-place-partitions gives them some
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @homeless() {
    ttg.warp_specialize()
    default {
      ttg.warp_yield
    }
    partition0() num_warps(4) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}

//--- results.mlir
// CHECK: error: 'many' returns 8192 values in each thread, of which a function can pass 1024
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @many(%x: f32) -> tensor<1048576xf32, #blocked> {
    %a = tt.splat %x : f32 -> tensor<1048576xf32, #blocked>
    tt.return %a : tensor<1048576xf32, #blocked>
  }
}
