// Every example in an op's description parses, verifies, and prints as something that reads back the same.
// RUN: %python %S/OpExamples.py %S/FunctionOps.td %S/ShapeOps.td %S/MathOps.td %S/ReduceOps.td %S/MemoryOps.td %S/DescriptorOps.td > %t.mlir
// RUN: triton-opt --split-input-file %t.mlir > %t.once
// RUN: triton-opt --split-input-file %t.once > %t.twice
// RUN: diff %t.once %t.twice
// RUN: triton-opt --split-input-file --mlir-print-op-generic %t.mlir | triton-opt --split-input-file > %t.generic
// RUN: diff %t.once %t.generic
// RUN: FileCheck %s < %t.once
// CHECK: tt.func public @fill
// CHECK: tt.descriptor_scatter
