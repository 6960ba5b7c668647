// RUN: triton-opt %s --split-input-file --gpu-place-partitions | FileCheck %s
// RUN: triton-opt %s --split-input-file --gpu-place-partitions=max-registers=128 | FileCheck %s --check-prefix=LIMIT

// Twelve warps: those of the kernel get what the others leave of 168 registers each.
// CHECK: module attributes {{.*}}ttg.maxnreg = 168 : i32{{.*}}"ttg.total-num-warps" = 12 : i32
// CHECK: actualRegisters = array<i32: 240, 24>, requestedRegisters = array<i32: 20>, warpGroupStartIds = array<i32: 8>
// LIMIT: ttg.maxnreg = 128
// LIMIT: actualRegisters = array<i32: 176, 24>
module attributes {"ttg.num-warps" = 8 : i32} {
  tt.func public @one() {
    ttg.warp_specialize() attributes {requestedRegisters = array<i32: 20>}
    default {
      ttg.warp_yield
    }
    partition0() num_warps(1) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}

// -----

// Eight warps: two CTAs fit into an SM.
// CHECK: ttg.maxnreg = 128 : i32{{.*}}"ttg.total-num-warps" = 8 : i32
// CHECK: actualRegisters = array<i32: 232, 24>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @two_ctas() {
    ttg.warp_specialize() attributes {requestedRegisters = array<i32: 24>}
    default {
      ttg.warp_yield
    }
    partition0() num_warps(1) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}

// -----

// The same with an instruction that takes 128 registers.
// CHECK: ttg.maxnreg = 160 : i32{{.*}}"ttg.total-num-warps" = 8 : i32
// CHECK: actualRegisters = array<i32: 248, 24>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 256, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @wide(%a: !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory>, %b: !ttg.memdesc<64x256xf16, #shared, #ttg.shared_memory>) {
    ttg.warp_specialize() attributes {requestedRegisters = array<i32: 24>}
    default {
      %c = arith.constant dense<0.0> : tensor<64x256xf32, #mma>
      %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory> * !ttg.memdesc<64x256xf16, #shared, #ttg.shared_memory> -> tensor<64x256xf32, #mma>
      ttg.warp_yield
    }
    partition0() num_warps(1) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}

// -----

// Wide partitions first. Two of one warp share a warpgroup, and the more of what they ask for.
// CHECK: "ttg.total-num-warps" = 16 : i32
// CHECK: actualRegisters = array<i32: 168, 40, 152, 40>, {{.*}} warpGroupStartIds = array<i32: 12, 4, 13>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @many() {
    ttg.warp_specialize() attributes {requestedRegisters = array<i32: 24, 150, 40>}
    default {
      ttg.warp_yield
    }
    partition0() num_warps(1) {
      ttg.warp_return
    }
    partition1() num_warps(8) {
      ttg.warp_return
    }
    partition2() num_warps(1) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}

// -----

// A partition that does not say what it needs keeps what it has.
// CHECK-NOT: ttg.maxnreg
// CHECK: "ttg.total-num-warps" = 8 : i32
// CHECK: ttg.warp_specialize() attributes {warpGroupStartIds = array<i32: 4>}
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @silent() {
    ttg.warp_specialize()
    default {
      ttg.warp_yield
    }
    partition0() num_warps(2) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}

// -----

// Where ptxas ignores what is passed on, nothing is.
// CHECK-NOT: ttg.maxnreg
// CHECK: "ttg.total-num-warps" = 8 : i32
// CHECK-NOT: actualRegisters
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:120"} {
  tt.func public @keeps() {
    ttg.warp_specialize() attributes {requestedRegisters = array<i32: 24>}
    default {
      ttg.warp_yield
    }
    partition0() num_warps(1) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}
