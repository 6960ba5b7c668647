// On AMD GPUs loads run an iteration ahead into registers, and are stored to shared memory where the iteration ends. The last one follows the loop.
// RUN: triton-opt %s --gpu-pipeline="target=hip:gfx942 num-stages=2" | FileCheck %s
// RUN: triton-opt %s --gpu-pipeline="target=hip:gfx1100 num-stages=3" | FileCheck %s
// RUN: triton-opt %s --gpu-pipeline="target=hip:gfx942 num-stages=1" | FileCheck %s --check-prefix=NONE
// RUN: triton-opt %s --gpu-pipeline="target=hip:gfx942 num-stages=2" --gpu-resources | FileCheck %s --check-prefix=CODE
module {

// CHECK-LABEL: @product
// CHECK-COUNT-2: ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, {{.*}}mutable>
// CHECK-COUNT-2: ttg.local_store
// CHECK:         scf.for
// CHECK-COUNT-2: tt.load %{{[^,]*}} : tensor<
// CHECK-COUNT-2: ttg.local_load
// CHECK:         tt.dot
// CHECK-COUNT-2: ttg.local_store
// CHECK:         scf.yield
// CHECK:         scf.if
// CHECK-NOT:     tt.load
// CHECK-COUNT-2: ttg.local_load
// CHECK:         tt.dot
// CHECK-NOT:     ttg.local_store
// CHECK-COUNT-2: ttg.local_dealloc
// NONE-LABEL: @product
// NONE-NOT: ttg.local_alloc
// NONE:     scf.for
// NONE:     tt.load
// NONE-NOT: scf.if

// All threads meet twice: before they read, and before they write.
// CODE-LABEL: @product
// CODE:       scf.for
// CODE-COUNT-2: tt.load
// CODE:       ttg.barrier {gpu.shared_only}
// CODE-NEXT:  ttg.local_load
// CODE-NOT:   ttg.barrier
// CODE:       tt.dot
// CODE:       ttg.barrier {gpu.shared_only}
// CODE-NEXT:  ttg.local_store
// CODE-NOT:   ttg.barrier
// CODE:       scf.yield
tt.func @product(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
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
