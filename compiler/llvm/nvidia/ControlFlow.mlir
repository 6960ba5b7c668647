// RUN: triton-ptx %s --arch sm_90a --llvm | FileCheck %s
// RUN: %if ptxas %{ triton-ptx %s --arch sm_90a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED: Compiling entry function

#blocked = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: define ptx_kernel void @for_loop
  tt.func public @for_loop(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #blocked>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #blocked>
    %q = tt.addptr %s, %range : tensor<256x!tt.ptr<f32>, #blocked>, tensor<256xi32, #blocked>
    %zero = arith.constant dense<0.0> : tensor<256xf32, #blocked>
    // CHECK: loop:
    // CHECK-NEXT: phi i32
    // CHECK-NEXT: phi float
    // CHECK-NEXT: phi float
    // CHECK: icmp slt i32
    // CHECK: br i1 {{.*}}, label %body, label %done
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<256xf32, #blocked> : i32 {
      %x = tt.load %q : tensor<256x!tt.ptr<f32>, #blocked>
      %next = arith.addf %acc, %x : tensor<256xf32, #blocked>
      scf.yield %next : tensor<256xf32, #blocked>
    } {llvm.loop_annotation = #llvm.loop_annotation<licm = <disable = true>>}
    // CHECK: br label %loop, {{.*}}!llvm.loop ![[LOOP:[0-9]+]]
    tt.store %q, %sum : tensor<256x!tt.ptr<f32>, #blocked>
    tt.return
  }

  // What may be near the largest number: from 0 on the next place is compared as an unsigned number.
  // CHECK-LABEL: define ptx_kernel void @from_zero
  tt.func public @from_zero(%p: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    // CHECK: %[[RUNS:[0-9]+]] = icmp slt i32 0, %[[N:[0-9]+]]
    // CHECK: loop:
    // CHECK-NEXT: %[[I:.*]] = phi i32
    // CHECK-NEXT: %[[IS_NEXT:.*]] = phi i1 [ %[[RUNS]], %{{.*}} ], [ %[[MORE:.*]], %{{.*}} ]
    // CHECK-NEXT: br i1 %[[IS_NEXT]], label %body, label %done
    // CHECK: %[[NEXT:.*]] = add i32 %[[I]], 64
    // CHECK: %[[MORE]] = icmp ult i32 %[[NEXT]], %[[N]]
    scf.for %i = %c0 to %n step %c64 : i32 {
      tt.store %p, %i : !tt.ptr<i32>
    }
    tt.return
  }

  // From anywhere on it is compared with the end, which is where it comes to. A step that is not known to be positive is looked at.
  // CHECK-LABEL: define ptx_kernel void @any_step
  tt.func public @any_step(%p: !tt.ptr<i32>, %low: i32, %n: i32, %step: i32) {
    // CHECK: %[[MOVES:.*]] = icmp sgt i32 %{{.*}}, 0
    // CHECK: and i1 %{{.*}}, %[[MOVES]]
    // CHECK: %[[DIVISOR:.*]] = call i32 @llvm.umax.i32(i32 %{{.*}}, i32 1)
    // CHECK: %[[COUNT:.*]] = udiv i32 %{{.*}}, %[[DIVISOR]]
    // CHECK: %[[TRIPS:.*]] = add i32 %[[COUNT]], 1
    // CHECK: %[[WAY:.*]] = mul i32 %[[TRIPS]]
    // CHECK: %[[END:.*]] = add i32 %{{.*}}, %[[WAY]]
    // CHECK: loop:
    // CHECK: icmp ne i32 %{{.*}}, %[[END]]
    scf.for %i = %low to %n step %step : i32 {
      tt.store %p, %i : !tt.ptr<i32>
    }
    tt.return
  }

  // CHECK-LABEL: define ptx_kernel void @while_loop
  tt.func public @while_loop(%p: !tt.ptr<i32>, %n: i32) {
    %c2 = arith.constant 2 : i32
    %r = scf.while (%i = %n) : (i32) -> i32 {
      %go = arith.cmpi sgt, %i, %c2 : i32
      scf.condition(%go) %i : i32
    } do {
    ^bb0(%j: i32):
      %k = arith.divsi %j, %c2 : i32
      scf.yield %k : i32
    }
    tt.store %p, %r : !tt.ptr<i32>
    tt.return
  }

  // CHECK-LABEL: define ptx_kernel void @if_else
  tt.func public @if_else(%p: !tt.ptr<i32>, %c: i1) {
    %r = scf.if %c -> i32 {
      %a = tt.load %p : !tt.ptr<i32>
      scf.yield %a : i32
    } else {
      %b = arith.constant 7 : i32
      scf.yield %b : i32
    }
    // CHECK: end:
    // CHECK-NEXT: phi i32 [ {{.*}}, %then ], [ 7, %else ]
    tt.store %p, %r : !tt.ptr<i32>
    tt.return
  }

  // CHECK-LABEL: define ptx_kernel void @blocks
  tt.func public @blocks(%p: !tt.ptr<i32>, %c: i1, %n: i32) {
    cf.cond_br %c, ^bb1(%n : i32), ^bb2
  ^bb1(%x: i32):
    tt.store %p, %x : !tt.ptr<i32>
    cf.br ^bb2
  ^bb2:
    tt.return
  }

  // CHECK-LABEL: define ptx_kernel void @calls
  tt.func public @calls(%p: !tt.ptr<i32>, %n: i32) {
    // CHECK: call { i32, i32 } @pair(i32
    %a, %b = tt.call @pair(%n) : (i32) -> (i32, i32)
    %s = arith.addi %a, %b : i32
    tt.store %p, %s : !tt.ptr<i32>
    tt.return
  }
  // CHECK-LABEL: define internal { i32, i32 } @pair
  tt.func private @pair(%x: i32) -> (i32, i32) attributes {noinline = true} {
    %y = arith.addi %x, %x : i32
    // CHECK: ret { i32, i32 }
    tt.return %x, %y : i32, i32
  }

  // CHECK-LABEL: define ptx_kernel void @map
  tt.func public @map(%p: !tt.ptr<i32>) {
    %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #blocked>
    %s = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #blocked>
    %q = tt.addptr %s, %range : tensor<256x!tt.ptr<i32>, #blocked>, tensor<256xi32, #blocked>
    // CHECK: phi i32
    // CHECK: phi i32
    %r = "tt.map_elementwise"(%range) <{pack = 1 : i32}> ({
    ^bb0(%e: i32):
      %c0 = arith.constant 0 : i32
      %odd = arith.cmpi eq, %e, %c0 : i32
      cf.cond_br %odd, ^bb1, ^bb2(%e : i32)
    ^bb1:
      %d = arith.addi %e, %e : i32
      cf.br ^bb2(%d : i32)
    ^bb2(%v: i32):
      tt.map_elementwise.return %v : i32
    }) : (tensor<256xi32, #blocked>) -> tensor<256xi32, #blocked>
    tt.store %q, %r : tensor<256x!tt.ptr<i32>, #blocked>
    tt.return
  }
  // CHECK: ![[LOOP]] = distinct !{![[LOOP]], ![[LICM:[0-9]+]]}
  // CHECK: ![[LICM]] = !{!"llvm.licm.disable"}
}
