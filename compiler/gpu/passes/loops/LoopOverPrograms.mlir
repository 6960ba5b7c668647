// RUN: triton-opt %s --split-input-file --gpu-loop-over-programs --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @body
// CHECK: %[[ANSWER:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2xi64
// CHECK: %[[BARRIER:.*]] = ttg.local_alloc : () -> !ttg.memdesc<1xi64
// CHECK: ttng.init_barrier %[[BARRIER]], 1
// CHECK-NOT: ttng.cluster_arrive
// CHECK: %[[Y:.*]] = tt.get_program_id y
// CHECK: %[[X:.*]] = tt.get_program_id x
// CHECK: scf.while (%{{.*}} = %true, %{{.*}} = %c0_i32, %{{.*}} = %[[Y]], %{{.*}} = %[[X]])
// CHECK: scf.condition
// CHECK: ^bb0(%{{.*}}: i1, %[[PHASE:.*]]: i32, %[[NOW_Y:.*]]: i32, %[[NOW_X:.*]]: i32):
// CHECK: ttng.barrier_expect %[[BARRIER]], 16, %true
// CHECK: ttng.clc_try_cancel %[[ANSWER]], %[[BARRIER]]
// CHECK: arith.addi %[[NOW_Y]], %[[NOW_X]]
// CHECK: tt.store
// CHECK: ttng.wait_barrier %[[BARRIER]], %[[PHASE]]
// CHECK: %[[RESULT:.*]] = ttng.clc_load_result %[[ANSWER]]
// CHECK: ttng.fence_async_shared
// CHECK: %[[MORE:.*]] = ttng.clc_is_canceled %[[RESULT]]
// CHECK: %[[OTHER:.*]] = arith.xori %[[PHASE]]
// CHECK: %[[NEXT_Y:.*]] = ttng.clc_get_program_id %[[RESULT]], y
// CHECK: %[[NEXT_X:.*]] = ttng.clc_get_program_id %[[RESULT]], x
// CHECK: scf.yield %[[MORE]], %[[OTHER]], %[[NEXT_Y]], %[[NEXT_X]]
// CHECK: ttng.inval_barrier %[[BARRIER]]
// CHECK-NEXT: tt.return
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, ttg.target = "cuda:100"} {
  tt.func public @body(%p: !tt.ptr<i32>) {
    %y = tt.get_program_id y : i32
    %x = tt.get_program_id x : i32
    %again = tt.get_program_id x : i32
    %s = arith.addi %y, %x : i32
    %q = tt.addptr %p, %again : !tt.ptr<i32>, i32
    tt.store %q, %s : !tt.ptr<i32>
    tt.return
  }
}

// -----

// One CTA of a cluster asks for all: they meet before it does.
// CHECK-LABEL: @cluster
// CHECK: ttng.init_barrier
// CHECK-NEXT: ttng.cluster_arrive
// CHECK-NEXT: ttng.cluster_wait
// CHECK: scf.while
// CHECK: ttng.clc_load_result
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: ttng.cluster_arrive
// CHECK-NEXT: ttng.cluster_wait
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, ttg.target = "cuda:100"} {
  tt.func public @cluster() {
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, ttg.target = "cuda:100"} {
  tt.func public @caller() {
    tt.call @called() : () -> i32
    tt.return
  }
  tt.func private @called() -> i32 attributes {noinline = true} {
    // expected-error @+1 {{with clc=True a function that is not inlined cannot ask for tl.program_id: pass it as an argument}}
    %x = tt.get_program_id x : i32
    tt.return %x : i32
  }
}

// -----

// expected-error @+1 {{cluster launch control needs compute capability 10.0 or newer}}
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, ttg.target = "cuda:90"} {
  tt.func public @older() {
    tt.return
  }
}
