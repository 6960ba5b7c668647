// RUN: triton-opt %s --gpu-resources | triton-ptx - --arch sm_90a | FileCheck %s
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx - --arch sm_80 --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx - --arch sm_90a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx - --arch sm_100a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED: Compiling entry function

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#bytes = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // Contiguous and aligned: 16 bytes at a time; behind the mask zeros are written.
  // CHECK-LABEL: .entry wide
  tt.func public @wide(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %out: tensor<16x64x!tt.ptr<f16>, #rows>) {
    // CHECK: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16, %p
    // CHECK: cp.async.commit_group
    // CHECK: cp.async.wait_group 0
    // CHECK: bar.sync
    // CHECK: ld.shared.v4
    // CHECK: ret;
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>>
    %e = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x64xi32, #rows>
    %b = tt.broadcast %e : tensor<1x64xi32, #rows> -> tensor<16x64xi32, #rows>
    %s = tt.splat %p : !tt.ptr<f16> -> tensor<16x64x!tt.ptr<f16>, #rows>
    %q = tt.addptr %s, %b : tensor<16x64x!tt.ptr<f16>, #rows>, tensor<16x64xi32, #rows>
    %ns = tt.splat %n : i32 -> tensor<16x64xi32, #rows>
    %m = arith.cmpi slt, %b, %ns : tensor<16x64xi32, #rows>
    %a = ttg.local_alloc : () -> !ttg.memdesc<16x64xf16, #shared, #smem, mutable>
    %t = ttg.async_copy_global_to_local %q, %a mask %m : tensor<16x64x!tt.ptr<f16>, #rows> -> <16x64xf16, #shared, #smem, mutable>
    %g = ttg.async_commit_group tokens %t
    %w = ttg.async_wait %g {num = 0 : i32}
    %y = ttg.local_load %a token %w : !ttg.memdesc<16x64xf16, #shared, #smem, mutable> -> tensor<16x64xf16, #rows>
    tt.store %out, %y : tensor<16x64x!tt.ptr<f16>, #rows>
    tt.return
  }

  // Pointers of which nothing is known: two bytes at a time are too few for a copy, four are enough.
  // CHECK-LABEL: .entry narrow
  tt.func public @narrow(%p: tensor<16x64x!tt.ptr<f16>, #bytes>, %q: tensor<16x64x!tt.ptr<f32>, #bytes>, %m: tensor<16x64xi1, #bytes>, %o: tensor<16x64xf32, #bytes>) {
    // CHECK-NOT: cp.async.{{.*}}, 2
    // CHECK: ld.global.b16
    // CHECK: st.shared.b16
    // CHECK: @%p{{.*}} cp.async.ca.shared.global [{{.*}}], [{{.*}}], 4;
    // CHECK: ret;
    %a = ttg.local_alloc : () -> !ttg.memdesc<16x64xf16, #shared, #smem, mutable>
    %t = ttg.async_copy_global_to_local %p, %a : tensor<16x64x!tt.ptr<f16>, #bytes> -> <16x64xf16, #shared, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<16x64xf32, #shared, #smem, mutable>
    %u = ttg.async_copy_global_to_local %q, %b mask %m other %o : tensor<16x64x!tt.ptr<f32>, #bytes> -> <16x64xf32, #shared, #smem, mutable>
    %g = ttg.async_commit_group tokens %t, %u
    %w = ttg.async_wait %g {num = 0 : i32}
    tt.return
  }
}
