// RUN: triton-opt %s --cpu-check-accesses | FileCheck %s

// CHECK-LABEL: @masked_load
tt.func @masked_load(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>) -> tensor<8xf32> {
  // CHECK: tt.print "" {cpu.access = 4 : i32, cpu.site = "{{.*}}CheckAccesses.mlir:{{.*}}\0A\0A\0A8"{{.*}}} : %arg0, %arg1
  // CHECK-NEXT: tt.load
  %x = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  tt.return %x : tensor<8xf32>
}

// CHECK-LABEL: @half_store
tt.func @half_store(%p: !tt.ptr<f16>, %x: f16) {
  // 2 bytes, a write
  // CHECK: tt.print "" {cpu.access = 258 : i32
  // CHECK-NEXT: tt.store
  tt.store %p, %x : !tt.ptr<f16>
  tt.return
}

// CHECK-LABEL: @lock
tt.func @lock(%p: !tt.ptr<i32>, %x: i32) -> i32 {
  // 4 bytes, an atomic that acquires and releases
  // CHECK: tt.print "" {cpu.access = 3588 : i32
  // CHECK-NEXT: tt.atomic_cas
  %old = tt.atomic_cas acq_rel, gpu, %p, %x, %x : (!tt.ptr<i32>, i32, i32) -> i32
  tt.return %old : i32
}

// Where the pointer comes from is not known.
// CHECK-LABEL: @from_memory
tt.func @from_memory(%address: i64) -> f32 {
  %p = tt.int_to_ptr %address : i64 -> !tt.ptr<f32>
  // CHECK: tt.print "" {cpu.access = 4 : i32, cpu.site = "{{.*}}\0A\0A*\0A"
  %x = tt.load %p : !tt.ptr<f32>
  tt.return %x : f32
}

// CHECK-LABEL: @no_access
tt.func @no_access(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NOT: tt.print
  %y = arith.addf %x, %x : tensor<8xf32>
  tt.return %y : tensor<8xf32>
}
