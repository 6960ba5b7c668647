// RUN: triton-opt %s --split-input-file --gpu-allocate-records | FileCheck %s
// RUN: triton-opt %s --split-input-file --gpu-allocate-records="mode=proton:buffer_size=256:warps=1+3:clock32=1" | FileCheck %s --check-prefix=SOME

// CHECK: module attributes
// CHECK-SAME: proton.capacity = 128 : i32
// CHECK-SAME: proton.scopes = ["loads", "sum"]
// CHECK-SAME: proton.warps = array<i32: 0, 1, 2, 3>
// CHECK-SAME: ttg.profile_scratch_memory_alignment = 128 : i32
// CHECK-SAME: ttg.profile_scratch_memory_size = 4224 : i32
// SOME: module attributes
// SOME-SAME: proton.capacity = 16 : i32
// SOME-SAME: proton.clock32
// SOME-SAME: proton.warps = array<i32: 1, 3>
// SOME-SAME: ttg.profile_scratch_memory_size = 384 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @kernel() {
    // CHECK: proton.record start "loads" {proton.scope = 0 : i32}
    proton.record start "loads"
    // CHECK: proton.record start "sum" {proton.scope = 1 : i32}
    proton.record start "sum"
    // CHECK: proton.record end "loads" {proton.scope = 0 : i32}
    proton.record end "loads"
    // CHECK: proton.record end "sum" {proton.scope = 1 : i32}
    proton.record end "sum"
    tt.return
  }
}

// -----

// What a file says of records that it does not have is taken away.
// CHECK: // -----
// CHECK-NOT: proton
// CHECK-NOT: profile_scratch
// CHECK: @no_records
module attributes {proton.warps = array<i32: 0, 2>, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.profile_scratch_memory_size = 384 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @no_records() {
    tt.return
  }
}
