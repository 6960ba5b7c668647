// Lines of the source, functions that were inlined as scopes of their own.
// RUN: triton-ptx %s --llvm | FileCheck %s
// RUN: triton-ptx %s | FileCheck %s --check-prefix=PTX

#helper = loc("helper.py":7:4)
#call = loc("kernel.py":3:8)
#load = loc("kernel.py":2:9)
module attributes {"ttg.num-warps" = 4 : i32} {
  // CHECK-LABEL: define ptx_kernel void @kernel
  // CHECK-SAME: !dbg ![[KERNEL:[0-9]+]]
  // PTX: .loc [[KERNEL:[0-9]+]] 2 9
  // PTX: .loc [[HELPER:[0-9]+]] 7 4
  // PTX: .loc [[KERNEL]] 3 8
  // PTX: .file [[KERNEL]] "kernel.py"
  // PTX: .file [[HELPER]] "helper.py"
  tt.func public @kernel(%p: !tt.ptr<i32>) {
    // CHECK: load i32, {{.*}}!dbg ![[LOAD:[0-9]+]]
    %x = tt.load %p : !tt.ptr<i32> loc(#load)
    // CHECK: mul i32 {{.*}}!dbg ![[INLINED:[0-9]+]]
    %y = arith.muli %x, %x : i32 loc(callsite(#helper at #call))
    tt.store %p, %y : !tt.ptr<i32> loc(#call)
    tt.return loc(#call)
  } loc("kernel.py":1:0)
}
// CHECK: ![[KERNEL]] = distinct !DISubprogram(name: "kernel"
// CHECK-DAG: ![[LOAD]] = !DILocation(line: 2, column: 9, scope: ![[KERNEL]])
// CHECK-DAG: ![[INLINED]] = !DILocation(line: 7, column: 4, scope: ![[HELPER:[0-9]+]], inlinedAt: ![[AT:[0-9]+]])
// CHECK-DAG: ![[AT]] = {{.*}}!DILocation(line: 3, column: 8, scope: ![[KERNEL]])
