// RUN: triton-ptx %s --arch sm_90a | FileCheck %s
// RUN: %if ptxas %{ triton-ptx %s --arch sm_90a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED: Compiling entry function

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: .entry one_at_a_time
  tt.func public @one_at_a_time(%p: !tt.ptr<i32>, %x: i32) {
    // CHECK: shl.b32 {{%r[0-9]+}}, {{%r[0-9]+}}, 3;
    %r = tt.elementwise_inline_asm "shl.b32 $0, $1, 3;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
    tt.store %p, %r : !tt.ptr<i32>
    tt.return
  }

  // Four bytes in one register, four words in four.
  // CHECK-LABEL: .entry packed
  tt.func public @packed(%p: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %o: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
    %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
    %s = tt.splat %p : !tt.ptr<i8> -> tensor<512x!tt.ptr<i8>, #blocked>
    %q = tt.addptr %s, %range : tensor<512x!tt.ptr<i8>, #blocked>, tensor<512xi32, #blocked>
    // CHECK: ld.global.b32 [[BYTES:%r[0-9]+]]
    %x = tt.load %q : tensor<512x!tt.ptr<i8>, #blocked>
    // CHECK: prmt.b32 {{%r[0-9]+}}, [[BYTES]], {{%r[0-9]+}}, 0x0123; // {{%r[0-9]+}} {{%r[0-9]+}} {{%r[0-9]+}} {{%r[0-9]+}}
    %a, %b = tt.elementwise_inline_asm "prmt.b32 $0, $5, $6, 0x0123; // $1 $2 $3 $4" {constraints = "=r,=r,=r,=r,=r,r,r,r,r,r", packed_element = 4 : i32, pure = true} %x, %range
      : tensor<512xi8, #blocked>, tensor<512xi32, #blocked> -> tensor<512xi8, #blocked>, tensor<512xi32, #blocked>
    // CHECK: st.global.b32
    tt.store %q, %a : tensor<512x!tt.ptr<i8>, #blocked>
    tt.return
  }

  // What is not pure stays, used or not.
  // CHECK-LABEL: .entry impure
  tt.func public @impure() {
    // CHECK-COUNT-2: %globaltimer
    %a = tt.elementwise_inline_asm "mov.u64 $0, %globaltimer;" {constraints = "=l", packed_element = 1 : i32, pure = false} -> i64
    %b = tt.elementwise_inline_asm "mov.u64 $0, %globaltimer;" {constraints = "=l", packed_element = 1 : i32, pure = false} -> i64
    tt.return
  }
}
