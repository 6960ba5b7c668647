// RUN: triton-opt %s --gpu-make-tensor-maps | FileCheck %s
// RUN: triton-opt %s --gpu-make-tensor-maps --gpu-allocate-global-scratch | FileCheck %s --check-prefix=PLACED

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#one_warp = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
// PLACED: ttg.global_scratch_memory_alignment = 128 : i32, ttg.global_scratch_memory_size = 384 : i32
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @make
tt.func public @make(%base: !tt.ptr<f16>, %m: i32, %n: i32, %stride: i64) -> (!tt.tensordesc<tensor<64x128xf16, #shared>>, !tt.tensordesc<tensor<256xui8, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 8, rank = 1}>>>) {
  %one = arith.constant 1 : i64
  // CHECK: %[[MAP:.*]] = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
  // CHECK: %[[BYTES:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
  // A box is as wide as the swizzle.
  // CHECK: ttng.tensormap_create %[[MAP]], %{{.*}}, [%c64_i32{{.*}}, %c64_i32{{.*}}], [%{{.*}}, %{{.*}}], [%[[BYTES]]], [%c1_i32, %c1_i32] {elem_type = 6 : i32, fill_mode = 1 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32}
  // CHECK: ttng.tensormap_fenceproxy_acquire %[[MAP]]
  // CHECK: ttng.reinterpret_tensor_descriptor %[[MAP]]
  // PLACED: ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32, ttg.global_scratch_memory_offset = 0 : i32}
  %d = tt.make_tensor_descriptor %base, [%m, %n], [%stride, %one] {padding = 2 : i32} : <f16>, <tensor<64x128xf16, #shared>>
  %bytes = tt.bitcast %base : !tt.ptr<f16> -> !tt.ptr<i8>
  // CHECK: ttng.tensormap_create %{{.*}}, %{{.*}}, [%c256_i32], [%{{.*}}], [], [%{{.*}}] {elem_type = 0 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 0 : i32}
  // PLACED: ttg.global_scratch_memory_offset = 128 : i32
  %line = tt.make_tensor_descriptor %bytes, [%n], [%one] : <i8>, <tensor<256xui8, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 8, rank = 1}>>>
  tt.return %d, %line : !tt.tensordesc<tensor<64x128xf16, #shared>>, !tt.tensordesc<tensor<256xui8, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 8, rank = 1}>>>
}

// Other warps acquire the map themselves.
// CHECK-LABEL: @partitions
tt.func public @partitions(%base: !tt.ptr<f16>, %n: i32, %stride: i64) {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %base, [%n, %n], [%stride, %one] : <f16>, <tensor<64x128xf16, #shared>>
  // CHECK: %[[MAP:.*]] = ttg.global_scratch_alloc
  // CHECK: ttg.warp_specialize(%[[MAP]])
  ttg.warp_specialize(%d)
  default {
    ttg.warp_yield
  }
  // CHECK: partition0(%[[OWN:.*]]: !tt.ptr<i8>) num_warps(1) {
  // CHECK-NEXT: ttng.tensormap_fenceproxy_acquire %[[OWN]]
  // CHECK-NEXT: %[[DESCRIPTOR:.*]] = ttng.reinterpret_tensor_descriptor %[[OWN]]
  // CHECK: tt.descriptor_load %[[DESCRIPTOR]]
  partition0(%e: !tt.tensordesc<tensor<64x128xf16, #shared>>) num_warps(1) {
    %zero = arith.constant 0 : i32
    %x = tt.descriptor_load %e[%zero, %zero] : !tt.tensordesc<tensor<64x128xf16, #shared>> -> tensor<64x128xf16, #one_warp>
    ttg.warp_return
  } : (!tt.tensordesc<tensor<64x128xf16, #shared>>) -> ()
  tt.return
}
}
