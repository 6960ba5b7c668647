// run: passes=mem2reg,gpu-pipeline-loops{num-stages=0}

#row = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
tt.func public @blocks(%d: !tt.tensordesc<tensor<32x32xf16, #shared>>, %out: tensor<32x32x!tt.ptr<f16>, #blocked>, %n: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 32 : i32
  scf.for %i = %zero to %n step %step : i32 {
    %x = tt.descriptor_load %d[%i, %zero] : !tt.tensordesc<tensor<32x32xf16, #shared>> -> tensor<32x32xf16, #blocked>
    %y = arith.addf %x, %x : tensor<32x32xf16, #blocked>
    tt.store %out, %y : tensor<32x32x!tt.ptr<f16>, #blocked>
  } {tt.num_stages = 2 : i32}
  tt.return
}

tt.func public @stages_of_the_kernel(%d: !tt.tensordesc<tensor<32x32xf16, #shared>>, %p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: tensor<32x32x!tt.ptr<f16>, #blocked>, %rows: tensor<512x!tt.ptr<f32>, #row>, %n: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 32 : i32
  %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #row>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #row>
  %at = tt.addptr %base, %range : tensor<512x!tt.ptr<f32>, #row>, tensor<512xi32, #row>
  scf.for %i = %zero to %n step %step : i32 {
    %x = tt.descriptor_load %d[%i, %zero] : !tt.tensordesc<tensor<32x32xf16, #shared>> -> tensor<32x32xf16, #blocked>
    tt.store %out, %x : tensor<32x32x!tt.ptr<f16>, #blocked>
    %y = tt.load %at : tensor<512x!tt.ptr<f32>, #row>
    tt.store %rows, %y : tensor<512x!tt.ptr<f32>, #row>
  }
  tt.return
}

tt.func public @rows(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 512 : i32
  %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #row>
  %from = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #row>
  %to = tt.splat %out : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #row>
  scf.for %i = %zero to %n step %one : i32 {
    %start = arith.muli %i, %size : i32
    %shift = tt.splat %start : i32 -> tensor<512xi32, #row>
    %offsets = arith.addi %range, %shift : tensor<512xi32, #row>
    %a = tt.addptr %from, %offsets : tensor<512x!tt.ptr<f32>, #row>, tensor<512xi32, #row>
    %b = tt.addptr %to, %offsets : tensor<512x!tt.ptr<f32>, #row>, tensor<512xi32, #row>
    %x = tt.load %a : tensor<512x!tt.ptr<f32>, #row>
    tt.store %b, %x : tensor<512x!tt.ptr<f32>, #row>
  } {tt.num_stages = 3 : i32}
  tt.return
}

tt.func public @too_large(%d: !tt.tensordesc<tensor<256x32xf16, #shared>>, %out: tensor<256x32x!tt.ptr<f16>, #blocked>, %n: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 32 : i32
  scf.for %i = %zero to %n step %step : i32 {
    %x = tt.descriptor_load %d[%i, %zero] : !tt.tensordesc<tensor<256x32xf16, #shared>> -> tensor<256x32xf16, #blocked>
    tt.store %out, %x : tensor<256x32x!tt.ptr<f16>, #blocked>
  } {tt.num_stages = 8 : i32}
  tt.return
}

tt.func public @swapped(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #row>
  scf.for %i = %zero to %n step %one iter_args(%from = %p, %to = %q) -> (!tt.ptr<f32>, !tt.ptr<f32>) : i32 {
    %as = tt.splat %from : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #row>
    %bs = tt.splat %to : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #row>
    %a = tt.addptr %as, %range : tensor<512x!tt.ptr<f32>, #row>, tensor<512xi32, #row>
    %b = tt.addptr %bs, %range : tensor<512x!tt.ptr<f32>, #row>, tensor<512xi32, #row>
    %x = tt.load %a : tensor<512x!tt.ptr<f32>, #row>
    tt.store %b, %x : tensor<512x!tt.ptr<f32>, #row>
    %c0 = arith.constant 0 : i32
    %next = tt.addptr %to, %c0 : !tt.ptr<f32>, i32
    %other = tt.addptr %from, %c0 : !tt.ptr<f32>, i32
    scf.yield %next, %other : !tt.ptr<f32>, !tt.ptr<f32>
  } {tt.num_stages = 3 : i32}
  tt.return
}

tt.func public @waits(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %flag: !tt.ptr<i32>, %out: tensor<512x!tt.ptr<f32>, #row>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #row>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #row>
  %a = tt.addptr %base, %range : tensor<512x!tt.ptr<f32>, #row>, tensor<512xi32, #row>
  scf.for %i = %zero to %n step %one : i32 {
    scf.while : () -> () {
      %seen = tt.atomic_cas acquire, gpu, %flag, %i, %i : (!tt.ptr<i32>, i32, i32) -> i32
      %again = arith.cmpi ne, %seen, %i : i32
      scf.condition(%again)
    } do {
      scf.yield
    }
    %x = tt.load %a : tensor<512x!tt.ptr<f32>, #row>
    tt.store %out, %x : tensor<512x!tt.ptr<f32>, #row>
  } {tt.num_stages = 3 : i32}
  tt.return
}

tt.func private @called(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) attributes {noinline = true} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #row>
  %as = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #row>
  %bs = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #row>
  %a = tt.addptr %as, %range : tensor<512x!tt.ptr<f32>, #row>, tensor<512xi32, #row>
  %b = tt.addptr %bs, %range : tensor<512x!tt.ptr<f32>, #row>, tensor<512xi32, #row>
  scf.for %i = %zero to %n step %one : i32 {
    %x = tt.load %a : tensor<512x!tt.ptr<f32>, #row>
    tt.store %b, %x : tensor<512x!tt.ptr<f32>, #row>
  } {tt.num_stages = 3 : i32}
  tt.return
}
}
