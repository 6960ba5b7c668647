// RUN: triton-opt %s --split-input-file --gpu-allocate-shared | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
// CHECK: ttg.shared = 4096
module attributes {"ttg.num-warps" = 4 : i32} {
  // CHECK-LABEL: @one_after_the_other
  tt.func @one_after_the_other(%x: tensor<32x32xf32, #blocked>) -> tensor<32x32xf32, #columns> {
    // CHECK: ttg.local_alloc {{.*}}allocation.offset = 0 : i32
    %a = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #shared, #smem>
    %y = ttg.local_load %a : !ttg.memdesc<32x32xf32, #shared, #smem> -> tensor<32x32xf32, #blocked>
    // CHECK: ttg.convert_layout {{.*}}allocation.offset = 0 : i32
    %z = ttg.convert_layout %y : tensor<32x32xf32, #blocked> -> tensor<32x32xf32, #columns>
    tt.return %z : tensor<32x32xf32, #columns>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
// CHECK: ttg.shared = 8192
module attributes {"ttg.num-warps" = 4 : i32} {
  // Used again in the next iteration: it lives as long as the loop.
  // CHECK-LABEL: @loop
  tt.func @loop(%x: tensor<32x32xf32, #blocked>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: ttg.local_alloc {{.*}}allocation.offset = 0 : i32
    %a = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %y = ttg.local_load %a : !ttg.memdesc<32x32xf32, #shared, #smem, mutable> -> tensor<32x32xf32, #blocked>
      // CHECK: ttg.convert_layout {{.*}}allocation.offset = 4096 : i32
      %z = ttg.convert_layout %y : tensor<32x32xf32, #blocked> -> tensor<32x32xf32, #columns>
    }
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
// CHECK: ttg.shared = 8192
module attributes {"ttg.num-warps" = 4 : i32} {
  // The copy goes on until the wait: the other buffer does not take its place.
  // CHECK-LABEL: @copy_under_way
  tt.func @copy_under_way(%p: tensor<32x32x!tt.ptr<f32>, #blocked>, %x: tensor<32x32xf32, #blocked>) {
    // CHECK: ttg.local_alloc {{.*}}allocation.offset = 0 : i32
    %a = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
    %t = ttg.async_copy_global_to_local %p, %a : tensor<32x32x!tt.ptr<f32>, #blocked> -> <32x32xf32, #shared, #smem, mutable>
    // CHECK: ttg.local_alloc {{.*}}allocation.offset = 4096 : i32
    %b = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #shared, #smem>
    ttg.async_wait {num = 0 : i32}
    // CHECK: ttg.local_alloc {{.*}}allocation.offset = 0 : i32
    %c = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #shared, #smem>
    tt.return
  }
}

// -----

#wide = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
// CHECK: ttg.shared = 10248
module attributes {"ttg.num-warps" = 4 : i32} {
  // CHECK-LABEL: @aligned
  tt.func @aligned() {
    // CHECK: ttg.local_alloc {{.*}}allocation.offset = 10240 : i32
    %bar = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #flat, #smem, mutable>
    // CHECK: ttg.local_alloc {{.*}}allocation.offset = 0 : i32
    %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #wide, #smem, mutable>
    // CHECK: ttg.local_alloc {{.*}}allocation.offset = 8192 : i32
    %b = ttg.local_alloc : () -> !ttg.memdesc<16x64xf16, #wide, #smem, mutable>
    ttg.local_dealloc %a : !ttg.memdesc<64x64xf16, #wide, #smem, mutable>
    ttg.local_dealloc %b : !ttg.memdesc<16x64xf16, #wide, #smem, mutable>
    ttg.local_dealloc %bar : !ttg.memdesc<1xi64, #flat, #smem, mutable>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK: ttg.shared = 1040
module attributes {"ttg.num-warps" = 4 : i32} {
  // A function that is called has its bytes behind its caller's.
  // CHECK-LABEL: @callee
  tt.func private @callee(%x: tensor<512xf32, #blocked>) -> f32 attributes {noinline = true} {
    // CHECK: allocation.offset = 1024 : i32
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%lhs: f32, %rhs: f32):
      %t = arith.addf %lhs, %rhs : f32
      tt.reduce.return %t : f32
    }) : (tensor<512xf32, #blocked>) -> f32
    tt.return %s : f32
  }
  tt.func public @caller(%x: tensor<512xf32, #blocked>) -> (f32, f32) {
    // CHECK: allocation.offset = 0 : i32
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%lhs: f32, %rhs: f32):
      %t = arith.addf %lhs, %rhs : f32
      tt.reduce.return %t : f32
    }) : (tensor<512xf32, #blocked>) -> f32
    %r = tt.call @callee(%x) : (tensor<512xf32, #blocked>) -> f32
    tt.return %s, %r : f32, f32
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: ttg.shared = 0
module attributes {"ttg.num-warps" = 4 : i32} {
  // What stays within threads or warps takes no memory.
  // CHECK-LABEL: @nothing
  tt.func @nothing(%x: tensor<16x16xf32, #blocked>) -> tensor<16xf32, #ttg.slice<{dim = 1, parent = #blocked}>> {
    // CHECK-NOT: allocation.offset
    %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<16x16xf32, #blocked>) -> tensor<16xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
    tt.return %s : tensor<16xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
  }
}

// -----

// Partitions of warps run side by side: one after the other is only what one of them does.
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
// CHECK: ttg.shared = 12288
module attributes {"ttg.num-warps" = 4 : i32} {
  // CHECK-LABEL: @partitions
  tt.func @partitions(%x: tensor<32x32xf32, #blocked>) {
    // CHECK: ttg.local_alloc {allocation.offset = 0 : i32}
    %outer = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
    ttg.warp_specialize(%outer)
    default {
      // CHECK: default
      // CHECK: ttg.local_alloc {{.*}}allocation.offset = 4096 : i32
      %a = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #shared, #smem>
      %b = ttg.local_load %a : !ttg.memdesc<32x32xf32, #shared, #smem> -> tensor<32x32xf32, #blocked>
      // CHECK: ttg.convert_layout {{.*}}allocation.offset = 4096 : i32
      %c = ttg.convert_layout %b : tensor<32x32xf32, #blocked> -> tensor<32x32xf32, #columns>
      ttg.warp_yield
    }
    partition0(%to: !ttg.memdesc<32x32xf32, #shared, #smem, mutable>) num_warps(4) {
      // CHECK: partition0
      // CHECK: ttg.convert_layout {{.*}}allocation.offset = 8192 : i32
      // CHECK: ttg.convert_layout {{.*}}allocation.offset = 8192 : i32
      %zero = ttg.local_load %to : !ttg.memdesc<32x32xf32, #shared, #smem, mutable> -> tensor<32x32xf32, #blocked>
      %d = ttg.convert_layout %zero : tensor<32x32xf32, #blocked> -> tensor<32x32xf32, #columns>
      %e = ttg.convert_layout %d : tensor<32x32xf32, #columns> -> tensor<32x32xf32, #blocked>
      ttg.warp_return
    } : (!ttg.memdesc<32x32xf32, #shared, #smem, mutable>) -> ()
    // CHECK: ttg.convert_layout {{.*}}allocation.offset = 0 : i32
    %f = ttg.convert_layout %x : tensor<32x32xf32, #blocked> -> tensor<32x32xf32, #columns>
    tt.return
  }
}

// -----

// Beside 160 KB there is no room for an exchange of 128 KB: it is done in two parts. The small one is left alone.
#wide = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#tall = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
// CHECK: ttg.shared = 229376 : i32
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @parts
tt.func @parts(%x: tensor<128x256xf32, #wide>, %y: tensor<64x64xf32, #wide>) -> (tensor<128x256xf32, #tall>, tensor<64x64xf32, #tall>) {
  // CHECK: ttg.local_alloc {allocation.offset = 0 : i32}
  %buffer = ttg.local_alloc : () -> !ttg.memdesc<5x64x128xf32, #plain, #smem, mutable>
  // CHECK: ttg.convert_layout {{.*}} {allocation.offset = 163840 : i32, allocation.room = 65536 : i32}
  %a = ttg.convert_layout %x : tensor<128x256xf32, #wide> -> tensor<128x256xf32, #tall>
  // CHECK: ttg.convert_layout {{.*}} {allocation.offset = 163840 : i32} :
  %b = ttg.convert_layout %y : tensor<64x64xf32, #wide> -> tensor<64x64xf32, #tall>
  ttg.local_dealloc %buffer : !ttg.memdesc<5x64x128xf32, #plain, #smem, mutable>
  tt.return %a, %b : tensor<128x256xf32, #tall>, tensor<64x64xf32, #tall>
}
}

// -----

// Two buffers of 128 KB do not fit beside each other: the first is filled when it is wanted, and fenced off there.
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
// CHECK: ttg.shared = 131072 : i32
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @late
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor{{.*}}, %[[B:[a-z0-9]+]]: tensor
tt.func @late(%a: tensor<256x128xf32, #rows>, %b: tensor<256x128xf32, #rows>) -> (tensor<256x128xf32, #rows>, tensor<256x128xf32, #rows>) {
  // CHECK: %[[Y:.*]] = ttg.local_alloc %[[B]] {allocation.offset = 0 : i32}
  // CHECK-NEXT: ttng.fence_async_shared
  // CHECK-NEXT: ttg.local_load %[[Y]]
  // CHECK-NEXT: %[[X:.*]] = ttg.local_alloc %[[A]] {allocation.offset = 0 : i32}
  // CHECK-NEXT: ttng.fence_async_shared
  // CHECK-NEXT: ttg.local_load %[[X]]
  %x = ttg.local_alloc %a : (tensor<256x128xf32, #rows>) -> !ttg.memdesc<256x128xf32, #plain, #smem>
  ttng.fence_async_shared {bCluster = false}
  %y = ttg.local_alloc %b : (tensor<256x128xf32, #rows>) -> !ttg.memdesc<256x128xf32, #plain, #smem>
  ttng.fence_async_shared {bCluster = false}
  %u = ttg.local_load %y : !ttg.memdesc<256x128xf32, #plain, #smem> -> tensor<256x128xf32, #rows>
  %v = ttg.local_load %x : !ttg.memdesc<256x128xf32, #plain, #smem> -> tensor<256x128xf32, #rows>
  tt.return %u, %v : tensor<256x128xf32, #rows>, tensor<256x128xf32, #rows>
}
}

// -----

// A fence that is not right behind a buffer may be for others too: the buffer stays before it.
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
// CHECK: ttg.shared = 262144 : i32
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @fenced_later
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor{{.*}}, %[[B:[a-z0-9]+]]: tensor
tt.func @fenced_later(%a: tensor<256x128xf32, #rows>, %b: tensor<256x128xf32, #rows>) -> (tensor<256x128xf32, #rows>, tensor<256x128xf32, #rows>) {
  // CHECK: arith.addf
  // CHECK-NEXT: ttg.local_alloc %[[A]]
  // CHECK-NEXT: ttng.fence_async_shared
  // CHECK-NEXT: ttg.local_alloc
  // CHECK-NEXT: ttg.local_load
  %x = ttg.local_alloc %a : (tensor<256x128xf32, #rows>) -> !ttg.memdesc<256x128xf32, #plain, #smem>
  %c = arith.addf %b, %b : tensor<256x128xf32, #rows>
  ttng.fence_async_shared {bCluster = false}
  %y = ttg.local_alloc %c : (tensor<256x128xf32, #rows>) -> !ttg.memdesc<256x128xf32, #plain, #smem>
  %u = ttg.local_load %y : !ttg.memdesc<256x128xf32, #plain, #smem> -> tensor<256x128xf32, #rows>
  %v = ttg.local_load %x : !ttg.memdesc<256x128xf32, #plain, #smem> -> tensor<256x128xf32, #rows>
  tt.return %u, %v : tensor<256x128xf32, #rows>, tensor<256x128xf32, #rows>
}
}

// -----

// What there is of it is the target's: beside 40 KB, of 64 KB an exchange of 32 KB takes the half.
#wide = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#tall = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [32, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
// CHECK: ttg.shared = 57344 : i32
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {
// CHECK-LABEL: @parts_on_amd
tt.func @parts_on_amd(%x: tensor<64x128xf32, #wide>) -> tensor<64x128xf32, #tall> {
  %buffer = ttg.local_alloc : () -> !ttg.memdesc<5x32x64xf32, #plain, #smem, mutable>
  // CHECK: ttg.convert_layout {{.*}} {allocation.offset = 40960 : i32, allocation.room = 16384 : i32}
  %t = ttg.convert_layout %x : tensor<64x128xf32, #wide> -> tensor<64x128xf32, #tall>
  ttg.local_dealloc %buffer : !ttg.memdesc<5x32x64xf32, #plain, #smem, mutable>
  tt.return %t : tensor<64x128xf32, #tall>
}
}
