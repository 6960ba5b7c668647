// RUN: triton-opt %s --gluon-infer-coalesced --gluon-resolve-auto | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @anchored
tt.func @anchored() -> tensor<128xi32, #line> {
  // CHECK: %[[R:.*]] = tt.make_range {{.*}} : tensor<128xi32, #blocked>
  // CHECK-NEXT: tt.return %[[R]]
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #gluon.auto_encoding>
  %s = gluon.set_auto_layout %r : tensor<128xi32, #gluon.auto_encoding> -> tensor<128xi32, #line>
  tt.return %s : tensor<128xi32, #line>
}

// Backwards through changes of shape, and through what a loop carries.
// CHECK-LABEL: @through_a_loop
tt.func @through_a_loop(%n: i32) -> tensor<128x32xi32, #blocked> {
  // CHECK: arith.constant dense<0> : tensor<128x32xi32, #[[TILE:.*]]>
  // CHECK: tt.make_range {{.*}} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #[[TILE]]}>>
  // CHECK: scf.for {{.*}} -> (tensor<128x32xi32, #[[TILE]]>)
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128x32xi32, #gluon.auto_encoding>
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #gluon.auto_encoding>
  %e = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32, #gluon.auto_encoding> -> tensor<128x1xi32, #gluon.auto_encoding>
  %b = tt.broadcast %e : tensor<128x1xi32, #gluon.auto_encoding> -> tensor<128x32xi32, #gluon.auto_encoding>
  %f = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x32xi32, #gluon.auto_encoding>) : i32 {
    %a = arith.addi %acc, %b : tensor<128x32xi32, #gluon.auto_encoding>
    scf.yield %a : tensor<128x32xi32, #gluon.auto_encoding>
  }
  %s = gluon.set_auto_layout %f : tensor<128x32xi32, #gluon.auto_encoding> -> tensor<128x32xi32, #blocked>
  tt.return %s : tensor<128x32xi32, #blocked>
}

// What an access wants anchors what its pointers are made of.
// CHECK-LABEL: @coalesced
tt.func @coalesced(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  // CHECK: tt.make_range {{.*}} : tensor<1024xi32, #[[WIDE:.*]]>
  // CHECK: tt.store {{.*}} : tensor<1024x!tt.ptr<f32>, #[[WIDE]]>
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #gluon.auto_encoding>
  %o = gluon.set_auto_layout %r : tensor<1024xi32, #gluon.auto_encoding> -> tensor<1024xi32, #gluon.coalesced_encoding>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #gluon.coalesced_encoding>
  %a = tt.addptr %b, %o : tensor<1024x!tt.ptr<f32>, #gluon.coalesced_encoding>, tensor<1024xi32, #gluon.coalesced_encoding>
  %v = arith.constant dense<1.0> : tensor<1024xf32, #gluon.coalesced_encoding>
  tt.store %a, %v : tensor<1024x!tt.ptr<f32>, #gluon.coalesced_encoding>
  tt.return
}

// The layout that an access wants, where the pointers come straight from an anchor.
// CHECK-LABEL: @coalesced_pointers
tt.func @coalesced_pointers(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  // CHECK: tt.load {{.*}} : tensor<1024x!tt.ptr<f32>, #[[WIDE:.*]]>
  // CHECK: tt.store {{.*}} : tensor<1024x!tt.ptr<f32>, #[[WIDE]]>
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #gluon.auto_encoding>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #gluon.auto_encoding>
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #gluon.auto_encoding>
  %a = tt.addptr %ps, %r : tensor<1024x!tt.ptr<f32>, #gluon.auto_encoding>, tensor<1024xi32, #gluon.auto_encoding>
  %b = tt.addptr %qs, %r : tensor<1024x!tt.ptr<f32>, #gluon.auto_encoding>, tensor<1024xi32, #gluon.auto_encoding>
  %from = gluon.set_auto_layout %a : tensor<1024x!tt.ptr<f32>, #gluon.auto_encoding> -> tensor<1024x!tt.ptr<f32>, #gluon.coalesced_encoding>
  %to = gluon.set_auto_layout %b : tensor<1024x!tt.ptr<f32>, #gluon.auto_encoding> -> tensor<1024x!tt.ptr<f32>, #gluon.coalesced_encoding>
  %x = tt.load %from : tensor<1024x!tt.ptr<f32>, #gluon.coalesced_encoding>
  tt.store %to, %x : tensor<1024x!tt.ptr<f32>, #gluon.coalesced_encoding>
  tt.return
}
}
