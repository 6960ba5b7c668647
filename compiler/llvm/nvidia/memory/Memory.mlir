// RUN: triton-ptx %s --arch sm_90a | FileCheck %s
// RUN: %if ptxas %{ triton-ptx %s --arch sm_80 --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// RUN: %if ptxas %{ triton-ptx %s --arch sm_100a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED: Compiling entry function

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.slice<{dim = 1, parent = #rows}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // 1024 elements: two accesses of 16 bytes from one address.
  // CHECK-LABEL: .entry copy
  tt.func public @copy(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %r: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %pid = tt.get_program_id x : i32
    %c1024 = arith.constant 1024 : i32
    %base = arith.muli %pid, %c1024 : i32
    %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    %start = tt.splat %base : i32 -> tensor<1024xi32, #blocked>
    %offsets = arith.addi %start, %range : tensor<1024xi32, #blocked>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
    %q = tt.addptr %s, %offsets : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    // CHECK: ld.global.v4.b32 {{.*}}, [[[ADDRESS:%rd[0-9]+]]]
    // CHECK: ld.global.v4.b32 {{.*}}, [[[ADDRESS]]+2048]
    %x = tt.load %q : tensor<1024x!tt.ptr<f32>, #blocked>
    %t = tt.splat %r : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
    %u = tt.addptr %t, %offsets : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    // CHECK: st.global.v4.b32 [[[OUT:%rd[0-9]+]]]
    // CHECK: st.global.v4.b32 [[[OUT]]+2048]
    tt.store %u, %x : tensor<1024x!tt.ptr<f32>, #blocked>
    tt.return
  }

  // CHECK-LABEL: .entry masked
  tt.func public @masked(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
    %end = tt.splat %n : i32 -> tensor<512xi32, #blocked>
    %mask = arith.cmpi slt, %range, %end : tensor<512xi32, #blocked>
    %one = arith.constant dense<1.0> : tensor<512xf32, #blocked>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #blocked>
    %q = tt.addptr %s, %range : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
    // CHECK: setp.{{.*}} [[MASK:%p[0-9]+]]
    // CHECK: mov.b32 {{.*}}, 1065353216
    // CHECK: @[[MASK]] ld.global.v4.b32
    %x = tt.load %q, %mask, %one : tensor<512x!tt.ptr<f32>, #blocked>
    // CHECK: @[[MASK]] st.global.v4.b32
    tt.store %q, %x, %mask : tensor<512x!tt.ptr<f32>, #blocked>
    tt.return
  }

  // Where nothing is known of the mask's end, each element has its own predicate.
  // CHECK-LABEL: .entry masked_anywhere
  tt.func public @masked_anywhere(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
    %end = tt.splat %n : i32 -> tensor<512xi32, #blocked>
    %mask = arith.cmpi slt, %range, %end : tensor<512xi32, #blocked>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #blocked>
    %q = tt.addptr %s, %range : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
    // CHECK-NOT: ld.global.v
    // CHECK: ld.global.b32
    // CHECK: ld.global.b32 {{.*}} + 4]
    // CHECK: ld.global.b32 {{.*}} + 8]
    // CHECK: ld.global.b32 {{.*}} + 12]
    %x = tt.load %q, %mask : tensor<512x!tt.ptr<f32>, #blocked>
    tt.store %q, %x, %mask : tensor<512x!tt.ptr<f32>, #blocked>
    tt.return
  }

  // Of the 8 lanes that hold a row's element one stores it.
  // CHECK-LABEL: .entry copies
  tt.func public @copies(%p: !tt.ptr<f32>, %x: f32) {
    %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #column>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>, #column>
    %q = tt.addptr %s, %range : tensor<16x!tt.ptr<f32>, #column>, tensor<16xi32, #column>
    %v = tt.splat %x : f32 -> tensor<16xf32, #column>
    // CHECK: and.b32 [[COPY:%r[0-9]+]], {{.*}}, 7
    // CHECK: setp.eq.b32 [[FIRST:%p[0-9]+]], [[COPY]], 0
    // CHECK: @[[FIRST]] st.global.b32
    // CHECK-NOT: st.global
    tt.store %q, %v : tensor<16x!tt.ptr<f32>, #column>
    tt.return
  }

  // CHECK-LABEL: .entry modifiers
  tt.func public @modifiers(%p: !tt.ptr<i32>) {
    // CHECK: ld.global.cg.b32
    %a = tt.load %p cacheModifier = cg : !tt.ptr<i32>
    // CHECK: createpolicy.fractional.L2::evict_first.b64 [[POLICY:%rd[0-9]+]], 1.0;
    // CHECK: ld.global.L1::evict_first.L2::cache_hint.b32 {{.*}}, [[POLICY]]
    %b = tt.load %p evictionPolicy = evict_first : !tt.ptr<i32>
    // CHECK: ld.volatile.global.b32
    %c = tt.load %p {isVolatile = true} : !tt.ptr<i32>
    // CHECK: ld.global.cv.L2::cache_hint.b32
    %d = tt.load %p cacheModifier = cv evictionPolicy = evict_last : !tt.ptr<i32>
    %e = arith.addi %a, %b : i32
    %f = arith.addi %c, %d : i32
    %g = arith.addi %e, %f : i32
    // CHECK: st.global.cs.b32
    tt.store %p, %g cacheModifier = cs : !tt.ptr<i32>
    // CHECK: st.global.wt.L2::cache_hint.b32
    tt.store %p, %g cacheModifier = wt evictionPolicy = evict_last : !tt.ptr<i32>
    // CHECK: st.global.wb.b32
    tt.store %p, %g cacheModifier = wb : !tt.ptr<i32>
    tt.return
  }

  // What a loop waits for is read each time.
  // CHECK-LABEL: .entry polled
  tt.func public @polled(%p: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    scf.while : () -> () {
      // CHECK: ld.volatile.global.b32
      %x = tt.load %p : !tt.ptr<i32>
      %waits = arith.cmpi eq, %x, %c0 : i32
      scf.condition(%waits)
    } do {
      scf.yield
    }
    tt.return
  }

  // A bool is a byte in memory.
  // CHECK-LABEL: .entry bools
  tt.func public @bools(%p: !tt.ptr<i1>, %q: !tt.ptr<i1>) {
    // CHECK: ld.global.b8
    // CHECK: setp.ne
    %x = tt.load %p : !tt.ptr<i1>
    // CHECK: st.global.b8
    tt.store %q, %x : !tt.ptr<i1>
    tt.return
  }
}
