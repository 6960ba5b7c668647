// RUN: triton-ptx %s --arch sm_90a | FileCheck %s
// RUN: %if ptxas %{ triton-ptx %s --arch sm_90a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED: Compiling entry function

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90",
                   proton.warps = array<i32: 0, 2>, proton.warps_per_unit = 1 : i32, proton.capacity = 16 : i32,
                   ttg.profile_scratch_memory_size = 384 : i32} {
  // The slice of a CTA has 384 bytes; its records begin at byte 48. A beginning is read last, an end first.
  // CHECK-LABEL: .entry noting
  // CHECK: mad.lo.s64 {{.*}}, 384,
  // CHECK: st.global.{{[a-z0-9]+}} [{{.*}}], {{-559038737|%r[0-9]+}}
  // CHECK: mov.u32 {{.*}}, %smid
  // CHECK: mov.u64 {{.*}}, %globaltimer
  // CHECK: mov.u64 {{.*}}, %clock64
  // CHECK: mov.u64 {{.*}}, %clock64
  // CHECK: st.global.v2.b32
  // CHECK: st.global.b32
  // CHECK: mov.u64 {{.*}}, %clock64
  // CHECK: st.global.v2.b32
  // CHECK-NOT: %clock64
  // CHECK: ret
  tt.func public @noting() {
    proton.record start "loads" {proton.scope = 0 : i32}
    proton.record end "loads" {proton.scope = 0 : i32}
    tt.return
  }
}
