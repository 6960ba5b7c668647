// RUN: triton-opt %s --gpu-pipeline-loops --cse | FileCheck %s
// RUN: triton-opt %s --gpu-pipeline-loops --gpu-skip-masks --gpu-factor-maxima --cse | FileCheck %s --check-prefix=SKIPPED
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#rows = #ttg.slice<{dim = 1, parent = #mma}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {

// What the mask chooses of is multiplied by 1, and what it chose by the factor, if the factor is ordinary.
// CHECK-LABEL: @masked
// CHECK-SAME: %[[F:[a-z0-9]+]]: f32
// CHECK: scf.for {{.*}} iter_args(%[[X:[a-z0-9]+]] =
// CHECK-DAG: %[[POSITIVE:.*]] = arith.cmpf ogt, %[[F]], %{{.*}}
// CHECK-DAG: %[[FINITE:.*]] = arith.cmpf olt, %[[F]], %{{.*}}
// CHECK: %[[ORDINARY:.*]] = arith.andi %[[POSITIVE]], %[[FINITE]]
// CHECK-DAG: %[[BEHIND:.*]] = arith.select %[[ORDINARY]], %[[F]], %[[ONE:.*]] : f32
// CHECK-DAG: %[[BEFORE:.*]] = arith.select %[[ORDINARY]], %[[ONE]], %[[F]] : f32
// CHECK-DAG: %[[SCALE:.*]] = tt.splat %[[BEHIND]]
// CHECK-DAG: %[[UNIT:.*]] = tt.splat %[[BEFORE]]
// CHECK: %[[P:.*]] = arith.mulf %[[X]], %[[UNIT]]
// CHECK: %[[S:.*]] = arith.select %{{.*}}, %[[P]], %{{.*}} : tensor<64x64xi1
// CHECK: %[[Y:.*]] = arith.mulf %[[S]], %[[SCALE]]
// CHECK: "tt.reduce"(%[[Y]])
// CHECK: arith.subf %[[Y]],

// The product with 1 is left out together with the mask; the maximum is scaled, not what it is of.
// SKIPPED-LABEL: @masked
// SKIPPED: scf.for {{.*}} iter_args(%[[X:[a-z0-9]+]] =
// SKIPPED: %[[ORDINARY:.*]] = arith.andi
// SKIPPED: %[[ALL:.*]] = arith.andi %{{.*}}, %[[ORDINARY]] : i1
// SKIPPED: %[[S:.*]] = scf.if %[[ALL]]
// SKIPPED-NEXT: scf.yield %[[X]]
// SKIPPED-NEXT: } else {
// SKIPPED: arith.mulf %[[X]],
// SKIPPED: arith.select
// SKIPPED: %[[M:.*]] = "tt.reduce"(%[[S]])
// SKIPPED: arith.mulf %[[M]], %{{.*}} : tensor<64xf32
// SKIPPED-NOT: scf.if
// SKIPPED: scf.yield
tt.func @masked(%f: f32, %first: i32, %n: i32, %x: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %other = arith.constant dense<0xFF800000> : tensor<64x64xf32, #mma>
  %fs = tt.splat %f : f32 -> tensor<64x64xf32, #mma>
  %row = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #rows>
  %rowsColumn = tt.expand_dims %row {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #mma>
  %left = tt.broadcast %rowsColumn : tensor<64x1xi32, #mma> -> tensor<64x64xi32, #mma>
  %r = scf.for %start = %c0 to %n step %c64 iter_args(%s = %x) -> tensor<64x64xf32, #mma> : i32 {
    %right = tt.splat %start : i32 -> tensor<64x64xi32, #mma>
    %mask = arith.cmpi sge, %left, %right : tensor<64x64xi32, #mma>
    %y = arith.mulf %s, %fs : tensor<64x64xf32, #mma>
    %z = arith.select %mask, %y, %other : tensor<64x64xi1, #mma>, tensor<64x64xf32, #mma>
    %m = "tt.reduce"(%z) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #rows>
    %column = tt.expand_dims %m {axis = 1 : i32} : tensor<64xf32, #rows> -> tensor<64x1xf32, #mma>
    %all = tt.broadcast %column : tensor<64x1xf32, #mma> -> tensor<64x64xf32, #mma>
    %d = arith.subf %z, %all : tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// A finite number in place of what is masked would be scaled too; and where something else takes the product nothing is saved.
// CHECK-LABEL: @left_alone
// CHECK: scf.for {{.*}} iter_args(%[[X:[a-z0-9]+]] =
// CHECK: %[[Y:.*]] = arith.mulf %[[X]], %{{.*}}
// CHECK: %[[FINITE:.*]] = arith.select %{{.*}}, %[[Y]],
// CHECK: "tt.reduce"(%[[FINITE]])
// CHECK: %[[SQUARED:.*]] = arith.mulf %[[X]], %{{.*}}
// CHECK: %[[CHOSEN:.*]] = arith.select %{{.*}}, %[[SQUARED]],
// CHECK: "tt.reduce"(%[[CHOSEN]])
// CHECK: arith.mulf %[[CHOSEN]], %[[CHOSEN]]
tt.func @left_alone(%f: f32, %g: f32, %n: i32, %mask: tensor<64x64xi1, #mma>, %x: tensor<64x64xf32, #mma>) -> (tensor<64x64xf32, #mma>, tensor<64xf32, #rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %low = arith.constant dense<-1.0e6> : tensor<64x64xf32, #mma>
  %infinite = arith.constant dense<0xFF800000> : tensor<64x64xf32, #mma>
  %none = arith.constant dense<0.0> : tensor<64xf32, #rows>
  %fs = tt.splat %f : f32 -> tensor<64x64xf32, #mma>
  %gs = tt.splat %g : f32 -> tensor<64x64xf32, #mma>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x, %t = %none) -> (tensor<64x64xf32, #mma>, tensor<64xf32, #rows>) : i32 {
    %y = arith.mulf %s, %fs : tensor<64x64xf32, #mma>
    %z = arith.select %mask, %y, %low : tensor<64x64xi1, #mma>, tensor<64x64xf32, #mma>
    %m = "tt.reduce"(%z) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #rows>
    %w = arith.mulf %s, %gs : tensor<64x64xf32, #mma>
    %v = arith.select %mask, %w, %infinite : tensor<64x64xi1, #mma>, tensor<64x64xf32, #mma>
    %k = "tt.reduce"(%v) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #rows>
    %square = arith.mulf %v, %v : tensor<64x64xf32, #mma>
    %both = arith.addf %m, %k : tensor<64xf32, #rows>
    scf.yield %square, %both : tensor<64x64xf32, #mma>, tensor<64xf32, #rows>
  }
  tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<64xf32, #rows>
}
}
