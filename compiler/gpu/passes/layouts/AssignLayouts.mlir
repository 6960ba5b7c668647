// RUN: triton-opt %s --split-input-file --gpu-set-target=num-warps=4 --gpu-assign-layouts --cse | FileCheck %s

// Sixteen bytes a thread, and one layout for all: nothing is converted.
// CHECK: #[[B:.*]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: @vector_add
// CHECK-NOT: convert_layout
// CHECK: tt.load {{.*}} : tensor<1024x!tt.ptr<f32>, #[[B]]>
// CHECK: tt.load {{.*}} : tensor<1024x!tt.ptr<f32>, #[[B]]>
// CHECK: arith.addf {{.*}} : tensor<1024xf32, #[[B]]>
// CHECK: tt.store {{.*}} : tensor<1024x!tt.ptr<f32>, #[[B]]>
tt.func public @vector_add(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %c1024 = arith.constant 1024 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c1024 : i32
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %s = tt.splat %start : i32 -> tensor<1024xi32>
  %offsets = arith.addi %s, %range : tensor<1024xi32>
  %bound = tt.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %offsets, %bound : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %offsets : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %a = tt.load %xp, %mask : tensor<1024x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %offsets : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %b = tt.load %yp, %mask : tensor<1024x!tt.ptr<f32>>
  %c = arith.addf %a, %b : tensor<1024xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %op = tt.addptr %os, %offsets : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %op, %c, %mask : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// -----

// A mask that may change at any element: no vectors, so neighbouring threads take neighbouring elements.
// CHECK: #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: @any_bound
tt.func public @any_bound(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %bound = tt.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %range, %bound : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %a = tt.load %xp, %mask : tensor<1024x!tt.ptr<f32>>
  tt.store %xp, %a, %mask : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// -----

// Few elements: every thread has some before any has many.
// CHECK: #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: @all_threads_work
tt.func public @all_threads_work(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %a = tt.load %xp : tensor<256x!tt.ptr<f32>>
  %b = arith.addf %a, %a : tensor<256xf32>
  tt.store %xp, %b : tensor<256x!tt.ptr<f32>>
  tt.return
}

// -----

// A tile with fewer elements than threads is held several times.
// CHECK: #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: @copies
// CHECK: tt.load {{.*}} : tensor<16x!tt.ptr<f32>, #
tt.func public @copies(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %a = tt.load %xp : tensor<16x!tt.ptr<f32>>
  tt.store %xp, %a : tensor<16x!tt.ptr<f32>>
  tt.return
}

// -----

// Half of the elements' width to one side: each takes the vectors that serve both best.
// CHECK: #[[B:.*]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: @mixed_widths
// CHECK-NOT: convert_layout
// CHECK: tt.load {{.*}} : tensor<1024x!tt.ptr<f16>, #[[B]]>
// CHECK: tt.store {{.*}} : tensor<1024x!tt.ptr<f32>, #[[B]]>
tt.func public @mixed_widths(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %xp = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %a = tt.load %xp : tensor<1024x!tt.ptr<f16>>
  %b = arith.extf %a : tensor<1024xf16> to tensor<1024xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %yp, %b : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// -----

// The sum over rows of a tile: the tile stays where it was loaded, the sums are stored from its slice. A warp takes 128 bytes of four rows, not
// 512 of one: three steps between lanes instead of five.
// CHECK: #[[B:.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-LABEL: @row_sums
// CHECK-NOT: convert_layout
// CHECK: tt.load {{.*}} : tensor<64x256x!tt.ptr<f32>, #[[B]]>
// CHECK: "tt.reduce"
// CHECK: (tensor<64x256xf32, #[[B]]>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #[[B]]}>>
// CHECK: tt.store {{.*}} : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #[[B]]}>>
tt.func public @row_sums(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}) {
  %rows = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %columns = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %r = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %s = tt.splat %stride : i32 -> tensor<64x1xi32>
  %rs = arith.muli %r, %s : tensor<64x1xi32>
  %rb = tt.broadcast %rs : tensor<64x1xi32> -> tensor<64x256xi32>
  %c = tt.expand_dims %columns {axis = 0 : i32} : tensor<256xi32> -> tensor<1x256xi32>
  %cb = tt.broadcast %c : tensor<1x256xi32> -> tensor<64x256xi32>
  %o = arith.addi %rb, %cb : tensor<64x256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x256x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %o : tensor<64x256x!tt.ptr<f32>>, tensor<64x256xi32>
  %t = tt.load %xp : tensor<64x256x!tt.ptr<f32>>
  %sum = "tt.reduce"(%t) <{axis = 1 : i32}> ({
  ^bb0(%lhs: f32, %rhs: f32):
    %z = arith.addf %lhs, %rhs : f32
    tt.reduce.return %z : f32
  }) : (tensor<64x256xf32>) -> tensor<64xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %rows : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %yp, %sum : tensor<64x!tt.ptr<f32>>
  tt.return
}

// -----

// Read along rows, written along columns: both in full lines, and one exchange between them.
// CHECK-DAG: #[[R:.*]] = #ttg.blocked<{sizePerThread = [1, 8], {{.*}}order = [1, 0]}>
// CHECK-DAG: #[[C:.*]] = #ttg.blocked<{sizePerThread = [8, 1], {{.*}}order = [0, 1]}>
// CHECK-LABEL: @transpose
// CHECK: %[[T:.*]] = tt.load {{.*}} : tensor<64x64x!tt.ptr<f16>, #[[R]]>
// CHECK: %[[U:.*]] = ttg.convert_layout %[[T]] : tensor<64x64xf16, #[[R]]> -> tensor<64x64xf16, #[[C]]>
// CHECK: tt.store %{{.*}}, %[[U]] : tensor<64x64x!tt.ptr<f16>, #[[C]]>
tt.func public @transpose(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %rb = tt.broadcast %r : tensor<64x1xi32> -> tensor<64x64xi32>
  %c = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cb = tt.broadcast %c : tensor<1x64xi32> -> tensor<64x64xi32>
  %s = tt.splat %stride : i32 -> tensor<64x64xi32>
  %rs = arith.muli %rb, %s : tensor<64x64xi32>
  %cs = arith.muli %cb, %s : tensor<64x64xi32>
  %from = arith.addi %rs, %cb : tensor<64x64xi32>
  %to = arith.addi %rb, %cs : tensor<64x64xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %xp = tt.addptr %xs, %from : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %ys = tt.splat %y : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %yp = tt.addptr %ys, %to : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %t = tt.load %xp : tensor<64x64x!tt.ptr<f16>>
  tt.store %yp, %t : tensor<64x64x!tt.ptr<f16>>
  tt.return
}

// -----

// Numbers have no layout.
// CHECK-LABEL: @scalars
// CHECK-NEXT: %[[X:.*]] = tt.load %{{.*}} : !tt.ptr<f32>
// CHECK-NEXT: %[[Y:.*]] = arith.addf %[[X]], %[[X]] : f32
// CHECK-NEXT: tt.store %{{.*}}, %[[Y]] : !tt.ptr<f32>
// CHECK-NEXT: tt.return
tt.func public @scalars(%p: !tt.ptr<f32>) {
  %x = tt.load %p : !tt.ptr<f32>
  %y = arith.addf %x, %x : f32
  tt.store %p, %y : !tt.ptr<f32>
  tt.return
}
