// RUN: triton-interpret %s --kernel window --grid 2 16:iota 16:-1 | FileCheck %s --check-prefix=WINDOW
// RUN: triton-interpret %s --kernel window --grid 2 16:iota 16:-1 --tensor-pipeline | FileCheck %s --check-prefix=WINDOW
// RUN: triton-interpret %s --kernel descriptor 12:iota@3x4 8:-1 | FileCheck %s --check-prefix=DESCRIPTOR
// RUN: triton-interpret %s --kernel reduce 4:-1,2,-3,4@4 4:1,-1,1,1@4 | FileCheck %s --check-prefix=REDUCE
// RUN: triton-interpret %s --kernel rows 32:iota@4x8 64:-1 | FileCheck %s --check-prefix=ROWS
// RUN: triton-interpret %s --kernel updates --grid 3 4:5,-5,0,0 2:1.5,-0.0 | FileCheck %s --check-prefix=UPDATES
// RUN: triton-interpret %s --kernel masked 4:iota 4:-1 | FileCheck %s --check-prefix=MASKED
// RUN: not triton-interpret %s --kernel outside --grid 3 4:iota 2>&1 | FileCheck %s --check-prefix=OUTSIDE

// The second program's window starts at column 3 of a 3x5 tensor: what lies beyond reads as zero and is not written.
// WINDOW: argument 0: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
// WINDOW-NEXT: argument 1: 0 1 2 3 4 5 6 7 8 9 -1 -1 -1 -1 -1 -1
tt.func public @window(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %m = arith.constant 3 : i64
  %n = arith.constant 5 : i64
  %one = arith.constant 1 : i64
  %pid = tt.get_program_id x : i32
  %at = arith.muli %pid, %three : i32
  %p = tt.make_tensor_ptr %x, [%m, %n], [%n, %one], [%zero, %zero] {order = array<i32: 1, 0>} : <tensor<2x4xf32>>
  %q = tt.make_tensor_ptr %y, [%m, %n], [%n, %one], [%zero, %zero] {order = array<i32: 1, 0>} : <tensor<2x4xf32>>
  %pa = tt.advance %p, [%zero, %at] : <tensor<2x4xf32>>
  %qa = tt.advance %q, [%zero, %at] : <tensor<2x4xf32>>
  %v = tt.load %pa {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<2x4xf32>>
  tt.store %qa, %v {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<2x4xf32>>
  tt.return
}

// DESCRIPTOR: argument 0: 0 1 2 3 4 5 5 6 8 9 9 10
// DESCRIPTOR-NEXT: argument 1: 5 6 7 0 9 10 11 0
tt.func public @descriptor(%d: !tt.tensordesc<tensor<2x4xf32>>, %out: !tt.ptr<f32>) {
  %one = arith.constant 1 : i32
  %v = tt.descriptor_load %d[%one, %one] : !tt.tensordesc<tensor<2x4xf32>> -> tensor<2x4xf32>
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %q = tt.addptr %p, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %f = tt.reshape %v : tensor<2x4xf32> -> tensor<8xf32>
  tt.store %q, %f : tensor<8x!tt.ptr<f32>>
  %two = arith.constant 2 : i32
  tt.descriptor_store %d[%one, %two], %v : !tt.tensordesc<tensor<2x4xf32>>, tensor<2x4xf32>
  tt.return
}

// The least of signed and of unsigned numbers.
// REDUCE: argument 0: -1 0 -3 0
// REDUCE-NEXT: argument 1: 0 0 0 0
tt.func public @reduce(%s: !tt.tensordesc<tensor<4xi32>>, %u: !tt.tensordesc<tensor<4xui32>>) {
  %zero = arith.constant 0 : i32
  %v = arith.constant dense<0> : tensor<4xi32>
  tt.descriptor_reduce min, %s[%zero], %v : !tt.tensordesc<tensor<4xi32>>, tensor<4xi32>
  tt.descriptor_reduce min, %u[%zero], %v : !tt.tensordesc<tensor<4xui32>>, tensor<4xi32>
  tt.return
}

// ROWS: argument 1: 24 25 26 27 28 29 30 31 8 9 10 11 12 13 14 15 0 0 0 0 0 0 0 0
tt.func public @rows(%d: !tt.tensordesc<tensor<1x8xf32>>, %out: !tt.ptr<f32>) {
  %rows = arith.constant dense<[3, 1, 7, 0, 0, 0, 0, 0]> : tensor<8xi32>
  %zero = arith.constant 0 : i32
  %v = tt.descriptor_gather %d[%rows, %zero] : (!tt.tensordesc<tensor<1x8xf32>>, tensor<8xi32>, i32) -> tensor<8x8xf32>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %p, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %f = tt.reshape %v : tensor<8x8xf32> -> tensor<64xf32>
  tt.store %q, %f : tensor<64x!tt.ptr<f32>>
  tt.return
}

// Three programs each add 2, take the unsigned greatest of the second with 7, and count themselves once by exchange.
// UPDATES: argument 0: 11 -5 7 1
// UPDATES-NEXT: argument 1: 4.5 0
tt.func public @updates(%x: !tt.ptr<i32>, %y: !tt.ptr<f32>) {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %seven = arith.constant 7 : i32
  %zero = arith.constant 0 : i32
  %p1 = tt.addptr %x, %one : !tt.ptr<i32>, i32
  %p2 = tt.addptr %x, %two : !tt.ptr<i32>, i32
  %p3 = tt.addptr %x, %three : !tt.ptr<i32>, i32
  %a = tt.atomic_rmw add, relaxed, gpu, %x, %two : (!tt.ptr<i32>, i32) -> i32
  %b = tt.atomic_rmw umax, relaxed, gpu, %p1, %seven : (!tt.ptr<i32>, i32) -> i32
  %c = tt.atomic_rmw max, relaxed, gpu, %p2, %seven : (!tt.ptr<i32>, i32) -> i32
  %d = tt.atomic_cas relaxed, gpu, %p3, %zero, %one : (!tt.ptr<i32>, i32, i32) -> i32
  %f = arith.constant 1.0 : f32
  %g = tt.atomic_rmw fadd, relaxed, gpu, %y, %f : (!tt.ptr<f32>, f32) -> f32
  %q = tt.addptr %y, %one : !tt.ptr<f32>, i32
  %fz = arith.constant 0.0 : f32
  %h = tt.atomic_rmw max, relaxed, gpu, %q, %fz : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// MASKED: argument 1: 0 9 -1 9
tt.func public @masked(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %m = arith.constant dense<[true, false, true, false]> : tensor<4xi1>
  %w = arith.constant dense<[true, true, false, true]> : tensor<4xi1>
  %nine = arith.constant dense<9> : tensor<4xi32>
  %p = tt.splat %x : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %pp = tt.addptr %p, %r : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
  %q = tt.splat %y : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %qq = tt.addptr %q, %r : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
  %v = tt.load %pp, %m, %nine : tensor<4x!tt.ptr<i32>>
  tt.store %qq, %v, %w : tensor<4x!tt.ptr<i32>>
  tt.return
}

// OUTSIDE: error: 'tt.load' op reads 4 bytes at byte 16 of argument 0, which has 16 bytes
// OUTSIDE: note: in program (2, 0, 0)
tt.func public @outside(%x: !tt.ptr<i32>) {
  %two = arith.constant 2 : i32
  %pid = tt.get_program_id x : i32
  %o = arith.muli %pid, %two : i32
  %p = tt.addptr %x, %o : !tt.ptr<i32>, i32
  %v = tt.load %p : !tt.ptr<i32>
  tt.return
}
