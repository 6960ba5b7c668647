// RUN: triton-opt %s --gpu-expand-math --split-input-file | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: @sine
  tt.func @sine(%x: tensor<64xf32, #blocked>) -> tensor<64xf32, #blocked> {
    // CHECK: arith.extf %{{.*}} : tensor<64xf32, #blocked> to tensor<64xf64, #blocked>
    // CHECK-NOT: math.sin
    %s = math.sin %x : tensor<64xf32, #blocked>
    tt.return %s : tensor<64xf32, #blocked>
  }
  // CHECK-LABEL: @name_of_libdevice
  tt.func @name_of_libdevice(%x: tensor<64xf64, #blocked>) -> tensor<64xf64, #blocked> {
    // CHECK-NOT: extern_elementwise
    // CHECK-NOT: math.exp
    %e = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_exp"} : (tensor<64xf64, #blocked>) -> tensor<64xf64, #blocked>
    tt.return %e : tensor<64xf64, #blocked>
  }
  // CHECK-LABEL: @of_eight_bits
  tt.func @of_eight_bits(%x: tensor<64xf8E5M2, #blocked>) -> tensor<64xf8E5M2, #blocked> {
    // CHECK: arith.extf %{{.*}} : tensor<64xf8E5M2, #blocked> to tensor<64xf32, #blocked>
    // CHECK-NOT: math.tanh
    %t = math.tanh %x : tensor<64xf8E5M2, #blocked>
    tt.return %t : tensor<64xf8E5M2, #blocked>
  }
  // CHECK-LABEL: @in_wider_floats
  tt.func @in_wider_floats(%x: f16) -> f16 {
    // CHECK: arith.extf %{{.*}} : f16 to f32
    // CHECK: arith.truncf %{{.*}} : f32 to f16
    %t = math.tanh %x : f16
    tt.return %t : f16
  }
  // CHECK-LABEL: @what_the_gpu_has
  tt.func @what_the_gpu_has(%x: f32) -> f32 {
    // CHECK: math.exp2
    // CHECK: math.sqrt
    %e = math.exp2 %x : f32
    %s = math.sqrt %e : f32
    tt.return %s : f32
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @a_target_with_a_library
  tt.func @a_target_with_a_library(%x: f32) -> f32 {
    // CHECK: math.sin
    %s = math.sin %x : f32
    tt.return %s : f32
  }
}
