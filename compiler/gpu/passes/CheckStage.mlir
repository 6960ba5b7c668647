// What a stage promises to the next one, and what is said where a promise is broken.
// RUN: triton-opt %s --split-input-file --verify-diagnostics --gpu-check-stage=stage=code

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, ttg.shared = 512 : i32} {
  tt.func public @all_is_well(%x: tensor<128xf32, #blocked>) {
    %a = ttg.local_alloc %x {allocation.offset = 0 : i32} : (tensor<128xf32, #blocked>) -> !ttg.memdesc<128xf32, #shared, #smem>
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @no_layout() {
    // expected-error @+1 {{has a result without a layout}}
    %x = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, ttg.shared = 512 : i32} {
  tt.func public @no_offset(%x: tensor<128xf32, #blocked>) {
    // expected-error @+1 {{has no offset: allocation.offset}}
    %a = ttg.local_alloc %x : (tensor<128xf32, #blocked>) -> !ttg.memdesc<128xf32, #shared, #smem>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, ttg.shared = 512 : i32} {
  tt.func public @behind_the_end(%x: tensor<128xf32, #blocked>) {
    // expected-error @+1 {{has 512 units at 128, outside of ttg.shared}}
    %a = ttg.local_alloc %x {allocation.offset = 128 : i32} : (tensor<128xf32, #blocked>) -> !ttg.memdesc<128xf32, #shared, #smem>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @no_scratch(%x: tensor<128xf32, #blocked>) -> f32 {
    // expected-error @+1 {{has no offset: allocation.offset}}
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<128xf32, #blocked>) -> f32
    tt.return %s : f32
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @descriptor_left(%d: !tt.tensordesc<tensor<64x64xf16>>, %i: i32) {
    // expected-error @+1 {{is left behind the lowering of descriptors}}
    %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16, #blocked>
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @attribute_left(%x: i32) {
    // expected-error @+1 {{has a private attribute at a stage where it is not read: gpu.left_in_registers}}
    %y = arith.addi %x, %x {gpu.left_in_registers} : i32
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @attribute_unknown(%x: i32) {
    // expected-error @+1 {{has a private attribute that PrivateAttributes.h does not declare: gpu.whim}}
    %y = arith.addi %x, %x {gpu.whim} : i32
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @partitions_without_warps(%n: i32) {
    // expected-error @+1 {{has partitions without warps}}
    ttg.warp_specialize(%n)
    default {
      ttg.warp_yield
    }
    partition0(%m: i32) num_warps(1) {
      ttg.warp_return
    } : (i32) -> ()
    tt.return
  }
}
