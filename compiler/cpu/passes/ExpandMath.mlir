// RUN: triton-opt %s --cpu-expand-math="cpu=x86-64-v3" --split-input-file | FileCheck %s
// RUN: triton-opt %s --cpu-expand-math="cpu=x86-64" --split-input-file | FileCheck %s --check-prefix=PLAIN

// CHECK-LABEL: @exponential
// CHECK:         arith.mulf
// CHECK:         math.fma
// CHECK-NOT:     math.exp
// PLAIN-LABEL: @exponential
// PLAIN-NOT:     math.fma
// PLAIN:         return
func.func @exponential(%x: vector<8xf32>) -> vector<8xf32> {
  %e = math.exp %x : vector<8xf32>
  return %e : vector<8xf32>
}

// -----

// CHECK-LABEL: @narrow
// CHECK:         arith.extf %{{.*}} : f16 to f32
// CHECK:         arith.truncf %{{.*}} : f32 to f16
func.func @narrow(%x: f16) -> f16 {
  %e = math.log %x : f16
  return %e : f16
}

// -----

// The library is called only for arguments that are too large for the polynomial.
// CHECK:       llvm.func @sinf(f32) -> f32
// CHECK-LABEL: @sine
// CHECK:         scf.if
// CHECK:           llvm.call @sinf
// CHECK:         else
// CHECK-NOT:       llvm.call
func.func @sine(%x: f32) -> f32 {
  %s = math.sin %x : f32
  return %s : f32
}

// -----

// CHECK-LABEL: @double
// CHECK-NOT:     llvm.call
// CHECK:         math.fma %{{.*}} : vector<2xf64>
// CHECK-NOT:     llvm.call
// CHECK:         return
func.func @double(%x: vector<2xf64>) -> vector<2xf64> {
  %s = math.erf %x : vector<2xf64>
  return %s : vector<2xf64>
}

// -----

// CHECK:       llvm.func @atan(f64) -> f64
// CHECK-LABEL: @library
// CHECK:         llvm.alloca
// CHECK:         scf.for
// CHECK:           llvm.call @atan(%{{.*}}) : (f64) -> f64
// CHECK-NOT:     llvm.call
func.func @library(%x: vector<2xf64>) -> vector<2xf64> {
  %s = math.atan %x : vector<2xf64>
  return %s : vector<2xf64>
}

// -----

// CHECK:       llvm.func @atan2f(f32, f32) -> f32
// CHECK-LABEL: @two_operands
// CHECK:         llvm.call @atan2f(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
func.func @two_operands(%x: f32, %y: f32) -> f32 {
  %a = math.atan2 %x, %y : f32
  return %a : f32
}

// -----

// A few instructions each: left alone.
// CHECK-LABEL: @left_alone
// CHECK-NEXT:    math.sqrt
// CHECK-NEXT:    math.absf
// CHECK-NEXT:    math.fma
// CHECK-NEXT:    math.floor %{{.*}} : f64
// CHECK-NEXT:    math.ctpop
func.func @left_alone(%x: vector<8xf32>, %d: f64, %i: i32) -> (vector<8xf32>, f64, i32) {
  %a = math.sqrt %x : vector<8xf32>
  %b = math.absf %a : vector<8xf32>
  %c = math.fma %b, %b, %b : vector<8xf32>
  %e = math.floor %d : f64
  %n = math.ctpop %i : i32
  return %c, %e, %n : vector<8xf32>, f64, i32
}
