// Partitions that run more than once: the other warps are told each time, and told to end.
// RUN: triton-opt %s --gpu-resources | triton-ptx --arch sm_90a | FileCheck %s
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx --arch sm_90a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// RUN: %if ptxas %{ triton-opt %s --gpu-resources | triton-ptx --arch sm_100a --assemble | FileCheck %s --check-prefix=ASSEMBLED %}
// ASSEMBLED: Used 128 registers, used 4 barriers

#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 8 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: .entry often(
  // CHECK: .reqntid 512
  // CHECK: setmaxnreg.inc.sync.aligned.u32 200;
  // Who goes round the loop: all meet at barrier 0 at both ends, the kernel's own warps in between at theirs.
  // CHECK: bar.sync 0;
  // CHECK: bar.sync 1, 256;
  // CHECK-NEXT: bar.sync 0;
  // Before that the number of the op is stored, and what partitions have to know.
  // CHECK: bar.sync 1, 256;
  // CHECK: st.shared.b32 [shared+16],
  // CHECK: st.shared.b32 [shared+[[STATE:[0-9]+]]], 1;
  // Four warps have a barrier of their own; they go on if there is work.
  // CHECK: setmaxnreg.dec.sync.aligned.u32 80;
  // CHECK: bar.sync 3, 128;
  // CHECK: ld.shared.b32 [[NUMBER:%r[0-9]+]], [shared+[[STATE]]];
  // CHECK: shfl.sync.idx.b32 {{.*}}, [[NUMBER]], 0, 31, -1;
  // In the end there is none.
  // CHECK: st.shared.b32 [shared+[[STATE]]], 0;
  // CHECK: bar.sync 0;
  // CHECK: ret;
  // One warp needs no barrier.
  // CHECK: setmaxnreg.dec.sync.aligned.u32 32;
  // CHECK: ld.shared.b32 %r{{[0-9]+}}, [shared+16];
  // CHECK-NOT: bar.sync 2
  // CHECK: redux.sync.add.s32
  tt.func public @often(%n: i32, %out: !tt.ptr<f32>) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    scf.for %i = %zero to %n step %one : i32 {
      %scaled = arith.muli %i, %n : i32
      %r = ttg.warp_specialize(%scaled, %out) attributes {requestedRegisters = array<i32: 32, 80>}
      default {
        ttg.barrier
        ttg.warp_yield %scaled : i32
      }
      partition0(%m: i32, %to: !tt.ptr<f32>) num_warps(1) {
        %x = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #line>
        %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
        ^bb0(%a: i32, %b: i32):
          %c = arith.addi %a, %b : i32
          tt.reduce.return %c : i32
        }) : (tensor<32xi32, #line>) -> i32
        %t = arith.addi %s, %m : i32
        %f = arith.sitofp %t : i32 to f32
        tt.store %to, %f : !tt.ptr<f32>
        ttg.warp_return
      }
      partition1(%m: i32, %to: !tt.ptr<f32>) num_warps(4) {
        %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #row>
        %base = tt.splat %to : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #row>
        %p = tt.addptr %base, %range : tensor<128x!tt.ptr<f32>, #row>, tensor<128xi32, #row>
        %x = tt.load %p : tensor<128x!tt.ptr<f32>, #row>
        %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
        ^bb0(%a: f32, %b: f32):
          %c = arith.addf %a, %b : f32
          tt.reduce.return %c : f32
        }) : (tensor<128xf32, #row>) -> f32
        tt.store %to, %s : !tt.ptr<f32>
        ttg.warp_return
      } : (i32, !tt.ptr<f32>) -> i32
    }
    tt.return
  }
}
