// RUN: triton-opt %s --tensor-inline-calls --split-input-file | FileCheck %s
// RUN: triton-opt %s --tensor-inline-calls=inlines-blocks=true --split-input-file | FileCheck %s --check-prefix=BLOCKS

// CHECK-LABEL: @caller
// CHECK-SAME: %[[X:.*]]: f32
tt.func public @caller(%x: f32) -> f32 {
  // CHECK-NEXT: %[[Y:.*]] = arith.addf %[[X]], %[[X]]
  // CHECK-NEXT: tt.return %[[Y]]
  %y = tt.call @double(%x) : (f32) -> f32
  tt.return %y : f32
}
tt.func private @double(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  tt.return %y : f32
}

// -----

// Callees first, and into regions.
// CHECK-LABEL: @nested
// CHECK-NEXT: scf.if
// CHECK-COUNT-4: tt.store
// CHECK-NOT: tt.call
tt.func public @nested(%c: i1, %p: !tt.ptr<f32>, %x: f32) {
  scf.if %c {
    tt.call @twice(%p, %x) : (!tt.ptr<f32>, f32) -> ()
    tt.call @twice(%p, %x) : (!tt.ptr<f32>, f32) -> ()
  }
  tt.return
}
tt.func private @twice(%p: !tt.ptr<f32>, %x: f32) {
  tt.call @once(%p, %x) : (!tt.ptr<f32>, f32) -> ()
  tt.call @once(%p, %x) : (!tt.ptr<f32>, f32) -> ()
  tt.return
}
tt.func private @once(%p: !tt.ptr<f32>, %x: f32) {
  tt.store %p, %x : !tt.ptr<f32>
  tt.return
}

// -----

// What is not to be inlined is not.
// CHECK-LABEL: @left
// CHECK: tt.call @noinline
// CHECK: tt.func private @noinline
// CHECK-NOT: @unused
tt.func public @left() {
  tt.call @noinline() : () -> ()
  tt.return
}
tt.func private @noinline() attributes {noinline = true} {
  tt.return
}
tt.func private @unused() {
  tt.return
}

// -----

// Several blocks are for MLIR's inliner, and functions that call themselves.
// CHECK-LABEL: @others
// CHECK: cf.cond_br
// CHECK: tt.call @itself
tt.func public @others(%c: i1) {
  tt.call @blocks(%c) : (i1) -> ()
  tt.call @itself() : () -> ()
  tt.return
}
tt.func private @blocks(%c: i1) {
  cf.cond_br %c, ^a, ^b
^a:
  cf.br ^b
^b:
  tt.return
}
tt.func private @itself() {
  tt.call @itself() : () -> ()
  tt.return
}

// -----

// An op says where it was called from.
// RUN: triton-opt %s --tensor-inline-calls --split-input-file --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=PLACE
// PLACE-LABEL: @placed
// PLACE-NEXT: arith.addf {{.*}} loc(callsite("inside" at "outside"))
tt.func public @placed(%x: f32) -> f32 {
  %y = tt.call @inside(%x) : (f32) -> f32 loc("outside")
  tt.return %y : f32
}
tt.func private @inside(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32 loc("inside")
  tt.return %y : f32
}

// -----

// What is not to be inlined is not, unless a target asks for it where tensors pass.
// CHECK-LABEL: @kept
// CHECK: tt.call @block
// CHECK: tt.call @scalar
// BLOCKS-LABEL: @kept
// BLOCKS: tt.splat
// BLOCKS-NOT: tt.call @block
// BLOCKS: tt.call @scalar
tt.func public @kept(%x: f32) -> (tensor<8xf32>, f32) {
  %y = tt.call @block(%x) : (f32) -> tensor<8xf32>
  %z = tt.call @scalar(%x) : (f32) -> f32
  tt.return %y, %z : tensor<8xf32>, f32
}
tt.func private @block(%x: f32) -> tensor<8xf32> attributes {noinline = true} {
  %y = tt.splat %x : f32 -> tensor<8xf32>
  tt.return %y : tensor<8xf32>
}
tt.func private @scalar(%x: f32) -> f32 attributes {noinline = true} {
  %y = arith.addf %x, %x : f32
  tt.return %y : f32
}
