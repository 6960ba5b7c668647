// RUN: triton-opt %s --gpu-resources | triton-ptx - --arch sm_90a | FileCheck %s
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx - --arch sm_80 --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx - --arch sm_90a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx - --arch sm_100a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED: Compiling entry function

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#small = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#turned = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#slice = #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // Accumulators to rows: 16 bytes at a time on both sides.
  // CHECK-LABEL: .entry accumulator
  tt.func public @accumulator(%x: tensor<128x128xf32, #mma>, %out: tensor<128x128x!tt.ptr<f32>, #rows>) {
    // CHECK-NOT: st.shared.b32
    // CHECK-COUNT-32: st.shared.v4.b32
    // CHECK-COUNT-1: bar.sync
    // CHECK-COUNT-32: ld.shared.v4.b32
    // CHECK-NOT: bar.sync
    // CHECK: ret;
    %y = ttg.convert_layout %x : tensor<128x128xf32, #mma> -> tensor<128x128xf32, #rows>
    tt.store %out, %y : tensor<128x128x!tt.ptr<f32>, #rows>
    tt.return
  }

  // Within a warp by shuffles.
  // CHECK-LABEL: .entry shuffled
  tt.func public @shuffled(%x: tensor<32x16xf32, #small>, %out: tensor<32x16x!tt.ptr<f32>, #turned>) {
    // CHECK-NOT: bar.sync
    // CHECK-COUNT-4: shfl.sync.idx
    // CHECK-NOT: st.shared
    // CHECK: ret;
    %y = ttg.convert_layout %x : tensor<32x16xf32, #small> -> tensor<32x16xf32, #turned>
    tt.store %out, %y : tensor<32x16x!tt.ptr<f32>, #turned>
    tt.return
  }

  // Bytes go four to a shuffle, 64-bit values take two.
  // CHECK-LABEL: .entry other_widths
  tt.func public @other_widths(%x: tensor<32x16xi8, #small>, %y: tensor<32x16xi64, #small>, %out: tensor<32x16x!tt.ptr<i8>, #turned>,
                               %out2: tensor<32x16x!tt.ptr<i64>, #turned>) {
    // CHECK: ret;
    %z = ttg.convert_layout %x : tensor<32x16xi8, #small> -> tensor<32x16xi8, #turned>
    %w = ttg.convert_layout %y : tensor<32x16xi64, #small> -> tensor<32x16xi64, #turned>
    tt.store %out, %z : tensor<32x16x!tt.ptr<i8>, #turned>
    tt.store %out2, %w : tensor<32x16x!tt.ptr<i64>, #turned>
    tt.return
  }

  // Pointers and conditions, through memory.
  // CHECK-LABEL: .entry pointers
  tt.func public @pointers(%p: tensor<64x64x!tt.ptr<f32>, #small>, %m: tensor<64x64xi1, #small>, %v: tensor<64x64xf32, #rows>) {
    // CHECK: st.shared{{.*}}b64
    // CHECK: bar.sync
    // CHECK: ret;
    %q = ttg.convert_layout %p : tensor<64x64x!tt.ptr<f32>, #small> -> tensor<64x64x!tt.ptr<f32>, #rows>
    %n = ttg.convert_layout %m : tensor<64x64xi1, #small> -> tensor<64x64xi1, #rows>
    tt.store %q, %v, %n : tensor<64x64x!tt.ptr<f32>, #rows>
    tt.return
  }

  // The same map under another name: nothing.
  // CHECK-LABEL: .entry same
  tt.func public @same(%x: tensor<128xf32, #one>, %out: tensor<128x!tt.ptr<f32>, #slice>) {
    // CHECK-NOT: bar.sync
    // CHECK-NOT: st.shared
    // CHECK: ret;
    %y = ttg.convert_layout %x : tensor<128xf32, #one> -> tensor<128xf32, #slice>
    tt.store %out, %y : tensor<128x!tt.ptr<f32>, #slice>
    tt.return
  }
}
