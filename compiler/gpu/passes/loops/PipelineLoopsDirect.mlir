// On AMD GPUs that copy 16 bytes a lane to LDS without registers, loops are pipelined by such copies, as many iterations ahead as there are stages. Pointers of a copy are in the layout by which a
// wave's lanes write side by side; of those that the loop moves, what comes from outside is converted there, once.
// RUN: triton-opt %s --tensor-scalarize-carried-pointers --gpu-pipeline="target=hip:gfx950 num-stages=3" | FileCheck %s
// RUN: triton-opt %s --tensor-scalarize-carried-pointers --gpu-pipeline="target=hip:gfx942 num-stages=3" | FileCheck %s --check-prefix=NARROW
// RUN: triton-opt %s --tensor-scalarize-carried-pointers --gpu-pipeline="target=hip:gfx950 num-stages=3" --gpu-resources | FileCheck %s --check-prefix=CODE

// A wave's lanes copy lines of 128 bytes of rows that lie 8 apart; rows that are read together are those of different instructions, between which the buffer has gaps.
// CHECK: #[[COPY:.*]] = #ttg.linear<{register = {{\[\[}}0, 1], [0, 2], [0, 4], [4, 0]], lane = {{\[\[}}0, 8], [0, 16], [0, 32], [32, 0], [16, 0], [8, 0]], warp = {{\[\[}}1, 0], [2, 0]], block = []}>
// CHECK: #[[SHARED:.*]] = #ttg.padded_shared<[512:+8] {offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [32, 0], [16, 0], [8, 0], [1, 0], [2, 0], [4, 0]], block = []}>
module {

// CHECK-LABEL: @direct
// CHECK-COUNT-2: ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16, #[[SHARED]]
// CHECK-COUNT-2: ttg.convert_layout %{{.*}} -> tensor<64x64x!tt.ptr<f16>, #[[COPY]]>
// CHECK-COUNT-2: ttg.async_copy_global_to_local {{.*}} {amdg.direct = 16 : i32}
// CHECK:         ttg.async_commit_group
// CHECK-COUNT-2: ttg.async_copy_global_to_local
// CHECK:         ttg.async_commit_group
// CHECK:         scf.for
// CHECK-NOT:     ttg.convert_layout
// CHECK:         ttg.async_wait {num = 1 : i32}
// CHECK-NEXT:    ttg.barrier {gpu.shared_only}
// CHECK-COUNT-2: ttg.async_copy_global_to_local {{.*}} mask
// CHECK:         ttg.async_commit_group
// CHECK-COUNT-2: ttg.local_load
// CHECK:         tt.dot
// CHECK:         scf.yield
// CHECK:         ttg.async_wait {num = 0 : i32}
// NARROW-LABEL: @direct
// NARROW-NOT: ttg.async_copy_global_to_local

// All copies are of an argument that buffer instructions reach everywhere, those in front of the loop too.
// CODE-LABEL: @direct
// CODE-COUNT-6: ttg.async_copy_global_to_local {{.*}}amdg.buffer{{.*}}amdg.of_argument
tt.func @direct(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %q: !tt.ptr<f16> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : tensor<64x64xi32>
  %width = arith.constant dense<64> : tensor<64x1xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %begins = arith.muli %rows, %width : tensor<64x1xi32>
  %a = tt.broadcast %begins : tensor<64x1xi32> -> tensor<64x64xi32>
  %b = tt.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %a, %b : tensor<64x64xi32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %qs = tt.splat %q : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %pa = tt.addptr %ps, %at : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %qa = tt.addptr %qs, %at : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %oa = tt.addptr %os, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %sum:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %x = %pa, %y = %qa) -> (tensor<64x64xf32>, tensor<64x64x!tt.ptr<f16>>, tensor<64x64x!tt.ptr<f16>>) : i32 {
    %u = tt.load %x : tensor<64x64x!tt.ptr<f16>>
    %v = tt.load %y : tensor<64x64x!tt.ptr<f16>>
    %d = tt.dot %u, %v, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %nx = tt.addptr %x, %step : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %ny = tt.addptr %y, %step : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %nx, %ny : tensor<64x64xf32>, tensor<64x64x!tt.ptr<f16>>, tensor<64x64x!tt.ptr<f16>>
  }
  tt.store %oa, %sum#0 : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
}
