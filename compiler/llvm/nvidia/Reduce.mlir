// RUN: triton-opt %s --gpu-resources | triton-ptx - --arch sm_90a | FileCheck %s
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx - --arch sm_80 --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx - --arch sm_90a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx - --arch sm_100a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED: Compiling entry function

#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#square = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#across = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // A tree in each thread, five shuffles, one store by one lane of each warp, one barrier, one load of all four.
  // CHECK-LABEL: .entry row
  tt.func public @row(%x: tensor<1024xf32, #line>, %out: !tt.ptr<f32>) {
    // CHECK-COUNT-7: add{{.*}}f32
    // CHECK-COUNT-5: shfl.sync.bfly
    // CHECK-NOT: shfl.sync.bfly
    // CHECK: st.shared.b32
    // CHECK-COUNT-1: bar.sync
    // CHECK-NOT: bar.sync
    // CHECK: ld.shared.v4.b32
    // CHECK: ret;
    %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%lhs: f32, %rhs: f32):
      %t = arith.addf %lhs, %rhs : f32
      tt.reduce.return %t : f32
    }) : (tensor<1024xf32, #line>) -> f32
    tt.store %out, %sum : !tt.ptr<f32>
    tt.return
  }

  // One instruction combines the i32 of a warp.
  // CHECK-LABEL: .entry whole_warp
  tt.func public @whole_warp(%x: tensor<4x128xi32, #rows>, %out: tensor<4x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #rows}>>) {
    // CHECK: redux.sync.max.s32
    // CHECK-NOT: shfl.sync.bfly
    // CHECK-NOT: bar.sync
    // CHECK: ret;
    %max = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%lhs: i32, %rhs: i32):
      %t = arith.maxsi %lhs, %rhs : i32
      tt.reduce.return %t : i32
    }) : (tensor<4x128xi32, #rows>) -> tensor<4xi32, #ttg.slice<{dim = 1, parent = #rows}>>
    tt.store %out, %max : tensor<4x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #rows}>>
    tt.return
  }

  // Rows of four lanes: two shuffles, nothing through memory.
  // CHECK-LABEL: .entry four_lanes
  tt.func public @four_lanes(%x: tensor<32x16xf16, #square>, %out: tensor<32x!tt.ptr<f16>, #ttg.slice<{dim = 1, parent = #square}>>) {
    // CHECK-COUNT-2: shfl.sync.bfly
    // CHECK-NOT: shfl.sync.bfly
    // CHECK-NOT: bar.sync
    // CHECK: ret;
    %max = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%lhs: f16, %rhs: f16):
      %t = arith.maxnumf %lhs, %rhs : f16
      tt.reduce.return %t : f16
    }) : (tensor<32x16xf16, #square>) -> tensor<32xf16, #ttg.slice<{dim = 1, parent = #square}>>
    tt.store %out, %max : tensor<32x!tt.ptr<f16>, #ttg.slice<{dim = 1, parent = #square}>>
    tt.return
  }

  // Two operands with a combination of several ops: value and place of the greatest, all lanes in one order.
  // CHECK-LABEL: .entry greatest
  tt.func public @greatest(%x: tensor<8x64xf32, #across>, %i: tensor<8x64xi64, #across>,
                           %out: tensor<8x!tt.ptr<i64>, #ttg.slice<{dim = 1, parent = #across}>>) {
    // CHECK-COUNT-6: shfl.sync.bfly
    // CHECK: st.shared.b32
    // CHECK: st.shared.b64
    // CHECK: bar.sync
    // CHECK: ld.shared.v4.b32
    // CHECK-COUNT-2: ld.shared.v2.b64
    // CHECK: ret;
    %max:2 = "tt.reduce"(%x, %i) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %ai: i64, %b: f32, %bi: i64):
      %gt = arith.cmpf ogt, %a, %b : f32
      %v = arith.select %gt, %a, %b : f32
      %p = arith.select %gt, %ai, %bi : i64
      tt.reduce.return %v, %p : f32, i64
    }) : (tensor<8x64xf32, #across>, tensor<8x64xi64, #across>) -> (tensor<8xf32, #ttg.slice<{dim = 1, parent = #across}>>, tensor<8xi64, #ttg.slice<{dim = 1, parent = #across}>>)
    tt.store %out, %max#1 : tensor<8x!tt.ptr<i64>, #ttg.slice<{dim = 1, parent = #across}>>
    tt.return
  }

  // In a loop the buffer is written again: a barrier before, one within.
  // CHECK-LABEL: .entry in_a_loop
  tt.func public @in_a_loop(%x: tensor<512xf32, #line>, %n: i32, %out: !tt.ptr<f32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    // CHECK-COUNT-2: bar.sync
    // CHECK-NOT: bar.sync
    // CHECK: ret;
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) : i32 {
      %a = tt.splat %acc : f32 -> tensor<512xf32, #line>
      %y = arith.mulf %x, %a : tensor<512xf32, #line>
      %sum = "tt.reduce"(%y) <{axis = 0 : i32}> ({
      ^bb0(%lhs: f32, %rhs: f32):
        %t = arith.addf %lhs, %rhs : f32
        tt.reduce.return %t : f32
      }) : (tensor<512xf32, #line>) -> f32
      scf.yield %sum : f32
    }
    tt.store %out, %r : !tt.ptr<f32>
    tt.return
  }
}
