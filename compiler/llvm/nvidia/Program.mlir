// RUN: triton-ptx %s --arch sm_90a | FileCheck %s
// RUN: triton-ptx %s --arch sm_90a --llvm | FileCheck %s --check-prefix=TEXT
// RUN: %if ptxas %{ triton-ptx %s --arch sm_90a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED: Compiling entry function

// TEXT-DAG: c"pid (%u, %u, %u) idx (%3u) x: %f\0A\00"
// TEXT-DAG: c"pid (%u, %u, %u) idx () 100%% (operand 0) %i\0A\00"
// TEXT-DAG: c"pid (%u, %u, %u) idx () 100%% (operand 1) %u\0A\00"
// TEXT-DAG: c"pid (%u, %u, %u) idx () h: 0x%04x\0A\00"
// TEXT-DAG: c"pid (%u, %u, %u) here\0A\00"
// TEXT-DAG: c"n is positive\00"
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: .entry place
  tt.func public @place(%p: !tt.ptr<i32>) {
    // CHECK-DAG: %ctaid.y
    // CHECK-DAG: %nctaid.z
    %y = tt.get_program_id y : i32
    %z = tt.get_num_programs z : i32
    %s = arith.addi %y, %z : i32
    tt.store %p, %s : !tt.ptr<i32>
    tt.return
  }

  // CHECK-LABEL: .entry prints
  tt.func public @prints(%n: i32, %h: f16) {
    %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #blocked>
    %x = arith.sitofp %range : tensor<128xi32, #blocked> to tensor<128xf32, #blocked>
    // CHECK: vprintf
    tt.print " x: " {hex = false, isSigned = array<i32: 0>} : %x : tensor<128xf32, #blocked>
    tt.print " 100% " {hex = false, isSigned = array<i32: 1, 0>} : %n, %n : i32, i32
    tt.print " h: " {hex = true, isSigned = array<i32: 0>} : %h : f16
    tt.print " here" {hex = false, isSigned = array<i32>}
    tt.return
  }

  // CHECK-LABEL: .entry asserts
  tt.func public @asserts(%n: i32) {
    %c0 = arith.constant 0 : i32
    %positive = arith.cmpi sgt, %n, %c0 : i32
    // CHECK: __assertfail
    tt.assert %positive, "n is positive" : i1
    tt.return
  }

  // CHECK-LABEL: .entry assumes
  tt.func public @assumes(%p: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %positive = arith.cmpi sgt, %n, %c0 : i32
    llvm.intr.assume %positive : i1
    // CHECK: shr.u32
    %q = arith.divsi %n, %c4 : i32
    tt.store %p, %q : !tt.ptr<i32>
    tt.return
  }
}
