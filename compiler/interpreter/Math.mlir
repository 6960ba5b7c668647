// RUN: triton-interpret %s --all | FileCheck %s

// CHECK-LABEL: @functions
// CHECK-NEXT:  2.71828175
// CHECK-NEXT:  0.707106769
// CHECK-NEXT:  0.841470957
// CHECK-NEXT:  0.842700779
// CHECK-NEXT:  -inf
tt.func @functions() -> (f32, f32, f32, f32, f32) {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %zero = arith.constant 0.0 : f32
  %e = math.exp %one : f32
  %r = math.rsqrt %two : f32
  %s = math.sin %one : f32
  %f = math.erf %one : f32
  %l = math.log %zero : f32
  tt.return %e, %r, %s, %f, %l : f32, f32, f32, f32, f32
}

// One rounding: the product alone would round to 1 and leave nothing.
// CHECK-LABEL: @fused
// CHECK-NEXT:  1.42108547e-14
tt.func @fused() -> f32 {
  %a = arith.constant 1.00000011920928955078125 : f32
  %b = arith.constant -1.0000002384185791015625 : f32
  %c = math.fma %a, %a, %b : f32
  tt.return %c : f32
}

// CHECK-LABEL: @bits
// CHECK-NEXT:  24
// CHECK-NEXT:  7
// CHECK-NEXT:  3
// CHECK-NEXT:  -2
// CHECK-NEXT:  128
tt.func @bits() -> (i32, i32, i32, i32, i16) {
  %a = arith.constant 255 : i32
  %z = math.ctlz %a : i32
  %b = arith.constant 127 : i32
  %p = math.ctpop %b : i32
  %c = arith.constant 8 : i32
  %t = math.cttz %c : i32
  %m = arith.constant -1 : i32
  %h = tt.mulhiui %m, %m : i32
  %n = arith.constant -128 : i16
  %abs = math.absi %n : i16
  tt.return %z, %p, %t, %h, %abs : i32, i32, i32, i32, i16
}

// CHECK-LABEL: @clamps
// CHECK-NEXT:  0 1 0.5 0
// CHECK-NEXT:  0 1 0.5 nan
tt.func @clamps() -> (tensor<4xf32>, tensor<4xf32>) {
  %x = arith.constant dense<[-4.0, 4.0, 0.5, 0x7FC00000]> : tensor<4xf32>
  %lo = arith.constant dense<0.0> : tensor<4xf32>
  %hi = arith.constant dense<1.0> : tensor<4xf32>
  %a = tt.clampf %x, %lo, %hi, propagateNan = none : tensor<4xf32>
  %b = tt.clampf %x, %lo, %hi, propagateNan = all : tensor<4xf32>
  tt.return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// Narrowing to 8 bits saturates; ties go to even, or everything toward zero.
// CHECK-LABEL: @narrow_floats
// CHECK-NEXT:  448 -448 1.125 nan
// CHECK-NEXT:  57344 -57344 1 nan
// CHECK-NEXT:  1.75 -1.75 1.125 1.75
// CHECK-NEXT:  65504
tt.func @narrow_floats() -> (tensor<4xf8E4M3FN>, tensor<4xf8E5M2>, tensor<4xf8E4M3B11FNUZ>, f16) {
  %x = arith.constant dense<[1.0e9, -1.0e9, 1.125, 0x7FC00000]> : tensor<4xf32>
  %a = tt.fp_to_fp %x, rounding = rtne : tensor<4xf32> -> tensor<4xf8E4M3FN>
  %b = tt.fp_to_fp %x, rounding = rtne : tensor<4xf32> -> tensor<4xf8E5M2>
  %c = tt.fp_to_fp %x, rounding = rtne : tensor<4xf32> -> tensor<4xf8E4M3B11FNUZ>
  %y = arith.constant 65535.0 : f32
  %h = tt.fp_to_fp %y, rounding = rtz : f32 -> f16
  tt.return %a, %b, %c, %h : tensor<4xf8E4M3FN>, tensor<4xf8E5M2>, tensor<4xf8E4M3B11FNUZ>, f16
}

// CHECK-LABEL: @library
// CHECK-NEXT:  1.55740774
// CHECK-NEXT:  0.333333313
// CHECK-NEXT:  0.333333343
// CHECK-NEXT:  32
// CHECK-NEXT:  -3
// CHECK-NEXT:  0.476936276
tt.func @library() -> (f32, f32, f32, i32, i32, f64) {
  %one = arith.constant 1.0 : f32
  %three = arith.constant 3.0 : f32
  %t = tt.extern_elementwise %one {libname = "", libpath = "", pure = true, symbol = "__nv_tanf"} : (f32) -> f32
  %z = tt.extern_elementwise %one, %three {libname = "", libpath = "", pure = true, symbol = "__nv_fdiv_rz"} : (f32, f32) -> f32
  %u = tt.extern_elementwise %one, %three {libname = "", libpath = "", pure = true, symbol = "__nv_fdiv_ru"} : (f32, f32) -> f32
  %m = arith.constant -1 : i32
  %p = tt.extern_elementwise %m {libname = "", libpath = "", pure = true, symbol = "__nv_popc"} : (i32) -> i32
  %n = arith.constant -2.5 : f64
  %d = tt.extern_elementwise %n {libname = "", libpath = "", pure = true, symbol = "__nv_double2int_rd"} : (f64) -> i32
  %h = arith.constant 0.5 : f64
  %e = tt.extern_elementwise %h {libname = "", libpath = "", pure = true, symbol = "__nv_erfinv"} : (f64) -> f64
  tt.return %t, %z, %u, %p, %d, %e : f32, f32, f32, i32, i32, f64
}
