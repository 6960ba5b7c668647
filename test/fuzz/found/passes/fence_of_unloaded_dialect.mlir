// run: passes=gpu-insert-barriers
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @partitions(%x: tensor<32x32xf32, #blocked>) {
    %outer = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
    ttg.warp_specialize(%outer)
    default {
      %a = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #shared, #smem>
      ttg.warp_yield
    }
    partition0(%to: !ttg.memdesc<32x32xf32, #shared, #smem, mutable>) num_warps(4) {
      %zero = ttg.local_load %to : !ttg.memdesc<32x32xf32, #shared, #smem, mutable> -> tensor<32x32xf32, #blocked>
      ttg.warp_return
    } : (!ttg.memdesc<32x32xf32, #shared, #smem, mutable>) -> ()
    tt.return
  }
}
