// RUN: not triton-interpret %s --grid 2 2>&1 | FileCheck %s

// CHECK:      pid (0, 0, 0) idx ( 0) x: 0
// CHECK:      pid (0, 0, 0) idx (15) x: 15
// CHECK-NEXT: pid (0, 0, 0) idx () both: (operand 0) -1
// CHECK-NEXT: pid (0, 0, 0) idx () both: (operand 1) 4294967295
// CHECK-NEXT: pid (0, 0, 0) idx () f: 0.500000
// CHECK-NEXT: pid (0, 0, 0) idx () h: 0x00ff
// CHECK-NEXT: pid (0, 0, 0) here
// CHECK:      assertion failed in program (1, 0, 0): only the first
tt.func public @talks() {
  %x = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %x : tensor<16xi32>
  %m = arith.constant -1 : i32
  tt.print " both: " {hex = false, isSigned = array<i32: 1, 0>} : %m, %m : i32, i32
  %f = arith.constant 0.5 : f16
  tt.print " f: " {hex = false, isSigned = array<i32: 1>} : %f : f16
  %h = arith.constant 255 : i16
  tt.print " h: " {hex = true, isSigned = array<i32: 1>} : %h : i16
  tt.print " here" {hex = false, isSigned = array<i32>}
  %pid = tt.get_program_id x : i32
  %zero = arith.constant 0 : i32
  %c = arith.cmpi eq, %pid, %zero : i32
  tt.assert %c, "only the first" : i1
  tt.return
}
