// Tensors whose elements do not fit into shared memory at once change layouts some bits at a time, or part by part.
// RUN: triton-opt %s --gpu-resources | FileCheck %s --check-prefix=BYTES
// RUN: triton-opt %s --gpu-resources | triton-ptx - --arch sm_90a | FileCheck %s
// RUN: sed s/cuda:90/cuda:89/ %s | triton-opt --gpu-resources | FileCheck %s --check-prefix=SMALL
// RUN: %if ptxas %{ sed s/cuda:90/cuda:89/ %s | triton-opt --gpu-resources | triton-ptx - --arch sm_89 --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx - --arch sm_90a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED: Compiling entry function

#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [16, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 16], order = [0, 1]}>
// BYTES: ttg.shared = 131072 : i32
// SMALL: ttg.shared = 65536 : i32
module attributes {"ttg.num-warps" = 16 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // 256 KiB in two halves of each number; the first is read before the second is written.
  // CHECK-LABEL: .entry halves
  // CHECK-NOT: shared{{.*}}b64
  // CHECK: st.shared.v4.b32
  // CHECK-NOT: ld.shared
  // CHECK: bar.sync
  // CHECK-NOT: st.shared
  // CHECK: ld.shared.v4.b32
  // CHECK-NOT: st.shared
  // CHECK: bar.sync
  // CHECK-NOT: ld.shared
  // CHECK: st.shared.v4.b32
  // CHECK-NOT: ld.shared
  // CHECK: bar.sync
  // CHECK-NOT: st.shared
  // CHECK: ld.shared.v4.b32
  // CHECK-NOT: {{st.shared|bar.sync}}
  // CHECK: ret;
  tt.func public @halves(%x: tensor<128x256xf64, #rows>, %out: tensor<128x256x!tt.ptr<f64>, #columns>) {
    %y = ttg.convert_layout %x : tensor<128x256xf64, #rows> -> tensor<128x256xf64, #columns>
    tt.store %out, %y : tensor<128x256x!tt.ptr<f64>, #columns>
    tt.return
  }

  // Half of that is no reason to.
  // CHECK-LABEL: .entry at_once
  // CHECK: st.shared.v2.b64
  // CHECK-COUNT-1: bar.sync
  // CHECK: ld.shared.v2.b64
  // CHECK-NOT: bar.sync
  // CHECK: ret;
  tt.func public @at_once(%x: tensor<64x256xf64, #rows>, %out: tensor<64x256x!tt.ptr<f64>, #columns>) {
    %y = ttg.convert_layout %x : tensor<64x256xf64, #rows> -> tensor<64x256xf64, #columns>
    tt.store %out, %y : tensor<64x256x!tt.ptr<f64>, #columns>
    tt.return
  }

  // Where a byte of each number is too much, a part of the numbers goes first.
  // CHECK-LABEL: .entry parts
  // CHECK: st.shared
  // CHECK-NOT: ld.shared
  // CHECK: bar.sync
  // CHECK-NOT: st.shared
  // CHECK: ld.shared
  // CHECK-NOT: st.shared
  // CHECK: bar.sync
  // CHECK-NOT: ld.shared
  // CHECK: st.shared
  // CHECK-NOT: ld.shared
  // CHECK: bar.sync
  // CHECK-NOT: st.shared
  // CHECK: ld.shared
  // CHECK-NOT: {{st.shared|bar.sync}}
  // CHECK: ret;
  tt.func public @parts(%x: tensor<512x512xi8, #rows>, %out: tensor<512x512x!tt.ptr<i8>, #columns>) {
    %y = ttg.convert_layout %x : tensor<512x512xi8, #rows> -> tensor<512x512xi8, #columns>
    tt.store %out, %y : tensor<512x512x!tt.ptr<i8>, #columns>
    tt.return
  }
}
