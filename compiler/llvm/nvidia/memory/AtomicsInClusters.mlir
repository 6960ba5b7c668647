// RUN: triton-ptx %s --arch sm_90a | FileCheck %s
// RUN: %if ptxas %{ triton-ptx %s --arch sm_90a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED: Compiling entry function

#split = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // The first thread of the first CTA; the others read its result there.
  // CHECK-LABEL: .entry scalar
  tt.func public @scalar(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %x: i32) {
    // CHECK: atom.global.gpu.relaxed.add.u32
    // CHECK: barrier.cluster.arrive
    // CHECK: mapa.shared::cluster.u32
    // CHECK: ld.shared::cluster.b32
    // CHECK: barrier.cluster.wait
    %old = tt.atomic_rmw add, relaxed, gpu, %p, %x {allocation.offset = 0 : i32} : (!tt.ptr<i32>, i32) -> i32
    tt.store %q, %old : !tt.ptr<i32>
    tt.return
  }

  // Each CTA has elements of its own: results stay in its memory.
  // CHECK-LABEL: .entry own_elements
  tt.func public @own_elements(%p: !tt.ptr<i32>) {
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #split>
    %s = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #split>
    %q = tt.addptr %s, %range : tensor<64x!tt.ptr<i32>, #split>, tensor<64xi32, #split>
    // CHECK: atom.global.gpu.relaxed.add.u32
    // CHECK-NOT: mapa
    // CHECK: ld.shared.b32
    // CHECK-NOT: mapa
    %old = tt.atomic_rmw add, relaxed, gpu, %q, %range {allocation.offset = 0 : i32} : (tensor<64x!tt.ptr<i32>, #split>, tensor<64xi32, #split>) -> tensor<64xi32, #split>
    tt.store %q, %old : tensor<64x!tt.ptr<i32>, #split>
    tt.return
  }
}
