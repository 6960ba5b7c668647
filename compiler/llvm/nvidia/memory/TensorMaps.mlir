// Maps of tensors that kernels write themselves, rows by number, and the fences around TMA.
// RUN: triton-opt %s --gpu-resources | triton-ptx --arch sm_100a | FileCheck %s
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx --arch sm_100a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED: Compiling entry function

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#rows = #ttg.linear<{register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = [[4], [0]], block = []}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:100"} {
  // CHECK-LABEL: .entry make(
  tt.func public @make(%base: !tt.ptr<f32>, %m: i32, %n: i32, %stride: i64, %rows: tensor<8xi32, #rows>, %y: i32) {
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %true = arith.constant true
    %zero = arith.constant 0 : i32
    // A slice of 128 bytes for each CTA.
    // CHECK: shl.b64 %[[SLICE:rd[0-9]+]], %{{.*}}, 7;
    // CHECK: add.s64 %[[MAP:rd[0-9]+]], %{{.*}}, %[[SLICE]];
    %map = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
    // CHECK: st.shared.b32
    // CHECK: bar.warp.sync
    // CHECK: cp.async.bulk.wait_group 0;
    // CHECK: tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%[[S:r[0-9]+]]], %rd
    // CHECK: tensormap.replace.tile.rank.shared::cta.b1024.b32 [%[[S]]], 1;
    // CHECK: tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%[[S]]], 0, %r
    // CHECK: tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%[[S]]], 1, %r
    // CHECK: tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%[[S]]], 0, %r
    // CHECK: tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%[[S]]], 1, %r
    // CHECK: tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%[[S]]], 0, %rd
    // CHECK: tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%[[S]]], 0, %r
    // CHECK: tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%[[S]]], 7;
    // CHECK: tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%[[S]]], 0;
    // CHECK: tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%[[S]]], 3;
    // CHECK: tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%[[S]]], 0;
    // CHECK: bar.warp.sync
    // CHECK: tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%[[MAP]]], [%[[S]]], 128;
    // CHECK: bar.sync
    ttng.tensormap_create %map, %base, [%c32, %c1], [%n, %m], [%stride], [%c1, %c1] {elem_type = 7 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f32>, i32, i32, i32, i32, i64, i32, i32) -> ()
    // CHECK: fence.proxy.tensormap::generic.acquire.gpu [%{{.*}}], 128;
    ttng.tensormap_fenceproxy_acquire %map : !tt.ptr<i8>
    %d = ttng.reinterpret_tensor_descriptor %map : !tt.ptr<i8> to !tt.tensordesc<tensor<1x64xf32, #shared>>
    // CHECK: fence.proxy.async.global
    ttng.fence_async_global
    %tile = ttg.local_alloc : () -> !ttg.memdesc<8x64xf32, #shared, #smem, mutable>
    %bar = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.init_barrier %bar, 1 : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    ttng.barrier_expect %bar, 2048, %true : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    // Four rows for each of two warps, in two boxes of 32 columns.
    // CHECK-COUNT-2: cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [%{{.*}}], [%{{.*}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}], [%{{.*}}];
    ttng.async_tma_gather %d[%rows, %y] %tile, %bar, %true : !tt.tensordesc<tensor<1x64xf32, #shared>>, tensor<8xi32, #rows>, i32, !ttg.memdesc<1xi64, #bars, #smem, mutable>, !ttg.memdesc<8x64xf32, #shared, #smem, mutable>, i1
    // CHECK: try_wait
    ttng.wait_barrier %bar, %zero : !ttg.memdesc<1xi64, #bars, #smem, mutable>
    // CHECK-COUNT-2: cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group
    // CHECK: cp.async.bulk.commit_group
    ttng.async_tma_scatter %d[%rows, %y] %tile : !tt.tensordesc<tensor<1x64xf32, #shared>>, tensor<8xi32, #rows>, i32, !ttg.memdesc<8x64xf32, #shared, #smem, mutable>
    // CHECK: cp.async.bulk.wait_group 0;
    ttng.async_tma_store_wait {pendings = 0 : i32, written}
    tt.return
  }
}
