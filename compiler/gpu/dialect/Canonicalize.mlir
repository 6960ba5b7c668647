// Folding keeps layouts.
// RUN: triton-opt %s --canonicalize | FileCheck %s

// CHECK-DAG: #[[A:.*]] = #ttg.blocked<{sizePerThread = [1, 4]
// CHECK-DAG: #[[B:.*]] = #ttg.blocked<{sizePerThread = [1, 1]
#a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#at = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>

// CHECK-LABEL: @constants
tt.func @constants() -> (tensor<64x32xf32, #a>, tensor<32x64xf32, #at>, tensor<64x32xf32, #b>) {
  %one = arith.constant 1.0 : f32
  // CHECK-DAG: arith.constant dense<1.000000e+00> : tensor<64x32xf32, #[[A]]>
  %x = tt.splat %one : f32 -> tensor<64x32xf32, #a>
  // CHECK-DAG: arith.constant dense<1.000000e+00> : tensor<32x64xf32, #{{.*}}>
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x32xf32, #a> -> tensor<32x64xf32, #at>
  // CHECK-DAG: arith.constant dense<1.000000e+00> : tensor<64x32xf32, #[[B]]>
  %c = ttg.convert_layout %x : tensor<64x32xf32, #a> -> tensor<64x32xf32, #b>
  tt.return %x, %t, %c : tensor<64x32xf32, #a>, tensor<32x64xf32, #at>, tensor<64x32xf32, #b>
}

// CHECK-LABEL: @conversions
tt.func @conversions(%x: tensor<64x32xf32, #a>, %s: f32) -> (tensor<64x32xf32, #a>, tensor<64x32xf32, #b>, tensor<64x32xf32, #b>) {
  %there = ttg.convert_layout %x : tensor<64x32xf32, #a> -> tensor<64x32xf32, #b>
  %back = ttg.convert_layout %there : tensor<64x32xf32, #b> -> tensor<64x32xf32, #a>
  %splat = tt.splat %s : f32 -> tensor<64x32xf32, #a>
  // CHECK-DAG: %[[THERE:.*]] = ttg.convert_layout %{{.*}} : tensor<64x32xf32, #[[A]]> -> tensor<64x32xf32, #[[B]]>
  // CHECK-DAG: %[[SPLAT:.*]] = tt.splat %{{.*}} : f32 -> tensor<64x32xf32, #[[B]]>
  // CHECK: tt.return %{{arg0|x}}, %[[SPLAT]], %[[THERE]]
  %converted = ttg.convert_layout %splat : tensor<64x32xf32, #a> -> tensor<64x32xf32, #b>
  tt.return %back, %converted, %there : tensor<64x32xf32, #a>, tensor<64x32xf32, #b>, tensor<64x32xf32, #b>
}

// A name of the same layout is kept where the type has it.
// CHECK-LABEL: @names
tt.func @names(%x: tensor<64x32xf32, #a>) -> tensor<64x32xf32, #a> {
  // CHECK: tt.return %{{arg0|x}}
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x32xf32, #a> -> tensor<32x64xf32, #at>
  %u = tt.trans %t {order = array<i32: 1, 0>} : tensor<32x64xf32, #at> -> tensor<64x32xf32, #a>
  tt.return %u : tensor<64x32xf32, #a>
}

// Copies in further registers are no reshape.
#copies = #ttg.linear<{register = [[0, 0], [0, 0], [0, 32]], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]], block = []}>
// CHECK-LABEL: @expanded
tt.func @expanded(%x: tensor<64xf32, #ttg.slice<{dim = 1, parent = #a}>>) -> tensor<1x64xf32, #copies> {
  // CHECK: tt.expand_dims
  // CHECK: tt.reshape
  %e = tt.expand_dims %x {axis = 1 : i32} : tensor<64xf32, #ttg.slice<{dim = 1, parent = #a}>> -> tensor<64x1xf32, #a>
  %r = tt.reshape %e : tensor<64x1xf32, #a> -> tensor<1x64xf32, #copies>
  tt.return %r : tensor<1x64xf32, #copies>
}
