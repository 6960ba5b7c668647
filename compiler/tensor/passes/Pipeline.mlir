// A matmul as the frontend writes it. Afterwards the loop carries its accumulator and two numbers, and the dot accumulates in place.
// RUN: triton-opt %s --tensor-pipeline | FileCheck %s
// CHECK-LABEL: @matmul
// CHECK-NOT:   arith.constant dense<0.000000e+00> : tensor<64x1
// CHECK:       scf.for {{.*}} -> (tensor<64x64xf32>, i64, i64)
// CHECK:         %[[B:.*]] = tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f16>, i64
// CHECK:         tt.splat %[[B]]
// CHECK:         tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = tf32
// CHECK-NOT:     arith.addf
// CHECK:         scf.yield
// CHECK:       tt.store
tt.func public @matmul(%a_ptr: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b_ptr: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c_ptr: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %M: i32, %N: i32, %K: i32, %stride_am: i32, %stride_bk: i32, %stride_cm: i32) {
  %cst = arith.constant dense<0.0> : tensor<64x64xf32>
  %zf = arith.constant 0.0 : f16
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %c32 = arith.constant 32 : i32
  %pid = tt.get_program_id x : i32
  %t0 = arith.addi %N, %c64 : i32
  %n_tiles = arith.divsi %t0, %c64 : i32
  %pm = arith.divsi %pid, %n_tiles : i32
  %pn = arith.remsi %pid, %n_tiles : i32
  %om = arith.muli %pm, %c64 : i32
  %r64 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %oms = tt.splat %om : i32 -> tensor<64xi32>
  %offm = arith.addi %oms, %r64 : tensor<64xi32>
  %on = arith.muli %pn, %c64 : i32
  %ons = tt.splat %on : i32 -> tensor<64xi32>
  %offn = arith.addi %ons, %r64 : tensor<64xi32>
  %em = tt.expand_dims %offm {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %sam = tt.splat %stride_am : i32 -> tensor<64x1xi32>
  %rm = arith.muli %em, %sam : tensor<64x1xi32>
  %ap = tt.splat %a_ptr : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
  %ap1 = tt.addptr %ap, %rm : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
  %ek = tt.expand_dims %r32 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %ap2 = tt.broadcast %ap1 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x32x!tt.ptr<f16>>
  %ekb = tt.broadcast %ek : tensor<1x32xi32> -> tensor<64x32xi32>
  %a0 = tt.addptr %ap2, %ekb : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %ekc = tt.expand_dims %r32 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %sbk = tt.splat %stride_bk : i32 -> tensor<32x1xi32>
  %rk = arith.muli %ekc, %sbk : tensor<32x1xi32>
  %bp = tt.splat %b_ptr : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>>
  %bp1 = tt.addptr %bp, %rk : tensor<32x1x!tt.ptr<f16>>, tensor<32x1xi32>
  %bp2 = tt.broadcast %bp1 : tensor<32x1x!tt.ptr<f16>> -> tensor<32x64x!tt.ptr<f16>>
  %en = tt.expand_dims %offn {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %enb = tt.broadcast %en : tensor<1x64xi32> -> tensor<32x64xi32>
  %b0 = tt.addptr %bp2, %enb : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
  %za = tt.splat %zf : f16 -> tensor<64x32xf16>
  %zb = tt.splat %zf : f16 -> tensor<32x64xf16>
  %res:3 = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %cst, %a = %a0, %b = %b0) -> (tensor<64x64xf32>, tensor<64x32x!tt.ptr<f16>>, tensor<32x64x!tt.ptr<f16>>) : i32 {
    %left = arith.subi %K, %k : i32
    %ls = tt.splat %left : i32 -> tensor<1x32xi32>
    %m1 = arith.cmpi slt, %ek, %ls : tensor<1x32xi32>
    %m1b = tt.broadcast %m1 : tensor<1x32xi1> -> tensor<64x32xi1>
    %av = tt.load %a, %m1b, %za : tensor<64x32x!tt.ptr<f16>>
    %ls2 = tt.splat %left : i32 -> tensor<32x1xi32>
    %m2 = arith.cmpi slt, %ekc, %ls2 : tensor<32x1xi32>
    %m2b = tt.broadcast %m2 : tensor<32x1xi1> -> tensor<32x64xi1>
    %bv = tt.load %b, %m2b, %zb : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %av, %bv, %cst, inputPrecision = tf32 : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    %acc2 = arith.addf %d, %acc : tensor<64x64xf32>
    %c32s = tt.splat %c32 : i32 -> tensor<64x32xi32>
    %an = tt.addptr %a, %c32s : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
    %bs = arith.muli %stride_bk, %c32 : i32
    %bss = tt.splat %bs : i32 -> tensor<32x64xi32>
    %bn = tt.addptr %b, %bss : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    scf.yield %acc2, %an, %bn : tensor<64x64xf32>, tensor<64x32x!tt.ptr<f16>>, tensor<32x64x!tt.ptr<f16>>
  }
  %cv = arith.truncf %res#0 : tensor<64x64xf32> to tensor<64x64xf16>
  %scm = tt.splat %stride_cm : i32 -> tensor<64x1xi32>
  %crm = arith.muli %em, %scm : tensor<64x1xi32>
  %cp = tt.splat %c_ptr : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
  %cp1 = tt.addptr %cp, %crm : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
  %cp2 = tt.broadcast %cp1 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
  %enc = tt.broadcast %en : tensor<1x64xi32> -> tensor<64x64xi32>
  %c0p = tt.addptr %cp2, %enc : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %Ms = tt.splat %M : i32 -> tensor<64x1xi32>
  %mm = arith.cmpi slt, %em, %Ms : tensor<64x1xi32>
  %Ns = tt.splat %N : i32 -> tensor<1x64xi32>
  %mn = arith.cmpi slt, %en, %Ns : tensor<1x64xi32>
  %mmb = tt.broadcast %mm : tensor<64x1xi1> -> tensor<64x64xi1>
  %mnb = tt.broadcast %mn : tensor<1x64xi1> -> tensor<64x64xi1>
  %cm = arith.andi %mmb, %mnb : tensor<64x64xi1>
  tt.store %c0p, %cv, %cm : tensor<64x64x!tt.ptr<f16>>
  tt.return
}
