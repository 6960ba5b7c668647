// RUN: triton-ptx %s --arch sm_90a | FileCheck %s
// RUN: %if ptxas %{ triton-ptx %s --arch sm_80 --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED: Compiling entry function

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: .entry approximations
  tt.func public @approximations(%p: !tt.ptr<f32>, %x: f32) {
    // CHECK: mul{{(.rn)?}}.f32 {{.*}}, 0f3FB8AA3B
    // CHECK: ex2.approx.f32
    %a = math.exp %x : f32
    // CHECK: ex2.approx.ftz.f32
    %b = math.exp2 %a : f32
    // CHECK: sqrt.approx.ftz.f32
    %c = math.sqrt %b : f32
    // CHECK: rsqrt.approx.ftz.f32
    %d = math.rsqrt %c : f32
    // CHECK: sqrt.rn.f32
    %e = tt.precise_sqrt %d : f32
    tt.store %p, %e : !tt.ptr<f32>
    tt.return
  }

  // CHECK-LABEL: .entry rounding
  tt.func public @rounding(%p: !tt.ptr<f32>, %x: f32) {
    // CHECK: cvt.rmi.f32.f32
    // CHECK: cvt.rpi.f32.f32
    // CHECK: cvt.rni.f32.f32
    %a = math.floor %x : f32
    %b = math.ceil %x : f32
    %c = math.roundeven %x : f32
    %d = arith.addf %a, %b : f32
    %e = arith.addf %d, %c : f32
    tt.store %p, %e : !tt.ptr<f32>
    tt.return
  }

  // Not an approximation: linked from libdevice, so nothing is left to call.
  // CHECK-LABEL: .entry library
  tt.func public @library(%p: !tt.ptr<f64>, %q: !tt.ptr<f32>, %x: f64, %y: f32) {
    // CHECK-NOT: __nv_
    %a = math.exp %x : f64
    %b = math.log2 %y : f32
    %c = tt.extern_elementwise %y {libname = "libdevice", libpath = "", pure = true, symbol = "__nv_tanhf"} : (f32) -> f32
    %d = arith.addf %b, %c : f32
    tt.store %p, %a : !tt.ptr<f64>
    tt.store %q, %d : !tt.ptr<f32>
    // CHECK: ret
    tt.return
  }
}
