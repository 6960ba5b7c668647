// Passes look at what they are given, and say what they cannot do with it.
// RUN: not triton-opt %s --split-input-file --tensor-combine-ops 2>&1 | FileCheck %s --check-prefix=TENSOR
// RUN: not triton-opt %s --split-input-file --gpu-assign-layouts 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not triton-opt %s --split-input-file --gpu-lower-dots 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: not triton-opt %s --split-input-file --cpu-lower-to-loops 2>&1 | FileCheck %s --check-prefix=CPU

// TENSOR: error: 'arith.trunci' op kernels have no values of type 'i7'
// EARLY: error: 'arith.trunci' op kernels have no values of type 'i7'
// LATE: error: 'arith.trunci' op kernels have no values of type 'i7'
// CPU: error: 'arith.trunci' op kernels have no values of type 'i7'
tt.func @odd_integer(%a: i32) {
  %b = arith.trunci %a : i32 to i7
  tt.return
}

// -----

// LATE: error: 'tt.make_range' op has a result without a layout: 'tensor<64xi32>'
tt.func @no_layout() {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// EARLY: error: 'tt.make_range' op has a layout before layouts are assigned: 'tensor<64xi32, #ttg.blocked
// CPU: error: 'tt.make_range' op has a layout before layouts are assigned: 'tensor<64xi32, #ttg.blocked
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @layout() {
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>
// LATE: error: 'tt.make_range' op has a layout of 8 warps per CTA, but the context requires 4
tt.func @other_warps() {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #blocked>
  tt.return
}

// -----

// A function that is only declared has types, too.
// EARLY: error: 'tt.func' op Shape element 0 must be a power of 2
// CPU: error: 'tt.func' op Shape element 0 must be a power of 2
tt.func private @declared(tensor<63xf32>)

// -----

// EARLY: error: 'tt.func' op a tensor needs at least one dimension
tt.func private @declared_result() -> tensor<f32>
