// Every diagnostic of the layouts, types and ops of GPU IR.
// RUN: triton-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{must all have the same rank}}
#a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32], warpsPerCTA = [4, 1], order = [1, 0]}>

// -----

// expected-error @+1 {{threadsPerWarp must be powers of two, but was [3]}}
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [3], warpsPerCTA = [4], order = [0]}>

// -----

// expected-error @+1 {{order must be a permutation of 0..(rank-1), but was [1, 1]}}
#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 1]}>

// -----

// expected-error @+1 {{expected a value for order}}
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4]}>

// -----

// expected-error @+1 {{unknown field wraps}}
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], wraps = 1}>

// -----

// expected-error @+1 {{sizePerThread must be a list of integers}}
#a = #ttg.blocked<{sizePerThread = 1, threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// -----

// expected-error @+1 {{a basis of CGALayout must have 1 numbers, got 2}}
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[0, 1]]}>

// -----

// expected-error @+1 {{CTAsPerCGA and CTASplitNum must be powers of two}}
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CTAsPerCGA = [2], CTASplitNum = [4], CTAOrder = [0]}>

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// expected-error @+1 {{the parent of a slice must have rank 2 or more, got 1}}
#a = #ttg.slice<{dim = 0, parent = #blocked}>

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
// expected-error @+1 {{slice dim 2 is outside of a parent of rank 2}}
#a = #ttg.slice<{dim = 2, parent = #blocked}>

// -----

// expected-error @+1 {{parent must be a layout of registers}}
#a = #ttg.slice<{dim = 0, parent = #ttg.shared_memory}>

// -----

// expected-error @+1 {{an nvidia_mma layout has version 2 or 3, got 1}}
#a = #ttg.nvidia_mma<{versionMajor = 1, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>

// -----

// expected-error @+1 {{instrShape of version 2 must be [16, 8]}}
#a = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 16]}>

// -----

// expected-error @+1 {{instrShape of version 3 must be [16, n, k]}}
#a = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 24, 16]}>

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
// expected-error @+1 {{only operand 0 of a version 3 product can be in registers}}
#a = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
// expected-error @+1 {{needs a kWidth that is a power of two, got 0}}
#a = #ttg.dot_op<{opIdx = 1, parent = #mma}>

// -----

// expected-error @+1 {{an amd_mfma layout has version 1 to 4, got 5}}
#a = #ttg.amd_mfma<{version = 5, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>

// -----

// expected-error @+1 {{with m x n of 32x32, 16x16, 64x4 or 4x64, got [8, 8, 4]}}
#a = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [8, 8, 4], isTransposed = true}>

// -----

// expected-error @+1 {{elementBitWidth of an amd_mfma layout must be 32, or 64 with 16x16 instructions, got 64}}
#a = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true, elementBitWidth = 64}>

// -----

// expected-error @+1 {{an amd_wmma layout has version 1 to 3, got 4}}
#a = #ttg.amd_wmma<{version = 4, ctaLayout = {warp = [[0, 1]]}, isTranspose = true, instrShape = [16, 16, 16]}>

// -----

// expected-error @+1 {{ctaLayout of an amd_wmma layout must reach every tile}}
#a = #ttg.amd_wmma<{version = 2, ctaLayout = {warp = [[0, 2]]}, isTranspose = true, instrShape = [16, 16, 16]}>

// -----

// expected-error @+1 {{ctaLayout must be fields in braces}}
#a = #ttg.amd_wmma<{version = 2, ctaLayout = 4, isTranspose = true, instrShape = [16, 16, 16]}>

// -----

#mfma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
// expected-error @+1 {{a dot_op layout with a parent of AMD's needs a kWidth that is a power of two, got 0}}
#a = #ttg.dot_op<{opIdx = 1, parent = #mfma}>

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
// expected-error @+1 {{a dot_op layout with a blocked parent has no kWidth, got 2}}
#a = #ttg.dot_op<{opIdx = 1, parent = #blocked, kWidth = 2}>

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
// expected-error @+1 {{opIdx of a dot_op layout must be 0 or 1, got 2}}
#a = #ttg.dot_op<{opIdx = 2, parent = #blocked}>

// -----

// expected-error @+1 {{a linear layout must reach every element}}
#a = #ttg.linear<{register = [[1]], lane = [[4]], warp = [], block = []}>

// -----

// expected-error @+1 {{a basis of a linear layout moves along one dimension}}
#a = #ttg.linear<{register = [[1, 1]], lane = [[1, 0]], warp = [], block = []}>

// -----

// expected-error @+1 {{a linear layout needs at least one basis}}
#a = #ttg.linear<{register = [], lane = [], warp = [], block = []}>

// -----

// expected-error @+1 {{vec, perPhase and maxPhase must be powers of two}}
#a = #ttg.swizzled_shared<{vec = 3, perPhase = 1, maxPhase = 1, order = [0]}>

// -----

// expected-error @+1 {{swizzlingByteWidth must be 0, 32, 64 or 128, got 16}}
#a = #ttg.nvmma_shared<{swizzlingByteWidth = 16, transposed = false, elementBitWidth = 16}>

// -----

// expected-error @+1 {{elementBitWidth must be 8, 16, 32 or 64, got 4}}
#a = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 4}>

// -----

// expected-error @+1 {{transposed must be true or false}}
#a = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = 2, elementBitWidth = 8}>

// -----

// expected-error @+1 {{fp4Padded needs elements of 8 bits and a swizzle of 128 bytes}}
#a = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 8, fp4Padded = true}>

// -----

// expected-error @+1 {{an nvmma_shared layout has rank 1 to 5, got 6}}
#a = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 8, rank = 6}>

// -----

// expected-error @+1 {{the intervals of a padded_shared layout must differ}}
#a = #ttg.padded_shared<[4:+4, 4:+8] {order = [1, 0], shape = [16, 32]}>

// -----

// expected-error @+1 {{an offset basis of a padded_shared layout is a power of two along one dimension}}
#a = #ttg.padded_shared<[4:+4] {offset = [[1, 1], [0, 1]], block = []}>

// -----

// expected-error @+1 {{must reach every element once}}
#a = #ttg.padded_shared<[4:+4] {offset = [[0, 1], [0, 1]], block = []}>

// -----

// expected-error @+1 {{a shared_linear layout must reach every element once}}
#a = #ttg.shared_linear<{offset = [[1], [1]]}, alignment = 16>

// -----

// expected-error @+1 {{alignment must be powers of two}}
#a = #ttg.shared_linear<{offset = [[1], [2]]}, alignment = 17>

// -----

// expected-error @+1 {{blockM must be 64 or 128, got 32}}
#a = #ttng.tensor_memory_encoding<blockM = 32, blockN = 64, colStride = 1>

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// expected-error @+1 {{the layout has rank 1, the shape [16, 16] rank 2}}
tt.func private @rank(tensor<16x16xf32, #blocked>)

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// expected-error @+1 {{a tensor with a layout has sizes that are powers of two, got [48]}}
tt.func private @sizes(tensor<48xf32, #blocked>)

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
// expected-error @+1 {{a buffer of shape [64, 32] is too small for a swizzle of 128 bytes of 16-bit elements}}
tt.func private @small(!ttg.memdesc<64x32xf16, #nvmma, #smem>)

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
// expected-error @+1 {{needs a layout of that rank or of one less, got 2}}
tt.func private @rank(!ttg.memdesc<2x4x64x64xf16, #nvmma, #smem>)

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
// expected-error @+1 {{all sizes of a buffer but the first must be powers of two}}
tt.func private @sizes(!ttg.memdesc<2x63x64xf16, #nvmma, #smem>)

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
// expected-error @+1 {{a buffer of shape [64, 64] cannot be part of one of shape [32, 64]}}
tt.func private @part(!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable, 32x64>)

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#smem = #ttg.shared_memory
// expected-error @+1 {{a buffer needs a layout of memory}}
tt.func private @registers(!ttg.memdesc<64xf16, #blocked, #smem>)

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
// expected-error @+1 {{is not one of the memory}}
tt.func private @space(!ttg.memdesc<64xf16, #shared, #ttng.tensor_memory>)

// -----

#linear = #ttg.shared_linear<{offset = [[1], [2]]}, alignment = 16>
#smem = #ttg.shared_memory
// expected-error @+1 {{the layout is one of shape [4], not of [8]}}
tt.func private @exact(!ttg.memdesc<8xf16, #linear, #smem>)

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
tt.func @convert(%x: tensor<64xf16, #blocked>) {
  // expected-error @+1 {{requires the same shape}}
  %y = ttg.convert_layout %x : tensor<64xf16, #blocked> -> tensor<128xf16, #blocked>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
tt.func @convert(%x: tensor<64xf16, #blocked>) {
  // expected-error @+1 {{converts between layouts, got}}
  %y = ttg.convert_layout %x : tensor<64xf16, #blocked> -> tensor<64xf16>
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @alloc() {
  // expected-error @+1 {{without a value gives a mutable buffer}}
  %b = ttg.local_alloc : () -> !ttg.memdesc<64xf16, #shared, #smem>
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @alloc() {
  // expected-error @+1 {{needs an alignment that is a power of two, got 3}}
  %b = ttg.local_alloc {alignment = 3 : i32} : () -> !ttg.memdesc<64xf16, #shared, #smem, mutable>
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#smem = #ttg.shared_memory
tt.func @load(%b: !ttg.memdesc<64xf16, #shared, #smem, mutable>) {
  // expected-error @+1 {{moves a tensor of 'f32' and a buffer of 'f16'}}
  %x = ttg.local_load %b : !ttg.memdesc<64xf16, #shared, #smem, mutable> -> tensor<64xf32, #blocked>
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#smem = #ttg.shared_memory
tt.func @store(%b: !ttg.memdesc<64xf16, #shared, #smem>, %x: tensor<64xf16, #blocked>) {
  // expected-error @+1 {{writes to a buffer that is not mutable}}
  ttg.local_store %x, %b : tensor<64xf16, #blocked> -> !ttg.memdesc<64xf16, #shared, #smem>
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#smem = #ttg.shared_memory
tt.func @store(%b: !ttg.memdesc<32xf16, #shared, #smem, mutable>, %x: tensor<64xf16, #blocked>) {
  // expected-error @+1 {{moves a tensor of shape [64] and a buffer of shape [32]}}
  ttg.local_store %x, %b : tensor<64xf16, #blocked> -> !ttg.memdesc<32xf16, #shared, #smem, mutable>
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @index(%b: !ttg.memdesc<32xf16, #shared, #smem, mutable>, %i: i32) {
  // expected-error @+1 {{indexes a row of buffers, got one of shape [32]}}
  %x = ttg.memdesc_index %b[%i] : !ttg.memdesc<32xf16, #shared, #smem, mutable> -> !ttg.memdesc<1xf16, #shared, #smem, mutable>
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @subslice(%b: !ttg.memdesc<32x32xf16, #shared, #smem, mutable>) {
  // expected-error @+1 {{got offset 8 and size 16 of 32 in dim 1}}
  %x = ttg.memdesc_subslice %b[0, 8] : !ttg.memdesc<32x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<32x16xf16, #shared, #smem, mutable, 32x32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
tt.func @subslice(%b: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) {
  // expected-error @+1 {{cuts through the swizzle}}
  %x = ttg.memdesc_subslice %b[4, 0] : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<4x64xf16, #nvmma, #smem, mutable, 64x64>
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @trans(%b: !ttg.memdesc<32x64xf16, #shared, #smem, mutable>) {
  // expected-error @+1 {{gives '!ttg.memdesc<64x32xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>, #ttg.shared_memory, mutable>'}}
  %x = ttg.memdesc_trans %b {order = array<i32: 1, 0>} : !ttg.memdesc<32x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @reshape(%b: !ttg.memdesc<32x64xf16, #shared, #smem, mutable>) {
  // expected-error @+1 {{cannot change the number of elements: [32, 64] to [64, 64]}}
  %x = ttg.memdesc_reshape %b : !ttg.memdesc<32x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
tt.func @dot(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem>, %c: tensor<64x64xf32, #mma>) {
  // expected-error @+1 {{accumulates in a version 3 nvidia_mma layout}}
  %d = ttng.warp_group_dot %a, %a, %c : !ttg.memdesc<64x64xf16, #nvmma, #smem> * !ttg.memdesc<64x64xf16, #nvmma, #smem> -> tensor<64x64xf32, #mma>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
tt.func @dot(%a: !ttg.memdesc<32x64xf16, #nvmma, #smem>, %b: !ttg.memdesc<64x64xf16, #nvmma, #smem>, %c: tensor<32x64xf32, #mma>) {
  // expected-error @+1 {{needs a multiple of 64 rows, got 32}}
  %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<32x64xf16, #nvmma, #smem> * !ttg.memdesc<64x64xf16, #nvmma, #smem> -> tensor<32x64xf32, #mma>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#swizzled = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
tt.func @dot(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem>, %b: !ttg.memdesc<64x64xf16, #swizzled, #smem>, %c: tensor<64x64xf32, #mma>) {
  // expected-error @+1 {{reads operands from buffers in nvmma_shared or shared_linear layouts}}
  %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xf16, #nvmma, #smem> * !ttg.memdesc<64x64xf16, #swizzled, #smem> -> tensor<64x64xf32, #mma>
  tt.return
}

// -----

// expected-error @+1 {{ttg.num-warps must be an i32 that is a power of two, got 3 : i32}}
module attributes {"ttg.num-warps" = 3 : i32} {}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @warps() {
    // expected-error @+1 {{has a layout of 8 warps per CTA, but the context requires 4}}
    %x = arith.constant dense<0> : tensor<512xi32, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @lanes() {
    // expected-error @+1 {{has a layout of 64 threads per warp, but the module requires 32}}
    %x = arith.constant dense<0> : tensor<512xi32, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32} {
  tt.func @ctas() {
    // expected-error @+1 {{has a layout of 1 CTAs per CGA, but the module requires 2}}
    %x = arith.constant dense<0> : tensor<512xi32, #blocked>
    tt.return
  }
}

// -----

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @elementwise(%x: tensor<512xi32, #a>) {
    // expected-error @+1 {{works element by element and needs one layout}}
    %y = arith.extsi %x : tensor<512xi32, #a> to tensor<512xi64, #b>
    tt.return
  }
}

// -----

#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @barrier(%b: !ttg.memdesc<2xi64, #bars, #smem, mutable>) {
  // expected-error @+1 {{barrier allocation must be a descriptor of 1xi64 type}}
  ttng.init_barrier %b, 1 : !ttg.memdesc<2xi64, #bars, #smem, mutable>
  tt.return
}

// -----

#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @barrier(%b: !ttg.memdesc<1xi64, #bars, #smem, mutable>) {
  // expected-error @+1 {{needs a count from 1 to 2^20 - 1, got 0}}
  ttng.arrive_barrier %b, 0 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
  tt.return
}

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
tt.func @tma(%d: !tt.tensordesc<tensor<64x64xf16>>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %x: i32) {
  // expected-error @+1 {{needs 2 coordinates, got 1}}
  ttng.async_tma_copy_local_to_global %d[%x] %b : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #shared, #smem>
  tt.return
}

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
tt.func @tma(%d: !tt.tensordesc<tensor<64x64xf16>>, %b: !ttg.memdesc<32x64xf16, #shared, #smem>, %x: i32) {
  // expected-error @+1 {{moves blocks of shape [64, 64], got a buffer of shape [32, 64]}}
  ttng.async_tma_copy_local_to_global %d[%x, %x] %b : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<32x64xf16, #shared, #smem>
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @tma(%d: !tt.tensordesc<tensor<64x64xf16>>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %x: i32) {
  // expected-error @+1 {{needs a buffer in an nvmma_shared layout}}
  ttng.async_tma_copy_local_to_global %d[%x, %x] %b : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #shared, #smem>
  tt.return
}

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#smem = #ttg.shared_memory
tt.func @scatter(%d: !tt.tensordesc<tensor<1x64xf16>>, %b: !ttg.memdesc<32x64xf16, #shared, #smem>, %x: tensor<32xi32, #line>, %y: i32) {
  // expected-error @+1 {{needs four neighbouring offsets in each thread}}
  ttng.async_tma_scatter %d[%x, %y] %b : !tt.tensordesc<tensor<1x64xf16>>, tensor<32xi32, #line>, i32, !ttg.memdesc<32x64xf16, #shared, #smem>
  tt.return
}

// -----

#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
tt.func @load(%a: !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>) {
  // expected-error @+1 {{moves 32 rows of tensor memory per warp}}
  %x = ttng.tmem_load %a : !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x128xf32, #blocked>
  tt.return
}

// -----

tt.func @captures(%n: i32) {
  // expected-error @+1 {{partition 0 must take the captures ('i32'), got ()}}
  ttg.warp_specialize(%n)
  default {
    ttg.warp_yield
  }
  partition0() num_warps(1) {
    ttg.warp_return
  } : (i32) -> ()
  tt.return
}

// -----

tt.func @warps() {
  // expected-error @+1 {{partition 0 must have a number of warps that is a power of two, got 3}}
  ttg.warp_specialize()
  default {
    ttg.warp_yield
  }
  partition0() num_warps(3) {
    ttg.warp_return
  } : () -> ()
  tt.return
}

// -----

tt.func @yield(%n: i32) {
  %r = ttg.warp_specialize()
  default {
    // expected-error @+1 {{must yield ('i64'), got ('i32')}}
    ttg.warp_yield %n : i32
  } : () -> i64
  tt.return
}

// -----

#four = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @partition_layout() {
    ttg.warp_specialize()
    default {
      ttg.warp_yield
    }
    partition0() num_warps(2) {
      // expected-error @+1 {{has a layout of 4 warps per CTA, but the context requires 2}}
      %x = arith.constant dense<0> : tensor<64xi32, #four>
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @wide_indices(%b: !ttg.memdesc<64x32xf32, #shared, #smem, mutable>, %i: tensor<16x64xi32>) {
  // expected-error @+1 {{needs indices that are no larger than the buffer but along axis 0}}
  %x = ttg.local_gather %b[%i] {axis = 0 : i32} : !ttg.memdesc<64x32xf32, #shared, #smem, mutable>, tensor<16x64xi32> -> tensor<16x64xf32>
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func @other_elements(%b: !ttg.memdesc<64x32xf32, #shared, #smem, mutable>, %i: tensor<16x32xi32>, %v: tensor<16x32xf16>) {
  // expected-error @+1 {{moves elements of type 'tensor<16x32xf32>', got 'tensor<16x32xf16>'}}
  ttg.local_scatter %b[%i], %v {axis = 0 : i32} : !ttg.memdesc<64x32xf32, #shared, #smem, mutable>, tensor<16x32xi32>, tensor<16x32xf16>
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @short_answer(%a: !ttg.memdesc<1xi64, #shared, #smem, mutable>) {
  // expected-error @+1 {{needs a buffer of 2xi64}}
  %r = ttng.clc_load_result %a : !ttg.memdesc<1xi64, #shared, #smem, mutable> -> i128
  tt.return
}
