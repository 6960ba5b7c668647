// Each elementwise op on each type it takes: LLVM ends the process at an op it cannot select, so none may be left out.
// RUN: %python %S/EveryOp.py > %t.mlir
// RUN: triton-ptx %t.mlir --arch sm_80 > %t.80.ptx
// RUN: triton-ptx %t.mlir --arch sm_90a > %t.90.ptx
// RUN: %if ptxas %{ ptxas -arch=sm_80 %t.80.ptx -o %t.80.cubin %}
// RUN: %if ptxas %{ ptxas -arch=sm_90a %t.90.ptx -o %t.90.cubin %}
