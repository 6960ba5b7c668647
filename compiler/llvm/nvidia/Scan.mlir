// RUN: triton-opt %s --gpu-resources | triton-ptx - --arch sm_90a | FileCheck %s
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx - --arch sm_80 --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx - --arch sm_90a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx - --arch sm_100a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED: Compiling entry function

#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: .entry line
  tt.func public @line(%x: tensor<512xi32, #line>, %out: tensor<512x!tt.ptr<i32>, #line>) {
    // Five steps within the warp, one to the next lane, then the totals of the warps.
    // CHECK-COUNT-6: shfl.sync.idx
    // CHECK: st.shared.b32
    // CHECK: bar.sync
    // CHECK: ld.shared.v4.b32
    // CHECK: ret;
    %s = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%lhs: i32, %rhs: i32):
      %t = arith.addi %lhs, %rhs : i32
      tt.scan.return %t : i32
    }) : (tensor<512xi32, #line>) -> tensor<512xi32, #line>
    tt.store %out, %s : tensor<512x!tt.ptr<i32>, #line>
    tt.return
  }

  // A thread holds its row: no exchange.
  // CHECK-LABEL: .entry in_thread
  tt.func public @in_thread(%x: tensor<128x8xf32, #rows>, %out: tensor<128x8x!tt.ptr<f32>, #rows>) {
    // CHECK-NOT: bar.sync
    // CHECK-NOT: shfl.sync.idx.b32 {{.*}}, %
    // CHECK-COUNT-7: mul{{.*}}f32
    // CHECK: ret;
    %s = "tt.scan"(%x) <{axis = 1 : i32, reverse = true}> ({
    ^bb0(%lhs: f32, %rhs: f32):
      %t = arith.mulf %lhs, %rhs : f32
      tt.scan.return %t : f32
    }) : (tensor<128x8xf32, #rows>) -> tensor<128x8xf32, #rows>
    tt.store %out, %s : tensor<128x8x!tt.ptr<f32>, #rows>
    tt.return
  }

  // Two operands, a combination that does not commute: x -> a x + b.
  // CHECK-LABEL: .entry recurrence
  tt.func public @recurrence(%a: tensor<512xf32, #line>, %b: tensor<512xf32, #line>, %out: tensor<512x!tt.ptr<f32>, #line>) {
    // CHECK-COUNT-12: shfl.sync.idx
    // CHECK: ret;
    %s:2 = "tt.scan"(%a, %b) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
      %p = arith.mulf %a0, %a1 : f32
      %q = arith.mulf %a1, %b0 : f32
      %r = arith.addf %q, %b1 : f32
      tt.scan.return %p, %r : f32, f32
    }) : (tensor<512xf32, #line>, tensor<512xf32, #line>) -> (tensor<512xf32, #line>, tensor<512xf32, #line>)
    tt.store %out, %s#1 : tensor<512x!tt.ptr<f32>, #line>
    tt.return
  }
}
