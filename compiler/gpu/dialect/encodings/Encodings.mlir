// What tensor ops make of layouts.
// RUN: triton-opt %s -split-input-file -verify-diagnostics | triton-opt -split-input-file | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.slice<{dim = 1, parent = #blocked}>
#columns = #ttg.slice<{dim = 0, parent = #blocked}>
#swapped = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#pairs = #ttg.blocked<{sizePerThread = [1, 4, 2], threadsPerWarp = [8, 4, 1], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>
#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#lhs = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#rhs = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {

// CHECK-LABEL: @addresses
tt.func @addresses(%base: !tt.ptr<f16>, %stride: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
  %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #blocked>
  %s = tt.splat %stride : i32 -> tensor<64x1xi32, #blocked>
  %scaled = arith.muli %rows, %s : tensor<64x1xi32, #blocked>
  %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #columns>
  %columns = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32, #columns> -> tensor<1x32xi32, #blocked>
  %left = tt.broadcast %scaled : tensor<64x1xi32, #blocked> -> tensor<64x32xi32, #blocked>
  %right = tt.broadcast %columns : tensor<1x32xi32, #blocked> -> tensor<64x32xi32, #blocked>
  %offsets = arith.addi %left, %right : tensor<64x32xi32, #blocked>
  %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #blocked>
  %pointers = tt.addptr %bases, %offsets : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
  %zero = arith.constant dense<0> : tensor<64x32xi32, #blocked>
  %mask = arith.cmpi sgt, %offsets, %zero : tensor<64x32xi32, #blocked>
  // CHECK: tt.load %{{.*}}, %{{.*}} : tensor<64x32x!tt.ptr<f16>, #blocked>
  %x = tt.load %pointers, %mask : tensor<64x32x!tt.ptr<f16>, #blocked>
  tt.store %pointers, %x, %mask : tensor<64x32x!tt.ptr<f16>, #blocked>
  %old = tt.atomic_rmw fadd, acq_rel, gpu, %pointers, %x, %mask : (tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xf16, #blocked>, tensor<64x32xi1, #blocked>) -> tensor<64x32xf16, #blocked>
  tt.return
}

// CHECK-LABEL: @reductions
tt.func @reductions(%x: tensor<64x32xf32, #blocked>) -> (tensor<64xf32, #rows>, f32) {
  // CHECK: (tensor<64x32xf32, #blocked>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
  %sum = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%lhs: f32, %rhs: f32):
    %s = arith.addf %lhs, %rhs : f32
    tt.reduce.return %s : f32
  }) : (tensor<64x32xf32, #blocked>) -> tensor<64xf32, #rows>
  %all = "tt.reduce"(%sum) <{axis = 0 : i32}> ({
  ^bb0(%lhs: f32, %rhs: f32):
    %s = arith.addf %lhs, %rhs : f32
    tt.reduce.return %s : f32
  }) : (tensor<64xf32, #rows>) -> f32
  %scan = "tt.scan"(%x) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%lhs: f32, %rhs: f32):
    %s = arith.addf %lhs, %rhs : f32
    tt.scan.return %s : f32
  }) : (tensor<64x32xf32, #blocked>) -> tensor<64x32xf32, #blocked>
  tt.return %sum, %all : tensor<64xf32, #rows>, f32
}

// CHECK-LABEL: @moves
tt.func @moves(%x: tensor<64x32xf32, #blocked>, %i: tensor<64x32xi32, #blocked>, %line: tensor<512xi32, #line>) {
  // CHECK: tt.trans
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x32xf32, #blocked> -> tensor<32x64xf32, #swapped>
  %j = tt.join %x, %x : tensor<64x32xf32, #blocked> -> tensor<64x32x2xf32, #pairs>
  %a, %b = tt.split %j : tensor<64x32x2xf32, #pairs> -> tensor<64x32xf32, #ttg.slice<{dim = 2, parent = #pairs}>>
  // The same under another name.
  %c, %d = tt.split %j : tensor<64x32x2xf32, #pairs> -> tensor<64x32xf32, #blocked>
  %r = tt.reshape %line : tensor<512xi32, #line> -> tensor<32x16xi32, #blocked>
  %q = tt.reshape %line allow_reorder : tensor<512xi32, #line> -> tensor<32x16xi32, #blocked>
  %h = tt.histogram %line : tensor<512xi32, #line> -> tensor<64xi32, #line>
  %g = tt.gather %x[%i] {axis = 1 : i32} : (tensor<64x32xf32, #blocked>, tensor<64x32xi32, #blocked>) -> tensor<64x32xf32, #blocked>
  %k = tt.cat %line, %line : tensor<512xi32, #line> -> tensor<1024xi32, #line>
  tt.return
}

// CHECK-LABEL: @dots
tt.func @dots(%a: tensor<64x32xf16, #lhs>, %b: tensor<32x64xf16, #rhs>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  // CHECK: tt.dot
  %d = tt.dot %a, %b, %c : tensor<64x32xf16, #lhs> * tensor<32x64xf16, #rhs> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

// CHECK-LABEL: @descriptors
tt.func @descriptors(%d: !tt.tensordesc<tensor<64x32xf16>>, %i: i32) {
  // CHECK: tt.descriptor_load
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #blocked>
  tt.descriptor_store %d[%i, %i], %x : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16, #blocked>
  tt.return
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.slice<{dim = 1, parent = #blocked}>
tt.func @expand(%x: tensor<64xi32, #rows>) {
  // expected-error @+2 {{inferred type(s) 'tensor<64x1xi32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tt.expand_dims %x {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
tt.func @broadcast(%x: tensor<64x1xi32, #blocked>) {
  // expected-error @+1 {{gives 'tensor<64x32xi32, #ttg.blocked}}
  %y = tt.broadcast %x : tensor<64x1xi32, #blocked> -> tensor<64x32xi32, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>>
  tt.return
}

// -----

#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
tt.func @reshape(%x: tensor<512xi32, #line>) {
  // expected-error @+1 {{in place, which}}
  %y = tt.reshape %x : tensor<512xi32, #line> -> tensor<32x16xi32, #blocked>
  tt.return
}

// -----

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#wide = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
tt.func @split(%x: tensor<64x2xi32, #wide>) {
  // expected-error @+2 {{split needs both elements of a pair in one thread}}
  // expected-error @+1 {{failed to infer returned types}}
  %a, %b = tt.split %x : tensor<64x2xi32, #wide> -> tensor<64xi32, #line>
  tt.return
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#other = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#lhs = #ttg.dot_op<{opIdx = 0, parent = #other, kWidth = 2}>
#rhs = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
tt.func @dots(%a: tensor<64x32xf16, #lhs>, %b: tensor<32x64xf16, #rhs>, %c: tensor<64x64xf32, #mma>) {
  // expected-error @+1 {{takes operand 0 in the dot_op layout of its accumulator}}
  %d = tt.dot %a, %b, %c : tensor<64x32xf16, #lhs> * tensor<32x64xf16, #rhs> -> tensor<64x64xf32, #mma>
  tt.return
}

// -----

#a = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
tt.func @atomic(%p: tensor<512x!tt.ptr<f32>, #a>, %x: tensor<512xf32, #b>) {
  // expected-error @+1 {{value must have the layout of the pointers}}
  %old = tt.atomic_rmw fadd, acq_rel, gpu, %p, %x : (tensor<512x!tt.ptr<f32>, #a>, tensor<512xf32, #b>) -> tensor<512xf32, #a>
  tt.return
}
