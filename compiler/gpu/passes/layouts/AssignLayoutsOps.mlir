// RUN: triton-opt %s --split-input-file --gpu-set-target=num-warps=4 --gpu-assign-layouts --cse | FileCheck %s
// One case per kind of op whose layouts hang together in a way of their own.

// Callers and callees agree on the default layout.
// CHECK: #[[B:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK: tt.func private @callee(%{{.*}}: tensor<512xf32, #[[B]]>) -> tensor<512xf32, #[[B]]>
tt.func private @callee(%x: tensor<512xf32>) -> tensor<512xf32> attributes {noinline = true} {
  %y = arith.addf %x, %x : tensor<512xf32>
  // CHECK: tt.return %{{.*}} : tensor<512xf32, #[[B]]>
  tt.return %y : tensor<512xf32>
}
// CHECK-LABEL: @caller
tt.func public @caller(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %a = tt.load %xp : tensor<512x!tt.ptr<f32>>
  // CHECK: tt.call @callee(%{{.*}}) : (tensor<512xf32, #[[B]]>) -> tensor<512xf32, #[[B]]>
  %b = tt.call @callee(%a) : (tensor<512xf32>) -> tensor<512xf32>
  tt.store %xp, %b : tensor<512x!tt.ptr<f32>>
  tt.return
}

// -----

// What a loop carries has one layout at its entrance, inside, and at its exit.
// CHECK-LABEL: @loops
// CHECK: scf.for {{.*}} -> (tensor<512x!tt.ptr<f32>, #[[B:.*]]>, tensor<512xf32, #[[B]]>)
// CHECK-NOT: convert_layout
// CHECK: scf.while {{.*}} : (tensor<512xf32, #[[B]]>) -> tensor<512xf32, #[[B]]>
// CHECK: scf.if {{.*}} -> (tensor<512xf32, #[[B]]>)
tt.func public @loops(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %flag: i1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %start = arith.constant dense<0.0> : tensor<512xf32>
  %step = arith.constant dense<512> : tensor<512xi32>
  %p, %sum = scf.for %i = %zero to %n step %one iter_args(%q = %xp, %s = %start) -> (tensor<512x!tt.ptr<f32>>, tensor<512xf32>) : i32 {
    %a = tt.load %q : tensor<512x!tt.ptr<f32>>
    %t = arith.addf %s, %a : tensor<512xf32>
    %r = tt.addptr %q, %step : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
    scf.yield %r, %t : tensor<512x!tt.ptr<f32>>, tensor<512xf32>
  }
  %w = scf.while (%v = %sum) : (tensor<512xf32>) -> tensor<512xf32> {
    scf.condition(%flag) %v : tensor<512xf32>
  } do {
  ^bb0(%v: tensor<512xf32>):
    %d = arith.addf %v, %v : tensor<512xf32>
    scf.yield %d : tensor<512xf32>
  }
  %f = scf.if %flag -> (tensor<512xf32>) {
    scf.yield %w : tensor<512xf32>
  } else {
    scf.yield %start : tensor<512xf32>
  }
  tt.store %xp, %f : tensor<512x!tt.ptr<f32>>
  tt.return
}

// -----

// Pairs lie in the registers of one thread; a concatenation adds registers.
// CHECK-LABEL: @pairs
tt.func public @pairs(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %a = tt.load %xp : tensor<512x!tt.ptr<f32>>
  // CHECK: tt.join {{.*}} : tensor<512xf32, #[[B:.*]]> -> tensor<512x2xf32, #[[J:.*]]>
  %j = tt.join %a, %a : tensor<512xf32> -> tensor<512x2xf32>
  %k = arith.addf %j, %j : tensor<512x2xf32>
  // CHECK: tt.split {{.*}} : tensor<512x2xf32, #[[J]]> -> tensor<512xf32, #[[B]]>
  %l, %r = tt.split %k : tensor<512x2xf32> -> tensor<512xf32>
  %s = arith.addf %l, %r : tensor<512xf32>
  tt.store %xp, %s : tensor<512x!tt.ptr<f32>>
  // CHECK: tt.cat {{.*}} -> tensor<1024xf32, #
  %c = tt.cat %a, %s : tensor<512xf32> -> tensor<1024xf32>
  %range2 = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs2 = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp2 = tt.addptr %xs2, %range2 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %xp2, %c : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// -----

// Scalars are joined in every thread.
// CHECK: #[[P:.*]] = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: @scalar_pairs
tt.func public @scalar_pairs(%x: f32, %p: !tt.ptr<f32>) {
  // CHECK: tt.join {{.*}} : f32 -> tensor<2xf32, #[[P]]>
  %j = tt.join %x, %x : f32 -> tensor<2xf32>
  %k = arith.addf %j, %j : tensor<2xf32>
  // CHECK: tt.split {{.*}} : tensor<2xf32, #[[P]]> -> f32
  %l, %r = tt.split %k : tensor<2xf32> -> f32
  %s = arith.addf %l, %r : f32
  tt.store %p, %s : !tt.ptr<f32>
  tt.return
}

// -----

// Neighbours that are mapped together stand in registers of one thread, whatever memory would like.
// CHECK: #[[N:.*]] = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: @packed
tt.func public @packed(%x: !tt.ptr<i8>) {
  %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<i8> -> tensor<512x!tt.ptr<i8>>
  %xp = tt.addptr %xs, %range : tensor<512x!tt.ptr<i8>>, tensor<512xi32>
  %a = tt.load %xp : tensor<512x!tt.ptr<i8>>
  // CHECK: tt.elementwise_inline_asm {{.*}} : tensor<512xi8, #[[N]]> -> tensor<512xi8, #[[N]]>
  %b = tt.elementwise_inline_asm "not.b32 $0, $1;" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %a : tensor<512xi8> -> tensor<512xi8>
  // CHECK: "tt.map_elementwise"
  %c = "tt.map_elementwise"(%b) <{pack = 2 : i32}> ({
  ^bb0(%e: i8, %f: i8):
    tt.map_elementwise.return %f, %e : i8, i8
  }) : (tensor<512xi8>) -> tensor<512xi8>
  // CHECK: (tensor<512xi8, #[[N]]>) -> tensor<512xi8, #[[N]]>
  tt.store %xp, %c : tensor<512x!tt.ptr<i8>>
  tt.return
}

// -----

// Also where neighbours are in different rows.
// CHECK: #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-LABEL: @packed_column
tt.func public @packed_column(%x: !tt.ptr<i32>) {
  %s = tt.splat %x : !tt.ptr<i32> -> tensor<64x1x!tt.ptr<i32>>
  %a = tt.load %s : tensor<64x1x!tt.ptr<i32>>
  %c = "tt.map_elementwise"(%a) <{pack = 4 : i32}> ({
  ^bb0(%e: i32, %f: i32, %g: i32, %h: i32):
    tt.map_elementwise.return %h, %g, %f, %e : i32, i32, i32, i32
  }) : (tensor<64x1xi32>) -> tensor<64x1xi32>
  tt.store %s, %c : tensor<64x1x!tt.ptr<i32>>
  tt.return
}

// -----

// Ops that go through shared memory anyhow take what they get.
// CHECK-LABEL: @exchanges
// CHECK-NOT: convert_layout
tt.func public @exchanges(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %range : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  %a = tt.load %xp : tensor<512x!tt.ptr<i32>>
  // CHECK: tt.gather
  %g = tt.gather %a[%range] {axis = 0 : i32} : (tensor<512xi32>, tensor<512xi32>) -> tensor<512xi32>
  %s = "tt.scan"(%g) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%lhs: i32, %rhs: i32):
    %z = arith.addi %lhs, %rhs : i32
    tt.scan.return %z : i32
  }) : (tensor<512xi32>) -> tensor<512xi32>
  tt.print " s: " {hex = false, isSigned = array<i32: 1>} : %s : tensor<512xi32>
  %h = tt.histogram %s : tensor<512xi32> -> tensor<32xi32>
  %range32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %hs = tt.splat %x : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %hp = tt.addptr %hs, %range32 : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %old = tt.atomic_rmw add, acq_rel, gpu, %hp, %h : (tensor<32x!tt.ptr<i32>>, tensor<32xi32>) -> tensor<32xi32>
  tt.return
}

// -----

// Two operands and two results of a reduction share one layout.
// CHECK-LABEL: @argmax
tt.func public @argmax(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i32>) {
  %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %a = tt.load %xp : tensor<512x!tt.ptr<f32>>
  // CHECK-NOT: convert_layout
  // CHECK: (tensor<512xf32, #[[B:.*]]>, tensor<512xi32, #[[B]]>) -> (f32, i32)
  %m:2 = "tt.reduce"(%a, %range) <{axis = 0 : i32}> ({
  ^bb0(%lv: f32, %li: i32, %rv: f32, %ri: i32):
    %c = arith.cmpf ogt, %lv, %rv : f32
    %v = arith.select %c, %lv, %rv : f32
    %i = arith.select %c, %li, %ri : i32
    tt.reduce.return %v, %i : f32, i32
  }) : (tensor<512xf32>, tensor<512xi32>) -> (f32, i32)
  tt.store %y, %m#1 : !tt.ptr<i32>
  tt.return
}

// -----

// A transpose, or another shape, of what was loaded is a new name for the same registers.
// CHECK-LABEL: @shapes
tt.func public @shapes(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %a = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  // CHECK: tt.load
  // CHECK-NEXT: tt.reshape
  %b = tt.reshape %a : tensor<1024xf32> -> tensor<32x32xf32>
  // CHECK-NEXT: tt.trans
  %t = tt.trans %b {order = array<i32: 1, 0>} : tensor<32x32xf32> -> tensor<32x32xf32>
  // CHECK-NEXT: "tt.reduce"
  %m = "tt.reduce"(%t) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %z = arith.addf %l, %r : f32
    tt.reduce.return %z : f32
  }) : (tensor<32x32xf32>) -> tensor<32xf32>
  %range32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ys = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %range32 : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %yp, %m : tensor<32x!tt.ptr<f32>>
  tt.return
}

// -----

// Two steps of a sorting network, at distances 64 and 32: both bits are in registers, nothing moves between the steps.
// CHECK-LABEL: @exchange_steps
// CHECK: tt.split
// CHECK-NOT: convert_layout
// CHECK: tt.split
tt.func public @exchange_steps(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %s, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %a = tt.load %p : tensor<1024x!tt.ptr<f32>>
  %b = tt.reshape %a : tensor<1024xf32> -> tensor<8x2x64xf32>
  %c = tt.trans %b {order = array<i32: 0, 2, 1>} : tensor<8x2x64xf32> -> tensor<8x64x2xf32>
  %l, %r = tt.split %c : tensor<8x64x2xf32> -> tensor<8x64xf32>
  %min = arith.minnumf %l, %r : tensor<8x64xf32>
  %max = arith.maxnumf %l, %r : tensor<8x64xf32>
  %d = tt.join %min, %max : tensor<8x64xf32> -> tensor<8x64x2xf32>
  %e = tt.trans %d {order = array<i32: 0, 2, 1>} : tensor<8x64x2xf32> -> tensor<8x2x64xf32>
  %f = tt.reshape %e : tensor<8x2x64xf32> -> tensor<16x2x32xf32>
  %g = tt.trans %f {order = array<i32: 0, 2, 1>} : tensor<16x2x32xf32> -> tensor<16x32x2xf32>
  %l2, %r2 = tt.split %g : tensor<16x32x2xf32> -> tensor<16x32xf32>
  %min2 = arith.minnumf %l2, %r2 : tensor<16x32xf32>
  %max2 = arith.maxnumf %l2, %r2 : tensor<16x32xf32>
  %h = tt.join %min2, %max2 : tensor<16x32xf32> -> tensor<16x32x2xf32>
  %i = tt.trans %h {order = array<i32: 0, 2, 1>} : tensor<16x32x2xf32> -> tensor<16x2x32xf32>
  %j = tt.reshape %i : tensor<16x2x32xf32> -> tensor<1024xf32>
  tt.store %p, %j : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// -----

// Blocks that come through shared memory are read in vectors, too.
// CHECK: #[[B:.*]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-LABEL: @descriptors
// CHECK: tt.descriptor_load {{.*}} -> tensor<64x64xf16, #[[B]]>
// CHECK-NOT: convert_layout
// CHECK: tt.descriptor_store {{.*}} tensor<64x64xf16, #[[B]]>
tt.func public @descriptors(%from: !tt.tensordesc<tensor<64x64xf16>>, %to: !tt.tensordesc<tensor<64x64xf16>>, %i: i32) {
  %x = tt.descriptor_load %from[%i, %i] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
  %y = arith.addf %x, %x : tensor<64x64xf16>
  tt.descriptor_store %to[%i, %i], %y : !tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16>
  tt.return
}

// -----

// Along the slow dimension each thread scans a run of its own: one total goes to other lanes and warps, not one for each row.
// CHECK: #[[RUNS:.*]] = #ttg.blocked<{sizePerThread = [128, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [0, 1]}>
// CHECK-LABEL: @scan_of_columns
// CHECK: "tt.scan"
// CHECK: }) : (tensor<1024x16xf32, #[[RUNS]]>) -> tensor<1024x16xf32, #[[RUNS]]>
tt.func public @scan_of_columns(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %rows = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %columns = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %r = tt.expand_dims %rows {axis = 1 : i32} : tensor<1024xi32> -> tensor<1024x1xi32>
  %c = tt.expand_dims %columns {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %pitch = arith.constant dense<16> : tensor<1024x1xi32>
  %first = arith.muli %r, %pitch : tensor<1024x1xi32>
  %rb = tt.broadcast %first : tensor<1024x1xi32> -> tensor<1024x16xi32>
  %cb = tt.broadcast %c : tensor<1x16xi32> -> tensor<1024x16xi32>
  %o = arith.addi %rb, %cb : tensor<1024x16xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x16x!tt.ptr<f32>>
  %p = tt.addptr %xs, %o : tensor<1024x16x!tt.ptr<f32>>, tensor<1024x16xi32>
  %a = tt.load %p : tensor<1024x16x!tt.ptr<f32>>
  %s = "tt.scan"(%a) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%lhs: f32, %rhs: f32):
    %z = arith.addf %lhs, %rhs : f32
    tt.scan.return %z : f32
  }) : (tensor<1024x16xf32>) -> tensor<1024x16xf32>
  tt.store %p, %s : tensor<1024x16x!tt.ptr<f32>>
  tt.return
}
