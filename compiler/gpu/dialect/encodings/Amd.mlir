// AMD's layouts read as they print, and dots take their operands in them.
// RUN: triton-opt %s | triton-opt | FileCheck %s

// CHECK-DAG: #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
// CHECK-DAG: #ttg.amd_mfma<{version = 4, warpsPerCTA = [4, 1], instrShape = [16, 16, 128], isTransposed = true, tilesPerWarp = [2, 2]}>
// CHECK-DAG: #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 4], isTransposed = false, elementBitWidth = 64}>
// CHECK-DAG: #ttg.amd_rotating_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 0]}>
#mfma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
#tiles = #ttg.amd_mfma<{version = 4, warpsPerCTA = [4, 1], tilesPerWarp = [2, 2], instrShape = [16, 16, 128], isTransposed = true}>
#double = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 4], isTransposed = false, elementBitWidth = 64}>
#lhs = #ttg.dot_op<{opIdx = 0, parent = #mfma, kWidth = 4}>
#rhs = #ttg.dot_op<{opIdx = 1, parent = #mfma, kWidth = 4}>
#rotating = #ttg.amd_rotating_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {

// CHECK-LABEL: @dot
tt.func @dot(%a: tensor<64x32xf16, #lhs>, %b: tensor<32x64xf16, #rhs>, %c: tensor<64x64xf32, #mfma>) {
  // CHECK: tt.dot
  %d = tt.dot %a, %b, %c : tensor<64x32xf16, #lhs> * tensor<32x64xf16, #rhs> -> tensor<64x64xf32, #mfma>
  tt.return
}

// CHECK-LABEL: @others
tt.func @others(%x: tensor<64x64xf32, #tiles>, %y: tensor<64x64xf64, #double>, %z: tensor<64x64xf32, #mfma>) {
  // CHECK: ttg.local_alloc
  %buffer = ttg.local_alloc %z : (tensor<64x64xf32, #mfma>) -> !ttg.memdesc<64x64xf32, #rotating, #smem>
  tt.return
}

}
