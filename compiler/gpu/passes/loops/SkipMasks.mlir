// RUN: triton-opt %s --gpu-skip-masks --cse | FileCheck %s
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.slice<{dim = 1, parent = #mma}>
#columns = #ttg.slice<{dim = 0, parent = #mma}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {

// rows >= start + columns for all if the first row is not above the last column, and neither side overflows.
// CHECK-LABEL: @causal
// CHECK-SAME: %[[FIRST:.*]]: i32, %{{.*}}: i32,
// CHECK: scf.for %[[START:[a-z0-9]+]] =
// CHECK: %[[LEAST:.*]] = arith.extsi %[[FIRST]] : i32 to i64
// CHECK: %[[LARGEST:.*]] = arith.addi %[[LEAST]], %c63_i64
// CHECK: %[[COLUMN:.*]] = arith.extsi %[[START]] : i32 to i64
// CHECK: %[[MOST:.*]] = arith.addi %[[COLUMN]], %c63_i64
// CHECK-DAG: arith.cmpi sle, %[[LARGEST]], %c2147483647_i64
// CHECK-DAG: arith.cmpi sle, %[[MOST]], %c2147483647_i64
// CHECK-DAG: arith.cmpi sge, %[[LEAST]], %[[MOST]] : i64
// CHECK: %[[Y:.*]] = scf.if %{{.*}} -> (tensor<64x64xf32, #mma>) {
// CHECK-NEXT: scf.yield %[[X:.*]] :
// CHECK-NEXT: } else {
// CHECK: arith.cmpi sge, %{{.*}} : tensor<64x64xi32, #mma>
// CHECK: arith.select %{{.*}}, %[[X]],
// CHECK: arith.addf %{{.*}}, %[[Y]]
tt.func @causal(%first: i32, %n: i32, %x: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %other = arith.constant dense<0xFF800000> : tensor<64x64xf32, #mma>
  %row = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #rows>
  %firsts = tt.splat %first : i32 -> tensor<64xi32, #rows>
  %rows = arith.addi %firsts, %row : tensor<64xi32, #rows>
  %rowsColumn = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #mma>
  %left = tt.broadcast %rowsColumn : tensor<64x1xi32, #mma> -> tensor<64x64xi32, #mma>
  %column = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #columns>
  %columnsRow = tt.expand_dims %column {axis = 0 : i32} : tensor<64xi32, #columns> -> tensor<1x64xi32, #mma>
  %r = scf.for %start = %c0 to %n step %c64 iter_args(%s = %x) -> tensor<64x64xf32, #mma> : i32 {
    %starts = tt.splat %start : i32 -> tensor<1x64xi32, #mma>
    %moved = arith.addi %starts, %columnsRow : tensor<1x64xi32, #mma>
    %right = tt.broadcast %moved : tensor<1x64xi32, #mma> -> tensor<64x64xi32, #mma>
    %mask = arith.cmpi sge, %left, %right : tensor<64x64xi32, #mma>
    %square = arith.mulf %s, %s : tensor<64x64xf32, #mma>
    %y = arith.select %mask, %square, %other : tensor<64x64xi1, #mma>, tensor<64x64xf32, #mma>
    %t = arith.addf %s, %y : tensor<64x64xf32, #mma>
    scf.yield %t : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// The value is the one for false: no column is past the end.
// CHECK-LABEL: @end
// CHECK: scf.for
// CHECK: %[[LAST:.*]] = arith.addi %{{.*}}, %c63_i64
// CHECK: arith.cmpi slt, %[[LAST]], %[[N:.*]] : i64
// CHECK: scf.if
// CHECK: arith.cmpi sge
// CHECK: arith.select
tt.func @end(%n: i32, %x: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %other = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %column = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #columns>
  %ends = tt.splat %n : i32 -> tensor<64xi32, #columns>
  %r = scf.for %start = %c0 to %n step %c64 iter_args(%s = %x) -> tensor<64x64xf32, #mma> : i32 {
    %starts = tt.splat %start : i32 -> tensor<64xi32, #columns>
    %moved = arith.addi %starts, %column : tensor<64xi32, #columns>
    %past = arith.cmpi sge, %moved, %ends : tensor<64xi32, #columns>
    %row = tt.expand_dims %past {axis = 0 : i32} : tensor<64xi1, #columns> -> tensor<1x64xi1, #mma>
    %mask = tt.broadcast %row : tensor<1x64xi1, #mma> -> tensor<64x64xi1, #mma>
    %square = arith.mulf %s, %s : tensor<64x64xf32, #mma>
    %y = arith.select %mask, %other, %square : tensor<64x64xi1, #mma>, tensor<64x64xf32, #mma>
    %t = arith.addf %s, %y : tensor<64x64xf32, #mma>
    scf.yield %t : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// A mask that is loaded, one of a few elements, one outside of loops.
// CHECK-LABEL: @left_alone
// CHECK-NOT: scf.if
// CHECK: tt.return
tt.func @left_alone(%n: i32, %p: tensor<64x64x!tt.ptr<i1>, #mma>, %x: tensor<64x64xf32, #mma>, %few: tensor<64xf32, #columns>) -> (tensor<64x64xf32, #mma>, tensor<64xf32, #columns>) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %other = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %column = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #columns>
  %ends = tt.splat %n : i32 -> tensor<64xi32, #columns>
  %inside = arith.cmpi slt, %column, %ends : tensor<64xi32, #columns>
  %row = tt.expand_dims %inside {axis = 0 : i32} : tensor<64xi1, #columns> -> tensor<1x64xi1, #mma>
  %once = tt.broadcast %row : tensor<1x64xi1, #mma> -> tensor<64x64xi1, #mma>
  %before = arith.select %once, %x, %other : tensor<64x64xi1, #mma>, tensor<64x64xf32, #mma>
  %r:2 = scf.for %start = %c0 to %n step %c64 iter_args(%s = %before, %f = %few) -> (tensor<64x64xf32, #mma>, tensor<64xf32, #columns>) : i32 {
    %mask = tt.load %p : tensor<64x64x!tt.ptr<i1>, #mma>
    %y = arith.select %mask, %s, %other : tensor<64x64xi1, #mma>, tensor<64x64xf32, #mma>
    %t = arith.addf %s, %y : tensor<64x64xf32, #mma>
    %g = arith.addf %f, %f : tensor<64xf32, #columns>
    %h = arith.select %inside, %g, %f : tensor<64xi1, #columns>, tensor<64xf32, #columns>
    scf.yield %t, %h : tensor<64x64xf32, #mma>, tensor<64xf32, #columns>
  }
  tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<64xf32, #columns>
}

// No dots: such a loop waits for memory, and the branch would only take registers.
// CHECK-LABEL: @without_dots
// CHECK-NOT: scf.if
// CHECK: tt.return
tt.func @without_dots(%n: i32, %p: tensor<4096x!tt.ptr<f32>, #blocked>, %zeros: tensor<4096xf32, #blocked>) -> tensor<4096xf32, #blocked> {
  %c0 = arith.constant 0 : i32
  %c4096 = arith.constant 4096 : i32
  %column = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32, #blocked>
  %ends = tt.splat %n : i32 -> tensor<4096xi32, #blocked>
  %r = scf.for %start = %c0 to %n step %c4096 iter_args(%s = %zeros) -> tensor<4096xf32, #blocked> : i32 {
    %starts = tt.splat %start : i32 -> tensor<4096xi32, #blocked>
    %columns = arith.addi %starts, %column : tensor<4096xi32, #blocked>
    %mask = arith.cmpi slt, %columns, %ends : tensor<4096xi32, #blocked>
    %x = tt.load %p, %mask : tensor<4096x!tt.ptr<f32>, #blocked>
    %y = arith.select %mask, %x, %zeros : tensor<4096xi1, #blocked>, tensor<4096xf32, #blocked>
    %t = arith.addf %s, %y : tensor<4096xf32, #blocked>
    scf.yield %t : tensor<4096xf32, #blocked>
  }
  tt.return %r : tensor<4096xf32, #blocked>
}

}
