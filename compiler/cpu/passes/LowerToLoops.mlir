// RUN: triton-opt %s --cpu-lower-to-loops=cpu=x86-64-v4 | FileCheck %s

// CHECK-NOT: waits
// CHECK-LABEL: func.func @copy
// CHECK-SAME: (%[[ARGS:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64, %{{.*}}: !llvm.ptr)
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK: scf.for
// CHECK: %[[X:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<64xf32>
// CHECK: llvm.store %[[X]], %{{.*}} : vector<64xf32>
tt.func public @copy(%from: !tt.ptr<f32>, %to: !tt.ptr<f32>) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %from_all = tt.splat %from : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %source = tt.addptr %from_all, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %to_all = tt.splat %to : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %target = tt.addptr %to_all, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %x = tt.load %source : tensor<1024x!tt.ptr<f32>>
  tt.store %target, %x : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// Without tensors nothing becomes a loop but the programs.
// CHECK-LABEL: func.func @scalars
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK-NOT: vector
// CHECK: return
tt.func public @scalars(%p: !tt.ptr<i32>) {
  %x = tt.load %p : !tt.ptr<i32>
  %y = arith.addi %x, %x : i32
  tt.store %p, %y : !tt.ptr<i32>
  tt.return
}

// A prefix mask splits the run: whole vectors without masks, then the rest.
// CHECK-LABEL: func.func @prefix
// CHECK: %[[FULL:.*]] = arith.andi %{{.*}}, %{{.*}} : i64
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[FULL]]
// CHECK: llvm.store %{{.*}} : vector<64xf32>
// CHECK: scf.for
// CHECK: llvm.intr.masked.store
tt.func public @prefix(%to: !tt.ptr<f32>, %n: i32, %value: f32) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %bound = tt.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %range, %bound : tensor<1024xi32>
  %to_all = tt.splat %to : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %target = tt.addptr %to_all, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %values = tt.splat %value : f32 -> tensor<1024xf32>
  tt.store %target, %values, %mask : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// The runtime is told that programs wait for each other, and is asked, on each way round, whether to stop.
// CHECK-LABEL: func.func @lock
// CHECK-SAME: cpu.polls
// CHECK-SAME: cpu.waits_for_programs
// CHECK: scf.while
// CHECK: } do {
// CHECK: llvm.call @triton_poll() : () -> ()
tt.func public @lock(%lock: !tt.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.while : () -> () {
    %old = tt.atomic_cas acq_rel, gpu, %lock, %zero, %one : (!tt.ptr<i32>, i32, i32) -> i32
    %taken = arith.cmpi eq, %old, %one : i32
    scf.condition(%taken)
  } do {
    scf.yield
  }
  tt.return
}

// A step of more than one may lead beyond the largest number: such loops count in 64 bits, and those of 64 bits their iterations.
// CHECK-LABEL: func.func @to_the_end
// CHECK: %[[UPPER:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[UPPER]] step %{{.*}} : i64
// CHECK: arith.trunci %[[I]] : i64 to i32
// CHECK: arith.divui %{{.*}} : i64
// CHECK: scf.for %[[N:.*]] = %{{.*}} to %{{.*}} step %{{.*}} : i64
// CHECK: arith.muli %[[N]], %{{.*}} : i64
tt.func public @to_the_end(%to: !tt.ptr<i32>, %long: !tt.ptr<i64>, %n: i32, %m: i64) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  scf.for %i = %c0 to %n step %c8 : i32 {
    tt.store %to, %i : !tt.ptr<i32>
  }
  %l0 = arith.constant 0 : i64
  %l8 = arith.constant 8 : i64
  scf.for %i = %l0 to %m step %l8 : i64 {
    tt.store %long, %i : !tt.ptr<i64>
  }
  tt.return
}

// Rows and columns of a flat index: neighbours lie together in every vector but those where a row ends.
// CHECK-LABEL: func.func @rows
// CHECK: arith.divsi %{{.*}} : i32
// CHECK: arith.remsi %{{.*}} : i32
// CHECK: scf.if
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
// CHECK: } else {
// CHECK: llvm.intr.masked.gather
tt.func public @rows(%from: !tt.ptr<f32>, %to: !tt.ptr<f32>, %width: i32, %stride: i32) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %widths = tt.splat %width : i32 -> tensor<1024xi32>
  %strides = tt.splat %stride : i32 -> tensor<1024xi32>
  %row = arith.divsi %range, %widths : tensor<1024xi32>
  %column = arith.remsi %range, %widths : tensor<1024xi32>
  %begin = arith.muli %row, %strides : tensor<1024xi32>
  %at = arith.addi %begin, %column : tensor<1024xi32>
  %from_all = tt.splat %from : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %source = tt.addptr %from_all, %at : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %to_all = tt.splat %to : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %target = tt.addptr %to_all, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %x = tt.load %source : tensor<1024x!tt.ptr<f32>>
  tt.store %target, %x : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// Vectors of integers have no instruction that divides them: floats with digits enough do.
// CHECK-LABEL: func.func @quotients
// CHECK: arith.sitofp %{{.*}} : vector<{{.*}}xi32> to vector<{{.*}}xf64>
// CHECK: arith.divf
// CHECK: arith.fptosi
// CHECK-NOT: arith.divsi %{{.*}} : vector
// CHECK: return
tt.func public @quotients(%from: !tt.ptr<i32>, %to: !tt.ptr<i32>) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %from_all = tt.splat %from : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %source = tt.addptr %from_all, %range : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %to_all = tt.splat %to : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %target = tt.addptr %to_all, %range : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %x = tt.load %source : tensor<1024x!tt.ptr<i32>>
  %y = arith.divsi %range, %x : tensor<1024xi32>
  tt.store %target, %y : tensor<1024x!tt.ptr<i32>>
  tt.return
}

// A scan along the dimension that lies together in memory loads vectors along it, row by row.
// CHECK-LABEL: func.func @scan_of_rows
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<64xf32>
// CHECK: vector.shuffle
// CHECK-NOT: vector.from_elements
// CHECK: return
tt.func public @scan_of_rows(%from: !tt.ptr<f32>, %to: !tt.ptr<f32>) {
  %rows = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %columns = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %c64 = arith.constant dense<64> : tensor<8x1xi32>
  %row = tt.expand_dims %rows {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %begin = arith.muli %row, %c64 : tensor<8x1xi32>
  %begins = tt.broadcast %begin : tensor<8x1xi32> -> tensor<8x64xi32>
  %column = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %all_columns = tt.broadcast %column : tensor<1x64xi32> -> tensor<8x64xi32>
  %at = arith.addi %begins, %all_columns : tensor<8x64xi32>
  %from_all = tt.splat %from : !tt.ptr<f32> -> tensor<8x64x!tt.ptr<f32>>
  %source = tt.addptr %from_all, %at : tensor<8x64x!tt.ptr<f32>>, tensor<8x64xi32>
  %to_all = tt.splat %to : !tt.ptr<f32> -> tensor<8x64x!tt.ptr<f32>>
  %target = tt.addptr %to_all, %at : tensor<8x64x!tt.ptr<f32>>, tensor<8x64xi32>
  %x = tt.load %source : tensor<8x64x!tt.ptr<f32>>
  %sums = "tt.scan"(%x) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.scan.return %c : f32
  }) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  tt.store %target, %sums : tensor<8x64x!tt.ptr<f32>>
  tt.return
}

// Columns that wrap (`offsets % n`) are staged by whole vectors where none of the tile does.
// CHECK-LABEL: func.func @wrapped_columns
// CHECK: scf.for %{{.*}} : i32 {
// CHECK: arith.remsi
// CHECK: scf.if
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
// CHECK: } else {
// CHECK: vector.from_elements
// CHECK: math.fma
tt.func public @wrapped_columns(%from: !tt.ptr<f32>, %to: !tt.ptr<f32>, %first: i32, %n: i32, %trips: i32) {
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %ones = arith.constant dense<1.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %firsts = tt.splat %first : i32 -> tensor<16xi32>
  %ends = tt.splat %n : i32 -> tensor<16xi32>
  %columns = arith.addi %firsts, %range : tensor<16xi32>
  %wrapped = arith.remsi %columns, %ends : tensor<16xi32>
  %row = tt.expand_dims %range {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %begin = arith.muli %row, %c16 : tensor<16x1xi32>
  %begins = tt.broadcast %begin : tensor<16x1xi32> -> tensor<16x16xi32>
  %column = tt.expand_dims %wrapped {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %all_columns = tt.broadcast %column : tensor<1x16xi32> -> tensor<16x16xi32>
  %at = arith.addi %begins, %all_columns : tensor<16x16xi32>
  %sums = scf.for %i = %c0 to %trips step %c1 iter_args(%sum = %zeros) -> (tensor<16x16xf32>) : i32 {
    %pointer = tt.addptr %from, %i : !tt.ptr<f32>, i32
    %from_all = tt.splat %pointer : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
    %source = tt.addptr %from_all, %at : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
    %b = tt.load %source : tensor<16x16x!tt.ptr<f32>>
    %next = tt.dot %ones, %b, %sum : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %to_all = tt.splat %to : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %target = tt.addptr %to_all, %at : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  tt.store %target, %sums : tensor<16x16x!tt.ptr<f32>>
  tt.return
}

// What is read along one dimension and written along another is turned in registers, square by square.
// CHECK-LABEL: func.func @transposed
// CHECK: scf.for %{{.*}} step %c16
// CHECK: scf.for %{{.*}} step %c16
// CHECK-COUNT-16: llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: vector<16xf32>, !llvm.ptr
// CHECK: return
tt.func public @transposed(%from: !tt.ptr<f32>, %to: !tt.ptr<f32>) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %row = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %begin = arith.muli %row, %c64 : tensor<64x1xi32>
  %begins = tt.broadcast %begin : tensor<64x1xi32> -> tensor<64x64xi32>
  %column = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %begins, %columns : tensor<64x64xi32>
  %from_all = tt.splat %from : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %source = tt.addptr %from_all, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %to_all = tt.splat %to : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %target = tt.addptr %to_all, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %x = tt.load %source : tensor<64x64x!tt.ptr<f32>>
  %turned = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.store %target, %turned : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Every other element: whole vectors, of which lanes are picked; and between which they are put.
// CHECK-LABEL: func.func @pairs
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
// CHECK: vector.shuffle
// CHECK-NOT: vector.from_elements
// CHECK-COUNT-2: llvm.intr.masked.store
// CHECK: return
tt.func public @pairs(%from: !tt.ptr<f32>, %to: !tt.ptr<f32>) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %c2 = arith.constant dense<2> : tensor<1024xi32>
  %at = arith.muli %range, %c2 : tensor<1024xi32>
  %from_all = tt.splat %from : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %source = tt.addptr %from_all, %at : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %to_all = tt.splat %to : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %target = tt.addptr %to_all, %at : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %x = tt.load %source : tensor<1024x!tt.ptr<f32>>
  tt.store %target, %x : tensor<1024x!tt.ptr<f32>>
  tt.return
}
