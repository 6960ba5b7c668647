// RUN: triton-opt %s --gpu-lower-buffer-accesses | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: @load_and_store
  tt.func @load_and_store(%base: !tt.ptr<f32>, %offsets: tensor<64xi32, #blocked>, %mask: tensor<64xi1, #blocked>) {
    // CHECK: %[[SAME:.*]] = tt.splat %arg0
    // CHECK: %[[PLACES:.*]] = tt.addptr %[[SAME]], %arg1
    // CHECK: %[[X:.*]] = tt.load %[[PLACES]], %arg2 {amdg.buffer}
    // CHECK: tt.store %{{.*}}, %[[X]] {amdg.buffer}
    %x = amdg.buffer_load %base[%offsets], %mask : tensor<64xf32, #blocked>
    amdg.buffer_store %x, %base[%offsets] : tensor<64xf32, #blocked>
    tt.return
  }
  // CHECK-LABEL: @copy
  tt.func @copy(%pointers: tensor<64x!tt.ptr<f32>, #blocked>, %buffer: !ttg.memdesc<64xf32, #shared, #smem, mutable>) {
    // CHECK: %[[X:.*]] = tt.load %arg0
    // CHECK: ttg.local_store %[[X]], %arg1
    %t = ttg.async_copy_global_to_local %pointers, %buffer : tensor<64x!tt.ptr<f32>, #blocked> -> <64xf32, #shared, #smem, mutable>
    tt.return
  }
  // CHECK-LABEL: @small
  tt.func @small(%x: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %y: !tt.ptr<f32>, %offsets: tensor<64xi32, #blocked>) {
    // CHECK: tt.load %{{.*}} {amdg.buffer, amdg.of_argument}
    // CHECK-NOT: amdg.buffer
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #blocked>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #blocked>
    %px = tt.addptr %xs, %offsets : tensor<64x!tt.ptr<f32>, #blocked>, tensor<64xi32, #blocked>
    %py = tt.addptr %ys, %offsets : tensor<64x!tt.ptr<f32>, #blocked>, tensor<64xi32, #blocked>
    %v = tt.load %px : tensor<64x!tt.ptr<f32>, #blocked>
    tt.store %py, %v : tensor<64x!tt.ptr<f32>, #blocked>
    tt.return
  }
  // What a loop has moved its pointers by is the same for all elements, and may have 64 bits; so may a scalar that was added first.
  // CHECK-LABEL: @moved
  tt.func @moved(%x: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %distance: i64, %offsets: tensor<64xi32, #blocked>, %wide: tensor<64xi64, #blocked>) {
    // CHECK: tt.load %{{.*}} {amdg.buffer, amdg.of_argument}
    // CHECK: tt.load %{{.*}} : tensor
    // CHECK: tt.load %{{.*}} {isVolatile = true}
    // CHECK: tt.load %{{.*}} cacheModifier = cv : tensor
    %row = tt.addptr %x, %distance : !tt.ptr<f32>, i64
    %xs = tt.splat %row : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #blocked>
    %by = tt.splat %distance : i64 -> tensor<64xi64, #blocked>
    %begin = tt.addptr %xs, %offsets : tensor<64x!tt.ptr<f32>, #blocked>, tensor<64xi32, #blocked>
    %now = tt.addptr %begin, %by : tensor<64x!tt.ptr<f32>, #blocked>, tensor<64xi64, #blocked>
    %far = tt.addptr %begin, %wide : tensor<64x!tt.ptr<f32>, #blocked>, tensor<64xi64, #blocked>
    %u = tt.load %now : tensor<64x!tt.ptr<f32>, #blocked>
    %v = tt.load %far : tensor<64x!tt.ptr<f32>, #blocked>
    %w = tt.load %now {isVolatile = true} : tensor<64x!tt.ptr<f32>, #blocked>
    %z = tt.load %now cacheModifier = cv : tensor<64x!tt.ptr<f32>, #blocked>
    tt.return
  }
}
