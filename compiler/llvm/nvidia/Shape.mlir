// RUN: triton-opt %s --gpu-resources | triton-ptx - --arch sm_90a | FileCheck %s
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx - --arch sm_80 --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx - --arch sm_90a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx - --arch sm_100a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED: Compiling entry function

#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#pairs = #ttg.blocked<{sizePerThread = [4, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#single = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#half = #ttg.slice<{dim = 1, parent = #pairs}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // Only names change: no shuffle, no shared memory.
  // CHECK-LABEL: .entry names
  tt.func public @names(%x: tensor<512xf32, #half>, %y: tensor<512xf32, #half>, %out: tensor<512x!tt.ptr<f32>, #half>, %z: tensor<32x16xf32, #rows>, %out2: tensor<16x32x!tt.ptr<f32>, #columns>) {
    // CHECK-NOT: shfl.sync.bfly
    // CHECK-NOT: bar.sync
    // CHECK: ret;
    %j = tt.join %x, %y : tensor<512xf32, #half> -> tensor<512x2xf32, #pairs>
    %a, %b = tt.split %j : tensor<512x2xf32, #pairs> -> tensor<512xf32, #half>
    %s = arith.subf %a, %b : tensor<512xf32, #half>
    tt.store %out, %s : tensor<512x!tt.ptr<f32>, #half>
    %t = tt.trans %z {order = array<i32: 1, 0>} : tensor<32x16xf32, #rows> -> tensor<16x32xf32, #columns>
    tt.store %out2, %t : tensor<16x32x!tt.ptr<f32>, #columns>
    tt.return
  }

  // CHECK-LABEL: .entry made
  tt.func public @made(%out: tensor<32x16x!tt.ptr<i32>, #rows>, %n: i32) {
    // CHECK: st.global
    // CHECK: ret;
    %r = tt.make_range {end = 36 : i32, start = 4 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #rows}>>
    %e = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #rows}>> -> tensor<32x1xi32, #rows>
    %b = tt.broadcast %e : tensor<32x1xi32, #rows> -> tensor<32x16xi32, #rows>
    %s = tt.splat %n : i32 -> tensor<32x16xi32, #rows>
    %c = arith.constant dense<7> : tensor<32x16xi32, #rows>
    %u = arith.addi %b, %s : tensor<32x16xi32, #rows>
    %v = arith.muli %u, %c : tensor<32x16xi32, #rows>
    tt.store %out, %v : tensor<32x16x!tt.ptr<i32>, #rows>
    tt.return
  }

  // Constants that differ come from a table.
  // CHECK-LABEL: .entry table_of_constants
  tt.func public @table_of_constants(%out: tensor<4x!tt.ptr<i32>, #single>) {
    // CHECK: ld.global
    // CHECK: ret;
    %c = arith.constant dense<[3, 1, 4, 1]> : tensor<4xi32, #single>
    tt.store %out, %c : tensor<4x!tt.ptr<i32>, #single>
    tt.return
  }

  // CHECK-LABEL: .entry both
  tt.func public @both(%x: tensor<512xf32, #line>, %out: tensor<1024x!tt.ptr<f32>, #line>) {
    // CHECK-NOT: bar.sync
    // CHECK: ret;
    %c = tt.cat %x, %x : tensor<512xf32, #line> -> tensor<1024xf32, #line>
    tt.store %out, %c : tensor<1024x!tt.ptr<f32>, #line>
    tt.return
  }
}
