// RUN: triton-opt %s --gpu-resources | triton-ptx - --arch sm_90a | FileCheck %s
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx - --arch sm_80 --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx - --arch sm_90a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx - --arch sm_100a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED: Compiling entry function

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#warp = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // A row in a warp: shuffles.
  // CHECK-LABEL: .entry in_warp
  tt.func public @in_warp(%x: tensor<4x32xf32, #warp>, %i: tensor<4x32xi32, #warp>, %out: tensor<4x32x!tt.ptr<f32>, #warp>) {
    // CHECK: shfl.sync.idx
    // CHECK-NOT: bar.sync
    // CHECK: ret;
    %y = tt.gather %x[%i] {axis = 1 : i32} : (tensor<4x32xf32, #warp>, tensor<4x32xi32, #warp>) -> tensor<4x32xf32, #warp>
    tt.store %out, %y : tensor<4x32x!tt.ptr<f32>, #warp>
    tt.return
  }

  // CHECK-LABEL: .entry across_warps
  tt.func public @across_warps(%x: tensor<512xf16, #line>, %i: tensor<128xi64, #line>, %out: tensor<128x!tt.ptr<f16>, #line>) {
    // CHECK: st.shared
    // CHECK: bar.sync
    // CHECK: ld.shared.b16
    // CHECK: ret;
    %y = tt.gather %x[%i] {axis = 0 : i32} : (tensor<512xf16, #line>, tensor<128xi64, #line>) -> tensor<128xf16, #line>
    tt.store %out, %y : tensor<128x!tt.ptr<f16>, #line>
    tt.return
  }

  // Whole rows of other threads: one index for all registers, so vectors.
  // CHECK-LABEL: .entry rows
  tt.func public @rows(%x: tensor<128x8xf32, #rows>, %distance: i32, %out: tensor<128x8x!tt.ptr<f32>, #rows>) {
    // CHECK: st.shared.v4
    // CHECK: bar.sync
    // CHECK-COUNT-2: ld.shared.v4.b32
    // CHECK-NOT: ld.shared
    // CHECK: ret;
    %row = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #rows}>>
    %rows = tt.expand_dims %row {axis = 1 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #rows}>> -> tensor<128x1xi32, #rows>
    %distances = tt.splat %distance : i32 -> tensor<128x1xi32, #rows>
    %i = arith.xori %rows, %distances : tensor<128x1xi32, #rows>
    %j = tt.broadcast %i : tensor<128x1xi32, #rows> -> tensor<128x8xi32, #rows>
    %y = tt.gather %x[%j] {axis = 0 : i32} : (tensor<128x8xf32, #rows>, tensor<128x8xi32, #rows>) -> tensor<128x8xf32, #rows>
    tt.store %out, %y : tensor<128x8x!tt.ptr<f32>, #rows>
    tt.return
  }

  // CHECK-LABEL: .entry count
  tt.func public @count(%x: tensor<512xi32, #line>, %m: tensor<512xi1, #line>, %out: tensor<256x!tt.ptr<i32>, #line>) {
    // CHECK: st.shared.b32
    // CHECK: bar.sync
    // CHECK: {{atom|red}}.shared.add.u32
    // CHECK: bar.sync
    // CHECK: ld.shared.b32
    // CHECK: ret;
    %h = tt.histogram %x, %m : tensor<512xi32, #line> -> tensor<256xi32, #line>
    tt.store %out, %h : tensor<256x!tt.ptr<i32>, #line>
    tt.return
  }
}
