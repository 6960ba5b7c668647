// RUN: triton-opt %s --gpu-resources | triton-ptx - --arch sm_90a | FileCheck %s
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx - --arch sm_90a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx - --arch sm_100a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED: Compiling entry function

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>
#columns = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 1]]}>
#slice = #ttg.slice<{dim = 0, parent = #rows}>
#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // Half of the elements move to the other CTA: each stores what it has, all wait, each loads from where its elements are; nobody goes on, or
  // writes again, before all have read.
  // CHECK-LABEL: .entry convert
  tt.func public @convert(%x: tensor<64x64xf32, #rows>, %out: tensor<64x64x!tt.ptr<f32>, #columns>) {
    // CHECK: st.shared
    // CHECK: barrier.cluster.arrive
    // CHECK: barrier.cluster.wait
    // CHECK: mapa.shared::cluster.u32
    // CHECK-SAME: ld.shared::cluster
    // CHECK: barrier.cluster.arrive
    // CHECK: barrier.cluster.wait
    // CHECK: ret;
    %y = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    tt.store %out, %y : tensor<64x64x!tt.ptr<f32>, #columns>
    tt.return
  }

  // Each CTA has half of every column: they combine what they found.
  // CHECK-LABEL: .entry reduce
  tt.func public @reduce(%x: tensor<64x64xf32, #rows>, %out: tensor<64x!tt.ptr<f32>, #slice>) {
    // CHECK: bar.sync
    // CHECK: barrier.cluster.arrive
    // CHECK: ld.shared::cluster
    // CHECK: ld.shared::cluster
    // CHECK: ret;
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%lhs: f32, %rhs: f32):
      %t = arith.addf %lhs, %rhs : f32
      tt.reduce.return %t : f32
    }) : (tensor<64x64xf32, #rows>) -> tensor<64xf32, #slice>
    tt.store %out, %s : tensor<64x!tt.ptr<f32>, #slice>
    tt.return
  }

  // CHECK-LABEL: .entry scan
  tt.func public @scan(%x: tensor<1024xf16, #line>, %i: tensor<1024xi32, #line>, %out: tensor<1024x!tt.ptr<f16>, #line>) {
    // CHECK: ld.shared::cluster
    // CHECK: ret;
    %s = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%lhs: f16, %rhs: f16):
      %t = arith.addf %lhs, %rhs : f16
      tt.scan.return %t : f16
    }) : (tensor<1024xf16, #line>) -> tensor<1024xf16, #line>
    %g = tt.gather %s[%i] {axis = 0 : i32} : (tensor<1024xf16, #line>, tensor<1024xi32, #line>) -> tensor<1024xf16, #line>
    tt.store %out, %g : tensor<1024x!tt.ptr<f16>, #line>
    tt.return
  }

  // CHECK-LABEL: .entry whole
  tt.func public @whole(%x: tensor<1024xf32, #line>, %out: !tt.ptr<f32>) {
    // CHECK: ld.shared::cluster.b32
    // CHECK: ld.shared::cluster.b32
    // CHECK: ret;
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%lhs: f32, %rhs: f32):
      %t = arith.maxnumf %lhs, %rhs : f32
      tt.reduce.return %t : f32
    }) : (tensor<1024xf32, #line>) -> f32
    tt.store %out, %s : !tt.ptr<f32>
    tt.return
  }
}
