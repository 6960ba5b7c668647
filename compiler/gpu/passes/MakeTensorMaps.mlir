// RUN: triton-opt %s --gpu-make-tensor-maps | FileCheck %s
// RUN: triton-opt %s --gpu-make-tensor-maps --gpu-allocate-global-scratch | FileCheck %s --check-prefix=PLACED

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// PLACED: ttg.global_scratch_memory_alignment = 128 : i32, ttg.global_scratch_memory_size = 256 : i32
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
}
