// RUN: triton-ptx %s --arch sm_90a | FileCheck %s
// RUN: triton-ptx %s --arch sm_80 | FileCheck %s --check-prefix=OLD
// RUN: %if ptxas %{ triton-ptx %s --arch sm_80 --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// RUN: %if ptxas %{ triton-ptx %s --arch sm_100a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED: Compiling entry function

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#narrow = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // The first thread of the program, after all have arrived; its result goes to the others through shared memory.
  // CHECK-LABEL: .entry scalar
  tt.func public @scalar(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %x: i32) {
    // CHECK: bar{{(rier)?}}{{(.cta)?}}.sync
    // CHECK: @{{%p[0-9]+}} atom.global.gpu.acq_rel.add.u32
    // CHECK: st.shared.b32
    // CHECK: bar{{(rier)?}}{{(.cta)?}}.sync
    // CHECK: ld.shared.b32
    %old = tt.atomic_rmw add, acq_rel, gpu, %p, %x {allocation.offset = 0 : i32} : (!tt.ptr<i32>, i32) -> i32
    tt.store %q, %old : !tt.ptr<i32>
    tt.return
  }

  // CHECK-LABEL: .entry swap
  tt.func public @swap(%p: !tt.ptr<i64>, %q: !tt.ptr<i64>, %x: i64) {
    // CHECK: atom.global.acquire.cta.cas.b64
    %old = tt.atomic_cas acquire, cta, %p, %x, %x {allocation.offset = 0 : i32} : (!tt.ptr<i64>, i64, i64) -> i64
    tt.store %q, %old : !tt.ptr<i64>
    tt.return
  }

  // CHECK-LABEL: .entry kinds
  tt.func public @kinds(%p: !tt.ptr<i32>, %x: i32, %l: !tt.ptr<i64>, %y: i64, %d: !tt.ptr<f64>, %z: f64) {
    // CHECK: atom.global.sys.relaxed.and.b32
    %0 = tt.atomic_rmw and, relaxed, sys, %p, %x : (!tt.ptr<i32>, i32) -> i32
    // CHECK: atom.global.gpu.relaxed.or.b32
    %1 = tt.atomic_rmw or, relaxed, gpu, %p, %x : (!tt.ptr<i32>, i32) -> i32
    // CHECK: atom.global.gpu.release.xor.b64
    %2 = tt.atomic_rmw xor, release, gpu, %l, %y : (!tt.ptr<i64>, i64) -> i64
    // CHECK: atom.global.gpu.relaxed.max.s32
    %3 = tt.atomic_rmw max, relaxed, gpu, %p, %x : (!tt.ptr<i32>, i32) -> i32
    // CHECK: atom.global.gpu.relaxed.min.u64
    %4 = tt.atomic_rmw umin, relaxed, gpu, %l, %y : (!tt.ptr<i64>, i64) -> i64
    // CHECK: atom.global.gpu.relaxed.exch.b32
    %5 = tt.atomic_rmw exch, relaxed, gpu, %p, %x : (!tt.ptr<i32>, i32) -> i32
    // CHECK: atom.global.gpu.relaxed.add.f64
    %6 = tt.atomic_rmw fadd, relaxed, gpu, %d, %z : (!tt.ptr<f64>, f64) -> f64
    // CHECK: atom.global.gpu.relaxed.min.u64
    // CHECK: atom.global.gpu.relaxed.max.s64
    %7 = tt.atomic_rmw max, relaxed, gpu, %d, %z : (!tt.ptr<f64>, f64) -> f64
    tt.return
  }

  // CHECK-LABEL: .entry vectors
  // OLD-LABEL: .entry vectors
  tt.func public @vectors(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %h: !tt.ptr<f16> {tt.divisibility = 16 : i32},
                          %b: !tt.ptr<bf16> {tt.divisibility = 16 : i32}) {
    %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #blocked>
    %q = tt.addptr %s, %range : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
    %x = arith.sitofp %range : tensor<512xi32, #blocked> to tensor<512xf32, #blocked>
    // CHECK: atom.global.gpu.relaxed.add.v4.f32
    // OLD-COUNT-4: atom.global.gpu.relaxed.add.f32
    %0 = tt.atomic_rmw fadd, relaxed, gpu, %q, %x : (tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xf32, #blocked>) -> tensor<512xf32, #blocked>
    %t = tt.splat %h : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>, #blocked>
    %u = tt.addptr %t, %range : tensor<512x!tt.ptr<f16>, #blocked>, tensor<512xi32, #blocked>
    %y = arith.truncf %x : tensor<512xf32, #blocked> to tensor<512xf16, #blocked>
    // CHECK: atom.global.gpu.relaxed.add.noftz.v2.f16x2
    // OLD-COUNT-2: atom.global.gpu.relaxed.add.noftz.f16x2
    %1 = tt.atomic_rmw fadd, relaxed, gpu, %u, %y : (tensor<512x!tt.ptr<f16>, #blocked>, tensor<512xf16, #blocked>) -> tensor<512xf16, #blocked>
    %v = tt.splat %b : !tt.ptr<bf16> -> tensor<512x!tt.ptr<bf16>, #blocked>
    %w = tt.addptr %v, %range : tensor<512x!tt.ptr<bf16>, #blocked>, tensor<512xi32, #blocked>
    %z = arith.truncf %x : tensor<512xf32, #blocked> to tensor<512xbf16, #blocked>
    // CHECK: atom.global.gpu.relaxed.add.noftz.v2.bf16x2
    // OLD: atom.relaxed.gpu.global.cas.b32
    %2 = tt.atomic_rmw fadd, relaxed, gpu, %w, %z : (tensor<512x!tt.ptr<bf16>, #blocked>, tensor<512xbf16, #blocked>) -> tensor<512xbf16, #blocked>
    tt.return
  }

  // 64 elements for 128 threads: half of them perform the access, the others read the results.
  // CHECK-LABEL: .entry copies
  tt.func public @copies(%p: !tt.ptr<i32>) {
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #narrow>
    %s = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #narrow>
    %q = tt.addptr %s, %range : tensor<64x!tt.ptr<i32>, #narrow>, tensor<64xi32, #narrow>
    // CHECK: @{{%p[0-9]+}} atom.global.gpu.relaxed.add.u32
    // CHECK: st.shared.b32
    // CHECK: bar{{(rier)?}}{{(.cta)?}}.sync
    // CHECK: ld.shared.b32
    %old = tt.atomic_rmw add, relaxed, gpu, %q, %range {allocation.offset = 0 : i32} : (tensor<64x!tt.ptr<i32>, #narrow>, tensor<64xi32, #narrow>) -> tensor<64xi32, #narrow>
    tt.store %q, %old : tensor<64x!tt.ptr<i32>, #narrow>
    tt.return
  }
}
