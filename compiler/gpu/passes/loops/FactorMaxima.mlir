// RUN: triton-opt %s --gpu-factor-maxima --cse | FileCheck %s
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#rows = #ttg.slice<{dim = 1, parent = #mma}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: @factor_at_run_time
// CHECK-SAME: %[[F:.*]]: f32
// CHECK: scf.for {{.*}} iter_args(%[[X:[a-z0-9]+]] =
// CHECK-DAG: %[[POSITIVE:.*]] = arith.cmpf ogt, %[[F]], %cst
// CHECK-DAG: %[[FINITE:.*]] = arith.cmpf olt, %[[F]], %cst
// CHECK: %[[ORDINARY:.*]] = arith.andi %[[POSITIVE]], %[[FINITE]]
// CHECK: %[[M:.*]] = scf.if %[[ORDINARY]] -> (tensor<64xf32, {{.*}}>) {
// CHECK: %[[R:.*]] = "tt.reduce"(%[[X]])
// CHECK: arith.maxnumf
// CHECK: %[[FS:.*]] = tt.splat %[[F]] : f32 -> tensor<64xf32,
// CHECK: arith.mulf %[[R]], %[[FS]]
// CHECK: } else {
// CHECK: %[[LEAST:.*]] = "tt.reduce"(%[[X]])
// CHECK: arith.minnumf
// CHECK: %[[A:.*]] = arith.mulf %[[LEAST]]
// CHECK: scf.if
// CHECK-NEXT: scf.yield %[[A]]
// CHECK: } else {
// CHECK: %[[MOST:.*]] = "tt.reduce"(%[[X]])
// CHECK: arith.maxnumf
// CHECK: %[[B:.*]] = arith.mulf %[[MOST]]
// CHECK: %[[AB:.*]] = arith.maxnumf %[[A]], %[[B]]
// CHECK: arith.cmpf oeq, %[[F]]
// CHECK: scf.if
// CHECK: %[[ABS:.*]] = math.absf %[[X]]
// CHECK: %[[NEAREST:.*]] = "tt.reduce"(%[[ABS]])
// CHECK: arith.minnumf
// CHECK: %[[C:.*]] = arith.mulf %[[NEAREST]]
// CHECK: arith.maxnumf %[[AB]], %[[C]]
// CHECK: scf.yield %[[AB]]
// CHECK: tt.expand_dims %[[M]]
tt.func @factor_at_run_time(%f: f32, %n: i32, %x: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %fs = tt.splat %f : f32 -> tensor<64x64xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> tensor<64x64xf32, #mma> : i32 {
    %y = arith.mulf %s, %fs : tensor<64x64xf32, #mma>
    %m = "tt.reduce"(%y) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #rows>
    %column = tt.expand_dims %m {axis = 1 : i32} : tensor<64xf32, #rows> -> tensor<64x1xf32, #mma>
    %all = tt.broadcast %column : tensor<64x1xf32, #mma> -> tensor<64x64xf32, #mma>
    %z = arith.subf %y, %all : tensor<64x64xf32, #mma>
    scf.yield %z : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// CHECK-LABEL: @constants
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: %[[R:.*]] = "tt.reduce"(%{{.*}})
// CHECK: arith.mulf %[[R]], %{{.*}} : tensor<64xf32,
// A negative one turns the order round, and is left alone.
// CHECK: %[[Y:.*]] = arith.mulf {{.*}} : tensor<64x64xf32, #mma>
// CHECK: "tt.reduce"(%[[Y]])
// CHECK-NOT: arith.mulf
tt.func @constants(%n: i32, %x: tensor<64x64xf32, #mma>) -> (tensor<64xf32, #rows>, tensor<64xf32, #rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %half = arith.constant dense<0.5> : tensor<64x64xf32, #mma>
  %minus = arith.constant dense<-0.5> : tensor<64x64xf32, #mma>
  %start = arith.constant dense<0.0> : tensor<64xf32, #rows>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %start, %t = %start) -> (tensor<64xf32, #rows>, tensor<64xf32, #rows>) : i32 {
    %y = arith.mulf %x, %half : tensor<64x64xf32, #mma>
    %m = "tt.reduce"(%y) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #rows>
    %z = arith.mulf %x, %minus : tensor<64x64xf32, #mma>
    %o = "tt.reduce"(%z) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #rows>
    %u = arith.addf %s, %m : tensor<64xf32, #rows>
    %v = arith.addf %t, %o : tensor<64xf32, #rows>
    scf.yield %u, %v : tensor<64xf32, #rows>, tensor<64xf32, #rows>
  }
  tt.return %r#0, %r#1 : tensor<64xf32, #rows>, tensor<64xf32, #rows>
}

// Sums are no maxima; products that are needed as they are need no second multiplication.
// CHECK-LABEL: @left_alone
// CHECK-NOT: scf.if
// CHECK: tt.return
tt.func @left_alone(%f: f32, %n: i32, %x: tensor<64x64xf32, #mma>) -> (tensor<64x64xf32, #mma>, tensor<64xf32, #rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %fs = tt.splat %f : f32 -> tensor<64x64xf32, #mma>
  %start = arith.constant dense<0.0> : tensor<64xf32, #rows>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x, %t = %start) -> (tensor<64x64xf32, #mma>, tensor<64xf32, #rows>) : i32 {
    %y = arith.mulf %s, %fs : tensor<64x64xf32, #mma>
    %m = "tt.reduce"(%y) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #rows>
    %z = arith.mulf %x, %fs : tensor<64x64xf32, #mma>
    %o = "tt.reduce"(%z) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #rows>
    %u = arith.addf %m, %o : tensor<64xf32, #rows>
    %v = arith.addf %t, %u : tensor<64xf32, #rows>
    scf.yield %y, %v : tensor<64x64xf32, #mma>, tensor<64xf32, #rows>
  }
  tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<64xf32, #rows>
}

}
