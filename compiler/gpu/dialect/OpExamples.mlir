// Every example in an op's description parses, verifies, and prints as something that reads back the same.
// RUN: %python %S/OpExamples.py %S/Ops.td %S/WarpSpecializeOps.td %S/BarrierOps.td %S/NvidiaOps.td %S/TensorMemoryOps.td %S/TmaOps.td %S/ExplicitOps.td %S/ExplicitNvidiaOps.td > %t.mlir
// RUN: triton-opt --split-input-file %t.mlir > %t.once
// RUN: triton-opt --split-input-file %t.once > %t.twice
// RUN: diff %t.once %t.twice
// RUN: triton-opt --split-input-file --mlir-print-op-generic %t.mlir | triton-opt --split-input-file > %t.generic
// RUN: diff %t.once %t.generic
// RUN: FileCheck %s < %t.once
// CHECK: ttg.convert_layout
// CHECK: ttg.warp_specialize
// CHECK: ttng.reinterpret_tensor_descriptor
