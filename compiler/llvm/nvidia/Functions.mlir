// Public functions are kernels, private ones stay functions.
// RUN: triton-ptx %s --llvm | FileCheck %s
// RUN: %if ptxas %{ triton-ptx %s --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED: Compiling entry function

#blocked = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[0]]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32} {
  // Arguments, then scratch in global memory; what is known of pointers goes along.
  // CHECK: define ptx_kernel void @kernel(ptr addrspace(1) align 16 %{{.*}}, ptr addrspace(1) %{{.*}}, i32 %{{.*}}, ptr addrspace(1) %{{.*}}, ptr addrspace(1) %{{.*}}) #[[KERNEL:[0-9]+]]
  tt.func public @kernel(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32>, %n: i32) {
    // CHECK: %[[R:.*]] = call { i32 } @twice(i32 %{{.*}})
    // CHECK: extractvalue { i32 } %[[R]], 0
    %m = tt.call @twice(%n) : (i32) -> i32
    %f = arith.sitofp %m : i32 to f32
    tt.store %p, %f : !tt.ptr<f32>
    tt.return
  }
  // CHECK: define internal { i32 } @twice(i32 %{{.*}}) #[[FUNCTION:[0-9]+]]
  tt.func private @twice(%n: i32) -> i32 {
    %m = arith.addi %n, %n : i32
    tt.return %m : i32
  }
  // A tensor is an argument for each register.
  // CHECK: define internal { float, float } @registers(float %{{.*}}, float %{{.*}})
  tt.func private @registers(%x: tensor<256xf32, #blocked>) -> tensor<256xf32, #blocked> {
    tt.return %x : tensor<256xf32, #blocked>
  }
  // CHECK: attributes #[[KERNEL]] = {{.*}}"nvvm.cluster_dim"="2,1,1"{{.*}}"nvvm.reqntid"="128"
  // CHECK: attributes #[[FUNCTION]] = {{.*}}convergent{{.*}}noinline
}
