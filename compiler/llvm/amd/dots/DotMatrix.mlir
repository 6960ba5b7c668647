// Products by matrix instructions that cannot be: errors, each at its line.
// RUN: split-file %s %t
// RUN: not tritonc %t/few.ttgir --target hip --arch gfx1250 --emit llir 2>&1 | FileCheck %t/few.ttgir
// RUN: not tritonc %t/width.ttgir --target hip --arch gfx950 --emit llir 2>&1 | FileCheck %t/width.ttgir
// RUN: not tritonc %t/scales.ttgir --target hip --arch gfx950 --emit llir 2>&1 | FileCheck %t/scales.ttgir
// RUN: not tritonc %t/other.ttgir --target hip --arch gfx942 --emit llir 2>&1 | FileCheck %t/other.ttgir

//--- few.ttgir
#wmma = #ttg.amd_wmma<{version = 3, ctaLayout = {warp = [[0, 1], [1, 0]]}, isTranspose = true, instrShape = [16, 16, 32]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #wmma, kWidth = 8}>
#b = #ttg.dot_op<{opIdx = 1, parent = #wmma, kWidth = 8}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "hip:gfx1250"} {
  tt.func public @kernel() {
    %a = arith.constant dense<0.0> : tensor<8x32xf16, #a>
    %b = arith.constant dense<0.0> : tensor<32x64xf16, #b>
    %c = arith.constant dense<0.0> : tensor<8x64xf32, #wmma>
    // CHECK: few.ttgir:[[@LINE+1]]:10: error: a dot by matrix instructions has at least 16 rows and 16 columns, got 'tensor<8x64xf32
    %d = tt.dot %a, %b, %c : tensor<8x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<8x64xf32, #wmma>
    tt.return
  }
}

//--- width.ttgir
#mfma = #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [32, 32, 64], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mfma, kWidth = 8}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mfma, kWidth = 8}>
#s = #ttg.linear<{register = [[0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1]], warp = [[0, 0], [32, 0]], block = []}>
#t = #ttg.linear<{register = [[0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1]], warp = [[32, 0], [0, 0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx950"} {
  tt.func public @kernel() {
    %a = arith.constant dense<0> : tensor<64x64xi8, #a>
    %b = arith.constant dense<0> : tensor<64x64xi8, #b>
    %s = arith.constant dense<127> : tensor<64x4xi8, #s>
    %t = arith.constant dense<127> : tensor<64x4xi8, #t>
    %c = arith.constant dense<0.0> : tensor<64x64xf32, #mfma>
    // CHECK: width.ttgir:[[@LINE+1]]:10: error: a scaled dot by matrix instructions takes at least 64 elements along K, in dot_op layouts with kWidth 16, got
    %d = tt.dot_scaled %a scale %s, %b scale %t, %c lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<64x64xi8, #a>, tensor<64x4xi8, #s> * tensor<64x64xi8, #b>, tensor<64x4xi8, #t> -> tensor<64x64xf32, #mfma>
    tt.return
  }
}

//--- scales.ttgir
#mfma = #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [32, 32, 64], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mfma, kWidth = 16}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mfma, kWidth = 16}>
#s = #ttg.linear<{register = [[0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1]], warp = [[0, 0], [32, 0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx950"} {
  tt.func public @kernel() {
    %a = arith.constant dense<0> : tensor<64x64xi8, #a>
    %b = arith.constant dense<0> : tensor<64x64xi8, #b>
    %s = arith.constant dense<127> : tensor<64x4xi8, #s>
    %c = arith.constant dense<0.0> : tensor<64x64xf32, #mfma>
    // Those of B are where A's belong.
    // CHECK: scales.ttgir:[[@LINE+1]]:10: error: scales are in another layout than the elements that they belong to: #ttg.linear
    %d = tt.dot_scaled %a scale %s, %b scale %s, %c lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<64x64xi8, #a>, tensor<64x4xi8, #s> * tensor<64x64xi8, #b>, tensor<64x4xi8, #s> -> tensor<64x64xf32, #mfma>
    tt.return
  }
}

//--- other.ttgir
#mfma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 16], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mfma, kWidth = 16}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mfma, kWidth = 16}>
#s = #ttg.linear<{register = [[0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1]], warp = [[0, 0], [32, 0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {
  tt.func public @kernel() {
    %a = arith.constant dense<0> : tensor<64x64xi8, #a>
    %b = arith.constant dense<0> : tensor<64x64xi8, #b>
    %s = arith.constant dense<127> : tensor<64x4xi8, #s>
    %c = arith.constant dense<0.0> : tensor<64x64xf32, #mfma>
    // CHECK: other.ttgir:[[@LINE+1]]:10: error: gfx942 has no matrix instruction for
    %d = tt.dot_scaled %a scale %s, %b scale %s, %c lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<64x64xi8, #a>, tensor<64x4xi8, #s> * tensor<64x64xi8, #b>, tensor<64x4xi8, #s> -> tensor<64x64xf32, #mfma>
    tt.return
  }
}
