// Layouts of WMMA: as tiles of a CTA, and as older releases write them.
// RUN: triton-opt %s | triton-opt | FileCheck %s

// CHECK: #ttg.amd_wmma<{version = 2, ctaLayout = {warp = {{\[\[}}0, 1], [1, 0]]}, isTranspose = true, instrShape = [16, 16, 16]}>
#old = #ttg.amd_wmma<{version = 2, isTranspose = true, warpsPerCTA = [2, 2]}>
#new = #ttg.amd_wmma<{version = 2, ctaLayout = {warp = [[0, 1], [1, 0]]}, isTranspose = true, instrShape = [16, 16, 16]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "hip:gfx1200"} {

// One name for both.
// CHECK: tt.func @same(%{{.*}}: tensor<32x32xf32, #[[WMMA:.*]]>) -> tensor<32x32xf32, #[[WMMA]]>
tt.func @same(%x: tensor<32x32xf32, #old>) -> tensor<32x32xf32, #new> {
  tt.return %x : tensor<32x32xf32, #new>
}

}
