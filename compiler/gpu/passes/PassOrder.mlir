// RUN: %python %S/PassOrder.py %S/Passes.td %S/Pipeline.cpp | FileCheck %s
// CHECK: in order
