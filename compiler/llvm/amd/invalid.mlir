// What the emitter for AMD GPUs does not have is an error at its line.
// RUN: cp %s %t.ttgir
// RUN: not tritonc %t.ttgir --target hip --arch gfx942 --emit llir 2>&1 | FileCheck %s

// The module says that it is for NVIDIA's GPUs, whose library has the function: it was not expanded into arithmetic.
// CHECK: .ttgir:[[@LINE+4]]:10: error: the AMD target has no code for 'math.tanh'
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @kernel(%p: !tt.ptr<f32>, %x: f32) {
    %y = math.tanh %x : f32
    tt.store %p, %y : !tt.ptr<f32>
    tt.return
  }
}
