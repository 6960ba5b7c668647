// RUN: triton-opt %s --gluon-settle | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#line = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
!operand = !ttg.memdesc<128x128xf16, #shared, #smem, mutable>
!sum = !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
!barrier = !ttg.memdesc<1xi64, #line, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @nothing_to_do
// CHECK-SAME: %[[N:.*]]: i32
tt.func @nothing_to_do(%n: i32, %bar: !barrier, %p: i1) -> i32 {
  // CHECK-NOT: arith.bitcast
  %same = arith.bitcast %n : i32 to i32
  // CHECK: ttg.barrier
  gpu.barrier
  %true = arith.constant true
  // CHECK: ttng.arrive_barrier %{{.*}}, 1 :
  ttng.arrive_barrier %bar, 1, %true : !barrier
  // CHECK: ttng.arrive_barrier %{{.*}}, 1, %{{.*}} :
  ttng.arrive_barrier %bar, 1, %p : !barrier
  // CHECK: tt.return %[[N]]
  tt.return %same : i32
}

// A bitcast between types stays.
// CHECK-LABEL: @changes
tt.func @changes(%x: f32) -> i32 {
  // CHECK: arith.bitcast %{{.*}} : f32 to i32
  %y = arith.bitcast %x : f32 to i32
  tt.return %y : i32
}

// CHECK-LABEL: @products
tt.func @products(%a: !operand, %d: !sum, %bar: !barrier) {
  %true = arith.constant true
  // CHECK: ttng.tc_gen5_mma %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ []*}}, %{{[^ ]*}}, %{{[^ ]*}} {is_async} :
  %t = ttng.tc_gen5_mma %a, %a, %d[], %true, %true : !operand, !operand, !sum
  tt.return
}

// CHECK-LABEL: @everywhere
tt.func @everywhere(%p: !tt.ptr<i32>) {
  %true = arith.constant true
  %one = arith.constant 1 : i32
  // CHECK: tt.atomic_rmw add, relaxed, gpu, %{{[^ ,]*}}, %{{[^ ,]*}} : (!tt.ptr<i32>, i32)
  %old = tt.atomic_rmw add, relaxed, gpu, %p, %one, %true : (!tt.ptr<i32>, i32, i1) -> i32
  tt.return
}

// CHECK-LABEL: @numbers
tt.func @numbers(%x: tensor<64x32xi8, #blocked>) -> tensor<64x64xbf16, #wide> {
  // CHECK: arith.extui
  // CHECK: tt.join
  // CHECK: tt.reshape
  // CHECK: arith.truncf {{.*}} to tensor<64x64xbf16
  // CHECK-NOT: ttg.fp4_to_fp
  %y = ttg.fp4_to_fp %x {axis = 1 : i32} : tensor<64x32xi8, #blocked> -> tensor<64x64xbf16, #wide>
  tt.return %y : tensor<64x64xbf16, #wide>
}

}
