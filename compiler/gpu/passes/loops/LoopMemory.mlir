// Rings that shared memory has no room for have fewer buffers; then there are fewer rings.
// RUN: triton-opt %s --split-input-file --gpu-pipeline-loops=num-stages=4 | FileCheck %s
// RUN: triton-opt %s --split-input-file --gpu-pipeline-loops=num-stages=4 --canonicalize --cse --gpu-resources | FileCheck %s --check-prefix=BYTES

// Four stages of 96 KB do not fit, nor do three.
// BYTES: ttg.shared = 196608
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#narrow = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @fewer_buffers
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<2x128x256xf16
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<2x256x64xf16
// CHECK: scf.for
// CHECK-NOT: tt.load
// CHECK: tt.return
tt.func @fewer_buffers(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<128x64xf32, #mma> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = arith.constant dense<0.0> : tensor<128x64xf32, #mma>
  %ca = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %ra = tt.expand_dims %ca {axis = 0 : i32} : tensor<256xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x256xi32, #blocked>
  %oa = tt.broadcast %ra : tensor<1x256xi32, #blocked> -> tensor<128x256xi32, #blocked>
  %cb = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #narrow}>>
  %rb = tt.expand_dims %cb {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #narrow}>> -> tensor<1x64xi32, #narrow>
  %ob = tt.broadcast %rb : tensor<1x64xi32, #narrow> -> tensor<256x64xi32, #narrow>
  %pas = tt.splat %pa : !tt.ptr<f16> -> tensor<128x256x!tt.ptr<f16>, #blocked>
  %pbs = tt.splat %pa : !tt.ptr<f16> -> tensor<256x64x!tt.ptr<f16>, #narrow>
  %ap = tt.addptr %pas, %oa : tensor<128x256x!tt.ptr<f16>, #blocked>, tensor<128x256xi32, #blocked>
  %bp = tt.addptr %pbs, %ob : tensor<256x64x!tt.ptr<f16>, #narrow>, tensor<256x64xi32, #narrow>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> tensor<128x64xf32, #mma> : i32 {
    %a = tt.load %ap : tensor<128x256x!tt.ptr<f16>, #blocked>
    %b = tt.load %bp : tensor<256x64x!tt.ptr<f16>, #narrow>
    %x = ttg.local_alloc %a : (tensor<128x256xf16, #blocked>) -> !ttg.memdesc<128x256xf16, #shared, #smem>
    %y = ttg.local_alloc %b : (tensor<256x64xf16, #narrow>) -> !ttg.memdesc<256x64xf16, #shared, #smem>
    %d = ttng.warp_group_dot %x, %y, %acc : !ttg.memdesc<128x256xf16, #shared, #smem> * !ttg.memdesc<256x64xf16, #shared, #smem> -> tensor<128x64xf32, #mma>
    scf.yield %d : tensor<128x64xf32, #mma>
  }
  tt.return %r : tensor<128x64xf32, #mma>
}
}

// -----

// Two stages of 128 KB do not fit either: the load that no dot reads from memory is left where it is, and its exchange of 32 KB fits beside the rings.
// BYTES: ttg.shared = 229376
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#narrow = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @fewer_rings
// CHECK-NOT: ttg.memdesc<{{[0-9]+}}x128x64xf32
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<2x128x256xf16
// CHECK-NOT: ttg.memdesc<{{[0-9]+}}x128x64xf32
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<2x256x64xf16
// CHECK-NOT: ttg.memdesc<{{[0-9]+}}x128x64xf32
// CHECK: scf.for
// CHECK: tt.load {{.*}} : tensor<128x64x!tt.ptr<f32>
// CHECK-NOT: tt.load
// CHECK: tt.return
tt.func @fewer_rings(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %ps: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<128x64xf32, #mma> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = arith.constant dense<0.0> : tensor<128x64xf32, #mma>
  %ca = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %ra = tt.expand_dims %ca {axis = 0 : i32} : tensor<256xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x256xi32, #blocked>
  %oa = tt.broadcast %ra : tensor<1x256xi32, #blocked> -> tensor<128x256xi32, #blocked>
  %cb = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #narrow}>>
  %rb = tt.expand_dims %cb {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #narrow}>> -> tensor<1x64xi32, #narrow>
  %ob = tt.broadcast %rb : tensor<1x64xi32, #narrow> -> tensor<256x64xi32, #narrow>
  %os = tt.broadcast %rb : tensor<1x64xi32, #narrow> -> tensor<128x64xi32, #narrow>
  %pas = tt.splat %pa : !tt.ptr<f16> -> tensor<128x256x!tt.ptr<f16>, #blocked>
  %pbs = tt.splat %pa : !tt.ptr<f16> -> tensor<256x64x!tt.ptr<f16>, #narrow>
  %pss = tt.splat %ps : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>, #narrow>
  %ap = tt.addptr %pas, %oa : tensor<128x256x!tt.ptr<f16>, #blocked>, tensor<128x256xi32, #blocked>
  %bp = tt.addptr %pbs, %ob : tensor<256x64x!tt.ptr<f16>, #narrow>, tensor<256x64xi32, #narrow>
  %sp = tt.addptr %pss, %os : tensor<128x64x!tt.ptr<f32>, #narrow>, tensor<128x64xi32, #narrow>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> tensor<128x64xf32, #mma> : i32 {
    %a = tt.load %ap : tensor<128x256x!tt.ptr<f16>, #blocked>
    %b = tt.load %bp : tensor<256x64x!tt.ptr<f16>, #narrow>
    %s = tt.load %sp : tensor<128x64x!tt.ptr<f32>, #narrow>
    %x = ttg.local_alloc %a : (tensor<128x256xf16, #blocked>) -> !ttg.memdesc<128x256xf16, #shared, #smem>
    %y = ttg.local_alloc %b : (tensor<256x64xf16, #narrow>) -> !ttg.memdesc<256x64xf16, #shared, #smem>
    %start = ttg.convert_layout %s : tensor<128x64xf32, #narrow> -> tensor<128x64xf32, #mma>
    %d = ttng.warp_group_dot %x, %y, %start : !ttg.memdesc<128x256xf16, #shared, #smem> * !ttg.memdesc<256x64xf16, #shared, #smem> -> tensor<128x64xf32, #mma>
    %sum = arith.addf %acc, %d : tensor<128x64xf32, #mma>
    scf.yield %sum : tensor<128x64xf32, #mma>
  }
  tt.return %r : tensor<128x64xf32, #mma>
}
}

// -----

// Two operands of 128 KB: no ring makes that less.
// BYTES: ttg.shared = 262144
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#wide = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 256, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @never
// CHECK-NOT: ttg.memdesc<2x
// CHECK: tt.return
tt.func @never(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pb: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<256x256xf32, #wide> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = arith.constant dense<0.0> : tensor<256x256xf32, #wide>
  %ca = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %ra = tt.expand_dims %ca {axis = 0 : i32} : tensor<256xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x256xi32, #blocked>
  %oa = tt.broadcast %ra : tensor<1x256xi32, #blocked> -> tensor<256x256xi32, #blocked>
  %pas = tt.splat %pa : !tt.ptr<f16> -> tensor<256x256x!tt.ptr<f16>, #blocked>
  %ap = tt.addptr %pas, %oa : tensor<256x256x!tt.ptr<f16>, #blocked>, tensor<256x256xi32, #blocked>
  %pbs = tt.splat %pb : !tt.ptr<f16> -> tensor<256x256x!tt.ptr<f16>, #blocked>
  %bp = tt.addptr %pbs, %oa : tensor<256x256x!tt.ptr<f16>, #blocked>, tensor<256x256xi32, #blocked>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> tensor<256x256xf32, #wide> : i32 {
    %a = tt.load %ap : tensor<256x256x!tt.ptr<f16>, #blocked>
    %b = tt.load %bp : tensor<256x256x!tt.ptr<f16>, #blocked>
    %x = ttg.local_alloc %a : (tensor<256x256xf16, #blocked>) -> !ttg.memdesc<256x256xf16, #shared, #smem>
    %y = ttg.local_alloc %b : (tensor<256x256xf16, #blocked>) -> !ttg.memdesc<256x256xf16, #shared, #smem>
    %d = ttng.warp_group_dot %x, %y, %acc : !ttg.memdesc<256x256xf16, #shared, #smem> * !ttg.memdesc<256x256xf16, #shared, #smem> -> tensor<256x256xf32, #wide>
    scf.yield %d : tensor<256x256xf32, #wide>
  }
  tt.return %r : tensor<256x256xf32, #wide>
}
}

// -----

// That 256 KB are taken before the loop is no reason to take as much in it.
// BYTES: ttg.shared = 229376
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#narrow = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @elsewhere
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<14x64x64xf16
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<14x64x64xf16
tt.func @elsewhere(%t: tensor<256x128xf32, #rows>, %pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pb: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) -> (tensor<256x128xf32, #rows>, tensor<64x64xf32, #mma>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %first = ttg.local_alloc %t : (tensor<256x128xf32, #rows>) -> !ttg.memdesc<256x128xf32, #plain, #smem>
  %twice = arith.addf %t, %t : tensor<256x128xf32, #rows>
  %second = ttg.local_alloc %twice : (tensor<256x128xf32, #rows>) -> !ttg.memdesc<256x128xf32, #plain, #smem>
  %u = ttg.local_load %second : !ttg.memdesc<256x128xf32, #plain, #smem> -> tensor<256x128xf32, #rows>
  %v = ttg.local_load %first : !ttg.memdesc<256x128xf32, #plain, #smem> -> tensor<256x128xf32, #rows>
  %w = arith.addf %u, %v : tensor<256x128xf32, #rows>
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %ca = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #narrow}>>
  %ra = tt.expand_dims %ca {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #narrow}>> -> tensor<1x64xi32, #narrow>
  %oa = tt.broadcast %ra : tensor<1x64xi32, #narrow> -> tensor<64x64xi32, #narrow>
  %pas = tt.splat %pa : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #narrow>
  %ap = tt.addptr %pas, %oa : tensor<64x64x!tt.ptr<f16>, #narrow>, tensor<64x64xi32, #narrow>
  %pbs = tt.splat %pb : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #narrow>
  %bp = tt.addptr %pbs, %oa : tensor<64x64x!tt.ptr<f16>, #narrow>, tensor<64x64xi32, #narrow>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> tensor<64x64xf32, #mma> : i32 {
    %a = tt.load %ap : tensor<64x64x!tt.ptr<f16>, #narrow>
    %b = tt.load %bp : tensor<64x64x!tt.ptr<f16>, #narrow>
    %x = ttg.local_alloc %a : (tensor<64x64xf16, #narrow>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %y = ttg.local_alloc %b : (tensor<64x64xf16, #narrow>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %d = ttng.warp_group_dot %x, %y, %acc : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  } {tt.num_stages = 15 : i32}
  tt.return %w, %r : tensor<256x128xf32, #rows>, tensor<64x64xf32, #mma>
}
}
